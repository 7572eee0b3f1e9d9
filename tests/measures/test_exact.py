"""The library against the definitions in exact fractions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.measures import DISTANCES, alpha, contributions, distance, fleiss_kappa

from . import exact
from .strategies import data_of, tables

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
    """A distance with no bound, also between labels and between sets of different documents."""
    return abs(weight(a) - weight(b)) / 4


def weight(value):
    return 10 * len(value) if isinstance(value, frozenset) else len(value)


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([*DISTANCES, lopsided]), OPTIONS)
def test_alpha_is_what_its_definition_gives(drawn, name, options):
    table, documents = drawn
    value, do, de = exact.alpha(table, name, **options)
    result = alpha(data_of(table, documents), name, **options)
    assert close(result.value, value)
    assert close(result.observed, do)
    assert close(result.expected, de)
    assert bool(result.note) == (result.value is None)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(DISTANCES), OPTIONS)
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


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([*DISTANCES, lopsided]), OPTIONS)
def test_contributions_add_up_to_observed_disagreement(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    result, parts = alpha(data, name, **options), contributions(data, name, **options)
    pairable = [u for u, row in table.items() if sum(v is not None for v in row) > 1]
    assert [part.unit for part in parts] == pairable
    assert all(part.document == documents[part.unit] for part in parts)
    assert sum(part.observed for part in parts) == pytest.approx(result.observed or 0.0)
    assert sum(part.share for part in parts) == pytest.approx(1.0 if result.observed else 0.0)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(["drop", "available"]))
def test_k_is_what_its_definition_gives(drawn, missing):
    table, documents = drawn
    value, ao, ae = exact.fleiss_kappa(table, missing)
    if len(next(iter(table.values()), [])) < 2:
        value = ao = ae = None
    result = fleiss_kappa(data_of(table, documents), missing=missing)
    assert close(result.value, value)
    assert close(result.observed, ao)
    assert close(result.expected, ae)
    assert bool(result.note) == (result.value is None)


VALUES = st.one_of(st.sampled_from("xy"), st.frozensets(st.sampled_from("abcd")))


@settings(max_examples=40, deadline=None)
@given(
    VALUES,
    VALUES,
    st.sampled_from(DISTANCES),
    st.sampled_from(["subset", "disjoint"]),
    st.sampled_from(["exact", "rounded"]),
)
def test_distance_is_what_its_definition_gives(a, b, name, empty, thirds):
    found = distance(a, b, name, empty=empty, thirds=thirds)
    assert close(found, exact.distance(a, b, name, empty, thirds))
    assert found == distance(b, a, name, empty=empty, thirds=thirds)
    assert 0 <= found <= 1
    assert (found == 0) == (a == b)
