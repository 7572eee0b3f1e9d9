"""The fields of operation payloads: each defines in one place how it is parsed and its JSON Schema.

`PAYLOADS` has the fields of each kind of operation that clients send. Conditions on single fields are checked here,
between fields in `parse_operation`, and conditions of the scheme in `annotations.coding.rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from annotations.coding.markables.markables import MAX_PARTS
from annotations.coding.readings import Readings, is_readings, parse_readings
from annotations.core.text import is_storable
from annotations.formats.model.scheme import AnswerValue
from annotations.models.coding import ENTITY_LENGTH
from annotations.models.docset import COMMENT_LENGTH, LABEL_LENGTH
from annotations.schemes.constraints import MAX_KEYS, MAX_NUMBER

MAX_ITEMS = 500
MAX_CODINGS = 1000  # whose answers one operation takes
MAX_NOTE_LENGTH = 10_000
MAX_SECTION_LENGTH = 200

type JSONSchema = dict[str, Any]
STRING: JSONSchema = {"type": "string"}


class OperationRejected(Exception):
    """An operation that breaks a rule. `position` is its index in the batch, from 0; None if it concerns the batch."""

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


def bad_payload(message: str) -> OperationRejected:
    """Return the exception for a payload of another shape."""
    return OperationRejected("bad_payload", message)


class Source(StrEnum):
    """The source of the answer to an item of gold: the draft, coders, or the adjudicator."""

    DRAFT = "draft"
    CODER = "coder"
    OWN = "own"


class Reason(StrEnum):
    """The reason why coders disagree: an ambiguous text, a gap in the guidelines, a slip, or the scheme."""

    NONE = ""
    AMBIGUOUS = "ambiguous"
    GUIDELINE = "guideline"
    SLIP = "slip"
    SCHEME = "scheme"


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadField:
    """A field of payloads with its parser and its JSON Schema.

    `read` takes a value and the name of the field; it raises OperationRejected. `empty` replaces a missing value.
    """

    read: Callable[[Any, str], Any]
    schema: JSONSchema
    empty: object = None
    required: bool = False
    about: str = ""

    def parse(self, payload: Mapping[str, Any], name: str) -> Any:
        """Return the parsed field of this name. Raise OperationRejected if its value has another shape."""
        return self.read(payload.get(name, self.empty), name)


def _key(about: str, named: str = "") -> PayloadField:
    """Return a field for the key of a markable; messages call it `named`."""

    def read(key: Any, name: str) -> str:
        if not is_storable(key):
            raise bad_payload(f"The payload names no {named or name}.")
        return key

    return PayloadField(read=read, schema=STRING, required=True, about=about)


def _text(
    about: str = "", *, shortest: int = 0, longest: int | None = None, too_long: str = "bad_payload"
) -> PayloadField:
    """Return a field for a text; one over `longest` has the code `too_long`. None: the rules limit it."""

    def read(value: Any, name: str) -> str:
        if not is_storable(value) or len(value) < shortest:
            what = f"key of {shortest} to {longest} characters" if shortest else "text"
            raise bad_payload(f"{name} is a {what} without NUL or lone surrogates.")
        if longest is not None and len(value) > longest:
            raise OperationRejected(too_long, f"{name} has at most {longest} characters.")
        return value

    bounds = {"minLength": shortest or None, "maxLength": longest}
    schema = STRING | {name: bound for name, bound in bounds.items() if bound is not None}
    return PayloadField(read=read, schema=schema, empty="", required=shortest > 0, about=about)


def _choice(choices: type[StrEnum], about: str, *, required: bool = False) -> PayloadField:
    """Return a field for one of a set of words; a missing field is the empty word."""

    def read(value: Any, name: str) -> StrEnum:
        if value not in list(choices):
            empty = ", or empty" if "" in list(choices) else ""
            raise bad_payload(f"{name} is {', '.join(filter(None, choices))}{empty}.")
        return choices(value)

    schema = STRING | {"enum": [str(choice) for choice in choices]}
    return PayloadField(read=read, schema=schema, empty=None if required else "", required=required, about=about)


def _list(
    about: str,
    maximum: int,
    is_allowed: Callable[[object], bool] = is_storable,
    noun: str = "texts",
    entry: JSONSchema = STRING,
) -> PayloadField:
    """Return a field for a list of texts that `takes` accepts."""

    def read(value: Any, name: str) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > maximum or not all(map(is_allowed, value)):
            raise bad_payload(f"{name} is a list of at most {maximum} {noun}.")
        return tuple(value)

    schema = {"type": "array", "maxItems": maximum, "items": entry}
    return PayloadField(read=read, schema=schema, empty=[], about=about)


def _flag() -> PayloadField:
    def read(value: Any, name: str) -> bool:
        if not isinstance(value, bool):
            raise bad_payload(f"{name} is true or false.")
        return value

    return PayloadField(read=read, schema={"type": "boolean"}, empty=False)


def _read_category(category: Any, name: str) -> str | None:
    if not (category is None or isinstance(category, str)):
        raise bad_payload(f"{name} is a key or null.")
    return category


def _read_spans(value: Any, name: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list) or len(value) > MAX_PARTS or not all(map(is_span, value)):
        raise bad_payload(f"{name} is a list of at most {MAX_PARTS} pairs [start, end].")
    return tuple((start, end) for start, end in value)


def _read_relations(value: Any, name: str) -> tuple[tuple[str, Readings], ...]:
    if not value and isinstance(value, dict):
        return ()
    if not isinstance(value, dict) or len(value) > MAX_KEYS or not all(map(is_storable, value)):
        raise bad_payload(f"{name} has the targets of at most {MAX_KEYS} relations by key.")
    for key, readings in value.items():
        parse_targets(readings, f"{key!r} of {name}")
    return readings_by_key(value)


def _read_items(items: Any, name: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(items, list) or not 0 < len(items) <= MAX_ITEMS or not all(map(is_item, items)):
        raise bad_payload(f"{name} is a list of 1 to {MAX_ITEMS} pairs of the key of a markable and a question.")
    pairs = tuple((key, question) for key, question in items)
    if len(set(pairs)) < len(pairs):
        raise bad_payload(f"{name} names one twice.")
    return pairs


def parse_targets(value: Any, name: str) -> Readings:
    """Return the readings of a relation. Raise OperationRejected on another shape."""
    if (
        not isinstance(value, list)
        or len(value) > MAX_KEYS
        or not is_readings(value, is_storable)
        or sum(1 if isinstance(reading, str) else len(reading) for reading in value) > MAX_KEYS
    ):
        raise bad_payload(
            f"{name} is a list of at most {MAX_KEYS} texts, or of lists of those that are meant together."
        )
    return parse_readings(value)


def parse_attributes(value: Any, name: str = "attributes") -> tuple[tuple[str, AnswerValue], ...]:
    """Return the answered attributes in the order of their keys; an empty text or list is no answer."""
    if not value and isinstance(value, dict):
        return ()
    if not isinstance(value, dict) or not all(map(is_storable, value)):
        raise bad_payload(f"{name} has answers by the keys of attributes.")
    parsed = tuple((key, _parse_answer(key, value[key])) for key in sorted(value) if value[key] not in ("", []))
    if sum(len(answer) if isinstance(answer, tuple) else 1 for _, answer in parsed) > MAX_KEYS:
        raise bad_payload(f"{name} has at most {MAX_KEYS} answers.")
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
    raise bad_payload(f"{key!r} of attributes is a value, a list of values, a text or a number.")


def is_item(value: object) -> bool:
    """Return whether the value is an item in a payload: the key of a markable and a question."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_storable, value))


def is_uuid(value: object) -> bool:
    """Return whether the value is a UUID in lower case."""
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def is_span(part: object) -> bool:
    """Return whether the value is a pair of offsets in a payload."""
    return isinstance(part, list) and len(part) == 2 and all(type(edge) is int for edge in part)


def readings_by_key(value: Mapping[str, Any]) -> tuple[tuple[str, Readings], ...]:
    """Return the non-empty relations in the order of their keys."""
    return tuple((key, parse_readings(value[key])) for key in sorted(value) if value[key])


SPAN: JSONSchema = {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}}
TOGETHER: JSONSchema = {"type": "array", "minItems": 1, "maxItems": MAX_KEYS, "items": STRING}
# Keys that are alternatives, or lists of keys that are meant together.
READINGS: JSONSchema = {"anyOf": [{"type": "array", "maxItems": MAX_KEYS, "items": key} for key in (STRING, TOGETHER)]}
NUMBER: JSONSchema = {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}
ANSWER: JSONSchema = {"anyOf": [STRING, NUMBER, {"type": "array", "maxItems": MAX_KEYS, "items": STRING}]}
ITEM: JSONSchema = {"type": "array", "minItems": 2, "maxItems": 2, "items": STRING}

MARKABLE = {"markable": _key("the key of a markable")}
PAYLOADS: dict[str, dict[str, PayloadField]] = {
    "judge": {
        **MARKABLE,
        "category": PayloadField(
            read=_read_category, schema=STRING | {"nullable": True}, about="its key; null: none yet"
        ),
        "pointers": PayloadField(
            read=parse_targets,
            schema=READINGS,
            empty=[],
            about="antecedents: alternatives, or lists of those that are meant together",
        ),
        "indices": _list("of entities, or of SCUs", MAX_KEYS),
        "note": _text(),
        "name": _text("what you call the chain that it is in"),
        "head": PayloadField(
            read=_read_spans,
            schema={"type": "array", "maxItems": MAX_PARTS, "items": SPAN},
            empty=[],
            about="your own MIN; empty: that of the markable",
        ),
        "unsure": _flag(),
        "optional": _flag(),
        "relations": PayloadField(
            read=_read_relations,
            schema={"type": "object", "maxProperties": MAX_KEYS, "additionalProperties": READINGS},
            empty={},
            about="targets by the keys of relations besides identity",
        ),
        "attributes": PayloadField(
            read=parse_attributes,
            schema={"type": "object", "additionalProperties": ANSWER},
            empty={},
            about="by the keys of attributes: a value, a list of values, a text or a number",
        ),
    },
    "clear": MARKABLE,
    "unmark": MARKABLE,
    "move": {**MARKABLE, "to": _key("the key with the new boundaries", named="place to move to")},
    "describe": {
        "scu": _text("the key of an SCU", shortest=1, longest=ENTITY_LENGTH),
        "label": _text(longest=LABEL_LENGTH, too_long="description_too_long"),
        "comment": _text(longest=COMMENT_LENGTH, too_long="description_too_long"),
    },
    "check": MARKABLE,
    "decide": {
        "items": PayloadField(
            read=_read_items,
            schema={"type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "uniqueItems": True, "items": ITEM},
            required=True,
            about="markables, each with a question: `category`, or the key of an attribute or relation",
        ),
        "source": _choice(Source, "whose answer holds", required=True),
        "codings": _list(
            "the last operations of those whose answer is taken: of coder",
            MAX_CODINGS,
            is_uuid,
            "uuids of operations",
            STRING | {"format": "uuid"},
        ),
        "reason": _choice(Reason, "why coders could disagree"),
        "section": _text("of the guidelines, by its heading", longest=MAX_SECTION_LENGTH),
        "note": _text(longest=MAX_NOTE_LENGTH, too_long="note_too_long"),
    },
}


def parse_payload(kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parsed fields. Raise OperationRejected on another shape, or a kind that clients cannot send."""
    fields = PAYLOADS.get(kind)
    if fields is None:
        raise OperationRejected("unknown_kind", f"There is no operation {kind!r} here.")
    if unknown := payload.keys() - fields.keys():
        raise bad_payload(f"The payload has an unknown field {min(unknown)!r}.")
    return {name: field.parse(payload, name) for name, field in fields.items()}


def payload_schema(kind: str) -> JSONSchema:
    """Return the JSON Schema of a payload of this kind."""
    fields = PAYLOADS[kind]
    return {
        "type": "object",
        "properties": {
            name: field.schema | ({"description": field.about} if field.about else {}) for name, field in fields.items()
        },
        "required": [name for name, field in fields.items() if field.required],
        "additionalProperties": False,
    }
