"""One coefficient over parts of the data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.measures import (
    LeaveOneOut,
    Pairwise,
    ReliabilityData,
    alpha,
    alphas,
    cohen_kappa,
    collapse,
    contributions,
    fleiss_kappa,
    leave_one_out,
    pairwise,
)
from agreement.measures.comparisons import of_units

from .strategies import data_of, one_document, tables

few = settings(max_examples=40, deadline=None)


@few
@given(tables())
def test_pairs_of_coders_are_what_the_two_have_alone(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    found = pairwise(data, alpha, "masi", exclude_unit="both")
    for (a, b), result in found.results.items():
        i, j = data.coders.index(a), data.coders.index(b)
        alone = data_of({u: [row[i], row[j]] for u, row in table.items()}, documents)
        expected = alpha(alone, "masi", exclude_unit="both")
        assert (result.value, result.n_judgements) == (expected.value, expected.n_judgements)
    assert len(found.results) == math.comb(len(data.coders), 2)


def test_the_table_of_pairs_has_nothing_on_its_diagonal():
    rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"]]
    found = pairwise(one_document(rows, ["Ann", "Bob", "Cid"]), cohen_kappa)
    frame = found.to_frame()
    assert frame.loc["Ann", "Bob"] == frame.loc["Bob", "Ann"] == 1.0
    assert found["Bob", "Ann"] is found["Ann", "Bob"]
    assert all(math.isnan(frame.loc[coder, coder]) for coder in frame.index)
    assert found.mean == pytest.approx((1 + 2 * found.results["Ann", "Cid"].value) / 3)
    assert repr(found) == f"<kappa of 3 pairs of coders, mean {found.mean:.4f}>"
    assert "Bob" in found._repr_html_()


def test_pairs_without_a_value_are_left_out_of_the_mean():
    found = pairwise(one_document([["x", "x", None], ["y", "y", None]]), cohen_kappa)
    assert (found.results["A", "B"].value, found.results["A", "C"].value, found.mean) == (1.0, None, 1.0)
    assert pairwise(one_document([["x"]]), alpha) == Pairwise(("A",), {})
    assert pairwise(one_document([["x"]]), alpha).mean is None


@few
@given(tables())
def test_without_a_coder_or_document_is_what_the_rest_has(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    for c, part in enumerate(leave_one_out(data, alpha, "jaccard", by="coder").parts):
        rest = data_of({u: row[:c] + row[c + 1 :] for u, row in table.items()}, documents)
        assert part.result.value == pytest.approx(alpha(rest, "jaccard").value)
    for part in leave_one_out(data, fleiss_kappa, by="document").parts:
        rest = data_of({u: row for u, row in table.items() if documents[u] != part.name}, documents)
        assert part.result.value == pytest.approx(fleiss_kappa(rest).value)


@few
@given(tables())
def test_without_a_category_its_judgements_are_missing(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    found = leave_one_out(data, by="category")
    assert [part.name for part in found.parts] == list(data.labels)
    for part in found.parts:
        rest = {u: [None if v == part.name else v for v in row] for u, row in table.items()}
        assert part.result.value == pytest.approx(alpha(data_of(rest, documents)).value)


def test_the_coder_who_disagrees_shows_as_a_rise_without_him():
    rows = [["x", "x", "y"], ["y", "y", "x"], ["x", "x", "x"], ["y", "y", "y"]]
    found = leave_one_out(one_document(rows, ["Ann", "Bob", "Cid"]))
    assert max(found.parts, key=lambda part: part.change).name == "Cid"
    assert found.parts[2].change == pytest.approx(1.0 - found.result.value)
    assert "without Cid 1.0000" in repr(found)
    assert "without Cid" in found._repr_html_()


def test_what_becomes_undefined_has_no_change():
    found = leave_one_out(one_document([["x", "y"], ["y", "y"]]), by="coder")
    assert isinstance(found, LeaveOneOut)
    assert [part.change for part in found.parts] == [None, None]
    with pytest.raises(ValueError, match="by is 'text'; it must be one of 'coder', 'document', 'category'"):
        leave_one_out(one_document([["x", "y"]]), by="text")


@few
@given(tables())
def test_collapsed_data_are_those_with_the_labels_renamed(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    mapping = {label: new for label, new in {"place": "any", "new": "any"}.items() if label in data.labels}
    merged = {u: [mapping.get(v, v) for v in row] for u, row in table.items()}
    for distance in ("nominal", "masi"):
        assert alpha(collapse(data, mapping), distance).value == alpha(data_of(merged, documents), distance).value


def test_categories_may_change_names_with_each_other():
    data = one_document([["x", "y"], ["x", "x"]])
    swapped = collapse(data, {"x": "y", "y": "x"})
    assert [[swapped.value(c) for c in row] for row in swapped.codes.tolist()] == [["y", "x"], ["y", "y"]]


def test_a_scheme_may_have_labels_that_nobody_used():
    data = one_document([["place", "none"]])
    assert collapse(data, {"place": "any", "segment": "any"}).labels == ("any", "none")
    with pytest.raises(ValueError, match=r"no label of .'plcae'. is used; the labels are .'place', 'none'."):
        collapse(data, {"plcae": "any"})


def test_chain_ids_of_some_coders_stay_chain_ids():
    data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 2, -1], [2, 2, 1]], ["a"] * 3)
    found = pairwise(data, alpha, "jaccard")
    alone = ReliabilityData.from_chain_ids([[1, 1], [1, -1], [2, 1]], ["a"] * 3)
    assert found.results[0, 2].value == alpha(alone, "jaccard").value


def test_contributions_of_units_show_who_disagrees():
    parts = contributions(one_document({"A": [1, 5], "B": [2, 2], "C": [3, 4]}), "interval")
    assert [part.share for part in parts] == pytest.approx([16 / 17, 0, 1 / 17])


@settings(max_examples=100, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_some_of_the_units_keep_their_values_with_the_others_as_members(drawn, random):
    table, documents = drawn
    data = data_of(table, documents)
    kept = np.array([random.random() < 0.6 for _ in table], dtype=np.bool_)
    rest = {unit: row for (unit, row), one in zip(table.items(), kept.tolist(), strict=True) if one}
    found = of_units(data, kept)
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
        of_units(data_of({"a": ["x"]}, {"a": "text"}), np.array([True, False]))
