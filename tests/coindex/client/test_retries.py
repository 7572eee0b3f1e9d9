"""Retries of the client, behind a gateway that fails requests and loses answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from annotations.models import Project
from coindex.client import ApiError, Client, NoAnswer, Patience, judge
from coindex.client.connection import TEMPORARY
from tests.coindex.client.conftest import IMPATIENT

# How a gateway spoils a request: its status and headers instead of asking the server, "lost" for an answer that the
# server has given and nobody gets, None for what it leaves alone.
type Fault = tuple[int, dict[str, str]] | str | None


class Gateway(ThreadingHTTPServer):
    """A proxy before the live server, which spoils the first requests by its list of faults."""

    daemon_threads = True

    def __init__(self, server: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.server, self.faults, self.asked = server, list[Fault](), list[str]()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def answer(self) -> None:
        assert isinstance(self.server, Gateway)
        self.server.asked.append(self.command)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if isinstance(fault, tuple):
            self.send(fault[0], fault[1], b"<h1>Busy</h1>")
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        answer = httpx.request(self.command, f"{self.server.server}{self.path}", content=body, headers=headers)
        if fault == "lost":
            self.close_connection = True
            return
        headers = {name: answer.headers[name] for name in ("Content-Type", "ETag") if name in answer.headers}
        self.send(answer.status_code, headers, answer.content)

    def send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 - the names of the library

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def gateway(live_server) -> Iterator[Gateway]:
    with Gateway(live_server.url) as found:
        threading.Thread(target=found.serve_forever, args=[0.01], daemon=True).start()
        yield found
        found.shutdown()


@pytest.fixture
def connect_by_gateway(connect, gateway) -> Callable[..., Client]:
    """Return a function that connects Charlie's client through the gateway."""

    def make(patience: Patience = IMPATIENT) -> Client:
        with connect("charlie") as direct:
            key = direct.http.headers["Authorization"].removeprefix("Bearer ")
        return Client(gateway.address, key, patience=patience)

    return make


BUSY: Fault = (503, {"Retry-After": "0"})
MAKE = ("kitchen", "Kitchen", "poesio-artstein-2005")


@pytest.mark.parametrize("status", sorted(TEMPORARY))
def test_reads_are_retried(connect_by_gateway, gateway, status):
    gateway.faults = [(status, {}), "lost", (status, {"Retry-After": "0"})]
    with connect_by_gateway() as client:
        assert list(client.projects()) == []
    assert gateway.asked == ["GET"] * 4


def test_lost_answers_create_project_once(connect_by_gateway, gateway):
    gateway.faults = ["lost", BUSY, "lost"]
    with connect_by_gateway() as client:
        assert client.create_project(*MAKE)["slug"] == "kitchen"
        assert gateway.asked == ["POST"] * 4
        assert Project.objects.count() == 1


@pytest.mark.slow
def test_repeated_operations_and_files_are_applied_once(connect_by_gateway, gateway):
    with connect_by_gateway() as client:
        client.create_project(*MAKE)
        gateway.faults = ["lost", None, None, "lost"]  # the order, twice; its state; the carrying out
        client.import_texts("kitchen", {"tea": "[Tea](a)\n"}, format="plain")
        assert [text["slug"] for text in client.texts("kitchen")] == ["tea"]
        client.open_gold("kitchen", "tea", "main", early=True)
        gold = client.coding("kitchen", "tea", round="main", of="gold")
        gateway.faults = ["lost", "lost"]
        assert client.save(gold, [judge(gold.state["markables"][0]["key"], "place")]) == 1


def test_unsafe_changes_are_not_repeated(connect_by_gateway, gateway):
    with connect_by_gateway() as client:
        client.create_project(*MAKE)
        gateway.asked.clear()
        for fault, raised in (("lost", NoAnswer), (BUSY, ApiError)):
            gateway.faults = [None, fault]
            with pytest.raises(raised):
                client.change_project("kitchen", title="Larder")
        assert gateway.asked == ["GET", "PATCH"] * 2
        gateway.faults = [None, (429, {"Retry-After": "0"})]  # by this the server says that it has done nothing
        assert client.change_project("kitchen", title="Larder")["title"] == "Larder"


def test_client_gives_up_after_total_wait(connect_by_gateway, gateway):
    gateway.faults = [(503, {"Retry-After": "3600"})]
    with connect_by_gateway() as client, pytest.raises(ApiError, match="503 error: Service Unavailable"):
        list(client.projects())
    gateway.faults = [(503, {})] * 1000
    gateway.asked.clear()
    with connect_by_gateway(Patience(total=0.05, first=0.01)) as client, pytest.raises(ApiError):
        list(client.projects())
    assert 1 < len(gateway.asked) < 20


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({}, 1, 2),
        ({"Retry-After": "7"}, 7, 7),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0, 0),
        ({"Retry-After": "soon"}, 1, 2),
    ],
)
def test_wait_follows_retry_after_or_doubles(headers, least, most):
    patience = Patience(first=0.5, longest=10)
    assert least <= patience.wait(2, httpx.Response(503, headers=headers)) <= most
    assert 5 <= patience.wait(1000, None) <= 10


def test_error_names_unreachable_server():
    client = Client("http://127.0.0.1:9", "key", patience=Patience(total=0))
    with client, pytest.raises(NoAnswer, match=r"GET http://127\.0\.0\.1:9/api/v1/projects/x/: "):
        client.project("x")
