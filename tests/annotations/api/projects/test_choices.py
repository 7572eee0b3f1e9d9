"""Refusals of wrong choices list the valid choices."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework import serializers

from annotations.api.gold import QueueOptionsSerializer
from annotations.api.serializers.coding import ChangeSerializer
from annotations.api.serializers.requests import MAX_LISTED, StrictSerializer, choices_message
from annotations.projects.people.members import add_member
from tests.shared.api import schema_of_api
from tests.shared.pyramids import docset, pyramid_project

WRONG = "no such choice"
# Parameters that only projects of pyramids have.
OF_PYRAMIDS = {"mean"}


# Made of all views, whose serializers are defined by then.
SCHEMA = schema_of_api()


def subclasses(base: type) -> Iterator[type]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def fields_of_requests() -> Iterator[tuple[str, serializers.ChoiceField]]:
    """Yield the choice fields of all request bodies."""
    for serializer in {*subclasses(StrictSerializer), ChangeSerializer, QueueOptionsSerializer}:
        for name, field in serializer().fields.items():
            if isinstance(field, serializers.ChoiceField) and not field.read_only:
                yield f"{serializer.__name__}.{name}", field


FIELDS = sorted(fields_of_requests(), key=lambda pair: pair[0])


def parameters_with_choices() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return path, name and choices of each query parameter with choices."""
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for path, operations in SCHEMA["paths"].items():
        for parameter in operations.get("get", {}).get("parameters", ()):
            kind = parameter["schema"]
            kind = kind.get("items", kind)
            choices = tuple(choice for choice in _enum(kind) if choice)
            if choices and parameter["in"] == "query":
                found.setdefault((parameter["name"], choices), path)
    return [(path, name, choices) for (name, choices), path in found.items()]


def _enum(kind: dict[str, Any]) -> list[Any]:
    if "$ref" in kind:
        return _enum(SCHEMA["components"]["schemas"][kind["$ref"].rpartition("/")[2]])
    parts = [part for name in ("oneOf", "anyOf", "allOf") for part in kind.get(name, ())]
    return kind.get("enum") or [value for part in parts for value in _enum(part)]


PARAMETERS = parameters_with_choices()


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=[name for name, _ in FIELDS])
def test_refused_field_lists_its_choices(name, field):
    with pytest.raises(serializers.ValidationError) as refused:
        field.run_validation(WRONG)
    [message] = refused.value.detail
    assert message == f"'{WRONG}' is not one of {', '.join(str(choice) for choice in field.choices if choice)}."


def test_refused_query_parameter_lists_its_choices(project, codings, alice, bob, charlie, signed_in):
    pyramids = pyramid_project()
    add_member(pyramids, charlie, "manager")
    docset(pyramids, alice, bob)
    client, silent = signed_in(charlie), {}
    assert (len(FIELDS) > 12, len(PARAMETERS) > 20) == (True, True)
    for path, name, choices in PARAMETERS:
        slug = pyramids.slug if name in OF_PYRAMIDS else "tea"
        filled = path.format(slug=slug, text="tea", key="phrase:4-14", page="coders", table="matrix", name="main")
        answer = client.get(filled, {name: WRONG})
        said = json.dumps(answer.json().get("errors"), ensure_ascii=False)
        if answer.status_code != 400 or any(str(choice) not in said for choice in choices):
            silent[path, name] = answer.content
    assert silent == {}


@pytest.mark.parametrize(
    ("fields", "choices"),
    [
        ({"format": "conll"}, ["conll2012", "project"]),
        ({"format": "conll2012", "coders": ["zoe"]}, ["alice", "bob"]),
        ({"format": "conll2012", "texts": ["coffee"]}, ["tea"]),
        ({"format": "conll2012", "gold": "lead"}, ["gold", "silver"]),
    ],
)
def test_refused_export_order_lists_its_choices(manager, codings, fields, choices):
    answer = manager.post("/api/v1/projects/tea/exports/", fields, "application/json")
    assert answer.status_code == 400
    [[message]] = answer.json()["errors"].values()
    assert message.endswith(f" {', '.join(choices)}.") or all(choice in message for choice in choices)


def test_long_lists_of_choices_are_cut():
    message = choices_message("x" * 1000, (f"name{number}" for number in range(10_000)))
    assert message.endswith(f", name{MAX_LISTED - 1}, ….")
    assert len(message) < 1000
    assert choices_message("x", ["", ""]) == "'x' is none here: there are none yet."
