"""Data for the benchmark of the server: eight coders of fifty texts in the database, with API keys and a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotations.models import Coding, Project, User

TEXTS, CODERS, MARKABLES = 50, 8, 100
WORDS_PER_MARKABLE = 20
# The texts by purpose: each figure has codings of its own, and so has the plain application.
MIXED, MIXED_PLAIN, ONE, ONE_PLAIN, LONG, LONG_PLAIN, HUNDRED, HUNDRED_PLAIN = range(8)


def document(number: int) -> str:
    """Return a text in plain format: paragraphs of words, with a phrase in brackets every twenty."""
    filler = " ".join(["word"] * (WORDS_PER_MARKABLE - 2))
    lines = [f"#title: Text {number}"]
    for first in range(0, MARKABLES, 4):
        lines += ["", " ".join(f"[the phrase] {filler}" for _ in range(first, min(first + 4, MARKABLES)))]
    return "\n".join(lines)


def fill(logged: int) -> dict[str, Any]:
    """Create a project, coders with keys and a session, and their judgements of the texts that are measured."""
    import django

    django.setup()
    from django.db import connection
    from django.test import Client

    from annotations.formats import plain
    from annotations.models import Membership, User
    from annotations.planning.work.assignments import assign_texts
    from annotations.projects.creation import create_project
    from annotations.projects.people.members import add_member
    from annotations.projects.people.tokens import create_token
    from annotations.schemes.ready_made import SCHEMES
    from annotations.transfers.importing.documents import import_documents
    from annotations.transfers.importing.files.source_document import SourceDocument

    project = create_project("bench", "Bench", SCHEMES["poesio-artstein-2005"])
    coders = User.objects.bulk_create([User(username=f"coder{number}") for number in range(CODERS)])
    for coder in coders:
        add_member(project, coder, Membership.Role.CODER)
    documents = [plain.parse(document(number), f"text-{number:02}.txt") for number in range(TEXTS)]
    import_documents(project, [SourceDocument(parsed, None) for parsed in documents])
    assign_texts(project, project.texts.all(), coders)
    keys = list(project.texts.get(slug="text-00").markables.values_list("key", flat=True))
    judgements: list[dict[str, object]] = [{"markable": keys[0], "category": "none", "pointers": []}]
    judgements += [
        {"markable": key, "category": "phrase", "pointers": [antecedent]} for antecedent, key in pairwise(keys)
    ]
    codings = {number: create_judged_codings(project, number, coders, judgements) for number in (MIXED, MIXED_PLAIN)}
    codings |= {
        number: create_judged_codings(project, number, coders[:1], judgements)
        for number in range(ONE, HUNDRED_PLAIN + 1)
    }
    for number in (LONG, LONG_PLAIN):
        lengthen_log(codings[number][0], logged, judgements)
    client = Client()
    client.force_login(coders[0])
    with connection.cursor() as cursor:  # PostgreSQL does so itself soon after so many new rows
        cursor.execute("analyze")
    connection.close()
    return {
        "judgements": judgements,
        "keys": [create_token(coder, "bench", "annotate", 1)[1] for coder in coders],
        "session": client.cookies["sessionid"].value,
        "codings": {
            number: [(coding.pk, coding.version) for coding in text_codings] for number, text_codings in codings.items()
        },
    }


def create_judged_codings(
    project: Project, text: int, coders: Sequence[User], judgements: Sequence[Mapping[str, Any]]
) -> list[Coding]:
    """Return the codings of one text by these coders, after judging all its markables by operations."""
    from uuid import uuid4

    from annotations.coding import operations
    from annotations.models import Coding

    codings = list(Coding.objects.filter(text__project=project, text__slug=f"text-{text:02}", coder__in=coders))
    for coding in codings:
        changes = [operations.Change(uuid4(), "judge", payload) for payload in judgements]
        coding.version = operations.apply(coding, coding.coder, 0, changes)
    return codings


def lengthen_log(coding: Coding, length: int, judgements: Sequence[Mapping[str, Any]]) -> None:
    """Extend the log to a length, by operations that no longer change anything."""
    from uuid import uuid4

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
