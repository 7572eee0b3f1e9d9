"""Docsets by the API."""

import re

import pytest

from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Docset, Membership, Text
from annotations.projects.people.members import add_member
from tests.annotations.docsets.test_creation import SINKING
from tests.shared.projects import person
from tests.shared.pyramids import SUMMARIES, build, codings_of, docset, models_of, pyramid_project

DOCSETS = "/api/v1/projects/ferry/docsets/"
URL = f"{DOCSETS}sinking/"
JSON = {"content_type": "application/json"}


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    return docset(project, alice, bob)


@pytest.fixture
def manager(ferry, charlie, signed_in):
    return signed_in(charlie)


@pytest.fixture
def pyramid(ferry) -> Coding:
    return build(codings_of(models_of(ferry))["alice"], SINKING)


def test_created_docset_is_returned_and_listed(manager):
    summaries = [{"name": name, "content": content} for name, content in SUMMARIES]
    made = manager.post(DOCSETS, {"slug": "fire", "title": "Fire", "summaries": summaries}, **JSON)
    assert made.status_code == 201
    assert made.json() == manager.get(f"{DOCSETS}fire/").json()
    assert made.json() == {
        "slug": "fire", "title": "Fire", "summaries": 3, "words": 26, "peers": 0, "codings": [],
        "model_summaries": summaries,
    }  # fmt: skip
    assert [row["slug"] for row in manager.get(DOCSETS).json()] == ["fire", "sinking"]


def test_wrong_docsets_are_refused_by_field(manager):
    good = {"slug": "fire", "title": "Fire", "summaries": [{"content": content} for _, content in SUMMARIES]}
    for changed in (
        {"summaries": []},
        {"summaries": [{"content": "A ferry."}] * 2 + [{"content": "\0"}]},
        {"summaries": [{"content": "A ferry."}] * 101},
        {"slug": "sinking"},
        {"title": ""},
    ):
        reply = manager.post(DOCSETS, good | changed, **JSON)
        assert (reply.status_code, list(reply.json()["errors"])) == (400, list(changed))
    assert Docset.objects.count() == 1


def test_peers_are_added_and_listed(manager, ferry):
    peers = [{"name": "Peer 1", "system": "A", "content": "A ferry sank.\n"}, {"name": "P2", "content": "Prices."}]
    made = manager.post(f"{URL}peers/", {"peers": peers}, **JSON)
    assert made.status_code == 201
    assert made.json() == manager.get(f"{URL}peers/").json()
    assert made.json()[1] == {"slug": "peer-1", "name": "Peer 1", "system": "A", "content": "A ferry sank.\n"}
    again = manager.post(f"{URL}peers/", {"peers": [{"name": "P3", "content": "New."}, peers[0]]}, **JSON)
    assert (again.status_code, list(again.json()["errors"])) == (400, ["name"])
    assert Text.objects.filter(role=Text.Role.PEER).count() == 2
    create_docset(ferry.project, "other", "Other", SUMMARIES)
    for address in (f"{URL}peers/", f"{DOCSETS}other/peers/"):  # a long name that another docset has, too
        made = manager.post(address, {"peers": [{"name": "n" * 100, "content": "It sank."}]}, **JSON)
        assert made.status_code == 201


def test_manager_assigns_pyramids_and_peers(manager, ferry):
    add_peer(ferry, "p1", "P1", "A ferry.")
    order = {"coders": ["alice", "bob"], "pyramid": True, "peers": ["p1"]}
    assert manager.post(f"{URL}assignments/", order, **JSON).json() == {"new": 2}
    kinds = [(row["coder"], row["kind"], row["text"]) for row in manager.get(URL).json()["codings"]]
    assert kinds == [
        ("alice", "pyramid", "sinking"),
        ("bob", "pyramid", "sinking"),
        ("alice", "peer", "p1"),
        ("bob", "peer", "p1"),
    ]


def test_wrong_assignments_are_refused_by_field(manager, ferry):
    add_peer(ferry, "p1", "P1", "A ferry.")
    for order, field in (
        ({"coders": ["ghost"]}, "coders"),
        ({"coders": ["charlie"]}, "coders"),
        ({"coders": []}, "coders"),
        ({"coders": ["alice"], "peers": ["ghost"]}, "peers"),
        ({"coders": ["alice"], "peers": ["p1"], "against": "agreed"}, "non_field_errors"),
    ):
        reply = manager.post(f"{URL}assignments/", order, **JSON)
        assert (reply.status_code, list(reply.json()["errors"])) == (400, [field])


def test_adjudicator_starts_agreed_pyramid(manager, ferry, pyramid, signed_in):
    adam = person("adam")
    add_member(ferry.project, adam, Membership.Role.ADJUDICATOR)
    unnamed = manager.post(f"{URL}agreed/", {"coder": "alice"}, **JSON)
    assert unnamed.json()["errors"] == {"adjudicator": ["A manager names the adjudicator who makes it."]}
    not_yet = signed_in(adam).post(f"{URL}agreed/", {"coder": "bob"}, **JSON)
    assert "has not submitted" in str(not_yet.json()["errors"])
    made = signed_in(adam).post(f"{URL}agreed/", {"coder": "alice"}, **JSON)
    assert made.status_code == 201
    assert made.json() == {
        "text": "sinking", "coder": "adam", "kind": "agreed", "handed_in": False, "scus": 3, "contributors": 8,
    }  # fmt: skip
    assert manager.post(f"{URL}agreed/", {"coder": "alice", "adjudicator": "adam"}, **JSON).status_code == 400


def test_manager_reassigns_agreed_pyramid(manager, ferry, pyramid, signed_in):
    adam, eve = person("adam"), person("eve")
    for user in (adam, eve):
        add_member(ferry.project, user, Membership.Role.ADJUDICATOR)
    client = signed_in(adam)
    assert manager.put(f"{URL}agreed/", {"adjudicator": "eve"}, **JSON).status_code == 400
    client.post(f"{URL}agreed/", {"coder": "alice"}, **JSON)
    assert client.put(f"{URL}agreed/", {"adjudicator": "eve"}, **JSON).status_code == 403
    for wrong in ({"adjudicator": "alice"}, {"adjudicator": "adam"}, {"coder": "eve"}, {}):
        assert manager.put(f"{URL}agreed/", wrong, **JSON).status_code == 400
    answer = manager.put(f"{URL}agreed/", {"adjudicator": "eve"}, **JSON)
    assert (answer.status_code, answer.json()["coder"], answer.json()["scus"]) == (200, "eve", 3)
    of_text = "/api/v1/projects/ferry/texts/sinking/agreed/coding/"
    assert [signed_in(user).get(of_text).status_code for user in (adam, eve)] == [404, 200]


def test_docsets_are_paged_by_link_header(manager, ferry):
    for number in range(4):
        create_docset(ferry.project, f"more-{number}", f"More {number}", SUMMARIES)
    address, seen = f"{DOCSETS}?page_size=2", []
    while address:
        page = manager.get(address)
        seen += [row["slug"] for row in page.json()]
        address = next(iter(re.findall(r'<([^>]*)>; rel="next"', page.get("Link", ""))), None)
    assert seen == ["more-0", "more-1", "more-2", "more-3", "sinking"]
    assert 'rel="prev"' in page["Link"]
    assert "Link" not in manager.get(DOCSETS)
