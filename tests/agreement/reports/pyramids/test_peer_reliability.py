"""How far coders agree on what peers say, against one pyramid."""

import pytest

from agreement.data.pyramids import read_pyramids
from agreement.measures import ReliabilityData, alpha, cohen_kappa, count_dice, fleiss_kappa, interval
from agreement.results.pyramids import peers
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.creation import create_docset
from annotations.models import Coding, Docset, User
from annotations.planning.work.assignments import assign_texts
from tests.conftest import change
from tests.shared.agreeing import digits, figures, table
from tests.shared.pyramids import contributor, says, send
from tests.shared.scored import ANN, SUMMARIES, add_docset

URL = "/projects/harbour/agreement/peers/"
# What Ann found of her SCUs in each peer, once each; Ben missed those in the set.
FOUND = (
    ("aground rescued fog dawn", {"ninety"}),
    ("aground rescued ninety hotels", {"fog", "rescued"}),
    ("aground fog ninety inquiry radar rescued", {"ninety"}),
    ("aground", {"fog", "rescued"}),
    ("aground rescued fog ninety dawn", {"ninety"}),
    ("aground hotels inquiry", {"fog", "rescued"}),
)


def by_hand() -> list[list[int]]:
    """Return Ann's and Ben's counts of each SCU in each peer."""
    return [
        [int(scu in said.split()), int(scu in said.split() and scu not in missed)]
        for said, missed in FOUND
        for scu in ANN
    ]


def data(counts) -> ReliabilityData:
    documents = [number // len(ANN) for number in range(len(counts))]
    return ReliabilityData.from_values(range(len(counts)), ["ann", "ben"], counts, documents)


def test_kappa_and_alpha_are_those_of_peers_by_scus(project):
    report = peers.report_peers(read_pyramids(project))
    counts = by_hand()
    assert report.overall.kappa.n_units == 6 * 8 == len(counts)
    assert report.overall.kappa.value == fleiss_kappa(data(counts)).value
    assert report.overall.cohen_kappa.value == cohen_kappa(data(counts)).value
    assert report.overall.alpha_dice.value == pytest.approx(alpha(data(counts), count_dice).value)
    expected = interval(data(counts), fleiss_kappa)
    assert (report.overall.kappa.low, report.overall.kappa.high, expected.n_groups) == (expected.low, expected.high, 6)


def test_an_scu_that_one_coder_finds_more_often_is_a_partial_disagreement(project):
    coding = Coding.objects.of_people().get(kind="peer-agreed", text__slug="sinking-4", coder__username="ann")
    reopen_coding(coding, coding.coder)
    send(coding, says(contributor(coding.text, "was late"), "aground"))
    submit_coding(coding, coding.coder)
    report = peers.report_peers(read_pyramids(project))
    [item] = [one for one in report.items if one.peer == "sinking-4" and one.scu == "aground"]
    assert item.counts == {"ann": 2, "ben": 1}
    counts = by_hand()
    counts[3 * len(ANN)] = [2, 1]
    assert report.overall.kappa.value == fleiss_kappa(data(by_hand())).value
    assert report.overall.alpha_dice.value == pytest.approx(alpha(data(counts), count_dice).value)


def test_items_stand_by_their_share(project):
    report = peers.report_peers(read_pyramids(project))
    assert len(report.items) == 48
    assert [one.share for one in report.items[:4]] == [1 / 3, 1 / 3, 1 / 3, 0]
    assert [(one.peer, one.scu) for one in report.items[:3]] == [
        ("sinking-2", "rescued"),
        ("sinking-3", "ninety"),
        ("sinking-5", "ninety"),
    ]


def test_own_pyramids_and_peers_of_one_coder_are_left_out(project):
    Coding.objects.of_people().filter(kind="peer-agreed", text__slug="sinking-1", coder__username="ben").update(
        coder=User.objects.get(username="adam")
    )
    Coding.objects.of_people().filter(kind="peer-agreed", text__slug="sinking-2", coder__username="ben").delete()
    report = peers.report_peers(read_pyramids(project))
    assert (report.n_alone, report.overall.n_peers, report.coders) == (1, 5, ("adam", "ann", "ben"))
    assert report.overall.cohen_kappa is None


def test_several_docsets_are_told_apart_and_taken_together(project, signed_in, charlie):
    other = docset_of_the_same(project)
    report = peers.report_peers(read_pyramids(project))
    assert [(one.docset, one.n_peers) for one in report.docsets] == [("second", 3), ("sinking", 6)]
    assert report.overall.n_peers == 9
    alone = peers.report_peers(read_pyramids(project, other.slug), other.slug)
    assert alone.overall.kappa.value == report.docsets[0].kappa.value
    page = signed_in(charlie).get(URL).content.decode()
    assert [row[0] for row in table(page, "reliability")] == ["all docsets", "second", "sinking", "mean of the docsets"]
    mean = figures(page, "reliability")[-1]
    assert float(mean[0]) == pytest.approx(sum(one.kappa.value for one in report.docsets) / 2)


def docset_of_the_same(project) -> Docset:
    made = create_docset(project, "second", "Second", SUMMARIES)
    ann, ben, adam = (User.objects.get(username=name) for name in ("ann", "ben", "adam"))
    assign_texts(project, [made.texts.get()], [ann, ben])
    add_docset(project, made, 3, adam)
    return made


def test_the_page_has_the_report_to_the_last_digit(signed_in, charlie, project):
    page = signed_in(charlie).get(URL).content.decode()
    report = peers.report_peers(read_pyramids(project))
    kappa, alpha_dice = report.overall.kappa, report.overall.alpha_dice
    found = kappa.value, kappa.low, kappa.high, report.overall.cohen_kappa.value
    expected = digits(6, 48, *found, alpha_dice.value, alpha_dice.low, alpha_dice.high)
    assert figures(page, "reliability") == [expected]
    assert [row[0] for row in table(page, "items")] == [item.label for item in report.items]
    assert signed_in(charlie).get(URL, {"docset": "ghost"}).status_code == 400


def test_what_is_not_handed_in_counts_nowhere_and_is_said(project, signed_in, charlie):
    coding = Coding.objects.of_people().get(kind="peer-agreed", text__slug="sinking-4", coder__username="ann")
    before = peers.report_peers(read_pyramids(project))
    reopen_coding(coding, coding.coder)
    send(coding, says(contributor(coding.text, "was late"), "aground"))
    report = peers.report_peers(read_pyramids(project))
    assert (report.n_open, report.overall.n_peers) == (1, before.overall.n_peers - 1)
    assert not [one for one in report.items if one.peer == "sinking-4"]
    assert "not submitted yet" in signed_in(charlie).get(URL).content.decode()


def test_an_scu_that_nobody_could_find_is_no_unit(project):
    """One that is only described, without a contributor: all would agree that it is absent."""
    before = peers.report_peers(read_pyramids(project)).overall.kappa
    agreed = Coding.objects.of_people().get(kind="agreed")
    reopen_coding(agreed, agreed.coder)
    send(agreed, *(change("describe", scu=f"empty-{number}", label="Empty") for number in range(20)))
    after = peers.report_peers(read_pyramids(project)).overall.kappa
    assert after == before
