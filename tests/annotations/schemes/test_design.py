from dataclasses import fields, replace

import pytest

from annotations.formats.model.scheme import AttributeSpec, CategorySpec, Condition, LevelSpec, ValueSpec
from annotations.schemes.consistency import check_scheme
from annotations.schemes.design.consequences import consequences_of
from annotations.schemes.design.sample import CONTENT, sample_state
from annotations.schemes.design.wording import SchemeWording, describe_differences
from annotations.schemes.ready_made import STARTING_POINTS
from tests.shared.schemes import RICH

SPEC = RICH.spec


@pytest.mark.parametrize("scheme", STARTING_POINTS.values(), ids=lambda scheme: scheme.key)
def test_starting_points_are_valid_and_have_samples(scheme):
    assert check_scheme(scheme.spec) == []
    state = sample_state(scheme.spec, scheme.answers, "ann")
    assert {markable["level"] for markable in state["markables"]} == {level.key for level in scheme.levels}
    for markable in state["markables"]:
        [(start, end)] = markable["parts"]
        assert CONTENT[start:end].strip() == CONTENT[start:end] != ""
        assert markable["key"] == f"{markable['level']}:{start}-{end}"


def test_sample_of_two_coded_levels_has_phrases_and_verbs():
    spec = replace(SPEC, levels=(LevelSpec("phrase", "phrase"), LevelSpec("turn", "event")))
    words = {
        level: [CONTENT[start:end] for markable in sample_state(spec, "pointers", "ann")["markables"]
                if markable["level"] == level for start, end in markable["parts"]]
        for level in ("phrase", "turn")
    }  # fmt: skip
    assert words["phrase"][:3] == ["Ann", "Bob", "the old harbour"]
    assert words["turn"] == ["met", "greeted", "had left", "annoyed"]


def change_attribute(**fields):
    first, *others = SPEC.attributes
    return replace(SPEC, attributes=(replace(first, **fields), *others))


@pytest.mark.parametrize(
    ("after", "says"),
    [
        (SPEC, []),
        (change_attribute(label="Genus"), ["Attribute gender is called Genus."]),
        (change_attribute(asked_if=None), ["Attribute gender is asked always."]),
        (change_attribute(required=True, help="x"), ["Attribute gender: the help and whether it is required changed."]),
        (
            change_attribute(values=(ValueSpec("m", "male"), ValueSpec("f", "feminine"), ValueSpec("x", "other"))),
            [
                "Attribute gender has new values: other.",
                "Attribute gender has no longer these values: neuter.",
                "Attribute gender calls these values otherwise: masculine (now male).",
                "Attribute gender: another order of its values.",
            ],
        ),
        (replace(SPEC, attributes=SPEC.attributes[:-1]), ["Removed attribute: animacy."]),
        (
            replace(
                SPEC, attributes=(*SPEC.attributes, AttributeSpec("n", "number", asked_if=Condition("gender", ("f",))))
            ),
            ["New attribute: number, asked if gender is feminine."],
        ),
        (replace(SPEC, categories=SPEC.categories[::-1]), ["Another order of the categories."]),
        (
            replace(SPEC, categories=SPEC.categories[1:], relations=SPEC.relations[1:]),
            ["Removed category: phrase."],  # and its relation of identity, which is a part of it
        ),
    ],
)
def test_differences_are_described_by_question(after, says):
    assert describe_differences(SPEC, after) == says


def test_retired_questions_and_values_are_described():
    first, *others = SPEC.attributes
    values = tuple(replace(value, retired=value.key != "n") for value in first.values)
    after = replace(
        SPEC,
        categories=tuple(replace(spec, retired=spec.key == "place") for spec in SPEC.categories),
        relations=tuple(replace(spec, retired=spec.key == "bridging") for spec in SPEC.relations),
        attributes=(replace(first, values=values), *(replace(spec, retired=spec.key == "gloss") for spec in others)),
    )
    assert describe_differences(SPEC, after) == [
        "Category place is retired.",
        "Relation bridging is retired.",
        "Attribute gender: feminine and masculine are retired.",
        "Attribute gloss is retired.",
    ]
    assert describe_differences(after, SPEC)[2] == "Attribute gender: feminine and masculine are offered again."


@pytest.mark.parametrize("name", ["levels", "categories", "relations", "attributes"])
def test_difference_in_any_field_is_described(name):
    [old, *_] = getattr(SPEC, name)
    for field in fields(old):
        if field.name not in ("key", "values", "points_to", "max_pointers", "allow_later"):
            new = replace(old, **{field.name: None if field.name == "asked_if" else "other"})
            assert new == old or describe_differences(replace(SPEC, **{name: (old,)}), replace(SPEC, **{name: (new,)}))


def test_wording_describes_conditions_and_subjects():
    words = SchemeWording(SPEC)
    gender, other, *_, part, animacy = SPEC.attributes
    assert words.condition(gender.asked_if) == "if the category is phrase or place"
    assert words.condition(other.asked_if) == "if gender is feminine or masculine"
    assert words.condition(Condition(relation="bridging")) == "if bridging is set"
    assert words.asked(part) == "if bridging is set"
    assert words.asked(animacy) == "always"
    assert words.subject(part) == "the relation bridging"
    assert words.subject(animacy) == "each entity, once"
    assert words.antecedents(SPEC.categories[0]) == "1 antecedent, several if ambiguous (level: phrase)"
    assert words.antecedents(CategorySpec("x", "x")) == ""
    assert words.targets(SPEC.relations[-1]) == "up to 3 targets (level: phrase), several meant together"


def test_consequences_name_measures_and_missing_parts(db):
    def named(key, topic, *, allowed):
        point = STARTING_POINTS[key]
        found = consequences_of(point.spec, point.answers)
        return {said.name for said in found if (said.topic, said.allowed) == (topic, allowed)}

    assert "alpha with Passonneau, Jaccard, Dice, MASI" in named("arrau-like", "Measures", allowed=True)
    assert "alpha with Passonneau, Jaccard, Dice, MASI" in named("multi-label", "Measures", allowed=True)
    assert named("empty", "Scheme", allowed=None) == {"It asks nothing yet: add a category or an attribute."}
    assert named("multi-label", "Scheme", allowed=None) == set()


@pytest.mark.parametrize(
    ("key", "keeps", "loses"),
    [
        ("clusters", {"CoNLL-2012", "MMAX2 project", "brat standoff"}, {"MUC coreference (SGML)"}),
        ("muc-ident", {"MUC coreference (SGML)", "MMAX2 project"}, {"CoNLL-2012"}),
        ("arrau-like", {"Judgements without the texts, CSV"}, {"CoNLL-2012", "MUC coreference (SGML)"}),
    ],
)
def test_consequences_name_lossless_formats_and_losses(db, key, keeps, loses):
    point = STARTING_POINTS[key]
    told = consequences_of(point.spec, point.answers)
    found = {said.name: said for said in told if said.topic == "Exports that keep all answers"}
    assert {name for name in keeps if found[name].allowed} == keeps
    assert {name for name in loses if found[name].why.startswith("It loses ")} == loses
    assert all(said.allowed == (not said.why) for said in found.values())
