"""Agreement between two groups of coders, against the definition in fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import ORDERED_DISTANCES, SET_DISTANCES, alpha, cross_alpha
from tests.agreement.measures import exact
from tests.agreement.measures.checks import assert_result
from tests.agreement.measures.strategies import OPTIONS, data_of, number_tables, one_document, tables
from tests.agreement.measures.uncertainty.test_default_interval import assert_interval, bounds
from tests.shared.cases import examples

ROWS = {"a": "xxy", "b": "yyy", "c": "xxx", "d": "xyy", "e": ["x", None, "y"], "f": ["y", "y", None]}
DATA = data_of(ROWS, dict.fromkeys(ROWS, "text"))


def split(table):
    """Return how many coders are in the first group, and the names of both; empty groups of fewer than two coders."""
    n = len(next(iter(table.values()), []))
    return (n // 2, "ABCD"[: n // 2], "ABCD"[n // 2 : n]) if n > 1 else (0, "", "")


def crossed(table, n):
    """Return the units that both groups coded."""
    return {u: row for u, row in table.items() if set(row[:n]) != {None} and set(row[n:]) != {None}}


@examples(210)
@given(tables() | tables() | tables(readings=True), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_cross_alpha_equals_exact_definition(drawn, name, options):
    table, documents = drawn
    n, first, second = split(table)
    if n:
        found = cross_alpha(data_of(table, documents), first, second, name, **options)
        assert_result(found, exact.cross_alpha(table, n, name, **options), 1e-9)


@examples(60)
@given(number_tables(), st.sampled_from(ORDERED_DISTANCES))
def test_cross_alpha_of_numbers_equals_exact_definition(drawn, name):
    table, documents = drawn
    n, first, second = split(table)
    if n:
        found = cross_alpha(data_of(table, documents), first, second, name)
        between = exact.ordered_distance(name, crossed(table, n))
        assert_result(found, exact.cross_alpha(table, n, between), 1e-9)


@examples(40)
@given(tables(), st.sampled_from(SET_DISTANCES), st.sampled_from(["none", "both"]))
def test_interval_leaves_out_each_document(drawn, name, exclude):
    table, documents = drawn
    n, first, second = split(table)
    if not n:
        return

    def coefficient(some):
        return exact.cross_alpha(some, n, name, exclude)[0]

    found = measures.interval(data_of(table, documents), cross_alpha, first, second, name, exclude_unit=exclude)
    texts = sorted({documents[unit] for unit in crossed(table, n)})
    if found.by != "document" or len(texts) < 3:
        return
    without = [coefficient({u: row for u, row in table.items() if documents[u] != left}) for left in texts]
    value = coefficient(table)
    if value is None or value == 1 or None in without or len(set(without)) == 1:
        assert found.low is None
    else:
        assert_interval(found, bounds(value, without))


def test_cross_alpha_of_two_coders_equals_cohens_kappa():
    pair = data_of({u: row[::2] for u, row in ROWS.items()}, dict.fromkeys(ROWS, "text"))
    kappa = measures.cohen_kappa(pair, missing="drop")
    assert cross_alpha(DATA, "A", "C").value == pytest.approx(kappa.value)


def test_agreement_within_group_is_ignored():
    split_within = {"a": "xyxy", "b": "yxyx", "c": "xyxy"}
    found = cross_alpha(one_document(split_within), "AB", "CD")
    assert (found.observed, found.expected, found.value) == (0.5, 0.5, 0.0)
    assert alpha(one_document({u: row[:2] for u, row in split_within.items()})).value < 0


def test_groups_may_be_given_in_any_order():
    found, exchanged = cross_alpha(DATA, ["B", "A"], ["C"]), cross_alpha(DATA, ["C"], ["A", "B"])
    assert (found.value, found.observed) == pytest.approx((exchanged.value, exchanged.observed))
    assert (found.n_units, found.left_out) == (5, {"not coded by both groups": 1})
    assert "2 values" in repr(found)


def test_replicates_of_equal_documents_equal_value():
    table = {f"{text}{unit}": row for text in "pqrs" for unit, row in ROWS.items()}
    data = data_of(table, {unit: unit[0] for unit in table})
    found = measures.bootstrap(data, cross_alpha, "AB", "C", n=50)
    assert np.nanmax(np.abs(found.replicates - found.value)) < 1e-9


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("AB", "Z"), "'Z' is no coder of the data"),
        (("", "C"), "a group has no coders"),
        (("AB", "BC"), "'B' is in both groups"),
        (("A", "C", lambda a, b: float(a != b)), "by name"),
    ],
)
def test_cross_alpha_refuses_wrong_groups_and_callables(arguments, says):
    with pytest.raises(ValueError, match=says):
        cross_alpha(DATA, *arguments)


def test_undefined_result_has_note():
    nothing = cross_alpha(one_document({"a": ["x", None], "b": [None, "y"]}), "A", "B")
    assert (nothing.value, nothing.note) == (None, "no unit is coded by both groups")
    alike = cross_alpha(one_document({"a": "xx", "b": "xx"}), "A", "B")
    assert (alike.value, alike.note) == (None, "no disagreement can be expected")
    assert (
        cross_alpha(measures.ReliabilityData.from_values("u", "AB", [[3, 5]], ["t"]), "A", "B", "interval").value == 0
    )
