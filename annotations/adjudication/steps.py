"""The steps of the log of gold that decide something, or undo that: with them the page knows what undoing leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from annotations.adjudication.decisions.log import KINDS, Entry, RenameKey, answer_to, read_entries, renaming
from annotations.coding.decisions import DecideItems, Decision
from annotations.coding.log.replay import ReplayedCoding
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation


@dataclass(slots=True)
class Step:
    """Operations that are undone together, and what they decide: items that are named, or all on a markable.

    replaces: the items on markables whose answers were changed: what was decided of these before holds no longer.
    """

    step: UUID
    undoes: UUID | None
    decides: list[DecideItems] = field(default_factory=list)
    markables: list[str] = field(default_factory=list)
    replaces: list[tuple[str, str]] = field(default_factory=list)

    def rename(self, name: RenameKey) -> None:
        """Let the markables have other keys; what has none any more is gone."""
        self.markables = [key for old in self.markables if (key := name(old)) is not None]
        self.replaces = [(key, question) for old, question in self.replaces if (key := name(old)) is not None]
        for place, one in enumerate(self.decides):
            items = tuple((key, question) for old, question in one.items if (key := name(old)) is not None)
            self.decides[place] = DecideItems(items, one.source, one.codings, one.reason, one.section, one.note)


def deciding_steps(gold: Coding) -> list[Step]:
    """Return the steps of the log of gold, by the keys of today. One query."""
    return _fold(entry for _, entry in read_entries([gold.pk], whole=True))


def _fold(log: Iterable[Entry]) -> list[Step]:
    steps: dict[UUID, Step] = {}
    answers = ReplayedCoding()
    for entry in log:
        before = answers.decisions.get(entry.markable or "")
        answers.apply(entry.kind, entry.payload)
        if entry.kind == Operation.Kind.DRAFT or entry.kind not in KINDS:
            continue
        if (rename := renaming(entry.kind, entry.payload)) is not None:
            for step in steps.values():
                step.rename(rename)
        if entry.kind == Operation.Kind.CORRECT:
            continue
        step = steps.setdefault(entry.step, Step(entry.step, entry.undoes))
        if entry.kind == Operation.Kind.DECIDE:
            step.decides.append(entry.decide())
        elif entry.answers and entry.markable is not None:
            key = entry.payload.get("to", entry.markable)
            step.markables.append(key)
            step.replaces += [(key, question) for question in _changed(before, answers.decisions.get(key))]
    for step in steps.values():
        if step.decides:
            step.markables, step.replaces = [], []  # these carry the answers of what is named
    return [step for step in steps.values() if step.decides or step.markables or step.undoes is not None]


def _changed(before: Decision | None, after: Decision | None) -> list[str]:
    """Return the questions to which a decision has another answer than the one before it."""
    both = [one for one in (before, after) if one is not None]
    asked = {CATEGORY} | {question for one in both for question, _ in (*one.attributes, *one.relations)}
    return sorted(question for question in asked if answer_to(before, question) != answer_to(after, question))
