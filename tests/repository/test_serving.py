"""`make run`: pages and the worker, from one start and to one end."""

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.serving import MakeRunServer

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at by /proc"),
]

DEADLINE = 60
ORDER = "import django; django.setup(); from annotations.transfers.orders import run_transfer; run_transfer.enqueue(0)"


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("data"))


@pytest.fixture
def running(data) -> Iterator[MakeRunServer]:
    server = MakeRunServer(data)
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


def children(pid: int) -> list[int]:
    """Return the children of the process in the order in which they were started."""
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def programs(running) -> tuple[int, int, int]:
    """Return the numbers of the process that starts the others, of the pages and of the worker, once all run."""
    assert running.process is not None
    [serve] = children(running.process.pid)
    until(lambda: len(children(serve)) == 2)
    pages, worker = children(serve)
    until(lambda: len(children(pages)) == 2)
    return serve, pages, worker


def test_ctrl_c_ends_all_of_them(running):
    programs(running)
    assert len(running.processes()) == 6  # make, serve, gunicorn with its two, the worker
    running.stop()
    assert running.processes() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["to end", "of a closed terminal"])
def test_a_signal_to_the_one_that_serves_ends_the_others_too(running, number):
    serve, *_ = programs(running)
    os.kill(serve, number)
    until(lambda: not running.processes())


def test_where_the_pages_end_no_worker_stays(running):
    _, pages, _ = programs(running)
    os.kill(pages, signal.SIGKILL)
    until(lambda: not running.processes())


def test_a_worker_that_dies_has_a_successor(running, data):
    serve, _, worker = programs(running)
    os.kill(worker, signal.SIGKILL)
    until(lambda: len(children(serve)) == 2 and worker not in children(serve))
    before = len(of_task(data, "status"))
    running.run("-c", ORDER)
    until(lambda: len(of_task(data, "status")) == before + 1 and all(of_task(data, "finished_at")))
    running.stop()
    assert running.processes() == []
