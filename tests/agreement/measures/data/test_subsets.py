"""Some coders, some units, fewer labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    ReliabilityData,
    alpha,
    alphas,
    collapse,
    pairwise,
)
from agreement.measures.data.subsets import select_units
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples

few = examples(40)


@few
@given(tables())
def test_collapsed_data_are_those_with_the_labels_renamed(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    mapping = {label: new for label, new in {"place": "any", "new": "any"}.items() if label in data.labels}
    merged = {u: [mapping.get(v, v) for v in row] for u, row in table.items()}
    for distance in ("nominal", "masi"):
        assert alpha(collapse(data, mapping), distance).value == alpha(data_of(merged, documents), distance).value


few = examples(40)


def test_categories_may_change_names_with_each_other():
    data = one_document([["x", "y"], ["x", "x"]])
    swapped = collapse(data, {"x": "y", "y": "x"})
    assert [[swapped.value(c) for c in row] for row in swapped.codes.tolist()] == [["y", "x"], ["y", "y"]]


def test_a_scheme_may_have_labels_that_nobody_used():
    data = one_document([["place", "none"]])
    assert collapse(data, {"place": "any", "segment": "any"}).labels == ("any", "none")
    with pytest.raises(ValueError, match=r"no label of .'plcae'. is used; the labels are .'place', 'none'."):
        collapse(data, {"plcae": "any"})


def test_of_sets_of_labels_the_members_are_merged():
    rows = [[{"cat", "dog"}, {"cat"}], [{"car", "dog"}, "car"]]
    data = ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, ["one", "two"], members="labels")
    merged = collapse(data, {"cat": "animal", "dog": "animal"})
    assert [[merged.value(c) for c in row] for row in merged.codes.tolist()] == [
        [frozenset(["animal"]), frozenset(["animal"])], [frozenset(["car", "animal"]), "car"]
    ]  # fmt: skip
    assert merged.members == "labels"
    with pytest.raises(ValueError, match=r"no label of .'cow'. is used; the labels are .*'cat', 'dog'"):
        collapse(data, {"cow": "animal"})


def test_chain_ids_of_some_coders_stay_chain_ids():
    data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 2, -1], [2, 2, 1]], ["a"] * 3)
    found = pairwise(data, alpha, "jaccard")
    alone = ReliabilityData.from_chain_ids([[1, 1], [1, -1], [2, 1]], ["a"] * 3)
    assert found.results[0, 2].value == alpha(alone, "jaccard").value


@examples(100)
@given(tables(), st.randoms(use_true_random=False))
def test_some_of_the_units_keep_their_values_with_the_others_as_members(drawn, random):
    table, documents = drawn
    data = data_of(table, documents)
    kept = np.array([random.random() < 0.6 for _ in table], dtype=np.bool_)
    rest = {unit: row for (unit, row), one in zip(table.items(), kept.tolist(), strict=True) if one}
    found = select_units(data, kept)
    assert list(found.units) == list(rest)
    rows = [[None if code < 0 else found.value(code) for code in row] for row in found.codes.tolist()]
    assert rows == list(rest.values())
    if rest:
        expected = data_of(rest, documents)
        assert alphas(found, exclude_unit="both") == alphas(expected, exclude_unit="both")
        assert set(found.labels) == set(expected.labels)
        assert found.n_values == expected.n_values


def test_an_entry_for_each_unit_is_needed():
    with pytest.raises(ValueError, match="2 entries for 1 units"):
        select_units(data_of({"a": ["x"]}, {"a": "text"}), np.array([True, False]))
