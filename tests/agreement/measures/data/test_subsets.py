"""Some coders, some units, fewer labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import ReliabilityData, alpha, alphas, collapse, pairwise
from agreement.measures.data.subsets import select_units
from tests.agreement.measures.checks import values_of
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples


@examples(40)
@given(tables())
def test_collapse_equals_renaming_labels(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    mapping = {label: new for label, new in {"place": "any", "new": "any"}.items() if label in data.labels}
    merged = {u: [mapping.get(v, v) for v in row] for u, row in table.items()}
    for distance in ("nominal", "masi"):
        assert alpha(collapse(data, mapping), distance).value == alpha(data_of(merged, documents), distance).value


def test_collapse_can_swap_categories():
    data = one_document([["x", "y"], ["x", "x"]])
    swapped = collapse(data, {"x": "y", "y": "x"})
    assert values_of(swapped) == {0: ["y", "x"], 1: ["y", "y"]}


def test_collapse_accepts_mapping_with_unused_labels():
    data = one_document([["place", "none"]])
    assert collapse(data, {"place": "any", "segment": "any"}).labels == ("any", "none")
    with pytest.raises(ValueError, match=r"no label of .'plcae'. is used; the labels are .'place', 'none'."):
        collapse(data, {"plcae": "any"})


def test_collapse_merges_members_of_label_sets():
    rows = [[{"cat", "dog"}, {"cat"}], [{"car", "dog"}, "car"]]
    data = ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, ["one", "two"], members="labels")
    merged = collapse(data, {"cat": "animal", "dog": "animal"})
    assert values_of(merged) == {"A": [{"animal"}, {"animal"}], "B": [{"car", "animal"}, "car"]}
    assert merged.members == "labels"
    with pytest.raises(ValueError, match=r"no label of .'cow'. is used; the labels are .*'cat', 'dog'"):
        collapse(data, {"cow": "animal"})


def test_pairwise_on_chain_ids_equals_data_of_two_coders():
    data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 2, -1], [2, 2, 1]], ["a"] * 3)
    found = pairwise(data, alpha, "jaccard")
    alone = ReliabilityData.from_chain_ids([[1, 1], [1, -1], [2, 1]], ["a"] * 3)
    assert found.results[0, 2].value == alpha(alone, "jaccard").value


@examples(100)
@given(tables(), st.randoms(use_true_random=False))
def test_selected_units_keep_their_values_and_members(drawn, random):
    table, documents = drawn
    data = data_of(table, documents)
    kept = np.array([random.random() < 0.6 for _ in table], dtype=np.bool_)
    rest = {unit: row for (unit, row), is_kept in zip(table.items(), kept.tolist(), strict=True) if is_kept}
    found = select_units(data, kept)
    assert list(values_of(found).items()) == list(rest.items())
    if rest:
        expected = data_of(rest, documents)
        assert alphas(found, exclude_unit="both") == alphas(expected, exclude_unit="both")
        assert set(found.labels) == set(expected.labels)
        assert found.n_values == expected.n_values


def test_selection_needs_an_entry_for_each_unit():
    with pytest.raises(ValueError, match="2 entries for 1 units"):
        select_units(data_of({"a": ["x"]}, {"a": "text"}), np.array([True, False]))
