"""What is read of pyramids and peers, and what it costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agreement.data.pyramids import read_pyramids, read_summary_words
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Membership
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import change
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send

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
    text = add_peer(ferry, slug, slug.title(), "Dawn: a ferry sank. Prices rose. It sank.", system="A")
    assign_peers(ferry, [text], [coder], agreed=agreed)
    return text.codings.of_people().select_related("coder", "text").get(coder=coder)


def test_a_pyramid_has_its_scus_with_labels_and_weights(ferry):
    [built] = read_pyramids(ferry.project).own
    assert (built.coder, built.submitted, built.agreed) == ("alice", True, False)
    assert built.labels == {"sank": "Sank", "dawn": "Dawn", "saved": "Saved"}
    assert built.pyramid.weights == {"sank": 3, "saved": 3, "dawn": 2}
    assert built.pyramid.mean_scus == 8 / 3
    assert built.docset.summaries == ("one", "two", "three")


def test_an_scu_without_label_or_contributors_is_there(ferry):
    bob = codings_of(models_of(ferry))["bob"]
    send(bob, says(contributor(bob.text, "The ferry sank"), "x"), change("describe", scu="y", label="Y"))
    built = read_pyramids(ferry.project).own[1]
    assert built.labels == {"x": "(x)", "y": "Y"}
    assert built.pyramid.weights == {"x": 1, "y": 0}


def test_a_peer_is_counted_as_it_was_marked(ferry, alice):
    coding = held_by(ferry, alice)
    text = coding.text
    assert [one.started for one in read_pyramids(ferry.project).peer_marks] == [False]
    send(
        coding,
        says(contributor(text, "a ferry sank"), "sank"),
        says(contributor(text, "It sank"), "sank"),
        says(contributor(text, "Prices rose")),
    )
    [marks] = read_pyramids(ferry.project).peer_marks
    assert (marks.counts, marks.n_outside, marks.n_orphaned, marks.started) == ({"sank": 2}, 1, 0, True)
    assert (marks.peer.slug, marks.peer.system, marks.coder, marks.submitted) == ("peer-1", "A", "alice", False)


def test_a_mark_of_an_scu_that_has_gone_is_counted_apart(ferry, alice):
    coding = held_by(ferry, alice)
    send(coding, says(contributor(coding.text, "Dawn"), "dawn"), says(contributor(coding.text, "It sank"), "sank"))
    pyramid = codings_of(models_of(ferry))["alice"]
    reopen_coding(pyramid, alice)
    for words in ("at dawn", "At dawn"):
        send(pyramid, change("unmark", markable=contributor(pyramid.text, words)))
    send(pyramid, change("describe", scu="dawn"))
    [marks] = read_pyramids(ferry.project).peer_marks
    assert (marks.counts, marks.n_outside, marks.n_orphaned) == ({"sank": 1}, 0, 1)


def test_a_peer_is_held_against_the_own_or_the_agreed_pyramid(ferry, alice, bob, mallory):
    held_by(ferry, alice)
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    agreed = start_agreed_pyramid(ferry, mallory, codings_of(models_of(ferry))["alice"])
    agreed.refresh_from_db()
    submit_coding(agreed, mallory)
    submit_coding(codings_of(models_of(ferry))["bob"], bob)  # who is at work does not see the agreed one
    held_by(ferry, bob, slug="peer-2", agreed=True)
    found = read_pyramids(ferry.project)
    assert [(one.peer.slug, one.reference.coder, one.reference.agreed) for one in found.peer_marks] == [
        ("peer-1", "alice", False),
        ("peer-2", "mallory", True),
    ]
    assert len(found.own) == 1
    assert found.n_peers == 2


def test_the_words_of_scus_are_places_among_those_of_the_summaries(ferry):
    [built] = read_pyramids(ferry.project).own
    words, content = read_summary_words(built.docset)
    found = {
        key: " ".join(content[slice(*words[at])] for at in sorted(of)) for key, of in built.word_places(words).items()
    }
    assert found["dawn"] == "at dawn At dawn"
    assert found["sank"] == "The ferry sank a ferry went down the ferry sank"


def test_all_is_read_in_six_queries_whatever_there_is(ferry, alice, bob):
    for number in range(3):
        held_by(ferry, alice, slug=f"peer-{number}")
    with CaptureQueriesContext(connection) as queries:
        read_pyramids(ferry.project)
    assert len(queries) == 6
    other = create_docset(ferry.project, "other", "Other", [("a", "One two."), ("b", "Three.")])
    assign_texts(ferry.project, [models_of(other)], [alice, bob])
    with CaptureQueriesContext(connection) as queries:
        assert [one.docset.slug for one in read_pyramids(ferry.project).own] == ["sinking"]
        assert read_pyramids(ferry.project, "other").own == []
    assert len(queries) == 12
