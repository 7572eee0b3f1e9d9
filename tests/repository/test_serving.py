"""`make run`: pages and the worker, from one start and to one end."""

import os
import shutil
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.conf import settings

from benchmarks.environment.serving import MakeRunServer
from tests.shared.cases import cases

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at by /proc")]

DEADLINE = 60
ORDER = "import django; django.setup(); from annotations.transfers.orders import run_transfer; run_transfer.enqueue(0)"


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def data(tmp_path_factory, migrated_file) -> str:
    return prepared(tmp_path_factory.mktemp("data"), migrated_file)


def prepared(folder: Path, migrated_file: Path) -> str:
    """Copy the migrated database into a folder of data; return the path of the folder."""
    shutil.copyfile(migrated_file, folder / "coindex.sqlite3")
    return str(folder)


@contextmanager
def started(data: str) -> Iterator[MakeRunServer]:
    server = MakeRunServer(data)
    # whoever runs the tests by nohup hands down that a closed terminal ends nothing
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        server.start()
        yield server
    finally:
        signal.signal(signal.SIGHUP, before)
        server.kill()


@pytest.fixture
def running(data) -> Iterator[MakeRunServer]:
    with started(data) as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory, migrated_file) -> Iterator[MakeRunServer]:
    """Return a program for the tests that end none."""
    with started(prepared(tmp_path_factory.mktemp("shared"), migrated_file)) as server:
        yield server


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
    return serve, pages, worker


def test_ctrl_c_ends_all_of_them(running):
    programs(running)
    assert len(running.processes()) == 4  # make, serve, the pages, the worker
    running.stop()
    assert running.processes() == []


@pytest.mark.parametrize("number", cases([signal.SIGTERM], full=[signal.SIGHUP]))
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


def test_clients_that_send_slowly_keep_nobody_waiting(shared_server):
    with ExitStack() as connections:
        for _ in range(100):
            client = connections.enter_context(socket.create_connection(("127.0.0.1", shared_server.port)))
            client.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx")
        for _ in range(3):
            with urlopen(f"{shared_server.address}/healthz", timeout=DEADLINE) as answer:
                assert answer.status == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_there(shared_server):
    with socket.create_connection(("127.0.0.1", shared_server.port)) as client:
        client.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000000000\r\n\r\nx")
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_stranger_who_sends_a_form_that_is_too_large_reads_so(shared_server):
    connection = HTTPConnection("127.0.0.1", shared_server.port, timeout=DEADLINE)
    connection.request("POST", "/sign-in/", b"x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1))
    answer = connection.getresponse()
    assert (answer.status, "too large" in answer.read().decode()) == (413, True)


UNREAD = [
    ("/projects/tea/import/", "X-Nobody: x", 11),
    ("/api/v1/projects/tea/texts/a/coding/operations/", "Authorization: Bearer x", 11),
    ("/api/v1/projects/tea/imports/", "Authorization: Bearer x", 61),
    ("/projects/new/archive/", "Cookie: theme=dark", 11),
    ("/projects/new/archive/", "Cookie: theme=dark; sessionid=x", 511),
]


def test_nothing_lies_on_the_disk_that_the_address_would_not_take(shared_server):
    for address, header, megabytes in UNREAD:
        lines = f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n"
        for more, size, answer in (
            ("", megabytes * 2**20, b"HTTP/1.1 413 "),
            ("Expect: 100-continue\r\n", (megabytes - 2) * 2**20, b"HTTP/1.1 100 "),
        ):
            with socket.create_connection(("127.0.0.1", shared_server.port)) as client:
                client.sendall(f"{lines}{more}Content-Length: {size}\r\n\r\n".encode())
                assert client.recv(100).startswith(answer), (address, header, size)
