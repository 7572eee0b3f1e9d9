"""The rules of the scheme that judgements must keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models.functions import Length

from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.log.payloads import MAX_NOTE_LENGTH
from annotations.coding.markables.markables import InvalidMarkable, lies_within, new_markable
from annotations.coding.readings import Readings, sort_readings
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.scheme import AnswerKind, AnswerValue
from annotations.models import Coding, Level, Markable, Text
from annotations.models.coding import ENTITY_LENGTH, NAME_LENGTH
from annotations.schemes.constraints import (
    MAX_TEXT_LENGTH,
    AttributeConstraints,
    CategoryConstraints,
    Constraints,
    GivenAnswers,
    RelationConstraints,
    is_asked,
)
from annotations.schemes.project_scheme import SchemeKeys, read_scheme

# The readings of a relation that an import may have; operations have fewer.
MAX_READINGS = 1000
# The types of answers by kind of attribute, with their names in messages.
ANSWER_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    AnswerKind.ONE: (str, "one value"),
    AnswerKind.SEVERAL: (tuple, "a list of values"),
    AnswerKind.TEXT: (str, "a text"),
    AnswerKind.NUMBER: ((int, float), "a number"),
}


def given_answers(constraints: Constraints, level: str, decision: Decision) -> GivenAnswers:
    """Return the answers of a decision on a markable of the level, on which further questions depend."""
    relations = {key for key, _ in decision.relations}
    category = constraints["categories"].get(decision.category or "")
    if decision.pointers and category is not None and category["identity"] is not None:
        relations.add(category["identity"])
    return GivenAnswers(level, decision.category, dict(decision.attributes), relations)


@dataclass(frozen=True, slots=True)
class RetiredAnswer:
    """A retired answer of a judgement: its name in messages, and its value."""

    name: str
    answer: Readings | AnswerValue


def retired_answers(constraints: Constraints, decision: Decision) -> Iterator[RetiredAnswer]:
    """Yield the retired answers of a decision."""
    category = constraints["categories"].get(decision.category or "")
    if category is not None:
        if category["retired"]:
            yield RetiredAnswer(f"The category {decision.category}", "")
        if decision.pointers and category["identity"] and constraints["relations"][category["identity"]]["retired"]:
            yield RetiredAnswer(f"The relation {category['identity']}", sort_readings(decision.pointers))
    for key, readings in decision.relations:
        relation = constraints["relations"].get(key)
        if relation is not None and relation["retired"]:
            yield RetiredAnswer(f"The relation {key}", sort_readings(readings))
    for key, answer in decision.attributes:
        attribute = constraints["attributes"].get(key)
        if attribute is not None and attribute["retired"]:
            yield RetiredAnswer(f"The attribute {key}", tuple(sorted(answer)) if isinstance(answer, tuple) else answer)
        elif attribute is not None and attribute["retired_values"]:
            for value in answer if isinstance(answer, tuple) else (answer,):
                if value in attribute["retired_values"]:
                    yield RetiredAnswer(f"The value {value} of {key}", "")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the scheme for one coding and the markables that some operations name."""

    # markables: the saved markables that the coder sees. new: unsaved markables that operations create. invalid: the
    # reason for each key that cannot be a markable.

    answers: str
    constraints: Constraints
    markables: Mapping[str, Markable]
    new: Mapping[str, Markable] = field(default_factory=dict)
    invalid: Mapping[str, str] = field(default_factory=dict)
    keys: SchemeKeys = field(default_factory=SchemeKeys)

    @classmethod
    def for_coding(cls, coding: Coding, keys: Iterable[str]) -> Rules:
        """Return the rules for the keys. Where coders mark themselves, every well-formed key names a markable."""
        project, keys = coding.text.project, set(keys)
        scheme = read_scheme(project.pk)
        levels = {level.pk: level for level in scheme.levels}
        visible = Markable.objects.seen_in(coding.pk, coding.text_id).filter(key__in=keys).order_by()
        markables = {markable.key: markable for markable in visible}
        for markable in markables.values():
            markable.level = levels[markable.level_id]
        missing = keys - set(markables)
        new, invalid = _new_markables(coding, missing, scheme.levels) if missing else ({}, {})
        return cls(project.answers, scheme.constraints, markables, new, invalid, scheme.keys)

    @property
    def uses_indices(self) -> bool:
        return self.answers in ("indices", "scus")

    def check(self, decision: Decision) -> None:
        """Raise OperationRejected if the scheme does not allow the decision."""
        markable = self.markable(decision.markable)
        if not markable.level.coded:
            raise OperationRejected(
                "not_coded", f"Markables of level {markable.level.key} are only targets of pointers."
            )
        category = self._category(decision)
        if category is not None and markable.level.key not in category["levels"]:
            raise OperationRejected(
                "category_not_here", f"{decision.category} is not for markables of level {markable.level.key}."
            )
        if decision.relations:
            self._check_relations(decision)
        self.check_targets(decision)
        self._check_indices(decision, category)
        if decision.attributes:
            self._check_attributes(decision)
        if decision.head:
            check_head(decision, markable)
        if len(decision.note) > MAX_NOTE_LENGTH:
            raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
        if len(decision.name) > NAME_LENGTH:
            raise OperationRejected("name_too_long", f"A name has at most {NAME_LENGTH} characters.")

    def check_targets(self, decision: Decision) -> None:
        """Raise OperationRejected if the scheme does not allow a target of the decision."""
        if decision.pointers:
            self._check_pointers(decision)
        for key, readings in decision.relations:
            self._check_readings(decision, key, readings, self._relation(key))

    def given_answers(self, decision: Decision) -> GivenAnswers:
        """Return the answers of the decision, on which further questions depend."""
        return given_answers(self.constraints, self.markable(decision.markable).level.key, decision)

    def markable(self, key: str) -> Markable:
        """Return the saved or new markable with the key. Raise OperationRejected if there is none."""
        markable = self.markables.get(key) or self.new.get(key)
        if key in self.invalid:
            raise OperationRejected("bad_markable", self.invalid[key])
        if markable is None:
            raise OperationRejected("unknown_markable", f"The text has no markable {key!r}.")
        return markable

    def _category(self, decision: Decision) -> CategoryConstraints | None:
        if decision.category is None:
            return None
        category = self.constraints["categories"].get(decision.category)
        if category is None:
            raise OperationRejected("unknown_category", f"The scheme has no category {decision.category!r}.")
        return category

    def _check_pointers(self, decision: Decision) -> None:
        category = self._category(decision)
        identity = category and category["identity"]
        relation = self.constraints["relations"][identity] if identity else None
        if relation is None or not relation["to_levels"]:
            raise OperationRejected("no_pointer_here", f"The category {decision.category!r} takes no antecedent.")
        self._check_readings(decision, str(decision.category), decision.pointers, relation)

    def _relation(self, key: str) -> RelationConstraints:
        relation = self.constraints["relations"].get(key)
        if relation is None:
            raise OperationRejected("unknown_relation", f"The scheme has no relation {key!r}.")
        return relation

    def _check_relations(self, decision: Decision) -> None:
        """Raise OperationRejected if a relation is not asked of the markable with these answers."""
        given = self.given_answers(decision)
        for key, _ in decision.relations:
            relation = self._relation(key)
            if relation["identity"]:
                raise OperationRejected("identity_is_pointers", f"{key} says identity: its targets are pointers.")
            levels = relation["from_levels"] if relation["to_levels"] else []
            _check_asked("relation", key, relation, levels, given)

    def _check_readings(self, decision: Decision, name: str, readings: Readings, relation: RelationConstraints) -> None:
        targets = set(targets_of(readings))
        if any(len(set(reading)) < len(reading) for reading in readings):
            raise OperationRejected("double_pointer", "An antecedent is named twice.")
        if len({frozenset(reading) for reading in readings}) < len(readings):
            is_double = all(len(reading) == 1 for reading in readings)
            raise OperationRejected(
                "double_pointer" if is_double else "double_reading",
                "An antecedent is named twice." if is_double else f"A reading of {name} is named twice.",
            )
        if len(readings) > MAX_READINGS:
            raise OperationRejected("too_many_readings", f"{name} takes at most {MAX_READINGS} readings.")
        if not relation["joint"] and any(len(reading) > 1 for reading in readings):
            raise OperationRejected("not_joint", f"{name} takes no antecedents that are meant together.")
        if relation["max_targets"] is not None and len(targets) > relation["max_targets"]:
            raise OperationRejected("too_many_pointers", f"{name} takes at most {relation['max_targets']} antecedents.")
        markable = self.markable(decision.markable)
        for key in targets_of(readings):
            target = self.markable(key)
            if target.key == markable.key:
                raise OperationRejected("points_at_itself", f"{key!r} cannot be its own antecedent.")
            if target.level.key not in relation["to_levels"]:
                levels = " or ".join(relation["to_levels"])
                raise OperationRejected("wrong_level", f"{name} points at level {levels}, not at {key!r}.")
            if not relation["later"] and text_order(target) > text_order(markable):
                raise OperationRejected("points_later", f"{key!r} comes later in the text than {decision.markable!r}.")

    def _check_attributes(self, decision: Decision) -> None:
        given = self.given_answers(decision)
        for key, answer in decision.attributes:
            attribute = self.constraints["attributes"].get(key)
            if attribute is None:
                raise OperationRejected("unknown_attribute", f"The scheme has no attribute {key!r}.")
            _check_asked("attribute", key, attribute, attribute["levels"], given)
            _check_answer(key, answer, attribute)

    def _check_indices(self, decision: Decision, category: CategoryConstraints | None) -> None:
        if not decision.indices:
            return
        if not self.uses_indices or category is None or not category["takes_index"]:
            raise OperationRejected("no_index_here", f"The category {decision.category!r} takes no index.")
        if len(set(decision.indices)) < len(decision.indices):
            raise OperationRejected("double_index", "An index is named twice.")
        if any(not index or len(index) > ENTITY_LENGTH for index in decision.indices):
            raise OperationRejected("bad_index", f"An index has 1 to {ENTITY_LENGTH} characters.")


def check_head(decision: Decision, markable: Markable) -> None:
    """Raise OperationRejected unless the head lies within the markable."""
    if any(start >= end for start, end in decision.head) or not lies_within(decision.head, markable.parts):
        raise OperationRejected("bad_head", f"The head of {markable.key!r} is not made of its own words.")


def text_order(markable: Markable) -> tuple[int, int]:
    """Return a sort key: by start; of equal starts the longer markable first, so that a turn precedes its parts."""
    return (markable.start, -markable.end)


def _check_asked(
    kind: str,
    key: str,
    question: RelationConstraints | AttributeConstraints,
    levels: Collection[str],
    given: GivenAnswers,
) -> None:
    """Raise OperationRejected if the question does not apply to the level or to the other answers."""
    # relation_not_here, attribute_not_here, relation_not_asked, attribute_not_asked
    if given.level not in levels:
        raise OperationRejected(f"{kind}_not_here", f"{key} is not asked of markables of level {given.level}.")
    if is_asked(question, given):
        return
    relation, code = question.get("relation"), f"{kind}_not_asked"
    condition = question["asked_if"]
    if condition is None or (relation is not None and relation not in given.relations):
        condition = {"relation": relation}
    if "relation" in condition:
        raise OperationRejected(code, f"{key} is asked only where {condition['relation']} is set.")
    values = " or ".join(condition["values"])
    raise OperationRejected(code, f"{key} is asked only where {condition['question']} is {values}.")


def _check_answer(key: str, answer: AnswerValue, attribute: AttributeConstraints) -> None:
    """Raise OperationRejected if the attribute does not take the answer."""
    kind = attribute["kind"]
    answer_type, noun = ANSWER_TYPES[kind]
    if not isinstance(answer, answer_type):
        raise OperationRejected("bad_value", f"The answer to {key} is {noun}.")
    if kind == AnswerKind.TEXT and isinstance(answer, str) and len(answer) > MAX_TEXT_LENGTH:
        raise OperationRejected("text_too_long", f"The answer to {key} has at most {MAX_TEXT_LENGTH} characters.")
    if kind in (AnswerKind.TEXT, AnswerKind.NUMBER):
        return
    values = answer if isinstance(answer, tuple) else (answer,)
    for value in values:
        if value not in attribute["values"]:
            raise OperationRejected("unknown_value", f"{key} has no value {value!r}.")
    if len(set(values)) < len(values):
        raise OperationRejected("double_value", f"A value of {key} is named twice.")


def _new_markables(
    coding: Coding, keys: Iterable[str], all_levels: Iterable[Level]
) -> tuple[dict[str, Markable], dict[str, str]]:
    """Return the unsaved markables of the keys on levels that coders mark, and the reason for each invalid key."""
    levels = {level.key: level for level in all_levels if level.coders_mark}
    if not levels:
        return {}, {}
    # The database computes the length, so that a long text is not read for each judgement.
    length = Text.objects.filter(pk=coding.text_id).values_list(Length("content"), flat=True).get()
    new, invalid = {}, {}
    for key in keys:
        try:
            new[key] = new_markable(key, levels, length)
        except InvalidMarkable as error:
            invalid[key] = str(error)
    return new, invalid
