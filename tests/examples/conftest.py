"""What tests of the examples share: a project on a live server, and the key of a coder in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coindex.client import Client
from tests.coindex.client.conftest import connect, record, schema  # noqa: F401 - fixtures

SOUP = "[The soup](a) is hot. [The old spoon](b) is in [it](c). [The spoon](d) burns.\n"


@pytest.fixture
def coder(connect, live_server, monkeypatch) -> Callable[[str], Client]:  # noqa: F811
    """Return what makes a project with a scheme that Alice codes by her key, and returns her client."""

    def make(scheme):
        manager, alice = connect("charlie"), connect("alice", "annotate")
        manager.create_project("kitchen", "Kitchen", scheme)
        manager.import_texts("kitchen", {"soup": SOUP}, format="plain")
        manager.add_member("kitchen", "alice", "coder")
        manager.assign("kitchen", ["soup"], ["alice"])
        monkeypatch.setenv("COINDEX_URL", live_server.url)
        monkeypatch.setenv("COINDEX_KEY", alice.http.headers["Authorization"].removeprefix("Bearer "))
        return alice

    return make
