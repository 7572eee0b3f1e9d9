"""Docsets, pyramids and peers: what is written, and what is refused."""

import pytest
from django.core.exceptions import ValidationError

from annotations import actions, docsets, operations, scus
from annotations.coding_state import coding_state
from annotations.decisions import Refused
from annotations.models import Coding, Docset, Markable, Membership, Text
from tests.conftest import change, make_project
from tests.pyramids import (
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

SINKING = {
    "sank": ["The ferry sank", "a ferry went down", "the ferry sank"],
    "saved": ["Forty people were rescued", "Boats saved forty people", "Forty were rescued"],
    "dawn": ["at dawn", "At dawn"],
}


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    project = pyramid_project()
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    return docset(project, alice, bob)


@pytest.fixture
def models(ferry) -> Text:
    return models_of(ferry)


@pytest.fixture
def pyramid(models) -> Coding:
    return codings_of(models)["alice"]


def refusal(coding: Coding, *changes: operations.Change) -> tuple[str, int | None]:
    before = operations.judgements_of(coding)
    with pytest.raises(Refused) as refused:
        send(coding, *changes)
    assert operations.judgements_of(coding) == before
    return refused.value.code, refused.value.position


def test_a_docset_holds_its_summaries_in_one_text_a_segment_each(models):
    stretches = models.segments.order_by("start").values_list("label", "start", "end")
    assert [(label, models.content[start:end]) for label, start, end in stretches] == list(SUMMARIES)


def test_every_word_of_the_summaries_is_there_and_none_of_their_headers(models):
    words = [models.content[start:end] for ((start, end),) in models.markables.values_list("parts", flat=True)]
    assert len(words) == 9 + 10 + 7
    assert words[:3] == ["The", "ferry", "sank"]


@pytest.mark.parametrize(
    ("summaries", "message"),
    [
        ([("one", "A ferry.")], "two model summaries or more"),
        ([("one", "A ferry."), ("One ", "It sank.")], "same name"),
        ([("one", "A ferry."), ("two", " ... ")], "no words"),
    ],
)
def test_what_cannot_be_a_docset_is_refused_and_nothing_is_made(db, summaries, message):
    project = pyramid_project()
    with pytest.raises(ValidationError, match=message):
        docsets.create_docset(project, "x", "X", summaries)
    assert not Docset.objects.exists()
    assert not Text.objects.exists()


def test_only_projects_of_pyramids_have_docsets(db):
    with pytest.raises(ValidationError, match="content units"):
        docsets.create_docset(make_project(), "x", "X", SUMMARIES)


def test_two_docsets_of_one_address_are_refused(ferry):
    with pytest.raises(ValidationError, match="already exists"):
        docsets.create_docset(ferry.project, "sinking", "Again", SUMMARIES)


def test_contributors_make_scus_and_their_weights(pyramid):
    build(pyramid, SINKING)
    weights = {one.key: (one.weight, one.label) for one in scus.weighed(pyramid)}
    assert weights == {"sank": (3, "Sank"), "saved": (3, "Saved"), "dawn": (2, "Dawn")}
    assert scus.weighed(pyramid)[-1].contributors == ("at dawn", "At dawn")


def test_a_description_is_set_changed_and_taken_away(pyramid):
    send(pyramid, change("describe", scu="s", label="It sank", comment="why?"))
    assert scus.descriptions_of(pyramid) == {"s": {"label": "It sank", "comment": "why?"}}
    send(pyramid, change("describe", scu="s", label="It went down"))
    assert scus.descriptions_of(pyramid) == {"s": {"label": "It went down", "comment": ""}}
    send(pyramid, change("describe", scu="s"))
    assert scus.scu_keys(pyramid) == set()


def test_a_pyramid_without_descriptions_has_the_scus_of_its_contributors(pyramid, models):
    send(pyramid, says(contributor(models, "The ferry sank"), "s"))
    [scu] = scus.weighed(pyramid)
    assert (scu.key, scu.label, scu.weight) == ("s", "", 1)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"scu": "", "label": "x"}, "bad_payload"),
        ({"label": "x"}, "bad_payload"),
        ({"scu": "s", "label": "x", "weight": 4}, "bad_payload"),
        ({"scu": "s", "label": "x\0"}, "bad_payload"),
        ({"scu": "s", "label": "x" * 501}, "description_too_long"),
    ],
)
def test_a_description_of_another_shape_is_refused(pyramid, payload, code):
    assert refusal(pyramid, change("describe", **payload)) == (code, 0)


def test_a_discontinuous_contributor_counts_once(pyramid, models):
    send(pyramid, says(contributor(models, "The ferry", "at dawn"), "s"))
    [scu] = scus.weighed(pyramid)
    assert (scu.weight, scu.contributors) == (1, ("The ferry … at dawn",))


def test_a_second_contributor_of_a_summary_is_refused_with_its_place(pyramid, models):
    first, second = contributor(models, "The ferry"), contributor(models, "at dawn")
    assert refusal(pyramid, says(first, "s"), says(second, "s")) == ("second_contributor", 1)


def test_a_contributor_across_summaries_is_refused(pyramid, models):
    across = contributor(models, "The ferry", "a ferry went")
    assert refusal(pyramid, says(across, "s")) == ("across_summaries", 0)


def test_words_that_are_taken_are_refused(pyramid, models):
    send(pyramid, says(contributor(models, "The ferry sank"), "s"))
    assert refusal(pyramid, says(contributor(models, "ferry sank at"), "t")) == ("words_taken", 0)
    assert refusal(pyramid, says(contributor(models, "The ferry sank"), "s", "t")) == ("several_scus", 0)


def test_a_project_may_let_scus_share_words(alice, charlie):
    made = docset(pyramid_project("free", words_exclusive=False, one_contributor=False), alice)
    text = models_of(made)
    [coding] = text.codings.all()
    send(coding, says(contributor(text, "The ferry sank"), "s", "t"), says(contributor(text, "ferry sank at"), "t"))
    assert {one.key: one.weight for one in scus.weighed(coding)} == {"s": 1, "t": 1}


def test_what_was_wrong_before_does_not_stand_in_the_way(pyramid, models):
    """The manager made words exclusive after some were shared."""
    project = models.project
    project.words_exclusive = False
    project.save()
    send(pyramid, says(contributor(models, "The ferry sank"), "s"), says(contributor(models, "ferry sank at"), "t"))
    project.words_exclusive = True
    project.save()
    send(pyramid, says(contributor(models, "Boats saved"), "u"))
    assert refusal(pyramid, says(contributor(models, "The ferry sank"), "v")) == ("words_taken", 0)


def test_no_scu_is_no_answer_in_a_pyramid(pyramid, models):
    assert refusal(pyramid, says(contributor(models, "The ferry"))) == ("not_in_pyramid", 0)


@pytest.fixture
def peer(ferry, pyramid) -> Coding:
    build(pyramid, SINKING)
    text = docsets.add_peer(ferry, "peer-1", "Peer 1", "Dawn: a ferry sank. Prices rose.", system="A")
    docsets.assign_peers(ferry, [text], [pyramid.coder], agreed=False)
    return text.codings.select_related("coder", "text").get()


def test_a_peer_is_held_against_the_coders_own_pyramid(peer, pyramid):
    assert scus.pyramid_against(peer) == pyramid
    send(peer, says(contributor(peer.text, "a ferry sank"), "sank"), says(contributor(peer.text, "Prices rose")))
    assert refusal(peer, says(contributor(peer.text, "Dawn"), "ghost")) == ("unknown_scu", 0)
    assert refusal(peer, change("describe", scu="new", label="New")) == ("no_pyramid", 0)


def test_bobs_pyramid_is_none_of_alices_business(peer, models, bob):
    build(codings_of(models)["bob"], {"bobs": ["Boats saved"]})
    assert refusal(peer, says(contributor(peer.text, "Dawn"), "bobs")) == ("unknown_scu", 0)
    assert "bobs" not in str(coding_state(peer, models.project))


def test_peers_are_held_against_an_agreed_pyramid_once_it_is_handed_in(ferry, peer, pyramid, bob):
    with pytest.raises(ValidationError, match="no agreed pyramid"):
        docsets.assign_peers(ferry, [peer.text], [bob], agreed=True)


def test_an_agreed_pyramid_begins_with_one_coders(ferry, pyramid, models, mallory, bob):
    build(pyramid, SINKING)
    with pytest.raises(ValidationError, match="no adjudicator"):
        docsets.start_agreed(ferry, bob, pyramid)
    actions.add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    with pytest.raises(ValidationError, match="not handed in"):
        docsets.start_agreed(ferry, mallory, codings_of(models)["bob"])
    agreed = docsets.start_agreed(ferry, mallory, pyramid)
    assert operations.judgements_of(agreed) == operations.judgements_of(pyramid)
    assert scus.weighed(agreed) == scus.weighed(pyramid)
    assert (agreed.status, agreed.version) == ("open", 1)
    with pytest.raises(ValidationError, match="already"):
        docsets.start_agreed(ferry, mallory, pyramid)
    send(agreed, change("describe", scu="sank", label="Otherwise"))
    assert scus.descriptions_of(pyramid)["sank"]["label"] == "Sank"


def test_words_of_other_coders_are_not_seen(pyramid, models):
    build(codings_of(models)["bob"], SINKING)
    state = coding_state(pyramid, models.project)
    assert (state["markables"], state["judgements"], state["pyramid"]["scus"]) == ([], {}, {})
    assert len(state["pyramid"]["words"]) == Markable.objects.filter(text=models, predefined=True).count()
