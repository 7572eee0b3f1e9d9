"""What holds for every coefficient."""

from functools import partial
from inspect import isfunction, signature
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import (
    ORDERED_DISTANCES,
    SET_DISTANCES,
    alpha,
    beta,
    cohen_kappa,
    gwet_ac1,
    interval,
    multi_kappa,
)
from tests.agreement.measures.strategies import data_of, number_tables, one_document, rearrange, tables
from tests.shared.cases import cases, examples

FOR_TWO = {"pi": measures.scott_pi, "kappa": cohen_kappa}
# By the names that their definitions in exact fractions have in `exact.kappa`.
FAMILY = {
    "Ao": measures.observed_agreement,
    "S": measures.bennett_s,
    "K": measures.fleiss_kappa,
    "multi-kappa": multi_kappa,
    "AC1": gwet_ac1,
    **FOR_TWO,
}
BETAS = {f"beta {name}": partial(beta, distance=name) for name in SET_DISTANCES}
OF_LABELS = {"augmented kappa": partial(measures.augmented_kappa, p=0.6)}
OF_NUMBERS = {f"alpha {name}": partial(alpha, distance=name) for name in ORDERED_DISTANCES}
ALPHAS = {f"alpha {name}": partial(alpha, distance=name, exclude_unit="both") for name in SET_DISTANCES}
ALL = {**FAMILY, **BETAS, **OF_LABELS, **OF_NUMBERS, **ALPHAS}
RESULTS = (measures.Result, measures.KappaResult)
# What is computed of two partitions, of counts, or of sums that a program kept.
OF_OTHER_DATA = {"link_kappa", "count_alpha", "combine"}
# Distances share the code of their coefficient, and tests of the exact definition take all of them.
OTHER_DISTANCES = {name for name in ALL if name.startswith(("alpha ", "beta ")) and name.split()[1] in SET_DISTANCES}
OTHER_DISTANCES -= {"alpha nominal", "alpha masi", "beta nominal", "beta masi"}
NAMES = cases([name for name in ALL if name not in OTHER_DISTANCES], full=sorted(OTHER_DISTANCES))
every = pytest.mark.parametrize("name", NAMES)
few = examples(25)


def table_for(data, name):
    """Draw a table that the coefficient can take."""
    drawn = number_tables() if name in OF_NUMBERS else tables(sets=name not in OF_LABELS)
    table, documents = data.draw(drawn)
    return ({u: row[:2] for u, row in table.items()} if name in FOR_TWO else table), documents


def same(a, b):
    if a is None or b is None:
        return a is b
    return a == pytest.approx(b, abs=1e-12)


def assert_same(name, table, other, documents, other_documents):
    before, after = (ALL[name](data_of(*drawn)) for drawn in ((table, documents), (other, other_documents)))
    for part in ("value", "observed", "expected"):
        assert same(getattr(before, part), getattr(after, part)), part
    for part in ("note", "n_units", "n_coders", "n_values", "n_judgements"):
        assert getattr(before, part) == getattr(after, part), part


def test_laws_cover_every_coefficient_of_library():
    functions = {name: getattr(measures, name) for name in measures.__all__ if isfunction(getattr(measures, name))}
    coefficients = {name for name, function in functions.items() if signature(function).return_annotation in RESULTS}
    assert coefficients - OF_OTHER_DATA == {getattr(function, "func", function).__name__ for function in ALL.values()}


@every
@few
@given(st.data())
def test_figures_and_intervals_ignore_order_and_names(name, data):
    table, documents = table_for(data, name)
    order = data.draw(st.permutations(range(len(next(iter(table.values()), [])))))
    other = rearrange(table, documents, order, data.draw(st.permutations(list(table))))
    assert_same(name, table, other[0], documents, other[1])
    before, after = (interval(data_of(*drawn), ALL[name]) for drawn in ((table, documents), other))
    assert (before.by, before.n_groups, bool(before.note)) == (after.by, after.n_groups, bool(after.note))
    if before.low is not None:
        assert (before.low, before.high) == pytest.approx((after.low, after.high), rel=1e-6)
        assert before.low < before.value < before.high <= 1


@every
@few
@given(st.data())
def test_identical_coders_have_value_1_or_none(name, data):
    table, documents = table_for(data, name)
    n_coders = 2 if name in FOR_TWO else 3
    result = ALL[name](data_of({u: [row[0]] * n_coders for u, row in table.items()}, documents))
    assert result.value is None or result.value == 1.0
    assert (result.value is None) == bool(result.note)


@every
@few
@given(st.data())
def test_uncoded_unit_changes_nothing(name, data):
    table, documents = table_for(data, name)
    if table:
        blank = [None] * len(next(iter(table.values())))
        where = documents | {"blank": next(iter(documents.values()))}
        assert_same(name, table, table | {"blank": blank}, documents, where)


@every
@few
@given(st.data())
def test_dropped_unit_of_one_coder_changes_nothing(name, data):
    table, documents = table_for(data, name)
    if not table:
        return
    coefficient = ALL[name] if name.startswith("alpha") else partial(ALL[name], missing="drop")
    row = [next(v for row in table.values() for v in [*row, 1])] + [None] * (len(next(iter(table.values()))) - 1)
    more, where = table | {"alone": row}, documents | {"alone": next(iter(documents.values()))}
    if len(row) > 1:
        without, having = coefficient(data_of(table, documents)), coefficient(data_of(more, where))
        assert same(without.value, having.value)
        assert (without.n_units, without.n_judgements) == (having.n_units, having.n_judgements)
        assert sum(having.left_out.values()) == sum(without.left_out.values()) + 1


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_distance_of_0_or_1_equals_nominal_distance(drawn, missing):
    data = data_of(*drawn)

    def unequal(a, b):
        return float(a != b)

    assert same(alpha(data, unequal).value, alpha(data).value)
    for coefficient in (beta, gwet_ac1, cohen_kappa):
        if not data.has_sets and (coefficient is not cohen_kappa or len(data.coders) == 2):
            found, expected = coefficient(data, unequal, missing=missing), coefficient(data, missing=missing)
            assert same(found.value, expected.value)


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_nominal_beta_equals_multi_kappa(drawn, missing):
    data = data_of(*drawn)
    found, expected = beta(data, missing=missing), multi_kappa(data, missing=missing)
    assert found.value == expected.value
    if expected.value is not None:
        assert (found.observed, found.expected) == (1 - expected.observed, 1 - expected.expected)


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_coefficients_for_many_coders_extend_those_for_two(drawn, missing):
    table, documents = drawn
    data = data_of({u: row[:2] for u, row in table.items()}, documents)
    assert same(measures.scott_pi(data, missing=missing).value, measures.fleiss_kappa(data, missing=missing).value)
    assert same(cohen_kappa(data, missing=missing).value, multi_kappa(data, missing=missing).value)


@pytest.mark.parametrize("name", ALPHAS)
def test_pooled_alpha_is_above_mean_of_texts(name):
    first = {"a": [frozenset("ab")] * 2, "b": [frozenset("ab"), frozenset("b")]}
    second = {"c": [frozenset("cde")] * 2, "d": [frozenset("cde"), frozenset("d")], "e": [frozenset("cde")] * 2}
    documents = dict.fromkeys(first, "one") | dict.fromkeys(second, "two")
    texts = [ALL[name](data_of(part, documents)).value for part in (first, second)]
    pooled = ALL[name](data_of(first | second, documents)).value
    # pairs of chains of different texts are far apart, so that more disagreement is expected
    assert pooled > mean(texts) + 0.01


DEGENERATE = {
    "nothing at all": ([], "no data"),
    "one coder": ([[1], [2]], "coder"),
    "no pairable unit": ([[1, None], [None, 2]], "no unit is coded by"),
    "nothing coded": ([[None, None]], "no unit is coded by"),
    "one category": ([[1, 1], [1, 1]], "only one value is used"),
    "one category among pairs": ([[1, 1], [None, None]], "only one value is used"),
}


@pytest.mark.parametrize("case", DEGENERATE)
@every
def test_degenerate_data_have_note_instead_of_value(name, case):
    rows, why = DEGENERATE[case]
    data = one_document(rows)
    result = ALL[name](data)
    if name == "Ao" and "one category" in case:
        assert result.value == 1.0  # nothing is corrected for chance
        return
    assert result.value is None
    assert why in result.note
    assert "undefined" in repr(result)
    assert measures.bootstrap(data, ALL[name], n=3).low is None
    assert (interval(data, ALL[name]).low, interval(data, ALL[name]).note) == (None, result.note)
    assert measures.jackknife(data, ALL[name]).standard_error is None


@every
def test_results_have_counts_and_parameters(name):
    result = ALL[name](one_document([[1, 2], [2, 2], [1, None]]))
    assert (result.n_coders, result.n_values) == (2, 2)
    assert result.parameters
    assert result.coefficient in repr(result)
    assert result.coefficient in result._repr_html_()


@pytest.mark.parametrize("name", [*FAMILY, *BETAS, *OF_LABELS])
def test_error_names_unknown_rule_for_missing_answers(name):
    with pytest.raises(ValueError, match="missing is 'guess'; it must be one of 'drop', 'available'"):
        ALL[name](one_document([[1, 2]]), missing="guess")


@pytest.mark.parametrize("name", FOR_TWO)
def test_coefficient_of_two_coders_refuses_three(name):
    with pytest.raises(ValueError, match=r"is for two coders and there are 3: use (fleiss|multi)_kappa"):
        ALL[name](one_document([[1, 2, 3]]))
