"""What coders have changed since gold was drafted of their work: by their logs, where they have submitted it again."""

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
    """Items, by the keys of today, whose answers coders have changed since a draft, by its sequence number."""

    # by_words: coders mark words of their own, so that an item is changed with any that shares words.

    by_draft: Mapping[int, frozenset[Item]] = field(default_factory=dict)
    by_words: bool = False

    def since(self, draft: Draft | None) -> frozenset[Item]:
        """Return what is answered otherwise than when the draft was made."""
        return self.by_draft[draft.sequence] if draft is not None else frozenset()

    def affect(self, item: Item, draft: Draft | None) -> bool:
        """Return whether coders answer an item otherwise than when the draft was made."""
        changed = self.since(draft)
        return item in changed or (self.by_words and any(_share_words(item.markable, one.markable) for one in changed))


def _share_words(first: str, second: str) -> bool:
    places = split_key(first), split_key(second)
    spans = [place.parts if place is not None else () for place in places]
    return any(start < other[1] and other[0] < end for start, end in spans[0] for other in spans[1])


# A coding as it was after an operation of its log, by primary key and sequence.
type Base = tuple[int, int]
type Log = Sequence[tuple[int, str, Mapping[str, Any]]]


def read_changes(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> dict[int, WorkChanges]:
    """Return the changes for each gold coding, by primary key. A query; a second one where something was changed."""
    bases = _find_bases(gold, logs)
    changed = changes_since({base for found in bases.values() for base in found.values()})
    return {
        one.pk: WorkChanges(
            {
                draft.sequence: frozenset[Item]().union(
                    *(changed.get(base, ()) for uuid in draft.codings if (base := bases[one.text_id].get(uuid)))
                )
                for draft in logs[one.pk].drafts
            },
            by_words=one.kind == Coding.Kind.AGREED,
        )
        for one in gold
    }


def _find_bases(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> Mapping[int, Mapping[UUID, Base]]:
    """Return what drafts rest on, by text and uuid, of those codings whose log has gone on and that are submitted."""
    found: dict[int, dict[UUID, Base]] = defaultdict(dict)
    texts = {one.text_id for one in gold if logs[one.pk].drafts}
    uuids = {uuid for log in logs.values() for draft in log.drafts for uuid in draft.codings}
    rows = bases_of_drafts(uuids, texts).filter(coding__status=Coding.Status.SUBMITTED)
    rows = rows.filter(coding__version__gt=F("sequence")).order_by()
    for text, uuid, coding, sequence in rows.values_list("coding__text", "uuid", "coding", "sequence"):
        found[text][uuid] = coding, sequence
    return found


def bases_of_drafts(uuids: Iterable[UUID], texts: Iterable[int]) -> QuerySet[Operation]:
    """Return the operations that drafts of these texts name, each the last of a coding that they rest on."""
    return Operation.objects.filter(uuid__in=uuids, coding__text__in=texts, coding__kind__in=INDEPENDENT_KINDS)


def changes_since(bases: Collection[Base]) -> dict[Base, set[Item]]:
    """Return which items codings answer otherwise than after an operation of their logs. A query where there is any."""
    logs = read_logs_of({coding for coding, _ in bases}) if bases else {}
    now = {coding: replay_until(log, log[-1][0]).decisions for coding, log in logs.items()}
    return {
        (coding, sequence): _changed_items(replay_until(logs[coding], sequence).decisions, now[coding])
        for coding, sequence in bases
        if coding in logs  # else it was deleted meanwhile
    }


def read_logs_of(codings: Collection[int]) -> dict[int, Log]:
    """Return the whole logs of codings, by primary key. One query."""
    logs: dict[int, list[tuple[int, str, Mapping[str, Any]]]] = defaultdict(list)
    operations = Operation.objects.filter(coding__in=codings).order_by("coding", "sequence")
    for coding, sequence, kind, payload in operations.values_list("coding", "sequence", "kind", "payload").iterator():
        logs[coding].append((sequence, kind, payload))
    return {**logs}


def replay_until(log: Log, last: int) -> ReplayedCoding:
    """Return a coding as it was after an operation of its log, by the text and scheme of today."""
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
