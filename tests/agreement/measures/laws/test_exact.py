"""The library against the definitions in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import ORDERED_DISTANCES, SET_DISTANCES, ReliabilityData, alpha, beta, contributions, distance
from tests.agreement.measures import exact
from tests.agreement.measures.checks import assert_result, close, values_of
from tests.agreement.measures.exact import Several
from tests.agreement.measures.laws.test_laws_of_all import FAMILY, FOR_TWO
from tests.agreement.measures.strategies import (
    CONVENTIONS,
    OPTIONS,
    as_given,
    data_of,
    number_tables,
    one_document,
    tables,
)
from tests.shared.cases import examples

NAMES = st.sampled_from(SET_DISTANCES)
MISSING = st.sampled_from(["drop", "available"])
COUNTS = ("n_units", "n_coders", "n_values", "n_judgements", "left_out")


def unbounded_distance(a, b):
    """Return a distance that has no bound, also between labels and between sets of different documents."""
    return abs(weight(a) - weight(b)) / 4


def weight(value):
    return 10 * len(value) if isinstance(value, frozenset) else len(value)


DRAWN = st.one_of(
    st.tuples(tables(), st.sampled_from([*SET_DISTANCES, unbounded_distance])), st.tuples(tables(readings=True), NAMES)
)


@examples(280)
@given(DRAWN, OPTIONS)
def test_alpha_and_contributions_equal_exact_definition(drawn, options):
    (table, documents), name = drawn
    data, expected = data_of(table, documents), exact.alpha(table, name, **options)
    result, parts = alpha(data, name, **options), contributions(data, name, **options)
    assert_result(result, expected)
    assert [part.unit for part in parts] == list(exact.judgements(table))
    assert all(part.document == documents[part.unit] for part in parts)
    assert sum(part.observed for part in parts) == pytest.approx(result.observed or 0.0)
    assert sum(part.share for part in parts) == pytest.approx(1.0 if result.observed else 0.0)
    if not callable(name):
        if table:
            assert measures.combine(reversed(measures.document_sums(data, name, **options))) == result
        conventions = {option: options[option] for option in CONVENTIONS}
        called = alpha(data, lambda a, b: distance(a, b, name, **conventions), **options)
        assert_result(called, expected)
        assert [getattr(called, count) for count in COUNTS] == [getattr(result, count) for count in COUNTS]


@examples(80)
@given(number_tables(), st.sampled_from(ORDERED_DISTANCES))
def test_alpha_of_numbers_equals_exact_definition(drawn, name):
    table, documents = drawn
    data = data_of(table, documents)
    result = alpha(data, name)
    assert_result(result, exact.alpha(table, exact.ordered_distance(name, table)))
    assert sum(part.observed for part in contributions(data, name)) == pytest.approx(result.observed or 0.0)


def assert_kappa(result, expected, disagreement=False):
    value, ao, ae = expected
    assert close(result.value, value)
    if value is not None:
        parts = (1 - ao, 1 - ae) if disagreement else (ao, ae)
        assert close(result.observed, parts[0])
        assert close(result.expected, parts[1])
    assert bool(result.note) == (result.value is None)


@examples(60)
@given(tables(), MISSING)
def test_coefficients_of_categories_equal_exact_definitions(drawn, missing):
    table, documents = drawn
    data = data_of(table, documents)
    for name, coefficient in FAMILY.items():
        if name not in FOR_TWO or len(data.coders) == 2:
            assert_kappa(coefficient(data, missing=missing), exact.kappa(name, table, missing))


@examples(160)
@given(tables() | tables(readings=True), NAMES, MISSING, st.fixed_dictionaries(CONVENTIONS))
def test_beta_of_sets_and_readings_equals_exact_definition(drawn, name, missing, conventions):
    table, documents = drawn
    value, ao, ae = exact.kappa("beta", table, missing, exact.similarity(name, **conventions))
    result = beta(data_of(table, documents), name, missing=missing, **conventions)
    assert_result(result, (value, None if ao is None else 1 - ao, None if ae is None else 1 - ae))


PLACES = {
    "linear": lambda a, b: Fraction(abs(a - b), 4),
    "quadratic": lambda a, b: Fraction(abs(a - b), 4) ** 2,
    "bipolar": lambda a, b: Fraction((a - b) ** 2, (a + b) * (8 - a - b)) if a != b else Fraction(0),
}


@examples(60)
@given(number_tables(), MISSING, st.sampled_from(sorted(PLACES)))
def test_weighted_coefficients_equal_exact_definitions(drawn, missing, name):
    table, documents = drawn
    data, scale = data_of(table, documents), range(5)
    options = {"distance": name, "categories": scale, "missing": missing}
    similar = exact.similarity(PLACES[name])
    own = exact.kappa("multi-kappa", table, missing, similar)
    assert_kappa(beta(data, **options), own, disagreement=True)
    if len(data.coders) == 2:
        assert_kappa(measures.cohen_kappa(data, **options), own)
    total = sum(similar(a, b) for a in scale for b in scale)
    assert_kappa(measures.gwet_ac1(data, **options), exact.kappa("AC1", table, missing, similar, q=5, total=total))


PAIRS = st.one_of(
    st.none(),
    st.sampled_from("abc"),
    st.permutations("abc").map(lambda letters: tuple(letters[:2])),
    st.frozensets(st.sampled_from("xyz")),
)


@examples(60)
@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(PAIRS, min_size=n, max_size=n), max_size=6)),
    st.sampled_from([Fraction(1, 2), Fraction(3, 5), Fraction(1)]),
)
def test_augmented_kappa_equals_exact_definition(rows, p):
    result = measures.augmented_kappa(one_document(rows), float(p))
    assert close(result.value, exact.augmented(dict(enumerate(rows)), p))
    assert bool(result.note) == (result.value is None)


@examples(60)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.integers(-1, 3), min_size=3, max_size=3))), OPTIONS)
def test_alpha_of_chain_ids_equals_exact_definition(rows, options):
    documents = [document for document, _ in rows]
    table = {
        u: [
            None if i == -1 else frozenset(v for v, (d, row) in enumerate(rows) if d == text and row[c] == i)
            for c, i in enumerate(ids)
        ]
        for u, (text, ids) in enumerate(rows)
    }
    ids = np.array([ids for _, ids in rows], dtype=int).reshape(len(rows), 3)
    data = ReliabilityData.from_chain_ids(ids, documents)
    by_values = ReliabilityData.from_values(range(len(rows)), range(3), list(table.values()), documents)
    assert values_of(data) == table
    for name, result in measures.alphas(data, **options).items():
        assert_result(result, exact.alpha(table, name, **options))
        slow = alpha(by_values, name, **options)
        assert [getattr(result, count) for count in (*COUNTS, "note")] == [
            getattr(slow, count) for count in (*COUNTS, "note")
        ]


SETS = st.frozensets(st.sampled_from("abcd"))
SEVERAL = st.frozensets(SETS, min_size=2, max_size=4).map(Several)
VALUES = SETS | SETS | SEVERAL | SEVERAL | st.sampled_from(["x", "y", "place"])


@examples(700)
@given(VALUES, VALUES, NAMES, st.fixed_dictionaries(CONVENTIONS))
def test_distances_of_sets_and_readings_equal_exact_definition(a, b, name, conventions):
    found = distance(as_given(a), as_given(b), name, **conventions)
    assert close(found, exact.distance(a, b, name, **conventions))
    assert found == distance(as_given(b), as_given(a), name, **conventions)
    assert 0 <= found <= 1
    assert (found == 0) == (a == b)
