"""Schemes as JSON, as specified by `scheme.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotations.formats.model import scheme as specs

if TYPE_CHECKING:
    from jsonschema import ValidationError

SCHEME_FILE: Mapping[str, Any] = {"format": "coindex-scheme", "version": 1}
MAX_PROBLEMS = 50
SHAPE = Path(__file__).with_name("scheme.schema.json")


@dataclass(frozen=True, slots=True)
class ShapeProblem:
    """A problem in the JSON of a scheme. path: as in `attributes[2].values[0].key`; empty at the top."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SchemeShapeError(ValueError):
    """JSON that is not a scheme, with its problems, at most `MAX_PROBLEMS`."""

    def __init__(self, problems: Iterable[ShapeProblem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))


@cache
def scheme_shape() -> dict[str, Any]:
    shape: dict[str, Any] = json.loads(SHAPE.read_text())
    return shape


@cache
def _validator() -> Any:
    # imported only if a scheme is read: it would slow the start of the program
    from jsonschema import Draft202012Validator, ValidationError, validators

    def unique_keys(_: Any, unique: bool, keys: Any, __: Any) -> Iterator[ValidationError]:
        """Yield an error if a key is listed twice. The usual check compares all pairs of entries of a mixed list."""
        is_listed = unique and isinstance(keys, list) and all(isinstance(key, str) for key in keys)
        if is_listed and len(set(keys)) < len(keys):
            yield ValidationError("twice")

    def items(validator: Any, items: Any, entries: Any, schema: Any) -> Iterator[ValidationError]:
        """Yield the errors of the entries of a list, unless the list is too long, which is an error of its own."""
        if not isinstance(entries, list) or len(entries) <= schema.get("maxItems", len(entries)):
            yield from Draft202012Validator.VALIDATORS["items"](validator, items, entries, schema)

    return validators.extend(Draft202012Validator, {"uniqueItems": unique_keys, "items": items})(scheme_shape())


# Fields whose empty string is null in JSON.
NULL_IF_EMPTY = ("points_to", "level", "relation", "primary_of")


def scheme_to_json(spec: specs.SchemeSpec, answers: str) -> dict[str, Any]:
    """Return the scheme as a dictionary for JSON with all fields; a file begins with `SCHEME_FILE`."""
    return {"answers": answers, **_to_json(spec)}


def _to_json(part: Any) -> Any:
    """Return a part of a scheme for JSON: an object with its fields by name, a list, or a value."""
    match part:
        case specs.Condition():
            return part.state()
        case StrEnum():
            return str(part)
        case tuple():
            return [_to_json(member) for member in part]
    if not is_dataclass(part):
        return part
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: None if value == "" and name in NULL_IF_EMPTY else _to_json(value) for name, value in values.items()}


def scheme_from_json(data: object) -> tuple[specs.SchemeSpec, str]:
    """Return the scheme of the JSON, and the way its coders express identity. Raise SchemeShapeError.

    The pointing fields of categories follow from the identity relations: they may be left out, but must not contradict.
    The consistency of the scheme is not checked here but in `annotations.schemes.consistency`.
    """
    errors = list(islice(_validator().iter_errors(data), MAX_PROBLEMS))
    if errors:
        raise SchemeShapeError(dict.fromkeys(map(_problem, errors)))
    assert isinstance(data, dict)
    spec = specs.SchemeSpec(
        tuple(specs.LevelSpec(**level) for level in data["levels"]),
        tuple(specs.CategorySpec(**_fields(category)) for category in data["categories"]),
        tuple(specs.RelationSpec(**_fields(relation)) for relation in data.get("relations", ())),
        tuple(specs.AttributeSpec(**_fields(attribute)) for attribute in data.get("attributes", ())),
    ).with_pointing()
    contradictions = list(islice(_contradictions(spec, data["categories"]), MAX_PROBLEMS))
    if contradictions:
        raise SchemeShapeError(contradictions)
    return spec, data["answers"]


# The converters of fields that are neither plain values nor lists of plain values.
CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "max_targets": int,
    "asked_if": specs.Condition.from_state,
    "of": specs.Subject,
    "kind": specs.AnswerKind,
    "values": lambda values: tuple(specs.ValueSpec(**value) for value in values),
}


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    arguments = {name: "" if value is None and name in NULL_IF_EMPTY else value for name, value in data.items()}
    arguments |= {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    return arguments | {name: convert(data[name]) for name, convert in CONVERSIONS.items() if data.get(name)}


def _contradictions(spec: specs.SchemeSpec, categories: Sequence[Mapping[str, Any]]) -> Iterator[ShapeProblem]:
    for number, (category, data) in enumerate(zip(spec.categories, categories, strict=True)):
        implied = _to_json(category)
        for name in ("points_to", "max_pointers", "allow_later"):
            if name in data and data[name] != implied[name]:
                said = json.dumps(implied[name])
                message = f"Its relation of identity says {said}: change it there, or leave {name} out here."
                yield ShapeProblem(f"categories[{number}].{name}", message)


def _problem(error: ValidationError) -> ShapeProblem:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    return ShapeProblem("".join(parts).removeprefix("."), _sentence(error))


TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
}


# Messages by the violated keyword of JSON Schema, made from the value of the keyword.
SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "type": lambda types: (
        f"This is {' or '.join(TYPES[name] for name in ([types] if isinstance(types, str) else types))}."
    ),
    "enum": lambda values: f"This is one of {', '.join(values)}.",
    "const": lambda value: f"This is {value}.",
    "minLength": lambda _: "This is empty.",
    "minItems": lambda _: "This is empty.",
    "maxLength": lambda most: f"This has at most {most} characters.",
    "maxItems": lambda most: f"This has at most {most} entries.",
    "uniqueItems": lambda _: "An entry is here twice.",
    "minimum": lambda least: f"This is at least {least}.",
    "maximum": lambda most: f"This is at most {most}.",
}
SENTENCES_OF_FIELDS = {
    "asked_if": 'This is null, {"question": key, "values": [keys]} or {"relation": key}.',
    "colour": "This is a colour such as #1f77b4, or empty.",
    "label": "This holds a NUL or half of a surrogate pair.",
    "help": "This holds a NUL or half of a surrogate pair.",
}


def _sentence(error: ValidationError) -> str:
    """Return the error as a sentence that repeats nothing of the input but names of fields."""
    expected: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            return f"Missing here: {', '.join(name for name in expected if name not in error.instance)}."
        case "additionalProperties":
            return f"There is no field {min(set(error.instance) - set(schema['properties']))[:100]!r} here."
        case str(keyword) if keyword in SENTENCES:
            return SENTENCES[keyword](expected)
    field = str(error.absolute_path[-1])
    if field in SENTENCES_OF_FIELDS:
        return SENTENCES_OF_FIELDS[field]
    if error.validator == "anyOf":
        return "This is a key or null."
    return "A key consists of letters without accents, digits, hyphens and underscores."
