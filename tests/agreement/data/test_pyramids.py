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


def add_assigned_peer(ferry, coder, *, slug="peer-1", agreed=False) -> Coding:
    text = add_peer(ferry, slug, slug.title(), "Dawn: a ferry sank. Prices rose. It sank.", system="A")
    assign_peers(ferry, [text], [coder], agreed=agreed)
    return text.codings.of_people().select_related("coder", "text").get(coder=coder)


def test_pyramid_has_scus_with_labels_and_weights(ferry):
    [built] = read_pyramids(ferry.project).own
    assert (built.coder, built.submitted, built.agreed) == ("alice", True, False)
    assert built.labels == {"sank": "Sank", "dawn": "Dawn", "saved": "Saved"}
    assert built.pyramid.weights == {"sank": 3, "saved": 3, "dawn": 2}
    assert built.pyramid.mean_scus == 8 / 3
    assert built.docset.summaries == ("one", "two", "three")


def test_scu_without_label_or_contributors_is_read(ferry):
    bob = codings_of(models_of(ferry))["bob"]
    send(bob, says(contributor(bob.text, "The ferry sank"), "x"), change("describe", scu="y", label="Y"))
    built = read_pyramids(ferry.project).own[1]
    assert built.labels == {"x": "(x)", "y": "Y"}
    assert built.pyramid.weights == {"x": 1, "y": 0}


def test_peer_marks_are_counted_by_scu(ferry, alice):
    coding = add_assigned_peer(ferry, alice)
    text = coding.text
    assert [marks.started for marks in read_pyramids(ferry.project).peer_marks] == [False]
    send(
        coding,
        says(contributor(text, "a ferry sank"), "sank"),
        says(contributor(text, "It sank"), "sank"),
        says(contributor(text, "Prices rose")),
    )
    [marks] = read_pyramids(ferry.project).peer_marks
    assert (marks.counts, marks.n_outside, marks.n_orphaned, marks.started) == ({"sank": 2}, 1, 0, True)
    assert (marks.peer.slug, marks.peer.system, marks.coder, marks.submitted) == ("peer-1", "A", "alice", False)


def test_marks_of_deleted_scu_are_counted_separately(ferry, alice):
    coding = add_assigned_peer(ferry, alice)
    send(coding, says(contributor(coding.text, "Dawn"), "dawn"), says(contributor(coding.text, "It sank"), "sank"))
    pyramid = codings_of(models_of(ferry))["alice"]
    reopen_coding(pyramid, alice)
    for words in ("at dawn", "At dawn"):
        send(pyramid, change("unmark", markable=contributor(pyramid.text, words)))
    send(pyramid, change("describe", scu="dawn"))
    [marks] = read_pyramids(ferry.project).peer_marks
    assert (marks.counts, marks.n_outside, marks.n_orphaned) == ({"sank": 1}, 0, 1)


def test_peer_refers_to_pyramid_of_coder_or_agreed_pyramid(ferry, alice, bob, mallory):
    add_assigned_peer(ferry, alice)
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    agreed = start_agreed_pyramid(ferry, mallory, codings_of(models_of(ferry))["alice"])
    agreed.refresh_from_db()
    submit_coding(agreed, mallory)
    submit_coding(codings_of(models_of(ferry))["bob"], bob)  # who is at work does not see the agreed one
    add_assigned_peer(ferry, bob, slug="peer-2", agreed=True)
    found = read_pyramids(ferry.project)
    assert [(marks.peer.slug, marks.reference.coder, marks.reference.agreed) for marks in found.peer_marks] == [
        ("peer-1", "alice", False),
        ("peer-2", "mallory", True),
    ]
    assert len(found.own) == 1
    assert found.n_peers == 2


def test_words_of_scus_are_positions_in_summaries(ferry):
    [built] = read_pyramids(ferry.project).own
    words, content = read_summary_words(built.docset)
    found = {
        key: " ".join(content[slice(*words[at])] for at in sorted(of)) for key, of in built.word_places(words).items()
    }
    assert found["dawn"] == "at dawn At dawn"
    assert found["sank"] == "The ferry sank a ferry went down the ferry sank"


def test_pyramids_are_read_in_six_queries(ferry, alice, bob):
    for number in range(3):
        add_assigned_peer(ferry, alice, slug=f"peer-{number}")
    with CaptureQueriesContext(connection) as queries:
        read_pyramids(ferry.project)
    assert len(queries) == 6
    other = create_docset(ferry.project, "other", "Other", [("a", "One two."), ("b", "Three.")])
    assign_texts(ferry.project, [models_of(other)], [alice, bob])
    with CaptureQueriesContext(connection) as queries:
        assert [built.docset.slug for built in read_pyramids(ferry.project).own] == ["sinking"]
        assert read_pyramids(ferry.project, "other").own == []
    assert len(queries) == 12
