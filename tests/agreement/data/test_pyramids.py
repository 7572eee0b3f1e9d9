"""What is read of pyramids and peers, and what it costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agreement.pyramids import read, words_and_content
from annotations import actions, docsets
from annotations.models import Coding, Membership
from tests.conftest import change
from tests.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send

SINKING = {
    "sank": ["The ferry sank", "a ferry went down", "the ferry sank"],
    "saved": ["Forty people were rescued", "Boats saved forty people", "Forty were rescued"],
    "dawn": ["at dawn", "At dawn"],
}


@pytest.fixture
def ferry(alice, bob):
    made = docset(pyramid_project(), alice, bob)
    build(codings_of(models_of(made))["alice"], SINKING)
    return made


def held_by(ferry, coder, *, slug="peer-1", agreed=False) -> Coding:
    text = docsets.add_peer(ferry, slug, slug.title(), "Dawn: a ferry sank. Prices rose. It sank.", system="A")
    docsets.assign_peers(ferry, [text], [coder], agreed=agreed)
    return text.codings.select_related("coder", "text").get(coder=coder)


def test_a_pyramid_has_its_scus_with_labels_and_weights(ferry):
    [built] = read(ferry.project).own
    assert (built.coder, built.handed_in, built.agreed) == ("alice", True, False)
    assert built.labels == {"sank": "Sank", "dawn": "Dawn", "saved": "Saved"}
    assert built.pyramid.weights == {"sank": 3, "saved": 3, "dawn": 2}
    assert built.pyramid.mean_scus == 8 / 3
    assert built.docset.summaries == ("one", "two", "three")


def test_an_scu_without_label_or_contributors_is_there(ferry):
    bob = codings_of(models_of(ferry))["bob"]
    send(bob, says(contributor(bob.text, "The ferry sank"), "x"), change("describe", scu="y", label="Y"))
    built = read(ferry.project).own[1]
    assert built.labels == {"x": "(x)", "y": "Y"}
    assert built.pyramid.weights == {"x": 1, "y": 0}


def test_a_peer_is_counted_as_it_was_marked(ferry, alice):
    coding = held_by(ferry, alice)
    text = coding.text
    assert [one.begun for one in read(ferry.project).held] == [False]
    send(
        coding,
        says(contributor(text, "a ferry sank"), "sank"),
        says(contributor(text, "It sank"), "sank"),
        says(contributor(text, "Prices rose")),
    )
    [held] = read(ferry.project).held
    assert (held.counts, held.outside, held.astray, held.begun) == ({"sank": 2}, 1, 0, True)
    assert (held.peer.slug, held.peer.system, held.coder, held.handed_in) == ("peer-1", "A", "alice", False)


def test_a_mark_of_an_scu_that_has_gone_is_counted_apart(ferry, alice):
    coding = held_by(ferry, alice)
    send(coding, says(contributor(coding.text, "Dawn"), "dawn"), says(contributor(coding.text, "It sank"), "sank"))
    pyramid = codings_of(models_of(ferry))["alice"]
    actions.reopen(pyramid, alice)
    for words in ("at dawn", "At dawn"):
        send(pyramid, change("unmark", markable=contributor(pyramid.text, words)))
    send(pyramid, change("describe", scu="dawn"))
    [held] = read(ferry.project).held
    assert (held.counts, held.outside, held.astray) == ({"sank": 1}, 0, 1)


def test_a_peer_is_held_against_the_own_or_the_agreed_pyramid(ferry, alice, bob, mallory):
    held_by(ferry, alice)
    actions.add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    agreed = docsets.start_agreed(ferry, mallory, codings_of(models_of(ferry))["alice"])
    agreed.refresh_from_db()
    actions.submit(agreed, mallory)
    actions.submit(codings_of(models_of(ferry))["bob"], bob)  # who is at work does not see the agreed one
    held_by(ferry, bob, slug="peer-2", agreed=True)
    found = read(ferry.project)
    assert [(one.peer.slug, one.against.coder, one.against.agreed) for one in found.held] == [
        ("peer-1", "alice", False),
        ("peer-2", "mallory", True),
    ]
    assert len(found.own) == 1
    assert found.n_peers == 2


def test_the_words_of_scus_are_places_among_those_of_the_summaries(ferry):
    [built] = read(ferry.project).own
    words, content = words_and_content(built.docset)
    found = {
        key: " ".join(content[slice(*words[at])] for at in sorted(of)) for key, of in built.words_of(words).items()
    }
    assert found["dawn"] == "at dawn At dawn"
    assert found["sank"] == "The ferry sank a ferry went down the ferry sank"


def test_all_is_read_in_six_queries_whatever_there_is(ferry, alice, bob):
    for number in range(3):
        held_by(ferry, alice, slug=f"peer-{number}")
    with CaptureQueriesContext(connection) as queries:
        read(ferry.project)
    assert len(queries) == 6
    other = docsets.create_docset(ferry.project, "other", "Other", [("a", "One two."), ("b", "Three.")])
    actions.assign(ferry.project, [models_of(other)], [alice, bob])
    with CaptureQueriesContext(connection) as queries:
        assert [one.docset.slug for one in read(ferry.project).own] == ["sinking"]
        assert read(ferry.project, "other").own == []
    assert len(queries) == 12
