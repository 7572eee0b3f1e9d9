"""Decisions on agreed pyramids: source and reason, further drafts, and later changes by coders."""

import csv
import io
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotations.adjudication.decisions.listing import gold_decisions
from annotations.adjudication.decisions.log import GoldLog
from annotations.adjudication.drafts import DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.proposal import Item, Method
from annotations.adjudication.redrafts import PyramidRedraft
from annotations.adjudication.states import State, gold_states
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.log.replay import log_mismatches
from annotations.coding.operations import Change
from annotations.coding.pyramids.pyramid_rules import held_words, pyramid_violations
from annotations.coding.pyramids.scus import contributors_of, scu_descriptions
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats.model.keys import split_key
from annotations.models import Coding, Membership, User
from annotations.projects.people.members import add_member
from annotations.projects.rounds import rounds_of
from annotations.transfers.archiving import archive_project, restore_project
from tests.annotations.adjudication.pyramids import test_proposals_of_pyramids as proposals
from tests.annotations.adjudication.pyramids.conftest import BOATS, agreed_of, draft, send
from tests.annotations.adjudication.pyramids.test_proposals_of_pyramids import METHODS, OPTIONS, SPANS, WORDS
from tests.shared.cases import examples
from tests.shared.pyramids import codings_of, contributor, models_of, says


def decide(agreed: Coding, key: str, *changes: Change, step: UUID | None = None, **said: object) -> UUID:
    """Decide a contributor and apply the operations of its answer as one step."""
    step = step or uuid4()
    agreed.refresh_from_db()
    payload = {"items": [[key, "category"]], "source": "own"} | said
    carried = [Change(uuid4(), change.kind, change.payload, step=step) for change in changes]
    operations.apply(agreed, agreed.coder, agreed.version, [*carried, Change(uuid4(), "decide", payload, step=step)])
    return step


def decision_rows(agreed: Coding) -> list[tuple[str, str, str, bool]]:
    found = gold_decisions([agreed])[agreed.pk]
    return [(row.item.markable, str(row.source), str(row.reason), row.changed) for row in found]


def uuid_of(name: str) -> str:
    coding = Coding.objects.of_people().get(kind="pyramid", coder__username=name)
    return str(coding.operations.get(sequence=coding.version).uuid)


def test_decision_stores_source_and_reason_until_undone(ferry):
    agreed = draft(ferry)
    boats = contributor(agreed.text, *BOATS["boats"])
    assert [item.item.markable for item in gold_states([agreed])[0].contested] == [boats]
    said = {"source": "coder", "codings": [uuid_of("bob")], "reason": "guideline", "section": "Boats"}
    step = decide(agreed, boats, says(boats, "BOATS"), **said)
    assert decision_rows(agreed) == [(boats, "coder", "guideline", False)]
    assert gold_states([agreed])[0].state is State.DECIDED
    undo = {"items": [[boats, "category"]], **said}
    send(agreed, "decide", undo, step=(back := uuid4()), undoes=step)
    send(agreed, "unmark", {"markable": boats}, step=back, undoes=step)
    assert decision_rows(agreed) == []
    assert gold_states([agreed])[0].n_open == 1
    assert list(log_mismatches(agreed_of(ferry))) == []


def test_move_of_contributor_replaces_its_decision(ferry):
    agreed = draft(ferry, Method.CODER, coder="bob")
    boats, fewer = contributor(agreed.text, *BOATS["boats"]), contributor(agreed.text, "saved forty people")
    decide(agreed, boats, source="draft", reason="slip")
    assert decision_rows(agreed) == [(boats, "draft", "slip", False)]
    send(agreed, "move", {"markable": boats, "to": fewer})
    assert decision_rows(agreed) == [(fewer, "own", "", False)]
    decide(agreed, fewer, reason="scheme")
    assert decision_rows(agreed) == [(fewer, "own", "scheme", False)]


@pytest.mark.parametrize(
    ("items", "code"),
    [([["contributor:0-999", "category"]], "bad_markable"), ([["contributor:0-3", "gender"]], "unknown_question")],
)
def test_decision_on_unknown_item_is_refused(ferry, items, code):
    agreed = draft(ferry)
    with pytest.raises(OperationRejected) as refused:
        send(agreed, "decide", {"items": items, "source": "own"})
    assert refused.value.code == code


def test_decision_on_coders_pyramid_is_refused(ferry):
    coding = codings_of(models_of(ferry))["alice"]
    Coding.objects.of_people().filter(pk=coding.pk).update(status="open")
    with pytest.raises(OperationRejected, match="Only on gold and agreed pyramids"):
        send(coding, "decide", {"items": [["contributor:0-3", "category"]], "source": "own"})


def test_decision_is_flagged_when_coder_submits_changed_words(ferry, charlie):
    agreed = draft(ferry)
    text = agreed.text
    boats, fewer = contributor(text, *BOATS["boats"]), contributor(text, "saved forty people")
    decide(agreed, boats, says(boats, "BOATS"), source="coder", codings=[uuid_of("bob")])
    bob = codings_of(models_of(ferry))["bob"]
    reopen_coding(bob, charlie)
    send(bob, "move", {"markable": boats, "to": fewer})
    assert decision_rows(agreed) == [(boats, "coder", "", False)]  # it is open, and says nothing until it is submitted
    bob.refresh_from_db()
    submit_coding(bob, bob.coder)
    assert decision_rows(agreed) == [(boats, "coder", "", True)]
    [row] = gold_of_rounds(ferry.project, rounds_of(ferry.project))
    assert row.changed == 2


def test_second_draft_keeps_decisions_and_updates_other_contributors(ferry, charlie, signed_in):
    agreed = draft(ferry)
    text = agreed.text
    boats, ferry_sank = contributor(text, *BOATS["boats"]), contributor(text, "ferry sank")
    dawn = contributor(text, "at dawn")
    decide(agreed, boats, says(boats, "BOATS"), source="coder", codings=[uuid_of("bob")], reason="slip")
    decide(agreed, dawn, Change(uuid4(), "unmark", {"markable": dawn}), reason="scheme")
    send(agreed, "describe", {"scu": "BOATS", "label": "Forty were saved", "comment": "By boats."})
    for name in ("alice", "bob"):
        coding = codings_of(text)[name]
        reopen_coding(coding, charlie)
        send(coding, "judge", says(ferry_sank, f"sank of {name}").payload)
        coding.refresh_from_db()
        submit_coding(coding, coding.coder)
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    add_member(ferry.project, User.objects.create_user("eve"), Membership.Role.ADJUDICATOR)
    reply = signed_in(charlie).post(
        "/api/v1/projects/ferry/gold/", {"method": "most", "again": True}, content_type="application/json"
    )
    assert reply.json() == {"drafted": ["sinking"], "begun": []}
    agreed = agreed_of(ferry)
    assert agreed.coder.username == "adam"  # it stays in the same hands, though there is another adjudicator now
    keys = {unit.key: unit.scus for unit in contributors_of(agreed)}
    assert keys.keys() == {contributor(text, "At dawn"), boats, ferry_sank}
    assert keys[boats] == ("BOATS",)
    assert scu_descriptions(agreed)["BOATS"] == {"label": "Forty were saved", "comment": "By boats."}
    assert [decision[:3] for decision in decision_rows(agreed)] == [(dawn, "own", "scheme"), (boats, "coder", "slip")]
    assert list(log_mismatches(agreed)) == []
    report = draft_gold(ferry.project, DraftRequest(Method.MOST, again=True))
    assert report.drafted == ["sinking"]
    submit_coding(agreed_of(ferry), agreed.coder)
    report = draft_gold(ferry.project, DraftRequest(Method.MOST, again=True))
    assert str(report).endswith("1 docset left out, whose agreed pyramid is closed or came from a file")


@examples(40)
@given(st.data(), st.sampled_from(METHODS), st.sampled_from(OPTIONS))
def test_random_redraft_keeps_decisions_and_pyramid_rules(data, method, options):
    """Touched contributors stay; those without words in common with them are drafted from the coders' pyramids."""
    codings = [data.draw(proposals.pyramids(options, f"-{n}")) for n in range(3)]
    agreed = data.draw(proposals.pyramids(options))
    proposal = proposals.propose(codings, options, method, 1)
    if list(pyramid_violations(agreed.contributors, options, summaries=SPANS)):
        return
    touched = set(data.draw(st.lists(st.sampled_from([unit.key for unit in agreed.contributors]), unique=True))
                  if agreed.contributors else [])  # fmt: skip
    removed = {unit.key for unit in proposal.contributors[:1]} - {unit.key for unit in agreed.contributors}
    log = GoldLog(touched=touched | removed)
    found = PyramidRedraft(proposal, log, agreed, proposals.summaries(options)).proposal()
    by_key = {unit.key: unit for unit in found.contributors}
    for unit in agreed.contributors:
        if unit.key in touched:
            assert by_key[unit.key] == unit
    assert not removed & by_key.keys()
    assert list(pyramid_violations(found.contributors, options, summaries=SPANS)) == []
    named = {scu.scu: scu.label for scu in found.descriptions}
    assert {scu for unit in found.contributors for scu in unit.scus} <= named.keys()
    assert all(named[scu] == note.label for scu, note in agreed.descriptions.items() if scu in named)

    def words(key: str) -> set[int]:
        place = split_key(key)
        assert place is not None
        return set(held_words(WORDS, place.parts))

    places = [words(key) for key in touched | removed]
    for unit in proposal.contributors:
        if not any(words(unit.key) & place for place in places) and not options.one_contributor:
            assert unit.key in by_key  # nothing decided is near it
            contested = Item(unit.key, "category") in proposal.contested
            assert (Item(unit.key, "category") in found.contested) == contested


def test_page_api_command_and_files_list_decisions(ferry, charlie, signed_in, tmp_path):
    agreed = draft(ferry)
    boats = contributor(agreed.text, *BOATS["boats"])
    said = {"source": "coder", "codings": [uuid_of("bob")], "reason": "guideline", "section": "Boats", "note": "See 3."}
    decide(agreed, boats, says(boats, "BOATS"), **said)
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    [listed] = client.get("/api/v1/projects/ferry/gold/decisions/").json()["results"]
    expected = {"text": "sinking", "markable": boats, "words": "Boats saved forty people", "coders": ["bob"]}
    expected |= {"reason": "guideline", "section": "Boats", "note": "See 3."}
    assert {name: listed[name] for name in expected} == expected
    page = client.get("/projects/ferry/gold/decisions/?reason=guideline").content.decode()
    assert "Boats saved forty people" in page
    assert "See 3." in page
    rows = list(csv.DictReader(io.StringIO(client.get("/projects/ferry/gold/decisions/file/").content.decode())))
    assert [row["markable"] for row in rows] == [boats]
    call_command("export_decisions", "ferry", str(tmp_path / "decisions.json"), format="json")
    assert boats in (tmp_path / "decisions.json").read_text()
    adam = signed_in(User.objects.get(username="adam"))
    page = adam.get("/projects/ferry/gold/decisions/").content.decode()
    assert 'href="/projects/ferry/texts/sinking/agreed/code/"' in page
    assert 'href="/projects/ferry/docsets/sinking/"' in page
    letters = adam.get("/api/v1/projects/ferry/gold/decisions/").json()
    assert letters["results"][0]["coders"] in (["Coder A"], ["Coder B"])  # in an order of the project
    assert letters["results"][0]["decided_by"] is None


def test_archive_restores_decisions(ferry):
    agreed = draft(ferry)
    boats = contributor(agreed.text, *BOATS["boats"])
    decide(agreed, boats, says(boats, "BOATS"), source="coder", codings=[uuid_of("bob")], reason="slip")
    out = io.BytesIO()
    archive_project(ferry.project, out)
    copy = restore_project(out.getvalue(), slug="copy").project
    restored = Coding.objects.of_people().get(text__project=copy, kind="agreed")
    assert decision_rows(restored) == decision_rows(agreed) == [(boats, "coder", "slip", False)]
    assert list(log_mismatches(restored)) == []
