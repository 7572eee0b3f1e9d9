"""Data for the benchmark of the server: eight coders of fifty texts in the database, with API keys and a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.data.documents import marked_text
from benchmarks.environment.processes import analyze

if TYPE_CHECKING:
    from annotations.models import Coding

TEXTS, CODERS, MARKABLES = 50, 8, 100
# The texts by purpose: each figure has codings of its own, and so has the plain application.
MIXED, MIXED_PLAIN, ONE, ONE_PLAIN, LONG, LONG_PLAIN, HUNDRED, HUNDRED_PLAIN = range(8)


def fill(logged: int) -> dict[str, Any]:
    """Create a project, coders with keys and a session, and their judgements of the texts that are measured."""
    from django.test import Client

    from annotations.models import Coding, User
    from annotations.projects.people.tokens import create_token
    from benchmarks.data.projects import make_project

    coders = User.objects.bulk_create([User(username=f"coder{number}") for number in range(CODERS)])
    project = make_project("bench", {f"text-{n:02}": marked_text(MARKABLES) for n in range(TEXTS)}, coders)
    keys = list(project.texts.get(slug="text-00").markables.values_list("key", flat=True))
    judgements: list[dict[str, object]] = [{"markable": keys[0], "category": "none", "pointers": []}]
    judgements += [{"markable": key, "category": "phrase", "pointers": [before]} for before, key in pairwise(keys)]
    codings = {}
    for number in range(HUNDRED_PLAIN + 1):
        of_text = Coding.objects.of_people().filter(text__slug=f"text-{number:02}").order_by("pk")
        codings[number] = list(of_text if number in (MIXED, MIXED_PLAIN) else of_text.filter(coder=coders[0]))
        judge(codings[number], judgements)
    for number in (LONG, LONG_PLAIN):
        lengthen_log(codings[number][0], logged, judgements)
    client = Client()
    client.force_login(coders[0])
    found = {
        "judgements": judgements,
        "keys": [create_token(coder, "bench", "annotate", 1)[1] for coder in coders],
        "session": client.cookies["sessionid"].value,
        "codings": {number: [(coding.pk, coding.version) for coding in rows] for number, rows in codings.items()},
    }
    analyze()
    return found


def judge(codings: Sequence[Coding], judgements: Sequence[Mapping[str, Any]]) -> None:
    """Judge all markables of codings by operations."""
    from annotations.coding import operations

    for coding in codings:
        changes = [operations.Change(uuid4(), "judge", payload) for payload in judgements]
        coding.version = operations.apply(coding, coding.coder, 0, changes)


def lengthen_log(coding: Coding, length: int, judgements: Sequence[Mapping[str, Any]]) -> None:
    """Extend the log to a length, by operations that no longer change anything."""
    from annotations.models import Operation

    Operation.objects.bulk_create(
        [
            Operation(
                coding=coding,
                sequence=sequence,
                uuid=uuid4(),
                kind="judge",
                payload=judgements[sequence % len(judgements)],
                user=coding.coder,
            )
            for sequence in range(coding.version + 1, length + 1)
        ],
        batch_size=1000,
    )
    coding.version = max(coding.version, length)
    coding.save(update_fields=["version"])
