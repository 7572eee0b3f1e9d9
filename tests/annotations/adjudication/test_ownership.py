"""Gold: reassignment, creation from an adjudicator's coding, and confirmation before all coders have submitted."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.ownership import open_gold, reassign_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State, gold_states
from annotations.coding.judgements import judgements_of
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project, Text, User
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.anonymization import forget_person
from annotations.projects.locks import ProjectArchived
from annotations.projects.people.members import add_member
from annotations.transfers.archiving import restore_project
from tests.annotations.transfers.archiving.test_archiving import archived, changed, lines, refused, renamed
from tests.shared.coding import judge, judge_rest
from tests.shared.projects import person

ROUND = "/projects/tea/rounds/main/"
OPEN, HAND_ON, FROM_CODING = (f"{ROUND}gold/tea/{rest}" for rest in ("", "hand-on/", "from-coding/"))
API = "/api/v1/projects/tea/"
API_OPEN, API_HAND_ON = f"{API}rounds/main/gold/", f"{API}rounds/main/gold/hand-on/"
OPERATIONS = f"{API}texts/tea/gold/coding/operations/"
JSON = "application/json"


@pytest.fixture
def dora(project) -> User:
    """Return an adjudicator of the project."""
    user = person("dora")
    add_member(project, user, Membership.Role.ADJUDICATOR)
    return user


@pytest.fixture
def gold(project, text, charlie) -> Coding:
    """Return gold of the text, begun by Charlie."""
    return open_gold(project, text, "main", charlie)


def read_gold() -> Coding:
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def owners_in_log() -> list[tuple[str, str | None]]:
    """Return user and new owner of each reassignment in the log of gold."""
    log = read_gold().operations.filter(kind="assign").order_by("sequence")
    return list(log.values_list("user__username", "payload__to"))


def submit_all(codings: dict[str, Coding], keys: dict[str, str], *names: str) -> None:
    for name in names:
        judge(codings[name], keys["a"], "place" if name == "alice" else "none")
        submit_coding(codings[name], codings[name].coder)


def test_page_reassigns_gold_and_logs_both_users(gold, keys, charlie, dora, signed_in):
    judge(gold, keys["a"], "place")
    client = signed_in(charlie)
    assert HAND_ON in client.get(ROUND).content.decode()
    page = client.get(HAND_ON).content.decode()
    assert "charlie has it now" in page
    assert 'value="dora"' in page
    assert 'value="charlie"' not in page
    assert 'value="alice"' not in page
    answer = client.post(HAND_ON, {"adjudicator": "dora"})
    assert (answer.status_code, answer["Location"]) == (302, f"{ROUND}?text=tea#gold")
    assert read_gold().coder == dora
    assert owners_in_log() == [("charlie", "dora")]
    assert [answer.category.key for answer in read_gold().judgements.filter(category__isnull=False)] == ["place"]
    assert signed_in(dora).get("/projects/tea/texts/tea/gold/code/?round=main").status_code == 200
    call_command("verify_log", "tea")


def test_gold_without_owner_goes_to_first_adjudicator_to_open_it(gold, charlie, dora, signed_in):
    client = signed_in(charlie)
    assert client.post(HAND_ON, {"adjudicator": ""}).status_code == 302
    assert read_gold().coder_id is None
    assert "not assigned" in client.get(ROUND).content.decode()
    assert "Whoever opens it first" not in client.get(HAND_ON).content.decode()
    assert signed_in(dora).post(OPEN).status_code == 302
    assert read_gold().coder == dora
    assert owners_in_log() == [("charlie", None)]


def test_reassignment_form_requires_choice(gold, charlie, dora, signed_in):
    answer = signed_in(charlie).post(HAND_ON)
    assert answer.status_code == 400
    assert "Choose who goes on with it." in answer.content.decode()
    assert (read_gold().coder, owners_in_log()) == (charlie, [])


def test_log_records_takeover_of_gold(gold, charlie, dora, signed_in):
    assert signed_in(dora).post(OPEN).status_code == 302
    assert read_gold().coder == dora
    assert owners_in_log() == [("dora", "dora")]


def test_repeated_api_reassignment_is_logged_once(gold, charlie, dora, signed_in):
    client = signed_in(charlie)
    for _ in range(2):
        answer = client.post(API_HAND_ON, {"text": "tea", "adjudicator": "dora"}, JSON)
        assert (answer.status_code, answer.json()["coder"]) == (200, "dora")
    answer = client.post(API_HAND_ON, {"text": "tea", "adjudicator": None}, JSON)
    assert (answer.status_code, answer.json()["coder"]) == (200, None)
    assert owners_in_log() == [("charlie", "dora"), ("charlie", None)]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("alice", "alice is coder of tea: gold is of managers and adjudicators."),  # has coded the text, too
        ("both", "both is manager-coder of tea"),
        ("vic", "vic is viewer of tea"),
        ("mallory", "'mallory' is not a member of tea."),
        ("nobody", "'nobody' is not a member of tea."),
    ],
)
@pytest.mark.parametrize("results_open", [False, True])
def test_gold_is_not_reassigned_to_users_who_may_not_adjudicate(
    gold, codings, charlie, mallory, project, name, why, results_open, signed_in
):
    add_member(project, person("both"), Membership.Role.MANAGER_CODER)
    add_member(project, person("vic"), Membership.Role.VIEWER)
    Project.objects.update(results_open=results_open)
    answer = signed_in(charlie).post(API_HAND_ON, {"text": "tea", "adjudicator": name}, JSON)
    assert answer.status_code == 400
    assert why in answer.json()["errors"]["adjudicator"][0]
    assert signed_in(charlie).post(HAND_ON, {"adjudicator": name}).status_code == 400
    assert (read_gold().coder, owners_in_log()) == (charlie, [])


def test_gold_is_not_reassigned_in_closed_round_or_archived_project(gold, project, text, charlie, dora, signed_in):
    round_ = project.rounds.get(name="main")
    change_round(round_, closed=True)
    with pytest.raises(ValidationError, match="closed"):
        reassign_gold(project, text, "main", charlie, "dora")
    assert "closed" in signed_in(charlie).post(HAND_ON, {"adjudicator": "dora"}).content.decode()
    change_round(round_, closed=False)
    Project.objects.update(archived_at=timezone.now())
    with pytest.raises(ProjectArchived):
        reassign_gold(project, text, "main", charlie, "dora")
    assert signed_in(charlie).post(HAND_ON, {"adjudicator": "dora"}).status_code == 403
    assert signed_in(charlie).get(HAND_ON).status_code == 403
    assert signed_in(charlie).post(API_HAND_ON, {"text": "tea", "adjudicator": "dora"}, JSON).status_code == 423
    assert read_gold().coder == charlie


def test_reassignment_of_missing_gold_is_refused(project, text, charlie, dora, signed_in):
    with pytest.raises(ValidationError, match="no gold in the round main yet"):
        reassign_gold(project, text, "main", charlie, "dora")
    assert signed_in(charlie).get(HAND_ON).status_code == 404


def test_unsent_work_of_former_owner_is_accepted_once_gold_is_back(gold, project, text, keys, charlie, dora, signed_in):
    client = signed_in(charlie)
    change = {"uuid": str(uuid4()), "kind": "judge", "payload": {"markable": keys["a"], "category": "place"}}
    reassign_gold(project, text, "main", charlie, "dora")
    refused = client.post(OPERATIONS, {"version": 0, "operations": [change]}, JSON).json()
    assert (refused["status"], refused["code"]) == (404, "handed_on")
    assert refused["detail"].startswith("dora has the gold of “Tea” now: take it over")
    assert not read_gold().judgements.exists()
    for page in ("code/", "reopen/"):
        shown = client.get(f"/projects/tea/texts/tea/gold/{page}?round=main", follow=True)
        assert shown.redirect_chain == [(ROUND, 302)]
        assert "dora has the gold of “Tea” now" in shown.content.decode()
    shown = client.post("/projects/tea/texts/tea/gold/submit/", follow=True)
    assert "dora has the gold of “Tea” now" in shown.content.decode()
    reassign_gold(project, text, "main", dora, "charlie")
    stale = client.post(OPERATIONS, {"version": 0, "operations": [change]}, JSON)
    assert (stale.status_code, [entry["kind"] for entry in stale.json()["missed"]]) == (409, ["assign", "assign"])
    sent = client.post(OPERATIONS, {"version": stale.json()["version"], "operations": [change]}, JSON)
    assert sent.status_code == 200
    assert [answer.category.key for answer in read_gold().judgements.all()] == ["place"]


def test_reassigning_does_not_begin_gold(gold, project, text, codings, keys, charlie, dora):
    reassign_gold(project, text, "main", charlie, "dora")
    assert not read_gold().is_begun
    submit_all(codings, keys, "alice", "bob")
    assert draft_gold(project, DraftRequest(Method.MOST)).drafted == ["tea"]
    [row] = gold_of_rounds(project, [read_gold().round])
    assert row.gold is not None
    reassign_gold(project, text, "main", charlie, "charlie")
    [after] = gold_of_rounds(project, [read_gold().round])
    assert after.gold is not None
    assert (after.gold.contested, after.gold.state) == (row.gold.contested, row.gold.state)
    call_command("verify_log", "tea")


def test_active_time_of_gold_belongs_to_its_owner(gold, project, text, charlie, dora, keys):
    for key in "ab":
        judge(read_gold(), keys[key], "none")
    spent, last = read_gold().active_time, read_gold().last_active
    assert spent > timedelta()
    reassign_gold(project, text, "main", charlie, "dora")
    assert (read_gold().active_time, read_gold().last_active) == (timedelta(), None)
    reassign_gold(project, text, "main", dora, "charlie")
    assert (read_gold().active_time, read_gold().last_active) == (spent, last)


def test_draft_for_new_owner_resets_active_time(gold, project, text, codings, keys, dora):
    submit_coding(codings["alice"], codings["alice"].coder)
    judge(read_gold(), keys["a"], "none")
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="dora", again=True, early=True))
    assert (read_gold().coder, read_gold().active_time, read_gold().last_active) == (dora, timedelta(), None)


def test_log_of_gold_names_deleted_user_by_pseudonym(gold, project, text, charlie, dora):
    reassign_gold(project, text, "main", charlie, "dora")
    reassign_gold(project, text, "main", dora, "charlie")
    forgotten = forget_person(dora)
    assert forgotten.pseudonym != "dora"
    assert owners_in_log() == [("charlie", forgotten.pseudonym), (forgotten.pseudonym, "charlie")]


@pytest.fixture
def dora_coding(project, text, dora, keys) -> Coding:
    """Return Dora's submitted coding; adjudicators coded like this before gold existed."""
    assign_texts(project, [text], [dora])
    coding = Coding.objects.of_people().select_related("text__project", "coder", "round").get(coder=dora)
    judge(coding, keys["a"], "segment", note="Seen.")
    judge(coding, keys["b"], "none")
    submit_coding(coding, dora)
    return coding


def test_adjudicator_makes_gold_from_own_coding_after_confirmation(dora_coding, codings, keys, dora, signed_in):
    submit_all(codings, keys, "alice", "bob")
    client = signed_in(dora)
    assert 'value="dora" aria-label="Make gold of Tea from the coding of dora"' in client.get(ROUND).content.decode()
    question = client.post(FROM_CODING, {"coder": "dora"}).content.decode()
    assert "Make gold of “Tea” from the coding of dora?" in question
    assert all(said in question for said in ("2 answers", "stays as it is, with its log", "not undone"))
    assert not Coding.objects.filter(kind="gold").exists()
    log = list(dora_coding.operations.values_list("uuid", "kind"))
    answer = client.post(FROM_CODING, {"coder": "dora", "confirmed": "1"})
    assert (answer.status_code, answer["Location"]) == (302, f"{ROUND}?text=tea#gold")
    made = read_gold()
    assert made.coder == dora
    assert {key: answer["category"] for key, answer in judgements_of(made).items() if answer.get("category")} == {
        keys["a"]: "segment", keys["b"]: "none",
    }  # fmt: skip
    dora_coding.refresh_from_db()
    assert dora_coding.status == Coding.Status.SUBMITTED
    assert list(dora_coding.operations.values_list("uuid", "kind")) == log
    draft = made.operations.get(kind="draft").payload
    assert draft["coder"] == str(dora_coding.operations.latest("sequence").uuid)
    [state] = gold_states([made])
    assert {item.item.markable for item in state.contested} >= {keys["a"]}


def test_begun_gold_keeps_decisions_and_takes_rest_from_coding(
    dora_coding, codings, project, text, keys, charlie, dora, signed_in
):
    submit_all(codings, keys, "alice", "bob")
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    judge(read_gold(), keys["a"], "place")
    client = signed_in(dora)
    assert "keeps what was decided" in client.post(FROM_CODING, {"coder": "dora"}).content.decode()
    client.post(FROM_CODING, {"coder": "dora", "confirmed": "1"})
    found = {key: answer["category"] for key, answer in judgements_of(read_gold()).items() if answer.get("category")}
    assert found == {keys["a"]: "place", keys["b"]: "none"}


def test_closed_gold_is_not_replaced_by_coding(dora_coding, gold, keys, charlie, dora, signed_in):
    judge(gold, keys["c"], "place")
    judge_rest(gold)
    submit_coding(gold, charlie)
    client = signed_in(dora)
    before = judgements_of(read_gold())
    assert "From the coding of" not in client.get(ROUND).content.decode()
    shown = client.post(FROM_CODING, {"coder": "dora", "confirmed": "1"}, follow=True).content.decode()
    assert "The gold of “Tea” is closed: reopen it first." in shown
    assert judgements_of(read_gold()) == before


def test_only_managers_make_gold_from_codings_of_other_adjudicators(
    dora_coding, codings, keys, project, charlie, signed_in
):
    submit_all(codings, keys, "alice")
    eve = person("eve")
    add_member(project, eve, Membership.Role.ADJUDICATOR)
    assert signed_in(eve).post(FROM_CODING, {"coder": "dora"}).status_code == 404
    assert "From the coding of" not in signed_in(eve).get(ROUND).content.decode()
    assert signed_in(charlie).post(FROM_CODING, {"coder": "dora"}).status_code == 200
    assert signed_in(charlie).post(FROM_CODING, {"coder": "alice"}).status_code == 404  # a coder's is one vote
    question = signed_in(charlie).post(FROM_CODING, {"coder": "dora"}).content.decode()
    assert "1 of 2 coders submitted it; missing: bob." in question


def test_page_asks_before_gold_begins_without_all_submissions(codings, keys, charlie, project, text, signed_in):
    submit_all(codings, keys, "alice")
    client = signed_in(charlie)
    assert "<td>1 of 2</td>" in client.get(ROUND).content.decode()
    for _ in range(2):
        asked = client.post(OPEN)
        assert asked.status_code == 200
        assert "Tea: 1 of 2 coders submitted it; missing: bob." in asked.content.decode()
        assert not Coding.objects.filter(kind="gold").exists()
    assert client.post(OPEN, {"confirmed": "1"}).status_code == 302
    assert client.post(OPEN).status_code == 302
    assert client.post(f"{ROUND}gold/", {"method": "most"}).status_code == 302
    [row] = gold_of_rounds(project, [read_gold().round])
    assert row.gold is not None
    assert row.gold.draft is not None


def test_adjudicators_see_number_of_submissions_and_no_names(codings, keys, dora, signed_in):
    submit_all(codings, keys, "alice")
    for address, order in ((OPEN, {}), (f"{ROUND}gold/", {"method": "most"})):
        asked = signed_in(dora).post(address, order).content.decode()
        assert "Tea: 1 of 2 coders submitted it." in asked
        assert not any(name in asked for name in ("alice", "bob"))
    refused = signed_in(dora).post(API_OPEN, {"text": "tea"}, JSON).json()
    assert "Tea: 1 of 2 coders submitted it." in refused["detail"]
    assert not any(name in refused["detail"] for name in ("alice", "bob"))


@pytest.mark.parametrize(("address", "order"), [(API_OPEN, {"text": "tea"}), (f"{API}gold/", {"method": "most"})])
def test_api_refuses_early_gold_unless_requested(codings, keys, charlie, address, order, signed_in):
    submit_all(codings, keys, "alice")
    client = signed_in(charlie)
    refused = client.post(address, order, JSON)
    assert (refused.status_code, refused.json()["code"]) == (409, "early")
    assert refused.json()["detail"].startswith("Tea: 1 of 2 coders submitted it; missing: bob.")
    assert not Coding.objects.filter(kind="gold").exists()
    assert client.post(address, order | {"early": True}, JSON).status_code in (200, 201)
    assert client.post(address, order, JSON).status_code in (200, 201)


def test_gold_opens_unasked_in_training_or_with_all_submissions(codings, keys, charlie, project, text, bob, signed_in):
    round_ = create_round(project, "training", kind="training")
    add_texts(round_, [text])
    assign_texts(project, [text], [bob], round_)
    client = signed_in(charlie)
    assert client.post(f"/projects/tea/rounds/training/gold/{text.slug}/").status_code == 302
    submit_all(codings, keys, "alice", "bob")
    assert client.post(OPEN).status_code == 302


def test_command_drafts_early_and_reports_it(codings, keys, capsys):
    submit_all(codings, keys, "alice")
    call_command("draft_gold", "tea", method="most")
    said = capsys.readouterr().out
    assert "1 draft of gold" in said
    assert "Drafted before all their coders had submitted: tea" in said


def test_round_page_takes_fixed_number_of_queries(codings, keys, charlie, project, signed_in):
    client = signed_in(charlie)

    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert client.get(ROUND).status_code == 200
        return len(context)

    queries()
    before = queries()
    round_ = project.rounds.get(name="main")
    for number in range(5):
        text = Text.objects.create(project=project, slug=f"t{number}", title=f"T{number}", content="Tea.")
        add_texts(round_, [text])
        assign_texts(project, [text], [codings["alice"].coder, codings["bob"].coder])
    assert queries() == before


def test_owner_or_successor_reopens_closed_gold(gold, keys, charlie, dora, signed_in):
    judge(gold, keys["a"], "place")
    judge_rest(gold)
    submit_coding(gold, charlie)
    reopen = "/projects/tea/texts/tea/gold/reopen/?round=main"
    assert reopen in signed_in(charlie).get(ROUND).content.decode()
    assert reopen not in signed_in(dora).get(ROUND).content.decode()
    asked = signed_in(charlie).get(reopen).content.decode()
    assert "This gold is closed." in asked
    signed_in(dora).post(OPEN)
    assert signed_in(dora).post(reopen).status_code == 302
    [state] = gold_states([read_gold()])
    assert state.state is State.OPEN
    assert [entry.kind for entry in read_gold().operations.order_by("sequence")][-3:] == ["submit", "assign", "reopen"]


def test_archive_restores_owner_of_gold(gold, project, text, keys, charlie, dora):
    reassign_gold(project, text, "main", charlie, "dora")
    judge(read_gold(), keys["a"], "place")
    data = archived(project)
    copy = restore_project(data, slug="copy").project
    assert copy is not None
    of_copy = Coding.objects.get(text__project=copy, kind="gold")
    assert (of_copy.coder, of_copy.version, of_copy.corrections) == (dora, 2, 1)
    assert list(of_copy.operations.order_by("sequence").values_list("kind", "user__username")) == [
        ("assign", "charlie"),
        ("judge", "dora"),
    ]
    assert renamed(archived(copy), project.slug) == renamed(data, project.slug)
    row = next(place for place, entry in enumerate(lines(data, "operations")) if entry["kind"] == "assign")
    for payload in ({}, {"to": 1}, {"to": "dora", "why": "x"}):
        assert "it says to whom gold was handed on" in refused(changed(data, "operations", row, payload=payload))
