"""Coreference scores: their choices, and what must hold of them. The figures of others are in test_reference."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import Score, b_cubed, blanc, ceaf_e, ceaf_m, conll_average, lea, link_kappa, muc
from agreement.measures.coreference.matching import first_class
from agreement.measures.coreference.scores import ONE_KIND_OF_LINK, WITHOUT_MUC
from agreement.measures.uncertainty.score_intervals import OTHER_PARTS
from tests.agreement.measures.strategies import one_document
from tests.shared.cases import examples

SCORES = [muc, b_cubed, ceaf_m, ceaf_e, lea, blanc, conll_average]
MENTIONS = "abcdefgh"

partitions = st.lists(st.integers(0, 4), min_size=len(MENTIONS), max_size=len(MENTIONS)).map(
    lambda ids: [{m for m, i in zip(MENTIONS, ids, strict=True) if i == chain} for chain in sorted(set(ids))]
)
# some mentions are missing on each side
sides = st.tuples(partitions, st.sets(st.sampled_from(MENTIONS), max_size=3)).map(
    lambda drawn: [cluster - drawn[1] for cluster in drawn[0] if cluster - drawn[1]]
)
few = examples(60)


def parts(score):
    return [score.recall, score.precision, score.f1]


@pytest.mark.parametrize("score", SCORES)
@few
@given(sides, sides)
def test_exchanging_sides_exchanges_recall_and_precision(score, key, response):
    there, back = score(key, response), score(response, key)
    assert parts(there) == pytest.approx([back.precision, back.recall, back.f1])
    assert all(0 <= part <= 1 + 1e-12 for part in parts(there))


@pytest.mark.parametrize("score", SCORES)
@few
@given(sides, sides, st.permutations(MENTIONS))
def test_score_ignores_names_and_order(score, key, response, names):
    other = dict(zip(MENTIONS, names, strict=True))
    renamed = [[[other[m] for m in cluster] for cluster in reversed(side)] for side in (key, response)]
    assert parts(score(*renamed)) == pytest.approx(parts(score(key, response)))


@pytest.mark.parametrize("score", SCORES)
def test_equal_sides_score_1_and_empty_response_scores_0(score):
    key = ["abc", "de", "f"]
    assert parts(score(key, key)) == [1.0, 1.0, 1.0]
    assert parts(score(["ab"], [])) == parts(score([], [])) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("score", [muc, b_cubed, ceaf_m, ceaf_e, lea])
def test_score_sums_over_texts_before_division(score):
    key, response = {"one": ["ab", "c"], "two": ["abc"]}, {"one": ["abc"], "two": ["ab", "c"]}
    # the same mentions under names of their own, in one text
    apart = [
        [[(text, m) for m in cluster] for text, clusters in side.items() for cluster in clusters]
        for side in (key, response)
    ]
    assert parts(score(key, response)) == pytest.approx(parts(score(*apart)))


def test_blanc_has_no_links_between_texts():
    key, response = {"one": ["a"], "two": ["a"]}, {"one": ["a"], "two": ["a"]}
    assert parts(blanc(key, response)) == [0.0, 0.0, 0.0]
    assert parts(blanc(["a", "b"], ["a", "b"])) == [1.0, 1.0, 1.0]


def test_text_on_one_side_counts_as_not_found():
    assert parts(muc({"one": ["ab"], "two": ["cd"]}, {"one": ["ab"]})) == [0.5, 1.0, pytest.approx(2 / 3)]


def test_singletons_are_kept_or_dropped():
    key, response = ["ab", "c"], ["ab", "d"]
    assert b_cubed(key, response).recall == pytest.approx(2 / 3)
    assert b_cubed(key, response, singletons="drop").recall == 1.0


def test_mention_in_two_clusters_stays_in_the_first():
    assert parts(muc(["ab", "cd"], ["ab", "bcd"])) == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="mention 'b' is in two clusters of a text"):
        muc(["ab", "cd"], ["ab", "bcd"], duplicates="error")


sides_of_several = st.lists(st.sets(st.sampled_from(MENTIONS), min_size=1, max_size=4), max_size=5)


@pytest.mark.parametrize("score", SCORES)
@few
@given(sides_of_several, sides_of_several, st.permutations(MENTIONS), st.randoms(use_true_random=False))
def test_score_with_order_ignores_names_and_positions(score, key, response, names, draw):
    other = dict(zip(MENTIONS, names, strict=True))
    moved = [[{other[m] for m in cluster} for cluster in draw.sample(side, len(side))] for side in (key, response)]
    before = score(key, response, duplicates="first", order=MENTIONS)
    after = score(*moved, duplicates="first", order=[other[m] for m in MENTIONS])
    assert before.to_dict() == pytest.approx(after.to_dict())


@pytest.mark.parametrize("score", SCORES)
def test_equal_chains_score_1_in_any_order(score):
    key, response = ["ad", "abc", "a"], ["a", "abc", "ad"]
    assert parts(score(key, response, order="abcd")) == [1.0, 1.0, 1.0]
    assert parts(score({"t": key}, {"t": response}, order={"t": "abcd"})) == [1.0, 1.0, 1.0]
    assert link_kappa(key, response, duplicates="first", order="abcd").value == 1
    assert score(key, response).f1 < 1


@pytest.mark.parametrize(
    ("classes", "chosen"),
    [
        ([[3, 5], [0, 3]], 1),  # what comes first in the text
        ([[0, 2, 3], [0, 3]], 1),  # one that begins the other
        ([[0, 1, 3], [0, 2, 3]], 0),
        ([[3], [3, 9]], 1),  # not of the mention alone
        ([[3], [3]], 0),
    ],
)
def test_mention_is_scored_in_its_first_class(classes, chosen):
    assert first_class(3, classes) == chosen
    assert classes[::-1][first_class(3, classes[::-1])] == classes[chosen]


def test_conll_average_skips_undefined_muc():
    singletons = conll_average(["a", "b"], ["a", "b"])
    assert (parts(singletons), singletons.note) == ([1.0, 1.0, 1.0], WITHOUT_MUC)
    assert conll_average(["a", "b"], ["a", "c"]).f1 == pytest.approx(0.5)
    # where one side has a link, MUC is 0
    assert (conll_average(["ab"], ["a", "b"]).note, muc(["ab"], ["a", "b"]).f1) == ("", 0)


def test_average_has_no_interval_if_one_text_has_all_links():
    key = {"one": ["ab", "c"], "two": ["d", "e"], "three": ["f", "g"]}
    response = key | {"two": ["d"], "three": ["f"]}
    found = measures.score_interval(key, response, conll_average).f1
    assert (found.low, found.note) == (None, OTHER_PARTS)
    assert measures.score_interval(key, response, b_cubed).f1.low is not None


def test_blanc_with_one_kind_of_link_has_note_and_follows_boundary_rule():
    assert [blanc(side, side).note for side in (["abc"], ["a", "b"], ["ab", "c"])] == [*ONE_KIND_OF_LINK, ""]
    # the key is one chain, so that it has no links that do not corefer
    assert blanc(["abc"], ["ab", "c"], boundary="key").recall == pytest.approx(1 / 3)
    assert blanc(["abc"], ["ab", "c"]).recall == pytest.approx(1 / 6)
    assert parts(blanc(["abc"], ["abc"])) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("option", ["singletons", "duplicates"])
@pytest.mark.parametrize("score", SCORES)
def test_error_names_unknown_choice(score, option):
    with pytest.raises(ValueError, match=f"{option} is 'maybe'; it must be one of"):
        score(["ab"], ["ab"], **{option: "maybe"})
    with pytest.raises(ValueError, match="boundary is 'maybe'"):
        blanc(["ab"], ["ab"], boundary="maybe")


def test_score_refuses_unknown_mentions_and_sides_of_different_types():
    with pytest.raises(ValueError, match="mention 'b' is in a cluster and not in the order"):
        muc(["ab"], ["ab"], order="a")
    with pytest.raises(ValueError, match="one side is a mapping"):
        muc({"one": ["ab"]}, ["ab"])


def test_ceaf_finds_best_matching():
    # each response cluster fits one key cluster best, but they compete
    key, response = ["abcd", "efgh"], ["abef", "cd", "gh"]
    assert ceaf_m(key, response).recall == pytest.approx(4 / 8)


def test_score_shows_its_three_parts():
    assert repr(Score(1.0, 0.5, 2 / 3)) == "<recall 1.0000, precision 0.5000, F1 0.6667>"
    assert "0.6667" in Score(1.0, 0.5, 2 / 3)._repr_html_()


def by_pairs(first, second, units):
    """Return Cohen's kappa of two coders who say of each pair of units whether it corefers."""

    def linked(side, pair):
        return any(set(pair) <= set(cluster) for cluster in side)

    return measures.cohen_kappa(
        one_document([[linked(side, p) for side in (first, second)] for p in combinations(units, 2)])
    )


@few
@given(partitions, partitions)
def test_link_kappa_equals_cohens_kappa_over_pairs_of_units(first, second):
    found, expected = link_kappa(first, second), by_pairs(first, second, MENTIONS)
    for name in ("value", "observed", "expected"):
        expected_part = getattr(expected, name)
        assert getattr(found, name) == (None if expected_part is None else pytest.approx(expected_part))
    assert found.n_values == expected.n_values
    assert bool(found.note) == (found.value is None)


def test_link_kappa_pairs_no_units_of_different_texts():
    first, second = {"one": ["ab", "c"], "two": ["ab"]}, {"one": ["abc"], "two": ["a", "b"]}
    found = link_kappa(first, second)
    assert (found.n_units, found.n_judgements) == (5, 8)
    assert found.observed == pytest.approx(1 / 4)


def test_link_kappa_counts_units_outside_chains():
    assert link_kappa(["ab"], ["ab"], units="abcd").value == 1.0
    assert link_kappa({"one": ["ab"]}, {"one": ["ab"]}, units={"one": "abc"}).n_units == 3
    with pytest.raises(ValueError, match="unit 'e' is in a cluster and not among the units"):
        link_kappa(["abe"], ["ab"], units="abcd")


@pytest.mark.parametrize(
    ("side", "why"), [([], "no text has two units"), (["ab"], "decided alike"), (["a", "b"], "alike")]
)
def test_link_kappa_without_choice_is_undefined_with_note(side, why):
    found = link_kappa(side, side)
    assert found.value is None
    assert why in found.note


def test_scores_take_clusters_of_coder():
    data = measures.ReliabilityData.from_chain_ids([[1, 1], [1, 1], [1, 2], [3, 3]], ["x", "x", "x", "y"])
    first, second = data.clusters(0), data.clusters(1)
    assert first == {"x": [{0, 1, 2}], "y": [{3}]}
    assert muc(first, second).recall == 0.5
    with pytest.raises(ValueError, match="there is no coder 'Ann' among"):
        data.clusters("Ann")
