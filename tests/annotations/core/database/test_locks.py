"""Who changes a coding on SQLite waits in line."""

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


def in_a_thread(work) -> Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


def only_where_one_waits() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has queues itself")
    if not LOCKS.exists():
        pytest.skip("this system does not tell who waits")


def turn(waiting: bool) -> bool:
    """Return whether the system knows of a process that waits for the turn or, if not `waiting`, that has it."""
    file = Path(f"{connection.settings_dict['NAME']}-turn")
    inode = f":{file.stat().st_ino} " if file.exists() else "of no file"
    return any(("->" in line) is waiting and inode in line for line in LOCKS.read_text().splitlines())


def until(happens) -> None:
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end


@pytest.mark.django_db(transaction=True)
def test_one_goes_after_the_other(codings, keys):
    only_where_one_waits()
    coding = codings["alice"]
    with sqlite_write_lock():
        thread = in_a_thread(
            lambda: operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")])
        )
        until(lambda: turn(waiting=True))
        assert not coding.operations.exists()
    thread.join(DEADLINE)
    assert [operation.kind for operation in coding.operations.all()] == ["judge"]


@pytest.mark.django_db(transaction=True)
def test_writer_in_a_transaction_does_not_wait_for_who_waits_for_it(codings, keys):
    """Else both would wait until SQLite gives up."""
    only_where_one_waits()

    def judge_as(name: str) -> int:
        coding = codings[name]
        return operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")])

    with transaction.atomic():  # from here on nobody else may write
        thread = in_a_thread(lambda: judge_as("bob"))
        until(lambda: turn(waiting=False))
        assert judge_as("alice") == 1
    thread.join(DEADLINE)
    assert {coding.operations.count() for coding in codings.values()} == {1}


@pytest.mark.django_db(transaction=True)
def test_a_refusal_lets_the_next_one_in(codings, keys):
    coding = codings["alice"]
    with pytest.raises(operations.OperationRejected):
        operations.apply(coding, coding.coder, 0, [change(markable="ghost", category="none")])
    assert operations.apply(coding, coding.coder, 0, [change(markable=keys["a"], category="none")]) == 1
