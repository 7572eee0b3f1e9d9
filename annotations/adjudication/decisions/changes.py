"""Changes of coders' answers since a draft of gold, read from the logs of resubmitted codings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from annotations.adjudication.decisions.log import Draft, GoldLog, changed_questions
from annotations.adjudication.proposal import Item
from annotations.coding.decisions import Decision
from annotations.coding.log.replay import ReplayedCoding
from annotations.formats.model.keys import split_key
from annotations.models import Coding, Operation
from annotations.models.coding import INDEPENDENT_KINDS


@dataclass(frozen=True, slots=True)
class WorkChanges:
    """The items whose answers coders have changed since a draft, by its sequence number; items have current keys."""

    # by_words: coders mark words themselves, so an item changes with any changed item that shares words.

    by_draft: Mapping[int, frozenset[Item]] = field(default_factory=dict)
    by_words: bool = False

    def since(self, draft: Draft | None) -> frozenset[Item]:
        """Return the items with changed answers since the draft."""
        return self.by_draft[draft.sequence] if draft is not None else frozenset()

    def affect(self, item: Item, draft: Draft | None) -> bool:
        """Return whether coders have changed their answers to an item since the draft."""
        changed = self.since(draft)
        return item in changed or (self.by_words and any(_share_words(item.markable, key.markable) for key in changed))


def _share_words(first: str, second: str) -> bool:
    keys = split_key(first), split_key(second)
    spans = [key.parts if key is not None else () for key in keys]
    return any(start < span[1] and span[0] < end for start, end in spans[0] for span in spans[1])


# The state of a coding after an operation of its log, by primary key and sequence.
type Base = tuple[int, int]
type Log = Sequence[tuple[int, str, Mapping[str, Any]]]


def read_changes(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> dict[int, WorkChanges]:
    """Return the changes for each gold coding, by primary key. One query; a second one if anything was changed."""
    bases = _find_bases(gold, logs)
    changed = changes_since({base for by_uuid in bases.values() for base in by_uuid.values()})
    return {
        coding.pk: WorkChanges(
            {
                draft.sequence: frozenset[Item]().union(
                    *(changed.get(base, ()) for uuid in draft.codings if (base := bases[coding.text_id].get(uuid)))
                )
                for draft in logs[coding.pk].drafts
            },
            by_words=coding.kind == Coding.Kind.AGREED,
        )
        for coding in gold
    }


def _find_bases(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> Mapping[int, Mapping[UUID, Base]]:
    """Return the bases of drafts by text and UUID, of codings that have changed since and are submitted."""
    bases: dict[int, dict[UUID, Base]] = defaultdict(dict)
    texts = {coding.text_id for coding in gold if logs[coding.pk].drafts}
    uuids = {uuid for log in logs.values() for draft in log.drafts for uuid in draft.codings}
    rows = bases_of_drafts(uuids, texts).filter(coding__status=Coding.Status.SUBMITTED)
    rows = rows.filter(coding__version__gt=F("sequence")).order_by()
    for text, uuid, coding, sequence in rows.values_list("coding__text", "uuid", "coding", "sequence"):
        bases[text][uuid] = coding, sequence
    return bases


def bases_of_drafts(uuids: Iterable[UUID], texts: Iterable[int]) -> QuerySet[Operation]:
    """Return the operations that drafts of the texts name: each is the last of a coding that a draft used."""
    return Operation.objects.filter(uuid__in=uuids, coding__text__in=texts, coding__kind__in=INDEPENDENT_KINDS)


def changes_since(bases: Collection[Base]) -> dict[Base, set[Item]]:
    """Return the items whose answers have changed since an operation of each log. One query if there are bases."""
    logs = read_logs_of({coding for coding, _ in bases}) if bases else {}
    now = {coding: replay_until(log, log[-1][0]).decisions for coding, log in logs.items()}
    return {
        (coding, sequence): _changed_items(replay_until(logs[coding], sequence).decisions, now[coding])
        for coding, sequence in bases
        if coding in logs  # the others were deleted meanwhile
    }


def read_logs_of(codings: Collection[int]) -> dict[int, Log]:
    """Return the whole logs of codings, by primary key. One query."""
    logs: dict[int, list[tuple[int, str, Mapping[str, Any]]]] = defaultdict(list)
    operations = Operation.objects.filter(coding__in=codings).order_by("coding", "sequence")
    for coding, sequence, kind, payload in operations.values_list("coding", "sequence", "kind", "payload").iterator():
        logs[coding].append((sequence, kind, payload))
    return {**logs}


def replay_until(log: Log, last: int) -> ReplayedCoding:
    """Return a coding as it was after an operation of its log, with the current text and scheme."""
    replayed = ReplayedCoding()
    for sequence, kind, payload in log:
        if sequence <= last:
            replayed.apply(kind, payload)
        else:
            replayed.follow(kind, payload)
    return replayed


def _changed_items(before: Mapping[str, Decision], after: Mapping[str, Decision]) -> set[Item]:
    return {
        Item(key, question)
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
        for question in changed_questions(before.get(key), after.get(key))
    }
