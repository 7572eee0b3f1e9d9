"""Training: gold, feedback, pass rules, and figures without gold."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agreement.data.codings import Reading, list_codings, read_stamp
from agreement.results.headline import build_headline
from annotations.adjudication.ownership import open_gold
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.gold import gold_beside
from annotations.coding.log.replay import log_mismatches
from annotations.coding.status import may_reopen_own, reopen_coding, reopen_own_coding, submit_coding
from annotations.formats import plain
from annotations.formats.model.scheme import AnswerKind, AttributeSpec, RelationSpec, Subject, ValueSpec
from annotations.models import Coding, Judgement, Project, Round
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import pools_of, take_next_text
from annotations.planning.rounds import (
    add_texts,
    change_round,
    create_round,
    delete_round,
    move_to_round,
    refuse_own_training,
    remove_texts,
)
from annotations.planning.training import (
    arrange_results,
    decide_on_coder,
    feedback_on,
    refuse_untrained,
    take_next_attempt,
    training_results,
)
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.pace import seconds_of_work
from annotations.planning.work.progress import read_progress
from annotations.planning.work.remaining import count_remaining
from annotations.projects.people.members import add_member
from annotations.projects.permissions import project_for
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.shared.coding import change, judge
from tests.shared.plans import plan_request
from tests.shared.projects import DIALOGUE, make_project, person

RULE = {"pass_measure": "category", "pass_mark": 0.8}


@pytest.fixture
def training(project) -> Round:
    """Return a training round of two texts with gold; the first is assigned to Alice."""
    round_ = create_round(project, "training", kind="training", **RULE)
    milk = SourceDocument(plain.parse(DIALOGUE, "milk.txt"), None)
    import_documents(project, [milk], ImportOptions(round_name="training"))
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


def coding_of(round_, **which):
    return (
        Coding.objects.of_people().select_related("text__project", "coder", "round__project").get(round=round_, **which)
    )


def gold_of(text):
    return Coding.objects.select_related("coder", "text__project", "round").get(kind="gold", text=text)


def code(round_, slug, *, right):
    """Let Alice code a text of the round like the gold, or wrong except the first markable, and submit it."""
    coding = coding_of(round_, text__slug=slug, coder__username="alice")
    first, *others = keys_of(coding.text)
    judge(coding, first, "place")
    for key in others:
        judge(coding, key, *(["phrase", first] if right else ["none"]))
    submit_coding(coding, coding.coder)
    coding.refresh_from_db()
    return coding


def test_coder_fails_and_passes_with_second_text(training, alice):
    failed = code(training, "tea", right=False)
    [result] = training_results(training)
    n_units = len(keys_of(failed.text))
    assert result.best == round(1 / n_units, 3)
    assert not result.passed
    assert result.may_try
    assert take_next_attempt(training, alice).text.slug == "milk"
    with pytest.raises(ValidationError, match="no further text"):
        take_next_attempt(training, alice)
    code(training, "milk", right=True)
    [result] = training_results(training)
    assert [attempt.passed for attempt in result.attempts] == [False, True]
    assert result.passed
    assert not result.may_try


def test_submission_shows_gold_and_ends_reopening(training, alice, charlie):
    coding = coding_of(training)
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
def test_other_pointers_within_same_chain_keep_full_score(training, alice, measure, best):
    change_round(training, pass_measure=measure)
    training.refresh_from_db()
    coding = coding_of(training)
    first, second, *others = keys_of(coding.text)
    for key in (first, second):
        judge(coding, key, "place" if key == first else "phrase", *([first] if key == second else []))
    for key in others:
        judge(coding, key, "phrase", second)
    judge(coding, others[-1], "phrase", first)
    submit_coding(coding, alice)
    [result] = training_results(training)
    assert result.best == pytest.approx(best or 1.0)


def test_decision_of_manager_needs_reason_and_holds_until_next_one(training, alice, charlie):
    code(training, "tea", right=False)
    with pytest.raises(ValidationError, match="reason"):
        decide_on_coder(training, alice, "passed", "  ", charlie)
    decide_on_coder(training, alice, "passed", "The text was hard.", charlie)
    assert training_results(training)[0].passed
    decide_on_coder(training, alice, "rule", "Not so hard.", charlie)
    assert not training_results(training)[0].passed
    assert training_results(training)[0].may_try
    decide_on_coder(training, alice, "failed", "Too hard for her.", charlie)
    assert not training_results(training)[0].may_try
    with pytest.raises(ValidationError, match="no further text"):
        take_next_attempt(training, alice)
    assert len(training_results(training)[0].decisions) == 3


def test_attempts_beyond_limit_do_not_count(training, alice, project):
    change_round(training, attempts=1)
    training.refresh_from_db()
    code(training, "tea", right=False)
    with pytest.raises(ValidationError, match="no further text"):
        take_next_attempt(training, alice)
    assign_texts(project, [project.texts.get(slug="milk")], [alice], training)
    code(training, "milk", right=True)
    assert not training_results(training)[0].passed


def test_round_that_requires_training_opens_after_passing(training, alice, project, charlie):
    main = project.rounds.get(name="main")
    change_round(main, required_round=training)
    coding = Coding.objects.of_people().select_related("round").get(round=main, coder=alice)
    with pytest.raises(OperationRejected, match="once you have passed"):
        refuse_untrained(coding)
    apply_plan(project, plan_request("main", pool=True))
    Coding.objects.of_people().filter(round=main).delete()
    assert [(pool.is_free, pool.waits_for) for pool in pools_of(project, alice)] == [(False, training)]
    with pytest.raises(ValidationError, match="has passed training"):
        take_next_text(project, alice)
    decide_on_coder(training, alice, "passed", "Known for long.", charlie)
    refuse_untrained(coding)
    assert take_next_text(project, alice).round == main


def test_gold_is_no_coding_of_people_and_is_deleted_with_project(training, project):
    gold = Coding.objects.filter(kind="gold")
    assert gold.count() == 2
    assert not Coding.objects.of_people().filter(pk__in=gold).exists()
    assert not training.codings.of_people().filter(kind="gold").exists()
    documents = list_codings(Reading(project, "", frozenset(), False, False), read_stamp(project)[1], "").documents
    assert {row.pk for document in documents for row in document.rows}.isdisjoint(gold.values_list("pk", flat=True))
    for coding in gold.select_related("text__project", "coder"):
        assert list(log_mismatches(coding)) == []
    Coding.objects.of_people().filter(round=training).delete()
    delete_project(project, project_deletion_figures(project).tag)
    assert not Judgement.objects.exists()


def test_gold_is_imported_once_from_managers_only(alice, charlie):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog.")
    add_member(project, alice, "coder")
    add_member(project, charlie, "manager")
    create_round(project, "training", kind="training")
    add_texts(project.rounds.get(name="training"), project.texts.all())
    marked = "[Anna](a=1) took [her](b=1) dog."
    file = SourceDocument(plain.parse(marked, "tea.txt"), "charlie")
    report = import_documents(project, [file], ImportOptions(gold=True, round_name="training"))
    assert report.codings == 1, report.failures
    [gold] = Coding.objects.filter(kind="gold")
    assert (gold.round.name, gold.status, gold.coder.username) == ("training", "submitted", "charlie")
    assert import_documents(project, [file], ImportOptions(gold=True, round_name="training")).unchanged == 1
    by_coder = SourceDocument(plain.parse(marked, "tea.txt"), "alice")
    report = import_documents(project, [by_coder], ImportOptions(gold=True, round_name="training"))
    assert "gold is of managers and adjudicators" in str(report.failures[0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pass_measure": "", "pass_mark": 0.5}, "a measure and a mark"),
        ({"kind": "pilot"}, "Only a training round"),
        ({"pass_mark": 2}, "less than or equal to 1"),
        ({"pass_mark": float("nan")}, "."),
        ({"pass_mark": float("inf")}, "."),
    ],
)
def test_incomplete_or_misplaced_pass_rule_is_refused(training, fields, message):
    with pytest.raises(ValidationError, match=message):
        change_round(training, **fields)


def test_circular_or_wrong_required_round_is_refused(training, project):
    main = project.rounds.get(name="main")
    with pytest.raises(ValidationError, match="of kind training"):
        change_round(main, required_round=main)
    second = create_round(project, "training-2", kind="training", required_round=training)
    with pytest.raises(ValidationError, match="requires this round itself"):
        change_round(training, required_round=second)


@pytest.fixture
def open_coding(training) -> Coding:
    """Return Alice's coding in a round that shows gold after each judgement."""
    change_round(training, feedback="judgement")
    return coding_of(training)


def check(coding, key):
    coding.refresh_from_db(fields=["version"])
    return operations.apply(coding, coding.coder, coding.version, [change("check", markable=key)])


def items_of(coding):
    coding.refresh_from_db(fields=["status", "version"])
    feedback = feedback_on(coding)
    return {item.markable: item for item in feedback.items} if feedback else None


def test_first_answer_counts_once_gold_was_seen(open_coding, alice, training):
    first, second, *others = keys_of(open_coding.text)
    assert items_of(open_coding) == {}
    with pytest.raises(OperationRejected, match="Answer first"):
        check(open_coding, first)
    judge(open_coding, first, "none")
    judge(open_coding, first, "place")
    check(open_coding, first)
    judge(open_coding, second, "none")
    check(open_coding, second)
    judge(open_coding, second, "phrase", first)
    found = items_of(open_coding)
    assert {key: item.is_as_gold for key, item in found.items()} == {first: True, second: False}
    assert found[second].explanation == "The same thing."
    for key in others:
        judge(open_coding, key, "phrase", first)
    submit_coding(open_coding, alice)
    [result] = training_results(training)
    assert result.best == round(1 - 1 / len(keys_of(open_coding.text)), 3)
    assert items_of(open_coding)[second].category == "none"
    assert list(log_mismatches(open_coding)) == []


def test_feedback_hides_gold_of_open_markables(open_coding):
    first, second, third, *_ = keys_of(open_coding.text)
    judge(open_coding, second, "phrase", first)
    check(open_coding, second)
    item = items_of(open_coding)[second]
    assert item.is_as_gold  # it points where the gold does, however far the rest of the chain is
    assert len(item.gold_chain) == 2
    judge(open_coding, third, "phrase", second)
    check(open_coding, third)
    assert [len(item.gold_chain) for item in items_of(open_coding).values()] == [2, 3]


def test_gold_is_compared_at_once_only_if_submitted_and_allowed(training, open_coding, charlie):
    key = keys_of(open_coding.text)[0]
    judge(open_coding, key, "place")
    gold = gold_of(open_coding.text)
    reopen_own_coding(gold, charlie)
    with pytest.raises(OperationRejected, match="no gold"):
        check(open_coding, key)
    assert items_of(open_coding) is None
    submit_coding(gold, charlie)
    change_round(training, feedback="submission")
    open_coding.round.refresh_from_db()
    with pytest.raises(OperationRejected, match="no gold"):
        check(open_coding, key)
    assert items_of(open_coding) is None


def test_open_text_with_seen_gold_counts_as_attempt(training, open_coding, project, alice):
    change_round(training, attempts=1)
    assign_texts(project, [project.texts.get(slug="milk")], [alice], training)
    judge(open_coding, keys_of(open_coding.text)[0], "none")
    check(open_coding, keys_of(open_coding.text)[0])
    code(training, "milk", right=True)
    training.refresh_from_db()
    [result] = training_results(training)
    attempts = {attempt.coding.text.slug: attempt.state for attempt in result.attempts}
    assert attempts == {"tea": "open", "milk": "beyond the attempts"}
    assert not result.passed


def test_reopened_gold_still_ends_reopening_by_coder(training, alice, charlie):
    coding = code(training, "tea", right=False)
    gold = gold_of(coding.text)
    reopen_own_coding(gold, charlie)
    assert gold_beside(coding) is None
    for reopen in (lambda: reopen_own_coding(coding, alice), lambda: reopen_coding(coding, charlie)):
        with pytest.raises(OperationRejected):
            reopen()


def test_gold_reopened_before_submission_allows_reopening_by_coder(training, project, alice, charlie):
    gold = gold_of(project.texts.get(slug="tea"))
    reopen_own_coding(gold, charlie)
    coding = code(training, "tea", right=False)
    reopen_own_coding(coding, alice)
    coding.refresh_from_db()
    assert coding.status == "open"


def test_empty_gold_is_not_submitted(project, charlie):
    gold = open_gold(project, project.texts.get(), "main", charlie)
    with pytest.raises(OperationRejected, match="Nothing is decided"):
        submit_coding(gold, charlie)


def test_practice_never_becomes_work_that_counts(training, project, alice):
    main = project.rounds.get(name="main")
    change_round(main, required_round=training)
    with pytest.raises(ValidationError, match="Texts of main require"):
        change_round(training, kind="pilot", pass_measure="", pass_mark=None)
    code(training, "tea", right=True)
    with pytest.raises(ValidationError, match="does not become work that counts"):
        change_round(training, kind="pilot", pass_measure="", pass_mark=None)
    assign_texts(project, [project.texts.get(slug="milk")], [alice], training)
    with pytest.raises(ValidationError, match="does not become work that counts"):
        move_to_round(project, [project.texts.get(slug="milk")], "main")


def test_training_is_deleted_with_gold_unless_required(training, project):
    main = project.rounds.get(name="main")
    add_texts(main, training.texts.all())
    change_round(main, required_round=training)
    with pytest.raises(ValidationError, match="has codings"):
        delete_round(training)
    Coding.objects.of_people().filter(round=training).delete()
    with pytest.raises(ValidationError, match="Texts of main require"):
        delete_round(training)
    change_round(main, required_round=None)
    delete_round(training)
    assert not Coding.objects.filter(kind="gold").exists()


def test_gold_stays_when_its_text_leaves_round(training, project):
    milk = project.texts.get(slug="milk")
    add_texts(project.rounds.get(name="main"), [milk])
    assert remove_texts(training, [milk]) == 1
    assert Coding.objects.filter(round=training, text=milk, kind="gold").exists()
    assert training_results(training)[0].ready == 0  # the other text is Alice's
    add_texts(training, [milk])
    assert training_results(training)[0].ready == 1


def test_gold_does_not_follow_text_into_training_round(project, charlie):
    text = project.texts.get()
    Coding.objects.of_people().all().delete()
    open_gold(project, text, "main", charlie)
    create_round(project, "training", kind="training")
    move_to_round(project, [text], "training")
    assert Coding.objects.get(kind="gold").round.name == "main"
    move_to_round(project, [text], "main")
    move_to_round(project, [text], "pilot")
    assert Coding.objects.get(kind="gold").round.name == "pilot"


def test_members_who_code_may_not_decide_or_change_rules_for_themselves(training, project, mallory, charlie):
    add_member(project, mallory, "manager-coder")
    Project.objects.update(results_open=True)
    with pytest.raises(ValidationError, match="Another manager"):
        decide_on_coder(training, mallory, "passed", "I am.", mallory)
    own, other = project_for(mallory, project.slug), project_for(charlie, project.slug)
    for found in (own, other):
        refuse_own_training(found, training, {"pass_mark": 0.8, "name": "other", "ends_on": None})
    for fields in ({"pass_mark": 0.1}, {"attempts": 9}, {"feedback": "judgement"}, {"kind": "pilot"}):
        refuse_own_training(other, training, fields)
        with pytest.raises(ValidationError, match="You code here yourself"):
            refuse_own_training(own, training, fields)


@pytest.mark.parametrize(("mark", "passed"), [(0.833, True), (0.8333, True), (0.834, False), (0.8333333333, True)])
def test_pass_mark_is_compared_with_rounded_score(training, mark, passed):
    change_round(training, pass_mark=mark)
    coding = coding_of(training)
    first, *others = keys_of(coding.text)
    assert len(others) == 5
    judge(coding, first, "place")
    for key in others[1:]:
        judge(coding, key, "phrase", first)
    submit_coding(coding, coding.coder)
    training.refresh_from_db()
    [result] = training_results(training)
    assert (result.best, result.passed) == (0.833, passed)


def test_equal_lists_of_indices_pass_under_masi(alice, charlie):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog.")
    add_member(project, person("alice"), "coder")
    add_member(project, person("charlie"), "manager")
    round_ = create_round(project, "training", kind="training", pass_measure="masi", pass_mark=1)
    add_texts(round_, project.texts.all())
    text = project.texts.get()
    assign_texts(project, [text], [person("alice")], round_)
    gold = open_gold(project, text, "training", person("charlie"))
    own = Coding.objects.of_people().select_related("coder").get(round=round_, coder__username="alice")
    for coding in (gold, own):
        judge(coding, keys_of(text)[0], "refers", indices=["1", "2"])
        judge(coding, keys_of(text)[1], "none")
        submit_coding(coding, coding.coder)
    assert training_results(round_)[0].passed


ATTRIBUTES = (
    AttributeSpec("number", "Number", values=(ValueSpec("one", "singular"), ValueSpec("many", "plural"))),
    AttributeSpec("alive", "Alive", of=Subject.ENTITY, values=(ValueSpec("yes", "yes"), ValueSpec("no", "no"))),
    AttributeSpec("why", "Why", kind=AnswerKind.TEXT),
)
BRIDGING = RelationSpec("bridging", "Bridging", to_levels=("phrase",))


def test_attributes_and_relations_have_own_shares(training, project, alice, charlie):
    spec = read_scheme(project.pk).spec
    save_scheme(project, replace(spec, attributes=ATTRIBUTES, relations=(*spec.relations, BRIDGING)), charlie)
    change_round(training, pass_measure="answers", pass_mark=0.6)
    training.refresh_from_db()
    gold = gold_of(project.texts.get(slug="tea"))
    reopen_own_coding(gold, charlie)
    own = coding_of(training)
    first, second, *others = keys_of(gold.text)
    judge(gold, first, "place", attributes={"number": "one", "alive": "no", "why": "Said."})
    judge(gold, second, "none", relations={"bridging": [first]})
    judge(own, first, "place", attributes={"number": "many", "why": "Else."})
    judge(own, second, "none", relations={"bridging": [first]})
    for coding in (gold, own):
        for key in others:
            judge(coding, key, "phrase", first, attributes={"alive": "no"} if key == others[-1] else {})
        submit_coding(coding, coding.coder)
    [result] = training_results(training)
    shares = {share.label: (share.equal, share.total) for share in result.attempts[0].shares}
    assert shares == {"Category": (6, 6), "Chain": (6, 6), "Number": (0, 1), "Alive": (2, 2), "Bridging": (1, 1)}
    assert result.best == round(15 / 16, 3)
    answers = {answer.label: (answer.own, answer.gold) for answer in items_of(own)[first].answers}
    assert answers == {"Number": ("plural", "singular"), "Alive": ("no", "no")}


def test_training_and_gold_change_no_count_pace_or_forecast(project, codings, alice, charlie):
    def numbers():
        work = {text.pk: 5 for text in project.texts.all()}
        return read_progress(project), count_remaining(project), seconds_of_work(project, work)

    before = numbers()
    round_ = create_round(project, "training", kind="training")
    add_texts(round_, project.texts.all())
    assign_texts(project, project.texts.all(), [person("alice"), person("bob")], round_)
    make_gold(round_, project.texts.get())
    code(round_, "tea", right=True)
    assert numbers() == before
    page = build_headline(project)
    assert page["coder_bars"] == []
    assert page["pace"].left == before[1]["main"]


def test_training_results_take_fixed_number_of_queries(training, open_coding, project, bob):
    def number():
        with CaptureQueriesContext(connection) as queries:
            training_results(training)
        return len(queries)

    first = keys_of(open_coding.text)[0]
    judge(open_coding, first, "place")
    check(open_coding, first)
    submit_coding(open_coding, open_coding.coder)
    few = number()
    assert few <= 15
    assign_texts(project, training.texts.all(), [open_coding.coder, bob], training)
    opened = Coding.objects.of_people().filter(round=training, status="open")
    for coding in opened.select_related("text__project", "coder", "round"):
        judge(coding, keys_of(coding.text)[0], "place")
        check(coding, keys_of(coding.text)[0])
        submit_coding(coding, coding.coder)
    assert number() == few
    assert len(arrange_results(training_results(training), None, None).texts) == 2
    with CaptureQueriesContext(connection) as queries:
        feedback_on(Coding.objects.of_people().select_related("text", "round__project").get(pk=open_coding.pk))
    assert len(queries) <= 13
