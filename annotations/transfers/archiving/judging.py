"""Check the judgements of an archive against the rules of its scheme."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from annotations.coding.decisions import MAX_NOTE_LENGTH, Decision, OperationRejected, Rules, check_head
from annotations.formats import Finding
from annotations.formats.project import Table
from annotations.models import Category, Level, Markable

type Tables = Mapping[str, Table]


def check_judgements(tables: Tables) -> Iterator[Finding]:
    """Yield findings on what the scheme no longer allows. Raise FormatError on what no judgement can contain."""
    _check_texts(tables)
    judgements, codings = tables["judgements"], tables["codings"]
    answers = tables["project"]["answers"][0]
    markables = list(_markables(tables))
    categories = list(_categories(tables))
    by_key = {category.key: category for category in categories}
    predefined_by_text: dict[int, dict[str, Markable]] = defaultdict(dict)
    for markable, text, is_predefined in zip(
        markables, tables["markables"]["text"], tables["markables"]["predefined"], strict=True
    ):
        if is_predefined:
            predefined_by_text[text][markable.key] = markable
    rows_by_coding: dict[int, list[int]] = defaultdict(list)
    for row, coding in enumerate(judgements["coding"]):
        rows_by_coding[coding].append(row)
    pointers = _values_by_judgement(tables["pointers"], "target")
    indices = _values_by_judgement(tables["indices"], "entity")
    values = list(zip(*(judgements[name] for name in JUDGEMENT_FIELDS), strict=True))
    for coding, rows in rows_by_coding.items():
        own = [markables[judgements["markable"][row] - 1] for row in rows]
        # The markables that the coder sees: those predefined in the text and those marked by this coder.
        visible = {**predefined_by_text[codings["text"][coding - 1]], **{markable.key: markable for markable in own}}
        rules = Rules(answers, by_key, visible)
        for row, markable in zip(rows, own, strict=True):
            category, note, name, head, unsure, optional = values[row]
            decision = Decision(
                markable.key,
                categories[category - 1].key if category is not None else None,
                tuple(markables[target - 1].key for target in pointers.get(row + 1, ())),
                tuple(indices.get(row + 1, ())),
                note,
                name,
                tuple((start, end) for start, end in head),
                unsure,
                optional,
            )
            try:
                _check_always(decision, rules)
            except OperationRejected as rejection:
                raise judgements.error(row, str(rejection)) from None
            try:
                rules.check(decision)
            except OperationRejected as rejection:
                yield Finding(rejection.code, str(rejection), judgements.shape.file, row + 1)


JUDGEMENT_FIELDS = ("category", "note", "name", "head", "unsure", "optional")


def _check_always(decision: Decision, rules: Rules) -> None:
    """Raise OperationRejected on what no scheme has ever allowed."""
    check_head(decision, rules.markable(decision.markable))
    if len(decision.note) > MAX_NOTE_LENGTH:
        raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
    for key in decision.pointers:
        rules.markable(key)
        if key == decision.markable:
            raise OperationRejected("points_at_itself", f"{key!r} cannot be its own antecedent.")


def _check_texts(tables: Tables) -> None:
    """Raise FormatError if a judgement or its antecedent is of another text than its coding."""
    judgements, pointers = tables["judgements"], tables["pointers"]
    text_of, text_coded = tables["markables"]["text"], tables["codings"]["text"]
    texts = []
    for row, (coding, markable) in enumerate(zip(judgements["coding"], judgements["markable"], strict=True)):
        texts.append(text_coded[coding - 1])
        if text_of[markable - 1] != texts[-1]:
            raise judgements.error(row, "markable is of another text than the coding")
    for row, (judgement, target) in enumerate(zip(pointers["judgement"], pointers["target"], strict=True)):
        if text_of[target - 1] != texts[judgement - 1]:
            raise pointers.error(row, "target is of another text than the judgement")


def _values_by_judgement(table: Table, field: str) -> dict[int, list[Any]]:
    """Return the values of a field of the table, by judgement."""
    values: dict[int, list[Any]] = defaultdict(list)
    for judgement, value in zip(table["judgement"], table[field], strict=True):
        values[judgement].append(value)
    return values


def _levels(tables: Tables) -> list[Level]:
    levels = tables["levels"]
    return [
        Level(pk=number, key=key, coded=coded)
        for number, (key, coded) in enumerate(zip(levels["key"], levels["coded"], strict=True), start=1)
    ]


def _markables(tables: Tables) -> Iterator[Markable]:
    markables, levels = tables["markables"], _levels(tables)
    for level, key, parts, start, end in zip(
        *(markables[name] for name in ("level", "key", "parts", "start", "end")), strict=True
    ):
        yield Markable(level=levels[level - 1], key=key, parts=parts, start=start, end=end)


def _categories(tables: Tables) -> Iterator[Category]:
    categories, levels = tables["categories"], _levels(tables)
    names = ("key", "points_to", "max_pointers", "allow_later", "takes_index", "takes_optional")
    for key, points_to, max_pointers, allow_later, takes_index, takes_optional in zip(
        *(categories[name] for name in names), strict=True
    ):
        yield Category(
            key=key,
            points_to=levels[points_to - 1] if points_to is not None else None,
            max_pointers=max_pointers,
            allow_later=allow_later,
            takes_index=takes_index,
            takes_optional=takes_optional,
        )
