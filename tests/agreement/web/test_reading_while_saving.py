"""Results are consistent while eight coders save."""

from collections.abc import Callable
from itertools import cycle
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from django.db import connections

from annotations.coding import operations
from annotations.models import Coding
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import change
from tests.shared.projects import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db, pytest.mark.slow]

CODERS = [f"coder-{number}" for number in range(8)]
ADDRESSES = (
    "/projects/tea/agreement/",
    "/projects/tea/agreement/items/",
    "/projects/tea/agreement/coders/",
    "/projects/tea/agreement/data/",
    "/projects/tea/agreement/coreference/",
    "/projects/tea/",
    "/api/v1/projects/tea/agreement/",
    "/api/v1/projects/tea/agreement/items/",
)
ROUNDS = 3


@pytest.fixture
def busy_project(project, text):
    for name in CODERS:
        add_member(project, person(name), "coder")
    assign_texts(project, [text], [person(name) for name in CODERS])
    return project


def save_until(over: Event, started: Barrier, coding: Coding, keys: dict[str, str], failures: list[str]) -> None:
    """Save the same category for the first two markables, with a new category in each save."""
    try:
        for number, category in enumerate(cycle(("place", "none", "segment"))):
            batch = [change(markable=keys[label], category=category, pointers=[]) for label in "ab"]
            coding.refresh_from_db(fields=["version"])
            operations.apply(coding, coding.coder, coding.version, batch)
            if number == 0:
                started.wait(60)
            if over.is_set():
                return
    except Exception as error:
        failures.append(repr(error))
        started.abort()
    finally:
        connections.close_all()


def read_all(get: Callable[[str], Any], keys: dict[str, str]) -> tuple[set[int], list[object], set[str]]:
    """Return the statuses of all pages, the inconsistent states of the data, and all states."""
    statuses: set[int] = set()
    mixed: list[object] = []
    seen: set[str] = set()
    for _ in range(ROUNDS):
        for address in ADDRESSES:
            statuses.add(get(address).status_code)
            rows = {row["unit"]: row["values"] for row in get("/api/v1/projects/tea/agreement/data/").json()}
            if rows[keys["a"]] != rows[keys["b"]]:
                mixed.append(rows)
            seen.add(str(rows[keys["a"]]))
    return statuses, mixed, seen


def test_pages_read_consistent_state_while_coders_save(busy_project, signed_in, charlie, keys):
    over, started, failures = Event(), Barrier(len(CODERS) + 1), []
    codings = Coding.objects.of_people().filter(coder__username__in=CODERS).select_related("coder")
    threads = [Thread(target=save_until, args=(over, started, coding, keys, failures)) for coding in codings]
    client = signed_in(charlie)
    for thread in threads:
        thread.start()
    try:
        started.wait(60)
        statuses, mixed, seen = read_all(lambda address: client.get(address, {"include": "open"}), keys)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not failures
    assert statuses == {200}
    assert not mixed
    assert len(seen) > 5
