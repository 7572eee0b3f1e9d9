"""Gold with a missing answer is not decided, closed or exported as complete."""

from typing import Any
from uuid import uuid4

import pytest

from annotations.adjudication.proposal import Method
from annotations.adjudication.queue import build_queue
from annotations.adjudication.states import State, gold_states
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.operations import Change
from annotations.coding.status import submit_coding
from annotations.models import Coding, Project
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.exporting.gold import HOLES, UNDECIDED
from tests.shared.coding import judge
from tests.shared.drafted_gold import (
    LABELS,
    LINKED,
    THREE_CATEGORIES,
    THREE_KINDS,
    answer,
    bridging_project,
    drafted,
    keys_of,
)
from tests.shared.projects import person
from tests.shared.schemes import change_rows


@pytest.fixture
def tea(db) -> Project:
    return bridging_project()


def accept(gold: Coding, *items: tuple[str, str]) -> None:
    """Accept the draft of these items, or of all contested items."""
    found = items or [(item.item.markable, item.item.question) for item in gold_states([gold])[0].contested]
    send(gold, Change(uuid4(), "decide", {"items": [list(item) for item in found], "source": "draft"}))


def send(gold: Coding, *changes: Change) -> None:
    gold.refresh_from_db(fields=["version"])
    operations.apply(gold, gold.coder, gold.version, list(changes))


def undecided_rows(gold: Coding) -> list[tuple[str, str]]:
    """Return label and question of rows whose draft has no answer."""
    labels = {key: label for label, key in keys_of(gold.text.project).items()}
    cards = build_queue(gold.text.project, gold).cards
    rows = [(card.question or "category", row) for card in cards for row in card.rows if row.undecided]
    return [(labels[unit], question) for question, row in rows for unit in row.units]


def state_of(gold: Coding) -> tuple[State, int]:
    gold.refresh_from_db(fields=["status", "version"])
    [state] = gold_states([gold])
    return state.state, state.n_open


NEW, POSSESSION = {"category": "none"}, LINKED | {"attributes": {"how": "own"}}


@pytest.mark.parametrize(
    ("answers", "question", "decided", "message"),
    [
        (THREE_CATEGORIES, "category", NEW, "Answer “Category and chain” for “the stove” first."),
        (THREE_KINDS, "how", POSSESSION, "how related"),
    ],
    ids=["category", "attribute of a relation"],
)
def test_accepting_a_tie_decides_nothing(tea, answers, question, decided, message):
    gold = drafted(tea, *answers)
    assert ("b", question) in undecided_rows(gold)
    accept(gold)
    assert state_of(gold) == (State.OPEN, 1)
    with pytest.raises(OperationRejected, match=message):
        submit_coding(gold, gold.coder)
    answer(gold, {"b": decided})
    assert state_of(gold) == (State.DECIDED, 0)
    submit_coding(gold, gold.coder)
    assert state_of(gold) == (State.CLOSED, 0)


def test_unanimous_draft_is_decided_at_once(tea):
    assert state_of(drafted(tea, {}, {}, {})) == (State.DECIDED, 0)


def test_markable_without_judgement_is_left_to_decide(tea):
    gold = drafted(tea, {"f": {}}, {"f": {}}, {"f": {}})
    assert state_of(gold) == (State.OPEN, 1)
    assert undecided_rows(gold) == [("f", "category")]
    answer(gold, {"f": NEW})
    assert state_of(gold) == (State.DECIDED, 0)


@pytest.mark.parametrize("place", ["a", "b"])
def test_chain_without_required_answer_is_left_to_decide_once(tea, place):
    change_rows(tea.attributes.filter(key="gender"), required=False)
    chain = {"a": {"category": "place"}, "b": {"category": "phrase", "pointers": ["a"]}}
    gold = drafted(tea, chain, chain, chain)
    change_rows(tea.attributes.filter(key="gender"), required=True)
    assert state_of(gold) == (State.OPEN, 1)
    assert undecided_rows(gold) == [("a", "gender")]
    with pytest.raises(OperationRejected, match="gender"):
        submit_coding(gold, gold.coder)
    answer(gold, {place: chain[place] | {"attributes": {"gender": "f"}}})
    assert state_of(gold) == (State.DECIDED, 0)


def test_identity_without_antecedent_is_left_to_decide(tea):
    gold = drafted(tea, {}, {}, {})
    judge(gold, keys_of(tea)["b"], "phrase")
    assert state_of(gold) == (State.OPEN, 1)


def test_question_opened_by_answer_is_left_to_decide(tea):
    gold = drafted(tea, {}, {}, {})
    answer(gold, {"b": LINKED})
    assert state_of(gold) == (State.OPEN, 1)
    [state] = gold_states([gold])
    assert [hole.question for hole in state.uncontested_holes] == ["how"]


def test_mark_without_category_is_to_decide_but_unmarked_words_are_not(tea):
    set_coder_marked_levels(tea, tea.levels.filter(coded=True))
    gold = drafted(tea, {"f": {}}, {"f": {}}, {"f": {}})
    assert state_of(gold) == (State.DECIDED, 0)
    judge(gold, "phrase:0-3", None)
    assert state_of(gold) == (State.OPEN, 1)
    send(gold, Change(uuid4(), "unmark", {"markable": "phrase:0-3"}))
    assert state_of(gold) == (State.DECIDED, 0)


@pytest.mark.parametrize(
    ("method", "answers", "is_undecided"),
    [
        (Method.MOST, ("a", "b", None), True),
        (Method.MOST, ("a", "a", None), False),
        (Method.MOST, ("a", None, None), False),
        (Method.AGREED, ("a", None, None), True),
        (Method.EMPTY, ("a", "a", None), True),
    ],
)
def test_majority_alone_accepts_empty_optional_answer(tea, method, answers, is_undecided):
    said = [{"c": {"category": "place", "attributes": {"use": answer} if answer else {}}} for answer in answers]
    gold = drafted(tea, *said, method=method)
    assert (("c", "use") in undecided_rows(gold)) is is_undecided


def exported(project: Project) -> Any:
    return export_files(project, "jsonlines", None, gold="gold")


def test_closed_gold_with_missing_answer_opens_and_export_reports_it(tea, signed_in):
    gold = drafted(tea, *THREE_CATEGORIES)
    Coding.objects.filter(pk=gold.pk).update(status="submitted")  # as 0.2.0 closed it
    assert state_of(gold) == (State.CLOSED, 1)
    report = exported(tea)
    assert report.codings == 1
    [loss] = [loss for loss in report.losses if loss.what == HOLES]
    assert (loss.count, loss.examples) == (1, ("tea: “Category and chain” for “the stove”",))
    client = signed_in(person("charlie"))
    assert "1 to decide" in client.get("/projects/tea-holes/rounds/main/").content.decode()
    assert client.get("/projects/tea-holes/texts/tea/gold/code/").status_code == 200


def test_gold_with_missing_answer_is_not_exported(tea):
    gold = drafted(tea, *THREE_CATEGORIES)
    accept(gold)
    report = exported(tea)
    assert report.codings == 0
    assert [(loss.what, loss.examples) for loss in report.left_out] == [(UNDECIDED, ("tea",))]


def test_api_lists_items_left_to_decide(tea, signed_in):
    gold = drafted(tea, *THREE_CATEGORIES)
    accept(gold)
    client = signed_in(person("charlie"))
    [row] = client.get("/api/v1/projects/tea-holes/gold/").json()["results"]
    assert (row["state"], row["contested"], row["decided"], row["to_decide"]) == ("open", 1, 0, 1)
    queue = client.get("/api/v1/projects/tea-holes/texts/tea/gold/queue/").json()
    assert queue["missing"] == [[keys_of(tea)["b"], "category"]]
    assert [row["undecided"] for card in queue["cards"] for row in card["rows"] if row["contested"]] == [True]


def test_missing_answers_take_fixed_number_of_queries(tea, django_assert_num_queries):
    gold = drafted(tea, *THREE_KINDS)
    with django_assert_num_queries(8):
        gold_states([gold])
    other = Coding.objects.create(
        text=gold.text, kind="gold", round=tea.rounds.create(name="other", position=2), coder=gold.coder
    )
    with django_assert_num_queries(8):
        [_, empty] = gold_states([gold, other])
    assert empty.n_open == len(LABELS)


def test_decisions_show_answers_with_words_and_labels(tea, signed_in):
    gold = drafted(tea, *THREE_KINDS)
    keys = keys_of(tea)
    answer(gold, {"b": POSSESSION, "d": {"category": "phrase", "pointers": ["b"]}})
    items = [[keys["b"], "category"], [keys["b"], "bridging"], [keys["b"], "how"], [keys["d"], "category"]]
    items += [[keys["c"], "use"], [keys["c"], "gender"]]
    send(gold, Change(uuid4(), "decide", {"items": items, "source": "own"}))
    client = signed_in(person("charlie"))
    rows = client.get("/api/v1/projects/tea-holes/gold/decisions/").json()["results"]
    labels = {key: label for label, key in keys.items()}
    assert {(labels[row["markable"]], row["question"]): row["answer"] for row in rows} == {
        ("b", "category"): "none",
        ("b", "bridging"): "the kettle",
        ("b", "how"): "possession",
        ("c", "gender"): "neuter",
        ("c", "use"): "no answer",
        ("d", "category"): "phrase: the stove",
    }
    page = client.get("/projects/tea-holes/gold/decisions/").content.decode()
    assert "possession" in page
    table = client.get("/projects/tea-holes/gold/decisions/file/?format=csv").content.decode()
    assert "possession" in table
