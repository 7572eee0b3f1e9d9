"""Clients of the API: people who order transfers, and windows of coders."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.faults.proxy import UNVERIFIED

API = "/api/v1"
# Between two attempts, as a client does not ask all the time.
RETRY_SECONDS = 0.05


class NoAnswer(Exception):
    """The request may have been carried out, or not: nothing was acknowledged."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a key of the API."""

    name: str
    address: str
    key: str

    def call(self, method: str, path: str, sent: object = None, files: Sequence[SimpleUploadedFile] = ()) -> Answer:
        """Ask the API. Raise NoAnswer if the connection breaks off."""
        headers = {"Authorization": f"Bearer {self.key}"}
        body: bytes | None = None
        if files:
            assert isinstance(sent, dict)
            body = encode_multipart(BOUNDARY, sent | {"files": list(files)})
            headers["Content-Type"] = MULTIPART_CONTENT
        elif sent is not None:
            body = json.dumps(sent).encode()
            headers["Content-Type"] = "application/json"
        where = urlsplit(self.address)
        connection = HTTPConnection(where.netloc, timeout=60)
        if where.scheme == "https":
            connection = HTTPSConnection(where.netloc, timeout=60, context=UNVERIFIED)
        try:
            connection.request(method, f"{API}{path}", body, headers)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, HTTPException) as error:
            raise NoAnswer(repr(error)) from error
        finally:
            connection.close()
        return Answer(answer.status, json.loads(data) if "json" in answer.headers.get("Content-Type", "") else data)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, sent: object = None, files: Sequence[SimpleUploadedFile] = ()) -> Answer:
        return self.call("POST", path, sent, files)


@dataclass
class Window:
    """A coder's window on a text with a record of all answers of the server.

    It works as static/js/workbench/saving/sync.js does.
    """

    person: Person
    project: str
    markables: Sequence[str]
    draw: random.Random
    text: str = "tea"
    categories: Sequence[str] = ("place", "none")
    more: dict[str, object] = field(default_factory=dict)
    version: int = 0
    made: list[str] = field(default_factory=list)
    unsent: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)  # as far as this window was told
    stale: int = 0
    disconnected: bool = False

    @property
    def path(self) -> str:
        return f"/projects/{self.project}/texts/{self.text}/coding/operations/"

    def judge(self, number: int = 1) -> None:
        """Answer so many markables, and do not send the answers yet."""
        for _ in range(number):
            category = self.draw.choice(self.categories)
            payload = {"markable": self.draw.choice(self.markables), "category": category, "pointers": [], **self.more}
            operation = {"uuid": str(uuid4()), "kind": "judge", "payload": payload}
            self.made.append(operation["uuid"])
            self.unsent.append(operation)

    def send(self) -> None:
        """Send all unsent answers. Raise NoAnswer if they are neither acknowledged nor refused."""
        batch = list(self.unsent)
        answer = self.person.post(self.path, {"version": self.version, "operations": batch})
        if answer.status == 200:
            uuids = [operation["uuid"] for operation in batch]
            if answer.body["version"] == self.version + len(batch):
                self._learn(uuids, answer.body["version"])
            else:  # the server had some of it already, and maybe others' after that
                self.read(answer.body["version"])
            self.acknowledged += uuids
            self.unsent = self.unsent[len(batch) :]
        elif answer.status == 409:
            assert answer.body["code"] == "stale", answer.body
            self.stale += 1
            self._learn([operation["uuid"] for operation in answer.body["missed"]], answer.body["version"])
        elif answer.status >= 500 or answer.status == 429:
            raise NoAnswer(f"{answer.status} {answer.body}")
        else:
            raise AssertionError(answer)

    def send_all(self) -> None:
        """Send until all is acknowledged, whatever happens meanwhile; give up after many attempts."""
        for _ in range(1000):
            try:
                while self.unsent:
                    self.send()
                return
            except NoAnswer:
                Event().wait(RETRY_SECONDS)
        raise AssertionError("the server does not come back")

    def read(self, until: int | None = None) -> None:
        """Read the part of the log that this window does not know yet."""
        while until is None or self.version < until:
            answer = self.person.get(f"{self.path}?since={self.version}")
            if answer.status != 200:
                raise NoAnswer(f"{answer.status} {answer.body}")
            found = [row for row in answer.body["results"] if until is None or row["sequence"] <= until]
            if not found:
                return
            assert [row["sequence"] for row in found] == list(range(self.version + 1, self.version + 1 + len(found)))
            self._learn([row["uuid"] for row in found], found[-1]["sequence"])

    def _learn(self, uuids: Iterable[str], version: int) -> None:
        self.log += uuids
        self.version = version
        assert len(self.log) == version

    def work(self, stop: Event, *, patient: bool) -> None:
        """Answer and send, one to three answers at a time, until `stop` is set or, if not patient, no answer comes."""
        while not stop.is_set():
            if not self.unsent:
                self.judge(self.draw.randint(1, 3))
            try:
                self.send()
            except NoAnswer:
                self.disconnected = True
                if not patient:
                    return
                stop.wait(RETRY_SECONDS)


@contextmanager
def at_work(windows: Sequence[Window], *, patient: bool = False) -> Iterator[None]:
    """Let the windows work all at once until the block ends. Then raise what went wrong in one of them."""
    stop = Event()
    with ThreadPoolExecutor(len(windows)) as pool:
        working = [pool.submit(window.work, stop, patient=patient) for window in windows]
        try:
            yield
        finally:
            stop.set()
    for future in working:
        future.result()
