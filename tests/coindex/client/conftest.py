"""Fixtures of the client's tests: connections with keys, and a record of used operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission

from annotations.models import User
from annotations.projects.people.tokens import create_token
from coindex.client import Client, Patience
from tests.shared.api import schema_of_api
from tests.shared.projects import person

# As short as a wait can be that is not none.
IMPATIENT = Patience(total=5, first=0.001, longest=0.01)


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    return schema_of_api()


class Record:
    """The requests that clients have sent, by the operation of the schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.operations: dict[str, dict[str, Any]] = {}
        self._routes: list[tuple[str, re.Pattern[str], str]] = []
        for path, methods in schema["paths"].items():
            pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
            for method, operation in methods.items():
                self.operations[operation["operationId"]] = operation
                self._routes.append((method.upper(), pattern, operation["operationId"]))
        self.requests: list[tuple[str, httpx.Request]] = []

    def add(self, request: httpx.Request) -> None:
        """Record a request. Fail if the schema has no operation for it."""
        [name] = [
            name
            for method, pattern, name in self._routes
            if method == request.method and pattern.fullmatch(request.url.path)
        ]
        self.requests.append((name, request))

    @property
    def used(self) -> set[str]:
        return {name for name, _ in self.requests}


@pytest.fixture
def record(schema) -> Record:
    return Record(schema)


@pytest.fixture
def connect(transactional_db, live_server, record) -> Iterator[Callable[..., Client]]:
    """Return a function that makes a client with an account and a key."""
    clients = []

    def connect(name: str, scope: str = "manage") -> Client:
        user = User.objects.filter(username=name).first() or person(name)
        if name == "charlie":
            user.user_permissions.add(Permission.objects.get(codename="add_project"))
        client = Client(live_server.url, create_token(user, "test", scope, 1)[1], patience=IMPATIENT)
        client.http.event_hooks["request"].append(record.add)
        clients.append(client)
        return client

    yield connect
    for client in clients:
        client.close()
