"""What asks the server: connections that are kept, and clients that work at the same time. It costs little itself."""

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

PATIENCE = 30  # seconds, for one answer
# What a coder asks for, and how often of a hundred times.
KINDS = {"read": 70, "save": 25, "list": 5}


class Refusal(Exception):
    """The server answered something else than was asked for."""


class Connection:
    """One connection to a server of this machine, kept open; every request has the same headers."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket: socket.socket | None = None

    def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and body of the answer. Raises OSError where there is none."""
        opened = self._opened()
        about = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        asked = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{self.head}{about}\r\n"
        opened.sendall(asked.encode() + body)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, content = got.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        said = dict(line.split(": ", 1) for line in lines[1:])
        length = int(said["content-length"])
        parts, have = [content], len(content)
        while have < length:
            parts.append(self._more())
            have += len(parts[-1])
        if said.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), b"".join(parts)

    def _opened(self) -> socket.socket:
        """The connection, a new one where the server has closed it meanwhile, as servers do with idle ones."""
        if self.socket is not None and select.select([self.socket], [], [], 0)[0]:
            self.close()
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.socket

    def _more(self) -> bytes:
        assert self.socket is not None
        more = self.socket.recv(1 << 18)
        if not more:
            self.close()
            raise ConnectionError("The server closed the connection.")
        return more

    def close(self) -> None:
        """The next request opens it again."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def judging(version: int, judgements: Sequence[dict[str, object]]) -> bytes:
    """The body of a request that saves them, with identifiers that are new each time."""
    operations = [{"uuid": str(uuid4()), "kind": "judge", "payload": judgement} for judgement in judgements]
    return json.dumps({"version": version, "operations": operations}).encode()


@dataclass
class Coder:
    """Somebody at work on a coding of their own: what they ask for, and what became of it."""

    connection: Connection
    coding: str
    operations: str
    texts: str
    judgements: Sequence[dict[str, object]]
    version: int
    waited: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    errors: list[str] = field(default_factory=list)

    def read(self) -> None:
        self._ask("GET", self.coding)

    def list(self) -> None:
        self._ask("GET", self.texts)

    def save_one(self, draw: random.Random) -> None:
        self._save([draw.choice(self.judgements)])

    def save_all(self) -> None:
        self._save(self.judgements)

    def _save(self, judgements: Sequence[dict[str, object]]) -> None:
        self.version = json.loads(self._ask("POST", self.operations, judging(self.version, judgements)))["version"]

    def _ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        status, answer = self.connection.ask(method, path, body)
        if status != 200:
            raise Refusal(f"{method} {path}: {status} {answer[:300].decode(errors='replace')}")
        return answer

    def work(self, draw: random.Random, until: float) -> None:
        """Read, save one judgement or list the texts, as chance has it."""
        doing = {"read": self.read, "save": lambda: self.save_one(draw), "list": self.list}
        while time.perf_counter() < until:
            [kind] = draw.choices(list(KINDS), list(KINDS.values()))
            begin = time.perf_counter()
            try:
                doing[kind]()
            except (OSError, Refusal) as error:
                self.errors.append(str(error))
                self.connection.close()
            else:
                self.waited[kind].append(time.perf_counter() - begin)


def together(coders: Sequence[Coder], seconds: float) -> float:
    """All of them at work at once; how many answers there were in a second."""
    begin = time.perf_counter()
    threads = [
        Thread(target=coder.work, args=(random.Random(number), begin + seconds)) for number, coder in enumerate(coders)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = sum(len(waited) for coder in coders for waited in coder.waited.values())
    return answers / (time.perf_counter() - begin)
