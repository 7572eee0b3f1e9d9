"""Random schemes, valid and invalid: the API saves valid schemes and reports the problems of others."""

import random
from dataclasses import fields, replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given
from hypothesis import strategies as st

from annotations.formats.model.scheme import CATEGORY, AnswerKind, Condition, SchemeSpec, Subject
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import AttributeValue, Membership
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.revision.saving import SchemeRefused, save_scheme
from annotations.schemes.consistency import check_scheme
from annotations.schemes.project_scheme import read_scheme
from tests.shared.cases import examples
from tests.shared.schemes import RICH, any_scheme

LISTS = ("levels", "categories", "relations", "attributes")
KEYS = ("phrase", "turn", "c0", "r0", "a0", "v0", CATEGORY, "ghost", "k" * 50, "k" * 51, "no key", "é", "")
WORDS = ("", " ", "x", "x" * 100, "x" * 101, "x" * 1000, "x" * 1001, "\0", "\ud800", "\U0001f600" * 100)
COLOURS = ("", "#1f77b4", "#1F77B4", "red", "#1f77b4f")
CONDITIONS = (
    None,
    Condition(),
    Condition(CATEGORY, ("c0",)),
    Condition(CATEGORY, ("c0", "ghost")),
    Condition("a0", ("v0",)),
    Condition("ghost", ("v0",)),
    Condition(relation="r0"),
    Condition("a0", ("v0",), "r0"),
)
VALUES: dict[str, tuple[Any, ...]] = {
    "label": WORDS,
    "help": WORDS,
    "colour": COLOURS,
    "max_targets": (None, -1, 0, 1, 32_767, 32_768, 2**31),
    "asked_if": CONDITIONS,
    "kind": tuple(AnswerKind),
    "of": tuple(Subject),
    "from_levels": ((), ("phrase",), ("turn", "phrase"), ("ghost",)),
    "to_levels": ((), ("phrase",), ("turn", "phrase"), ("ghost",)),
    "levels": ((), ("phrase",), ("turn",), ("ghost",)),
    "key": KEYS,
    "level": ("", *KEYS),
    "relation": ("", *KEYS),
    "primary_of": ("", *KEYS),
}


def change_field(draw: random.Random, item: Any) -> Any:
    """Return a question, level or value with another value in one of its fields."""
    name = draw.choice([field.name for field in fields(item)])
    if name == "values":
        return replace(item, values=change_entry(draw, item.values))
    value = getattr(item, name)
    return replace(item, **{name: not value if isinstance(value, bool) else draw.choice(VALUES.get(name, (value,)))})


def change_entry(draw: random.Random, items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a list with one entry changed, repeated, left out, or moved to the front."""
    if not items:
        return items
    number = draw.randrange(len(items))
    item, others = items[number], (*items[:number], *items[number + 1 :])
    match draw.choice(["change", "change", "change", "repeat", "leave out", "move"]):
        case "change":
            return (*items[:number], change_field(draw, item), *items[number + 1 :])
        case "repeat":
            return (*items, item)
        case "leave out":
            return others or items
    return (item, *others)


def any_spec(draw: random.Random) -> SchemeSpec:
    """Draw a scheme with some unchecked changes."""
    spec = draw.choice([any_scheme(draw), RICH]).spec
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        name = draw.choice(LISTS)
        spec = replace(spec, **{name: change_entry(draw, getattr(spec, name))})
    return spec.with_pointing()


@pytest.fixture
def empty(charlie):
    project = create_project("any", "Any", RICH)
    add_member(project, charlie, Membership.Role.MANAGER)
    return project


def assert_rows_are_in_bounds(project) -> None:
    """Assert the constraints and the bounds of fields, which SQLite does not enforce."""
    values = AttributeValue.objects.filter(attribute__project=project)
    rows = (project.levels.all(), project.categories.all(), project.relations.all(), project.attributes.all(), values)
    for row in chain(*rows):
        row.clean_fields(exclude=["asked_if"])  # of which a form asks more than the database
        row.validate_constraints()


def with_levels_in_order(spec: SchemeSpec) -> SchemeSpec:
    """Return the scheme with the levels of each question in reading order."""
    keys = [level.key for level in spec.levels]

    def ordered(question: Any, *names: str) -> Any:
        return replace(question, **{name: tuple(sorted(getattr(question, name), key=keys.index)) for name in names})

    return replace(
        spec,
        relations=tuple(ordered(relation, "from_levels", "to_levels") for relation in spec.relations),
        attributes=tuple(ordered(attribute, "levels") for attribute in spec.attributes),
    )


@examples(120, HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
@given(st.randoms(use_true_random=False))
def test_random_schemes_are_saved_or_refused_with_problems(signed_in, empty, charlie, draw):
    spec = any_spec(draw)
    sent = scheme_to_json(spec, "pointers")
    problems = check_scheme(spec)
    event("refused" if problems else "saved")
    before = read_scheme(empty.pk).spec
    if problems:
        with pytest.raises(SchemeRefused):
            save_scheme(empty, spec, charlie)
    client = signed_in(charlie)
    answer = client.put("/api/v1/projects/any/scheme/", sent, "application/json", headers={"If-Match": "*"})
    if problems:
        assert answer.status_code == 400
        assert answer.json()["problems"]
        assert all(problem["path"] and problem["message"] for problem in answer.json()["problems"])
        assert read_scheme(empty.pk).spec == before
    else:
        assert answer.status_code == 200
        assert scheme_to_json(read_scheme(empty.pk).spec, "pointers") == scheme_to_json(
            with_levels_in_order(spec).with_pointing(), "pointers"
        )
        assert_rows_are_in_bounds(empty)
