"""Docsets, pyramids and peers: what is written, and what is refused."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import connections

from annotations import actions, docsets, operations, scus
from annotations.coding_state import coding_state
from annotations.decisions import Refused
from annotations.docset_forms import assign
from annotations.formats.pyramid import summaries_of
from annotations.models import Coding, Docset, Level, Markable, Membership, Text
from tests.conftest import change, make_project, person
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
def test_a_summary_stays_one_summary_whatever_dashes_it_has(db, content):
    start = time.perf_counter()
    made = docsets.create_docset(pyramid_project(), "x", "X", [("one", f" {content}\n"), ("two", "It sank.")])
    text = models_of(made)
    stretches = list(text.segments.order_by("start").values_list("label", "start", "end"))
    assert [(label, text.content[start:end]) for label, start, end in stretches] == [
        ("one", content),
        ("two", "It sank."),
    ]
    assert time.perf_counter() - start < 60
    if len(text.content) <= 200_000:
        found, wrong = summaries_of(text.content, made.boundary)
        assert [(one.name, one.start, one.end) for one in found] == stretches
        assert not wrong


def test_a_docset_of_one_text_too_has_two_summaries_or_more(db):
    with pytest.raises(ValidationError, match="two model summaries or more"):
        docsets.docset_of(pyramid_project(), "x", "X", "It sank.", "", summaries_of("It sank.", "")[0])
    assert not Docset.objects.exists()


def test_a_long_name_of_a_peer_is_cut_where_another_docset_has_it(ferry):
    other = docsets.create_docset(ferry.project, "other", "Other", SUMMARIES)
    docsets.add_named_peer(ferry, "n" * 100, "It sank.")
    assert docsets.add_named_peer(other, "n" * 100, "It sank.").slug == f"other-{'n' * 94}"
    with pytest.raises(ValidationError, match="already"):
        docsets.add_named_peer(other, "n" * 100, "It sank.")


def test_another_level_that_is_not_coded_changes_nothing_and_words_are_asked_for(ferry):
    Level.objects.create(project=ferry.project, key="aside", label="aside", coded=False)
    peer = docsets.add_peer(ferry, "p", "P", "It sank.")
    assert set(peer.markables.values_list("level__key", flat=True)) == {"word"}
    Level.objects.filter(project=ferry.project, key="word").update(key="token")
    with pytest.raises(ValidationError, match="no level 'word'"):
        docsets.add_peer(ferry, "q", "Q", "It sank.")


@pytest.fixture
def agreed(ferry, pyramid, mallory) -> Coding:
    """The agreed pyramid, handed in; bob has handed in none."""
    build(pyramid, SINKING)
    actions.add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    made = docsets.start_agreed(ferry, mallory, pyramid)
    actions.submit(made, mallory)
    made.refresh_from_db()
    return made


def test_who_is_at_work_on_a_pyramid_of_their_own_does_not_get_to_see_the_agreed_one(ferry, agreed, models, alice, bob):
    text = docsets.add_peer(ferry, "p", "P", "A ferry sank.")
    with pytest.raises(ValidationError, match=r"not handed in by bob\."):
        docsets.assign_peers(ferry, [text], [alice, bob], agreed=True)
    carol = person("carol")
    actions.add_member(ferry.project, carol, Membership.Role.CODER)
    with pytest.raises(ValidationError, match="carol"):
        assign(ferry, [carol], pyramid=True, peers=[text], agreed=True)
    assert not text.codings.exists()
    assert not models.codings.filter(coder=carol).exists()
    build(codings_of(models)["bob"], {"b": ["Boats saved"]})
    assert docsets.assign_peers(ferry, [text], [alice, bob], agreed=True) == 2
    assert docsets.assign_peers(ferry, [text], [alice, bob], agreed=True) == 0


def test_an_agreed_pyramid_is_shown_only_while_it_is_handed_in_and_marks_stay(ferry, agreed, models, alice):
    text = docsets.add_peer(ferry, "p", "P", "A ferry sank at dawn. Prices rose.")
    docsets.assign_peers(ferry, [text], [alice], agreed=True)
    coding = text.codings.select_related("coder", "text").get()
    sank = contributor(text, "A ferry sank")
    send(coding, says(sank, "sank"), says(contributor(text, "Prices rose")))
    shown = coding_state(coding, ferry.project)["pyramid"]["against"]
    assert {one["key"] for one in shown["scus"]} == set(SINKING)
    actions.reopen(agreed, agreed.coder)
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
    actions.submit(agreed, agreed.coder)
    assert coding_state(coding, ferry.project)["pyramid"]["against"]["handed_in"]
    send(coding, says(contributor(text, "at dawn"), "saved"))


def test_another_adjudicator_goes_on_with_the_agreed_pyramid(ferry, agreed, mallory, alice):
    eve = person("eve")
    actions.add_member(ferry.project, eve, Membership.Role.ADJUDICATOR)
    for somebody, why in ((alice, "no adjudicator"), (mallory, "already")):
        with pytest.raises(ValidationError, match=why):
            docsets.hand_agreed_to(ferry, somebody)
    actions.remove_member(Membership.objects.get(project=ferry.project, user=mallory))
    handed = docsets.hand_agreed_to(ferry, eve)
    assert (handed, handed.coder) == (agreed, eve)
    assert scus.weighed(handed) == scus.weighed(agreed)
    actions.reopen(handed, eve)
    send(Coding.objects.get(pk=agreed.pk), change("describe", scu="sank", label="Hers"))
    agreed.delete()
    with pytest.raises(ValidationError, match="no agreed pyramid"):
        docsets.hand_agreed_to(ferry, eve)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["docset", "peer", "named peer", "agreed"])
def test_what_is_asked_for_twice_at_once_is_made_once(ferry, pyramid, mallory, monkeypatch, what):
    build(pyramid, SINKING)
    actions.add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    do = {
        "docset": lambda: docsets.create_docset(ferry.project, "new", "New", SUMMARIES),
        "peer": lambda: docsets.add_peer(ferry, "p", "P", "It sank."),
        "named peer": lambda: docsets.add_named_peer(ferry, "P", "It sank."),
        "agreed": lambda: docsets.start_agreed(ferry, mallory, pyramid),
    }[what]

    def slowly(done):
        def act(*args, **kwargs):
            made = done(*args, **kwargs)
            time.sleep(0.5)  # the other one comes while this one is not yet to be seen
            return made

        return act

    monkeypatch.setattr(docsets, "_mark_words", slowly(docsets._mark_words))
    monkeypatch.setattr(docsets, "fill", slowly(docsets.fill))

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
        assert sorted(one.result() for one in asked) == ["made", "refused"]


def test_who_is_at_work_on_a_pyramid_of_their_own_does_not_see_the_agreed_one(ferry, pyramid, models, mallory, bob):
    """Whichever came first: the peers against the agreed pyramid, or the pyramid of their own."""
    build(pyramid, SINKING)
    build(codings_of(models)["bob"], {"bobs": ["Boats saved"]})
    actions.add_member(ferry.project, mallory, Membership.Role.ADJUDICATOR)
    actions.submit(docsets.start_agreed(ferry, mallory, pyramid), mallory)
    text = docsets.add_peer(ferry, "peer-2", "Peer 2", "A ferry sank.")
    docsets.assign_peers(ferry, [text], [bob], agreed=True)
    peer = text.codings.select_related("coder", "text").get()
    assert scus.pyramid_seen(peer) is not None
    actions.reopen(codings_of(models)["bob"], bob)
    assert scus.pyramid_seen(peer) is None
    assert "Sank" not in str(coding_state(peer, models.project))
