"""Limits count uses of several threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from annotations.core.http.limits import Limit

THREADS, TIMES = 8, 10


@pytest.mark.django_db(transaction=True)
def test_simultaneous_uses_all_count(monkeypatch):
    limit = Limit("uses of a test", 3600)
    now = time.time()
    monkeypatch.setattr("annotations.core.http.limits.time.time", lambda: now)  # one window
    barrier = Barrier(THREADS)

    def use(_: int) -> None:
        try:
            for _ in range(TIMES):
                barrier.wait()
                limit.use("alice")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(use, range(THREADS)))
    assert limit.told("alice") == THREADS * TIMES
    assert limit.told("bob") == 0
