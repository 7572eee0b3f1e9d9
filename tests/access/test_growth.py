"""Pages and API answers do not grow with the project: four times the data, the same size.

All addresses are those of the table of routes, so that a new one is measured as soon as it has its row. Pages are made
short for it, so that small projects fill them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from agreement.data.reading import forget_answers
from tests.access.large_world import crowd, enlarge, shorten_pages
from tests.access.role_asking import World
from tests.access.role_matrix import AREAS, Row

# Of so many of everything pages show a part, each list and each choice MAX_ROWS of them at most.
MANY = 51
MAX_ROWS = 50
MAX_BYTES = 500_000
CHOICES = (
    "agreement.web.forms.TOO_MANY",
    "annotations.core.http.fields.MAX_CHOICES",
    "annotations.planning.forms.MAX_CHOICES",
)
# Pages of results have their own bounds of rows.
RESULTS = frozenset(row.name for row in AREAS["agreement"])
N = 12
FACTOR = 4
SHORT = 4
# Of as many rows again as a page has, the last figures of addresses and numbers are longer.
MAX_TIMES = 1.1
# Figures of small projects are computed at once, and those of larger ones by a worker, which takes other queries: but
# never one for each that is added.
# What has to be whole, and why.
COLUMN = "a file that is taken along, with a column for each coder"
NAMES = "the coders whom the figures are of, by name and with their own"
WHOLE: Mapping[str, str] = {
    "decisions-file": "a file that is taken along: all decisions",
    "api-data": COLUMN,
    "api-table": COLUMN,
    "api-tables": "what columns the files have",
    "api-datasheet": "one document: what a paper says of the corpus",
    "api-plans": "a plan is sent back as it is: all coders, with their share of the work",
    "api-agreement": NAMES,
    "api-agreement-gold": NAMES,
    "api-groups": NAMES,
}


class Measure(NamedTuple):
    """The size of an answer in bytes and its number of queries."""

    size: int
    queries: int


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_pages(monkeypatch, SHORT)


def readers(row: Row) -> Iterator[str]:
    """Yield one role that sees the whole project at an address, and one coder."""
    if "GET" in row.methods:
        answers = row.methods["GET"].answers
        yield from [role for role in ("manager", "adjudicator", "superuser", "anonymous") if answers[role] == 200][:1]
        yield from [role for role in ("coder", "other coder") if answers[role] == 200][:1]


def measure(n: int) -> dict[tuple[str, int, str], Measure]:
    """Return the measure of every address by route, the number of its row and role, in projects of n of everything."""
    world = World()
    enlarge(world.here, n, n, n)
    found = {}
    for number, row in enumerate(row for rows in AREAS.values() for row in rows):
        for role in readers(row):
            world.sign_in(role)
            with CaptureQueriesContext(connection) as queries:
                response: Any = world.client.get(world.address(row))
            assert response.status_code == 200, (row.name, role)
            body = b"".join(response.streaming_content) if response.streaming else response.content
            found[row.name, number, role] = Measure(len(body), len(queries))
    return found


@pytest.mark.usefixtures("short_pages", "mail_server")
def test_answer_size_does_not_grow_with_project(db):
    with transaction.atomic():
        small = measure(N)
        transaction.set_rollback(True)
    forget_answers()
    large = measure(FACTOR * N)
    assert small.keys() == large.keys()
    grown = {
        f"{name} as {role}": (before, after)
        for (name, number, role), before in small.items()
        for after in [large[name, number, role]]
        if after.queries - before.queries >= (FACTOR - 1) * N
        or (name not in WHOLE and after.size > MAX_TIMES * before.size)
    }
    assert not grown, "\n".join(f"{name}: {before} -> {after}" for name, (before, after) in grown.items())


class Lists(HTMLParser):
    """The number of entries of each list, table and choice of a page."""

    ENTRIES: Mapping[str, str] = {"tbody": "tr", "ul": "li", "ol": "li", "select": "option", "datalist": "option"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, int]] = []
        self.counts = Counter[tuple[str, int]]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if self.open and tag == self.ENTRIES[self.open[-1][0]]:
            self.counts[self.open[-1]] += 1
        if tag in self.ENTRIES:
            self.open.append((tag, self.getpos()[0] * 1_000_000 + self.getpos()[1]))

    def handle_endtag(self, tag: str) -> None:
        if tag in self.ENTRIES:
            self.open.pop()

    def longest(self, *tags: str) -> int:
        """Return the most entries that one of these has."""
        return max((number for (tag, _), number in self.counts.items() if tag in tags), default=0)


@pytest.mark.usefixtures("mail_server")
def test_pages_list_at_most_fifty_rows(db, monkeypatch):
    for bound in CHOICES:
        monkeypatch.setattr(bound, MAX_ROWS - 1)
    world = World()
    enlarge(world.here, MANY, MANY, MANY)
    crowd(world.here, MANY)
    long = {}
    for row in (*AREAS["pages"], *AREAS["agreement"]):
        for role in readers(row):
            world.sign_in(role)
            response: Any = world.client.get(world.address(row))
            assert response.status_code == 200, (row.name, role)
            if response.streaming or not response["Content-Type"].startswith("text/html"):
                continue
            lists = Lists(response.content.decode())
            rows, choices = lists.longest("tbody", "ul", "ol"), lists.longest("select", "datalist")
            too_many = rows > MAX_ROWS and row.name not in RESULTS
            if too_many or choices > MAX_ROWS or len(response.content) > MAX_BYTES:
                long[f"{row.name} as {role} of {row.at['slug']}"] = (len(response.content), rows, choices)
    assert not long, "\n".join(f"{name}: bytes, rows, choices {found}" for name, found in long.items())
