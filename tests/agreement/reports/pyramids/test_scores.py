"""Scores of peers, their queries, and agreement of coders on peers."""

import pytest

from agreement.data.pyramids import read_pyramids
from agreement.data.reading import forget_answers
from agreement.measures import ReliabilityData, alpha, cohen_kappa, count_dice, fleiss_kappa, interval, mean_interval
from agreement.reports.fields import as_json
from agreement.results.pyramids import peers, scores
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.creation import add_peer, create_docset, create_docset_from_text
from annotations.formats import Bundle, ducview
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Docset, Judgement, Membership, User
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import cost, figures, table
from tests.shared.coding import change
from tests.shared.pyramids import contributor, docset, models_of, pyramid_project, says, send
from tests.shared.scored import ANN, SUMMARIES, add_docset, harbour

URL = "/projects/harbour/agreement/scores/"


def test_ducview_sample_has_published_scores(samples, alice):
    """Weights 4, 3, 2, 2, 2, 1; original 7/9 and modified 7/11, with 3.5 SCUs on average, rounded to 4."""
    project = pyramid_project("strike", one_contributor=False, words_exclusive=False)
    add_member(project, alice, Membership.Role.CODER)
    folder = samples / "ducview"
    pyramid = ducview.read_pyramid(Bundle.of("1.pyr", (folder / "strike.coder1.pyr").read_bytes()))
    peer = ducview.read_peer(Bundle.of("p.pan", (folder / "peer1.pan").read_bytes()))
    made = create_docset_from_text(project, "strike", "Strike", pyramid.text, pyramid.boundary, pyramid.summaries)
    assign_texts(project, [models_of(made)], [alice])
    own = models_of(made).codings.of_people().get()
    for scu in pyramid.scus:
        for part in scu.contributors:
            send(own, says(markable_key("contributor", sorted([p.start, p.end] for p in part.parts)), str(scu.uid)))
    text = add_peer(made, "peer", "Peer", peer.text)
    assign_peers(made, [text], [alice], agreed=False)
    coding = text.codings.of_people().get()
    for uid, marks in peer.marks.items():
        for mark in marks:
            key = markable_key("contributor", sorted([p.start, p.end] for p in mark.parts))
            send(coding, says(key, *([str(uid)] if uid else [])))
    found = read_pyramids(project)
    assert sorted(found.own[0].pyramid.weights.values(), reverse=True) == [4, 3, 2, 2, 2, 1]
    [scored] = scores.report_scores(found).peers
    assert (scored.found, scored.best_original, scored.best_modified) == (7, 9, 11)
    assert (scored.original, scored.modified) == (7 / 9, 7 / 11)
    [interpolated] = scores.report_scores(found, mean="interpolate").peers
    assert interpolated.best_modified == 10  # of 3.5 SCUs


def test_peer_scores_equal_hand_count(project):
    """Peer 1 has Ann's SCUs aground 4, rescued 4, fog 3 and dawn 2, and words in no SCU."""
    found = {
        (row.marks.peer.slug, row.marks.coder, row.marks.agreed): row
        for row in scores.report_scores(read_pyramids(project)).peers
    }
    scored = found["sinking-1", "ann", False]
    assert (scored.found, scored.n_scus, scored.marks.n_outside) == (13, 5, 1)
    assert scored.original == 13 / (4 + 4 + 3 + 2 + 2)
    assert scored.modified == 13 / 15  # 20 contributors in four summaries: five SCUs on average
    assert len(found) == 6 * 4


def test_system_of_two_peers_has_mean_without_interval(project):
    report = scores.report_scores(read_pyramids(project))
    of = {(row.system, row.against == "agreed"): row for row in report.systems}
    peers = {
        slug: [peer.modified for peer in report.peers if peer.marks.peer.slug == slug and not peer.marks.agreed]
        for slug in ("sinking-3", "sinking-6")
    }
    system = of["A", False]
    assert system.n_peers == 2
    assert system.modified.value == pytest.approx(sum(sum(of) / 2 for of in peers.values()) / 2)
    assert (system.modified.low, "fewer than 5 peers" in system.note) == (None, True)


def test_system_of_enough_peers_has_interval(project):
    Docset.objects.get().texts.update(system="A")
    report = scores.report_scores(read_pyramids(project))
    [own, _] = report.systems
    means = {}
    for peer in report.peers:
        if not peer.marks.agreed:
            means.setdefault(peer.marks.peer.slug, []).append(peer.original)
    expected = mean_interval([sum(of) / len(of) for of in means.values()])
    assert (own.original.value, own.original.low, own.original.n) == (expected.value, expected.low, expected.n)
    assert own.original.low < own.original.value < own.original.high


def test_note_explains_missing_score(alice):
    project = pyramid_project("small")
    made = docset(project, alice)
    text = add_peer(made, "peer", "Peer", "A ferry sank.")
    assign_peers(made, [text], [alice], agreed=False)
    [peer] = scores.report_scores(read_pyramids(project)).peers
    assert (peer.original, peer.note) == (None, "nothing is marked yet")
    coding = text.codings.of_people().get()
    submit_coding(coding, alice)
    [peer] = scores.report_scores(read_pyramids(project)).peers
    assert (peer.original, peer.note) == (None, "its pyramid is not submitted; the pyramid is empty")


def test_note_counts_peers_without_score(project):
    """A peer without SCUs has no original score, because the best pyramid of no SCUs has no weight."""
    Docset.objects.get().texts.update(system="A")
    silent = Docset.objects.get().texts.get(slug="sinking-1")
    Judgement.objects.filter(coding__text=silent, coding__kind=Coding.Kind.PEER).delete()
    own = scores.report_scores(read_pyramids(project)).systems[0]
    assert [getattr(own, name).n for name in scores.SCORES] == [5, 6, 5]
    assert own.n_peers == 6
    assert "original of 5 of 6 peers, comprehensive of 5 of 6 peers" in own.note
    assert [as_json(own)[name]["n"] for name in scores.SCORES] == [5, 6, 5]


@pytest.mark.slow
def test_number_of_queries_is_fixed(signed_in, charlie, project):
    client = signed_in(charlie)
    harbour("small", peers=2)
    for page in ("scores/", "study/", "scus/", "scus/?view=subsumption", "peers/", ""):
        forget_answers()
        small, large = (cost(client, f"/projects/{slug}/agreement/{page}") for slug in ("small", "harbour"))
        assert small == large, page


def test_empty_pages_show_empty_state(signed_in, charlie, alice):
    project = pyramid_project("fresh")
    add_member(project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)

    def check():
        for page in ("scores/", "study/", "scus/", "peers/"):
            reply = client.get(f"/projects/fresh/agreement/{page}")
            assert (reply.status_code, 'class="empty-state"' in reply.content.decode()) == (200, True), page

    check()
    add_peer(docset(project, alice), "peer", "Peer", "A ferry sank.")
    check()


URL_OF_PEER_RELIABILITY = "/projects/harbour/agreement/peers/"
# What Ann found of her SCUs in each peer, once each; Ben missed those in the set.
FOUND = (
    ("aground rescued fog dawn", {"ninety"}),
    ("aground rescued ninety hotels", {"fog", "rescued"}),
    ("aground fog ninety inquiry radar rescued", {"ninety"}),
    ("aground", {"fog", "rescued"}),
    ("aground rescued fog ninety dawn", {"ninety"}),
    ("aground hotels inquiry", {"fog", "rescued"}),
)


def hand_counts() -> list[list[int]]:
    """Return Ann's and Ben's counts of each SCU in each peer."""
    return [
        [int(scu in said.split()), int(scu in said.split() and scu not in missed)]
        for said, missed in FOUND
        for scu in ANN
    ]


def data(counts) -> ReliabilityData:
    documents = [number // len(ANN) for number in range(len(counts))]
    return ReliabilityData.from_values(range(len(counts)), ["ann", "ben"], counts, documents)


def test_kappa_and_alpha_equal_library_on_peers_by_scus(project):
    report = peers.report_peers(read_pyramids(project))
    counts = hand_counts()
    assert report.overall.kappa.n_units == 6 * 8 == len(counts)
    assert report.overall.kappa.value == fleiss_kappa(data(counts)).value
    assert report.overall.cohen_kappa.value == cohen_kappa(data(counts)).value
    assert report.overall.alpha_dice.value == pytest.approx(alpha(data(counts), count_dice).value)
    expected = interval(data(counts), fleiss_kappa)
    assert (report.overall.kappa.low, report.overall.kappa.high, expected.n_groups) == (expected.low, expected.high, 6)


def test_different_counts_of_scu_are_partial_disagreement(project):
    coding = Coding.objects.of_people().get(kind="peer-agreed", text__slug="sinking-4", coder__username="ann")
    reopen_coding(coding, coding.coder)
    send(coding, says(contributor(coding.text, "was late"), "aground"))
    submit_coding(coding, coding.coder)
    report = peers.report_peers(read_pyramids(project))
    [item] = [row for row in report.items if row.peer == "sinking-4" and row.scu == "aground"]
    assert item.counts == {"ann": 2, "ben": 1}
    counts = hand_counts()
    counts[3 * len(ANN)] = [2, 1]
    assert report.overall.kappa.value == fleiss_kappa(data(hand_counts())).value
    assert report.overall.alpha_dice.value == pytest.approx(alpha(data(counts), count_dice).value)


def test_items_are_sorted_by_share(project):
    report = peers.report_peers(read_pyramids(project))
    assert len(report.items) == 48
    assert [item.share for item in report.items[:4]] == [1 / 3, 1 / 3, 1 / 3, 0]
    assert [(item.peer, item.scu) for item in report.items[:3]] == [
        ("sinking-2", "rescued"),
        ("sinking-3", "ninety"),
        ("sinking-5", "ninety"),
    ]


def test_peers_of_single_coder_are_left_out(project):
    Coding.objects.of_people().filter(kind="peer-agreed", text__slug="sinking-1", coder__username="ben").update(
        coder=User.objects.get(username="adam")
    )
    Coding.objects.of_people().filter(kind="peer-agreed", text__slug="sinking-2", coder__username="ben").delete()
    report = peers.report_peers(read_pyramids(project))
    assert (report.n_alone, report.overall.n_peers, report.coders) == (1, 5, ("adam", "ann", "ben"))
    assert report.overall.cohen_kappa is None


def test_docsets_have_figures_apart_and_together(project, signed_in, charlie):
    other = add_second_docset(project)
    report = peers.report_peers(read_pyramids(project))
    assert [(docset.docset, docset.n_peers) for docset in report.docsets] == [("second", 3), ("sinking", 6)]
    assert report.overall.n_peers == 9
    alone = peers.report_peers(read_pyramids(project, other.slug), other.slug)
    assert alone.overall.kappa.value == report.docsets[0].kappa.value
    page = signed_in(charlie).get(URL_OF_PEER_RELIABILITY).content.decode()
    assert [row[0] for row in table(page, "reliability")] == ["all docsets", "second", "sinking", "mean of the docsets"]
    mean = figures(page, "reliability")[-1]
    assert float(mean[0]) == pytest.approx(sum(docset.kappa.value for docset in report.docsets) / 2)


def add_second_docset(project) -> Docset:
    made = create_docset(project, "second", "Second", SUMMARIES)
    ann, ben, adam = (User.objects.get(username=name) for name in ("ann", "ben", "adam"))
    assign_texts(project, [made.texts.get()], [ann, ben])
    add_docset(project, made, 3, adam)
    return made


def test_open_peer_coding_does_not_count_and_page_says_so(project, signed_in, charlie):
    coding = Coding.objects.of_people().get(kind="peer-agreed", text__slug="sinking-4", coder__username="ann")
    before = peers.report_peers(read_pyramids(project))
    reopen_coding(coding, coding.coder)
    send(coding, says(contributor(coding.text, "was late"), "aground"))
    report = peers.report_peers(read_pyramids(project))
    assert (report.n_open, report.overall.n_peers) == (1, before.overall.n_peers - 1)
    assert not [item for item in report.items if item.peer == "sinking-4"]
    assert "not submitted yet" in signed_in(charlie).get(URL_OF_PEER_RELIABILITY).content.decode()


def test_scu_without_contributors_is_no_unit(project):
    """Coders would all agree that an SCU without contributors is absent."""
    before = peers.report_peers(read_pyramids(project)).overall.kappa
    agreed = Coding.objects.of_people().get(kind="agreed")
    reopen_coding(agreed, agreed.coder)
    send(agreed, *(change("describe", scu=f"empty-{number}", label="Empty") for number in range(20)))
    after = peers.report_peers(read_pyramids(project)).overall.kappa
    assert after == before
