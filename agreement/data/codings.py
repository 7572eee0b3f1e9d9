"""The codings of a project as they are now: the documents that are coded, who has coded them, and in which state."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agreement.data.documents import Document, document_key
from agreement.data.gold import GOLD, why_gold_is_left_out
from agreement.data.stamps import ProjectRows
from annotations.models import Coding, Membership, Round
from annotations.models.coding import INDEPENDENT_KINDS


class CodingRow(NamedTuple):
    """A coding of a document. `reason` is one of REASONS_LEFT_OUT, or empty where it counts."""

    coder: str
    pk: int
    submitted: bool
    reason: str
    version: int


@dataclass(frozen=True, slots=True)
class Codings:
    """The documents in the order of the addresses of texts, and the codings of each, ordered by coder.

    keys: the text, the round and the occasion of each document
    managers: the members who manage and code
    marking: by text the codings whose marks are its members, in whatever round, with their versions
    gold: the text and round of all gold that has begun, by a draft or a decision
    gold_left_out: how much gold does not count, by reason, where gold was read
    """

    documents: tuple[Document, ...]
    rows: tuple[tuple[CodingRow, ...], ...]
    keys: tuple[tuple[int, int, int], ...]
    managers: tuple[str, ...]
    marking: Mapping[int, Sequence[tuple[int, int]]]
    gold: tuple[tuple[str, str], ...]
    gold_left_out: Mapping[str, int] = field(default_factory=dict)

    def versions(self, scheme: str) -> list[bytes]:
        """Return the version of each document: a digest of all that its answers depend on."""
        versions, of_scheme = [], hashlib.blake2b(scheme.encode(), digest_size=16)
        for (text, *_), rows in zip(self.keys, self.rows, strict=True):
            version = of_scheme.copy()
            own = [(row.pk, row.version, row.submitted) for row in rows]
            version.update(repr((sorted(self.marking[text]), own)).encode())
            versions.append(version.digest())
        return versions


def list_codings(of_project: ProjectRows, *, gold: bool = False, models: bool = False) -> Codings:
    """Return the codings that coders make independently of each other, and why some of them do not count.

    models: also the codings of models, which count as those of people do. gold: only documents that have gold that
    counts, which is behind the codings of coders.
    """
    texts, rounds, members, codings = (
        json.loads(f"[{rows or ''}]")
        for rows in (of_project.texts, of_project.rounds, of_project.members, of_project.codings)
    )
    titles = {pk: (slug, title) for pk, slug, title in texts}
    round_of = {pk: _Round(position, pk, name, kind) for pk, position, name, kind in rounds}
    names = {role: {name for _, name, of_role, *_ in members if of_role == role} for role in Membership.Role.values}
    coded = defaultdict[tuple[int, int, int], list[CodingRow]](list)
    marking, golden = defaultdict[int, list[tuple[int, int]]](list), list[_Gold]()
    for text, round_, occasion, pk, coder, status, version, corrections, kind, by_model in codings:
        is_read, submitted = kind in INDEPENDENT_KINDS and (models or not by_model), status == Coding.Status.SUBMITTED
        if is_read:
            reason = "adjudicators" if coder in names["adjudicator"] else _reason_of(round_of[round_].kind, occasion)
            row = CodingRow(coder, pk, submitted, reason or ("" if submitted else "open"), version)
            coded[text, round_, occasion].append(row)
        if is_read or gold or models:
            marking[text].append((pk, version))
        if kind == Coding.Kind.GOLD:
            row = CodingRow(GOLD, pk, submitted=True, reason="", version=version)
            why = why_gold_is_left_out(status, round_of[round_].kind)
            golden.append(_Gold(titles[text], round_of[round_], (text, round_, 1), row, why, version > corrections))
    # ordered here: databases differ in how they order names
    keys = sorted(coded, key=lambda key: (titles[key[0]], round_of[key[1]], key[2]))
    coded_rounds = sorted({round_of[round_] for _, round_, _ in coded})
    n_documents, numbers, documents = Counter(text for text, *_ in keys), Counter[int](), list[Document]()
    for text, round_id, occasion in keys:
        of_document, pk = round_of[round_id], document_key(text, numbers[text])
        numbers[text] += 1
        reason, place = _reason_of(of_document.kind, occasion), coded_rounds.index(of_document)
        several = n_documents[text] > 1
        documents.append(Document(pk, *titles[text], of_document.name, place, occasion, reason, several))
    rows, managers = tuple(tuple(sorted(coded[key])) for key in keys), tuple(sorted(names["manager-coder"]))
    begun = tuple((one.title[0], one.round.name) for one in sorted(golden) if one.is_begun)
    found = Codings(tuple(documents), rows, tuple(keys), managers, marking, begun)
    return _with_gold(found, golden) if gold else found


class _Round(NamedTuple):
    position: int
    pk: int
    name: str
    kind: str


class _Gold(NamedTuple):
    """Gold of a text in a round: the key of its document, its row, why it does not count, and whether it has begun."""

    title: tuple[str, str]
    round: _Round
    key: tuple[int, int, int]
    row: CodingRow
    reason: str
    is_begun: bool


def _with_gold(codings: Codings, golden: Sequence[_Gold]) -> Codings:
    """Return the documents that have gold that counts, with it."""
    known, rows = set(codings.keys), {one.key: one.row for one in golden if not one.reason}
    chosen = [place for place, key in enumerate(codings.keys) if key in rows]
    left_out = [one.reason or "uncoded" for one in golden if one.reason or one.key not in known]
    return replace(
        codings,
        documents=tuple(codings.documents[place] for place in chosen),
        rows=tuple((*codings.rows[place], rows[codings.keys[place]]) for place in chosen),
        keys=tuple(codings.keys[place] for place in chosen),
        gold_left_out=Counter(left_out),
    )


def _reason_of(kind: str, occasion: int) -> str:
    """Return why codings of a document do not count, all of them; empty where they do."""
    if kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if kind == Round.Kind.RECHECK or occasion > 1 else ""
