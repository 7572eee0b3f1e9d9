"""How many documents are enough: against the definition, the interval at hand, and simulation."""

from fractions import Fraction
from html import escape
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agreement import measures
from agreement.measures import alpha, bootstrap, fleiss_kappa, forecast, forecast_interval, gwet_ac1, interval
from agreement.measures.uncertainty.forecasts import MOST
from benchmarks.coverage import labels
from benchmarks.forecasts import observed_power, width_ratio
from tests.agreement.measures import exact
from tests.agreement.measures.strategies import data_of, one_document
from tests.shared.cases import examples

TEXTS = {
    "a": ["xxx", "yyx", "xyy"],
    "b": ["xxx", "yxx", "yyy"],
    "c": ["xxx", "yyy", "zzx"],
    "d": ["zzz", "xyx", "xxx"],
    "e": ["yyy", "xzx", "zzz"],
}


def corpus(texts=TEXTS, times=1):
    copies = [(f"{text}{copy}", rows) for copy in range(times) for text, rows in texts.items()]
    table = {f"{text}{i}": list(row) for text, rows in copies for i, row in enumerate(rows)}
    return data_of(table, {unit: unit[:-1] for unit in table})


def exact_errors(texts=TEXTS):
    """Return alpha of the texts, and its squared standard errors over texts and over coders, as fractions."""
    table = {f"{text}{i}": list(row) for text, rows in texts.items() for i, row in enumerate(rows)}
    value, *_ = exact.alpha(table, "nominal")
    over_texts = [exact.alpha({u: row for u, row in table.items() if u[0] != left}, "nominal")[0] for left in texts]
    coders = range(len(next(iter(table.values()))))
    over_coders = [
        exact.alpha({u: [v for c, v in enumerate(row) if c != left] for u, row in table.items()}, "nominal")[0]
        for left in coders
    ]
    return value, exact.jackknife_variance(over_texts), exact.jackknife_variance(over_coders)


@pytest.mark.parametrize("n", [3, 5, 18, 400])
def test_forecast_interval_equals_exact_definition(n):
    value, variance, _ = exact_errors()
    disagreement = 1 - value
    error = sqrt(variance * Fraction(len(TEXTS), n)) / disagreement
    reach = stats.t.ppf(0.975, n - 1) * error
    found = forecast(corpus(), alpha)
    expected = (1 - disagreement * exp(reach), 1 - disagreement * exp(-reach))
    assert found.bounds(n) == pytest.approx(expected)
    assert found.margin(n) == pytest.approx((expected[1] - expected[0]) / 2)
    assert (found.value, found.n_documents, found.n_coders) == (pytest.approx(float(value)), 5, 0)


@pytest.mark.parametrize(("n", "n_coders"), [(5, 3), (30, 3), (30, 6), (5, 12)])
def test_sampled_coders_reduce_variance_with_their_number(n, n_coders):
    value, over_texts, over_coders = exact_errors()
    parts = [float(over_texts) * 5 / n, float(over_coders) * 3 / n_coders]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (n_coders - 1))
    disagreement = 1 - float(value)
    reach = stats.t.ppf(0.975, freedom) * sqrt(sum(parts)) / disagreement
    found = forecast(corpus(), alpha, sample="both")
    assert found.bounds(n, n_coders) == pytest.approx((1 - disagreement * exp(reach), 1 - disagreement * exp(-reach)))


@pytest.mark.parametrize("sample", ["groups", "both"])
@pytest.mark.parametrize("coefficient", [alpha, fleiss_kappa, gwet_ac1])
def test_forecast_for_present_documents_equals_their_interval(coefficient, sample):
    at_hand = interval(corpus(), coefficient, sample=sample, level=0.9)
    found = forecast(corpus(), coefficient, sample=sample, level=0.9)
    assert (found.low, found.high) == pytest.approx((at_hand.low, at_hand.high))
    assert found.bounds(5) == pytest.approx((at_hand.low, at_hand.high))
    assert f"±{found.margin(5):.4f} with 5 documents" in repr(found)


@examples(25)
@given(
    st.floats(0.05, 0.95),
    st.floats(0.001, 50),
    st.sampled_from(["jackknife-log", "jackknife-logit", "jackknife"]),
    st.floats(0.001, 3),
)
def test_documents_for_margin_is_smallest_sufficient_number(value, variance, method, margin):
    found = measures.Forecast(value, None, None, 0.95, 10, variance, method=method)
    n = found.documents_for_margin(margin)
    if n is None:
        assert found.margin(MOST) > margin
    else:
        assert found.margin(n) <= margin * (1 + 1e-9)
        assert n == 3 or found.margin(n - 1) > margin
    widths = [found.margin(k) for k in (3, 4, 7, 20, 100, 5000)]
    assert widths == sorted(widths, reverse=True)


def test_forecast_predicts_interval_of_repeated_documents():
    # all but the factor (G - 1)/G of the jackknife, whose estimate of a variance is that of one degree of freedom less
    found, ten = forecast(corpus(), fleiss_kappa), interval(corpus(times=10), fleiss_kappa)
    assert found.document_variance == pytest.approx(50 * (ten.standard_error / (1 - ten.value)) ** 2, rel=0.5)
    assert found.margin(50) == pytest.approx((ten.high - ten.low) / 2, rel=0.3)


@pytest.mark.parametrize("bound", [-0.5, 0.2, 0.3])
def test_power_above_bound_uses_noncentral_t_distribution(bound):
    found = forecast(corpus(), alpha)
    error = interval(corpus(), alpha).standard_error / (1 - found.value)
    for n in (4, 12, 60):
        shift = log((1 - bound) / (1 - found.value)) / (error * sqrt(5 / n))
        expected = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, shift)
        assert found.power_above(bound, n) == pytest.approx(expected, abs=1e-9)
    n = found.documents_above(bound, 0.9)
    assert found.power_above(bound, n) >= 0.9
    assert n == 3 or found.power_above(bound, n - 1) < 0.9


def test_power_above_value_itself_equals_error_of_test():
    found = forecast(corpus(), alpha)
    assert found.power_above(found.value, 30) == pytest.approx(0.025)
    assert found.documents_above(found.value) is None
    assert found.power_above(0.99, 30) < 0.001


@pytest.mark.parametrize("apart", [0.3, -0.3])
def test_power_of_difference_uses_noncentral_t_distribution(apart):
    found, error = forecast(corpus(), alpha), interval(corpus(), alpha).standard_error
    for n in (3, 12, 60):
        shift, freedom = 0.3 / (error * sqrt(2 * 5 / n)), 2 * (n - 1)
        quantile = stats.t.ppf(0.975, freedom)
        expected = stats.nct.sf(quantile, freedom, shift) + stats.nct.cdf(-quantile, freedom, shift)
        assert found.power_of_difference(apart, n) == pytest.approx(expected, abs=1e-9)
    n = found.documents_for_difference(apart)
    assert found.power_of_difference(apart, n) >= 0.8 > found.power_of_difference(apart, n - 1)


def test_sampled_coders_limit_margin_and_have_no_power():
    found = forecast(corpus(), alpha, sample="both")
    assert found.power_above(0.1, 30) is found.power_of_difference(0.1, 30) is None
    assert found.documents_above(0.1) is found.documents_for_difference(0.1) is None
    assert found.documents_for_margin(found.margin(MOST) / 2) is None
    assert found.margin(30, 12) < found.margin(30, 3)


def test_forecast_of_score_uses_logit_scale():
    key = {text: ["AB", "CD", "EF"] for text in "pqrst"}
    response = key | {"q": ["AB", "C", "DEF"], "r": ["ABC", "D", "EF"], "s": ["A", "B", "CDEF"]}
    f1 = measures.score_interval(key, response, measures.b_cubed).f1
    found = forecast_interval(f1)
    assert found.bounds(5) == pytest.approx((f1.low, f1.high))
    center = log(f1.value / (1 - f1.value))
    error = (log(f1.high / (1 - f1.high)) - center) / stats.t.ppf(0.975, 4)
    reach = stats.t.ppf(0.975, 19) * error / 2
    assert found.bounds(20) == pytest.approx(tuple(1 / (1 + exp(-center - x)) for x in (-reach, reach)))
    apart = f1.value * (1 - f1.value) * error * sqrt(2 / 4)
    quantile = stats.t.ppf(0.975, 38)
    both = stats.nct.sf(quantile, 38, 0.1 / apart) + stats.nct.cdf(-quantile, 38, 0.1 / apart)
    assert found.power_of_difference(0.1, 20) == pytest.approx(both, abs=1e-9)


def test_forecast_of_mean_above_1_uses_plain_scale():
    scores = [0.2, 0.5, 1.6, 0.1, 0.9, 1.1]
    found = forecast_interval(measures.mean_interval(scores))
    reach = stats.t.ppf(0.975, 23) * np.std(scores, ddof=1) / sqrt(24)
    assert found.bounds(24) == pytest.approx((np.mean(scores) - reach, np.mean(scores) + reach))


INCOMPLETE = {"a": "xyx", "b": "yyx", "c": "xxx", "d": ["x", "y", None]}
FEW = {text: TEXTS[text] for text in "ab"}


@pytest.mark.parametrize(
    ("data", "sample", "note"),
    [
        (corpus(FEW), "groups", "no interval: it takes 3 documents, and there are 2"),
        (corpus({t: ["xxx", "yyy"] for t in "abcd"}), "groups", "no interval: no disagreement was observed"),
        (corpus(dict.fromkeys("abcd", TEXTS["a"])), "groups", "no interval: the coefficient is the same without each"),
        (corpus({t: ["xxx"] for t in "abcd"}), "groups", "only one value is used"),
        (one_document([["x", "y"], ["x", "x"], ["y", "y"]] * 4), "groups", "no forecast: all is in one document"),
        (corpus({t: [row[:2] for row in rows] for t, rows in TEXTS.items()}), "both", "no interval: it takes 3 coders"),
        (
            data_of(INCOMPLETE, dict(zip(INCOMPLETE, INCOMPLETE, strict=True))),
            "both",
            "no forecast of coders: 'C' has not coded 'd'",
        ),
    ],
)
def test_note_explains_missing_forecast(data, sample, note):
    found = forecast(data, alpha, sample=sample)
    assert note in found.note
    assert note in repr(found)
    assert escape(note) in found._repr_html_()
    assert (found.low, found.document_variance) == (None, None)
    assert found.margin(10) is found.bounds(10) is found.documents_for_margin(0.1) is None
    assert found.power_above(0.1, 10) is found.power_of_difference(0.1, 10) is None


def test_forecast_refuses_wrong_arguments():
    found = forecast(corpus(), alpha)
    both = forecast(corpus(), alpha, sample="both")
    for wrong, message in (
        (lambda: found.margin(2), "n_documents is 2"),
        (lambda: found.margin(5, 3), "n_coders is of forecasts"),
        (lambda: both.margin(5, 2), "n_coders is 2"),
        (lambda: found.documents_for_margin(0), "margin is 0"),
        (lambda: found.documents_for_margin(float("nan")), "margin is nan"),
        (lambda: found.power_above(1, 10), "bound is 1"),
        (lambda: found.documents_above(0.1, 1), "power is 1"),
        (lambda: found.power_of_difference(0, 10), "difference is 0"),
        (lambda: found.documents_for_difference(float("inf")), "difference is inf"),
        (lambda: forecast(corpus(), alpha, sample="coders"), "sample is 'coders'"),
        (lambda: forecast_interval(bootstrap(corpus(), alpha, n=20)), "no forecast from an interval by"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


def test_ten_texts_predict_width_for_forty():
    random = np.random.default_rng(5)
    ratios = [width_ratio(random, lambda r, documents: labels(r, documents, 1.0), 10, 40) for _ in range(40)]
    assert np.median([ratio for ratio in ratios if ratio is not None]) == pytest.approx(1, abs=0.15)


def test_share_of_intervals_above_bound_equals_predicted_power():
    found, seen = observed_power(np.random.default_rng(7), 20, 100)
    assert 0.2 < found < 0.95
    assert seen == pytest.approx(found, abs=0.1)


@pytest.mark.parametrize("sample", ["groups", "both"])
def test_forecast_without_shared_units_has_note(sample):
    data = measures.ReliabilityData.from_values("ab", ["Ann", "Bob"], [["x", None], [None, "y"]], ["t", "u"])
    found = forecast(data, alpha, sample=sample)
    assert (found.value, found.low, found.note) == (None, None, "no unit is coded by two coders")
