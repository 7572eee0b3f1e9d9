"""`make run`: start and end of the web process and the worker."""

import os
import shutil
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.conf import settings

from benchmarks.environment.serving import MakeRunServer
from tests.shared.cases import cases

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at by /proc")]

DEADLINE = 60
# Addresses, a header, and more megabytes than they take.
UNREAD = [
    ("/projects/tea/import/", "X-Nobody: x", 11),
    ("/api/v1/projects/tea/texts/a/coding/operations/", "Authorization: Bearer x", 11),
    ("/api/v1/projects/tea/imports/", "Authorization: Bearer x", 61),
    ("/projects/new/archive/", "Cookie: theme=dark", 11),
    ("/projects/new/archive/", "Cookie: theme=dark; sessionid=x", 511),
]
ORDER = "import django; django.setup(); from annotations.transfers.orders import run_transfer; run_transfer.enqueue(0)"


def wait_until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def data(tmp_path_factory, migrated_file) -> str:
    """Return the path of a folder of data with a migrated database."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copyfile(migrated_file, folder / "coindex.sqlite3")
    return str(folder)


@pytest.fixture
def running(data) -> Iterator[MakeRunServer]:
    server = MakeRunServer(data)
    # Who runs the tests by nohup hands down that a closed terminal ends nothing.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        server.start()
        yield server
    finally:
        signal.signal(signal.SIGHUP, before)
        server.kill()


def task_values(data: str, what: str) -> list[str]:
    with sqlite3.connect(f"{data}/coindex.sqlite3") as database:
        return [value for (value,) in database.execute(f"select {what} from django_tasks_database_dbtaskresult")]


def children(pid: int) -> list[int]:
    """Return the children of the process in the order in which they were started."""
    return sorted(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def programs(running) -> tuple[int, int, int]:
    """Return the numbers of the process that starts the others, of the pages and of the worker, once all run."""
    assert running.process is not None
    [serve] = children(running.process.pid)
    wait_until(lambda: len(children(serve)) == 2)
    pages, worker = children(serve)
    return serve, pages, worker


@pytest.mark.parametrize("number", cases([signal.SIGTERM], full=[signal.SIGHUP]))
def test_signal_to_launcher_ends_all_processes(running, number):
    serve, *_ = programs(running)
    os.kill(serve, number)
    wait_until(lambda: not running.processes())


def test_worker_ends_with_web_process(running):
    _, pages, _ = programs(running)
    os.kill(pages, signal.SIGKILL)
    wait_until(lambda: not running.processes())


def test_dead_worker_is_replaced_and_ctrl_c_ends_all(running, data):
    with urlopen(f"{running.address}/readyz") as answer:
        assert answer.status == 200
    serve, _, worker = programs(running)
    assert len(running.processes()) == 4  # make, serve, the pages, the worker
    order_task(running, data)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: len(children(serve)) == 2 and worker not in children(serve))
    order_task(running, data)
    running.stop()
    assert running.processes() == []


def order_task(running: MakeRunServer, data: str) -> None:
    """Order a task and wait until the worker has done it."""
    before = len(task_values(data, "status"))
    running.run("-c", ORDER)
    wait_until(lambda: len(task_values(data, "status")) == before + 1 and all(task_values(data, "finished_at")))


def test_slow_clients_and_large_bodies_block_nobody(running):
    place = ("127.0.0.1", running.port)
    with ExitStack() as connections:
        for _ in range(100):
            client = connections.enter_context(socket.create_connection(place))
            client.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx")
        for _ in range(3):
            with urlopen(f"{running.address}/healthz", timeout=DEADLINE) as answer:
                assert answer.status == 200
    with socket.create_connection(place) as client:  # refused before it is there
        client.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000000000\r\n\r\nx")
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")
    connection = HTTPConnection(*place, timeout=DEADLINE)
    connection.request("POST", "/sign-in/", b"x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1))
    answer = connection.getresponse()
    assert (answer.status, "too large" in answer.read().decode()) == (413, True)
    # Nothing lies on the disk that the address would not take.
    for address, header, megabytes in UNREAD:
        lines = f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n"
        for more, size, status in (
            ("", megabytes * 2**20, b"HTTP/1.1 413 "),
            ("Expect: 100-continue\r\n", (megabytes - 2) * 2**20, b"HTTP/1.1 100 "),
        ):
            with socket.create_connection(place) as client:
                client.sendall(f"{lines}{more}Content-Length: {size}\r\n\r\n".encode())
                assert client.recv(100).startswith(status), (address, header, size)
