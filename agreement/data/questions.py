"""The questions of a scheme besides its category: what coders answered to one, as answers that can be compared.

The answers to an attribute or relation take the place of the categories, so that whatever is computed of categories is
computed of them. They are made from the judgements that are read anyway, and from the rows of that question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import QuerySet

from agreement.data.columns import (
    LINK,
    MARK,
    NO_CATEGORY,
    NO_LABEL,
    NOT_ASKED,
    NOT_SET,
    SET,
    AnswerColumns,
    starts_of,
)
from agreement.data.documents import NEXT_DOCUMENT
from agreement.data.entities import find_entities, share_answers
from agreement.data.judgements import MAX_TEXTS_IN_QUERY, find_sorted, look_up, read_numbers
from agreement.data.links import tidy_readings
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question, name_value
from agreement.measures.data.arrays import run_offsets
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
    coded: ProjectAnswers

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


def read_question(
    project: Project, scheme: ProjectScheme, question: Question, unasked: str, coded: ProjectAnswers
) -> ProjectAnswers:
    """Return the answers to a question in the same texts. At most four queries."""
    source = QuestionSource(project, scheme, question, unasked, coded)
    judgements = _Judgements.of(source)
    asked = np.ones(len(judgements.marks), dtype=np.bool_)
    for condition in source.conditions:
        asked &= _holds(source, judgements, condition)
    attribute, values = source.attribute, source.values
    names = list(values)
    if attribute is None:
        answers = _read_targets(source, judgements, asked)
    else:
        names, answers = _read_attribute(source, judgements, attribute, asked)
        values = {name: values.get(name, name) for name in names}
    columns = _build_columns(source, judgements, answers, names)
    answered = ProjectAnswers.of_texts(
        question.kind,
        "missing",
        tuple(values),
        coded.texts,
        columns,
        coded.names,
        labels=values,
        managers=coded.managers,
        question=question,
        questions=coded.questions,
        categories_asked=coded.categories_asked,
        levels=coded.levels,
        state_name=repr((coded.state_name, question, unasked, scheme.spec)),
        versions=coded.versions,
        gold_left_out=coded.gold_left_out,
        left_out=coded.left_out,
    )
    # Whoever gave no answer to this question is a coder all the same; without categories all answers are these.
    return replace(answered, known_coders=tuple(sorted({*coded.known_coders, *answered.known_coders})), cache={})


@dataclass(frozen=True)
class _Judgements:
    """The judgements at which the question can be asked, in the order of codings and of the text: places of marks.

    `is_here` says of each member of a document whether it is of a level on which the question is asked.
    """

    columns: AnswerColumns
    is_here: Bools
    marks: Ints

    @classmethod
    def of(cls, source: QuestionSource) -> _Judgements:
        """Return the judgements of a question. Where there are categories, one without a category is only a mark."""
        columns, constraints = source.coded.columns, source.scheme.constraints
        here, without = (
            np.isin(columns.members["level"], [source.coded.levels.index(level) for level in levels])
            for levels in (
                source.levels,
                [level for level in source.levels if not categories_on(constraints, level)],
            )
        )
        place = columns.first_member[columns.document_of_mark] + columns.marks["unit"]
        is_judgement = columns.is_judgement | without[place]
        chosen = here[place] & is_judgement & ~columns.marks["other_version"]
        return cls(columns, here, np.flatnonzero(chosen))

    @cached_property
    def category(self) -> Ints:
        """The number of the category of each in the scheme."""
        category: Ints = self.columns.marks["category"][self.marks].astype(np.int64)
        return category

    @cached_property
    def coding(self) -> Ints:
        """The place of the coding of each."""
        return self.columns.coding_of_mark[self.marks]

    @cached_property
    def submitted(self) -> Bools:
        """Whether the coding of each is finished."""
        submitted: Bools = self.columns.codings["submitted"][self.coding]
        return submitted

    @cached_property
    def _width(self) -> int:
        return int(self.columns.n_members.max(initial=0)) + 1

    @cached_property
    def _keys(self) -> Ints:
        """One number for each judgement, ascending."""
        keys: Ints = self.coding * self._width + self.columns.marks["unit"][self.marks]
        return keys

    @cached_property
    def _codings(self) -> tuple[Ints, Ints]:
        """The keys of codings, ascending, and the place of each."""
        keys = self.columns.codings["key"]
        order = np.argsort(keys)
        return keys[order], order

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """The primary keys of members, ascending, and the place of each in its document."""
        keys = self.columns.members["key"] % NEXT_DOCUMENT
        order = np.argsort(keys)
        return keys[order], run_offsets(self.columns.n_members)[order]

    def find_codings(self, keys: Ints) -> Ints:
        """Return the place of each coding; -1 of those that are not there."""
        ascending, places = self._codings
        return find_sorted(ascending, keys, places)

    def find_members(self, keys: Ints) -> Ints:
        """Return the place of each markable in its document; -1 of those that are not there."""
        ascending, places = self._members
        return find_sorted(ascending, keys, places)

    def find(self, coding: Ints, markable: Ints) -> Ints:
        """Return the place of each judgement among these; -1 of those that are not there."""
        codings, units = self.find_codings(coding), self.find_members(markable)
        found = find_sorted(self._keys, codings * self._width + units)
        return np.where((codings >= 0) & (units >= 0), found, -1)

    def read(self, rows: QuerySet[Any, Any], *columns: str) -> tuple[Ints, ...]:
        """Return the place of the judgement of each row, and further columns of numbers of those that are there."""
        of = ("judgement__coding_id", "judgement__markable_id")
        coding, markable, *further = read_numbers(rows, *of, *columns)
        places = self.find(coding, markable)
        return tuple(column[places >= 0] for column in (places, *further))


def _holds(source: QuestionSource, judgements: _Judgements, condition: Condition) -> Bools:
    """Return at which judgements a condition holds."""
    if condition.question == CATEGORY:
        names = source.coded.categories
        numbers = [names.index(value) for value in condition.values if value in names]
        return np.isin(judgements.category, numbers)
    keys = source.scheme.keys
    rows: QuerySet[Any, Any]
    if condition.relation:
        rows = _pointers_of(source, condition.relation)
    else:
        values = [
            keys.values[condition.question, one] for one in condition.values if (condition.question, one) in keys.values
        ]
        rows = _answers_to(source, condition.question).filter(value__in=values)
    held = np.zeros(len(judgements.marks), dtype=np.bool_)
    [found] = judgements.read(rows)
    held[found] = True
    return held


def _select_texts(source: QuestionSource) -> dict[str, Any]:
    """Return the filter of what is of the texts; of many all of the project is read."""
    keys = {text.text_pk for text in source.coded.texts}
    name, value = ("text__project", source.project) if len(keys) > MAX_TEXTS_IN_QUERY else ("text__in", keys)
    return {f"judgement__coding__{name}": value}


def _pointers_of(source: QuestionSource, relation: str) -> QuerySet[Pointer]:
    return Pointer.objects.filter(relation=source.scheme.keys.relations[relation], **_select_texts(source))


def _answers_to(source: QuestionSource, attribute: str) -> QuerySet[AttributeAnswer]:
    return AttributeAnswer.objects.filter(attribute=source.scheme.keys.attributes[attribute], **_select_texts(source))


# The value of each judgement by number, -1 without one; and links, each with its judgement, its target and its reading.
type _Given = tuple[Bools, Ints, tuple[Ints, Ints, Ints]]


def _read_attribute(
    source: QuestionSource, judgements: _Judgements, attribute: AttributeSpec, asked: Bools
) -> tuple[list[str], _Given]:
    """Return the names of the values of an attribute, and its answers."""
    names, of, value = _read_values(source, judgements, attribute)
    if attribute.of == Subject.ENTITY:
        coded = source.coded
        of, value = share_answers(find_entities(coded.kind, coded.columns, judgements.marks), of, value)
        if source.question.kind == "numbers":
            # of chains with different numbers a markable has none
            single = np.bincount(of, minlength=len(asked))[of] == 1
            of, value = of[single], value[single]
    answered = np.zeros(len(asked), dtype=np.bool_)
    answered[of] = True
    asked = asked | answered
    category = np.full(len(asked), NO_CATEGORY, dtype=np.int64)
    category[of[::-1]] = value[::-1]
    if attribute.kind == AnswerKind.SEVERAL and not attribute.required:
        category[asked & ~answered & judgements.submitted] = names.index(NO_LABEL)
    links = (of, value) if source.question.kind == "labels" else (of[:0], value[:0])
    if source.question.second:
        links = _read_second(source, judgements, category)
    if attribute.kind not in (AnswerKind.ONE, AnswerKind.SEVERAL):
        # words and numbers are values where they are in use
        n_free, used = len(names) - len(source.values), set(category.tolist())
        places = [place for place in range(len(names)) if place >= n_free or place in used]
        names = [names[place] for place in places]
        category = np.where(category >= 0, np.searchsorted(places, category), NO_CATEGORY)
    # labels of a set are given together
    return names, (asked, category, (*links, np.zeros_like(links[0])))


def _read_values(
    source: QuestionSource, judgements: _Judgements, attribute: AttributeSpec
) -> tuple[list[str], Ints, Ints]:
    """Return the names of values, those in use before those of the scheme, and pairs of a judgement and its value."""
    names = list(source.values)
    rows = _answers_to(source, attribute.key)
    if attribute.kind in (AnswerKind.ONE, AnswerKind.SEVERAL):
        number = {
            source.scheme.keys.values[attribute.key, one.key]: place for place, one in enumerate(attribute.values)
        }
        of, key = judgements.read(rows, "value_id")
        value = look_up(key, number)
    else:
        is_number = attribute.kind == AnswerKind.NUMBER
        columns = ("judgement__coding_id", "judgement__markable_id", "number" if is_number else "text")
        found = list(rows.order_by().values_list(*columns))
        coding, markable = (np.array([row[column] for row in found], dtype=np.int64) for column in range(2))
        of = judgements.find(coding, markable)
        given = [row[2] for row, place in zip(found, of.tolist(), strict=True) if place >= 0]
        of = of[of >= 0]
        if is_number:
            own = [name_value(float(one)) for one in given]
            more: list[str] = sorted(set(own) - set(names), key=float)
        else:
            own = [_name_words(one.strip(), names) for one in given]
            more = sorted(set(own) - set(names))
        names = [*more, *names]
        place_of = {name: place for place, name in enumerate(names)}
        value = np.array([place_of[one] for one in own], dtype=np.int64)
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
    of, key = judgements.read(_answers_to(source, second.key).filter(value__isnull=False), "value_id")
    value = look_up(key, known)
    order = np.lexsort((value, of))
    of, value = of[order], value[order]
    chosen = (value >= 0) & (category[of] >= 0) & (value != category[of])
    of, value = of[chosen], value[chosen]
    first = np.flatnonzero(np.diff(of, prepend=-1))
    return of[first], value[first]


def _read_targets(source: QuestionSource, judgements: _Judgements, asked: Bools) -> _Given:
    """Return the answers to a relation: what each judgement points to by it."""
    of, target, reading = judgements.read(_pointers_of(source, source.question.key), "target_id", "reading")
    of, to, reading = tidy_readings(of, judgements.find_members(target), reading)
    linked = np.zeros(len(asked), dtype=np.bool_)
    linked[of] = True
    asked = asked | linked
    names = list(source.values)
    category = np.full(len(asked), NO_CATEGORY, dtype=np.int64)
    category[asked] = names.index(NOT_SET)
    category[linked] = names.index(SET)
    return asked, category, (of, to, reading)


def _build_columns(
    source: QuestionSource, judgements: _Judgements, answers: _Given, names: Sequence[str]
) -> AnswerColumns:
    """Return the documents with these answers in place of the categories.

    Units are the markables of the levels of the question, and what else there is comes after them.
    """
    asked, category, (link_of, link_to, reading) = answers
    columns, codings = judgements.columns, judgements.columns.codings.copy()
    unanswered = asked & (category < 0)
    if source.unasked == "label":
        category[~asked] = names.index(NOT_ASKED)
    for field, chosen in (("unasked", ~asked), ("unanswered", unanswered)):
        codings[field] = np.bincount(judgements.coding[chosen], minlength=len(codings))
    # the members of each document, its units first
    starts = columns.first_member
    document = np.repeat(np.arange(len(columns.documents)), columns.n_members)
    is_unit = judgements.is_here & (np.arange(len(document)) - starts[document] < columns.documents["units"][document])
    order = np.lexsort((~is_unit, document))
    new_place = np.empty(len(order), dtype=np.int64)
    new_place[order] = np.arange(len(order)) - starts[document]
    documents = columns.documents.copy()
    documents["units"] = np.bincount(document[is_unit], minlength=len(documents))
    documents["others"] = columns.n_members - documents["units"]
    documents["sets"] = 0
    members = columns.members[order]
    members["given"] &= is_unit[order]
    # the marks of units, with the values of those that have one
    of_document = columns.document_of_mark
    kept = is_unit[starts[of_document] + columns.marks["unit"]]
    marks = np.zeros(len(columns.marks), MARK)
    marks["unit"] = new_place[starts[of_document] + columns.marks["unit"]]
    marks["category"] = NO_CATEGORY
    marks["category"][judgements.marks] = category
    marks["complete"] = marks["category"] != NO_CATEGORY
    marks["other_version"] = columns.marks["other_version"]
    codings["marks"] = np.bincount(columns.coding_of_mark[kept], minlength=len(codings))
    links = np.zeros(len(link_of), LINK)
    marks_of_links = judgements.marks[link_of]
    of_coding = columns.coding_of_mark[marks_of_links]
    links["of"] = (np.cumsum(kept) - 1)[marks_of_links] - starts_of(codings["marks"])[of_coding]
    links["to"] = (
        new_place[starts[of_document[marks_of_links]] + link_to] if source.question.kind == "targets" else link_to
    )
    links["reading"] = reading
    codings["links"] = np.bincount(of_coding, minlength=len(codings))
    together = source.question.kind == "labels" or bool(source.question.second)
    return AnswerColumns(documents, members, codings, marks[kept], links).with_digests(names, readings=together)
