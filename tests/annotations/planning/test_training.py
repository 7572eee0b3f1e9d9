"""Training: gold, what coders see of it and when, who passes, and that gold counts nowhere."""

import pytest
from django.core.exceptions import ValidationError

from agreement.data.reading import read_codings
from annotations.coding.decisions import OperationRejected
from annotations.coding.gold import gold_beside, open_gold
from annotations.coding.replay import log_mismatches
from annotations.coding.status import may_reopen_own, reopen_coding, reopen_own_coding, submit_coding
from annotations.formats import plain
from annotations.models import Coding, Judgement, Round
from annotations.planning.assignments import assign_texts
from annotations.planning.plans import apply_plan
from annotations.planning.pool import pools_of, take_next_text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.training import (
    decide_on_coder,
    feedback_on,
    refuse_untrained,
    take_next_attempt,
    training_results,
)
from annotations.projects.people.members import add_member
from annotations.texts.project_deletion import delete_project, project_deletion_figures
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.source_document import SourceDocument
from tests.conftest import DIALOGUE, judge, make_project, person
from tests.shared.plans import plan_request

RULE = {"pass_measure": "category", "pass_mark": 0.8}


@pytest.fixture
def training(project) -> Round:
    """Return a training round of two texts, of which both have gold, and Alice has the first."""
    round_ = create_round(project, "training", kind="training", **RULE)
    import_documents(project, [SourceDocument(plain.parse(DIALOGUE, "milk.txt"), None)], round_name="training")
    add_texts(round_, [project.texts.get(slug="tea")])
    for text in round_.texts.all():
        make_gold(round_, text)
    assign_texts(project, [project.texts.get(slug="tea")], [person("alice")], round_)
    return round_


def keys_of(text):
    return list(text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True))


def make_gold(round_, text):
    gold = open_gold(round_.project, text, round_.name, person("charlie"))
    first, *others = keys_of(text)
    judge(gold, first, "place", note="It is said where.")
    for key in others:
        judge(gold, key, "phrase", first, note="The same thing.")
    submit_coding(gold, gold.coder)
    return gold


def code(round_, slug, *, right):
    """Let Alice code a text of the round as the gold has it, or all but the first otherwise, and submit."""
    coding = Coding.objects.select_related("text__project", "coder", "round").get(
        round=round_, text__slug=slug, coder__username="alice"
    )
    first, *others = keys_of(coding.text)
    judge(coding, first, "place")
    for key in others:
        judge(coding, key, *(["phrase", first] if right else ["none"]))
    submit_coding(coding, coding.coder)
    coding.refresh_from_db()
    return coding


def test_who_fails_takes_another_text_and_passes_with_it(training, alice):
    failed = code(training, "tea", right=False)
    [result] = training_results(training)
    n_units = len(keys_of(failed.text))
    assert result.best == round(1 / n_units, 3)
    assert not result.passed
    assert result.may_try(training)
    assert take_next_attempt(training, alice).text.slug == "milk"
    with pytest.raises(ValidationError, match="no further text"):
        take_next_attempt(training, alice)
    code(training, "milk", right=True)
    [result] = training_results(training)
    assert [attempt.passed for attempt in result.attempts] == [False, True]
    assert result.passed
    assert not result.may_try(training)


def test_gold_shows_once_both_are_submitted_and_ends_the_reopening(training, alice, charlie):
    coding = Coding.objects.get(round=training, coder=alice)
    assert gold_beside(coding) is None
    coding = code(training, "tea", right=False)
    gold = gold_beside(coding)
    assert gold is not None
    feedback = feedback_on(coding)
    assert feedback is not None
    items = feedback.items
    assert [item.category == item.gold_category for item in items] == [True] + [False] * (len(items) - 1)
    assert not any(item.is_as_gold for item in items)  # the first one is in no chain
    assert items[1].explanation == "The same thing."
    assert items[1].gold_chain[0] == items[0].words
    assert not may_reopen_own(coding)
    for reopen in (lambda: reopen_own_coding(coding, alice), lambda: reopen_coding(coding, charlie)):
        with pytest.raises(OperationRejected):
            reopen()


@pytest.mark.parametrize(("measure", "best"), [("category", 1.0), ("masi", None)])
def test_masi_compares_chains_where_categories_are_equal(training, alice, measure, best):
    change_round(training, pass_measure=measure)
    training.refresh_from_db()
    coding = Coding.objects.select_related("text", "coder").get(round=training, coder=alice)
    first, second, *others = keys_of(coding.text)
    for key in (first, second):
        judge(coding, key, "place" if key == first else "phrase", *([first] if key == second else []))
    for key in others:
        judge(coding, key, "phrase", second)
    judge(coding, others[-1], "phrase", first)
    submit_coding(coding, alice)
    [result] = training_results(training)
    assert result.best == pytest.approx(best or 1.0)


def test_a_decision_of_a_manager_holds_until_another_and_has_a_reason(training, alice, charlie):
    code(training, "tea", right=False)
    with pytest.raises(ValidationError, match="reason"):
        decide_on_coder(training, alice, "passed", "  ", charlie)
    decide_on_coder(training, alice, "passed", "The text was hard.", charlie)
    assert training_results(training)[0].passed
    decide_on_coder(training, alice, "rule", "Not so hard.", charlie)
    assert not training_results(training)[0].passed
    assert len(training_results(training)[0].decisions) == 2


def test_no_more_attempts_count_than_the_round_allows(training, alice, project):
    change_round(training, attempts=1)
    training.refresh_from_db()
    code(training, "tea", right=False)
    with pytest.raises(ValidationError, match="no further text"):
        take_next_attempt(training, alice)
    assign_texts(project, [project.texts.get(slug="milk")], [alice], training)
    code(training, "milk", right=True)
    assert not training_results(training)[0].passed


def test_a_round_that_requires_training_opens_with_it(training, alice, project, charlie):
    main = project.rounds.get(name="main")
    change_round(main, required_round=training)
    coding = Coding.objects.select_related("round").get(round=main, coder=alice)
    with pytest.raises(OperationRejected, match="once you have passed"):
        refuse_untrained(coding)
    apply_plan(project, plan_request("main", pool=True))
    Coding.objects.filter(round=main).delete()
    assert [(pool.is_free, pool.waits_for) for pool in pools_of(project, alice)] == [(False, training)]
    with pytest.raises(ValidationError, match="has passed training"):
        take_next_text(project, alice)
    decide_on_coder(training, alice, "passed", "Known for long.", charlie)
    refuse_untrained(coding)
    assert take_next_text(project, alice).round == main


def test_gold_is_no_coding_of_a_coder_and_goes_with_its_text(training, project):
    gold = Coding.with_gold.filter(kind="gold")
    assert gold.count() == 2
    assert not Coding.objects.filter(pk__in=gold).exists()
    assert not training.codings.filter(kind="gold").exists()
    rows = [row for of_document in read_codings(project).rows.values() for row in of_document]
    assert {row.pk for row in rows}.isdisjoint(gold.values_list("pk", flat=True))
    for one in gold.select_related("text__project", "coder"):
        assert list(log_mismatches(one)) == []
    Coding.objects.filter(round=training).delete()
    delete_project(project, project_deletion_figures(project).tag)
    assert not Judgement.objects.exists()


def test_another_adjudicator_takes_gold_over_with_its_log(training, project, mallory):
    add_member(project, mallory, "adjudicator")
    gold = open_gold(project, project.texts.get(slug="tea"), "training", mallory)
    assert gold.coder == mallory
    assert gold.operations.exists()


def test_gold_comes_from_files_once_a_text_and_of_who_may_decide(alice, charlie):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog.")
    add_member(project, alice, "coder")
    add_member(project, charlie, "manager")
    create_round(project, "training", kind="training")
    add_texts(project.rounds.get(name="training"), project.texts.all())
    marked = "[Anna](a=1) took [her](b=1) dog."
    file = SourceDocument(plain.parse(marked, "tea.txt"), "charlie")
    report = import_documents(project, [file], gold=True, round_name="training")
    assert report.codings == 1, report.failures
    [gold] = Coding.with_gold.filter(kind="gold")
    assert (gold.round.name, gold.status, gold.coder.username) == ("training", "submitted", "charlie")
    assert import_documents(project, [file], gold=True, round_name="training").unchanged == 1
    by_coder = SourceDocument(plain.parse(marked, "tea.txt"), "alice")
    report = import_documents(project, [by_coder], gold=True, round_name="training")
    assert "gold is of managers and adjudicators" in str(report.failures[0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pass_measure": "", "pass_mark": 0.5}, "a measure and a mark"),
        ({"kind": "pilot"}, "Only a training round"),
        ({"pass_mark": 2}, "less than or equal to 1"),
    ],
)
def test_a_pass_rule_is_whole_and_of_training(training, fields, message):
    with pytest.raises(ValidationError, match=message):
        change_round(training, **fields)


def test_a_round_requires_an_earlier_training_and_no_circle(training, project):
    main = project.rounds.get(name="main")
    with pytest.raises(ValidationError, match="of kind training"):
        change_round(main, required_round=main)
    second = create_round(project, "training-2", kind="training", required_round=training)
    with pytest.raises(ValidationError, match="requires this round itself"):
        change_round(training, required_round=second)
