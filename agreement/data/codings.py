"""The codings of a project as they are now: the documents that are coded, who has coded them, and in which state."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agreement.data.documents import Document, document_key
from agreement.data.gold import GOLD, why_gold_is_left_out
from agreement.data.stamps import ProjectRows
from annotations.models import Coding, Membership, Round
from annotations.models.coding import INDEPENDENT_KINDS

# A text, a round and an occasion.
type DocumentKey = tuple[int, int, int]


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

    versions: a digest of all that the answers in each document depend on
    managers: the members who manage and code
    gold: the text and round of all gold that has begun, by a draft or a decision
    gold_left_out: how much gold does not count, by reason, where gold was read
    """

    documents: tuple[Document, ...]
    rows: tuple[tuple[CodingRow, ...], ...]
    keys: tuple[DocumentKey, ...]
    versions: tuple[bytes, ...]
    managers: tuple[str, ...]
    gold: tuple[tuple[str, str], ...]
    gold_left_out: Mapping[str, int]

    @property
    def versioned_keys(self) -> list[tuple[DocumentKey, bytes]]:
        return list(zip(self.keys, self.versions, strict=True))


def list_codings(of_project: ProjectRows, scheme: str, *, gold: bool = False, models: bool = False) -> Codings:
    """Return the codings that coders make independently of each other, and why some of them do not count.

    scheme: what in the scheme the reading of answers depends on. models: also the codings of models, which count as
    those of people do. gold: only documents that have gold that counts, which is behind the codings of coders.
    """
    texts, rounds, members, codings = (
        json.loads(f"[{rows or ''}]")
        for rows in (of_project.texts, of_project.rounds, of_project.members, of_project.codings)
    )
    titles = {pk: (slug, title) for pk, slug, title in texts}
    round_of = {pk: _Round(position, pk, name, kind) for pk, position, name, kind in rounds}
    names = {role: {name for _, name, of_role, *_ in members if of_role == role} for role in Membership.Role.values}
    coded = defaultdict[DocumentKey, list[CodingRow]](list)
    marking, golden = defaultdict[int, list[tuple[int, int]]](list), list[_Gold]()
    for text, round_, occasion, pk, coder, status, version, corrections, kind, by_model in codings:
        is_read, submitted = kind in INDEPENDENT_KINDS and (models or not by_model), status == Coding.Status.SUBMITTED
        if is_read:
            reason = "adjudicators" if coder in names["adjudicator"] else round_of[round_].reason(occasion)
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
    rows_of_gold = {one.key: one.row for one in golden if not one.reason}
    n_documents, numbers = Counter(text for text, *_ in keys), Counter[int]()
    documents, versions = dict[DocumentKey, Document](), list[bytes]()
    of_scheme = hashlib.blake2b(scheme.encode(), digest_size=16)
    for key in keys:
        text, round_id, occasion = key
        of_document, pk = round_of[round_id], document_key(text, numbers[text])
        numbers[text] += 1
        if not gold or key in rows_of_gold:
            coded[key].sort()
            coded[key] += [rows_of_gold[key]] if gold else []
            reason, place = of_document.reason(occasion), coded_rounds.index(of_document)
            several = n_documents[text] > 1
            documents[key] = Document(pk, *titles[text], of_document.name, place, occasion, reason, several)
            own = [(row.pk, row.version, row.submitted) for row in coded[key]]
            version = of_scheme.copy()
            version.update(repr((sorted(marking[text]), own)).encode())
            versions.append(version.digest())
    return Codings(
        tuple(documents.values()),
        tuple(tuple(coded[key]) for key in documents),
        tuple(documents),
        tuple(versions),
        tuple(sorted(names["manager-coder"])),
        tuple((one.title[0], one.round.name) for one in sorted(golden) if one.is_begun),
        Counter(one.reason or "uncoded" for one in golden if gold and (one.reason or one.key not in coded)),
    )


class _Round(NamedTuple):
    position: int
    pk: int
    name: str
    kind: str

    def reason(self, occasion: int) -> str:
        """Return why codings of a document in the round do not count, all of them; empty where they do."""
        if self.kind == Round.Kind.TRAINING:
            return "practice"
        return "repeats" if self.kind == Round.Kind.RECHECK or occasion > 1 else ""


class _Gold(NamedTuple):
    """Gold of a text in a round: the key of its document, its row, why it does not count, and whether it has begun."""

    title: tuple[str, str]
    round: _Round
    key: DocumentKey
    row: CodingRow
    reason: str
    is_begun: bool
