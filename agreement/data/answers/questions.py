"""The questions of a scheme besides its category: what coders answered to one, as answers that can be compared.

The answers to an attribute or relation take the place of the categories, so that whatever is computed of categories is
computed of them. They are made from the judgements that are read anyway, and from the rows of that question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from django.db.models import QuerySet

from agreement.data.answers.answers import NO_LABEL, NOT_ASKED, NOT_SET, SET, CoderAnswers, TextAnswers
from agreement.data.answers.entities import find_entities, share_answers
from agreement.data.answers.links import plural_readings, tidy_readings
from agreement.data.answers.question import Question, name_value
from agreement.data.answers.reading import (
    NEXT_READING,
    TARGET_AND_READING,
    LinkedRows,
    MemberIndex,
    look_up,
    read_pairs,
    select_texts,
)
from agreement.data.codings.table import CodingRow
from agreement.data.extract.extract import Extract
from agreement.measures.data.arrays import sorted_unique
from agreement.measures.values import Bools, Ints
from annotations.formats.model.scheme import CATEGORY, AnswerKind, AttributeSpec, Condition, Subject
from annotations.models import AttributeAnswer, Pointer, Project
from annotations.schemes.constraints import categories_on
from annotations.schemes.project_scheme import ProjectScheme


def list_questions(scheme: ProjectScheme) -> tuple[Question, ...]:
    """Return the attributes, and the relations that make no chains, in the order of the scheme."""
    spec = scheme.spec
    second = {one.primary_of: one.key for one in spec.attributes if one.primary_of}
    return (
        *(Question(one.key, one.label, _kind_of(one), second.get(one.key, "")) for one in spec.attributes),
        *(
            Question(one.key, one.label, "targets", to_levels=one.to_levels, later=one.later)
            for one in spec.relations
            if not one.identity
        ),
    )


def _kind_of(attribute: AttributeSpec) -> str:
    """Return how values are made. A markable of several chains has the values of all of them, so they are sets."""
    if attribute.kind == AnswerKind.NUMBER:
        return "numbers"
    several = attribute.kind == AnswerKind.SEVERAL or attribute.of == Subject.ENTITY
    return "labels" if several else "categories"


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """What answers to a question are read from. `unasked`: whether not to be asked is a value ("label") or none.

    `coded` has the answers of coders as they are without the question, with chains.
    """

    project: Project
    scheme: ProjectScheme
    question: Question
    unasked: str
    coded: Extract

    @property
    def attribute(self) -> AttributeSpec | None:
        """The attribute that the question is; None for a relation."""
        return next((one for one in self.scheme.spec.attributes if one.key == self.question.key), None)

    @property
    def levels(self) -> Sequence[str]:
        """The levels on whose markables it is asked."""
        constraints = self.scheme.constraints
        if self.question.kind == "targets":
            return constraints["relations"][self.question.key]["from_levels"]
        attribute = constraints["attributes"][self.question.key]
        of_relation = constraints["relations"].get(attribute["relation"] or "")
        asked = of_relation["from_levels"] if of_relation else attribute["levels"]
        return [level for level in attribute["levels"] if level in asked]

    @property
    def conditions(self) -> list[Condition]:
        """What has to hold for it to be asked."""
        attribute = self.attribute
        if attribute is None:
            relation = next(one for one in self.scheme.spec.relations if one.key == self.question.key)
            return [relation.asked_if] if relation.asked_if else []
        of_relation = [Condition(relation=attribute.relation)] if attribute.relation else []
        return [*of_relation, *([attribute.asked_if] if attribute.asked_if else [])]

    @property
    def values(self) -> dict[str, str]:
        """The values that the scheme lists, and what stands in their place, with what each is called."""
        if self.question.kind == "targets":
            values = {NOT_SET: NOT_SET, SET: SET}
        else:
            attribute = self.attribute
            values = {one.key: one.label for one in attribute.values} if attribute else {}
            if self.question.kind == "labels":
                values[NO_LABEL] = NO_LABEL
        return values | ({NOT_ASKED: NOT_ASKED} if self.unasked == "label" else {})

    @property
    def version(self) -> tuple[object, ...]:
        """What in the scheme the reading depends on."""
        keys = (*self.values, self.question.kind, self.question.second, *self.levels)
        attribute = self.attribute
        required = attribute.required if attribute else False
        return (keys, tuple(self.conditions), required, self.scheme.spec.attributes, self.scheme.spec.relations)


@dataclass(frozen=True)
class _Judgements:
    """The judgements of some texts at which the question can be asked, in the order of the codings and of the text.

    `part` is the coding of each by its place among `codings`, `unit` the place of its unit in the text, and `category`
    the number of its category in the scheme, -1 for none.
    """

    texts: Sequence[TextAnswers]
    codings: Sequence[tuple[TextAnswers, CoderAnswers]]
    pks: Mapping[int, int]
    index: MemberIndex
    part: Ints
    unit: Ints
    category: Ints

    @cached_property
    def key(self) -> Ints:
        """One number for each judgement, ascending."""
        return self.part * self.index.width + self.unit

    @cached_property
    def submitted(self) -> Bools:
        """Whether the coding of each judgement is finished."""
        return np.array([one.submitted for _, one in self.codings], dtype=np.bool_)[self.part]

    def find(self, rows: LinkedRows) -> tuple[Ints, Ints]:
        """Return the judgements that rows are of, with their second column; rows of other judgements are left out."""
        key = rows.coding * self.index.width + self.index.of_markables(rows.first)
        place = np.searchsorted(self.key, key)
        known = place < len(self.key)
        known[known] = self.key[place[known]] == key[known]
        return place[known], rows.second[known]


def read_question(
    source: QuestionSource, rows: Sequence[CodingRow], texts: Sequence[TextAnswers]
) -> dict[int, TextAnswers]:
    """Return the answers to the question in some texts; `rows` are their codings. At most four queries."""
    judgements = _collect_judgements(source, rows, texts)
    asked = np.ones(len(judgements.unit), dtype=np.bool_)
    for condition in source.conditions:
        asked &= _holds(source, judgements, condition)
    if source.question.kind == "targets":
        return _build_targets(source, judgements, asked)
    attribute = source.attribute
    assert attribute is not None
    names, of, value = _read_values(source, judgements, attribute)
    if attribute.of == Subject.ENTITY:
        of, value = share_answers(
            find_entities(source.coded, judgements.codings, judgements.part, judgements.unit), of, value
        )
        if source.question.kind == "numbers":
            # of chains with different numbers a markable has none
            single = np.bincount(of, minlength=len(asked))[of] == 1
            of, value = of[single], value[single]
    answered = np.zeros(len(asked), dtype=np.bool_)
    answered[of] = True
    asked |= answered
    category = np.full(len(asked), -1, dtype=np.int64)
    category[of[::-1]] = value[::-1]
    number = {name: place for place, name in enumerate(names)}
    if attribute.kind == AnswerKind.SEVERAL and not attribute.required:
        category[asked & ~answered & judgements.submitted] = number[NO_LABEL]
    links = (of, value) if source.question.kind == "labels" else (of[:0], value[:0])
    if source.question.second:
        links = _read_second(source, judgements, category)
    return _build_texts(source, judgements, asked, category, names, *links)


def _collect_judgements(source: QuestionSource, rows: Sequence[CodingRow], texts: Sequence[TextAnswers]) -> _Judgements:
    codings = [(text, one) for text in texts for one in text.coder_answers]
    index = MemberIndex.of(texts)
    sizes = np.array([len(one.marked) for _, one in codings], dtype=np.int64)
    part = np.repeat(np.arange(len(codings)), sizes)
    unit = _join([one.marked for _, one in codings])
    category = np.full(len(unit), -1, dtype=np.int64)
    judged = np.repeat(np.arange(len(codings)), [len(one.unit) for _, one in codings])
    of_judged = judged * index.width + _join([one.unit for _, one in codings])
    category[np.searchsorted(part * index.width + unit, of_judged)] = _join([one.category for _, one in codings])
    # where there are categories, a judgement without one is only a mark
    constraints = source.scheme.constraints
    uncategorised = [level for level in source.levels if not categories_on(constraints, level)]
    here = [_on_levels(text, source.levels) for text in texts]
    without = [_on_levels(text, uncategorised) for text in texts]
    first = {text.pk: place for place, text in zip(_starts([len(one) for one in here]), texts, strict=True)}
    place = np.repeat(np.array([first[text.pk] for text, _ in codings], dtype=np.int64), sizes) + unit
    chosen = _flags(here)[place] & ((category >= 0) | _flags(without)[place])
    others = np.repeat(np.arange(len(codings)), [len(one.other_versions) for _, one in codings])
    of_others = others * index.width + _join([one.other_versions for _, one in codings])
    chosen &= ~np.isin(part * index.width + unit, of_others)
    pks = {row.pk: number for number, row in enumerate(rows)}
    return _Judgements(texts, codings, pks, index, part[chosen], unit[chosen], category[chosen])


def _holds(source: QuestionSource, judgements: _Judgements, condition: Condition) -> Bools:
    """Return at which judgements a condition holds."""
    if condition.question == CATEGORY:
        names = source.coded.categories
        numbers = [names.index(value) for value in condition.values if value in names]
        return np.isin(judgements.category, numbers)
    keys = source.scheme.keys
    rows: QuerySet[Any, Any]
    if condition.relation:
        rows = _pointers_of(source, judgements, condition.relation)
    else:
        values = [
            keys.values[condition.question, one] for one in condition.values if (condition.question, one) in keys.values
        ]
        rows = _answers_to(source, judgements, condition.question).filter(value__in=values)
    held = np.zeros(len(judgements.unit), dtype=np.bool_)
    found, _ = judgements.find(read_pairs(rows, judgements.pks, "judgement__markable_id", "judgement_id"))
    held[found] = True
    return held


def _pointers_of(source: QuestionSource, judgements: _Judgements, relation: str) -> QuerySet[Pointer, tuple[int]]:
    selection = select_texts(source.project, [text.pk for text in judgements.texts])
    rows = Pointer.objects.filter(relation=source.scheme.keys.relations[relation])
    return rows.filter(**{f"judgement__coding__{name}": value for name, value in selection.items()}).values_list(
        "judgement__coding_id"
    )


def _answers_to(
    source: QuestionSource, judgements: _Judgements, attribute: str
) -> QuerySet[AttributeAnswer, tuple[int]]:
    selection = select_texts(source.project, [text.pk for text in judgements.texts])
    rows = AttributeAnswer.objects.filter(attribute=source.scheme.keys.attributes[attribute])
    return rows.filter(**{f"judgement__coding__{name}": value for name, value in selection.items()}).values_list(
        "judgement__coding_id"
    )


def _read_values(
    source: QuestionSource, judgements: _Judgements, attribute: AttributeSpec
) -> tuple[list[str], Ints, Ints]:
    """Return the names of values, and pairs of a judgement and a value of it, ascending."""
    names = list(source.values)
    rows = _answers_to(source, judgements, attribute.key)
    if attribute.kind in (AnswerKind.ONE, AnswerKind.SEVERAL):
        number = {
            source.scheme.keys.values[attribute.key, one.key]: place for place, one in enumerate(attribute.values)
        }
        of, key = judgements.find(read_pairs(rows, judgements.pks, "judgement__markable_id", "value_id"))
        value = look_up(key, number)
    else:
        # words and numbers are read row by row: databases differ in how they write numbers
        column = "number" if attribute.kind == AnswerKind.NUMBER else "text"
        columns = ("judgement__coding_id", "judgement__markable_id", column)
        known = [row for row in rows.order_by().values_list(*columns) if row[0] in judgements.pks]
        own = [given for _, _, given in known]
        if attribute.kind == AnswerKind.NUMBER:
            distinct, numbers = np.unique(np.array(own, dtype=np.float64), return_inverse=True)
            more = [name_value(one) for one in distinct.tolist()]
        else:
            words = [_name_words(one.strip(), names) for one in own]
            more = sorted(set(words) - set(names))
            place_of = {name: place for place, name in enumerate([*more, *names])}
            numbers = np.array([place_of[one] for one in words], dtype=np.int64)
        names = [*more, *names]
        linked = LinkedRows(
            np.array([judgements.pks[coding] for coding, _, _ in known], dtype=np.int64),
            np.array([markable for _, markable, _ in known], dtype=np.int64),
            numbers.astype(np.int64),
        )
        of, value = judgements.find(linked)
    order = np.lexsort((value, of))
    return names, of[order], value[order]


def _name_words(words: str, taken: Sequence[str]) -> str:
    """Return what a coder wrote as a value: in quotation marks where a value of another meaning is called so."""
    return f"“{words}”" if words.strip("“”") in taken else words


def _read_second(source: QuestionSource, judgements: _Judgements, category: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a judgement and its second choice, where it has another one than the first."""
    second = next(one for one in source.scheme.spec.attributes if one.key == source.question.second)
    number = {name: place for place, name in enumerate(source.values)}
    keys = source.scheme.keys.values
    known = {keys[second.key, one.key]: number.get(one.key, -1) for one in second.values}
    rows = _answers_to(source, judgements, second.key).filter(value__isnull=False)
    of, key = judgements.find(read_pairs(rows, judgements.pks, "judgement__markable_id", "value_id"))
    value = look_up(key, known)
    order = np.lexsort((value, of))
    of, value = of[order], value[order]
    chosen = (value >= 0) & (category[of] >= 0) & (value != category[of])
    of, value = of[chosen], value[chosen]
    first = np.flatnonzero(np.diff(of, prepend=-1))
    return of[first], value[first]


def _build_targets(source: QuestionSource, judgements: _Judgements, asked: Bools) -> dict[int, TextAnswers]:
    """Return the answers to a relation: what each judgement points to by it."""
    rows = _pointers_of(source, judgements, source.question.key)
    of, second = judgements.find(read_pairs(rows, judgements.pks, "judgement__markable_id", TARGET_AND_READING))
    reading, target = np.divmod(second, NEXT_READING)
    of, to, reading = tidy_readings(of, judgements.index.of_markables(target), reading)
    linked = np.zeros(len(asked), dtype=np.bool_)
    linked[of] = True
    asked = asked | linked
    names = list(source.values)
    category = np.full(len(asked), -1, dtype=np.int64)
    category[asked] = names.index(NOT_SET)
    category[linked] = names.index(SET)
    return _build_texts(source, judgements, asked, category, names, of, to, reading)


def _build_texts(
    source: QuestionSource,
    judgements: _Judgements,
    asked: Bools,
    category: Ints,
    names: Sequence[str],
    link_of: Ints,
    link_to: Ints,
    reading: Ints | None = None,
) -> dict[int, TextAnswers]:
    """Return the texts with these answers in place of the categories.

    Units are the markables of the levels of the question, and what else there is comes after them.
    """
    unanswered = asked & (category < 0)
    if source.unasked == "label":
        category[~asked] = names.index(NOT_ASKED)
    n_codings = len(judgements.codings)
    n_unasked = np.bincount(judgements.part[~asked], minlength=n_codings).tolist()
    n_unanswered = np.bincount(judgements.part[unanswered], minlength=n_codings).tolist()
    kept = np.flatnonzero(category >= 0)
    number = np.full(len(category), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    begins = np.searchsorted(judgements.part[kept], np.arange(n_codings + 1))
    links = np.searchsorted(number[link_of], begins).tolist()
    places = {text.pk: _Places.of(text, source.levels) for text in judgements.texts}
    answers: dict[int, list[CoderAnswers]] = {text.pk: [] for text in judgements.texts}
    for (text, one), ((a, c), (b, d)), unasked, missing in zip(
        judgements.codings, pairwise(zip(begins.tolist(), links, strict=True)), n_unasked, n_unanswered, strict=True
    ):
        own, new = kept[a:b], places[text.pk].new
        marked, others = new[one.marked], np.sort(new[one.other_versions])
        of, to = number[link_of[c:d]] - a, link_to[c:d]
        # labels of a set are given together
        of_own = np.zeros_like(of) if reading is None else plural_readings(of, reading[c:d])
        answers[text.pk].append(
            CoderAnswers(
                coder=one.coder,
                submitted=one.submitted,
                reason=one.reason,
                marked=marked[marked < places[text.pk].n_units],
                unit=new[judgements.unit[own]],
                category=category[own],
                complete=np.ones(len(own), dtype=np.bool_),
                link_of=of,
                link_to=new[to] if source.question.kind == "targets" else to,
                indices=(),
                reading=of_own,
                n_unasked=unasked,
                n_unanswered=missing,
                coding=one.coding,
                other_versions=others[others < places[text.pk].n_units],
            )
        )
    return {text.pk: places[text.pk].move(text, names, answers[text.pk]) for text in judgements.texts}


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the members of a text stand when some of its units are units no longer; `new` is of each its new place."""

    order: Ints
    new: Ints
    n_units: int

    @classmethod
    def of(cls, text: TextAnswers, levels: Sequence[str]) -> _Places:
        here = _on_levels(text, levels)
        units = np.flatnonzero(here)
        rest = np.concatenate((np.flatnonzero(~here), np.arange(len(here), len(text.keys))))
        order = np.concatenate((units, rest))
        new = np.empty_like(order)
        new[order] = np.arange(len(order))
        return cls(order, new, len(units))

    def move(self, text: TextAnswers, names: Sequence[str], answers: Sequence[CoderAnswers]) -> TextAnswers:
        """Return the text with its members at their new places."""
        members, order = (*text.units, *text.others), self.order.tolist()
        moved = tuple(members[place] for place in order)
        return TextAnswers(
            pk=text.pk,
            units=moved[: self.n_units],
            others=moved[self.n_units :],
            keys=tuple(text.keys[place] for place in order),
            categories=tuple(names),
            given=text.given[self.order[: self.n_units]],
            coder_answers=tuple(answers),
        )


def collect_values(source: QuestionSource, texts: Sequence[TextAnswers]) -> dict[str, str]:
    """Return the values that the texts have, with what each is called: those of the scheme, or those in use."""
    values = source.values
    attribute = source.attribute
    if attribute is None or attribute.kind in (AnswerKind.ONE, AnswerKind.SEVERAL):
        return values
    used = {name for text in texts for name in _used_values(text)} - values.keys()
    numeric = source.question.kind == "numbers"
    return {name: name for name in (sorted(used, key=float) if numeric else sorted(used))} | values


def with_values(text: TextAnswers, values: tuple[str, ...]) -> TextAnswers:
    """Return the text with these values, in which its own are found. Of the same values there is one object."""
    if text.categories == values:
        return text
    known: tuple[tuple[str, ...], TextAnswers] | None = text.cache.get("values")
    if known is None or known[0] != values:
        number = {name: place for place, name in enumerate(values)}
        new = np.array([number.get(name, -1) for name in text.categories], dtype=np.int64)
        known = (
            values,
            replace(
                text,
                categories=values,
                cache={},
                coder_answers=tuple(
                    replace(one, category=new[one.category], link_to=new[one.link_to]) for one in text.coder_answers
                ),
            ),
        )
        text.cache["values"] = known
    return known[1]


def _used_values(text: TextAnswers) -> list[str]:
    """Return the values that are in use in the text."""
    empty = np.zeros(0, dtype=np.int64)
    used = np.concatenate([empty, *(array for one in text.coder_answers for array in (one.category, one.link_to))])
    return [text.categories[number] for number in sorted_unique(used).tolist()]


def _on_levels(text: TextAnswers, levels: Sequence[str]) -> Bools:
    """Return which units of the text are of these levels; the level is the first word of a key."""
    chosen = frozenset(levels)
    return np.array([key.partition(":")[0] in chosen for key in text.keys[: len(text.units)]], dtype=np.bool_)


def _starts(sizes: Sequence[int]) -> list[int]:
    return list(accumulate(sizes, initial=0))[:-1]


def _flags(parts: Sequence[Bools]) -> Bools:
    return np.concatenate([np.zeros(0, dtype=np.bool_), *parts])


def _join(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
