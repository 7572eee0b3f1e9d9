"""Coders who score peer summaries see neither their names nor their systems."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest

from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Operation, Project, Text
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.people.peer_names import coded_slug, coded_title
from annotations.texts.questions import ask
from tests.access.role_asking import ROUTES, fill_in
from tests.shared.coding import change
from tests.shared.pyramids import SUMMARIES, build, contributor, models_of, pyramid_project

ABOUT_PEER = UUID(int=1)
TELLING = re.compile(r"telltale|spoilsport", re.IGNORECASE)
PEERS = ["A ferry sank.", "Forty swam ashore.", "Nobody drowned at dawn.", "The ferry sank at dawn."]


@pytest.fixture
def ferry(alice, bob, charlie) -> Project:
    """Make a docset whose pyramid Alice and Bob have built and whose peers they score."""
    project = pyramid_project("ferry")
    for user, role in ((alice, "coder"), (bob, "coder"), (charlie, "manager")):
        add_member(project, user, role)
    docset = create_docset(project, "sinking", "Sinking", SUMMARIES)
    models = models_of(docset)
    assign_texts(project, [models], [alice, bob])
    for coding in models.codings.of_people().select_related("coder", "text"):
        build(coding, {"sank": ["The ferry sank"]})
    peers = [
        add_peer(docset, f"telltale-{number}", f"Telltale {number}", content, system=f"Spoilsport {number}")
        for number, content in enumerate(PEERS)
    ]
    assign_peers(docset, peers, [alice, bob], agreed=False)
    ask(peers[0], alice, "What of this?", uuid=ABOUT_PEER)
    return project


VALUES = {
    "slug": "ferry", "docset": "sinking", "coder": "alice", "username": "alice", "pk": "1", "first": "alice",
    "second": "bob", "key": "contributor:0-2", "secret": "x", "token": "x", "uidb64": "x", "page": "scores",
    "name": "coding", "table": "scores", "number": "1", "question": str(ABOUT_PEER),
}  # fmt: skip


def peers_of(project: Project) -> list[Text]:
    return list(Text.objects.filter(project=project, role=Text.Role.PEER))


def test_no_address_reveals_peer_names_to_scorers(ferry, alice, signed_in):
    client, n_read = signed_in(alice), 0
    for text in [models_of(ferry.docsets.get()).slug, *(coded_slug(alice.pk, peer.pk) for peer in peers_of(ferry)[:2])]:
        for address in (fill_in(path, VALUES | {"text": text}) for path in ROUTES.values() if "sign-out" not in path):
            for method in ("get", "post"):
                reply = getattr(client, method)(address)
                body = b"".join(reply) if reply.streaming else reply.content
                assert not TELLING.search(body.decode("latin-1")), (method, address)
                assert not TELLING.search(str(reply.headers)), (method, address)
                n_read += reply.status_code == 200
    assert n_read > 30
    # A program of version 0.1.0 that knows the address still gets there.
    reply = client.get("/api/v1/projects/ferry/texts/telltale-0/coding/")
    assert reply.status_code == 200
    assert not TELLING.search(reply.content.decode())


def test_scorers_open_and_submit_peers_by_code(ferry, alice, signed_in):
    client, peer = signed_in(alice), peers_of(ferry)[0]
    code, title = coded_slug(alice.pk, peer.pk), coded_title(alice.pk, peer.pk)
    page = client.get("/projects/ferry/").content.decode()
    assert all(coded_title(alice.pk, peer.pk) in page for peer in peers_of(ferry))
    assert f"/projects/ferry/texts/{code}/code/" in page
    assert title in client.get(f"/projects/ferry/texts/{code}/code/").content.decode()
    api = f"/api/v1/projects/ferry/texts/{code}/"
    assert client.get(api).json()["title"] == title
    state = client.get(f"{api}coding/").json()
    assert (state["text"]["slug"], state["text"]["title"], state["text"]["content"]) == (code, title, peer.content)
    made = change("judge", markable=contributor(peer, "A ferry sank"), category="scu", indices=["sank"])
    sent = {"version": 0, "operations": [{"uuid": str(made.uuid), "kind": made.kind, "payload": made.payload}]}
    reply = client.post(f"{api}coding/operations/", json.dumps(sent), content_type="application/json")
    assert reply.status_code == 200, reply.content
    assert client.post(f"/projects/ferry/texts/{code}/submit/", follow=True).status_code == 200
    coding = Coding.objects.of_people().get(text=peer, coder=alice)
    assert (coding.status, coding.version) == ("submitted", 2)
    peer.refresh_from_db()
    assert (peer.slug, peer.title, peer.system) == ("telltale-0", "Telltale 0", "Spoilsport 0")
    assert Operation.objects.filter(coding=coding).count() == 2


def test_peer_codes_and_order_differ_by_coder(ferry, alice, bob, signed_in):
    orders = {}
    for coder in (alice, bob):
        peers = signed_in(coder).get("/api/v1/projects/ferry/docsets/sinking/peers/").json()
        orders[coder] = [(peer["slug"], peer["content"]) for peer in peers]
        assert [peer["system"] for peer in peers] == [""] * len(PEERS)
        assert [peer["name"] for peer in peers] == sorted(peer["name"] for peer in peers)
    assert not {slug for slug, _ in orders[alice]} & {slug for slug, _ in orders[bob]}
    code = orders[bob][0][0]
    assert signed_in(alice).get(f"/projects/ferry/texts/{code}/code/").status_code == 404
    assert signed_in(alice).get(f"/api/v1/projects/ferry/texts/{code}/").status_code == 404


def test_members_who_see_results_see_peer_names(ferry, alice, charlie, signed_in):
    docset = "/projects/ferry/docsets/sinking/"
    assert {"Telltale 0", "Spoilsport 0"} <= words_of(signed_in(charlie).get(docset))
    assert not words_of(signed_in(alice).get(docset)) & {"Telltale 0", "Spoilsport 0"}
    Project.objects.update(results_open=True)
    assert {"Telltale 0", "Spoilsport 0"} <= words_of(signed_in(alice).get(docset))


def words_of(reply) -> set[str]:
    return set(re.findall(r"(?:Telltale|Spoilsport) \d", reply.content.decode()))


def test_scores_are_shown_only_if_enabled(ferry, alice, charlie, signed_in):
    code = coded_slug(alice.pk, peers_of(ferry)[0].pk)
    address = f"/api/v1/projects/ferry/texts/{code}/coding/"
    assert signed_in(alice).get(address).json()["pyramid"]["scores_shown"] is False
    form = {"one_contributor": "on", "words_exclusive": "on", "scores_shown": "on"}
    assert signed_in(charlie).post("/projects/ferry/scheme/", form | {"confirmed": "1"}).status_code == 302
    assert signed_in(alice).get(address).json()["pyramid"]["scores_shown"] is True
