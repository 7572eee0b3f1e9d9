"""Traffic for the server: persistent connections and concurrent clients that use little processor time."""

import json
import random
import select
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Thread
from uuid import uuid4

from benchmarks.environment.serving import Server

TIMEOUT_SECONDS = 30
# The kinds of a coder's requests, with their shares in percent.
KINDS = {"read": 70, "save": 25, "list": 5}


class UnexpectedAnswer(Exception):
    """An answer of the server other than the expected one."""


@dataclass
class Coder:
    """A coder working on a coding, with the addresses, the response times and the errors of the requests."""

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
        self.connection = HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT_SECONDS)

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

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        # Servers close idle connections; the request reopens them.
        if self.connection.sock is not None and select.select([self.connection.sock], [], [], 0)[0]:
            self.connection.close()
        content_type = {"Content-Type": "application/json"} if body else {}
        self.connection.request(method, path, body, self.headers | content_type)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise UnexpectedAnswer(f"{method} {path}: {response.status} {answer[:300].decode(errors='replace')}")
        return answer

    def work(self, draw: random.Random, until: float) -> None:
        """Read, save one judgement or list the texts, at random, until that time."""
        actions = {"read": self.read, "save": lambda: self.save_one(draw), "list": self.list}
        while time.perf_counter() < until:
            [kind] = draw.choices(list(KINDS), list(KINDS.values()))
            start = time.perf_counter()
            try:
                actions[kind]()
            except (OSError, HTTPException, UnexpectedAnswer) as error:
                self.errors.append(str(error))
                self.connection.close()
            else:
                self.durations[kind].append(time.perf_counter() - start)


def run_together(coders: Sequence[Coder], seconds: float) -> float:
    """Run all coders at once, and return the number of responses per second."""
    start = time.perf_counter()
    threads = [Thread(target=coder.work, args=(random.Random(i), start + seconds)) for i, coder in enumerate(coders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    n_answers = sum(len(durations) for coder in coders for durations in coder.durations.values())
    return n_answers / (time.perf_counter() - start)
