"""Scores of peers: the report, the page and what it costs."""

import pytest

from agreement.measures import mean_interval
from agreement.parameters import WrongParameter
from agreement.pyramids import read
from agreement.reports import scores
from annotations import actions, docsets
from annotations.formats import Bundle, ducview
from annotations.marking import key_of
from annotations.models import Docset, Membership
from tests.agreeing import LOOKERS, cost, digits, figures, links, table
from tests.conftest import make_project
from tests.pyramids import docset, models_of, pyramid_project, says, send
from tests.scored import harbour, people

URL = "/projects/harbour/agreement/scores/"


@pytest.fixture
def project(charlie):
    return harbour()


def test_the_sample_of_ducview_gives_its_scores(samples, alice):
    """Weights 4, 3, 2, 2, 2, 1; original 7/9 and modified 7/11, with 3.5 SCUs on average, rounded to 4."""
    project = pyramid_project("strike", one_contributor=False, words_exclusive=False)
    actions.add_member(project, alice, Membership.Role.CODER)
    folder = samples / "ducview"
    pyramid = ducview.read_pyramid(Bundle.of("1.pyr", (folder / "strike.coder1.pyr").read_bytes()))
    peer = ducview.read_peer(Bundle.of("p.pan", (folder / "peer1.pan").read_bytes()))
    made = docsets.docset_of(project, "strike", "Strike", pyramid.text, pyramid.boundary, pyramid.summaries)
    actions.assign(project, [models_of(made)], [alice])
    own = models_of(made).codings.get()
    for scu in pyramid.scus:
        for one in scu.contributors:
            send(own, says(key_of("contributor", sorted([p.start, p.end] for p in one.parts)), str(scu.uid)))
    text = docsets.add_peer(made, "peer", "Peer", peer.text)
    docsets.assign_peers(made, [text], [alice], agreed=False)
    held = text.codings.get()
    for uid, marks in peer.marks.items():
        for one in marks:
            key = key_of("contributor", sorted([p.start, p.end] for p in one.parts))
            send(held, says(key, *([str(uid)] if uid else [])))
    found = read(project)
    assert sorted(found.own[0].pyramid.weights.values(), reverse=True) == [4, 3, 2, 2, 2, 1]
    [scored] = scores.report(found).peers
    assert (scored.found, scored.original.best, scored.modified.best) == (7, 9, 11)
    assert (scored.value("original"), scored.value("modified")) == (7 / 9, 7 / 11)
    [interpolated] = scores.report(found, mean="interpolate").peers
    assert (interpolated.modified.n_scus, interpolated.modified.best) == (3.5, 10)


def test_every_peer_has_the_scores_of_its_marks(project):
    """Peer 1 says what Ann's SCUs aground 4, rescued 4, fog 3 and dawn 2 say, and that the captain resigned."""
    found = {(one.held.peer.slug, one.held.coder, one.held.agreed): one for one in scores.report(read(project)).peers}
    one = found["sinking-1", "ann", False]
    assert (one.found, one.n_scus, one.held.outside) == (13, 5, 1)
    assert one.value("original") == 13 / (4 + 4 + 3 + 2 + 2)
    assert one.value("modified") == 13 / 15  # 20 contributors in four summaries: five SCUs on average
    assert len(found) == 6 * 4


def test_a_system_has_the_mean_of_its_peers_and_no_interval_for_a_few(project):
    report = scores.report(read(project))
    of = {(one.system, one.agreed): one for one in report.systems}
    peers = {
        slug: [one.value("modified") for one in report.peers if one.held.peer.slug == slug and not one.held.agreed]
        for slug in ("sinking-3", "sinking-6")
    }
    system = of["A", False]
    assert system.n_peers == 2
    assert system.modified.value == pytest.approx(sum(sum(of) / 2 for of in peers.values()) / 2)
    assert (system.modified.low, "fewer than 5 peers" in system.note) == (None, True)


def test_a_system_of_five_peers_has_an_interval(project):
    Docset.objects.get().texts.update(system="A")
    report = scores.report(read(project))
    [own, _] = report.systems
    means = {}
    for one in report.peers:
        if not one.held.agreed:
            means.setdefault(one.held.peer.slug, []).append(one.value("original"))
    assert own.original == mean_interval([sum(of) / len(of) for of in means.values()])
    assert own.original.low < own.original.value < own.original.high


def test_what_is_not_begun_or_undefined_says_why(alice):
    project = pyramid_project("small")
    made = docset(project, alice)
    text = docsets.add_peer(made, "peer", "Peer", "A ferry sank.")
    docsets.assign_peers(made, [text], [alice], agreed=False)
    [one] = scores.report(read(project)).peers
    assert (one.value("original"), one.note) == (None, "nothing is marked yet")
    coding = text.codings.get()
    actions.submit(coding, alice)
    [one] = scores.report(read(project)).peers
    assert (one.value("original"), one.note) == (None, "its pyramid is not handed in; the pyramid is empty")


def test_only_what_is_there_can_be_asked_for(project):
    for asked, field in (({"docset": "ghost"}, "docset"), ({"mean": "x"}, "mean")):
        with pytest.raises(WrongParameter) as wrong:
            scores.report(read(project), **asked)
        assert wrong.value.field == field


def test_the_page_has_the_report_to_the_last_digit(signed_in, charlie, project):
    page = signed_in(charlie).get(URL, {"mean": "interpolate"}).content.decode()
    report = scores.report(read(project), mean="interpolate")
    rows = figures(page, "scores")
    assert [row[:3] for row in rows] == [digits(*(one.value(name) for name in scores.SCORES)) for one in report.peers]
    systems = [
        digits(one.n_peers, one.original.value, one.modified.value, one.comprehensive.value) for one in report.systems
    ]
    assert figures(page, "systems") == systems
    assert "coverage" in page
    assert table(page, "scores")[0][:5] == ["Peer 1", "sinking", "B", "ann", "own"]


def test_tabs_keep_how_agreement_is_computed_and_only_pyramids_have_these(signed_in, charlie, project):
    page = signed_in(charlie).get(URL, {"distance": "dice"}).content.decode()
    assert all("distance=dice" in one for one in links(page, "agreement/study/"))
    assert links(page, "agreement/scus/")
    assert not links(page, "agreement/categories/")
    assert '<input type="hidden" name="distance" value="dice">' in page


@pytest.mark.parametrize(
    "asked", [{"docset": "ghost"}, {"mean": "x"}, {"score": "<b>"}, {"distance": "x"}, {"docset": "\x00"}]
)
def test_a_wrong_parameter_gets_400_and_what_is_usual(signed_in, charlie, project, asked):
    reply = signed_in(charlie).get(URL, asked)
    [name] = asked
    assert reply.status_code == 400
    assert f"<p>{name}: " in reply.content.decode()
    assert len(table(reply.content.decode(), "scores")) == 24


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "scus/?view=subsumption", "peers/"])
@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_may_look(signed_in, project, mallory, page, role, status):
    person = mallory
    if role != "outsider":
        [person] = people(role)
        actions.add_member(project, person, role)
    assert signed_in(person).get(f"/projects/harbour/agreement/{page}").status_code == status


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "peers/"])
def test_results_are_closed_to_coders_until_the_manager_opens_them(signed_in, project, page):
    [ann] = people("ann")
    client = signed_in(ann)
    for prefix in ("", "/api/v1"):
        address = f"{prefix}/projects/harbour/agreement/{page}"
        for opened, status in ((False, 403), (True, 200)):
            type(project).objects.update(results_open=opened)
            assert client.get(address).status_code == status


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "peers/"])
def test_other_projects_have_no_such_pages(signed_in, charlie, page):
    actions.add_member(make_project(), charlie, Membership.Role.MANAGER)
    for prefix in ("", "/api/v1"):
        assert signed_in(charlie).get(f"{prefix}/projects/tea/agreement/{page}").status_code == 404


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "scus/?view=subsumption", "peers/", ""])
def test_a_page_costs_the_same_whatever_there_is(signed_in, charlie, page):
    client = signed_in(charlie)
    harbour("small", peers=2)
    harbour("large", peers=6)
    costs = [cost(client, f"/projects/{slug}/agreement/{page}") for slug in ("small", "large")]
    assert costs[0] == costs[1]


@pytest.mark.parametrize("page", ["scores/", "study/", "scus/", "peers/"])
def test_an_empty_page_says_what_to_do_next(signed_in, charlie, alice, page):
    project = pyramid_project("fresh")
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    for _ in range(2):
        reply = client.get(f"/projects/fresh/agreement/{page}")
        assert reply.status_code == 200
        assert 'class="empty"' in reply.content.decode()
        made = Docset.objects.first() or docset(project, alice)
        if not made.texts.filter(role="peer").exists():
            docsets.add_peer(made, "peer", "Peer", "A ferry sank.")
