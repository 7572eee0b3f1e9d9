"""The questions of a scheme other than its category, and their answers in place of the categories."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import QuerySet

from agreement.data.columns import NO_CATEGORY, NO_LABEL, NOT_ASKED, AnswerColumns, KeyIndex, ranges, starts_of
from agreement.data.judgements import OF_JUDGEMENT, RowIndex, look_up, select_texts
from agreement.data.links import share_reading, tidy_readings
from agreement.data.project_answers import ProjectAnswers, Question, name_coders, name_value
from agreement.measures.data.arrays import find_chains, run_starts, sorted_unique
from agreement.measures.values import Bools, Ints
from annotations.formats.model.scheme import CATEGORY, AnswerKind, AttributeSpec, Condition, Subject
from annotations.models import AttributeAnswer, Pointer, Project
from annotations.schemes.constraints import categories_on
from annotations.schemes.project_scheme import ProjectScheme

NOT_SET, SET = "not set", "set"


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
    """Return the kind of an attribute's values; values of entities are sets, as a markable may be in several chains."""
    if attribute.kind == AnswerKind.NUMBER:
        return "numbers"
    several = attribute.kind == AnswerKind.SEVERAL or attribute.of == Subject.ENTITY
    return "labels" if several else "categories"


def read_question(
    project: Project, scheme: ProjectScheme, question: Question, unasked: str, coded: ProjectAnswers
) -> ProjectAnswers:
    """Return the answers to a question in the same texts; if `unasked` is "label", not being asked is a value."""
    values, columns = _QuestionReader(project, scheme, question, unasked, coded).read()
    answered, other = columns.is_answer, columns.n_other_versions > 0
    known = name_coders(columns, coded.names, answered | other)
    return replace(
        coded,
        kind=question.kind,
        unmarked="missing",
        categories=tuple(values),
        columns=columns,
        coders=name_coders(columns, coded.names, answered),
        # Coders without an answer to this question are still known; a scheme without categories has no other answers.
        known_coders=tuple(sorted({*coded.known_coders, *known})),
        singletons=(),
        labels=values,
        question=question,
        state_name=repr((coded.state_name, question, unasked, scheme.spec)),
        cache={},
    )


type _Links = tuple[Ints, Ints, Ints]  # judgements, numbers of values or targets, readings


class _QuestionReader:
    """A reader of the rows with the answers to a question."""

    def __init__(
        self, project: Project, scheme: ProjectScheme, question: Question, unasked: str, coded: ProjectAnswers
    ) -> None:
        self.scheme, self.question, self.unasked, self.coded = scheme, question, unasked, coded
        self.columns = columns = coded.columns  # the answers without the question
        self.texts = select_texts(project, coded.texts, "judgement__coding__")
        constraints, spec = scheme.constraints, scheme.spec
        self.attribute = next((one for one in spec.attributes if one.key == question.key), None)
        # values: the names of the values that the scheme lists, and of placeholders, by key
        self.conditions, self.values = list[Condition](), dict[str, str]()
        if self.attribute is None:
            relation = next(one for one in spec.relations if one.key == question.key)
            asked_if, levels = relation.asked_if, constraints["relations"][question.key]["from_levels"]
            self.values = {NOT_SET: NOT_SET, SET: SET}
        else:
            asked_if, levels = self.attribute.asked_if, constraints["attributes"][question.key]["levels"]
            if of_relation := self.attribute.relation:
                asked = constraints["relations"][of_relation]["from_levels"]
                levels = [level for level in levels if level in asked]
                self.conditions = [Condition(relation=of_relation)]
            self.values = {one.key: one.label for one in self.attribute.values}
            if question.kind == "labels":
                self.values[NO_LABEL] = NO_LABEL
        self.conditions += [asked_if] if asked_if else []
        if unasked == "label":
            self.values[NOT_ASKED] = NOT_ASKED
        # on a level with categories, a judgement without a category is only a mark
        without = [level for level in levels if not categories_on(constraints, level)]
        # whether each member is on a level with the question, and on such a level without categories
        self.is_here, is_without = (
            np.isin(columns.members["level"], [coded.levels.index(level) for level in some])
            for some in (levels, without)
        )
        member = starts_of(columns.n_members)[columns.document_of_mark] + columns.marks["unit"]
        is_judgement = columns.is_judgement | is_without[member]
        # the judgements where the question can be asked, and each mark's position among them; -1 for other marks
        self.marks = np.flatnonzero(self.is_here[member] & is_judgement & ~columns.marks["other_version"])
        self.number = np.full(len(columns.marks) + 1, -1, dtype=np.int64)
        self.number[self.marks] = np.arange(len(self.marks))
        self.coding = columns.coding_of_mark[self.marks]
        self.index = RowIndex(columns)
        self.asked = np.ones(len(self.marks), dtype=np.bool_)
        self.category = np.full(len(self.marks), NO_CATEGORY, dtype=np.int64)

    def read(self) -> tuple[dict[str, str], AnswerColumns]:
        """Return the names of the values by key, and the columns with the answers."""
        for condition in self.conditions:
            self.asked &= self._holds(condition)
        if self.attribute is None:
            names, links = list(self.values), self._read_targets()
        else:
            names, links = self._read_attribute(self.attribute)
        return {name: self.values.get(name, name) for name in names}, self._build_columns(names, links)

    def _read(self, rows: QuerySet[Any, Any], *columns: str) -> Ints:
        """Return the position of each row's judgement and further integer columns; other rows are dropped."""
        found = self.index.read(rows, *columns)
        found[0] = self.number[found[0]]
        return found[:, found[0] >= 0]

    def _pointers_of(self, relation: str) -> QuerySet[Pointer]:
        return Pointer.objects.filter(relation=self.scheme.keys.relations[relation], **self.texts)

    def _answers_to(self, attribute: str) -> QuerySet[AttributeAnswer]:
        return AttributeAnswer.objects.filter(attribute=self.scheme.keys.attributes[attribute], **self.texts)

    def _holds(self, condition: Condition) -> Bools:
        """Return for each judgement whether a condition holds."""
        if condition.question == CATEGORY:
            names = self.coded.categories
            numbers = [names.index(value) for value in condition.values if value in names]
            return np.isin(self.columns.marks["category"][self.marks], numbers)
        rows: QuerySet[Any, Any]
        if condition.relation:
            rows = self._pointers_of(condition.relation)
        else:
            keys = self.scheme.keys.values
            asked = [(condition.question, value) for value in condition.values]
            rows = self._answers_to(condition.question).filter(value__in=[keys[one] for one in asked if one in keys])
        return np.bincount(self._read(rows)[0], minlength=len(self.marks)) > 0

    def _read_attribute(self, attribute: AttributeSpec) -> tuple[list[str], _Links]:
        """Read the answers to an attribute; return the names of its values, and links to further values."""
        names, of, value = self._read_values(attribute)
        if attribute.of == Subject.ENTITY:
            of, value = _share_answers(_find_entities(self.coded.kind, self.columns, self.marks), of, value)
            if self.question.kind == "numbers":
                # a markable in chains with different numbers has no number
                single = np.bincount(of, minlength=len(self.asked))[of] == 1
                of, value = of[single], value[single]
        answered = np.bincount(of, minlength=len(self.asked)) > 0
        self.asked |= answered
        self.category[of[::-1]] = value[::-1]
        if attribute.kind == AnswerKind.SEVERAL and not attribute.required:
            submitted = self.columns.codings["submitted"][self.coding]
            self.category[self.asked & ~answered & submitted] = names.index(NO_LABEL)
        links = (of, value) if self.question.kind == "labels" else (of[:0], value[:0])
        if self.question.second:
            links = self._read_second()
        if attribute.kind not in (AnswerKind.ONE, AnswerKind.SEVERAL):
            # words and numbers are values only if they are used
            n_free, used = len(names) - len(self.values), set(self.category.tolist())
            places = [place for place in range(len(names)) if place >= n_free or place in used]
            names = [names[place] for place in places]
            self.category = np.where(self.category >= 0, np.searchsorted(places, self.category), NO_CATEGORY)
        return names, (*links, np.zeros_like(links[0]))  # labels of a set are given together

    def _read_values(self, attribute: AttributeSpec) -> tuple[list[str], Ints, Ints]:
        """Return the names of values, free ones before the scheme's, and pairs of a judgement and a value."""
        names, rows = list(self.values), self._answers_to(attribute.key)
        if attribute.kind in (AnswerKind.ONE, AnswerKind.SEVERAL):
            of, key = self._read(rows, "value_id")
            keys = self.scheme.keys.values
            value = look_up(key, {keys[attribute.key, one.key]: place for place, one in enumerate(attribute.values)})
        else:
            is_number = attribute.kind == AnswerKind.NUMBER
            found = list(rows.order_by().values_list(*OF_JUDGEMENT, "number" if is_number else "text"))
            of_judgement = np.array([row[:2] for row in found], dtype=np.int64).reshape(-1, 2).T
            of = self.number[self.index.find(*of_judgement)]
            given = [row[2] for row, place in zip(found, of.tolist(), strict=True) if place >= 0]
            of = of[of >= 0]
            if is_number:
                own = [name_value(float(value)) for value in given]
            else:  # in quotation marks if another value has this name
                words = [value.strip() for value in given]
                own = [f"“{value}”" if value.strip("“”") in names else value for value in words]
            names = [*sorted(set(own) - set(names), key=float if is_number else None), *names]
            place_of = {name: place for place, name in enumerate(names)}
            value = np.array([place_of[one] for one in own], dtype=np.int64)
        order = np.lexsort((value, of))
        return names, of[order], value[order]

    def _read_second(self) -> tuple[Ints, Ints]:
        """Return pairs of a judgement and its second choice, if the choice differs from the first."""
        second = next(one for one in self.scheme.spec.attributes if one.key == self.question.second)
        number, keys = {name: place for place, name in enumerate(self.values)}, self.scheme.keys.values
        of, key = self._read(self._answers_to(second.key).filter(value__isnull=False), "value_id")
        value = look_up(key, {keys[second.key, one.key]: number.get(one.key, -1) for one in second.values})
        order = np.lexsort((value, of))
        of, value = of[order], value[order]
        chosen = (value >= 0) & (self.category[of] >= 0) & (value != self.category[of])
        of, value = of[chosen], value[chosen]
        first = np.flatnonzero(np.diff(of, prepend=-1))
        return of[first], value[first]

    def _read_targets(self) -> _Links:
        """Read the answers to a relation; return links from each judgement to its targets."""
        of, target, reading = self._read(self._pointers_of(self.question.key), "target_id", "reading")
        of, to, reading = tidy_readings(of, self.index.members.find(target), reading)
        names = list(self.values)
        self.asked[of] = True
        self.category[self.asked] = names.index(NOT_SET)
        self.category[of] = names.index(SET)
        return of, to, reading

    def _build_columns(self, names: Sequence[str], links: _Links) -> AnswerColumns:
        """Return columns with the answers as categories; units are the markables on the levels of the question."""
        columns, codings, documents = self.columns, self.columns.codings.copy(), self.columns.documents.copy()
        unanswered = self.asked & (self.category < 0)
        if self.unasked == "label":
            self.category[~self.asked] = names.index(NOT_ASKED)
        for field, chosen in (("unasked", ~self.asked), ("unanswered", unanswered)):
            codings[field] = np.bincount(self.coding[chosen], minlength=len(codings))
        starts, document = starts_of(columns.n_members), np.repeat(np.arange(len(documents)), columns.n_members)
        place = np.arange(len(document)) - starts[document]
        is_unit = self.is_here & (place < documents["units"][document])
        order = np.lexsort((~is_unit, document))
        new_place = np.empty(len(order), dtype=np.int64)
        new_place[order] = place
        members = columns.members[order]
        members["given"] &= is_unit[order]
        documents["units"] = np.bincount(document[is_unit], minlength=len(documents))
        documents["others"], documents["sets"] = columns.n_members - documents["units"], 0
        start = starts[columns.document_of_mark]
        member = start + columns.marks["unit"]
        kept, category = is_unit[member], np.full(len(member), NO_CATEGORY)
        category[self.marks] = self.category
        marks = {
            "unit": new_place[member],
            "category": category,
            "complete": category != NO_CATEGORY,
            "other_version": columns.marks["other_version"],
        }
        of, to, reading = links
        of_mark = self.marks[of]
        if self.question.kind == "targets":
            to = new_place[start[of_mark] + to]
        found = AnswerColumns(documents, members, codings)
        found = found.with_marks(columns.coding_of_mark[kept], **{name: one[kept] for name, one in marks.items()})
        found = found.with_links((np.cumsum(kept) - 1)[of_mark], to, reading)
        return found.with_digests(names, readings=self.question.kind == "labels" or bool(self.question.second))


def _find_entities(kind: str, columns: AnswerColumns, marks: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a judgement, as its position in the ascending `marks`, and its entity: a chain or an index.

    An ambiguous judgement has several entities; one in no chain is an entity of its own. Joint targets make no chain.
    """
    of_link, target = columns.coding_of_link, columns.links["to"].astype(np.int64)
    if kind == "indices":
        width, number = int(target.max(initial=0)) + 1, np.full(len(columns.marks), -1, dtype=np.int64)
        number[marks] = np.arange(len(marks))
        judgement = number[columns.mark_of_link]
        known = judgement >= 0
        judgement, entity = judgement[known], (of_link * width + target)[known]
        alone = np.setdiff1d(np.arange(len(marks)), judgement)
        return np.concatenate((judgement, alone)), np.concatenate((entity, len(columns.codings) * width + alone))
    width = int(columns.n_members.max(initial=0)) + 1
    node = columns.coding_of_mark[marks] * width + columns.marks["unit"][marks]
    single = ~share_reading(columns.mark_of_link, columns.links["reading"].astype(np.int64))
    source = (of_link * width + columns.marks["unit"][columns.mark_of_link])[single]
    target = (of_link * width + target)[single]
    nodes = sorted_unique(np.concatenate((node, source, target)))
    of, chain = find_chains(np.searchsorted(nodes, source), np.searchsorted(nodes, target), len(nodes))
    judgement = KeyIndex(node).find(nodes)[of]
    return judgement[judgement >= 0], chain[judgement >= 0]


def _share_answers(entities: tuple[Ints, Ints], of: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Return the answers of each judgement; an entity has the answers of its first judgement that has any."""
    judgement, entity = entities
    answers = np.bincount(of, minlength=int(judgement.max(initial=-1)) + 1)
    answering = np.flatnonzero(answers[judgement] > 0)
    order = answering[np.lexsort((judgement[answering], entity[answering]))]
    speakers = order[run_starts(entity[order])]
    place = KeyIndex(entity[speakers]).find(entity)
    known = place >= 0
    speaker = judgement[speakers][place[known]]
    sizes = answers[speaker]
    values = value[ranges(starts_of(answers)[speaker], sizes)]
    width = int(value.max(initial=0)) + 1
    # a judgement of several entities has the answers of all, without duplicates
    shared = sorted_unique(np.repeat(judgement[known], sizes) * width + values)
    return shared // width, shared % width
