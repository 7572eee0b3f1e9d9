"""The library against the definitions in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    ORDERED_DISTANCES,
    SET_DISTANCES,
    ReliabilityData,
    alpha,
    alphas,
    augmented_kappa,
    beta,
    cohen_kappa,
    contributions,
    distance,
    gwet_ac1,
)
from tests.agreement.measures import exact
from tests.agreement.measures.laws.test_laws_of_all import FAMILY, FOR_TWO
from tests.agreement.measures.strategies import data_of, number_tables, one_document, tables
from tests.shared.cases import examples

OPTIONS = st.fixed_dictionaries(
    {
        "exclude_unit": st.sampled_from(["none", "observed", "both"]),
        "empty": st.sampled_from(["subset", "disjoint"]),
        "thirds": st.sampled_from(["exact", "rounded"]),
    }
)


def close(found, expected):
    if expected is None:
        return found is None
    return found == pytest.approx(float(expected), abs=1e-12, rel=1e-12)


def lopsided(a, b):
    """Return a distance that has no bound, also between labels and between sets of different documents."""
    return abs(weight(a) - weight(b)) / 4


def weight(value):
    return 10 * len(value) if isinstance(value, frozenset) else len(value)


@examples(100)
@given(tables(), st.sampled_from([*SET_DISTANCES, lopsided]), OPTIONS)
def test_alpha_is_what_its_definition_gives(drawn, name, options):
    table, documents = drawn
    value, do, de = exact.alpha(table, name, **options)
    result = alpha(data_of(table, documents), name, **options)
    assert close(result.value, value)
    assert close(result.observed, do)
    assert close(result.expected, de)
    assert bool(result.note) == (result.value is None)


@examples(40)
@given(tables(), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_a_named_distance_given_as_a_callable_gives_the_same_alpha(drawn, name, options):
    data = data_of(*drawn)
    conventions = {"empty": options["empty"], "thirds": options["thirds"]}

    def called(a, b):
        return distance(a, b, name, **conventions)

    fast, slow = alpha(data, name, **options), alpha(data, called, **options)
    assert close(fast.value, slow.value)
    assert close(fast.expected, slow.expected)
    counts = ("n_units", "n_coders", "n_values", "n_judgements", "left_out")
    assert [getattr(fast, c) for c in counts] == [getattr(slow, c) for c in counts]


@examples(40)
@given(tables(), st.sampled_from([*SET_DISTANCES, lopsided]), OPTIONS)
def test_contributions_add_up_to_observed_disagreement(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    result, parts = alpha(data, name, **options), contributions(data, name, **options)
    pairable = [u for u, row in table.items() if sum(v is not None for v in row) > 1]
    assert [part.unit for part in parts] == pairable
    assert all(part.document == documents[part.unit] for part in parts)
    assert sum(part.observed for part in parts) == pytest.approx(result.observed or 0.0)
    assert sum(part.share for part in parts) == pytest.approx(1.0 if result.observed else 0.0)


@examples(80)
@given(number_tables(), st.sampled_from(ORDERED_DISTANCES))
def test_alpha_of_numbers_is_what_its_definition_gives(drawn, name):
    table, documents = drawn
    value, do, de = exact.alpha(table, exact.ordered_distance(name, table))
    data = data_of(table, documents)
    result = alpha(data, name)
    assert close(result.value, value)
    assert close(result.observed, do)
    assert close(result.expected, de)
    assert sum(part.observed for part in contributions(data, name)) == pytest.approx(result.observed or 0.0)


MISSING = st.sampled_from(["drop", "available"])


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
def test_the_coefficients_of_categories_are_what_their_definitions_give(drawn, missing):
    table, documents = drawn
    data = data_of(table, documents)
    for name, coefficient in FAMILY.items():
        if name not in FOR_TWO or len(data.coders) == 2:
            assert_kappa(coefficient(data, missing=missing), exact.kappa(name, table, missing))


@examples(60)
@given(tables(), st.sampled_from(SET_DISTANCES), MISSING, st.sampled_from(["subset", "disjoint"]))
def test_beta_of_sets_is_what_its_definition_gives(drawn, name, missing, empty):
    table, documents = drawn
    similar = exact.similarity(name, empty)
    expected = exact.kappa("beta", table, missing, similar)
    found = beta(data_of(table, documents), name, missing=missing, empty=empty)
    assert_kappa(found, expected, disagreement=True)


PLACES = {
    "linear": lambda a, b: Fraction(abs(a - b), 4),
    "quadratic": lambda a, b: Fraction(abs(a - b), 4) ** 2,
    "bipolar": lambda a, b: Fraction((a - b) ** 2, (a + b) * (8 - a - b)) if a != b else Fraction(0),
}


@examples(60)
@given(number_tables(), MISSING, st.sampled_from(sorted(PLACES)))
def test_weighted_coefficients_are_what_their_definitions_give(drawn, missing, name):
    table, documents = drawn
    data, scale = data_of(table, documents), range(5)
    similar = exact.similarity(PLACES[name])
    own = exact.kappa("multi-kappa", table, missing, similar)
    assert_kappa(beta(data, name, categories=scale, missing=missing), own, disagreement=True)
    if len(data.coders) == 2:
        assert_kappa(cohen_kappa(data, name, categories=scale, missing=missing), own)
    total = sum(similar(a, b) for a in scale for b in scale)
    expected = exact.kappa("AC1", table, missing, similar, q=5, total=total)
    assert_kappa(gwet_ac1(data, name, categories=scale, missing=missing), expected)


PAIRS = st.one_of(
    st.none(),
    st.sampled_from("abc"),
    st.permutations("abc").map(lambda p: tuple(p[:2])),
    st.frozensets(st.sampled_from("xyz")),
)


@examples(60)
@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(PAIRS, min_size=n, max_size=n), max_size=6)),
    st.sampled_from([Fraction(1, 2), Fraction(3, 5), Fraction(1)]),
)
def test_augmented_kappa_is_what_its_definition_gives(rows, p):
    result = augmented_kappa(one_document(rows), float(p))
    assert close(result.value, exact.augmented(dict(enumerate(rows)), p))
    assert bool(result.note) == (result.value is None)


@examples(60)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.integers(-1, 3), min_size=3, max_size=3))), OPTIONS)
def test_alpha_of_chain_ids_is_what_its_definition_gives(rows, options):
    documents = [document for document, _ in rows]
    table = {
        u: [
            None if i == -1 else frozenset(v for v, (d, row) in enumerate(rows) if d == text and row[c] == i)
            for c, i in enumerate(ids)
        ]
        for u, (text, ids) in enumerate(rows)
    }
    ids = np.array([ids for _, ids in rows], dtype=int).reshape(len(rows), 3)
    found = alphas(ReliabilityData.from_chain_ids(ids, documents), **options)
    for name, result in found.items():
        value, do, de = exact.alpha(table, name, **options)
        assert close(result.value, value)
        assert close(result.observed, do)
        assert close(result.expected, de)


VALUES = st.one_of(st.sampled_from("xy"), st.frozensets(st.sampled_from("abcd")))


@examples(40)
@given(
    VALUES,
    VALUES,
    st.sampled_from(SET_DISTANCES),
    st.sampled_from(["subset", "disjoint"]),
    st.sampled_from(["exact", "rounded"]),
)
def test_distance_is_what_its_definition_gives(a, b, name, empty, thirds):
    found = distance(a, b, name, empty=empty, thirds=thirds)
    assert close(found, exact.distance(a, b, name, empty, thirds))
    assert found == distance(b, a, name, empty=empty, thirds=thirds)
    assert 0 <= found <= 1
    assert (found == 0) == (a == b)
