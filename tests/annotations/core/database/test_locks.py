"""Writers on SQLite wait for each other."""

import time
from pathlib import Path
from threading import Thread

import pytest
from django.db import connection, transaction

from annotations.coding import operations
from annotations.core.database.locks import sqlite_write_lock
from tests.shared.coding import change

DEADLINE = 60
LOCKS = Path("/proc/locks")


def start_thread(work) -> Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


def skip_without_lock_list() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has queues itself")
    if not LOCKS.exists():
        pytest.skip("this system does not tell who waits")


def has_lock_entry(waiting: bool) -> bool:
    """Return whether a process waits for the lock or, if not `waiting`, holds it."""
    file = Path(f"{connection.settings_dict['NAME']}-turn")
    inode = f":{file.stat().st_ino} " if file.exists() else "of no file"
    return any(("->" in line) is waiting and inode in line for line in LOCKS.read_text().splitlines())


def wait_until(condition) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end


@pytest.mark.django_db(transaction=True)
def test_second_writer_waits_for_first(codings, keys):
    skip_without_lock_list()
    coding = codings["alice"]
    with sqlite_write_lock():
        thread = start_thread(
            lambda: operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")])
        )
        wait_until(lambda: has_lock_entry(waiting=True))
        assert not coding.operations.exists()
    thread.join(DEADLINE)
    assert [operation.kind for operation in coding.operations.all()] == ["judge"]


@pytest.mark.django_db(transaction=True)
def test_writer_in_transaction_does_not_wait_for_waiting_writer(codings, keys):
    """Otherwise both would wait until the timeout of SQLite."""
    skip_without_lock_list()

    def judge_as(name: str) -> int:
        coding = codings[name]
        return operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")])

    with transaction.atomic():  # from here on nobody else may write
        thread = start_thread(lambda: judge_as("bob"))
        wait_until(lambda: has_lock_entry(waiting=False))
        assert judge_as("alice") == 1
    thread.join(DEADLINE)
    assert {coding.operations.count() for coding in codings.values()} == {1}


@pytest.mark.django_db(transaction=True)
def test_rejected_operation_releases_lock(codings, keys):
    coding = codings["alice"]
    with pytest.raises(operations.OperationRejected):
        operations.apply(coding, coding.coder, 0, [change(markable="ghost", category="none")])
    assert operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")]) == 1
