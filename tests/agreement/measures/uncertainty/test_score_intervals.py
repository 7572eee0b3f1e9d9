"""Counts of SCUs in peers, the intervals of scores and of their correlation, and SCUs matched by their words."""

from fractions import Fraction
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from agreement import measures
from agreement.measures import alpha, b_cubed, blanc, bootstrap, count_alpha, count_dice, match_sets, mean_interval
from agreement.measures.uncertainty.score_intervals import MIN_PEERS, _draw_samples

FIRST = [0.1, 0.45, 0.45, 0.7, 0.9, 0.3, 0.62]
SECOND = [0.2, 0.3, 0.6, 0.5, 0.8, 0.3, 0.71]


@pytest.mark.parametrize(("a", "b", "expected"), [(0, 0, 0), (2, 2, 0), (0, 3, 1), (1, 2, 1 / 3), (3, 1, 1 / 2)])
def test_count_dice_is_distance_of_multisets_and_refuses_no_counts(a, b, expected):
    assert count_dice(a, b) == count_dice(b, a) == pytest.approx(expected, abs=1e-15)
    for wrong in (-1, "one", None):
        with pytest.raises(ValueError, match="is no count"):
            count_dice(wrong, a)


COUNTS = [[1, 1], [2, 1], [0, 0], [0, 1], [3, 1], [1, None], [0, 0], [2, 2]]


def counted(documents="ppppqqrr") -> measures.ReliabilityData:
    return measures.ReliabilityData.from_values(range(len(COUNTS)), ["Ann", "Bob"], COUNTS, list(documents))


def test_alpha_of_counts_equals_value_computed_by_hand():
    """Observed: 1/3, 1 and 1/2 on seven units; expected: all ordered pairs of their fourteen judgements."""
    pooled = [count for row in COUNTS if None not in row for count in row]
    expected = sum(count_dice(a, b) for a, b in permutations(pooled, 2)) / (14 * 13)
    assert count_alpha(counted()).value == pytest.approx(1 - (1 / 3 + 1 + 1 / 2) / 7 / expected)


@pytest.mark.parametrize("by", ["document", "unit"])
def test_bootstrap_of_count_alpha_equals_recomputation(by):
    fast, slow = (bootstrap(counted(), *what, by=by, n=40) for what in ((count_alpha,), (alpha, count_dice)))
    assert fast.result == slow.result
    if by == "document":  # other units are drawn: a callable also draws those of one coder
        np.testing.assert_allclose(fast.replicates, slow.replicates, atol=1e-12)
    assert measures.jackknife(counted(), count_alpha, by=by).value == fast.value


def test_contributions_of_counts_sum_to_disagreement():
    found = measures.contributions(counted(), count_dice)
    assert sum(part.share for part in found) == pytest.approx(1)
    assert sum(part.observed for part in found) == pytest.approx(count_alpha(counted()).observed)


def test_sampled_correlations_equal_scipy():
    found = measures.score_correlation_interval(FIRST, SECOND, method="percentile", n=200, seed=3)
    drawn = {"pearson": [], "spearman": [], "kendall": []}
    for counts in _draw_samples(len(FIRST), 200, 3):
        x, y = np.repeat(FIRST, counts), np.repeat(SECOND, counts)
        if len(set(x)) > 1 and len(set(y)) > 1:
            drawn["pearson"].append(stats.pearsonr(x, y).statistic)
            drawn["spearman"].append(stats.spearmanr(x, y).statistic)
            drawn["kendall"].append(stats.kendalltau(x, y).statistic)
    for name, values in drawn.items():
        figure = getattr(found, name)
        assert figure.value == getattr(measures.score_correlation(FIRST, SECOND), name)
        assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-9)
        assert (figure.n, figure.undefined) == (len(FIRST), 200 - len(values))


@pytest.mark.parametrize("function", [mean_interval, partial(measures.score_correlation_interval, SECOND)])
def test_seed_determines_percentiles(function):
    first, same, other = (function(FIRST, method="percentile", seed=seed) for seed in (0, 0, 1))
    assert first == same != other


def test_correlation_intervals_use_fisher_transformation():
    found = measures.score_correlation_interval(FIRST, SECOND, level=0.9)
    n, z = len(FIRST), stats.norm.ppf(0.95)
    scipys = stats.pearsonr(FIRST, SECOND)
    low, high = scipys.confidence_interval(0.9)
    assert (found.pearson.low, found.pearson.high) == pytest.approx((low, high))
    assert found.pearson.p_value == pytest.approx(scipys.pvalue)
    r, tau = found.spearman.value, found.kendall.value
    for figure, error in (
        (found.spearman, np.sqrt((1 + r**2 / 2) / (n - 3))),
        (found.kendall, np.sqrt(0.437 / (n - 4))),
    ):
        assert np.arctanh(figure.high) - np.arctanh(figure.value) == pytest.approx(z * error)
        assert np.arctanh(figure.value) - np.arctanh(figure.low) == pytest.approx(z * error)
    assert {figure.method for figure in (found.pearson, found.spearman, found.kendall)} == {"fisher-z"}
    assert found.kendall.p_value == pytest.approx(stats.kendalltau(FIRST, SECOND).pvalue)
    assert tau == measures.score_correlation(FIRST, SECOND).kendall


@pytest.mark.slow
def test_spearman_p_value_of_few_peers_counts_all_permutations():
    found = measures.score_correlation(FIRST, SECOND)
    values = [stats.spearmanr(FIRST, [SECOND[i] for i in order]).statistic for order in permutations(range(7))]
    share = np.mean(np.abs(values) >= abs(found.spearman) - 1e-9)
    assert found.spearman_p == pytest.approx(share)
    assert measures.score_correlation([1, 2, 3], [1, 2, 3]).spearman_p == pytest.approx(2 / 6)
    many = measures.score_correlation(FIRST + SECOND, SECOND + FIRST)
    assert many.spearman_p == pytest.approx(stats.spearmanr(FIRST + SECOND, SECOND + FIRST).pvalue)


def test_correlations_without_p_value_or_interval_have_note():
    assert measures.score_correlation([1, 2], [3, 5]).pearson_p is None
    found = measures.score_correlation_interval(FIRST, FIRST)
    assert {figure.low for figure in (found.pearson, found.spearman, found.kendall)} == {None}
    assert found.pearson.note == "no interval: the two sides are wholly alike or opposite"
    constant = measures.score_correlation_interval([0.5] * 6, SECOND[:6]).kendall
    assert (constant.value, constant.low) == (None, None)
    assert constant.note == "one pyramid gives all peers the same score"
    assert mean_interval([]).note == "there are no scores"


def test_interval_of_mean_uses_student_t_on_logit_scale():
    found = mean_interval(FIRST)
    p, n = np.mean(FIRST), len(FIRST)
    reach = stats.t.ppf(0.975, n - 1) * np.std(FIRST, ddof=1) / np.sqrt(n) / (p * (1 - p))
    logit = np.log(p / (1 - p))
    assert (found.low, found.high) == pytest.approx(tuple(1 / (1 + np.exp(-logit + side * reach)) for side in (1, -1)))
    assert (found.method, found.n, found.by) == ("jackknife-logit", 7, "peer")


def test_interval_of_scores_above_1_uses_plain_student_t():
    scores = [*FIRST, 1.2]
    found = mean_interval(scores)
    low, high = stats.t.interval(0.95, 7, np.mean(scores), stats.sem(scores))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.method == "jackknife"


KEY = {"a": ["AB", "CD", "E"], "b": ["FGH", "I"], "c": ["JK", "LM"], "d": ["NOPQ"], "e": []}
RESPONSE = {"a": ["ABC", "D", "E"], "b": ["FG", "HI"], "c": ["JK", "L", "M"], "d": ["NO", "PQ"], "e": []}


@pytest.mark.parametrize(
    "score", [measures.muc, b_cubed, measures.ceaf_m, measures.ceaf_e, measures.lea, blanc, measures.conll_average]
)
def test_interval_of_score_leaves_out_each_text(score):
    found = measures.score_interval(KEY, RESPONSE, score, level=0.9)
    whole = score(KEY, RESPONSE)
    rest = [[{text: side[text] for text in side if text != left} for side in (KEY, RESPONSE)] for left in "abcd"]
    without = [score(*sides) for sides in rest]
    for name in ("recall", "precision", "f1"):
        figure, p = getattr(found, name), getattr(whole, name)
        values = [getattr(other, name) for other in without]
        error = np.sqrt(3 / 4 * np.sum((values - np.mean(values)) ** 2))
        reach = stats.t.ppf(0.95, 3) * error / (p * (1 - p))
        logit = np.log(p / (1 - p))
        ends = tuple(1 / (1 + np.exp(-logit + side * reach)) for side in (1, -1))
        assert figure.value == p
        assert (figure.low, figure.high) == pytest.approx(ends)
        assert (figure.n, figure.by, figure.method) == (4, "text", "jackknife-logit")
        assert 0 < figure.low <= p <= figure.high < 1
    assert "over 4 texts" in repr(found)
    assert "recall" in found._repr_html_()
    assert found.to_dict()["f1"]["value"] == whole.f1


def test_score_interval_passes_options_and_refuses_other_scores():
    found = measures.score_interval(KEY, RESPONSE, blanc, boundary="key", singletons="drop")
    assert found.f1.value == blanc(KEY, RESPONSE, boundary="key", singletons="drop").f1
    with pytest.raises(ValueError, match="'link_kappa' is not a score that is added up over texts: b_cubed, blanc,"):
        measures.score_interval(KEY, RESPONSE, measures.link_kappa)


@pytest.mark.parametrize(
    ("key", "response", "note"),
    [
        (["AB"], ["A", "B"], "no interval: it takes 3 texts, and there is 1"),
        ({"a": ["AB"], "b": ["CD"]}, {"a": ["A", "B"], "b": ["CD"]}, "no interval: it takes 3 texts, and there are 2"),
        (KEY, KEY, "no interval: the score is 1"),
        (
            dict.fromkeys("abc", ("AB", "C")),
            dict.fromkeys("abc", ("A", "BC")),
            "no interval: the score is the same without each text",
        ),
    ],
)
def test_score_without_interval_has_note(key, response, note):
    found = measures.score_interval(key, response, b_cubed).f1
    assert (found.low, found.note) == (None, note)
    assert found.value == b_cubed(key, response).f1


def test_interval_of_share_uses_jackknife_over_texts():
    found, total = [8, 0, 6, 9, 4], [10, 0, 9, 10, 12]
    share = measures.share_interval(found, total, level=0.9)
    value = Fraction(27, 41)
    rest = [Fraction(27 - f, 41 - n) for f, n in zip(found, total, strict=True) if n]
    mean = sum(rest) / 4
    error = np.sqrt(float(Fraction(3, 4) * sum((part - mean) ** 2 for part in rest)))
    reach = stats.t.ppf(0.95, 3) * error / float(value * (1 - value))
    logit = np.log(float(value / (1 - value)))
    assert share.value == float(value)
    assert (share.low, share.high) == pytest.approx([1 / (1 + np.exp(-logit + side * reach)) for side in (1, -1)])
    assert (share.n, share.by, share.method) == (4, "text", "jackknife-logit")


@pytest.mark.parametrize(
    ("found", "total", "value", "note"),
    [
        ([], [], None, "nothing is counted"),
        ([0], [0], None, "nothing is counted"),
        ([1, 2], [2, 3], 0.6, "no interval: it takes 3 texts, and there are 2"),
        ([2, 0, 3], [2, 0, 3], 1.0, "no interval: it takes 3 texts, and there are 2"),
        ([0, 0, 0], [2, 1, 3], 0.0, "no interval: the share is 0"),
        ([1, 2, 3], [2, 4, 6], 0.5, "no interval: the share is the same without each text"),
    ],
)
def test_share_without_interval_has_note(found, total, value, note):
    share = measures.share_interval(found, total)
    assert (share.value, share.low, share.high, share.note) == (value, None, None, note)


@pytest.mark.parametrize(("found", "total"), [([2], [1]), ([-1], [1])])
def test_share_interval_refuses_impossible_counts(found, total):
    with pytest.raises(ValueError, match="is not possible"):
        measures.share_interval(found, total)


def test_correlation_interval_matches_peers_by_name():
    first, second = dict(zip("abcdefg", FIRST, strict=True)), dict(zip("abcdefg", SECOND, strict=True))
    assert measures.score_correlation_interval(
        first, dict(reversed(second.items()))
    ) == measures.score_correlation_interval(first, second)


@pytest.mark.parametrize("n", range(2, MIN_PEERS))
def test_too_few_peers_have_value_without_interval(n):
    found = measures.score_correlation_interval(FIRST[:n], SECOND[:n]).pearson
    assert (found.value, found.low, found.high) == (
        measures.score_correlation(FIRST[:n], SECOND[:n]).pearson,
        None,
        None,
    )
    assert "fewer than 5 peers" in found.note
    assert mean_interval(FIRST[:n]).low is None
    assert mean_interval(FIRST[:n]).value == pytest.approx(np.mean(FIRST[:n]))


def test_interval_of_mean_narrows_with_more_peers():
    some, more = mean_interval(FIRST), mean_interval(FIRST * 8)
    assert some.high - some.low > 2 * (more.high - more.low)
    assert some.low < some.value < some.high


# Figure 5 of Passonneau 2006, its spans as words: two SCUs of each annotator that cut the same three spans otherwise.
A1 = {"SCU-101": {1, 2}, "SCU-102": {3}}
A2 = {"SCU-201": {1, 3}, "SCU-202": {2}}


def test_scu_matching_maximizes_sum_of_overlaps():
    found = {(match.first, match.second): match for match in match_sets(A1, A2)}
    assert {pair: (match.relation, match.matched) for pair, match in found.items()} == {
        ("SCU-101", "SCU-201"): ("intersection", False),
        ("SCU-101", "SCU-202"): ("subsumption", True),
        ("SCU-102", "SCU-201"): ("subsumption", True),
    }
    match = found["SCU-101", "SCU-201"]
    assert (match.shared, match.only_first, match.only_second, match.jaccard) == (1, 1, 1, 1 / 3)


def test_scu_matching_ignores_order():
    first = {name: {1, 2, number} for number, name in enumerate("abcd", start=3)}
    second = {name: {1, 2} for name in "wxyz"}
    for names in permutations("abcd"):
        assert match_sets({name: first[name] for name in names}, second) == match_sets(first, second)


def test_matches_share_a_member_and_equal_sets_are_identical():
    assert match_sets({"a": {1}, "b": set()}, {"c": {2}, "d": set()}) == match_sets({}, {"c": {2}}) == ()
    scus = {number: set(range(3 * number, 3 * number + 3)) for number in range(20)}
    assert all(match.matched and match.relation == "identity" for match in match_sets(scus, scus))
