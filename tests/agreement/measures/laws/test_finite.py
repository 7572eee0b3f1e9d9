"""What goes in is a finite number or refused by name; what comes out is finite, or None with a note."""

from contextlib import suppress
from dataclasses import asdict, is_dataclass
from functools import partial
from math import inf, isfinite, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    DISTANCES,
    Pyramid,
    ReliabilityData,
    alpha,
    alt_test,
    ambiguity,
    augmented_kappa,
    bennett_s,
    beta,
    binomial_interval,
    bootstrap,
    cohen_kappa,
    comprehensive,
    contributions,
    count_alpha,
    cross_alpha,
    difference,
    distance,
    fleiss_kappa,
    forecast,
    gwet_ac1,
    interval,
    jackknife,
    leave_one_out,
    mean_interval,
    multi_kappa,
    observed_agreement,
    original,
    pairwise,
    permutation_test,
    score_correlation,
    score_correlation_interval,
    scott_pi,
    share_interval,
)
from tests.shared.cases import examples

ODD = (nan, inf, -inf, 1e200, -1e200, 1e-200, 0.0, 1.0, 0.5, 0.5, 2, 3)
SCALES = ("linear", "quadratic", "bipolar")
numbers = st.sampled_from(ODD)
scores = st.lists(numbers, max_size=8)
rows = st.integers(0, 3).flatmap(lambda n: st.lists(st.lists(numbers | st.none(), min_size=n, max_size=n), max_size=8))


def in_texts(table):
    """Return the rows as data of texts of two units."""
    n = len(table[0]) if table else 0
    return ReliabilityData.from_values(range(len(table)), range(n), table, [row // 2 for row in range(len(table))])


COEFFICIENTS = {
    **{f"alpha, {name}": partial(alpha, distance=name) for name in DISTANCES},
    **{f"kappa, {name}": partial(cohen_kappa, distance=name) for name in SCALES},
    **{f"beta, {name}": partial(beta, distance=name) for name in ("masi", *SCALES)},
    **{f"AC2, {name}": partial(gwet_ac1, distance=name) for name in SCALES},
    "Ao": observed_agreement,
    "S": bennett_s,
    "pi": scott_pi,
    "kappa": cohen_kappa,
    "K": fleiss_kappa,
    "multi-kappa": multi_kappa,
    "AC1": gwet_ac1,
    "augmented": augmented_kappa,
    "counts": count_alpha,
}
OF_DATA = {
    **COEFFICIENTS,
    **{f"interval, {name}": partial(interval, coefficient=part) for name, part in COEFFICIENTS.items()},
    **{
        f"{how.__name__}, {name}": partial(how, coefficient=alpha, distance=name, **options)
        for how, options in (
            (jackknife, {}),
            (bootstrap, {"n": 20}),
            (forecast, {}),
            (leave_one_out, {}),
            (pairwise, {}),
        )
        for name in ("nominal", "ordinal", "interval", "ratio")
    },
    "contributions": partial(contributions, distance="interval"),
    "cross": lambda data: cross_alpha(data, [0], [1], "ratio"),
    "alt_test": lambda data: alt_test(data, 0, distance="interval"),
    "ambiguity": ambiguity,
    "difference": lambda data: difference(data, data, alpha, "interval"),
    "permutation": lambda data: permutation_test(data, data, alpha, "interval", n=20),
}
PYRAMID = Pyramid({"fire": "AB", "rain": "A"})
OF_SCORES = {
    "mean": mean_interval,
    "mean, percentile": partial(mean_interval, method="percentile", n=20),
    "correlation": lambda given: score_correlation(given, [*given[1:], *given[:1]]),
    "correlations": lambda given: score_correlation_interval(given, [*given[1:], *given[:1]]),
    "percentiles": lambda given: score_correlation_interval(given, given[::-1], method="percentile", n=20),
    "share": lambda given: share_interval(given, [*given[1:], *given[:1]]),
    "binomial": lambda given: binomial_interval(*[*given, 0, 0][:2]),
    "distance": lambda given: distance([*given, 0][0], [*given, 0, 0][1], "interval"),
    "original": lambda given: original(PYRAMID, ["fire"], *given[:1]),
    "comprehensive": lambda given: comprehensive(PYRAMID, ["rain"], *given[:1]),
    "counts": lambda given: fleiss_kappa(ReliabilityData.from_counts([given, given[::-1]])),
}


def find_numbers(found):
    """Yield all numbers in a result; of categories only what is computed of them."""
    if isinstance(found, float):
        yield found
    elif isinstance(found, dict):
        yield from find_numbers([part for name, part in found.items() if name != "category"])
    elif isinstance(found, list | tuple):
        for part in found:
            yield from find_numbers(part)
    elif hasattr(found, "to_dict"):
        yield from find_numbers(found.to_dict())
    elif is_dataclass(found):
        yield from find_numbers(vars(found) if hasattr(found, "__dict__") else asdict(found))


def assert_finite(compute, *given):
    with suppress(ValueError):
        found = compute(*given)
        assert all(map(isfinite, find_numbers(found))), found
        if None in (getattr(found, "value", 0), getattr(found, "low", 0)):
            assert found.to_dict()["note"]


@pytest.mark.parametrize("name", OF_DATA)
@examples(15)
@given(rows)
def test_figures_of_labels_are_finite_or_say_why_not(name, table):
    assert_finite(lambda: OF_DATA[name](in_texts(table)))


@pytest.mark.parametrize("name", OF_SCORES)
@examples(40)
@given(scores)
def test_figures_of_scores_are_finite_or_say_why_not(name, given_scores):
    assert_finite(OF_SCORES[name], given_scores)


@pytest.mark.parametrize("odd", [nan, inf, -inf, 1e200])
def test_a_score_that_is_no_number_is_named(odd):
    for compute in (
        lambda: mean_interval([0.5, odd, 0.3, 0.2, 0.1]),
        lambda: score_correlation([1, odd, 2, 3], [2, 3, 4, 1]),
        lambda: score_correlation_interval([2, 3, 4, 1], [1, odd, 2, 3]),
    ):
        with pytest.raises(ValueError, match=rf"the score of peer 1 is {odd:g}".replace("+", r"\+")):
            compute()


def test_numbers_that_cannot_be_squared_are_named():
    for name in ("interval", "ratio"):
        with pytest.raises(ValueError, match=rf"1e\+200 cannot be squared: the distance '{name}'"):
            alpha([[1e200, 1], [2, 2], [3, 3]], name)
    assert alpha([[1e200, 1], [2, 2], [3, 3]], "ordinal") == alpha([[4, 1], [2, 2], [3, 3]], "ordinal")


@pytest.mark.parametrize("method", ["jackknife", "percentile"])
@pytest.mark.parametrize("score", [0.0, 0.1, 0.5, 1.0, 7.3])
def test_equal_scores_have_no_interval(score, method):
    found = mean_interval([score] * 7, method=method)
    assert (found.value, found.low, found.high) == (pytest.approx(score), None, None)
    assert found.note == "no interval: the mean is the same without each peer"


@pytest.mark.parametrize(
    ("coefficient", "table", "note"),
    [
        (fleiss_kappa, [["x", "x", "y"], ["x", "y", None]], "no z: units have different numbers of coders"),
        (cohen_kappa, [["x", "x"], ["y", "x"], ["y", None]], "no z: not all units are coded by both coders"),
        (cohen_kappa, [[{1}, {1}], [{2}, {1}]], "no z: its formula is of labels, and there are sets"),
    ],
)
def test_a_kappa_without_z_says_why(coefficient, table, note):
    found = coefficient(table)
    assert (found.z, found.p_value, found.z_note) == (None, None, note)
    assert note in str(found)
