"""Counts of SCUs in peers, the intervals of scores and of their correlation, and SCUs matched by their words."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from agreement.measures import (
    ReliabilityData,
    alpha,
    bootstrap,
    contributions,
    count_alpha,
    count_dice,
    jackknife,
    match_sets,
    mean_interval,
    score_correlation,
    score_correlation_interval,
)
from agreement.measures.uncertainty.score_intervals import MIN_PEERS, _draw_samples

FIRST = [0.1, 0.45, 0.45, 0.7, 0.9, 0.3, 0.62]
SECOND = [0.2, 0.3, 0.6, 0.5, 0.8, 0.3, 0.71]


@pytest.mark.parametrize(("a", "b", "expected"), [(0, 0, 0), (2, 2, 0), (0, 3, 1), (1, 2, 1 / 3), (3, 1, 1 / 2)])
def test_the_distance_of_two_counts_is_that_of_bags_of_equal_things(a, b, expected):
    assert count_dice(a, b) == count_dice(b, a) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("wrong", [-1, "one", None])
def test_what_is_no_count_is_refused(wrong):
    with pytest.raises(ValueError, match="is no count"):
        count_dice(wrong, 1)


COUNTS = [[1, 1], [2, 1], [0, 0], [0, 1], [3, 1], [1, None], [0, 0], [2, 2]]


def counted(documents="ppppqqrr") -> ReliabilityData:
    return ReliabilityData.from_values(range(len(COUNTS)), ["Ann", "Bob"], COUNTS, list(documents))


def test_alpha_of_counts_by_hand():
    """Observed: 1/3, 1 and 1/2 on seven units; expected: all ordered pairs of their fourteen judgements."""
    pooled = [one for row in COUNTS if None not in row for one in row]
    expected = sum(count_dice(a, b) for a, b in permutations(pooled, 2)) / (14 * 13)
    assert count_alpha(counted()).value == pytest.approx(1 - (1 / 3 + 1 + 1 / 2) / 7 / expected)


@pytest.mark.parametrize("by", ["document", "unit"])
def test_alpha_of_counts_is_drawn_from_sums_as_if_it_were_computed_anew(by):
    fast, slow = (bootstrap(counted(), *what, by=by, n=40) for what in ((count_alpha,), (alpha, count_dice)))
    assert fast.result == slow.result
    if by == "document":  # other units are drawn: a callable also draws those of one coder
        np.testing.assert_allclose(fast.replicates, slow.replicates, atol=1e-12)
    assert jackknife(counted(), count_alpha, by=by).value == fast.value


def test_the_contributions_of_counts_sum_to_their_disagreement():
    found = contributions(counted(), count_dice)
    assert sum(one.share for one in found) == pytest.approx(1)
    assert sum(one.observed for one in found) == pytest.approx(count_alpha(counted()).observed)


def test_the_correlations_of_each_sample_are_those_of_scipy():
    found = score_correlation_interval(FIRST, SECOND, n=200, seed=3)
    drawn = {"pearson": [], "spearman": [], "kendall": []}
    for counts in _draw_samples(len(FIRST), 200, 3):
        x, y = np.repeat(FIRST, counts), np.repeat(SECOND, counts)
        if len(set(x)) > 1 and len(set(y)) > 1:
            drawn["pearson"].append(stats.pearsonr(x, y).statistic)
            drawn["spearman"].append(stats.spearmanr(x, y).statistic)
            drawn["kendall"].append(stats.kendalltau(x, y).statistic)
    for name, values in drawn.items():
        one = getattr(found, name)
        assert one.value == getattr(score_correlation(FIRST, SECOND), name)
        assert (one.low, one.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-9)
        assert (one.n, one.undefined) == (len(FIRST), 200 - len(values))


def test_the_same_seed_makes_the_same_interval():
    assert score_correlation_interval(FIRST, SECOND) == score_correlation_interval(FIRST, SECOND)
    assert mean_interval(FIRST) == mean_interval(FIRST) != mean_interval(FIRST, seed=1)


def test_peers_are_matched_by_name_and_their_order_does_not_decide():
    first, second = dict(zip("abcdefg", FIRST, strict=True)), dict(zip("abcdefg", SECOND, strict=True))
    assert score_correlation_interval(first, dict(reversed(second.items()))) == score_correlation_interval(
        first, second
    )


@pytest.mark.parametrize("n", range(2, MIN_PEERS))
def test_too_few_peers_have_figures_and_no_interval(n):
    found = score_correlation_interval(FIRST[:n], SECOND[:n]).pearson
    assert (found.value, found.low, found.high) == (score_correlation(FIRST[:n], SECOND[:n]).pearson, None, None)
    assert "fewer than 5 peers" in found.note
    assert mean_interval(FIRST[:n]).low is None
    assert mean_interval(FIRST[:n]).value == pytest.approx(np.mean(FIRST[:n]))


def test_what_is_undefined_says_why():
    found = score_correlation_interval([0.5] * 6, SECOND[:6])
    assert (found.kendall.value, found.kendall.low) == (None, None)
    assert found.kendall.note == "one pyramid gives all peers the same score"
    assert mean_interval([]).note == "there are no scores"


def test_the_interval_of_a_mean_narrows_with_more_peers():
    some, more = mean_interval(FIRST), mean_interval(FIRST * 8)
    assert some.high - some.low > 2 * (more.high - more.low)
    assert some.low < some.value < some.high


# Figure 5 of Passonneau 2006, its spans as words: two SCUs of each annotator that cut the same three spans otherwise.
A1 = {"SCU-101": {1, 2}, "SCU-102": {3}}
A2 = {"SCU-201": {1, 3}, "SCU-202": {2}}


def test_scus_that_cut_the_same_words_otherwise_are_matched_by_the_largest_sum():
    found = {(one.first, one.second): one for one in match_sets(A1, A2)}
    assert {pair: (one.relation, one.matched) for pair, one in found.items()} == {
        ("SCU-101", "SCU-201"): ("intersection", False),
        ("SCU-101", "SCU-202"): ("subsumption", True),
        ("SCU-102", "SCU-201"): ("subsumption", True),
    }
    one = found["SCU-101", "SCU-201"]
    assert (one.shared, one.only_first, one.only_second, one.jaccard) == (1, 1, 1, 1 / 3)


def test_the_order_of_scus_does_not_decide_what_is_matched():
    first = {name: {1, 2, number} for number, name in enumerate("abcd", start=3)}
    second = {name: {1, 2} for name in "wxyz"}
    for names in permutations("abcd"):
        assert match_sets({name: first[name] for name in names}, second) == match_sets(first, second)


def test_sets_without_a_common_member_make_no_pair_and_no_match():
    assert match_sets({"a": {1}, "b": set()}, {"c": {2}, "d": set()}) == ()
    assert match_sets({}, {"c": {2}}) == ()


def test_every_matched_pair_of_an_identical_pyramid_is_identical():
    scus = {number: set(range(3 * number, 3 * number + 3)) for number in range(20)}
    assert all(one.matched and one.relation == "identity" for one in match_sets(scus, scus))
