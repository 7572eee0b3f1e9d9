"""Traffic for the server: persistent connections and concurrent clients, which cost little themselves."""

from __future__ import annotations

import json
import random
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Thread
from uuid import uuid4

from benchmarks.environment.serving import Server

PATIENCE = 30  # seconds until an answer
# The kinds of requests of a coder, with their shares in percent.
KINDS = {"read": 70, "save": 25, "list": 5}


class UnexpectedAnswer(Exception):
    """An answer of the server other than the expected one."""


class Connection:
    """A persistent connection to a server of this machine; every request has the same headers."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket: socket.socket | None = None

    def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; return status and body of the answer. Raise OSError if there is none."""
        connection = self._open_connection()
        content_headers = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        request = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{self.head}{content_headers}\r\n"
        connection.sendall(request.encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._receive()
        head, _, content = received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:])
        length = int(headers["content-length"])
        parts, length_received = [content], len(content)
        while length_received < length:
            parts.append(self._receive())
            length_received += len(parts[-1])
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), b"".join(parts)

    def _open_connection(self) -> socket.socket:
        """Return the connection; open a new one if the server has closed it, as servers close idle connections."""
        if self.socket is not None and select.select([self.socket], [], [], 0)[0]:
            self.close()
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.socket

    def _receive(self) -> bytes:
        assert self.socket is not None
        chunk = self.socket.recv(1 << 18)
        if not chunk:
            self.close()
            raise ConnectionError("The server closed the connection.")
        return chunk

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None


@dataclass
class Coder:
    """A coder working on a coding: the addresses of requests, the time of each answer, and the errors."""

    server: Server
    headers: dict[str, str]
    coding: str
    operations: str
    texts: str
    judgements: Sequence[dict[str, object]]
    version: int
    durations: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection = Connection(self.server.port, self.headers)

    def read(self) -> None:
        self._ask("GET", self.coding)

    def list(self) -> None:
        self._ask("GET", self.texts)

    def save_one(self, draw: random.Random) -> None:
        self._save([draw.choice(self.judgements)])

    def save_all(self) -> None:
        self._save(self.judgements)

    def _save(self, judgements: Sequence[dict[str, object]]) -> None:
        operations = [{"uuid": str(uuid4()), "kind": "judge", "payload": judgement} for judgement in judgements]
        body = json.dumps({"version": self.version, "operations": operations}).encode()
        self.version = json.loads(self._ask("POST", self.operations, body))["version"]

    def _ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        status, answer = self.connection.ask(method, path, body)
        if status != 200:
            raise UnexpectedAnswer(f"{method} {path}: {status} {answer[:300].decode(errors='replace')}")
        return answer

    def work(self, draw: random.Random, until: float) -> None:
        """Read, save one judgement or list the texts, at random, until that time."""
        actions = {"read": self.read, "save": lambda: self.save_one(draw), "list": self.list}
        while time.perf_counter() < until:
            [kind] = draw.choices(list(KINDS), list(KINDS.values()))
            start = time.perf_counter()
            try:
                actions[kind]()
            except (OSError, UnexpectedAnswer) as error:
                self.errors.append(str(error))
                self.connection.close()
            else:
                self.durations[kind].append(time.perf_counter() - start)


def run_together(coders: Sequence[Coder], seconds: float) -> float:
    """Run all coders at once, and return the number of answers per second."""
    start = time.perf_counter()
    threads = [
        Thread(target=coder.work, args=(random.Random(number), start + seconds)) for number, coder in enumerate(coders)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    n_answers = sum(len(durations) for coder in coders for durations in coder.durations.values())
    return n_answers / (time.perf_counter() - start)
