"""Scores of peers: the report, the page and what it costs."""

import pytest

from agreement.data.pyramids import read_pyramids
from agreement.data.reading import forget_answers
from agreement.measures import mean_interval
from agreement.reports.fields import as_json
from agreement.results.pyramids import scores
from annotations.coding.status import submit_coding
from annotations.docsets.creation import add_peer, create_docset_from_text
from annotations.formats import Bundle, ducview
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Docset, Judgement, Membership
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import cost, digits, figures, table
from tests.shared.pyramids import docset, models_of, pyramid_project, says, send
from tests.shared.scored import harbour

URL = "/projects/harbour/agreement/scores/"


def test_the_sample_of_ducview_gives_its_scores(samples, alice):
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
        for one in scu.contributors:
            send(own, says(markable_key("contributor", sorted([p.start, p.end] for p in one.parts)), str(scu.uid)))
    text = add_peer(made, "peer", "Peer", peer.text)
    assign_peers(made, [text], [alice], agreed=False)
    coding = text.codings.of_people().get()
    for uid, marks in peer.marks.items():
        for one in marks:
            key = markable_key("contributor", sorted([p.start, p.end] for p in one.parts))
            send(coding, says(key, *([str(uid)] if uid else [])))
    found = read_pyramids(project)
    assert sorted(found.own[0].pyramid.weights.values(), reverse=True) == [4, 3, 2, 2, 2, 1]
    [scored] = scores.report_scores(found).peers
    assert (scored.found, scored.best_original, scored.best_modified) == (7, 9, 11)
    assert (scored.original, scored.modified) == (7 / 9, 7 / 11)
    [interpolated] = scores.report_scores(found, mean="interpolate").peers
    assert interpolated.best_modified == 10  # of 3.5 SCUs


def test_every_peer_has_the_scores_of_its_marks(project):
    """Peer 1 says what Ann's SCUs aground 4, rescued 4, fog 3 and dawn 2 say, and that the captain resigned."""
    found = {
        (one.marks.peer.slug, one.marks.coder, one.marks.agreed): one
        for one in scores.report_scores(read_pyramids(project)).peers
    }
    one = found["sinking-1", "ann", False]
    assert (one.found, one.n_scus, one.marks.n_outside) == (13, 5, 1)
    assert one.original == 13 / (4 + 4 + 3 + 2 + 2)
    assert one.modified == 13 / 15  # 20 contributors in four summaries: five SCUs on average
    assert len(found) == 6 * 4


def test_a_system_has_the_mean_of_its_peers_and_no_interval_for_a_few(project):
    report = scores.report_scores(read_pyramids(project))
    of = {(one.system, one.against == "agreed"): one for one in report.systems}
    peers = {
        slug: [one.modified for one in report.peers if one.marks.peer.slug == slug and not one.marks.agreed]
        for slug in ("sinking-3", "sinking-6")
    }
    system = of["A", False]
    assert system.n_peers == 2
    assert system.modified.value == pytest.approx(sum(sum(of) / 2 for of in peers.values()) / 2)
    assert (system.modified.low, "fewer than 5 peers" in system.note) == (None, True)


def test_a_system_of_five_peers_has_an_interval(project):
    Docset.objects.get().texts.update(system="A")
    report = scores.report_scores(read_pyramids(project))
    [own, _] = report.systems
    means = {}
    for one in report.peers:
        if not one.marks.agreed:
            means.setdefault(one.marks.peer.slug, []).append(one.original)
    expected = mean_interval([sum(of) / len(of) for of in means.values()])
    assert (own.original.value, own.original.low, own.original.n) == (expected.value, expected.low, expected.n)
    assert own.original.low < own.original.value < own.original.high


def test_what_is_not_begun_or_undefined_says_why(alice):
    project = pyramid_project("small")
    made = docset(project, alice)
    text = add_peer(made, "peer", "Peer", "A ferry sank.")
    assign_peers(made, [text], [alice], agreed=False)
    [one] = scores.report_scores(read_pyramids(project)).peers
    assert (one.original, one.note) == (None, "nothing is marked yet")
    coding = text.codings.of_people().get()
    submit_coding(coding, alice)
    [one] = scores.report_scores(read_pyramids(project)).peers
    assert (one.original, one.note) == (None, "its pyramid is not submitted; the pyramid is empty")


def test_a_mean_of_fewer_peers_says_so(project):
    """A peer in which nothing is found has no original score: the best pyramid with no SCUs weighs nothing."""
    Docset.objects.get().texts.update(system="A")
    silent = Docset.objects.get().texts.get(slug="sinking-1")
    Judgement.objects.filter(coding__text=silent, coding__kind=Coding.Kind.PEER).delete()
    own = scores.report_scores(read_pyramids(project)).systems[0]
    assert [getattr(own, name).n for name in scores.SCORES] == [5, 6, 5]
    assert own.n_peers == 6
    assert "original of 5 of 6 peers, comprehensive of 5 of 6 peers" in own.note
    assert [as_json(own)[name]["n"] for name in scores.SCORES] == [5, 6, 5]


def test_the_page_has_the_report_to_the_last_digit(signed_in, charlie, project):
    page = signed_in(charlie).get(URL, {"mean": "interpolate"}).content.decode()
    report = scores.report_scores(read_pyramids(project), mean="interpolate")
    rows = figures(page, "scores")
    assert [row[:3] for row in rows] == [
        digits(*(getattr(one, name) for name in scores.SCORES)) for one in report.peers
    ]
    systems = [
        digits(one.n_peers, one.original.value, one.modified.value, one.comprehensive.value) for one in report.systems
    ]
    assert figures(page, "systems") == systems
    assert "coverage" in page
    assert table(page, "scores")[0][:5] == ["Peer 1", "sinking", "B", "ann", "own"]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "scus/?view=subsumption", "peers/", ""])
def test_a_page_costs_the_same_whatever_there_is(signed_in, charlie, page):
    client = signed_in(charlie)
    harbour("small", peers=2)
    harbour("large", peers=6)
    forget_answers()
    costs = [cost(client, f"/projects/{slug}/agreement/{page}") for slug in ("small", "large")]
    assert costs[0] == costs[1]


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "peers/"])
def test_an_empty_page_says_what_to_do_next(signed_in, charlie, alice, page):
    project = pyramid_project("fresh")
    add_member(project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    for _ in range(2):
        reply = client.get(f"/projects/fresh/agreement/{page}")
        assert reply.status_code == 200
        assert 'class="empty-state"' in reply.content.decode()
        made = Docset.objects.first() or docset(project, alice)
        if not made.texts.filter(role="peer").exists():
            add_peer(made, "peer", "Peer", "A ferry sank.")
