"""`make run`: pages and the worker, from one start and to one end."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.serving import Made

DEADLINE = 60
ORDER = "import django; django.setup(); from annotations.transfers import work; work.enqueue(0)"


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("data"))


@pytest.fixture
def running(data) -> Iterator[Made]:
    server = Made(data)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def of_task(data: str, what: str) -> list[str]:
    with sqlite3.connect(f"{data}/coindex.sqlite3") as database:
        return [value for (value,) in database.execute(f"select {what} from django_tasks_database_dbtaskresult")]


def test_a_fresh_database_is_made_ready_and_the_worker_works_on_it(running, data):
    with urlopen(f"{running.address}/readyz") as answer:
        assert answer.status == 200
    running.run("-c", ORDER)
    until(lambda: of_task(data, "finished_at")[0])
    assert len(of_task(data, "status")) == 1


def alive(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    found = Path(f"/proc/{pid}/stat")
    return found.exists() and found.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def children(pid: int) -> list[int]:
    """In the order in which they were started."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("this system does not tell")
    return sorted(map(int, found.read_text().split()))


def test_ctrl_c_ends_all_of_them(running):
    until = time.monotonic() + 60
    while len(processes := running.processes()) < 6 and time.monotonic() < until:
        time.sleep(0.05)  # the first page may be answered before all are there
    assert len(processes) == 6  # make, gunicorn with its two, the worker and who looks after it
    running.stop()
    assert running.processes() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["to end", "of a closed terminal"])
def test_a_signal_to_the_one_that_serves_ends_the_others_too(running, number):
    assert running.process is not None
    [served] = children(running.process.pid)
    until(lambda: len(children(served)) == 3)
    os.kill(served, number)
    until(lambda: not running.processes())


def test_where_the_one_that_serves_is_killed_no_worker_stays(running):
    assert running.process is not None
    [served] = children(running.process.pid)
    until(lambda: len(children(served)) == 3)
    keeper = children(served)[0]
    until(lambda: len(children(keeper)) == 1)
    left = [keeper, *children(keeper)]
    os.kill(served, signal.SIGKILL)
    until(lambda: not any(alive(pid) for pid in left))


def test_the_worker_outlives_the_processes_that_answer(running, data):
    assert running.process is not None
    [served] = children(running.process.pid)
    until(lambda: len(children(served)) == 3)
    worker, *answering = children(served)
    os.kill(answering[0], signal.SIGTERM)
    until(lambda: len(children(served)) == 3 and answering[0] not in children(served))
    assert worker in children(served)
    before = len(of_task(data, "status"))
    running.run("-c", ORDER)
    until(lambda: all(of_task(data, "finished_at")))
    assert len(of_task(data, "status")) == before + 1


def test_a_worker_that_dies_has_a_successor(running, data):
    assert running.process is not None
    [served] = children(running.process.pid)
    keeper = children(served)[0]
    until(lambda: len(children(keeper)) == 1)
    [worker] = children(keeper)
    os.kill(worker, signal.SIGKILL)
    before = len(of_task(data, "status"))
    running.run("-c", ORDER)
    until(lambda: len(of_task(data, "status")) == before + 1 and all(of_task(data, "finished_at")))
    assert worker not in children(keeper)
    running.stop()
    assert running.processes() == []
