"""Agreement between two groups of coders, against the definition in fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    ORDERED_DISTANCES,
    SET_DISTANCES,
    ReliabilityData,
    alpha,
    bootstrap,
    cohen_kappa,
    cross_alpha,
    interval,
)
from tests.agreement.measures import exact
from tests.agreement.measures.strategies import data_of, number_tables, one_document, tables
from tests.agreement.measures.uncertainty.test_default_interval import OPTIONS, assert_interval, bounds
from tests.shared.cases import examples

ROWS = {"a": "xxy", "b": "yyy", "c": "xxx", "d": "xyy", "e": ["x", None, "y"], "f": ["y", "y", None]}


def split(table):
    """Return how many coders are in the first group, and the names of both; None where there are fewer than two."""
    n = len(next(iter(table.values()), []))
    return (n // 2, "ABCD"[: n // 2], "ABCD"[n // 2 : n]) if n > 1 else None


def assert_equal(found, expected):
    value, observed, disagreement = expected
    assert found.value == (None if value is None else pytest.approx(float(value), abs=1e-9))
    assert found.observed == (None if observed is None else pytest.approx(float(observed), abs=1e-9))
    assert found.expected == (None if disagreement is None else pytest.approx(float(disagreement), abs=1e-9))
    assert bool(found.note) == (value is None)


@examples(150)
@given(tables(), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_it_is_what_its_definition_gives(drawn, name, options):
    table, documents = drawn
    groups = split(table)
    if groups:
        n, first, second = groups
        found = cross_alpha(data_of(table, documents), first, second, name, **options)
        assert_equal(found, exact.cross_alpha(table, n, name, **options))


@examples(60)
@given(tables(readings=True), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_values_with_several_readings_are_matched(drawn, name, options):
    table, documents = drawn
    groups = split(table)
    if groups:
        n, first, second = groups
        found = cross_alpha(data_of(table, documents), first, second, name, **options)
        assert_equal(found, exact.cross_alpha(table, n, name, **options))


@examples(60)
@given(number_tables(), st.sampled_from(ORDERED_DISTANCES))
def test_numbers_are_compared_by_their_distances(drawn, name):
    table, documents = drawn
    groups = split(table)
    if groups:
        n, first, second = groups
        used = {u: row for u, row in table.items() if any(v is not None for v in row[:n])}
        used = {u: row for u, row in used.items() if any(v is not None for v in row[n:])}
        found = cross_alpha(data_of(table, documents), first, second, name)
        assert_equal(found, exact.cross_alpha(table, n, exact.ordered_distance(name, used)))


@examples(40)
@given(tables(), st.sampled_from(SET_DISTANCES), st.sampled_from(["none", "both"]))
def test_its_interval_leaves_out_documents(drawn, name, exclude):
    table, documents = drawn
    groups = split(table)
    if not groups:
        return
    n, first, second = groups

    def coefficient(some):
        return exact.cross_alpha(some, n, name, exclude)[0]

    found = interval(data_of(table, documents), cross_alpha, first, second, name, exclude_unit=exclude)
    used = {documents[u] for u, row in table.items() if any(v is not None for v in row[:n])} & {
        documents[u] for u, row in table.items() if any(v is not None for v in row[n:])
    }
    crossed = {
        documents[u]
        for u, row in table.items()
        if any(v is not None for v in row[:n]) and any(v is not None for v in row[n:])
    }
    if found.by != "document" or len(crossed) < 3 or not used:
        return
    without = [coefficient({u: row for u, row in table.items() if documents[u] != left}) for left in sorted(crossed)]
    value = coefficient(table)
    if value is None or value == 1 or None in without or len(set(without)) == 1:
        assert found.low is None
        return
    assert_interval(found, bounds(value, without))


def test_of_two_coders_it_is_cohens_kappa():
    data = data_of(ROWS, dict.fromkeys(ROWS, "text"))
    pair = data_of({u: row[::2] for u, row in ROWS.items()}, dict.fromkeys(ROWS, "text"))
    kappa = cohen_kappa(pair, missing="drop")
    assert cross_alpha(data, "A", "C").value == pytest.approx(kappa.value)


def test_how_a_group_agrees_within_does_not_enter():
    split_within = {"a": "xyxy", "b": "yxyx", "c": "xyxy"}
    found = cross_alpha(one_document(split_within), "AB", "CD")
    assert (found.observed, found.expected, found.value) == (0.5, 0.5, 0.0)
    assert alpha(one_document({u: row[:2] for u, row in split_within.items()})).value < 0


def test_the_groups_may_be_named_in_any_order_and_change_places():
    data = data_of(ROWS, dict.fromkeys(ROWS, "text"))
    one, other = cross_alpha(data, ["B", "A"], ["C"]), cross_alpha(data, ["C"], ["A", "B"])
    assert (one.value, one.observed) == pytest.approx((other.value, other.observed))
    assert one.n_units == 5
    assert one.left_out == {"not coded by both groups": 1}
    assert "2 values" in repr(one)


def test_replicates_of_documents_are_of_the_same_coefficient():
    table = {f"{text}{unit}": row for text in "pqrs" for unit, row in ROWS.items()}
    data = data_of(table, {unit: unit[0] for unit in table})
    found = bootstrap(data, cross_alpha, "AB", "C", n=50)
    assert np.nanmax(np.abs(found.replicates - found.value)) < 1e-9


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ("AB", "Z", "'Z' is no coder of the data"),
        ("", "C", "a group has no coders"),
        ("AB", "BC", "'B' is in both groups"),
    ],
)
def test_groups_that_cannot_be_are_refused(first, second, says):
    with pytest.raises(ValueError, match=says):
        cross_alpha(data_of(ROWS, dict.fromkeys(ROWS, "text")), first, second)


def test_a_distance_has_to_be_named():
    with pytest.raises(ValueError, match="by name"):
        cross_alpha(data_of(ROWS, dict.fromkeys(ROWS, "text")), "A", "C", lambda a, b: float(a != b))


def test_where_it_is_undefined_the_note_says_why():
    nothing = cross_alpha(one_document({"a": ["x", None], "b": [None, "y"]}), "A", "B")
    assert (nothing.value, nothing.note) == (None, "no unit is coded by both groups")
    alike = cross_alpha(one_document({"a": "xx", "b": "xx"}), "A", "B")
    assert (alike.value, alike.note) == (None, "no disagreement can be expected")
    assert cross_alpha(ReliabilityData.from_values("u", "AB", [[3, 5]], ["t"]), "A", "B", "interval").value == 0
