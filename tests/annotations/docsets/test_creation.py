import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from django.core.exceptions import ValidationError
from django.db import connections

from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import judgements_of
from annotations.coding.pyramids import scus
from annotations.coding.state import coding_state
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets import agreed_pyramid, creation
from annotations.docsets.agreed_pyramid import fill_coding, reassign_agreed_pyramid, start_agreed_pyramid
from annotations.docsets.creation import _create_words, add_named_peer, add_peer, create_docset, create_docset_from_text
from annotations.formats.syntax.headers import find_summaries
from annotations.models import Coding, Docset, Level, Markable, Membership, Text
from annotations.planning.work.assignments import assign_docset, assign_peers
from annotations.projects.people.members import add_member, remove_membership
from tests.shared.coding import change
from tests.shared.growth import assert_grows_with_input
from tests.shared.projects import make_project, person
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

SINKING = {
    "sank": ["The ferry sank", "a ferry went down", "the ferry sank"],
    "saved": ["Forty people were rescued", "Boats saved forty people", "Forty were rescued"],
    "dawn": ["at dawn", "At dawn"],
}


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    return docset(project, alice, bob)


@pytest.fixture
def models(ferry) -> Text:
    return models_of(ferry)


@pytest.fixture
def pyramid(models) -> Coding:
    return codings_of(models)["alice"]


def refusal(coding: Coding, *changes: operations.Change) -> tuple[str, int | None]:
    before = judgements_of(coding)
    with pytest.raises(OperationRejected) as refused:
        send(coding, *changes)
    assert judgements_of(coding) == before
    return refused.value.code, refused.value.position


def test_docset_stores_summaries_as_segments_of_one_text(models):
    stretches = models.segments.order_by("start").values_list("label", "start", "end")
    assert [(label, models.content[start:end]) for label, start, end in stretches] == list(SUMMARIES)


def test_words_of_summaries_are_markables_without_headers(models):
    words = [models.content[start:end] for ((start, end),) in models.markables.values_list("parts", flat=True)]
    assert len(words) == 9 + 10 + 7
    assert words[:3] == ["The", "ferry", "sank"]


@pytest.mark.parametrize(
    ("summaries", "message"),
    [
        ([("one", "A ferry.")], "two or more model summaries"),
        ([("one", "A ferry."), ("One ", "It sank.")], "same name"),
        ([("one", "A ferry."), ("two", " ... ")], "no words"),
    ],
)
def test_invalid_docset_is_refused_and_creates_nothing(db, summaries, message):
    project = pyramid_project()
    with pytest.raises(ValidationError, match=message):
        create_docset(project, "x", "X", summaries)
    assert not Docset.objects.exists()
    assert not Text.objects.exists()


def test_only_pyramid_projects_have_docsets(db):
    with pytest.raises(ValidationError, match="content units"):
        create_docset(make_project(), "x", "X", SUMMARIES)


def test_contributors_determine_scus_and_weights(pyramid):
    build(pyramid, SINKING)
    weights = {scu.key: (scu.weight, scu.label) for scu in scus.weighted_scus(pyramid)}
    assert weights == {"sank": (3, "Sank"), "saved": (3, "Saved"), "dawn": (2, "Dawn")}
    assert scus.weighted_scus(pyramid)[-1].contributors == ("at dawn", "At dawn")


def test_description_is_set_changed_and_removed(pyramid):
    send(pyramid, change("describe", scu="s", label="It sank", comment="why?"))
    assert scus.scu_descriptions(pyramid) == {"s": {"label": "It sank", "comment": "why?"}}
    send(pyramid, change("describe", scu="s", label="It went down"))
    assert scus.scu_descriptions(pyramid) == {"s": {"label": "It went down", "comment": ""}}
    send(pyramid, change("describe", scu="s"))
    assert scus.scu_keys(pyramid) == set()


def test_scus_need_no_description(pyramid, models):
    send(pyramid, says(contributor(models, "The ferry sank"), "s"))
    [scu] = scus.weighted_scus(pyramid)
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
def test_invalid_descriptions_are_refused(pyramid, payload, code):
    assert refusal(pyramid, change("describe", **payload)) == (code, 0)


def test_discontinuous_contributor_counts_once(pyramid, models):
    send(pyramid, says(contributor(models, "The ferry", "at dawn"), "s"))
    [scu] = scus.weighted_scus(pyramid)
    assert (scu.weight, scu.contributors) == (1, ("The ferry … at dawn",))


@pytest.mark.parametrize(
    ("sent", "code", "position"),
    [
        ([(["The ferry"], "s"), (["at dawn"], "s")], "second_contributor", 1),
        ([(["The ferry", "a ferry went"], "s")], "across_summaries", 0),
        ([(["The ferry sank"], "s"), (["ferry sank at"], "t")], "words_taken", 1),
        ([(["The ferry sank"], "st")], "several_scus", 0),
        ([(["The ferry"], "")], "not_in_pyramid", 0),
    ],
)
def test_invalid_contributors_are_refused_with_position(pyramid, models, sent, code, position):
    changes = [says(contributor(models, *words), *scus_) for words, scus_ in sent]
    assert refusal(pyramid, *changes) == (code, position)


def test_project_may_let_scus_share_words(alice, charlie):
    made = docset(pyramid_project("free", words_exclusive=False, one_contributor=False), alice)
    text = models_of(made)
    [coding] = text.codings.of_people()
    send(coding, says(contributor(text, "The ferry sank"), "s", "t"), says(contributor(text, "ferry sank at"), "t"))
    assert {scu.key: scu.weight for scu in scus.weighted_scus(coding)} == {"s": 1, "t": 1}


def test_earlier_violations_do_not_block_new_contributors(pyramid, models):
    """The manager made words exclusive after some were shared."""
    project = models.project
    project.words_exclusive = False
    project.save()
    send(pyramid, says(contributor(models, "The ferry sank"), "s"), says(contributor(models, "ferry sank at"), "t"))
    project.words_exclusive = True
    project.save()
    send(pyramid, says(contributor(models, "Boats saved"), "u"))
    assert refusal(pyramid, says(contributor(models, "The ferry sank"), "v")) == ("words_taken", 0)


@pytest.fixture
def peer(ferry, pyramid) -> Coding:
    build(pyramid, SINKING)
    text = add_peer(ferry, "peer-1", "Peer 1", "Dawn: a ferry sank. Prices rose.", system="A")
    assign_peers(ferry, [text], [pyramid.coder], agreed=False)
    return text.codings.of_people().select_related("coder", "text").get()


def test_peer_is_scored_by_own_pyramid_of_coder(peer, pyramid):
    assert scus.pyramid_of_peer(peer) == pyramid
    send(peer, says(contributor(peer.text, "a ferry sank"), "sank"), says(contributor(peer.text, "Prices rose")))
    assert refusal(peer, says(contributor(peer.text, "Dawn"), "ghost")) == ("unknown_scu", 0)
    assert refusal(peer, change("describe", scu="new", label="New")) == ("no_pyramid", 0)


def test_peer_does_not_see_pyramids_of_other_coders(peer, models, bob):
    build(codings_of(models)["bob"], {"bobs": ["Boats saved"]})
    assert refusal(peer, says(contributor(peer.text, "Dawn"), "bobs")) == ("unknown_scu", 0)
    assert "bobs" not in str(coding_state(peer, models.project))


def test_agreed_pyramid_is_required_for_agreed_peers(ferry, peer, pyramid, bob):
    with pytest.raises(ValidationError, match="agreed pyramid"):
        assign_peers(ferry, [peer.text], [bob], agreed=True)


def test_agreed_pyramid_starts_as_copy_of_submitted_pyramid(ferry, pyramid, models, mallory, bob):
    build(pyramid, SINKING)
    with pytest.raises(ValidationError, match="not an adjudicator"):
        start_agreed_pyramid(ferry, bob, pyramid)
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    with pytest.raises(ValidationError, match="not submitted"):
        start_agreed_pyramid(ferry, mallory, codings_of(models)["bob"])
    agreed = start_agreed_pyramid(ferry, mallory, pyramid)
    assert judgements_of(agreed) == judgements_of(pyramid)
    assert scus.weighted_scus(agreed) == scus.weighted_scus(pyramid)
    assert (agreed.status, agreed.version) == ("open", 1)
    with pytest.raises(ValidationError, match="already"):
        start_agreed_pyramid(ferry, mallory, pyramid)
    send(agreed, change("describe", scu="sank", label="Otherwise"))
    assert scus.scu_descriptions(pyramid)["sank"]["label"] == "Sank"


def test_coder_does_not_see_pyramids_of_others(pyramid, models):
    build(codings_of(models)["bob"], SINKING)
    state = coding_state(pyramid, models.project)
    assert (state["markables"], state["judgements"], state["pyramid"]["scus"]) == ([], {}, {})
    assert len(state["pyramid"]["words"]) == Markable.objects.filter(text=models, predefined=True).count()


@pytest.mark.parametrize(
    "content",
    [
        f"First part.\n{'-' * 72}\nSecond part.",
        "First part.\n--- not a header\nSecond part.",
        f"{'-' * 250} dashes, and more.\n---1--- is no header.\n{'-' * 60} x",
        "word " * 41_000 + "\n--- not a header\nmore",
        f"Dashes: {'-' * 40_000}\n--- not a header",
    ],
    ids=["a ruler", "like a header", "long rulers and a number", "more than 200,000 characters", "40,000 dashes"],
)
def test_dashes_do_not_split_summary(db, content):
    made = create_docset(pyramid_project(), "x", "X", [("one", f" {content}\n"), ("two", "It sank.")])
    text = models_of(made)
    stretches = list(text.segments.order_by("start").values_list("label", "start", "end"))
    found = [(label, text.content[start:end]) for label, start, end in stretches]
    assert found == [("one", content), ("two", "It sank.")]
    if len(text.content) <= 200_000:
        found, wrong = find_summaries(text.content, made.boundary)
        assert [(summary.name, summary.start, summary.end) for summary in found] == stretches
        assert not wrong


def test_creating_summary_of_dashes_takes_linear_time(db):
    project, slugs = pyramid_project(), (f"x{number}" for number in count())

    def make(n):
        summaries = [("one", f"Dashes: {'-' * n}\n--- not a header"), ("two", "It sank.")]
        create_docset(project, next(slugs), "X", summaries)

    assert_grows_with_input(make, 160_000)


def test_docset_from_text_needs_two_summaries(db):
    with pytest.raises(ValidationError, match="two or more model summaries"):
        create_docset_from_text(pyramid_project(), "x", "X", "It sank.", "", find_summaries("It sank.", "")[0])
    assert not Docset.objects.exists()


def test_duplicate_long_peer_name_is_shortened(ferry):
    other = create_docset(ferry.project, "other", "Other", SUMMARIES)
    add_named_peer(ferry, "n" * 100, "It sank.")
    assert add_named_peer(other, "n" * 100, "It sank.").slug == f"other-{'n' * 94}"
    with pytest.raises(ValidationError, match="already"):
        add_named_peer(other, "n" * 100, "It sank.")


def test_peer_needs_only_level_of_words(ferry):
    Level.objects.create(project=ferry.project, key="aside", label="aside", coded=False)
    peer = add_peer(ferry, "p", "P", "It sank.")
    assert set(peer.markables.values_list("level__key", flat=True)) == {"word"}
    change_rows(Level.objects.filter(project=ferry.project, key="word"), key="token")
    with pytest.raises(ValidationError, match="no longer has the level 'word'"):
        add_peer(ferry, "q", "Q", "It sank.")


@pytest.fixture
def agreed(ferry, pyramid, mallory) -> Coding:
    """Make the agreed pyramid and submit it; Bob has submitted no pyramid."""
    build(pyramid, SINKING)
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    made = start_agreed_pyramid(ferry, mallory, pyramid)
    submit_coding(made, mallory)
    made.refresh_from_db()
    return made


def test_coders_of_pyramid_get_no_peers_of_agreed_pyramid(ferry, agreed, models, alice, bob):
    text = add_peer(ferry, "p", "P", "A ferry sank.")
    with pytest.raises(ValidationError, match=r"not submitted by bob\."):
        assign_peers(ferry, [text], [alice, bob], agreed=True)
    carol = person("carol")
    add_member(ferry.project, carol, Membership.Role.CODER)
    with pytest.raises(ValidationError, match="carol"):
        assign_docset(ferry, [carol], pyramid=True, peers=[text], agreed=True)
    assert not text.codings.of_people().exists()
    assert not models.codings.of_people().filter(coder=carol).exists()
    build(codings_of(models)["bob"], {"b": ["Boats saved"]})
    assert assign_peers(ferry, [text], [alice, bob], agreed=True) == 2
    assert assign_peers(ferry, [text], [alice, bob], agreed=True) == 0


def test_reopened_agreed_pyramid_is_hidden_and_marks_stay(ferry, agreed, models, alice):
    text = add_peer(ferry, "p", "P", "A ferry sank at dawn. Prices rose.")
    assign_peers(ferry, [text], [alice], agreed=True)
    coding = text.codings.of_people().select_related("coder", "text").get()
    sank = contributor(text, "A ferry sank")
    send(coding, says(sank, "sank"), says(contributor(text, "Prices rose")))
    shown = coding_state(coding, ferry.project)["pyramid"]["against"]
    assert {scu["key"] for scu in shown["scus"]} == set(SINKING)
    reopen_coding(agreed, agreed.coder)
    send(agreed, change("describe", scu="sank", label="Live"), change("describe", scu="late", label="Late"))
    coding.refresh_from_db()
    state = coding_state(coding, ferry.project)
    assert state["pyramid"]["against"] is None
    assert "Live" not in str(state)
    assert state["judgements"][sank]["indices"] == ["sank"]
    send(coding, says(sank, "sank", note="sure?"))
    send(coding, change("unmark", markable=sank))
    send(coding, says(sank, "sank"))
    for key in ("saved", "late", "ghost"):  # what it has now is not told
        assert refusal(coding, says(contributor(text, "at dawn"), key)) == ("unknown_scu", 0)
    submit_coding(agreed, agreed.coder)
    assert coding_state(coding, ferry.project)["pyramid"]["against"]["handed_in"]
    send(coding, says(contributor(text, "at dawn"), "saved"))


def test_agreed_pyramid_is_reassigned_to_adjudicator(ferry, agreed, mallory, alice):
    eve = person("eve")
    add_member(ferry.project, eve, Membership.Role.ADJUDICATOR)
    for somebody, why in ((alice, "not an adjudicator"), (mallory, "already")):
        with pytest.raises(ValidationError, match=why):
            reassign_agreed_pyramid(ferry, somebody)
    remove_membership(Membership.objects.get(project=ferry.project, user=mallory))
    handed = reassign_agreed_pyramid(ferry, eve)
    assert (handed, handed.coder) == (agreed, eve)
    assert scus.weighted_scus(handed) == scus.weighted_scus(agreed)
    reopen_coding(handed, eve)
    send(Coding.objects.of_people().get(pk=agreed.pk), change("describe", scu="sank", label="Hers"))
    agreed.delete()
    with pytest.raises(ValidationError, match="agreed pyramid"):
        reassign_agreed_pyramid(ferry, eve)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["docset", "peer", "named peer", "agreed"])
def test_concurrent_requests_create_once(ferry, pyramid, mallory, monkeypatch, what):
    build(pyramid, SINKING)
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    do = {
        "docset": lambda: create_docset(ferry.project, "new", "New", SUMMARIES),
        "peer": lambda: add_peer(ferry, "p", "P", "It sank."),
        "named peer": lambda: add_named_peer(ferry, "P", "It sank."),
        "agreed": lambda: start_agreed_pyramid(ferry, mallory, pyramid),
    }[what]

    def slowly(done):
        def act(*args, **kwargs):
            made = done(*args, **kwargs)
            time.sleep(0.5)  # the other one comes while this one is not yet to be seen
            return made

        return act

    monkeypatch.setattr(creation, "_create_words", slowly(_create_words))
    monkeypatch.setattr(agreed_pyramid, "fill_coding", slowly(fill_coding))

    def ask() -> str:
        try:
            do()
        except ValidationError:
            return "refused"
        finally:
            connections.close_all()
        return "made"

    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ask) for _ in range(2)]
        assert sorted(future.result() for future in asked) == ["made", "refused"]


def test_coder_with_reopened_pyramid_does_not_see_agreed_pyramid(ferry, pyramid, models, mallory, bob):
    """Bob gets peers of the agreed pyramid, then reopens his own."""
    build(pyramid, SINKING)
    build(codings_of(models)["bob"], {"bobs": ["Boats saved"]})
    add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    submit_coding(start_agreed_pyramid(ferry, mallory, pyramid), mallory)
    text = add_peer(ferry, "peer-2", "Peer 2", "A ferry sank.")
    assign_peers(ferry, [text], [bob], agreed=True)
    peer = text.codings.of_people().select_related("coder", "text").get()
    assert scus.visible_pyramid_of_peer(peer) is not None
    reopen_coding(codings_of(models)["bob"], bob)
    assert scus.visible_pyramid_of_peer(peer) is None
    assert "Sank" not in str(coding_state(peer, models.project))
