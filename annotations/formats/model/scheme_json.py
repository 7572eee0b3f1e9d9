"""Schemes as JSON, in the shape that `scheme.schema.json` publishes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotations.formats.model.scheme import (
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
)

if TYPE_CHECKING:
    from jsonschema import ValidationError

SCHEME_FILE: Mapping[str, Any] = {"format": "coindex-scheme", "version": 1}
MAX_PROBLEMS = 50
SHAPE = Path(__file__).with_name("scheme.schema.json")


@dataclass(frozen=True, slots=True)
class ShapeProblem:
    """What is wrong where in the JSON of a scheme: `attributes[2].values[0].key`; at the top the path is empty."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SchemeShapeError(ValueError):
    """JSON that is no scheme, with all that is wrong, at most `MAX_PROBLEMS`."""

    def __init__(self, problems: Iterable[ShapeProblem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))


@cache
def scheme_shape() -> dict[str, Any]:
    """Return the JSON Schema of schemes."""
    shape: dict[str, Any] = json.loads(SHAPE.read_text())
    return shape


def _unique_keys(_: Any, unique: bool, keys: Any, __: Any) -> Iterator[ValidationError]:
    """Yield an error where a key is listed twice. The usual check compares each two entries of a mixed list."""
    if unique and isinstance(keys, list) and all(isinstance(key, str) for key in keys) and len(set(keys)) < len(keys):
        from jsonschema import ValidationError

        yield ValidationError("twice")


def _items(validator: Any, items: Any, entries: Any, schema: Any) -> Iterator[ValidationError]:
    """Yield what is wrong with the entries of a list, unless it is too long: that is said by itself."""
    if not isinstance(entries, list) or len(entries) <= schema.get("maxItems", len(entries)):
        from jsonschema import Draft202012Validator

        yield from Draft202012Validator.VALIDATORS["items"](validator, items, entries, schema)


@cache
def _validator() -> Any:
    # its library is loaded where a scheme is read: a program would start later with it
    from jsonschema import Draft202012Validator, validators

    return validators.extend(Draft202012Validator, {"uniqueItems": _unique_keys, "items": _items})(scheme_shape())


# ---- to JSON


def scheme_to_json(spec: SchemeSpec, answers: str) -> dict[str, Any]:
    """Return the scheme as a dictionary for JSON; a file has `SCHEME_FILE` in front. All fields are there."""
    return {
        "answers": answers,
        "levels": [
            {"key": level.key, "label": level.label, "coded": level.coded, "coders_mark": level.coders_mark}
            for level in spec.levels
        ],
        "categories": [_category_to_json(category) for category in spec.categories],
        "relations": [_relation_to_json(relation) for relation in spec.relations],
        "attributes": [_attribute_to_json(attribute) for attribute in spec.attributes],
    }


def _category_to_json(category: CategorySpec) -> dict[str, Any]:
    return {
        "key": category.key,
        "label": category.label,
        "points_to": category.points_to or None,
        "max_pointers": category.max_pointers,
        "allow_later": category.allow_later,
        "takes_index": category.takes_index,
        "takes_optional": category.takes_optional,
        "singleton": category.singleton,
        "level": category.level or None,
        "help": category.help,
        "colour": category.colour,
        "retired": category.retired,
    }


def _relation_to_json(relation: RelationSpec) -> dict[str, Any]:
    return {
        "key": relation.key,
        "label": relation.label,
        "help": relation.help,
        "from_levels": list(relation.from_levels),
        "to_levels": list(relation.to_levels),
        "identity": relation.identity,
        "max_targets": relation.max_targets,
        "joint": relation.joint,
        "later": relation.later,
        "asked_if": relation.asked_if.state() if relation.asked_if else None,
        "retired": relation.retired,
    }


def _attribute_to_json(attribute: AttributeSpec) -> dict[str, Any]:
    return {
        "key": attribute.key,
        "label": attribute.label,
        "help": attribute.help,
        "of": str(attribute.of),
        "relation": attribute.relation or None,
        "levels": list(attribute.levels),
        "kind": str(attribute.kind),
        "required": attribute.required,
        "asked_if": attribute.asked_if.state() if attribute.asked_if else None,
        "primary_of": attribute.primary_of or None,
        "values": [
            {
                "key": value.key,
                "label": value.label,
                "help": value.help,
                "colour": value.colour,
                "retired": value.retired,
            }
            for value in attribute.values
        ],
        "retired": attribute.retired,
    }


# ---- from JSON


def scheme_from_json(data: object) -> tuple[SchemeSpec, str]:
    """Return the scheme of that JSON, and how its coders say identity. Raise SchemeShapeError.

    What categories say of pointing follows from the relations of identity: it may be left out, and must agree. Whether
    the scheme can be asked is not said here: `annotations.schemes.consistency` does.
    """
    errors = list(islice(_validator().iter_errors(data), MAX_PROBLEMS))
    if errors:
        raise SchemeShapeError(
            dict.fromkeys(ShapeProblem(_path(error.absolute_path), _sentence(error)) for error in errors)
        )
    assert isinstance(data, dict)
    spec = SchemeSpec(
        tuple(
            LevelSpec(level["key"], level["label"], level.get("coded", True), level.get("coders_mark", False))
            for level in data["levels"]
        ),
        tuple(_category_from_json(category) for category in data["categories"]),
        tuple(_relation_from_json(relation) for relation in data.get("relations", ())),
        tuple(_attribute_from_json(attribute) for attribute in data.get("attributes", ())),
    ).with_pointing()
    contradictions = list(islice(_contradictions(spec, data["categories"]), MAX_PROBLEMS))
    if contradictions:
        raise SchemeShapeError(contradictions)
    return spec, data["answers"]


def _category_from_json(data: Mapping[str, Any]) -> CategorySpec:
    return CategorySpec(
        data["key"],
        data["label"],
        takes_index=data.get("takes_index", False),
        takes_optional=data.get("takes_optional", False),
        singleton=data.get("singleton", False),
        level=data.get("level") or "",
        help=data.get("help", ""),
        colour=data.get("colour", ""),
        retired=data.get("retired", False),
    )


def _relation_from_json(data: Mapping[str, Any]) -> RelationSpec:
    most = data.get("max_targets")
    return RelationSpec(
        data["key"],
        data["label"],
        help=data.get("help", ""),
        from_levels=tuple(data.get("from_levels", ())),
        to_levels=tuple(data.get("to_levels", ())),
        identity=data.get("identity", False),
        max_targets=None if most is None else int(most),
        joint=data.get("joint", False),
        later=data.get("later", False),
        asked_if=_condition_from_json(data),
        retired=data.get("retired", False),
    )


def _attribute_from_json(data: Mapping[str, Any]) -> AttributeSpec:
    return AttributeSpec(
        data["key"],
        data["label"],
        help=data.get("help", ""),
        of=Subject(data.get("of", "markable")),
        relation=data.get("relation") or "",
        levels=tuple(data.get("levels", ())),
        kind=AnswerKind(data.get("kind", "one")),
        required=data.get("required", False),
        asked_if=_condition_from_json(data),
        primary_of=data.get("primary_of") or "",
        values=tuple(
            ValueSpec(
                value["key"],
                value["label"],
                value.get("help", ""),
                value.get("colour", ""),
                value.get("retired", False),
            )
            for value in data.get("values", ())
        ),
        retired=data.get("retired", False),
    )


def _condition_from_json(data: Mapping[str, Any]) -> Condition | None:
    state = data.get("asked_if")
    return Condition.from_state(state) if state else None


def _contradictions(spec: SchemeSpec, categories: Sequence[Mapping[str, Any]]) -> Iterator[ShapeProblem]:
    for number, (category, data) in enumerate(zip(spec.categories, categories, strict=True)):
        for name, implied in (
            ("points_to", category.points_to or None),
            ("max_pointers", category.max_pointers),
            ("allow_later", category.allow_later),
        ):
            if name in data and data[name] != implied:
                said = json.dumps(implied)
                message = f"Its relation of identity says {said}: change it there, or leave {name} out here."
                yield ShapeProblem(f"categories[{number}].{name}", message)


# ---- what is wrong


def _path(parts: Iterable[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")


TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
}


# By the keyword of JSON Schema that a value does not keep, and what that asks for.
SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "type": lambda types: f"This is {' or '.join(TYPES[name] for name in _names(types))}.",
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
# By the last field of the path.
SENTENCES_OF_FIELDS = {
    "asked_if": 'This is null, {"question": key, "values": [keys]} or {"relation": key}.',
    "colour": "This is a colour such as #1f77b4, or empty.",
    "label": "This holds a NUL or half of a surrogate pair.",
    "help": "This holds a NUL or half of a surrogate pair.",
}


def _sentence(error: ValidationError) -> str:
    """Return what is wrong as a sentence that repeats nothing of what was sent but names of fields."""
    expected: Any = error.validator_value
    match error.validator:
        case "required":
            return f"Missing here: {', '.join(name for name in expected if name not in error.instance)}."
        case "additionalProperties":
            unknown = min(set(error.instance) - _properties(error.schema))
            return f"There is no field {unknown[:100]!r} here."
        case str(keyword) if keyword in SENTENCES:
            return SENTENCES[keyword](expected)
    field = str(error.absolute_path[-1])
    if field in SENTENCES_OF_FIELDS:
        return SENTENCES_OF_FIELDS[field]
    if error.validator == "anyOf":
        return "This is a key or null."
    return "A key consists of letters without accents, digits, hyphens and underscores."


def _properties(schema: Any) -> set[str]:
    return set(schema["properties"])


def _names(types: str | Sequence[str]) -> Sequence[str]:
    return [types] if isinstance(types, str) else types
