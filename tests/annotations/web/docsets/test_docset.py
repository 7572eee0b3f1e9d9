"""The page of a docset and its forms."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Docset, Membership, Text, User
from annotations.planning.work.assignments import assign_peers
from annotations.projects.people.members import add_member
from annotations.projects.people.peer_names import coded_slug
from tests.annotations.docsets.test_creation import SINKING
from tests.annotations.transfers.test_pyramids import SANK, pan
from tests.shared.projects import person
from tests.shared.pyramids import (
    SUMMARIES,
    build,
    codings_of,
    contributor,
    docset,
    models_of,
    pyramid_project,
    says,
    send,
)
from tests.shared.schemes import change_rows

URL = "/projects/ferry/docsets/sinking/"


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    add_member(project, person("adam"), Membership.Role.ADJUDICATOR)
    return docset(project, alice, bob)


@pytest.fixture
def adam(ferry) -> User:
    return User.objects.get(username="adam")


@pytest.fixture
def manager(ferry, charlie, signed_in):
    return signed_in(charlie)


@pytest.fixture
def pyramid(ferry) -> Coding:
    """Make Alice's pyramid and submit it."""
    return build(codings_of(models_of(ferry))["alice"], SINKING)


@pytest.fixture
def peer(ferry) -> Text:
    return add_peer(ferry, "p1", "Peer 1", "Dawn: a ferry sank. Prices rose.", system="A")


def rows(*peers: tuple[str, str, str], **fields: object) -> dict[str, object]:
    sent: dict[str, object] = {"rows-TOTAL_FORMS": len(peers), "rows-INITIAL_FORMS": 0, "do": "save"}
    for number, (name, system, content) in enumerate(peers):
        sent |= {f"rows-{number}-name": name, f"rows-{number}-system": system, f"rows-{number}-content": content}
    return sent | fields


def test_page_shows_summaries_and_peers(manager, peer):
    page = manager.get(URL).content.decode()
    assert all(content in page for _, content in SUMMARIES)
    assert "3 model summaries, 26 words, 1 peer." in " ".join(page.split())
    assert "Prices rose." in page
    assert "System A" in page


def test_page_shows_progress_and_reopens_pyramids(manager, pyramid, peer, alice):
    assign_peers(peer.docset, [peer], [alice], agreed=False)
    [coding] = peer.codings.of_people().select_related("coder", "text")
    send(coding, says(contributor(peer, "a ferry sank"), "sank"), says(contributor(peer, "Prices rose")))
    page = manager.get(URL).content.decode()
    assert "3 SCUs, 8 contributors" in page
    assert "1 SCU, 2 contributors" in page
    back = "/projects/ferry/texts/sinking/codings/alice/reopen/"
    assert back in page
    assert manager.post(back, {"confirmed": "1"}, follow=True).redirect_chain == [(URL, 302)]
    pyramid.refresh_from_db()
    assert pyramid.status == "open"


def test_coder_sees_summaries_and_own_work_only(signed_in, ferry, pyramid, peer, alice, bob):
    assign_peers(ferry, [peer], [alice], agreed=False)
    page = signed_in(bob).get(URL).content.decode()
    assert "The ferry sank at dawn." in page
    assert "not started" in page
    assert not any(
        word in page for word in ("alice", "Peer 1", "Prices", ">submitted", "Assign text", "Add peers", "SCUs,")
    )
    assert "0 peers to code" in " ".join(page.split())


def test_peer_coder_sees_no_model_summaries(signed_in, ferry, pyramid, peer, adam, mallory):
    agreed = start_agreed_pyramid(ferry, adam, pyramid)
    submit_coding(agreed, adam)
    add_member(ferry.project, mallory, Membership.Role.CODER)
    assert signed_in(mallory).get(URL).status_code == 404
    assign_peers(ferry, [peer], [mallory], agreed=True)
    page = signed_in(mallory).get(URL).content.decode()
    assert f"/texts/{coded_slug(mallory.pk, peer.pk)}/agreed/code/" in page
    assert "/texts/p1/" not in page
    assert "Prices rose." in page
    assert "Forty people" not in page


def test_page_takes_fixed_number_of_queries(manager, ferry, pyramid, peer, alice, bob, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as few:
        manager.get(URL)
    made = [add_peer(ferry, f"q{number}", f"Q {number}", "A ferry sank.") for number in range(4)]
    assign_peers(ferry, made, [alice, bob], agreed=False)
    with django_assert_max_num_queries(len(few)):
        manager.get(URL)


def test_pasted_peers_become_texts(manager, ferry):
    sent = rows(("Peer 1", "A", "A ferry\r\nsank."), ("", "", ""), ("17", "", "Prices rose."))
    assert manager.post(f"{URL}peers/", sent).url == URL
    peers = Text.objects.filter(role=Text.Role.PEER)
    assert list(peers.values_list("slug", "title", "system", "content")) == [
        ("17", "17", "", "Prices rose."),
        ("peer-1", "Peer 1", "A", "A ferry\nsank."),
    ]


def test_uploaded_peers_are_previewed_with_names_and_systems(manager, ferry):
    files = [SimpleUploadedFile("strike.17.txt", b"A ferry sank."), SimpleUploadedFile("peer.pan", pan(SANK))]
    page = manager.post(f"{URL}peers/", rows(files=files, do="read")).content.decode()
    assert all(
        said in page for said in ('value="strike.17"', 'value="17"', 'value="peer"', "A ferry sank. Prices rose.")
    )
    assert not Text.objects.filter(role=Text.Role.PEER).exists()


def test_peers_are_added_all_or_none(manager, ferry):
    for sent, message in (
        (rows(), "Paste a peer summary, or choose files"),
        (rows(("", "", "A ferry.")), "Enter a name"),
        (rows(("x", "", "...")), "has no words"),
        (rows(("!", "", "A ferry.")), "needs a letter or digit"),
        (rows(("Peer", "", "A ferry."), ("peer", "", "Sank.")), "already has a text called Peer"),
        (rows(("sinking", "", "A ferry.")), "already has a text called The sinking"),
        (rows(files=[SimpleUploadedFile("a.pan", b"<x/>")]), "a.pan:1:"),
    ):
        reply = manager.post(f"{URL}peers/", sent)
        assert (reply.status_code, message in reply.content.decode()) == (400, True), message
    assert not Text.objects.filter(role=Text.Role.PEER).exists()


def test_peers_of_two_docsets_may_share_a_name(manager, ferry, peer):
    create_docset(ferry.project, "other", "Other", SUMMARIES)
    assert manager.post("/projects/ferry/docsets/other/peers/", rows(("p1", "", "A ferry."))).status_code == 302
    assert Text.objects.filter(slug="other-p1", title="p1").exists()


def test_manager_assigns_pyramid_and_peers(manager, ferry, peer, adam, bob):
    sent = {"coders": [adam.pk, bob.pk], "pyramid": "on", "peers": [peer.pk], "against": "own"}
    page = manager.post(f"{URL}assign/", sent, follow=True).content.decode()
    assert "3 assignments created." in page
    assert set(peer.codings.of_people().values_list("coder__username", "kind")) == {("adam", "peer"), ("bob", "peer")}
    assert "0 assignments created" in manager.post(f"{URL}assign/", sent, follow=True).content.decode()


def test_wrong_assignments_are_refused(manager, ferry, peer, adam, charlie):
    before = Coding.objects.of_people().count()
    pyramid, peers, coder = {"pyramid": "on"}, {"peers": [peer.pk]}, {"coders": [adam.pk]}
    for sent, message in (
        (pyramid, "This field is required"),
        (coder, "Select the pyramid, peers, or both"),
        (coder | peers | {"against": "own"}, "adam has no pyramid of The sinking"),
        (coder | pyramid | peers | {"against": "agreed"}, "no submitted agreed pyramid"),
        (pyramid | {"coders": [charlie.pk]}, "Select a valid choice"),
        (coder | pyramid | {"against": "ghost"}, "Select a valid choice"),
    ):
        reply = manager.post(f"{URL}assign/", sent)
        assert (reply.status_code, message in reply.content.decode()) == (400, True), message
    assert Coding.objects.of_people().count() == before


def test_adjudicator_starts_agreed_pyramid(signed_in, ferry, pyramid, adam):
    client = signed_in(adam)
    assert f"{URL}agreed/" in client.get(URL).content.decode()
    page = client.get(f"{URL}agreed/").content.decode()
    assert "alice" in page
    assert "bob" not in page
    reply = client.post(f"{URL}agreed/", {"start": pyramid.pk})
    assert reply.url == "/projects/ferry/texts/sinking/agreed/code/"
    assert f"{URL}agreed/" not in client.get(URL).content.decode()
    assert "The agreed pyramid exists" in client.get(f"{URL}agreed/").content.decode()


def test_manager_starts_agreed_pyramid_for_adjudicator(manager, pyramid, adam):
    assert manager.post(f"{URL}agreed/", {"start": pyramid.pk}).status_code == 400
    reply = manager.post(f"{URL}agreed/", {"start": pyramid.pk, "adjudicator": adam.pk}, follow=True)
    assert "Agreed pyramid started for adam." in reply.content.decode()
    assert Coding.objects.of_people().get(kind="agreed").coder == adam


def test_agreed_pyramid_starts_from_submitted_pyramid_only(manager, ferry, adam):
    assert "No submitted pyramid yet" in manager.get(f"{URL}agreed/").content.decode()
    coding = codings_of(models_of(ferry))["bob"]
    for start in ("", "x", "99999999999999999999999", "\0", coding.pk):
        assert manager.post(f"{URL}agreed/", {"start": start, "adjudicator": adam.pk}).status_code == 400
    build(coding, SINKING)  # the scheme does not allow its words any more
    change_rows(ferry.project.levels.filter(coded=True), coders_mark=False)
    assert manager.post(f"{URL}agreed/", {"start": coding.pk, "adjudicator": adam.pk}).status_code == 400
    assert not Coding.objects.of_people().filter(kind="agreed").exists()


def test_manager_reassigns_agreed_pyramid(manager, signed_in, ferry, pyramid, adam):
    start_agreed_pyramid(ferry, adam, pyramid)
    assert "The agreed pyramid exists" in manager.get(f"{URL}agreed/").content.decode()
    eve = person("eve")
    add_member(ferry.project, eve, Membership.Role.ADJUDICATOR)
    assert "Reassign the agreed pyramid" in manager.get(URL).content.decode()
    assert "adam works on the agreed pyramid" in manager.get(f"{URL}agreed/").content.decode()
    for somebody in (adam, User.objects.get(username="alice")):
        assert manager.post(f"{URL}agreed/", {"adjudicator": somebody.pk}).status_code == 400
    assert signed_in(eve).post(f"{URL}agreed/", {"adjudicator": eve.pk}).status_code == 400
    assert Coding.objects.of_people().get(kind="agreed").coder == adam
    page = manager.post(f"{URL}agreed/", {"adjudicator": eve.pk}, follow=True).content.decode()
    assert "Agreed pyramid reassigned to eve." in page
    assert Coding.objects.of_people().get(kind="agreed").coder == eve
