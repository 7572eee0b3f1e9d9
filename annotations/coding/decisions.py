"""Operations as payloads: their shape, and the rules of the scheme that they must keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from django.db.models import CharField, IntegerField, QuerySet
from django.db.models.functions import Length

from annotations.coding.markables import MAX_PARTS, InvalidMarkable, lies_within, new_markable
from annotations.coding.readings import Readings, is_readings, parse_readings, readings_payload, targets_of
from annotations.core.compiled_queries import ListParameter, compiled_query
from annotations.core.text import is_storable
from annotations.formats.model.scheme import AnswerKind
from annotations.models import Coding, Level, Markable, Text
from annotations.models.coding import ENTITY_LENGTH, NAME_LENGTH
from annotations.models.docset import COMMENT_LENGTH, LABEL_LENGTH
from annotations.schemes.constraints import (
    MAX_KEYS,
    MAX_NUMBER,
    MAX_TEXT_LENGTH,
    AnswerValue,
    AttributeConstraints,
    CategoryConstraints,
    Constraints,
    GivenAnswers,
    RelationConstraints,
    is_asked,
)
from annotations.schemes.project_scheme import SchemeKeys, read_scheme

MAX_NOTE_LENGTH = 10_000
DECISION_FIELDS = ("markable", "category", "pointers", "indices", "note", "name", "head", "unsure", "optional")
# Those that a payload has only where they say something.
FURTHER_FIELDS = ("relations", "attributes")


class OperationRejected(Exception):
    """An operation that breaks a rule. `position` is its index in the batch, from 0; None if it concerns the batch."""

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole judgement of one markable.

    pointers: the readings of the identity relation of the category. relations: those of the other relations, by their
    keys and in the order of these. attributes: the answers to attributes in the same way.
    """

    markable: str
    category: str | None = None
    pointers: Readings = ()
    indices: tuple[str, ...] = ()
    note: str = ""
    name: str = ""
    head: tuple[tuple[int, int], ...] = ()
    unsure: bool = False
    optional: bool = False
    relations: tuple[tuple[str, Readings], ...] = ()
    attributes: tuple[tuple[str, AnswerValue], ...] = ()

    def targets(self) -> Iterator[str]:
        """Yield the keys of all that it points at, as often as they are named."""
        yield from targets_of(self.pointers)
        for _, readings in self.relations:
            yield from targets_of(readings)

    def payload(self) -> dict[str, Any]:
        """Return the payload as it is written to the log and sent to the browser."""
        payload = {
            "markable": self.markable,
            "category": self.category,
            "pointers": readings_payload(self.pointers),
            "indices": list(self.indices),
            "note": self.note,
            "name": self.name,
            "head": [list(part) for part in self.head],
            "unsure": self.unsure,
            "optional": self.optional,
        }
        if self.relations or self.attributes:
            payload |= further_payload(self.relations, self.attributes)
        return payload


def further_payload(
    relations: Iterable[tuple[str, Readings]], attributes: Iterable[tuple[str, AnswerValue]]
) -> dict[str, Any]:
    """Return the fields of a payload that only judgements have which set further relations or answer attributes."""
    payload: dict[str, Any] = {}
    if relations:
        payload["relations"] = {key: readings_payload(readings) for key, readings in relations}
    if attributes:
        payload["attributes"] = {
            key: list(answer) if isinstance(answer, tuple) else answer for key, answer in attributes
        }
    return payload


@dataclass(frozen=True, slots=True)
class ClearJudgement:
    """The removal of the judgement of a markable."""

    markable: str


@dataclass(frozen=True, slots=True)
class DeleteMarkable:
    """The deletion of a coder's own markable, with the pointers to it."""

    markable: str


@dataclass(frozen=True, slots=True)
class MoveMarkable:
    """The change of the boundaries of a coder's own markable, and so of its key; judgement and pointers follow."""

    markable: str
    to: str


@dataclass(frozen=True, slots=True)
class Description:
    """The label and comment of an SCU. An SCU with neither exists only as long as it has contributors."""

    scu: str
    label: str = ""
    comment: str = ""

    def payload(self) -> dict[str, Any]:
        """Return the payload as it is written to the log and sent to the browser."""
        return {"scu": self.scu, "label": self.label, "comment": self.comment}


type MarkableOperation = Decision | ClearJudgement | DeleteMarkable | MoveMarkable
type OperationPayload = MarkableOperation | Description


def parse_operation(kind: str, payload: Mapping[str, Any]) -> OperationPayload:
    """Return the operation that a payload describes. Raise OperationRejected if the payload has another shape."""
    if kind == "describe":
        return _parse_description(payload)
    key = _parse_key(payload, "markable")
    match kind:
        case "judge":
            return _parse_decision(key, payload)
        case "clear":
            _refuse_unknown_fields(payload, ("markable",))
            return ClearJudgement(key)
        case "unmark":
            _refuse_unknown_fields(payload, ("markable",))
            return DeleteMarkable(key)
        case "move":
            _refuse_unknown_fields(payload, ("markable", "to"))
            return MoveMarkable(key, _parse_key(payload, "to"))
    raise OperationRejected("unknown_kind", f"There is no operation {kind!r} here.")


def _parse_description(payload: Mapping[str, Any]) -> Description:
    _refuse_unknown_fields(payload, ("scu", "label", "comment"))
    key = payload.get("scu")
    if not is_storable(key) or not 0 < len(key) <= ENTITY_LENGTH:
        raise OperationRejected("bad_payload", f"scu is a key of 1 to {ENTITY_LENGTH} characters.")
    label, comment = _parse_text(payload, "label"), _parse_text(payload, "comment")
    if len(label) > LABEL_LENGTH or len(comment) > COMMENT_LENGTH:
        raise OperationRejected(
            "description_too_long",
            f"A label has at most {LABEL_LENGTH} characters, a comment at most {COMMENT_LENGTH}.",
        )
    return Description(key, label, comment)


def _parse_decision(key: str, payload: Mapping[str, Any]) -> Decision:
    _refuse_unknown_fields(payload, (*DECISION_FIELDS, *FURTHER_FIELDS))
    category = payload.get("category")
    if not (category is None or isinstance(category, str)):
        raise OperationRejected("bad_payload", "category is a key or null.")
    pointers = _parse_readings(payload.get("pointers", []), "pointers")
    relations = _parse_relations(payload.get("relations", {}))
    attributes = _parse_attributes(payload.get("attributes", {}))
    decision = Decision(
        key,
        category,
        pointers,
        _parse_keys(payload, "indices"),
        _parse_text(payload, "note"),
        _parse_text(payload, "name"),
        _parse_head(payload),
        _parse_flag(payload, "unsure"),
        _parse_flag(payload, "optional"),
        relations,
        attributes,
    )
    if relations and sum(1 for _ in decision.targets()) > MAX_KEYS:
        raise OperationRejected("bad_payload", f"pointers and relations name at most {MAX_KEYS} targets.")
    return decision


def import_decision(payload: Mapping[str, Any]) -> Decision:
    """Return the decision of an import that the log holds; it may name more than an operation of a coder."""
    return Decision(
        payload["markable"],
        payload["category"],
        parse_readings(payload["pointers"]),
        tuple(payload["indices"]),
        payload["note"],
        payload["name"],
        tuple((start, end) for start, end in payload["head"]),
        payload["unsure"],
        payload["optional"],
        _readings_by_key(payload.get("relations", {})),
        _parse_attributes(payload.get("attributes", {})),
    )


def is_import_decision(payload: object) -> bool:
    """Return whether it is the payload of a decision of an import, which may name more than that of a coder."""
    if not isinstance(payload, dict) or payload.keys() - FURTHER_FIELDS != set(DECISION_FIELDS):
        return False
    relations, indices, head = payload.get("relations", {}), payload["indices"], payload["head"]
    try:
        parse_operation("judge", payload | {"pointers": [], "indices": [], "head": [], "relations": {}})
    except OperationRejected:
        return False
    return (
        isinstance(relations, dict)
        and all(is_readings(readings, _is_text) for readings in (payload["pointers"], *relations.values()))
        and isinstance(indices, list)
        and all(isinstance(index, str) for index in indices)
        and isinstance(head, list)
        and all(_is_span(part) for part in head)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _parse_key(payload: Mapping[str, Any], field: str) -> str:
    key = payload.get(field)
    if not is_storable(key):
        raise OperationRejected(
            "bad_payload", f"The payload names no {field if field == 'markable' else 'place to move to'}."
        )
    return key


def _refuse_unknown_fields(payload: Mapping[str, Any], allowed: Sequence[str]) -> None:
    unknown = sorted(set(payload) - set(allowed))
    if unknown:
        raise OperationRejected("bad_payload", f"The payload has an unknown field {unknown[0]!r}.")


def _parse_text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name, "")
    if not is_storable(value):
        raise OperationRejected("bad_payload", f"{name} is a text without NUL or lone surrogates.")
    return value


def _parse_keys(payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = payload.get(name, [])
    if not isinstance(value, list) or len(value) > MAX_KEYS or not all(is_storable(entry) for entry in value):
        raise OperationRejected("bad_payload", f"{name} is a list of at most {MAX_KEYS} texts.")
    return tuple(value)


def _parse_readings(value: Any, name: str) -> Readings:
    if (
        not isinstance(value, list)
        or len(value) > MAX_KEYS
        or not is_readings(value, is_storable)
        or sum(1 if isinstance(reading, str) else len(reading) for reading in value) > MAX_KEYS
    ):
        raise OperationRejected(
            "bad_payload",
            f"{name} is a list of at most {MAX_KEYS} texts, or of lists of those that are meant together.",
        )
    return parse_readings(value)


def _parse_relations(value: Any) -> tuple[tuple[str, Readings], ...]:
    if not value and isinstance(value, dict):
        return ()
    if not isinstance(value, dict) or len(value) > MAX_KEYS or not all(is_storable(key) for key in value):
        raise OperationRejected("bad_payload", f"relations has the targets of at most {MAX_KEYS} relations by key.")
    for key, readings in value.items():
        _parse_readings(readings, f"{key!r} of relations")
    return _readings_by_key(value)


def _readings_by_key(value: Mapping[str, Any]) -> tuple[tuple[str, Readings], ...]:
    """Return the relations that are set, in the order of their keys."""
    return tuple((key, parse_readings(value[key])) for key in sorted(value) if value[key])


def _parse_attributes(value: Any) -> tuple[tuple[str, AnswerValue], ...]:
    """Return the attributes that are answered, in the order of their keys: an empty text or list is no answer."""
    if not value and isinstance(value, dict):
        return ()
    if not isinstance(value, dict) or not all(is_storable(key) for key in value):
        raise OperationRejected("bad_payload", "attributes has answers by the keys of attributes.")
    parsed = tuple((key, _parse_answer(key, value[key])) for key in sorted(value) if value[key] not in ("", []))
    if sum(len(answer) if isinstance(answer, tuple) else 1 for _, answer in parsed) > MAX_KEYS:
        raise OperationRejected("bad_payload", f"attributes has at most {MAX_KEYS} answers.")
    return parsed


def _parse_answer(key: str, value: Any) -> AnswerValue:
    match value:
        case str() if is_storable(value):
            return value
        case bool():
            pass
        case int() | float() if -MAX_NUMBER <= value <= MAX_NUMBER:
            return int(value) if value == int(value) else value
        case list() if all(is_storable(entry) for entry in value):
            return tuple(value)
    raise OperationRejected("bad_payload", f"{key!r} of attributes is a value, a list of values, a text or a number.")


def _parse_head(payload: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    value = payload.get("head", [])
    if not isinstance(value, list) or len(value) > MAX_PARTS or not all(_is_span(part) for part in value):
        raise OperationRejected("bad_payload", f"head is a list of at most {MAX_PARTS} pairs [start, end].")
    return tuple((start, end) for start, end in value)


def _is_span(part: object) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(type(edge) is int for edge in part)


def _parse_flag(payload: Mapping[str, Any], name: str) -> bool:
    value = payload.get(name, False)
    if not isinstance(value, bool):
        raise OperationRejected("bad_payload", f"{name} is true or false.")
    return value


def given_answers(constraints: Constraints, level: str, decision: Decision) -> GivenAnswers:
    """Return what a decision on a markable of that level answers, by which further questions are asked."""
    relations = {key for key, _ in decision.relations}
    category = constraints["categories"].get(decision.category or "")
    if decision.pointers and category is not None and category["identity"] is not None:
        relations.add(category["identity"])
    return GivenAnswers(level, decision.category, dict(decision.attributes), relations)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the scheme for one coding and the markables that some operations name.

    `constraints` are those of the scheme, and `keys` its primary keys, for what is written. `markables` are those that
    the coder sees, by key; `new` are the unsaved ones that come into being because the coder names them; `invalid` maps
    each key that cannot be a markable to the reason.
    """

    answers: str
    constraints: Constraints
    markables: Mapping[str, Markable]
    new: Mapping[str, Markable] = field(default_factory=dict)
    invalid: Mapping[str, str] = field(default_factory=dict)
    keys: SchemeKeys = field(default_factory=SchemeKeys)

    @classmethod
    def for_coding(cls, coding: Coding, keys: Iterable[str]) -> Rules:
        """Return the rules for these keys. Where coders mark themselves, every well-formed key names a markable."""
        project, keys = coding.text.project, set(keys)
        scheme = read_scheme(project.pk)
        levels = {level.pk: level for level in scheme.levels}
        markables = {markable.key: markable for markable in _visible_markables(coding.pk, coding.text_id, keys)}
        for markable in markables.values():
            markable.level = levels[markable.level_id]
        missing = keys - set(markables)
        new, invalid = _new_markables(coding, missing, scheme.levels) if missing else ({}, {})
        return cls(project.answers, scheme.constraints, markables, new, invalid, scheme.keys)

    @property
    def uses_indices(self) -> bool:
        """Whether judgements may have indices."""
        return self.answers in ("indices", "scus")

    @property
    def asks_attributes(self) -> bool:
        """Whether judgements may answer attributes."""
        return bool(self.constraints["attributes"])

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
        """Raise OperationRejected if the scheme does not allow those targets of the decision, wherever they are."""
        if decision.pointers:
            self._check_pointers(decision)
        for key, readings in decision.relations:
            self._check_readings(decision, key, readings, self._relation(key))

    def given_answers(self, decision: Decision) -> GivenAnswers:
        """Return what the decision answers, by which further questions are asked."""
        return given_answers(self.constraints, self.markable(decision.markable).level.key, decision)

    def markable(self, key: str) -> Markable:
        """Return the markable of that key, saved or new. Raise OperationRejected if there is none."""
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
        """Raise OperationRejected if a relation is not asked of the markable with this answer."""
        given = self.given_answers(decision)
        for key, _ in decision.relations:
            relation = self._relation(key)
            if relation["identity"]:
                raise OperationRejected("identity_is_pointers", f"{key} says identity: its targets are pointers.")
            if given.level not in relation["from_levels"] or not relation["to_levels"]:
                raise OperationRejected("relation_not_here", f"{key} is not asked of markables of level {given.level}.")
            if not is_asked(relation, given):
                _refuse_unasked("relation_not_asked", key, relation, given)

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
            if given.level not in attribute["levels"]:
                raise OperationRejected(
                    "attribute_not_here", f"{key} is not asked of markables of level {given.level}."
                )
            if not is_asked(attribute, given):
                _refuse_unasked("attribute_not_asked", key, attribute, given)
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


@compiled_query(IntegerField(), IntegerField(), ListParameter(CharField()))
def _visible_markables(coding: int, text: int, keys: Collection[str]) -> QuerySet[Markable]:
    return Markable.objects.seen_in(coding, text).filter(key__in=keys).order_by()


def check_head(decision: Decision, markable: Markable) -> None:
    """Raise OperationRejected unless the head lies within the markable."""
    if any(start >= end for start, end in decision.head) or not lies_within(decision.head, markable.parts):
        raise OperationRejected("bad_head", f"The head of {markable.key!r} is not made of its own words.")


def text_order(markable: Markable) -> tuple[int, int]:
    """Return a sort key: earlier starts first; of equal starts the longer first, so that a turn precedes its parts."""
    return (markable.start, -markable.end)


def _refuse_unasked(
    code: str, key: str, question: RelationConstraints | AttributeConstraints, given: GivenAnswers
) -> NoReturn:
    relation = question.get("relation")
    condition = question["asked_if"]
    if condition is None or (relation is not None and relation not in given.relations):
        condition = {"relation": relation}
    if "relation" in condition:
        raise OperationRejected(code, f"{key} is asked only where {condition['relation']} is set.")
    values = " or ".join(condition["values"])
    raise OperationRejected(code, f"{key} is asked only where {condition['question']} is {values}.")


def _check_answer(key: str, answer: AnswerValue, attribute: AttributeConstraints) -> None:
    """Raise OperationRejected if the attribute does not take the answer."""
    kinds: dict[str, type | tuple[type, ...]] = {
        AnswerKind.ONE: str,
        AnswerKind.SEVERAL: tuple,
        AnswerKind.TEXT: str,
        AnswerKind.NUMBER: (int, float),
    }
    kind = attribute["kind"]
    if not isinstance(answer, kinds[kind]):
        says = {"one": "one value", "several": "a list of values", "text": "a text", "number": "a number"}[kind]
        raise OperationRejected("bad_value", f"The answer to {key} is {says}.")
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
    """Return the unsaved markables of the keys where coders mark themselves, and the reason for each invalid key."""
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
