"""What goes in is a finite number or refused by name; what comes out is finite, or None with a note."""

from contextlib import suppress
from dataclasses import asdict, is_dataclass
from functools import partial
from math import inf, isfinite, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import ReliabilityData, alpha, distance
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
    **{f"alpha, {name}": partial(alpha, distance=name) for name in measures.DISTANCES},
    **{f"kappa, {name}": partial(measures.cohen_kappa, distance=name) for name in SCALES},
    **{f"beta, {name}": partial(measures.beta, distance=name) for name in ("masi", *SCALES)},
    **{f"AC2, {name}": partial(measures.gwet_ac1, distance=name) for name in SCALES},
    "Ao": measures.observed_agreement,
    "S": measures.bennett_s,
    "pi": measures.scott_pi,
    "kappa": measures.cohen_kappa,
    "K": measures.fleiss_kappa,
    "multi-kappa": measures.multi_kappa,
    "AC1": measures.gwet_ac1,
    "augmented": measures.augmented_kappa,
    "counts": measures.count_alpha,
}
HOW = ("jackknife", "forecast", "leave_one_out", "pairwise")
OF_DATA = {
    **COEFFICIENTS,
    **{f"interval, {name}": partial(measures.interval, coefficient=part) for name, part in COEFFICIENTS.items()},
    **{
        f"{how}, {name}": partial(getattr(measures, how), coefficient=alpha, distance=name, **options)
        for how, options in (("bootstrap", {"n": 20}), *((how, {}) for how in HOW))
        for name in ("nominal", "ordinal", "interval", "ratio")
    },
    "contributions": partial(measures.contributions, distance="interval"),
    "cross": lambda data: measures.cross_alpha(data, [0], [1], "ratio"),
    "alt_test": lambda data: measures.alt_test(data, 0, distance="interval"),
    "ambiguity": measures.ambiguity,
    "difference": lambda data: measures.difference(data, data, alpha, "interval"),
    "permutation": lambda data: measures.permutation_test(data, data, alpha, "interval", n=20),
}
PYRAMID = measures.Pyramid({"fire": "AB", "rain": "A"})
OF_SCORES = {
    "mean": measures.mean_interval,
    "mean, percentile": partial(measures.mean_interval, method="percentile", n=20),
    "correlation": lambda given: measures.score_correlation(given, [*given[1:], *given[:1]]),
    "correlations": lambda given: measures.score_correlation_interval(given, [*given[1:], *given[:1]]),
    "percentiles": lambda given: measures.score_correlation_interval(given, given[::-1], method="percentile", n=20),
    "share": lambda given: measures.share_interval(given, [*given[1:], *given[:1]]),
    "binomial": lambda given: measures.binomial_interval(*[*given, 0, 0][:2]),
    "distance": lambda given: distance([*given, 0][0], [*given, 0, 0][1], "interval"),
    "original": lambda given: measures.original(PYRAMID, ["fire"], *given[:1]),
    "comprehensive": lambda given: measures.comprehensive(PYRAMID, ["rain"], *given[:1]),
    "counts": lambda given: measures.fleiss_kappa(ReliabilityData.from_counts([given, given[::-1]])),
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
def test_figures_of_labels_are_finite_or_have_note(name, table):
    assert_finite(lambda: OF_DATA[name](in_texts(table)))


@pytest.mark.parametrize("name", OF_SCORES)
@examples(40)
@given(scores)
def test_figures_of_scores_are_finite_or_have_note(name, given_scores):
    assert_finite(OF_SCORES[name], given_scores)


@pytest.mark.parametrize("odd", [nan, inf, -inf, 1e200])
def test_error_names_score_that_is_not_finite(odd):
    for compute in (
        lambda: measures.mean_interval([0.5, odd, 0.3, 0.2, 0.1]),
        lambda: measures.score_correlation([1, odd, 2, 3], [2, 3, 4, 1]),
        lambda: measures.score_correlation_interval([2, 3, 4, 1], [1, odd, 2, 3]),
    ):
        with pytest.raises(ValueError, match=rf"the score of peer 1 is {odd:g}".replace("+", r"\+")):
            compute()


def test_error_names_number_too_large_to_square():
    for name in ("interval", "ratio"):
        with pytest.raises(ValueError, match=rf"1e\+200 cannot be squared: the distance '{name}'"):
            alpha([[1e200, 1], [2, 2], [3, 3]], name)
    assert alpha([[1e200, 1], [2, 2], [3, 3]], "ordinal") == alpha([[4, 1], [2, 2], [3, 3]], "ordinal")


@pytest.mark.parametrize("method", ["jackknife", "percentile"])
@pytest.mark.parametrize("score", [0.0, 0.1, 0.5, 1.0, 7.3])
def test_equal_scores_have_no_interval(score, method):
    found = measures.mean_interval([score] * 7, method=method)
    assert (found.value, found.low, found.high) == (pytest.approx(score), None, None)
    assert found.note == "no interval: the mean is the same without each peer"


@pytest.mark.parametrize(
    ("coefficient", "table", "note"),
    [
        (measures.fleiss_kappa, [["x", "x", "y"], ["x", "y", None]], "no z: units have different numbers of coders"),
        (measures.cohen_kappa, [["x", "x"], ["y", "x"], ["y", None]], "no z: not all units are coded by both coders"),
        (measures.cohen_kappa, [[{1}, {1}], [{2}, {1}]], "no z: its formula is of labels, and there are sets"),
    ],
)
def test_kappa_without_z_has_note(coefficient, table, note):
    found = coefficient(table)
    assert (found.z, found.p_value, found.z_note) == (None, None, note)
    assert note in str(found)
