"""The fields of payloads of operations: each says in one place how it is parsed, and what that takes as JSON Schema.

`PAYLOADS` has those of each kind that clients send. What a field takes by itself is here; what holds between fields
is in `parse_operation`, what the scheme allows in `annotations.coding.rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
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
MAX_CODINGS = 1000  # whose answer is taken by one operation
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
    """Return the refusal of a payload that has another shape."""
    return OperationRejected("bad_payload", message)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadField(ABC):
    """A field of payloads. One that is not required is taken to be empty where it is missing."""

    about: str = ""
    required: bool = False

    @abstractmethod
    def parse(self, payload: Mapping[str, Any], name: str) -> Any:
        """Return what the field of this name says. Raise OperationRejected if it has another shape."""

    @abstractmethod
    def schema(self) -> JSONSchema:
        """Return the JSON Schema of what is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyField(PayloadField):
    """The key of a markable."""

    required: bool = True
    named: str = ""

    def parse(self, payload: Mapping[str, Any], name: str) -> str:
        key = payload.get(name)
        if not is_storable(key):
            raise bad_payload(f"The payload names no {self.named or name}.")
        return key

    def schema(self) -> JSONSchema:
        return STRING


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryField(PayloadField):
    """The key of a category, or null."""

    def parse(self, payload: Mapping[str, Any], name: str) -> str | None:
        category = payload.get(name)
        if not (category is None or isinstance(category, str)):
            raise bad_payload(f"{name} is a key or null.")
        return category

    def schema(self) -> JSONSchema:
        return STRING | {"nullable": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField(PayloadField):
    """A text. `longest` is refused here with the code `too_long`; of others the bound is a rule."""

    shortest: int = 0
    longest: int | None = None
    too_long: str = "bad_payload"

    def parse(self, payload: Mapping[str, Any], name: str) -> str:
        value = payload.get(name, "")
        if not is_storable(value) or len(value) < self.shortest:
            what = f"key of {self.shortest} to {self.longest} characters" if self.shortest else "text"
            raise bad_payload(f"{name} is a {what} without NUL or lone surrogates.")
        if self.longest is not None and len(value) > self.longest:
            raise OperationRejected(self.too_long, f"{name} has at most {self.longest} characters.")
        return value

    def schema(self) -> JSONSchema:
        bounds = {"minLength": self.shortest or None, "maxLength": self.longest}
        return STRING | {name: bound for name, bound in bounds.items() if bound is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagField(PayloadField):
    """True or false."""

    def parse(self, payload: Mapping[str, Any], name: str) -> bool:
        value = payload.get(name, False)
        if not isinstance(value, bool):
            raise bad_payload(f"{name} is true or false.")
        return value

    def schema(self) -> JSONSchema:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField(PayloadField):
    """One of a set of words; the empty one is what is meant where it is missing."""

    choices: type[StrEnum]

    def parse(self, payload: Mapping[str, Any], name: str) -> Any:
        value = payload.get(name, None if self.required else "")
        if value not in list(self.choices):
            empty = ", or empty" if "" in list(self.choices) else ""
            raise bad_payload(f"{name} is {', '.join(filter(None, self.choices))}{empty}.")
        return self.choices(value)

    def schema(self) -> JSONSchema:
        return STRING | {"enum": [str(one) for one in self.choices]}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListField(PayloadField):
    """A list of texts."""

    most: int

    def parse(self, payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
        value = payload.get(name, [])
        if not isinstance(value, list) or len(value) > self.most or not all(map(self.takes, value)):
            raise bad_payload(f"{name} is a list of at most {self.most} {self.of()}.")
        return tuple(value)

    def takes(self, entry: object) -> bool:
        """Return whether it is an entry."""
        return is_storable(entry)

    def of(self) -> str:
        """Return what the entries are."""
        return "texts"

    def entry(self) -> JSONSchema:
        """Return the JSON Schema of an entry."""
        return STRING

    def schema(self) -> JSONSchema:
        return {"type": "array", "maxItems": self.most, "items": self.entry()}


@dataclass(frozen=True, slots=True, kw_only=True)
class UUIDsField(ListField):
    """A list of uuids of operations, in small letters."""

    def takes(self, entry: object) -> bool:
        return is_uuid(entry)

    def of(self) -> str:
        return "uuids of operations"

    def entry(self) -> JSONSchema:
        return STRING | {"format": "uuid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansField(PayloadField):
    """Pairs of offsets in code points."""

    def parse(self, payload: Mapping[str, Any], name: str) -> tuple[tuple[int, int], ...]:
        value = payload.get(name, [])
        if not isinstance(value, list) or len(value) > MAX_PARTS or not all(map(is_span, value)):
            raise bad_payload(f"{name} is a list of at most {MAX_PARTS} pairs [start, end].")
        return tuple((start, end) for start, end in value)

    def schema(self) -> JSONSchema:
        span = {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}}
        return {"type": "array", "maxItems": MAX_PARTS, "items": span}


def readings_schema() -> JSONSchema:
    """Return the JSON Schema of readings: keys that are alternatives, or lists of those that are meant together."""
    together = {"type": "array", "minItems": 1, "maxItems": MAX_KEYS, "items": STRING}
    lists = ({"type": "array", "maxItems": MAX_KEYS, "items": one} for one in (STRING, together))
    return {"anyOf": list(lists)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingsField(PayloadField):
    """Keys of markables, or lists of those that are meant together; of all together so many."""

    def parse(self, payload: Mapping[str, Any], name: str) -> Readings:
        return parse_targets(payload.get(name, []), name)

    def schema(self) -> JSONSchema:
        return readings_schema()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationsField(PayloadField):
    """Readings by the keys of relations."""

    def parse(self, payload: Mapping[str, Any], name: str) -> tuple[tuple[str, Readings], ...]:
        value = payload.get(name, {})
        if not value and isinstance(value, dict):
            return ()
        if not isinstance(value, dict) or len(value) > MAX_KEYS or not all(map(is_storable, value)):
            raise bad_payload(f"{name} has the targets of at most {MAX_KEYS} relations by key.")
        for key, readings in value.items():
            parse_targets(readings, f"{key!r} of {name}")
        return readings_by_key(value)

    def schema(self) -> JSONSchema:
        return {"type": "object", "maxProperties": MAX_KEYS, "additionalProperties": readings_schema()}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributesField(PayloadField):
    """Answers by the keys of attributes."""

    def parse(self, payload: Mapping[str, Any], name: str) -> tuple[tuple[str, AnswerValue], ...]:
        return parse_attributes(payload.get(name, {}))

    def schema(self) -> JSONSchema:
        number = {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}
        answer = {"anyOf": [STRING, number, {"type": "array", "maxItems": MAX_KEYS, "items": STRING}]}
        return {"type": "object", "additionalProperties": answer}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsField(PayloadField):
    """Pairs of the key of a markable and a question."""

    required: bool = True

    def parse(self, payload: Mapping[str, Any], name: str) -> tuple[tuple[str, str], ...]:
        items = payload.get(name)
        if not isinstance(items, list) or not 0 < len(items) <= MAX_ITEMS or not all(map(is_item, items)):
            raise bad_payload(f"{name} is a list of 1 to {MAX_ITEMS} pairs of the key of a markable and a question.")
        pairs = tuple((key, question) for key, question in items)
        if len(set(pairs)) < len(pairs):
            raise bad_payload(f"{name} names one twice.")
        return pairs

    def schema(self) -> JSONSchema:
        pair = {"type": "array", "minItems": 2, "maxItems": 2, "items": STRING}
        return {"type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "uniqueItems": True, "items": pair}


MARKABLE: dict[str, PayloadField] = {"markable": KeyField(about="the key of a markable")}
PAYLOADS: dict[str, dict[str, PayloadField]] = {
    "judge": {
        **MARKABLE,
        "category": CategoryField(about="its key; null: none yet"),
        "pointers": ReadingsField(about="antecedents: alternatives, or lists of those that are meant together"),
        "indices": ListField(most=MAX_KEYS, about="of entities, or of SCUs"),
        "note": TextField(),
        "name": TextField(about="what you call the chain that it is in"),
        "head": SpansField(about="your own MIN; empty: that of the markable"),
        "unsure": FlagField(),
        "optional": FlagField(),
        "relations": RelationsField(about="targets by the keys of relations besides identity"),
        "attributes": AttributesField(about="by the keys of attributes: a value, a list of values, a text or a number"),
    },
    "clear": MARKABLE,
    "unmark": MARKABLE,
    "move": {**MARKABLE, "to": KeyField(named="place to move to", about="the key with the new boundaries")},
    "describe": {
        "scu": TextField(required=True, shortest=1, longest=ENTITY_LENGTH, about="the key of an SCU"),
        "label": TextField(longest=LABEL_LENGTH, too_long="description_too_long"),
        "comment": TextField(longest=COMMENT_LENGTH, too_long="description_too_long"),
    },
    "check": MARKABLE,
    "decide": {
        "items": ItemsField(
            about="markables, each with a question: `category`, or the key of an attribute or relation"
        ),
        "source": ChoiceField(choices=Source, required=True, about="whose answer holds"),
        "codings": UUIDsField(most=MAX_CODINGS, about="the last operations of those whose answer is taken: of coder"),
        "reason": ChoiceField(choices=Reason, about="why coders could disagree"),
        "section": TextField(longest=MAX_SECTION_LENGTH, about="of the guidelines, by its heading"),
        "note": TextField(longest=MAX_NOTE_LENGTH, too_long="note_too_long"),
    },
}


def parse_payload(kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each field says. Raise OperationRejected on another shape, or a kind that nobody sends."""
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
            name: field.schema() | ({"description": field.about} if field.about else {})
            for name, field in fields.items()
        },
        "required": [name for name, field in fields.items() if field.required],
        "additionalProperties": False,
    }


def is_item(value: object) -> bool:
    """Return whether it is an item in a payload: the key of a markable with a question."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_storable, value))


def is_uuid(value: object) -> bool:
    """Return whether it is a uuid in a payload, in small letters."""
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def is_span(part: object) -> bool:
    """Return whether it is a pair of offsets in a payload."""
    return isinstance(part, list) and len(part) == 2 and all(type(edge) is int for edge in part)


def parse_targets(value: Any, name: str) -> Readings:
    """Return the readings of a relation. Raise OperationRejected."""
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


def readings_by_key(value: Mapping[str, Any]) -> tuple[tuple[str, Readings], ...]:
    """Return the relations that are set, in the order of their keys."""
    return tuple((key, parse_readings(value[key])) for key in sorted(value) if value[key])


def parse_attributes(value: Any) -> tuple[tuple[str, AnswerValue], ...]:
    """Return the attributes that are answered, in the order of their keys: an empty text or list is no answer."""
    if not value and isinstance(value, dict):
        return ()
    if not isinstance(value, dict) or not all(map(is_storable, value)):
        raise bad_payload("attributes has answers by the keys of attributes.")
    parsed = tuple((key, _parse_answer(key, value[key])) for key in sorted(value) if value[key] not in ("", []))
    if sum(len(answer) if isinstance(answer, tuple) else 1 for _, answer in parsed) > MAX_KEYS:
        raise bad_payload(f"attributes has at most {MAX_KEYS} answers.")
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
