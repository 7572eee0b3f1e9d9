"""Eight coders of fifty texts in the database, with keys and a session: for the benchmark of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotations.models import Coding, Project, User

TEXTS, CODERS, MARKABLES = 50, 8, 100
WORDS_PER_MARKABLE = 20
# What the texts are for: each figure has codings of its own, and so has the plain application.
MIXED, MIXED_PLAIN, ONE, ONE_PLAIN, LONG, LONG_PLAIN, HUNDRED, HUNDRED_PLAIN = range(8)


def document(number: int) -> str:
    """A text of the plain format: paragraphs of words, a phrase in brackets every twenty."""
    filler = " ".join(["word"] * (WORDS_PER_MARKABLE - 2))
    lines = [f"#title: Text {number}"]
    for first in range(0, MARKABLES, 4):
        lines += ["", " ".join(f"[the phrase] {filler}" for _ in range(first, min(first + 4, MARKABLES)))]
    return "\n".join(lines)


def fill(logged: int) -> dict[str, Any]:
    """The project, its coders with what lets them in, and their judgements of the texts that are asked for."""
    import django

    django.setup()
    from django.db import connection
    from django.test import Client

    from annotations import actions
    from annotations.formats import plain
    from annotations.importing import Coded, import_documents
    from annotations.models import Membership, User
    from annotations.schemes import SCHEMES
    from annotations.tokens import make_token

    project = actions.create_project("bench", "Bench", SCHEMES["poesio-artstein-2005"])
    coders = User.objects.bulk_create([User(username=f"coder{number}") for number in range(CODERS)])
    for coder in coders:
        actions.add_member(project, coder, Membership.Role.CODER)
    documents = [plain.parse(document(number), f"text-{number:02}.txt") for number in range(TEXTS)]
    import_documents(project, [Coded(one, None) for one in documents])
    actions.assign(project, project.texts.all(), coders)
    keys = list(project.texts.get(slug="text-00").markables.values_list("key", flat=True))
    judgements: list[dict[str, object]] = [{"markable": keys[0], "category": "none", "pointers": []}]
    judgements += [
        {"markable": key, "category": "phrase", "pointers": [antecedent]} for antecedent, key in pairwise(keys)
    ]
    codings = {number: judged(project, number, coders, judgements) for number in (MIXED, MIXED_PLAIN)}
    codings |= {number: judged(project, number, coders[:1], judgements) for number in range(ONE, HUNDRED_PLAIN + 1)}
    for number in (LONG, LONG_PLAIN):
        lengthen_log(codings[number][0], logged, judgements)
    client = Client()
    client.force_login(coders[0])
    with connection.cursor() as cursor:  # as PostgreSQL does by itself soon after so many new rows
        cursor.execute("analyze")
    connection.close()
    return {
        "judgements": judgements,
        "keys": [make_token(coder, "bench", "annotate", 1)[1] for coder in coders],
        "session": client.cookies["sessionid"].value,
        "codings": {number: [(one.pk, one.version) for one in of] for number, of in codings.items()},
    }


def judged(
    project: Project, text: int, coders: Sequence[User], judgements: Sequence[Mapping[str, Any]]
) -> list[Coding]:
    """The codings of one text by these coders, all judgements of which are given by operations."""
    from uuid import uuid4

    from annotations import operations
    from annotations.models import Coding

    codings = list(Coding.objects.filter(text__project=project, text__slug=f"text-{text:02}", coder__in=coders))
    for coding in codings:
        changes = [operations.Change(uuid4(), "judge", payload) for payload in judgements]
        coding.version = operations.apply(coding, coding.coder, 0, changes)
    return codings


def lengthen_log(coding: Coding, length: int, judgements: Sequence[Mapping[str, Any]]) -> None:
    """Make the log so long, by operations that change nothing any more."""
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
