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
    KappaResult,
    Result,
    alpha,
    augmented_kappa,
    bennett_s,
    beta,
    bootstrap,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    interval,
    jackknife,
    multi_kappa,
    observed_agreement,
    scott_pi,
)
from tests.agreement.measures.strategies import data_of, number_tables, one_document, tables
from tests.shared.cases import cases, examples

FOR_TWO = {"pi": scott_pi, "kappa": cohen_kappa}
# By the names that their definitions in exact fractions have in `exact.kappa`.
FAMILY = {
    "Ao": observed_agreement,
    "S": bennett_s,
    "K": fleiss_kappa,
    "multi-kappa": multi_kappa,
    "AC1": gwet_ac1,
    **FOR_TWO,
}
BETAS = {f"beta {name}": partial(beta, distance=name) for name in SET_DISTANCES}
OF_LABELS = {"augmented kappa": partial(augmented_kappa, p=0.6)}
OF_NUMBERS = {f"alpha {name}": partial(alpha, distance=name) for name in ORDERED_DISTANCES}
ALPHAS = {f"alpha {name}": partial(alpha, distance=name, exclude_unit="both") for name in SET_DISTANCES}
ALL = {**FAMILY, **BETAS, **OF_LABELS, **OF_NUMBERS, **ALPHAS}
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


def assert_same(name, table, other, documents, other_documents=None):
    one, two = (ALL[name](data_of(t, d)) for t, d in ((table, documents), (other, other_documents or documents)))
    for part in ("value", "observed", "expected"):
        assert same(getattr(one, part), getattr(two, part)), part
    assert one.note == two.note
    for count in ("n_units", "n_coders", "n_values", "n_judgements"):
        assert getattr(one, count) == getattr(two, count), count


def test_every_coefficient_of_the_library_is_held_to_these_laws():
    functions = {name: getattr(measures, name) for name in measures.__all__ if isfunction(getattr(measures, name))}
    coefficients = {
        name for name, one in functions.items() if signature(one).return_annotation in (Result, KappaResult)
    }
    assert coefficients - OF_OTHER_DATA == {getattr(one, "func", one).__name__ for one in ALL.values()}


@every
@few
@given(st.data())
def test_the_order_of_coders_does_not_matter(name, data):
    table, documents = table_for(data, name)
    order = data.draw(st.permutations(range(len(next(iter(table.values()), [])))))
    assert_same(name, table, {u: [row[i] for i in order] for u, row in table.items()}, documents)


@every
@few
@given(st.data())
def test_the_order_of_units_does_not_matter(name, data):
    table, documents = table_for(data, name)
    assert_same(name, table, {u: table[u] for u in data.draw(st.permutations(list(table)))}, documents)


@every
@few
@given(st.data())
def test_names_do_not_matter(name, data):
    table, documents = table_for(data, name)

    def renamed(value):
        if isinstance(value, frozenset):
            return frozenset(("new", member) for member in value)
        return "new " + value if isinstance(value, str) else value

    new = {("new", u): [renamed(v) for v in row] for u, row in table.items()}
    assert_same(name, table, new, documents, {("new", u): ("text", d) for u, d in documents.items()})


@every
@few
@given(st.data())
def test_neither_order_nor_names_move_an_interval(name, data):
    table, documents = table_for(data, name)
    order = data.draw(st.permutations(range(len(next(iter(table.values()), [])))))
    shuffled = {("new", u): [table[u][i] for i in order] for u in data.draw(st.permutations(list(table)))}

    def renamed(value):
        return frozenset(("new", member) for member in value) if isinstance(value, frozenset) else value

    other = {u: [renamed(v) for v in row] for u, row in shuffled.items()}
    where = {("new", u): ("text", d) for u, d in documents.items()}
    one, two = (interval(data_of(t, d), ALL[name]) for t, d in ((table, documents), (other, where)))
    assert (one.by, one.n_groups, bool(one.note)) == (two.by, two.n_groups, bool(two.note))
    if one.low is not None:
        assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-6)
        assert one.low < one.value < one.high <= 1


@every
@few
@given(st.data())
def test_coders_who_say_the_same_have_one_or_nothing(name, data):
    table, documents = table_for(data, name)
    n_coders = 2 if name in FOR_TWO else 3
    result = ALL[name](data_of({u: [row[0]] * n_coders for u, row in table.items()}, documents))
    assert result.value is None or result.value == 1.0
    assert (result.value is None) == bool(result.note)


@every
@few
@given(st.data())
def test_a_unit_that_nobody_coded_changes_nothing(name, data):
    table, documents = table_for(data, name)
    if table:
        blank = [None] * len(next(iter(table.values())))
        where = documents | {"blank": next(iter(documents.values()))}
        assert_same(name, table, table | {"blank": blank}, documents, where)


@every
@few
@given(st.data())
def test_a_unit_that_one_coder_coded_changes_nothing_where_it_is_left_out(name, data):
    table, documents = table_for(data, name)
    if not table:
        return
    coefficient = ALL[name] if name.startswith("alpha") else partial(ALL[name], missing="drop")
    row = [next(v for row in table.values() for v in [*row, 1])] + [None] * (len(next(iter(table.values()))) - 1)
    more, where = table | {"alone": row}, documents | {"alone": next(iter(documents.values()))}
    if len(row) > 1:
        one, two = coefficient(data_of(table, documents)), coefficient(data_of(more, where))
        assert same(one.value, two.value)
        assert (one.n_units, one.n_judgements) == (two.n_units, two.n_judgements)
        assert sum(two.left_out.values()) == sum(one.left_out.values()) + 1


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_a_distance_of_0_or_1_gives_the_nominal_value(drawn, missing):
    data = data_of(*drawn)

    def unequal(a, b):
        return float(a != b)

    assert same(alpha(data, unequal).value, alpha(data).value)
    if not data.has_sets:
        assert same(beta(data, unequal, missing=missing).value, beta(data, missing=missing).value)
        assert same(gwet_ac1(data, unequal, missing=missing).value, gwet_ac1(data, missing=missing).value)
        if len(data.coders) == 2:
            assert same(cohen_kappa(data, unequal, missing=missing).value, cohen_kappa(data, missing=missing).value)


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_beta_of_equal_or_not_is_multi_kappa(drawn, missing):
    data = data_of(*drawn)
    found, expected = beta(data, missing=missing), multi_kappa(data, missing=missing)
    assert found.value == expected.value
    if expected.value is not None:
        assert (found.observed, found.expected) == (1 - expected.observed, 1 - expected.expected)


@few
@given(tables(), st.sampled_from(["drop", "available"]))
def test_of_two_coders_the_coefficients_of_many_are_those_of_two(drawn, missing):
    table, documents = drawn
    data = data_of({u: row[:2] for u, row in table.items()}, documents)
    assert same(scott_pi(data, missing=missing).value, fleiss_kappa(data, missing=missing).value)
    assert same(cohen_kappa(data, missing=missing).value, multi_kappa(data, missing=missing).value)


@pytest.mark.parametrize("name", ALPHAS)
def test_two_texts_pooled_are_not_the_mean_of_two_texts(name):
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
def test_degenerate_data_have_no_value_and_say_why(name, case):
    rows, why = DEGENERATE[case]
    data = one_document(rows)
    result = ALL[name](data)
    if name == "Ao" and "one category" in case:
        assert result.value == 1.0  # nothing is corrected for chance
        return
    assert result.value is None
    assert why in result.note
    assert "undefined" in repr(result)
    assert bootstrap(data, ALL[name], n=3).low is None
    assert (interval(data, ALL[name]).low, interval(data, ALL[name]).note) == (None, result.note)
    assert jackknife(data, ALL[name]).standard_error is None


@every
def test_results_carry_what_was_used(name):
    result = ALL[name](one_document([[1, 2], [2, 2], [1, None]]))
    assert (result.n_coders, result.n_values) == (2, 2)
    assert result.parameters
    assert result.coefficient in repr(result)
    assert result.coefficient in result._repr_html_()


@pytest.mark.parametrize("name", [*FAMILY, *BETAS, *OF_LABELS])
def test_an_unknown_rule_for_what_is_missing_is_named(name):
    with pytest.raises(ValueError, match="missing is 'guess'; it must be one of 'drop', 'available'"):
        ALL[name](one_document([[1, 2]]), missing="guess")


@pytest.mark.parametrize("name", FOR_TWO)
def test_a_coefficient_of_two_coders_refuses_three(name):
    with pytest.raises(ValueError, match=r"is for two coders and there are 3: use (fleiss|multi)_kappa"):
        ALL[name](one_document([[1, 2, 3]]))
