"""Checked documents -> rows, in a fixed number of statements however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched

from annotations import operations
from annotations.bulk import MOST_KEYS, insert, reserve
from annotations.formats import Document, Mark
from annotations.importing.checking import Checked, NewMarkable
from annotations.importing.report import Report
from annotations.models import Coding, Markable, Project, Segment, Text, User


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A text, there already or new (then with the segments of `document`), and what comes into it."""

    text: Text
    document: Document
    checked: list[Checked]

    def markables(self) -> dict[str, Markable | NewMarkable]:
        """All markables of the files by key."""
        return {key: markable for checked in self.checked for key, markable in checked.markables.items()}

    def given(self) -> dict[str, Mark]:
        """Those that are given to all, as the first file has them that gives them."""
        return {key: mark for checked in reversed(self.checked) for key, mark in checked.given.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import writes. known: codings there already, by text and coder; same: those that stay as they are."""

    texts: list[PlannedText]
    coders: dict[str, User]
    known: dict[tuple[int, int], Coding]
    same: set[int]

    def report(self) -> Report:
        report = Report()
        for planned in self.texts:
            report.documents += len(planned.checked)
            report.texts += planned.text.pk is None
            report.markables += sum(markable.pk is None for markable in planned.markables().values())
            for checked, _, coding in self.codings(planned):
                if coding is None or coding.pk not in self.same:
                    report.codings += 1
                    report.judgements += sum(decision.category is not None for decision in checked.decisions)
        return report

    def codings(self, planned: PlannedText) -> Iterator[tuple[Checked, User, Coding | None]]:
        """What comes into the text by whom, with the coding that is there."""
        for checked in planned.checked:
            if checked.coded.coder is not None:
                coder = self.coders[checked.coded.coder]
                yield checked, coder, self.known.get((planned.text.pk, coder.pk)) if planned.text.pk else None


def write(project: Project, plan: Plan, by: User | None) -> None:
    """Write all that is planned. Call it inside a transaction."""
    new = [planned for planned in plan.texts if planned.text.pk is None]
    codings = {id(planned): list(plan.codings(planned)) for planned in plan.texts}
    Text.objects.bulk_create([planned.text for planned in new])
    insert(
        Segment,
        ["text", "kind", "start", "end", "label", "speaker"],
        (
            (planned.text.pk, stretch.kind, stretch.start, stretch.end, stretch.label, stretch.speaker)
            for planned in new
            for stretch in planned.document.segments
        ),
    )
    markables = {id(planned): planned.markables() for planned in plan.texts}
    _write_markables(plan, markables)
    keys = {
        number: {key: markable.pk for key, markable in of.items() if markable.pk is not None}
        for number, of in markables.items()
    }
    categories = dict(project.categories.values_list("key", "pk"))
    filled = [
        operations.Filled(
            coding or Coding(text=planned.text, coder=coder),
            by or coder,
            checked.decisions,
            keys[id(planned)],
            categories,
        )
        for planned in plan.texts
        for checked, coder, coding in codings[id(planned)]
        if coding is None or coding.pk not in plan.same
    ]
    operations.import_codings(filled)


def _write_markables(plan: Plan, markables: dict[int, dict[str, Markable | NewMarkable]]) -> None:
    """Save the new ones, and give to all what a file gives to all; label and head are those of that file."""
    new: list[tuple[Text, NewMarkable]] = []
    given_now: list[int] = []
    for planned in plan.texts:
        given = planned.given()
        for key, markable in markables[id(planned)].items():
            if isinstance(markable, NewMarkable):
                if key in given:
                    markable.predefined, markable.label, markable.head = True, given[key].label, given[key].head
                new.append((planned.text, markable))
            elif key in given and not markable.predefined:
                given_now.append(markable.pk)
    for pk, (_, markable) in zip(reserve(Markable, len(new)), new, strict=True):
        markable.pk = pk
    insert(
        Markable,
        ["id", "text", "level", "key", "label", "parts", "head", "start", "end", "predefined"],
        (
            (one.pk, text.pk, one.level_id, one.key, one.label, one.parts, one.head, one.start, one.end, one.predefined)
            for text, one in new
        ),
    )
    for some in batched(given_now, MOST_KEYS):
        Markable.objects.filter(pk__in=some).update(predefined=True)
