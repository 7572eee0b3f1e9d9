"""What coders have changed since gold was drafted of their work: by their logs, where they have submitted it again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from annotations.adjudication.decisions.log import Draft, GoldLog, answer_to
from annotations.adjudication.proposal import Item
from annotations.coding.decisions import Decision
from annotations.coding.log.replay import ReplayedCoding
from annotations.formats.model.keys import split_key
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation
from annotations.models.coding import INDEPENDENT_KINDS


@dataclass(frozen=True, slots=True)
class WorkChanges:
    """The items, by the keys of today, that coders answer otherwise than when a draft was made, by its sequence.

    by_words: coders mark words of their own, as in pyramids, so that an item is changed with any that shares words.
    """

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


@dataclass(frozen=True, slots=True)
class _Base:
    """An operation that a draft names: the coding is what it was after so many operations of its log."""

    coding: int
    sequence: int


def read_changes(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> dict[int, WorkChanges]:
    """Return the changes for each gold coding, by primary key. A query; a second one where something was changed."""
    bases = _find_bases(gold, logs)
    changed = _changed_items({base for found in bases.values() for base in found.values()})
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


def _find_bases(gold: Sequence[Coding], logs: Mapping[int, GoldLog]) -> Mapping[int, Mapping[UUID, _Base]]:
    """Return what drafts rest on, by text and uuid, of those codings whose log has gone on and that are submitted."""
    found: dict[int, dict[UUID, _Base]] = defaultdict(dict)
    texts = {one.text_id for one in gold if logs[one.pk].drafts}
    uuids = {uuid for log in logs.values() for draft in log.drafts for uuid in draft.codings}
    operations = Operation.objects.filter(uuid__in=uuids, coding__text__in=texts, coding__kind__in=INDEPENDENT_KINDS)
    rows = operations.filter(coding__status=Coding.Status.SUBMITTED).order_by()
    for text, uuid, coding, sequence, version in rows.values_list(
        "coding__text", "uuid", "coding", "sequence", "coding__version"
    ):
        if version > sequence:
            found[text][uuid] = _Base(coding, sequence)
    return found


def _changed_items(bases: Iterable[_Base]) -> dict[_Base, set[Item]]:
    sequences: dict[int, set[int]] = defaultdict(set)
    for base in bases:
        sequences[base.coding].add(base.sequence)
    logs: dict[int, list[tuple[int, str, Mapping[str, object]]]] = defaultdict(list)
    if sequences:
        operations = Operation.objects.filter(coding__in=list(sequences)).order_by("coding", "sequence")
        for coding, *entry in operations.values_list("coding", "sequence", "kind", "payload"):
            sequence, kind, payload = entry
            logs[coding].append((sequence, kind, payload))
    changed: dict[_Base, set[Item]] = {}
    for coding, log in logs.items():
        now, then = ReplayedCoding(), dict[int, ReplayedCoding]()
        for sequence, kind, payload in log:
            now.apply(kind, payload)
            for earlier in then.values():
                earlier.follow(kind, payload)
            if sequence in sequences[coding]:
                then[sequence] = ReplayedCoding(dict(now.decisions))
        for sequence, before in then.items():
            changed[_Base(coding, sequence)] = set(differences(before.decisions, now.decisions))
    return changed


def differences(before: Mapping[str, Decision], after: Mapping[str, Decision]) -> Iterator[Item]:
    """Yield the questions on markables whose answers differ."""
    for key in before.keys() | after.keys():
        one, other = before.get(key), after.get(key)
        if one != other:
            asked = {
                question
                for decision in (one, other)
                if decision is not None
                for question, _ in (*decision.attributes, *decision.relations)
            }
            for question in (CATEGORY, *asked):
                if answer_to(one, question) != answer_to(other, question):
                    yield Item(key, question)
