"""Scores of peers, and the values on which the reliability of pyramids is measured."""

import pytest

from agreement.measures import Pyramid, comprehensive, modified, original, score_correlation, scu_labels

# nine SCUs of four model summaries
FIRE = Pyramid(
    {"fire": "ABCD", "rescue": "ABC", "cause": "ABD", "harbour": "AC", "night": "BD", "cost": "CD"}
    | {"crew": "A", "cat": "B", "rain": "BB"}
)


def test_weights_count_summaries_and_mean_uses_all_models():
    assert list(FIRE.weights.values()) == [4, 3, 3, 2, 2, 2, 1, 1, 1]
    assert FIRE.mean_scus == 19 / 4
    assert Pyramid(FIRE.contributors, models="ABCDE").mean_scus == 19 / 5
    assert Pyramid({}).mean_scus == 0


def test_original_score_uses_number_of_scus_of_peer():
    found = original(FIRE, ["fire", "harbour", "rain"], outside=2)
    assert (found.found, found.best, found.n_scus) == (7, 4 + 3 + 3 + 2 + 2, 5)
    assert found.value == 7 / 14
    assert original(FIRE, ["fire", "fire"]) == original(FIRE, ["fire"])
    assert original(FIRE, FIRE.weights, outside=5).value == 1.0


@pytest.mark.parametrize(("mean", "n", "best"), [("round", 5, 14), ("interpolate", 4.75, 13.5)])
def test_modified_score_uses_mean_number_of_scus(mean, n, best):
    found = modified(FIRE, ["fire", "rescue"], mean=mean)
    assert (found.n_scus, found.best, found.value) == (n, best, 7 / best)


def test_halves_are_rounded_up():
    assert modified(Pyramid({1: "A", 2: "AB", 3: "AB"}), [2]).n_scus == 3  # 2.5
    assert modified(Pyramid({1: "AB", 2: "A"}), [2]).n_scus == 2  # 1.5
    assert modified(Pyramid({1: "A"}, models="AB"), [1]).n_scus == 1  # 0.5


def test_comprehensive_score_is_harmonic_mean():
    scus, outside = ["fire", "cause", "cat"], 1
    a, b = original(FIRE, scus, outside).value, modified(FIRE, scus).value
    assert comprehensive(FIRE, scus, outside).value == pytest.approx(2 * a * b / (a + b))


def test_published_scores_of_peer_are_reproduced():
    # weight 19, of 42 with as many units as the peer has and of 33 with the mean number: .4524, .5758 and .5067
    pyramid = Pyramid({i: range(weight) for i, weight in enumerate([5, 5, 5, 4, 4, 4, 3, 3, 3, 3, 3])})
    peer = [0, 1, 2, 3]
    scores = original(pyramid, peer, outside=7), modified(pyramid, peer), comprehensive(pyramid, peer, outside=7)
    assert [(score.found, score.best) for score in scores] == [(19, 42), (19, 33), (19, 37.5)]
    assert [score.value for score in scores] == pytest.approx([0.4524, 0.5758, 0.5067], abs=5e-5)


@pytest.mark.parametrize("score", [original, modified, comprehensive])
def test_score_on_empty_pyramid_has_note(score):
    found = score(Pyramid({}), [])
    assert (found.value, found.note) == (None, "the pyramid is empty")
    assert "undefined" in repr(found)
    assert "undefined" in found._repr_html_()
    assert (original(FIRE, []).value, modified(FIRE, []).value) == (None, 0.0)


def test_error_names_unknown_scu_and_wrong_option():
    with pytest.raises(ValueError, match="SCU 'storm' is not in the pyramid"):
        original(FIRE, ["storm"])
    with pytest.raises(ValueError, match="outside is -1"):
        original(FIRE, [], outside=-1)
    with pytest.raises(ValueError, match="mean is 'up'; it must be one of 'round', 'interpolate'"):
        modified(FIRE, [], mean="up")


def test_correlations_match_peers_by_name():
    found = score_correlation({"p": 1, "q": 2, "r": 3, "s": 4}, {"s": 3, "r": 4, "q": 2, "p": 1})
    assert found == score_correlation([1, 2, 3, 4], [1, 2, 4, 3])
    assert (found.pearson, found.kendall, found.spearman) == pytest.approx((0.8, 2 / 3, 0.8))
    assert "Kendall" in found._repr_html_()


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [([], [], "fewer than two"), ([1], [2], "fewer than two"), ([1, 1], [1, 2], "same score")],
)
def test_undefined_correlations_have_note(first, second, why):
    found = score_correlation(first, second)
    assert (found.pearson, found.kendall, found.spearman) == (None, None, None)
    assert why in found.note
    assert "undefined" in repr(found)


def test_error_names_peer_with_one_score():
    with pytest.raises(ValueError, match="peer 'q' has one score only"):
        score_correlation({"p": 1}, {"p": 1, "q": 2})


def test_word_of_overlapping_scus_has_words_of_all():
    values = scu_labels("abcd", {"x": "ab", "y": "bc"})
    assert values == {"a": frozenset("ab"), "b": frozenset("abc"), "c": frozenset("bc"), "d": frozenset("d")}
    with pytest.raises(ValueError, match="word 'z' of SCU 'x' is not among the words"):
        scu_labels("ab", {"x": "az"})
