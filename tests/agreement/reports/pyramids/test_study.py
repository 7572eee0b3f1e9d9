"""The paradigmatic reliability study: two coders' pyramids score the same peers."""

import pytest
from scipy import stats

from agreement.data.pyramids import read_pyramids
from agreement.reports.parameters import InvalidParameter
from agreement.results.pyramids import scores
from annotations.coding.status import reopen_coding
from annotations.models import Coding, Docset, Membership
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import links, table
from tests.shared.pyramids import build, codings_of, models_of
from tests.shared.scored import ANN, OF_ANN, hold, people

OPTIONS = {"agreed": False}
URL = "/projects/harbour/agreement/study/"


def by_coder(project, score):
    found = {}
    for peer in scores.report_scores(read_pyramids(project)).peers:
        found.setdefault(peer.marks.coder, []).append(getattr(peer, score))
    return found["ann"], found["ben"]


@pytest.mark.parametrize("score", scores.SCORES)
def test_correlations_equal_scipy(project, score):
    [pair] = scores.report_study(read_pyramids(project)).pairs
    (first, second), found = by_coder(project, score), pair.of_score(score)
    assert (pair.first, pair.second, found.n) == ("ann", "ben", 6)
    pearson, spearman, kendall = (test(first, second) for test in (stats.pearsonr, stats.spearmanr, stats.kendalltau))
    permuted = stats.permutation_test(
        (first,), lambda order: stats.spearmanr(order, second).statistic, permutation_type="pairings"
    )
    for name, value, p in (
        ("pearson", pearson.statistic, pearson.pvalue),
        ("spearman", spearman.statistic, permuted.pvalue),
        ("kendall", kendall.statistic, kendall.pvalue),
    ):
        figure = getattr(found, name)
        assert (figure.value, figure.p_value) == pytest.approx((value, p)), name
    assert found.kendall.low <= found.kendall.value <= found.kendall.high


def test_best_score_ranks_first_and_equal_scores_share_rank(project):
    [pair] = scores.report_study(read_pyramids(project)).pairs
    peers = pair.of_score("modified").peers
    for side in ("first", "second"):
        values = [getattr(peer, side) for peer in peers]
        ranks = len(values) + 1 - stats.rankdata(values)
        assert [getattr(peer, f"rank_{side}") for peer in peers] == ranks.tolist()
    assert [peer.change for peer in peers] == [peer.rank_first - peer.rank_second for peer in peers]
    assert sum(peer.change for peer in peers) == 0
    assert {peer.rank_second for peer in peers} >= {1.5}


def test_study_counts_open_peer_codings(project, signed_in, charlie):
    reopen_coding(Coding.objects.of_people().get(kind="peer", text__slug="sinking-1", coder__username="ben"), charlie)
    assert scores.report_study(read_pyramids(project)).pairs[0].n_open == 1
    assert "not submitted" in signed_in(charlie).get(URL).content.decode()


def test_report_accepts_coders_in_either_order(project):
    found = read_pyramids(project)
    pair, other = (scores.report_study(found, first=a, second=b).pairs[0] for a, b in (("ann", "ben"), ("ben", "ann")))
    assert [peer.change for peer in pair.of_score("original").peers] == [
        -peer.change for peer in other.of_score("original").peers
    ]
    assert [(pair.first, pair.second) for pair in scores.report_study(found, second="ann").pairs] == [("ben", "ann")]
    for names, field in ((("ann", "ghost"), "second"), (("ghost", ""), "first"), (("ann", "ann"), "second")):
        with pytest.raises(InvalidParameter) as wrong:
            scores.report_study(found, first=names[0], second=names[1])
        assert wrong.value.field == field


def test_study_has_every_pair_of_coders(project, signed_in, charlie):
    [carol] = people("carol")
    add_member(project, carol, Membership.Role.CODER)
    made = Docset.objects.get()
    assign_texts(project, [models_of(made)], [carol])
    build(codings_of(models_of(made))["carol"], ANN)
    peers = list(made.texts.filter(role="peer")[:3])
    assign_peers(made, peers, [carol], agreed=False)
    for text in peers:
        hold(codings_of(text)["carol"], OF_ANN)
    report = scores.report_study(read_pyramids(project))
    assert [(pair.first, pair.second, len(pair.of_score("modified").peers)) for pair in report.pairs] == [
        ("ann", "ben", 6),
        ("ann", "carol", 3),
        ("ben", "carol", 3),
    ]
    for coding in Coding.objects.of_people().filter(coder__username="ann", text__role="peer").select_related("coder"):
        reopen_coding(coding, charlie)
    report = scores.report_study(read_pyramids(project))
    assert [(pair.first, pair.second) for pair in report.pairs] == [("ben", "carol"), ("ann", "ben"), ("ann", "carol")]
    assert report.pair() == report.pairs[0]
    page = signed_in(charlie).get(URL, {"first": "carol", "second": "ann"}).content.decode()
    assert len(table(page, "correlations")) == 9
    assert "Modified scores and ranks by carol and ann" in page
    assert links(page, "first=ben&second=carol")
