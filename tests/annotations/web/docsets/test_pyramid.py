"""The coding pages of pyramids and peers: permissions, state and queries."""

import pytest
from django.test import Client

from annotations.coding.state import coding_state
from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer
from annotations.models import Coding, Docset, Membership
from annotations.planning.work.assignments import assign_peers
from annotations.projects.people.members import add_member
from tests.shared.coding import change
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send


@pytest.fixture
def made(alice, bob) -> Docset:
    return docset(pyramid_project(), alice, bob)


@pytest.fixture
def pyramids(made) -> dict[str, Coding]:
    """Make two pyramids: Alice's is submitted, Bob's is not."""
    codings = codings_of(models_of(made))
    build(codings["alice"], {"sinking": ["ferry sank", "a ferry went down"], "dawn": ["at dawn"]})
    build(codings["bob"], {"rescue": ["Forty people were rescued", "forty people"]}, hand_in=False)
    return codings


def page(client: Client, user, path: str) -> str:
    client.force_login(user)
    response = client.get(f"/projects/ferry/texts/{path}/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def agreed(made, pyramids, charlie) -> Coding:
    add_member(made.project, charlie, Membership.Role.ADJUDICATOR)
    return start_agreed_pyramid(made, charlie, pyramids["alice"])


def test_pyramid_page_opens_for_its_coder_only(client, made, pyramids, alice, charlie):
    html = page(client, alice, "sinking/code")
    assert 'data-operations="/api/v1/projects/ferry/texts/sinking/coding/operations/"' in html
    assert "submitted and can only be read" in html
    client.force_login(charlie)
    assert client.get("/projects/ferry/texts/sinking/code/").status_code == 404


def test_agreed_pyramid_saves_to_its_own_address(client, agreed, charlie):
    html = page(client, charlie, "sinking/agreed/code")
    assert 'data-operations="/api/v1/projects/ferry/texts/sinking/agreed/coding/operations/"' in html
    assert 'action="/projects/ferry/texts/sinking/agreed/submit/"' in html


def test_adjudicator_sees_submitted_pyramids(agreed, pyramids, made):
    state = coding_state(agreed, made.project)["pyramid"]
    assert [(pyramid["coder"], [scu["label"] for scu in pyramid["scus"]]) for pyramid in state["others"]] == [
        ("alice", ["Sinking", "Dawn"])
    ]
    assert [len(scu["contributors"]) for scu in state["others"][0]["scus"]] == [2, 1]
    submit_coding(pyramids["bob"], pyramids["bob"].coder)
    others = coding_state(agreed, made.project)["pyramid"]["others"]
    assert [pyramid["coder"] for pyramid in others] == ["alice", "bob"]


def test_coders_see_no_pyramids_of_others(agreed, pyramids, made, charlie):
    assert coding_state(pyramids["alice"], made.project)["pyramid"]["others"] == []
    Membership.objects.filter(user=charlie, project=made.project).update(role=Membership.Role.CODER)
    assert coding_state(agreed, made.project)["pyramid"]["others"] == []


def test_state_takes_fixed_number_of_queries(agreed, pyramids, made, django_assert_num_queries):
    agreed = Coding.objects.of_people().select_related("text__docset", "coder").get(pk=agreed.pk)
    mine = Coding.objects.of_people().select_related("text__docset", "coder").get(pk=pyramids["alice"].pk)
    coding_state(agreed, made.project)  # the others' pyramids are viewed from now on
    with django_assert_num_queries(16):
        coding_state(agreed, made.project)
    with django_assert_num_queries(11):
        coding_state(mine, made.project)
    submit_coding(pyramids["bob"], pyramids["bob"].coder)
    coding_state(agreed, made.project)
    with django_assert_num_queries(16):
        coding_state(agreed, made.project)


def test_scus_keep_their_numbers_on_peer_pages(made, alice):
    text = add_peer(made, "peer-1", "Peer 1", "The ferry sank.")
    assign_peers(made, [text], [alice], agreed=False)
    coding = codings_of(models_of(made))["alice"]
    build(coding, {"sinking": ["ferry sank"], "dawn": ["at dawn"], "rescue": ["Forty people"]}, hand_in=False)

    def numbers(coding: Coding) -> dict[str, int]:
        return coding_state(coding, made.project)["pyramid"]["numbers"]

    assert numbers(coding) == {"sinking": 1, "dawn": 2, "rescue": 3}
    send(
        coding,
        change("unmark", markable=contributor(coding.text, "ferry sank")),
        change("describe", scu="sinking", label="", comment=""),
        says(contributor(coding.text, "forty people"), "new"),
    )
    assert numbers(coding) == {"sinking": 1, "dawn": 2, "rescue": 3, "new": 4}  # what is taken back keeps its number
    assert numbers(codings_of(text)["alice"]) == {"dawn": 2, "rescue": 3, "new": 4}


def test_peer_page_shows_status_of_pyramid(client, made, alice):
    text = add_peer(made, "peer-1", "Peer 1", "The ferry sank.")
    assign_peers(made, [text], [alice], agreed=False)
    assert "has no SCU yet" in page(client, alice, "peer-1/code")
    coding = codings_of(models_of(made))["alice"]
    build(coding, {"sinking": ["ferry sank"]}, hand_in=False)
    assert "is not submitted yet" in page(client, alice, "peer-1/code")
    submit_coding(coding, alice)
    assert "is not submitted yet" not in page(client, alice, "peer-1/code")
