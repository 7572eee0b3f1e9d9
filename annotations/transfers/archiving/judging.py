"""The judgements of an archive, held against the rules by which judgements are made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from annotations.decisions import LONGEST_NOTE, Decision, Refused, Rules, check_head
from annotations.formats import Finding
from annotations.formats.project import Table
from annotations.models import Category, Level, Markable

type Tables = Mapping[str, Table]


def check_judgements(tables: Tables) -> Iterator[Finding]:
    """What the scheme does not allow, or not any more. Raises FormatError on what no judgement can say."""
    _check_texts(tables)
    judgements, codings = tables["judgements"], tables["codings"]
    answers = tables["project"]["answers"][0]
    markables = list(_markables(tables))
    categories = list(_categories(tables))
    by_key = {category.key: category for category in categories}
    given: dict[int, dict[str, Markable]] = defaultdict(dict)
    for markable, text, predefined in zip(
        markables, tables["markables"]["text"], tables["markables"]["predefined"], strict=True
    ):
        if predefined:
            given[text][markable.key] = markable
    of_coding: dict[int, list[int]] = defaultdict(list)
    for row, coding in enumerate(judgements["coding"]):
        of_coding[coding].append(row)
    pointers = _named(tables["pointers"], "target")
    indices = _named(tables["indices"], "entity")
    said = list(zip(*(judgements[name] for name in SAID), strict=True))
    for coding, rows in of_coding.items():
        own = [markables[judgements["markable"][row] - 1] for row in rows]
        # What a coder sees: the markables given with the text and those that this coder has marked.
        seen = {**given[codings["text"][coding - 1]], **{markable.key: markable for markable in own}}
        rules = Rules(answers, by_key, seen)
        for row, markable in zip(rows, own, strict=True):
            category, note, name, head, unsure, optional = said[row]
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
            except Refused as refused:
                raise judgements.error(row, str(refused)) from None
            try:
                rules.check(decision)
            except Refused as refused:
                yield Finding(refused.code, str(refused), judgements.shape.file, row + 1)


SAID = ("category", "note", "name", "head", "unsure", "optional")


def _check_always(decision: Decision, rules: Rules) -> None:
    """Raise Refused on what was never allowed, whatever the scheme was."""
    check_head(decision, rules.markable(decision.markable))
    if len(decision.note) > LONGEST_NOTE:
        raise Refused("note_too_long", f"A note has at most {LONGEST_NOTE} characters.")
    for key in decision.pointers:
        rules.markable(key)
        if key == decision.markable:
            raise Refused("points_at_itself", f"{key!r} cannot be its own antecedent.")


def _check_texts(tables: Tables) -> None:
    """Raise FormatError where a judgement or its antecedent is of another text than its coding."""
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


def _named(table: Table, field: str) -> dict[int, list[Any]]:
    """What the rows of a table name for each judgement."""
    found: dict[int, list[Any]] = defaultdict(list)
    for judgement, value in zip(table["judgement"], table[field], strict=True):
        found[judgement].append(value)
    return found


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
