"""Oversized, deeply nested and malformed requests: refused without a server error.

The test client raises what the server would answer 500 to.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as configured

from benchmarks.environment.serving import Server
from tests.access.role_asking import World, actor, iter_writes, parameters, resolve
from tests.access.role_matrix import AGREEMENT, API, PAGES, Row
from tests.attacks.test_scripts import QUERY
from tests.shared.cases import cases, first_of

ROWS = [*PAGES, *AGREEMENT, *API]
FORM = "application/x-www-form-urlencoded"


def find_words(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each string in a body."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from find_words(part, (*where, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from find_words(part, (*where, number))
    elif isinstance(value, str):
        yield where


def changed(value: Any, where: tuple[Any, ...], new: Any) -> Any:
    """Return the body with the value at a path replaced."""
    if not where:
        return new
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[where[0]] = changed(value[where[0]], where[1:], new)
    return copy


# A NUL, half a character, the last one, a turn of direction, very much.
ODD = ("a\0b", "a\ud800b", "\U0010ffff", "\u202e", "x" * 20_000)


def test_odd_field_values_cause_no_server_error(world):
    asked = 0
    for row, method, access in iter_writes(ROWS):
        body = resolve(access.body, world.here) or {}
        for where in find_words(body):
            for odd in ODD:
                form = not row.name.startswith("api-") or any(callable(value) for value in body.values())
                # What no browser sends from a form, as bytes.
                new = odd.encode("utf-8", "surrogatepass") if form and "\ud800" in odd else odd
                reply = world.ask(method, world.address(row), actor(access), changed(body, where, new))
                assert reply.status_code < 500, (row.name, where, odd[:9])
                asked += 1
    assert asked > 300


IN_ADDRESSES = (
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF%FE",
    "%F4%8F%BF%BF",
    "x" * 3000,
    "9" * 400,
    "-1",
    "1e400",
    "[]",
    "",
    "%",
)
OF_LISTS = (
    "cursor", "since", "page_size", "after", "before", "text", "coder", "kind", "status", "level", "category", "unsure",
    "predefined", "role", "answers", "format", "state", "ordering", "form", "first", "second",
)  # fmt: skip


def test_odd_query_values_cause_no_server_error(world):
    """Try each list with each parameter and odd value, and pages with all of them at once."""
    lists = 0
    for number, row in enumerate(row for row in ROWS if "GET" in row.methods):
        address, role = world.address(row), actor(row.methods["GET"])
        for turn in first_of(range(3)):
            odd = [IN_ADDRESSES[(number + turn + place) % len(IN_ADDRESSES)] for place in range(len(QUERY))]
            query = "&".join(f"{name}={value}" for name, value in zip(QUERY, odd, strict=True))
            assert world.ask("GET", f"{address}?{query}", role).status_code < 500, (address, query)
        if is_list(world, row):
            lists += 1
            for place, name in enumerate(OF_LISTS):
                for value in cases(IN_ADDRESSES[(lists + place) % 4 :: 4], full=IN_ADDRESSES):
                    assert world.ask("GET", f"{address}?{name}={value}", role).status_code < 500, (address, name, value)
    assert lists > 3


def is_list(world: World, row: Row) -> bool:
    """Return whether the answer comes in pages, which the database filters and orders."""
    reply = world.ask("GET", world.address(row), actor(row.methods["GET"]))
    return row.name.startswith("api-") and not reply.streaming and reply.content.startswith(b'{"next"')


def test_odd_path_values_cause_no_server_error(world):
    asked = 0
    for row in ROWS:
        for name in parameters(row):
            own = quote(resolve(row.at[name], world.here), safe=":,")
            for odd in ("a%00b", "%ED%A0%80", "9" * 30, "x" * 2000):
                address = f"/{odd}/".join(world.address(row).rsplit(f"/{own}/", 1))
                assert odd in address
                for method in row.methods:
                    assert world.ask(method, address, "superuser").status_code < 500, (method, address)
                    asked += 1
    assert asked > 500


BODIES = {
    "lists": "[" * 100_000,
    "closed lists": "[" * 50_000 + "]" * 50_000,
    "objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "a long number": "1" * 100_000,
    "no number": '{"version": NaN}',
    "a name twice": '{"version": 0, "version": 1}',
    "other bytes": b"\xff\xfe{}",
    "no object": "[[]]",
    "nothing": "",
}


def test_malformed_bodies_cause_no_server_error(world):
    for row, method, access in iter_writes(API):
        for what, body in BODIES.items():
            world.sign_in(actor(access))
            reply = send_raw(world, method, row, body)
            assert reply.status_code < 500, (method, row.name, what)
            assert reply.status_code < 400 or reply["Content-Type"] == "application/problem+json", (row.name, what)


def send_raw(world: World, method: str, row: Row, body: str | bytes, kind: str = "application/json") -> Any:
    return world.client.generic(method, world.address(row), body, content_type=kind, headers={"If-Match": "*"})


def test_too_large_bodies_are_refused(world):
    asked, wrong, blanks = 0, [], " " * configured.DATA_UPLOAD_MAX_MEMORY_SIZE
    for row, method, access in iter_writes(API):
        body = resolve(access.body, world.here)
        if not body or any(callable(value) for value in body.values()):
            continue
        world.sign_in(actor(access))
        reply = send_raw(world, method, row, json.dumps(body) + blanks)
        if reply.status_code != 413 or reply.json()["code"] != "too_large":
            wrong.append(f"{method} {row.name}: {reply.status_code}")
        asked += 1
    assert not wrong
    assert asked > 15
    large = f"username=alice&password=x&x={blanks}"
    assert world.client.generic("POST", "/sign-in/", large, content_type=FORM).status_code == 413


def test_form_with_too_many_fields_is_refused(world):
    many = "&".join(f"f{number}=1" for number in range(configured.DATA_UPLOAD_MAX_NUMBER_FIELDS + 2))
    world.sign_in("manager")
    assert world.client.generic("POST", "/projects/tea/members/", many, content_type=FORM).status_code == 400


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    """Serve the program as in production, without a database: bad requests never get so far."""
    made = Server(str(tmp_path_factory.mktemp("server")))
    try:
        made.start("/healthz")
        yield made
    finally:
        made.stop()


def read_first_line(port: int, said: bytes) -> bytes:
    """Return the first line of the server's answer to these bytes; return nothing if it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as spoken:
        try:
            spoken.sendall(said)
            return spoken.recv(65536).split(b"\r\n")[0]
        except ConnectionError:  # it hung up before all was said
            return b""


HOST = b"Host: 127.0.0.1\r\n"
GET, POST = b"GET /healthz HTTP/1.1\r\n" + HOST, b"POST /healthz HTTP/1.1\r\n" + HOST
WRONG = {
    "a large header": GET + b"X-Large: " + b"x" * 100_000 + b"\r\n\r\n",
    "many headers": GET + b"".join(b"X-Many-%d: x\r\n" % number for number in range(1000)) + b"\r\n",
    "a long line": b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "two lengths": POST + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    "chunks and a length": POST + b"Content-Length: 4\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a length below nothing": POST + b"Content-Length: -1\r\n\r\n",
    "a header with an odd name": GET + b"X-A\x0b: b\r\n\r\n",
    "no method": b"\0\0\0 /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
}


@pytest.mark.parametrize("said", WRONG.values(), ids=WRONG)
def test_server_refuses_malformed_requests_and_keeps_serving(server, said):
    first = read_first_line(server.port, said)
    assert first == b"" or first.split(b" ")[1][:1] in (b"4", b"5")
    assert b" 200 " in read_first_line(server.port, GET + b"\r\n")
