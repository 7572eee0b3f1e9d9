"""Operations as payloads: what they say, and the shape that they must have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from annotations.coding.markables import MAX_PARTS
from annotations.coding.readings import Readings, is_readings, parse_readings, readings_payload, targets_of
from annotations.core.text import is_storable
from annotations.formats.model.scheme import AnswerValue
from annotations.models.coding import ENTITY_LENGTH
from annotations.models.docset import COMMENT_LENGTH, LABEL_LENGTH
from annotations.schemes.constraints import MAX_KEYS, MAX_NUMBER

DECISION_FIELDS = ("markable", "category", "pointers", "indices", "note", "name", "head", "unsure", "optional")
# Those that a payload has only where they say something.
FURTHER_FIELDS = ("relations", "attributes")
DECIDE_FIELDS = ("items", "source", "codings", "reason", "section", "note")
MAX_ITEMS = 500
MAX_CODINGS = 1000  # whose answer is taken by one operation
MAX_NOTE_LENGTH = 10_000
MAX_SECTION_LENGTH = 200


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
class CheckJudgement:
    """The comparison of the judgement of a markable with the gold, in training."""

    markable: str


class Source(StrEnum):
    """Whose answer holds of an item of gold: that of the draft, of coders, or the adjudicator's own."""

    DRAFT = "draft"
    CODER = "coder"
    OWN = "own"


class Reason(StrEnum):
    """Why coders could disagree: an ambiguous text, a gap in the guidelines, a slip, or the scheme."""

    NONE = ""
    AMBIGUOUS = "ambiguous"
    GUIDELINE = "guideline"
    SLIP = "slip"
    SCHEME = "scheme"


@dataclass(frozen=True, slots=True)
class DecideItems:
    """What holds of items of gold, each a markable and a question, and why. It changes no judgement.

    codings: the last operations of the codings whose answer was taken, as the draft names them. section: the heading of
    the guidelines that it concerns.
    """

    items: tuple[tuple[str, str], ...]
    source: Source
    codings: tuple[str, ...] = ()
    reason: Reason = Reason.NONE
    section: str = ""
    note: str = ""

    def payload(self) -> dict[str, Any]:
        """Return the payload as it is written to the log, without what says nothing."""
        payload = {
            "items": [list(item) for item in self.items],
            "source": str(self.source),
            "codings": list(self.codings),
            "reason": str(self.reason),
            "section": self.section,
            "note": self.note,
        }
        return {name: value for name, value in payload.items() if value}


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
# What is written to other tables than the log, or has a condition there.
type WritingOperation = MarkableOperation | CheckJudgement | Description
type OperationPayload = WritingOperation | DecideItems


def parse_operation(kind: str, payload: Mapping[str, Any]) -> OperationPayload:
    """Return the operation that a payload describes. Raise OperationRejected if the payload has another shape."""
    if kind == "describe":
        return _parse_description(payload)
    if kind == "decide":
        return _parse_decide(payload)
    key = _parse_key(payload, "markable")
    match kind:
        case "judge":
            return _parse_decision(key, payload)
        case "clear":
            _refuse_unknown_fields(payload, ("markable",))
            return ClearJudgement(key)
        case "check":
            _refuse_unknown_fields(payload, ("markable",))
            return CheckJudgement(key)
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


def _parse_decide(payload: Mapping[str, Any]) -> DecideItems:
    _refuse_unknown_fields(payload, DECIDE_FIELDS)
    items, codings = payload.get("items"), payload.get("codings", [])
    if not isinstance(items, list) or not 0 < len(items) <= MAX_ITEMS or not all(map(is_item, items)):
        raise OperationRejected(
            "bad_payload", f"items is a list of 1 to {MAX_ITEMS} pairs of the key of a markable and a question."
        )
    if len({(key, question) for key, question in items}) < len(items):
        raise OperationRejected("bad_payload", "items names one twice.")
    source, reason = payload.get("source"), payload.get("reason", "")
    if source not in list(Source):
        raise OperationRejected("bad_payload", f"source is {', '.join(Source)}.")
    if reason not in list(Reason):
        raise OperationRejected("bad_payload", f"reason is {', '.join(filter(None, Reason))}, or empty.")
    if not isinstance(codings, list) or len(codings) > MAX_CODINGS or not all(map(is_uuid, codings)):
        raise OperationRejected("bad_payload", f"codings is a list of at most {MAX_CODINGS} uuids of operations.")
    if bool(codings) != (source == Source.CODER):
        raise OperationRejected("bad_payload", "codings names whose answer was taken where the source is coder.")
    section, note = _parse_text(payload, "section"), _parse_text(payload, "note")
    if len(section) > MAX_SECTION_LENGTH:
        raise OperationRejected("bad_payload", f"section has at most {MAX_SECTION_LENGTH} characters.")
    if len(note) > MAX_NOTE_LENGTH:
        raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
    pairs = tuple((key, question) for key, question in items)
    return DecideItems(pairs, Source(source), tuple(codings), Reason(reason), section, note)


def is_item(value: object) -> bool:
    """Return whether it is an item in a payload: the key of a markable with a question."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_storable, value))


def is_uuid(value: object) -> bool:
    """Return whether it is a uuid in a payload, in small letters."""
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _parse_decision(key: str, payload: Mapping[str, Any]) -> Decision:
    _refuse_unknown_fields(payload, (*DECISION_FIELDS, *FURTHER_FIELDS))
    category = payload.get("category")
    if not (category is None or isinstance(category, str)):
        raise OperationRejected("bad_payload", "category is a key or null.")
    pointers = _parse_readings(payload.get("pointers", []), "pointers")
    relations = _parse_relations(payload.get("relations", {}))
    attributes = parse_attributes(payload.get("attributes", {}))
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
        parse_attributes(payload.get("attributes", {})),
    )


def check_descriptions(scus: object) -> None:
    """Raise OperationRejected unless this is a list of descriptions, as an import has them of SCUs."""
    if not isinstance(scus, list) or not all(isinstance(description, dict) for description in scus):
        raise OperationRejected("bad_payload", "its SCUs are no list.")
    for description in scus:
        parse_operation("describe", description)


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


def parse_attributes(value: Any) -> tuple[tuple[str, AnswerValue], ...]:
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
