"""Decisions on gold: source and reason, replay, and flags after coders change their work."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest

from annotations.adjudication.decisions.listing import ItemDecision, gold_decisions
from annotations.adjudication.drafts import DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.proposal import Item, Method
from annotations.adjudication.states import State, gold_states
from annotations.coding import operations
from annotations.coding.decisions import Reason, Source
from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.operations import Change
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from tests.shared.cases import cases
from tests.shared.coding import change, judge, judge_rest

CATEGORY = "category"


@pytest.fixture
def marked(text) -> list[str]:
    return list(text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True))


@pytest.fixture
def gold(project, codings, marked, alice, bob) -> Coding:
    """Return gold owned by Charlie; the codings of Alice and Bob differ on the first two markables.

    The coders leave the last three undecided.
    """
    for coder, categories in ((alice, ("place", "place", "none")), (bob, ("none", "none", "none"))):
        for key, category in zip(marked, categories, strict=False):
            judge(codings[coder.username], key, category)
        submit_coding(codings[coder.username], coder)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def send(coding: Coding, *changes: Change) -> None:
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, list(changes))


def decide(gold: Coding, key: str, category: str | None = None, **said: Any) -> None:
    """Decide an item as one step, with a judgement if a category is given."""
    step = uuid4()
    changes = [answer(key, category, step)] if category else []
    said = {"items": [[key, CATEGORY]], "source": "own"} | said
    send(gold, *changes, Change(uuid4(), "decide", said, step=step))


def decided(gold: Coding) -> dict[str, ItemDecision]:
    """Return the decisions on categories, by markable."""
    return {row.item.markable: row for row in gold_decisions([gold])[gold.pk] if row.item.question == CATEGORY}


def decision_rows(gold: Coding) -> list[tuple[str, str, str, str, bool]]:
    found = gold_decisions([gold])[gold.pk]
    return [(row.item.markable, str(row.source), str(row.reason), row.note, row.changed) for row in found]


def resubmit(coding: Coding, manager: Any, **answers: str) -> None:
    """Reopen a coding, let its coder give other answers, and submit it."""
    coding.refresh_from_db()
    reopen_coding(coding, manager)
    for key, category in answers.items():
        judge(coding, key, category)
    submit_coding(coding, coding.coder)


def draft_again(project: Any, method: Method = Method.MOST) -> None:
    draft_gold(project, DraftRequest(method, again=True))


def test_decision_stores_source_reason_section_note_user_and_time(gold, marked, charlie, django_assert_num_queries):
    coding = Coding.objects.of_people().get(coder__username="bob")
    bobs = coding.operations.get(sequence=coding.version).uuid
    said = {"reason": "guideline", "section": "Places", "note": "See 3.2."}
    decide(gold, marked[1], "none", source="coder", codings=[str(bobs)], **said)
    with django_assert_num_queries(2):
        [decision] = gold_decisions([gold])[gold.pk]
    logged = gold.operations.get(kind="decide")
    why, who = (Reason.GUIDELINE, "Places", "See 3.2."), ("charlie", logged.applied_at)
    item = Item(marked[1], CATEGORY)
    assert decision == ItemDecision(gold, item, Source.CODER, (bobs,), *why, *who, changed=False)


def test_later_decision_replaces_earlier_one_but_note_does_not(gold, marked):
    first = marked[0]
    decide(gold, first, source="draft", reason="slip", note="Once.")
    judgement = judgements_of(gold).get(first, {"category": None})
    send(gold, change(**judgement | {"markable": first, "note": "See above."}))  # answers nothing otherwise
    assert decision_rows(gold) == [(first, "draft", "slip", "Once.", False)]
    decide(gold, first, "place", reason="scheme")
    judge(gold, first, "place", note="Why?")
    assert decision_rows(gold) == [(first, "own", "scheme", "", False)]
    judge(gold, first, "none")  # without a reason
    assert decision_rows(gold) == [(first, "own", "", "", False)]


def test_step_decides_only_items_that_it_names(gold, marked):
    first, second = marked[:2]
    step = uuid4()
    send(
        gold,
        Change(uuid4(), "judge", {"markable": first, "category": "place"}, step=step),
        Change(uuid4(), "judge", {"markable": second, "category": "phrase", "pointers": [first]}, step=step),
        Change(uuid4(), "decide", {"items": [[second, CATEGORY]], "source": "own"}, step=step),
    )
    assert list(decided(gold)) == [second]
    assert [item.decided for item in gold_states([gold])[0].contested] == [False, True]


def answer(key: str, category: str | None, step: UUID, undoes: UUID | None = None) -> Change:
    kind, payload = ("judge", {"markable": key, "category": category}) if category else ("clear", {"markable": key})
    return Change(uuid4(), kind, payload, step=step, undoes=undoes)


def test_draft_again_keeps_decisions_and_drafts_other_items(project, gold, codings, marked, charlie):
    first, second, third = marked[:3]
    decide(gold, first, "none", reason="ambiguous")
    judge(gold, third, "place")  # nobody disagreed: an answer without a reason
    said, answers = decision_rows(gold), judgements_of(gold)
    assert said == [(first, "own", "ambiguous", "", False), (third, "own", "", "", False)]
    resubmit(codings["bob"], charlie, **{second: "place"})
    draft_again(project)
    gold.refresh_from_db()
    assert decision_rows(gold) == said
    assert judgements_of(gold) == {
        first: answers[first],
        second: answers[first] | {"markable": second, "category": "place"},
        third: answers[third],
    }
    [state] = gold_states([gold])
    assert [(item.item.markable, item.decided) for item in state.contested] == [(first, True), (third, True)]
    assert list(log_mismatches(gold)) == []
    assert gold.operations.filter(kind="draft").count() == 2
    draft_again(project, Method.EMPTY)
    gold.refresh_from_db()
    assert decision_rows(gold) == said
    assert {key: judgements_of(gold)[key] for key in (first, third)} == {key: answers[key] for key in (first, third)}


def test_redraft_omits_removed_markable_and_contests_pointers_to_it(project, codings, marked, alice, charlie, text):
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    mark = "phrase:0-3"
    judge(codings["alice"], mark, "place")
    judge(codings["alice"], marked[1], "phrase", mark)
    submit_coding(codings["alice"], alice)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    gold = Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")
    step = uuid4()
    send(
        gold,
        Change(uuid4(), "unmark", {"markable": mark}, step=step),
        Change(uuid4(), "decide", {"items": [[mark, CATEGORY]], "source": "own", "reason": "slip"}, step=step),
    )
    draft_again(project)
    gold.refresh_from_db()
    assert {key: answer["pointers"] for key, answer in judgements_of(gold).items()} == {marked[1]: []}
    [state] = gold_states([gold])
    assert [(item.item.markable, item.decided) for item in state.contested] == [(mark, True), (marked[1], False)]
    assert list(log_mismatches(gold)) == []


def test_only_open_drafted_gold_is_drafted_again(project, gold, charlie):
    assert draft_gold(project, DraftRequest(Method.MOST)).begun == ["tea"]
    assert draft_gold(project, DraftRequest(Method.MOST, again=True)).drafted == ["tea"]
    judge_rest(gold)
    submit_coding(gold, charlie)
    report = draft_gold(project, DraftRequest(Method.MOST, again=True))
    assert (report.drafted, report.begun) == ([], ["tea"])
    assert str(report) == "0 drafts of gold; 1 text left out, whose gold is closed or came from a file"


def test_decisions_are_flagged_only_if_submitted_answers_change(project, gold, codings, marked, charlie):
    first, second, third = marked[:3]
    decide(gold, first, "place", reason="slip")
    decide(gold, second, "none")
    resubmit(codings["alice"], charlie)
    assert not any(decision.changed for decision in decided(gold).values())
    codings["alice"].refresh_from_db()
    reopen_coding(codings["alice"], charlie)
    judge(codings["alice"], first, "none")
    judge(codings["alice"], second, "none")
    judge(codings["alice"], second, "place")  # as before
    judge(codings["alice"], third, "place", note="hm")
    assert not any(decision.changed for decision in decided(gold).values())  # she has not submitted it
    submit_coding(codings["alice"], codings["alice"].coder)
    assert {key: row.changed for key, row in decided(gold).items()} == {first: True, second: False}
    [row] = gold_of_rounds(project, [gold.round])
    assert row.changed == 2  # with what all had agreed on
    draft_again(project)
    assert {key: row.changed for key, row in decided(gold).items()} == {first: True, second: False}
    [row] = gold_of_rounds(project, [gold.round])
    assert row.changed == 0
    decide(gold, first, "place", reason="slip")
    assert not any(decision.changed for decision in decided(gold).values())


def test_decisions_follow_corrections_and_moved_markables(project, codings, marked, text, alice, charlie):
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    judge(codings["alice"], "phrase:0-3", "place")
    judge(codings["alice"], marked[0], "place")
    submit_coding(codings["alice"], alice)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    gold = Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")
    decide(gold, "phrase:0-3", source="draft", reason="slip")
    send(gold, change("move", markable="phrase:0-3", to="phrase:0-14"))
    decide(gold, marked[0], "none", reason="scheme")
    text.refresh_from_db()
    content = text.content.replace("put", "please put", 1)
    correct_text(text, content, charlie, plan_correction(text, content).tag)
    moved = "phrase:11-21"
    assert [(key, str(decision.reason), decision.changed) for key, decision in decided(gold).items()] == [
        ("phrase:7-21", "slip", False),
        (moved, "scheme", False),
    ]
    draft_again(project)
    assert {key: str(row.reason) for key, row in decided(gold).items()} == {"phrase:7-21": "slip", moved: "scheme"}
    gold.refresh_from_db()
    assert list(log_mismatches(gold)) == []


def test_decisions_take_fixed_number_of_queries(gold, django_assert_num_queries, marked):
    decide(gold, marked[0], "place")
    with django_assert_num_queries(2):
        gold_decisions([gold, gold])


def category_of(judgements: dict[str, Any], key: str) -> str | None:
    return judgements[key]["category"] if key in judgements else None


type Expected = dict[str, tuple[str, str, str | None]]


@dataclass
class RandomWalk:
    """Random work of an adjudicator, coders and a manager; `expected` has source, reason and answer of each decision.

    done: the steps that can be undone, each with the decisions and judgements before it.
    """

    draw: random.Random
    gold: Coding
    keys: list[str]
    expected: Expected = field(default_factory=dict)
    done: list[tuple[UUID, list[Change], Expected, dict[str, Any]]] = field(default_factory=list)

    def decide(self) -> None:
        key, step, category = self.draw.choice(self.keys), uuid4(), self.draw.choice(["place", "none", None])
        reason = self.draw.choice(["", "ambiguous", "slip"])
        said = {"items": [[key, CATEGORY]], "source": "own" if category else "draft", "reason": reason}
        changes = [Change(uuid4(), "decide", said, step=step)]
        if category:
            changes.insert(self.draw.randint(0, 1), answer(key, category, step))
        self._carry_out(step, changes)

    def _carry_out(self, step: UUID, changes: list[Change]) -> None:
        before = judgements_of(self.gold)
        self.done.append((step, changes, self.expected, before))
        send(self.gold, *changes)
        [said] = [change.payload for change in changes if change.kind == "decide"]
        [[key, _]] = said["items"]
        categories = [change.payload["category"] for change in changes if change.kind == "judge"]
        category = categories[0] if categories else category_of(before, key)
        self.expected = self.expected | {key: (said["source"], said["reason"], category)}

    def undo(self) -> None:
        if not self.done:
            return
        step, changes, self.expected, before = self.done.pop()
        undoing = uuid4()
        send(
            self.gold,
            *(
                Change(uuid4(), "decide", change.payload, step=undoing, undoes=step)
                if change.kind == "decide"
                else answer(change.payload["markable"], category_of(before, change.payload["markable"]), undoing, step)
                for change in changes
            ),
        )
        if self.draw.random() < 0.5:
            redoing = uuid4()
            self._carry_out(
                redoing,
                [Change(uuid4(), change.kind, change.payload, step=redoing, undoes=undoing) for change in changes],
            )

    def draft_again(self) -> None:
        draft_again(self.gold.text.project, self.draw.choice([Method.MOST, Method.AGREED, Method.EMPTY]))
        self.done = []

    def change_work(self) -> None:
        codings = Coding.objects.of_people().filter(text=self.gold.text, kind="text").order_by("pk")
        coding = self.draw.choice(list(codings.select_related("text__project", "coder", "round")))
        resubmit(coding, self.gold.coder, **{self.draw.choice(self.keys): self.draw.choice(["place", "none"])})


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 12)))
def test_random_work_loses_no_decision_and_matches_log(gold, marked, seed):
    walk = RandomWalk(random.Random(seed), gold, marked)
    steps: list[Callable[[], None]] = [*[walk.decide] * 3, walk.undo, walk.draft_again, walk.change_work]
    for _ in range(60):
        walk.draw.choice(steps)()
        found = decided(gold)
        answers = judgements_of(gold)
        assert {
            key: (str(row.source), str(row.reason), category_of(answers, key)) for key, row in found.items()
        } == walk.expected
        [state] = gold_states([gold])
        contested = {item.item.markable for item in state.contested}
        answered = {key for key, (*_, category) in walk.expected.items() if category is not None}
        assert {item.item.markable for item in state.contested if item.decided} == contested & answered
    gold.refresh_from_db()
    assert list(log_mismatches(gold)) == []
    assert gold_states([gold])[0].state in (State.OPEN, State.DECIDED)
