import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats.model.scheme_json import (
    MAX_PROBLEMS,
    SCHEME_FILE,
    SchemeShapeError,
    scheme_from_json,
    scheme_shape,
    scheme_to_json,
)
from annotations.models import Project
from annotations.models.project import KEY_LENGTH
from annotations.models.scheme import HELP_LENGTH, Level
from annotations.schemes.consistency import MAX_ATTRIBUTES, MAX_CATEGORIES, MAX_LEVELS, MAX_RELATIONS, MAX_VALUES
from annotations.schemes.ready_made import SCHEMES
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input
from tests.shared.schemes import RICH, any_scheme

SMALL = {
    "answers": "categories",
    "levels": [{"key": "phrase", "label": "phrase"}],
    "categories": [{"key": "person", "label": "person"}],
}
X = {"key": "a", "label": "x"}


@given(st.integers(0, 2**32))
@examples(50)
def test_written_scheme_is_read_back(seed):
    spec = any_scheme(random.Random(seed)).spec.with_pointing()
    written = json.loads(json.dumps({**SCHEME_FILE, **scheme_to_json(spec, "pointers")}))
    assert scheme_from_json(written) == (spec, "pointers")


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), RICH], ids=lambda scheme: scheme.key)
def test_built_in_schemes_are_read_back(scheme):
    assert scheme_from_json(scheme_to_json(scheme.spec, scheme.answers)) == (scheme.spec, scheme.answers)


def test_missing_fields_have_defaults():
    spec, answers = scheme_from_json(SMALL)
    [level], [category] = spec.levels, spec.categories
    assert (answers, level.coded, level.coders_mark, category.help) == ("categories", True, False, "")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (None, ""),
        ([], ""),
        ({"answers": None}, "answers: This is one of pointers, indices, scus, categories."),
        ({"format": "other"}, "format: This is coindex-scheme."),
        ({"version": 2}, "version: This is 1."),
        ({"colour": "red"}, "There is no field 'colour' here."),
        ({"levels": []}, "levels: This is empty."),
        ({"levels": {}}, "levels: This is a list."),
        ({"levels": [{"key": "phrase"}]}, "levels[0]: Missing here: label."),
        ({"levels": [{"key": "a b", "label": "x"}]}, "levels[0].key: A key consists of letters without accents"),
        ({"levels": [{"key": "a\n", "label": "x"}]}, "levels[0].key: A key consists of letters without accents"),
        ({"levels": [{"key": "a" * 51, "label": "x"}]}, "levels[0].key: This has at most 50 characters."),
        ({"levels": [{"key": "a", "label": "x\0"}]}, "levels[0].label: This holds a NUL or half of a surrogate pair."),
        ({"levels": [{"key": "a", "label": "\ud800"}]}, "levels[0].label: This holds a NUL or half of"),
        ({"levels": [{"key": "a", "label": "x", "coded": 1}]}, "levels[0].coded: This is true or false."),
        ({"categories": [{"key": "a", "label": "x", "colour": "red"}]}, "categories[0].colour: This is a colour"),
        ({"categories": [X | {"points_to": "phrase"}]}, "categories[0].points_to: Its relation of identity says null"),
        ({"relations": [X | {"max_targets": 0}]}, "relations[0].max_targets: This is at least 1"),
        ({"relations": [X | {"max_targets": 1e9}]}, "relations[0].max_targets: This is at most"),
        ({"relations": [X | {"to_levels": ["a", "a"]}]}, "relations[0].to_levels: An entry is here twice."),
        ({"attributes": [X | {"asked_if": {"values": ["a"]}}]}, "attributes[0].asked_if: This is null, {"),
        ({"attributes": [X | {"kind": "date"}]}, "attributes[0].kind: This is one of one,"),
        ({"attributes": [X | {"values": [{"key": "v"}]}]}, "attributes[0].values[0]: Missing here: label."),
    ],
)
def test_problem_of_shape_names_its_path(changes, problem):
    with pytest.raises(SchemeShapeError) as caught:
        scheme_from_json(SMALL | changes if isinstance(changes, dict) else changes)
    assert [str(found)[: len(problem)] for found in caught.value.problems] == [problem]


def test_number_of_problems_is_bounded():
    levels = [{"key": "a b", "label": ""} for _ in range(40)]
    with pytest.raises(SchemeShapeError) as caught:
        scheme_from_json(SMALL | {"levels": levels})
    assert len(caught.value.problems) == MAX_PROBLEMS


@pytest.mark.parametrize("last", ["k0", 1])
def test_refusing_too_long_list_takes_linear_time(last):
    def read(n):
        keys = [*(f"k{number}" for number in range(n)), last]
        asked_if = {"question": "category", "values": keys}
        with pytest.raises(SchemeShapeError) as caught:
            scheme_from_json(SMALL | {"attributes": [{"key": "r", "label": "x", "levels": keys, "asked_if": asked_if}]})
        assert "attributes[0].levels: This has at most 50 entries." in str(caught.value)

    assert_grows_with_input(read, 20_000)


def test_published_shape_has_bounds_of_database():
    definitions = scheme_shape()["$defs"]
    assert definitions["key"]["maxLength"] == KEY_LENGTH
    assert definitions["label"]["maxLength"] == Level._meta.get_field("label").max_length
    assert definitions["help"]["maxLength"] == HELP_LENGTH
    assert definitions["attribute"]["properties"]["values"]["maxItems"] == MAX_VALUES
    properties = scheme_shape()["properties"]
    assert properties["attributes"]["maxItems"] == MAX_ATTRIBUTES
    assert properties["levels"]["maxItems"] == MAX_LEVELS
    assert properties["categories"]["maxItems"] == MAX_CATEGORIES
    assert properties["relations"]["maxItems"] == MAX_RELATIONS + MAX_CATEGORIES
    assert set(properties["answers"]["enum"]) == set(Project.Answers.values)
