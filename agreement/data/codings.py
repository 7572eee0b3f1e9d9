"""The codings of a project as they are now: the documents that are coded, who has coded them, and in which state."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from agreement.data.documents import Document, document_key, row_key
from agreement.data.gold import GOLD, why_gold_is_left_out
from annotations.models import Coding, Membership, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS


class CodingRow(NamedTuple):
    """A coding of a document. `reason` is one of REASONS_LEFT_OUT, or empty where it counts."""

    pk: int
    coder: str
    submitted: bool
    reason: str
    version: int


@dataclass(frozen=True, slots=True)
class Codings:
    """The documents in the order of the addresses of texts, and the codings of each, ordered by coder.

    `rounds` has the primary keys of rounds by name. `managers` are the members who manage and code. `marking` has the
    codings whose marks are members of a text, in whatever round, with their versions. `gold_left_out` has how much gold
    does not count, by reason, where gold was read.
    """

    documents: tuple[Document, ...]
    rows: tuple[tuple[CodingRow, ...], ...]
    rounds: Mapping[str, int] = field(default_factory=dict)
    managers: tuple[str, ...] = ()
    marking: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    gold_left_out: Mapping[str, int] = field(default_factory=dict)

    def versions(self, scheme: str) -> list[bytes]:
        """Return the version of each document: a digest of all that its answers depend on."""
        versions = []
        for document, rows in zip(self.documents, self.rows, strict=True):
            own = [(row.pk, row.version, row.submitted) for row in rows]
            about = repr((scheme, sorted(self.marking[document.text_pk]), own)).encode()
            versions.append(hashlib.blake2b(about, digest_size=16).digest())
        return versions


def read_codings(project: Project, *, models: bool = False) -> Codings:
    """Return the codings that coders make independently of each other, and why some of them do not count.

    models: also the codings of models, which count as those of people do. Three queries, and one more for models.
    """
    members = project.memberships.filter(role__in=[Membership.Role.ADJUDICATOR, Membership.Role.MANAGER_CODER])
    roles = dict(members.values_list("user__username", "role"))
    adjudicators = {name for name, role in roles.items() if role == Membership.Role.ADJUDICATOR}
    codings = (Coding.with_models if models else Coding.objects).filter(
        text__project=project, kind__in=INDEPENDENT_KINDS
    )
    columns = ("pk", "text_id", "round_id", "occasion", "coder__username", "status", "version")
    of_round = ("round__position", "round_id", "round__name", "round__kind")
    found = list(codings.order_by().values_list(*columns, *of_round))
    rounds = {row[2]: row[7:] for row in found}
    texts = {
        pk: rest for pk, *rest in Text.objects.filter(project=project).order_by().values_list("pk", "slug", "title")
    }
    by_document = defaultdict[tuple[int, int, int], list[tuple[Any, ...]]](list)
    for row in found:
        by_document[row[1:4]].append(row)
    # ordered here: databases differ in how they order names
    keys = sorted(by_document, key=lambda key: (texts[key[0]][0], rounds[key[1]], key[2]))
    coded = sorted({rounds[round_] for _, round_, _ in keys})
    places, n_documents = {one[1]: place for place, one in enumerate(coded)}, Counter(text for text, *_ in keys)
    numbers, documents, rows = Counter[int](), list[Document](), list[tuple[CodingRow, ...]]()
    for key in keys:
        text, round_, occasion = key
        (slug, title), (*_, name, kind) = texts[text], rounds[round_]
        reason = _reason_of(kind, occasion)
        pk, several = document_key(text, numbers[text]), n_documents[text] > 1
        documents.append(Document(pk, slug, title, name, places[round_], occasion, reason, several))
        numbers[text] += 1
        of_document = []
        for coding, _, _, _, coder, status, version, *_ in by_document[key]:
            submitted = status == Coding.Status.SUBMITTED
            why = ("adjudicators" if coder in adjudicators else reason) or ("" if submitted else "open")
            of_document.append(CodingRow(coding, coder, submitted, why, version))
        rows.append(tuple(sorted(of_document, key=attrgetter("coder"))))
    return Codings(
        tuple(documents),
        tuple(rows),
        {name: pk for pk, (_, _, name, _) in rounds.items()},
        tuple(sorted(roles.keys() - adjudicators)),
        _group_by_text(
            Coding.with_gold.filter(text__project=project).order_by().values_list("text_id", "pk", "version")
            if models
            else ((row[1], row[0], row[6]) for row in found)
        ),
    )


def _group_by_text(rows: Iterable[tuple[int, int, int]]) -> dict[int, list[tuple[int, int]]]:
    """Return the codings of each text, with their versions."""
    by_text = defaultdict[int, list[tuple[int, int]]](list)
    for text, coding, version in rows:
        by_text[text].append((coding, version))
    return by_text


def _reason_of(kind: str, occasion: int) -> str:
    """Return why codings of a document do not count, all of them; empty where they do."""
    if kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if kind == Round.Kind.RECHECK or occasion > 1 else ""


def list_gold(project: Project) -> tuple[tuple[str, str], ...]:
    """Return the text and round of all gold that has begun, by a draft or a decision. One query."""
    gold = Coding.with_gold.begun().filter(text__project=project, kind=Coding.Kind.GOLD)
    return tuple(gold.order_by("text__slug", "round__position", "pk").values_list("text__slug", "round__name"))


def read_gold(project: Project, codings: Codings) -> Codings:
    """Return those documents that have gold that counts, with it behind the codings of coders. One query."""
    places = {(row_key(one.pk), one.round): place for place, one in enumerate(codings.documents) if one.occasion == 1}
    columns = ("pk", "text_id", "round__name", "round__kind", "status", "version", "kind")
    found = list(Coding.with_gold.filter(text__project=project).order_by("pk").values_list(*columns))
    rows, left_out = dict[int, CodingRow](), Counter[str]()
    for pk, text, round_, kind, status, version, of_kind in found:
        if of_kind != Coding.Kind.GOLD:
            continue
        place = places.get((text, round_))
        reason = why_gold_is_left_out(status, kind) or ("" if place is not None else "uncoded")
        if reason or place is None:
            left_out[reason] += 1
        else:
            rows[place] = CodingRow(pk, GOLD, submitted=True, reason="", version=version)
    chosen: Sequence[int] = sorted(rows)
    return Codings(
        tuple(codings.documents[place] for place in chosen),
        tuple((*codings.rows[place], rows[place]) for place in chosen),
        codings.rounds,
        codings.managers,
        _group_by_text((text, pk, version) for pk, text, *_, version, _ in found),
        left_out,
    )
