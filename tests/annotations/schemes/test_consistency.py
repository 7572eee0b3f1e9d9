"""Problems of inconsistent schemes."""

from dataclasses import replace

import pytest
from django.db import connection
from django.db.models import IntegerField

from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
    identity_relations,
)
from annotations.formats.model.scheme_json import scheme_shape, scheme_to_json
from annotations.models import Attribute, AttributeValue, Category, Level, Relation
from annotations.schemes.consistency import (
    MAX_ATTRIBUTES,
    MAX_CATEGORIES,
    MAX_HELP_LENGTH,
    MAX_KEY_LENGTH,
    MAX_LABEL_LENGTH,
    MAX_LEVELS,
    MAX_RELATIONS,
    MAX_TARGETS,
    MAX_VALUES,
    check_scheme,
)
from annotations.schemes.constraints import constraints_of, is_condition
from annotations.schemes.ready_made import SCHEMES
from tests.shared.growth import assert_grows_with_input
from tests.shared.schemes import RICH

GOOD = RICH.spec
A = ValueSpec("a", "a")
ONE_OF_TWO = (A, ValueSpec("b", "b"))
IDENTITY = RelationSpec("again", "again", to_levels=("phrase",), identity=True)


def with_attributes(*attributes: AttributeSpec) -> SchemeSpec:
    return replace(GOOD, attributes=attributes)


def with_relation(relation: RelationSpec) -> SchemeSpec:
    return replace(GOOD, relations=(*GOOD.relations, relation))


def with_category(**fields: object) -> SchemeSpec:
    return replace(GOOD, categories=(replace(GOOD.categories[0], **fields), *GOOD.categories[1:]))


def attribute_asked_if(key: str, condition: Condition) -> AttributeSpec:
    return AttributeSpec(key, key, asked_if=condition, values=ONE_OF_TWO)


ON_ITSELF = attribute_asked_if("one", Condition("one", ("a",)))
LATER = attribute_asked_if("one", Condition("two", ("a",))), AttributeSpec("two", "two", values=ONE_OF_TWO)
PROBLEMS = [
    (replace(GOOD, levels=(*GOOD.levels, GOOD.levels[0])), "phrase: Another level has the key 'phrase'."),
    (replace(GOOD, categories=(*GOOD.categories, GOOD.categories[2])), "place: Another category has the key 'place'."),
    (with_relation(GOOD.relations[2]), "bridging: Another relation has the key 'bridging'."),
    (with_attributes(*[AttributeSpec("a", "a", values=ONE_OF_TWO)] * 2), "a: Another attribute has the key 'a'."),
    (with_attributes(AttributeSpec("bridging", "b", values=(A,))), "bridging: A relation has the key 'bridging'."),
    (with_attributes(AttributeSpec("place", "b", values=ONE_OF_TWO)), "place: A category has the key 'place'."),
    (
        with_attributes(AttributeSpec("category", "b", values=ONE_OF_TWO)),
        "category: No relation or attribute can have the key 'category': it is that of the first question.",
    ),
    (with_category(label=" "), "phrase: The label is empty."),
    (replace(GOOD, levels=(*GOOD.levels, LevelSpec("l", ""))), "l: The label is empty."),
    (with_category(colour="#FFF"), "phrase: '#FFF' is no colour such as #1f77b4."),
    (with_category(level="ghost"), "phrase: There is no level 'ghost'."),
    (with_category(level="turn"), "phrase: The level 'turn' is not coded."),
    (with_category(takes_index=True), "phrase: A category points or takes an index, not both."),
    (with_category(singleton=True), "phrase: A category that is a singleton points to nothing."),
    (with_relation(IDENTITY), "again: A relation of identity is asked of one category."),
    (
        with_relation(replace(IDENTITY, asked_if=Condition(CATEGORY, ("place", "none")))),
        "again: A relation of identity is asked of one category.",
    ),
    (
        with_relation(replace(IDENTITY, asked_if=Condition(CATEGORY, ("phrase",)))),
        "phrase: One relation at most says identity for a category; phrase and again do.",
    ),
    (
        with_relation(replace(IDENTITY, key="none", asked_if=Condition(CATEGORY, ("place",)))),
        "none: A category has the key 'none', and it is asked of another.",
    ),
    (with_relation(RelationSpec("r", "r", to_levels=("ghost",))), "r: There is no level 'ghost'."),
    (with_relation(RelationSpec("r", "r", from_levels=("turn",))), "r: The level 'turn' is not coded."),
    (with_relation(RelationSpec("r", "r", max_targets=0)), "r: The number of targets is at least 1."),
    (
        with_relation(RelationSpec("r", "r", asked_if=Condition(relation="r"))),
        "r: It is asked if 'r' is set, and there is no other relation of that key.",
    ),
    (with_attributes(AttributeSpec("a", "a")), "a: It has no values."),
    (
        with_attributes(AttributeSpec("a", "a", kind=AnswerKind.TEXT, values=ONE_OF_TWO)),
        "a: An attribute whose answer is a text has no values.",
    ),
    (with_attributes(AttributeSpec("a", "a", values=(A, A))), "a: Another value has the key 'a'."),
    (with_attributes(AttributeSpec("a", "a", values=(ValueSpec("v", ""),))), "a: v: The label is empty."),
    (
        with_attributes(AttributeSpec("a", "a", relation="bridging", values=ONE_OF_TWO)),
        "a: An attribute of a relation names the relation, and no other does.",
    ),
    (
        with_attributes(AttributeSpec("a", "a", of=Subject.RELATION, relation="ghost", values=ONE_OF_TWO)),
        "a: There is no relation 'ghost'.",
    ),
    (
        with_attributes(AttributeSpec("a", "a", values=ONE_OF_TWO, primary_of="b")),
        "a: There is no earlier attribute 'b' to which it asks for a second choice.",
    ),
    (
        with_attributes(
            AttributeSpec("a", "a", kind=AnswerKind.TEXT), AttributeSpec("b", "b", values=ONE_OF_TWO, primary_of="a")
        ),
        "b: A second choice is of the kind of the first, a.",
    ),
    (with_attributes(ON_ITSELF), "one: It is asked by the answer to 'one', which is no earlier question with values."),
    (with_attributes(*LATER), "one: It is asked by the answer to 'two', which is no earlier question with values."),
    (
        with_attributes(attribute_asked_if("one", Condition(CATEGORY, ("ghost",)))),
        "one: It is asked if category is 'ghost', which is none of its values.",
    ),
    (
        with_attributes(attribute_asked_if("one", Condition(CATEGORY))),
        "one: It is asked if a question has one of some values, or if a relation is set.",
    ),
    (
        with_attributes(*(AttributeSpec(f"a{number}", "a", values=ONE_OF_TWO) for number in range(MAX_ATTRIBUTES + 1))),
        f"a{MAX_ATTRIBUTES}: A scheme has at most {MAX_ATTRIBUTES} attributes.",
    ),
    (
        replace(
            GOOD, levels=(*GOOD.levels, *(LevelSpec(f"l{n}", "l") for n in range(MAX_LEVELS - len(GOOD.levels) + 1)))
        ),
        f"l{MAX_LEVELS - len(GOOD.levels)}: A scheme has at most {MAX_LEVELS} levels.",
    ),
    (
        SchemeSpec(GOOD.levels, tuple(CategorySpec(f"c{n}", "c") for n in range(MAX_CATEGORIES + 1))),
        f"c{MAX_CATEGORIES}: A scheme has at most {MAX_CATEGORIES} categories.",
    ),
    (
        replace(GOOD, attributes=(), relations=tuple(RelationSpec(f"r{n}", "r") for n in range(MAX_RELATIONS + 1))),
        f"r{MAX_RELATIONS}: A scheme has at most {MAX_RELATIONS} relations.",
    ),
    (
        with_attributes(AttributeSpec("a", "a", values=tuple(ValueSpec(f"v{n}", "v") for n in range(MAX_VALUES + 1)))),
        f"a: An attribute has at most {MAX_VALUES} values.",
    ),
]


@pytest.mark.parametrize(("spec", "message"), PROBLEMS, ids=[message for _, message in PROBLEMS])
def test_check_reports_one_sentence_for_each_problem(spec, message):
    assert [str(problem) for problem in check_scheme(spec)] == [message]


@pytest.mark.parametrize("spec", [GOOD, *(scheme.spec for scheme in SCHEMES.values())])
def test_built_in_schemes_have_no_problem(spec):
    assert check_scheme(spec) == []


def test_circular_conditions_are_reported_at_each_question():
    spec = replace(
        GOOD,
        relations=(
            *GOOD.relations,
            RelationSpec("r", "r", asked_if=Condition("a", ("a",))),
            RelationSpec("s", "s", asked_if=Condition(relation="r")),
        ),
        attributes=(AttributeSpec("a", "a", of=Subject.RELATION, relation="s", values=ONE_OF_TWO),),
    )
    message = "It is asked by its own answer."
    assert [str(problem) for problem in check_scheme(spec)] == [f"{key}: {message}" for key in ("r", "s", "a")]


def test_scheme_may_have_attributes_without_categories():
    spec = SchemeSpec((LevelSpec("phrase", "phrase"),), (), (), (AttributeSpec("topics", "topics", values=ONE_OF_TWO),))
    assert check_scheme(spec) == []
    assert check_scheme(replace(spec, categories=(CategorySpec("c", "c"),))) == []


@pytest.mark.parametrize(
    ("state", "shaped"),
    [
        (None, True),
        ({"relation": "r"}, True),
        ({"question": "q", "values": ["a"]}, True),
        ({"question": "q"}, False),
        ({"question": "q", "values": [1]}, False),
        ({"question": "q", "values": ["a"], "more": 1}, False),
        ({"relation": 1}, False),
        ({}, False),
        ([], False),
    ],
)
def test_is_condition_checks_shape(state, shaped):
    assert is_condition(state) is shaped


def test_finding_identity_relations_takes_linear_time():
    def find(n: int) -> None:
        categories = tuple(CategorySpec(f"c{number}", "c", "phrase") for number in range(n))
        spec = replace(GOOD, categories=categories, relations=identity_relations(categories), attributes=())
        assert spec.with_pointing() == spec
        assert constraints_of(spec)["categories"][f"c{n - 1}"]["identity"] == f"c{n - 1}"

    assert_grows_with_input(find, 8000)


# Of each constraint of the rows of a scheme, a scheme that breaks it.
BROKEN = {
    "level_key_unique_in_project": replace(GOOD, levels=(*GOOD.levels, GOOD.levels[0])),
    "level_marked_is_coded": replace(GOOD, levels=(*GOOD.levels, LevelSpec("x", "x", coded=False, coders_mark=True))),
    "category_key_unique_in_project": replace(GOOD, categories=(*GOOD.categories, GOOD.categories[2])),
    "category_singleton_takes_no_index": replace(
        GOOD, categories=(*GOOD.categories, CategorySpec("x", "x", takes_index=True, singleton=True))
    ),
    "relation_key_unique_in_project": with_relation(GOOD.relations[2]),
    "relation_takes_a_target": with_relation(RelationSpec("x", "x", to_levels=("phrase",), max_targets=0)),
    "attribute_key_unique_in_project": with_attributes(*[AttributeSpec("a", "a", values=ONE_OF_TWO)] * 2),
    "attribute_of_relation_names_it": with_attributes(AttributeSpec("a", "a", relation="bridging", values=ONE_OF_TWO)),
    "value_key_unique_in_attribute": with_attributes(AttributeSpec("a", "a", values=(A, *ONE_OF_TWO))),
}
TYPED = {"attribute_kind_known"}  # by AnswerKind


def with_level(**fields: object) -> SchemeSpec:
    return replace(GOOD, levels=(*GOOD.levels, replace(LevelSpec("x", "x"), **fields)))


def with_value(**fields: object) -> SchemeSpec:
    return with_attributes(AttributeSpec("a", "a", values=(replace(ValueSpec("v", "v"), **fields),)))


def relation_with(**fields: object) -> SchemeSpec:
    return with_relation(replace(RelationSpec("x", "x"), **fields))


def attribute_with(**fields: object) -> SchemeSpec:
    return with_attributes(replace(AttributeSpec("x", "x", values=ONE_OF_TWO), **fields))


LONG_KEY, LONG_LABEL, LONG_HELP = "k" * 51, "x" * 101, "x" * 1001
# Of each field with a bound, a scheme that breaks it. What is too many has too high a position.
BEYOND = {
    "level.key": with_level(key=LONG_KEY),
    "level.label": with_level(label=LONG_LABEL),
    "level.position": replace(GOOD, levels=tuple(LevelSpec(f"l{n}", "l") for n in range(MAX_LEVELS + 1))),
    "category.key": with_category(key=LONG_KEY),
    "category.label": with_category(label=LONG_LABEL),
    "category.help": with_category(help=LONG_HELP),
    "category.colour": with_category(colour="#1f77b4f"),
    "category.position": replace(GOOD, categories=tuple(CategorySpec(f"c{n}", "c") for n in range(MAX_CATEGORIES + 1))),
    "relation.key": relation_with(key=LONG_KEY),
    "relation.label": relation_with(label=LONG_LABEL),
    "relation.help": relation_with(help=LONG_HELP),
    "relation.max_targets": relation_with(max_targets=32_768),
    "relation.position": replace(GOOD, relations=tuple(RelationSpec(f"r{n}", "r") for n in range(MAX_RELATIONS + 1))),
    "attribute.key": attribute_with(key=LONG_KEY),
    "attribute.label": attribute_with(label=LONG_LABEL),
    "attribute.help": attribute_with(help=LONG_HELP),
    "attribute.position": with_attributes(
        *(AttributeSpec(f"a{n}", "a", values=ONE_OF_TWO) for n in range(MAX_ATTRIBUTES + 1))
    ),
    "attributevalue.key": with_value(key=LONG_KEY),
    "attributevalue.label": with_value(label=LONG_LABEL),
    "attributevalue.help": with_value(help=LONG_HELP),
    "attributevalue.colour": with_value(colour="#1f77b4f"),
    "attributevalue.position": with_attributes(
        AttributeSpec("a", "a", values=tuple(ValueSpec(f"v{n}", "v") for n in range(MAX_VALUES + 1)))
    ),
}
TYPED_FIELDS = {"attribute.of", "attribute.kind"}  # by Subject and AnswerKind
# A key, or words, that no table holds.
UNSTORABLE = {
    f"{name} {sign!r}": spec
    for sign in ("\0", "\ud800")
    for name, spec in (
        ("level.label", with_level(label=sign)),
        ("category.help", with_category(help=sign)),
        ("relation.label", relation_with(label=sign)),
        ("attribute.help", attribute_with(help=sign)),
        ("value.label", with_value(label=sign)),
        ("value.key", with_value(key=sign)),
    )
}
REFUSED = BROKEN | BEYOND | UNSTORABLE
MODELS = (Level, Category, Relation, Attribute, AttributeValue)


def test_each_database_constraint_has_broken_scheme():
    assert {constraint.name for model in MODELS for constraint in model._meta.constraints} == BROKEN.keys() | TYPED
    bounded = {
        f"{model._meta.model_name}.{field.name}"
        for model in MODELS
        for field in model._meta.concrete_fields
        if field.max_length or (isinstance(field, IntegerField) and not field.primary_key)
    }
    assert bounded == BEYOND.keys() | TYPED_FIELDS


def test_bounds_equal_fields_and_published_shape():
    shape = scheme_shape()["$defs"]
    for name, length in (("key", MAX_KEY_LENGTH), ("label", MAX_LABEL_LENGTH), ("help", MAX_HELP_LENGTH)):
        fields = [field for model in MODELS for field in model._meta.concrete_fields if field.name == name]
        assert {field.max_length for field in fields} == {length} == {shape[name]["maxLength"]}
    _, most = connection.ops.integer_field_range("PositiveSmallIntegerField")
    assert most in (MAX_TARGETS, None)  # SQLite has no bound
    assert shape["number_of_targets"]["maximum"] == MAX_TARGETS


@pytest.mark.parametrize("bound", REFUSED)
def test_check_reports_schemes_that_database_refuses(bound):
    assert check_scheme(REFUSED[bound])


@pytest.mark.parametrize("bound", REFUSED)
def test_api_refuses_schemes_that_database_refuses(signed_in, project, charlie, bound):
    scheme = scheme_to_json(REFUSED[bound].with_pointing(), project.answers)
    client = signed_in(charlie)
    answer = client.put("/api/v1/projects/tea/scheme/", scheme, "application/json", headers={"If-Match": "*"})
    assert answer.status_code == 400
    problems = answer.json()["problems"]
    assert problems
    assert all(problem["path"] and problem["message"] for problem in problems)
