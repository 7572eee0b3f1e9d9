"""Drafts of agreed pyramids: their operation in the log, contested items and decisions."""

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import Parameters
from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramid_queue import build_pyramid_queue
from annotations.adjudication.states import State, gold_states
from annotations.coding.decisions import OperationRejected
from annotations.coding.log.replay import log_mismatches
from annotations.coding.pyramids.scus import contributors_of, scu_descriptions, scu_numbers
from annotations.coding.status import submit_coding
from annotations.models import Coding, Docset, Membership, User
from annotations.projects.people.members import add_member
from tests.annotations.adjudication.pyramids.conftest import BOATS, DAWN, agreed_of, draft, send
from tests.shared.projects import person
from tests.shared.pyramids import codings_of, contributor, models_of
from tests.shared.schemes import change_rows


def test_draft_of_pyramids_is_one_operation_and_changes_no_figure(ferry):
    before = overall.compute_report(read_answers(ferry.project), Parameters(units="words")).result
    agreed = draft(ferry)
    [operation] = agreed.operations.all()
    assert (operation.kind, operation.user, agreed.status) == ("draft", agreed.coder, "open")
    assert agreed.coder.username == "adam"
    assert [unit.parts for unit in contributors_of(agreed)] == [unit.parts for unit in contributors_of(alice_of(ferry))]
    assert scu_descriptions(agreed) == {"AT DAWN": {"label": "At Dawn", "comment": ""}}
    assert scu_numbers(agreed) == {"AT DAWN": 1}
    bases = Coding.objects.of_people().filter(operations__uuid__in=operation.payload["codings"])
    assert sorted(bases.values_list("coder__username", flat=True)) == ["alice", "bob"]
    assert not any(name in str(operation.payload) for name in User.objects.values_list("username", flat=True))
    assert list(log_mismatches(agreed)) == []
    assert overall.compute_report(read_answers(ferry.project), Parameters(units="words")).result == before


def alice_of(made: Docset) -> Coding:
    return codings_of(models_of(made))["alice"]


def test_judging_and_moving_contributors_decides_them(ferry):
    agreed = draft(ferry, Method.EMPTY)
    text = agreed.text
    dawns, boats = [contributor(text, words) for words in DAWN["at dawn"]], contributor(text, *BOATS["boats"])
    [state] = gold_states([agreed])
    assert {item.item.markable for item in state.contested} == {*dawns, boats}
    assert (state.state, state.n_open) == (State.OPEN, 3)
    send(agreed, "judge", {"markable": boats, "category": "scu", "indices": ["new"]})
    fewer = contributor(text, "saved forty people")
    step = uuid4()
    send(agreed, "move", {"markable": boats, "to": fewer}, step=step)
    [state] = gold_states([agreed])
    assert [item.item.markable for item in state.contested if item.decided] == [fewer]
    for key in dawns:
        send(agreed, "judge", {"markable": key, "category": "scu", "indices": [f"of {key}"]})
    [state] = gold_states([agreed])
    assert state.state is State.DECIDED
    assert list(log_mismatches(agreed_of(ferry))) == []


def test_contributor_in_no_scu_is_left_to_decide(ferry):
    agreed = draft(ferry)
    boats = contributor(agreed.text, *BOATS["boats"])
    send(agreed, "judge", {"markable": boats, "category": "scu", "indices": []})
    [state] = gold_states([agreed_of(ferry)])
    assert (state.state, state.n_open) == (State.OPEN, 1)
    with pytest.raises(OperationRejected, match="Answer “SCU” for “Boats saved forty people” first"):
        submit_coding(agreed_of(ferry), agreed.coder)
    send(agreed, "unmark", {"markable": boats})
    assert gold_states([agreed_of(ferry)])[0].state is State.DECIDED


@pytest.mark.parametrize("method", [Method.MOST, Method.AGREED, Method.EMPTY])
def test_contributor_of_half_the_coders_is_undecided(ferry, method):
    agreed = draft(ferry, method)
    boats = contributor(agreed.text, *BOATS["boats"])
    rows = [row for card in build_pyramid_queue(ferry.project, agreed).cards for row in card.rows]
    assert [row.undecided for row in rows if row.units == (boats,)] == [True]  # one of two coders has it


def test_moved_contributor_is_decided_until_undone(ferry):
    agreed = draft(ferry, Method.CODER, coder="bob")
    boats, fewer = contributor(agreed.text, *BOATS["boats"]), contributor(agreed.text, "saved forty people")
    step = uuid4()
    send(agreed, "move", {"markable": boats, "to": fewer}, step=step)
    assert gold_states([agreed])[0].state is State.DECIDED
    send(agreed, "move", {"markable": fewer, "to": boats}, step=uuid4(), undoes=step)
    [state] = gold_states([agreed])
    assert [(item.item.markable, item.decided) for item in state.contested] == [(boats, False)]


def test_command_drafts_each_docset_once(ferry, capsys):
    call_command("draft_gold", "ferry", "--method=coder", "--coder=alice", "--texts=sinking", "--as=adam")
    assert "1 draft of agreed pyramids; 0 docsets left out" in capsys.readouterr().out
    call_command("draft_gold", "ferry", "--method=most")
    assert "0 drafts of agreed pyramids; 1 docset left out, which has one" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no docset 'moon'"):
        call_command("draft_gold", "ferry", "--method=most", "--texts=moon")


def test_draft_needs_exactly_one_adjudicator(ferry, charlie):
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    with pytest.raises(ValidationError, match="charlie is not an adjudicator"):
        draft(ferry, adjudicator="charlie")
    add_member(ferry.project, person("eve"), Membership.Role.ADJUDICATOR)
    with pytest.raises(ValidationError, match="more than one adjudicator"):
        draft(ferry)
    assert draft(ferry, adjudicator="eve").coder.username == "eve"


def test_draft_is_refused_if_coders_may_not_mark(ferry):
    change_rows(ferry.project.levels.filter(coded=True), coders_mark=False)
    with pytest.raises(ValidationError, match="no markable"):
        draft(ferry)
    assert not Coding.objects.of_people().filter(kind="agreed").exists()


def test_page_drafts_for_adjudicator_and_counts_open_contributors(signed_in, ferry, alice):
    client = signed_in(User.objects.get(username="adam"))
    page = client.get("/projects/ferry/docsets/sinking/agreed/").content.decode()
    assert "what most coders say" in page
    assert "the pyramid of alice" in page
    reply = client.post("/projects/ferry/docsets/sinking/agreed/", {"method": "coder bob"})
    assert reply.url == "/projects/ferry/texts/sinking/agreed/code/"
    page = " ".join(client.get("/projects/ferry/docsets/sinking/").content.decode().split())
    assert "The agreed pyramid is open: 1 contested contributor, 1 left to decide." in page
    assert "left to decide" not in signed_in(alice).get("/projects/ferry/docsets/sinking/").content.decode()


def test_page_asks_before_drafting_without_all_submissions(signed_in, ferry, charlie):
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    Coding.objects.of_people().filter(coder__username="bob").update(status="open")
    client = signed_in(charlie)
    sent = {"method": "most", "draft_for": "adam"}
    asked = client.post("/projects/ferry/docsets/sinking/agreed/", sent).content.decode()
    assert "1 of 2 coders have submitted their pyramid." in asked
    assert not Coding.objects.of_people().filter(kind="agreed").exists()
    done = client.post("/projects/ferry/docsets/sinking/agreed/", sent | {"confirmed": "yes"}, follow=True)
    assert "Agreed pyramid drafted for adam." in done.content.decode()
    assert agreed_of(ferry).coder.username == "adam"


@pytest.mark.parametrize("sent", [{"method": "x"}, {"method": "coder charlie"}, {"method": "most", "draft_for": "bob"}])
def test_page_refuses_methods_and_users_that_it_does_not_offer(signed_in, ferry, charlie, sent):
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    reply = signed_in(charlie).post("/projects/ferry/docsets/sinking/agreed/", sent)
    assert reply.status_code == 400
    assert not Coding.objects.of_people().filter(kind="agreed").exists()


def test_api_drafts_docsets_and_lists_their_progress(signed_in, ferry, charlie):
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    address = "/api/v1/projects/ferry/gold/"
    [before] = client.get(address).json()["results"]
    assert (before["text"], before["state"], before["submitted"]) == ("sinking", None, 2)
    reply = client.post(address, {"method": "most"}, content_type="application/json")
    assert reply.json() == {"drafted": ["sinking"], "begun": []}
    [after] = client.get(address).json()["results"]
    assert after == before | {"state": "open", "adjudicator": "adam", "method": "most", "contested": 1, "to_decide": 1}


@pytest.mark.parametrize("who", ["adam", "charlie"])
def test_page_drafts_again_after_confirmation(signed_in, ferry, charlie, who):
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    agreed = draft(ferry)
    boats = contributor(agreed.text, *BOATS["boats"])
    send(agreed, "judge", {"markable": boats, "category": "scu", "indices": ["new"]})
    client = signed_in(User.objects.get(username=who))
    address = "/projects/ferry/docsets/sinking/agreed/"
    assert "Draft again" in client.get(address).content.decode()
    assert f'{address}#again">Draft again' in client.get("/projects/ferry/docsets/sinking/").content.decode()
    sent = {"again": "1", "draft-method": "empty"}
    asked = client.post(address, sent).content.decode()
    assert "What was decided stays as it is" in asked
    assert agreed.operations.filter(kind="draft").count() == 1
    done = client.post(address, sent | {"confirmed": "yes"}, follow=True).content.decode()
    assert "Agreed pyramid drafted again." in done
    assert [unit.key for unit in contributors_of(agreed_of(ferry))] == [boats]
    assert agreed_of(ferry).coder.username == "adam"
    assert client.post(address, {"again": "1", "draft-method": "x"}, follow=True).status_code == 200
    assert agreed.operations.filter(kind="draft").count() == 2


def test_submitted_pyramid_is_not_drafted_again(signed_in, ferry):
    agreed = draft(ferry)
    submit_coding(agreed, agreed.coder)
    client = signed_in(agreed.coder)
    address = "/projects/ferry/docsets/sinking/agreed/"
    assert "Draft again" not in client.get(address).content.decode()
    sent = {"again": "1", "draft-method": "most", "confirmed": "yes"}
    assert "it is not drafted again" in client.post(address, sent, follow=True).content.decode()
    assert agreed.operations.filter(kind="draft").count() == 1
