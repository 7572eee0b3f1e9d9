"""The API schema of payloads accepts the same values as the server, field by field."""

from typing import Any

import jsonschema
import pytest

from annotations.coding.decisions import parse_operation
from annotations.coding.log.payloads import MAX_CODINGS, MAX_ITEMS, PAYLOADS, OperationRejected, payload_schema
from annotations.models import Operation

UUID = "6a1f0c3e-6f0b-4a8e-9a55-2f2a1c0d8e01"
VALID = {
    "judge": {"markable": "a"},
    "clear": {"markable": "a"},
    "unmark": {"markable": "a"},
    "move": {"markable": "a", "to": "b"},
    "describe": {"scu": "s"},
    "check": {"markable": "a"},
    "decide": {"items": [["a", "category"]], "source": "own"},
}
# Values of every shape, on both sides of each bound.
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 1.5, -1, 10**15, 10**15 + 1),
    *("", "a", "own", "coder", "slip", "x" * 50, "x" * 51, "x" * 200, "x" * 201, "x" * 5001, "x" * 10_001, UUID),
    *([], ["a"], [""], [1], [None], ["a"] * 50, ["a"] * 51, [UUID] * MAX_CODINGS, [UUID] * (MAX_CODINGS + 1)),
    *([["a"]], [[]], [["a"], "b"], [["a"], ["b", "c"]], [["a"] * 50], [["a"] * 51]),
    *([[1, 2]], [[1]], [[1, 2, 3]], [["1", "2"]], [[1, True]], [[1, 2]] * 20, [[1, 2]] * 1000),
    *([["a", "category"]], [["a", "category"]] * 2, [[str(n), "q"] for n in range(MAX_ITEMS + 1)]),
    *({}, {"k": []}, {"k": ["a"]}, {"k": [["a", "b"]]}, {"k": "a"}, {"k": 1}, {"k": True}, {"k": None}, {"k": [1]}),
    *({"k": {}}, {"k": 10**15 + 1}, {str(n): [] for n in range(50)}, {str(n): [] for n in range(51)}),
]


def as_json_schema(schema: dict) -> dict:
    """Convert a schema of OpenAPI 3.0 to JSON Schema, where null is a type."""
    if isinstance(schema, list):
        return [as_json_schema(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: as_json_schema(value) for name, value in schema.items() if name != "nullable"}
    return found | {"type": [schema["type"], "null"]} if schema.get("nullable") is True else found


def is_taken(kind: str, name: str, payload: dict) -> bool:
    try:
        PAYLOADS[kind][name].parse(payload, name)
    except OperationRejected:
        return False
    return True


@pytest.mark.parametrize("kind", PAYLOADS)
def test_fields_accept_same_values_as_schema(kind):
    validator = jsonschema.Draft202012Validator(
        as_json_schema(payload_schema(kind)), format_checker=jsonschema.FormatChecker()
    )
    assert validator.is_valid(VALID[kind])
    differ = []
    for name in PAYLOADS[kind]:
        outcomes = set()
        for value in VALUES:
            payload = VALID[kind] | {name: value}
            outcomes.add(validator.is_valid(payload))
            if validator.is_valid(payload) != is_taken(kind, name, payload):
                differ.append((name, str(value)[:60], is_taken(kind, name, payload)))
        assert outcomes == {True, False}, name
        without = {key: value for key, value in VALID[kind].items() if key != name}
        assert validator.is_valid(without) == is_taken(kind, name, without)
    assert differ == []


@pytest.mark.parametrize("kind", PAYLOADS)
def test_unknown_field_is_refused(kind):
    parse_operation(kind, VALID[kind])
    payload = VALID[kind] | {"shape": "round"}
    assert not jsonschema.Draft202012Validator(as_json_schema(payload_schema(kind))).is_valid(payload)
    with pytest.raises(OperationRejected, match="unknown field 'shape'"):
        parse_operation(kind, payload)


def test_every_payload_kind_is_operation_kind():
    assert PAYLOADS.keys() < set(Operation.Kind.values)
