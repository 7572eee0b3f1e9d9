from dataclasses import replace
from threading import Barrier, Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding import operations
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_of
from annotations.coding.log.replay import log_mismatches, replay
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats.model.scheme import CATEGORY, AnswerKind, AttributeSpec, Condition, LevelSpec, ValueSpec
from annotations.models import Coding, Judgement, Operation, SchemeVersion
from annotations.projects.scheme_rows import stamp_scheme
from annotations.revision.completeness import codings_of, incomplete_judgements, judged_before, judgements_of_texts
from annotations.revision.saving import SchemeMoved, SchemeRefused, save_scheme, scheme_tag
from annotations.revision.undoing import undo_merges
from annotations.schemes.changes import Merge, plan_change
from annotations.schemes.project_scheme import read_scheme
from tests.shared.coding import change
from tests.shared.schemes import coding_of, rich_project

PHRASES = ("phrase:0-3", "phrase:8-11", "phrase:20-24")


@pytest.fixture
def rich(db, alice):
    """Make a project whose text Alice has to code."""
    return rich_project("rich", coder=alice, coders_mark=True)


def judge_all(coding, *payloads):
    for payload in payloads:
        operations.apply(coding, coding.coder, coding.version, [change("judge", **payload)])
        coding.refresh_from_db()


@pytest.fixture
def coded(rich):
    """Let Alice answer each kind of question."""
    coding = coding_of(rich)
    first, second, third = PHRASES
    judge_all(
        coding,
        {"markable": first, "category": "place", "attributes": {"gender": "f", "gender-2": "m", "kinds": ["a", "b"]}},
        {"markable": second, "category": "phrase", "pointers": [first]}
        | {"attributes": {"gender": "m", "count": 2, "gloss": "so"}},
        {"markable": third, "category": "none", "relations": {"bridging": [[first, second]]}}
        | {"attributes": {"part": "whole", "animacy": "yes", "kinds": ["b", "c"]}},
    )
    return coding


def spec_of(project):
    return read_scheme(project.pk).spec


def with_attribute(spec, key, **changes):
    return with_question(spec, "attributes", key, changes)


def with_question(spec, kind, key, changes):
    changed = (replace(question, **changes) if question.key == key else question for question in getattr(spec, kind))
    return replace(spec, **{kind: tuple(changed)})


def without(spec, kind, key):
    return replace(spec, **{kind: tuple(spec for spec in getattr(spec, kind) if spec.key != key)})


def with_relation(spec, key, **changes):
    return with_question(spec, "relations", key, changes)


def with_category(spec, key, **changes):
    return with_question(spec, "categories", key, changes)


def values_without(spec, attribute, *keys):
    [question] = [question for question in spec.attributes if question.key == attribute]
    return with_attribute(spec, attribute, values=tuple(value for value in question.values if value.key not in keys))


def assert_replays(project):
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("text"):
        assert list(log_mismatches(coding)) == []


def test_labels_and_order_make_no_new_version(coded, rich, charlie):
    spec = spec_of(rich)
    turned = replace(spec, attributes=spec.attributes[:1] + spec.attributes[:0:-1])
    renamed = with_attribute(with_category(turned, "place", label="spot"), "gender-2", primary_of="gender")
    reordered = tuple(sorted(renamed.attributes, key=lambda spec: spec.key == "gender-2"))
    assert save_scheme(rich, replace(renamed, attributes=reordered), charlie) == 1
    assert spec_of(rich) == replace(renamed, attributes=reordered)
    assert not SchemeVersion.objects.exists()


def test_change_before_first_answer_makes_no_version(rich, charlie):
    assert save_scheme(rich, without(spec_of(rich), "attributes", "gloss"), charlie) == 1
    assert "gloss" not in [spec.key for spec in spec_of(rich).attributes]


def test_added_attribute_makes_version_that_operations_record(coded, rich, charlie):
    spec = spec_of(rich)
    number = AttributeSpec("number", "number", values=(ValueSpec("sg", "sg"),))
    more = replace(spec, attributes=(*spec.attributes, number))
    assert save_scheme(rich, more, charlie) == 2
    assert spec_of(rich) == more
    judge_all(coded, {"markable": PHRASES[0], "category": "place", "attributes": {"number": "sg"}})
    assert [*coded.operations.values_list("scheme_version", flat=True)] == [1, 1, 1, 2]
    versions = dict(coded.judgements.values_list("markable__key", "scheme_version"))
    assert (versions[PHRASES[0]], versions[PHRASES[1]]) == (2, 1)
    rows = [*SchemeVersion.objects.order_by("number").values_list("number", "author__username")]
    assert rows == [(1, None), (2, "charlie")]
    assert_replays(rich)


BRIDGING = ("relations", "bridging")
OF_PLACES, OF_PHRASES = Condition(CATEGORY, ("place",)), Condition(CATEGORY, ("phrase",))
OF_MEN = Condition("gender", ("m",))
# Changes of the rich scheme that take away what answers have, each with the question that it is of.
NARROWED = {
    "category left out": (
        lambda spec: with_attribute(
            with_relation(
                without(spec, "categories", "place"), "bridging", asked_if=Condition(CATEGORY, ("phrase", "none"))
            ),
            "gender",
            asked_if=OF_PHRASES,
        ),
        "place",
    ),
    "attribute left out": (lambda spec: without(spec, "attributes", "kinds"), "kinds"),
    "value left out": (lambda spec: values_without(spec, "kinds", "a"), "kinds"),
    "relation left out": (lambda spec: without(without(spec, "attributes", "part"), *BRIDGING), "bridging"),
    "fewer targets": (lambda spec: with_relation(spec, "bridging", max_targets=1), "bridging"),
    "not together": (lambda spec: with_relation(spec, "bridging", joint=False), "bridging"),
    "other levels of targets": (lambda spec: with_relation(spec, "bridging", to_levels=("turn",)), "bridging"),
    "another condition": (lambda spec: with_relation(spec, "bridging", asked_if=OF_PLACES), "bridging"),
    "a relation becomes identity": (
        lambda spec: with_relation(spec, "bridging", identity=True, asked_if=Condition(CATEGORY, ("none",))),
        "bridging",
    ),
    "a narrower condition": (lambda spec: with_attribute(spec, "gender", asked_if=OF_PHRASES), "gender"),
    "a condition by an attribute": (lambda spec: with_attribute(spec, "gender-2", asked_if=OF_MEN), "gender-2"),
    "another kind": (lambda spec: with_attribute(spec, "count", kind=AnswerKind.TEXT), "count"),
    "uncoded level": (
        lambda spec: replace(
            with_attribute(with_relation(spec, "bridging", from_levels=()), "kinds", levels=()),
            levels=(LevelSpec("phrase", "phrase", coded=False), LevelSpec("turn", "turn")),
        ),
        "phrase",
    ),
}


@pytest.mark.parametrize("name", NARROWED)
def test_save_refuses_changes_that_invalidate_answers(coded, rich, charlie, name):
    changed, question = NARROWED[name]
    before = spec_of(rich)
    plan = plan_change(rich, changed(before))
    assert question in [problem.question for problem in plan.problems]
    assert "tea" in [violation.text for violation in plan.violations if violation.question == question]
    with pytest.raises(SchemeRefused):
        save_scheme(rich, changed(before), charlie)
    assert spec_of(rich) == before


@pytest.mark.parametrize("name", NARROWED)
def test_save_accepts_same_changes_without_answers(rich, charlie, name):
    changed, _ = NARROWED[name]
    wanted = changed(spec_of(rich))
    problems = [str(problem) for problem in plan_change(rich, wanted).problems]
    assert problems == []
    save_scheme(rich, wanted, charlie)
    assert spec_of(rich) == wanted.with_pointing()


def test_retired_answers_stay_and_new_ones_are_refused(coded, rich, charlie):
    spec = with_category(spec_of(rich), "place", retired=True)
    spec = with_attribute(spec, "gloss", retired=True)
    kinds = tuple(replace(value, retired=value.key == "b") for value in spec.attributes[2].values)
    spec = with_relation(with_attribute(spec, "kinds", values=kinds), "bridging", retired=True)
    assert {effect.question: effect.judgements for effect in plan_change(rich, spec).effects} == {
        "place": 1, "gloss": 1, "kinds": 2, "bridging": 1,
    }  # fmt: skip
    save_scheme(rich, spec, charlie)
    first, second, third = PHRASES
    # The note of a judgement with retired answers can be changed, and these stay.
    judge_all(
        coded, {"markable": first, "category": "place", "note": "sure", "attributes": {"gender": "f", "kinds": ["b"]}}
    )
    for payload, name in (
        ({"markable": second, "category": "place"}, "The category place"),
        ({"markable": first, "category": "none", "attributes": {"gloss": "so"}}, "The attribute gloss"),
        ({"markable": second, "category": "none", "attributes": {"kinds": ["b"]}}, "The value b of kinds"),
        ({"markable": third, "category": "none", "relations": {"bridging": [first]}}, "The relation bridging"),
    ):
        with pytest.raises(operations.OperationRejected, match=name) as caught:
            judge_all(coded, payload)
        assert caught.value.code == "retired"
    assert_replays(rich)


def test_retired_attribute_is_not_required(coded, rich, charlie):
    spec = with_attribute(spec_of(rich), "count", required=True)
    save_scheme(rich, spec, charlie)
    assert Coding.objects.of_people().with_progress().get(pk=coded.pk).decided == 1
    save_scheme(rich, with_attribute(spec, "count", retired=True), charlie)
    assert Coding.objects.of_people().with_progress().get(pk=coded.pk).decided == 3


def test_merge_of_values_is_logged_in_each_coding(coded, rich, charlie):
    spec = values_without(spec_of(rich), "kinds", "b")
    merges = [Merge("kinds", "b", "a")]
    plan = plan_change(rich, spec, merges=merges)
    assert not plan.problems
    [effect] = plan.effects
    assert (effect.judgements, effect.texts, effect.coders) == (2, 1, 1)
    assert save_scheme(rich, spec, charlie, merges=merges) == 2
    last = coded.operations.get(kind=Operation.Kind.MERGE)
    assert last.user == charlie
    first, _, third = PHRASES
    changes = [[first, "kinds", ["a", "b"], ["a"]], [third, "kinds", ["b", "c"], ["a", "c"]]]
    assert last.payload == {"changes": changes}
    coded.refresh_from_db()
    assert coded.version == last.sequence == 4
    assert_replays(rich)
    assert not coded.judgements.filter(answers__value__key="b").exists()


def test_merged_category_keeps_pointers(coded, rich, charlie):
    spec = spec_of(rich)
    segment = with_relation(spec, "segment", to_levels=("phrase", "turn"))
    merged = without(without(segment, "categories", "phrase"), "relations", "phrase")
    merged = with_relation(merged, "bridging", asked_if=Condition(CATEGORY, ("place", "none", "segment")))
    merged = with_attribute(merged, "gender", asked_if=Condition(CATEGORY, ("place", "segment")))
    merges = [Merge(CATEGORY, "phrase", "segment")]
    save_scheme(rich, merged, charlie, merges=merges)
    [judgement] = Judgement.objects.filter(markable__key=PHRASES[1])
    assert judgement.category.key == "segment"
    assert [pointer.relation.key for pointer in judgement.pointers.all()] == ["segment"]
    assert_replays(rich)


@pytest.mark.parametrize(
    ("merges", "problem"),
    [
        ([Merge("kinds", "b", "x")], "There is no value 'x' to merge 'b' into."),
        ([Merge("kinds", "x", "a")], "There is no value 'x' to be merged."),
        ([Merge("gloss", "x", "a")], "No question of this key has values, before and after."),
        ([Merge("kinds", "a", "c")], "The value 'a' is merged: leave it out of the scheme, or retire it."),
        ([Merge("kinds", "b", "a"), Merge("kinds", "b", "c")], "A value is merged twice."),
    ],
)
def test_invalid_merges_are_refused(coded, rich, merges, problem):
    plan = plan_change(rich, values_without(spec_of(rich), "kinds", "b"), merges=merges)
    assert problem in [problem.message for problem in plan.problems]


def test_merge_that_loses_antecedents_is_refused(coded, rich):
    spec = without(without(spec_of(rich), "categories", "phrase"), "relations", "phrase")
    spec = with_relation(spec, "bridging", asked_if=Condition(CATEGORY, ("place", "none")))
    spec = with_attribute(spec, "gender", asked_if=Condition(CATEGORY, ("place", "none")))
    plan = plan_change(rich, spec, merges=[Merge(CATEGORY, "phrase", "none")])
    assert [problem.message.partition(".")[0] for problem in plan.problems] == [
        "It takes no antecedent, and those of phrase would be lost"
    ]


def phrases_merged_into_segments(spec):
    """Return the scheme without the category phrase, and its merge into segment."""
    segment = with_relation(spec, "segment", to_levels=("phrase", "turn"))
    return with_category(segment, "phrase", retired=True), [Merge(CATEGORY, "phrase", "segment")]


def test_merge_that_loses_conditional_answers_is_refused(coded, rich, charlie):
    merged, merges = phrases_merged_into_segments(spec_of(rich))
    with pytest.raises(SchemeRefused, match=r"gender: It would no longer be asked where it has an answer\."):
        save_scheme(rich, merged, charlie, merges=merges)
    asked = with_attribute(merged, "gender", asked_if=Condition(CATEGORY, ("place", "segment")))
    save_scheme(rich, asked, charlie, merges=merges)
    assert_replays(rich)


def test_pointer_questions_follow_pointers_into_merged_category(coded, rich, charlie):
    spec = with_attribute(spec_of(rich), "gender", asked_if=None)
    sure = AttributeSpec("sure", "sure", of="relation", relation="phrase", values=(ValueSpec("yes", "yes"),))
    far = AttributeSpec("far", "far", asked_if=Condition(relation="phrase"), values=(ValueSpec("yes", "yes"),))
    save_scheme(rich, replace(spec, attributes=(*spec.attributes, sure, far)), charlie)
    answers = {"sure": "yes", "far": "yes"}
    judge_all(coded, {"markable": PHRASES[1], "category": "phrase", "pointers": [PHRASES[0]], "attributes": answers})
    merged, merges = phrases_merged_into_segments(spec_of(rich))
    with pytest.raises(SchemeRefused) as refused:
        save_scheme(rich, merged, charlie, merges=merges)
    assert [(problem.question, problem.message.partition(".")[0]) for problem in refused.value.change.problems] == [
        ("sure", "It has answers where phrase would not be set"),
        ("far", "It would no longer be asked where it has an answer"),
    ]
    followed = with_attribute(merged, "sure", relation="segment")
    followed = with_attribute(followed, "far", asked_if=Condition(relation="segment"))
    save_scheme(rich, followed, charlie, merges=merges)
    assert_replays(rich)
    [decision] = [decision for decision in decisions_of(coded) if decision.markable == PHRASES[1]]
    assert (decision.category, dict(decision.attributes)) == ("segment", answers)
    coded.refresh_from_db()
    judge_all(coded, decision.payload())


def test_save_with_outdated_tag_is_refused(rich, charlie):
    seen = scheme_tag(rich)
    spec = spec_of(rich)
    save_scheme(rich, with_category(spec, "place", label="spot"), charlie, expected=seen)
    with pytest.raises(SchemeMoved):
        save_scheme(rich, spec, charlie, expected=seen)


def test_level_and_kind_of_answers_are_fixed_after_first_answer(coded, rich):
    spec = replace(spec_of(rich), levels=(LevelSpec("phrase", "phrase", coders_mark=True),))
    spec = with_relation(spec, "segment", to_levels=("phrase",))
    plan = plan_change(rich, spec, answers="indices")
    assert "How coders say identity is not changed once they have begun." in [one.message for one in plan.problems]
    assert "It has markables, and cannot be left out." in [one.message for one in plan_change(rich, spec).problems]


def test_save_takes_fixed_number_of_queries(rich, charlie):
    counts = []
    for number in (5, 20):
        spec = spec_of(rich)
        more = tuple(AttributeSpec(f"x{number}-{index}", "x", values=(ValueSpec("v", "v"),)) for index in range(number))
        with CaptureQueriesContext(connection) as queries:
            save_scheme(rich, replace(spec, attributes=(*spec.attributes, *more)), charlie)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_undo_of_merge_skips_later_judgements(coded, rich, charlie):
    before = spec_of(rich)
    given = {decision.markable: decision for decision in decisions_of(coded)}
    spec = values_without(before, "kinds", "b")
    version = save_scheme(rich, spec, charlie, merges=[Merge("kinds", "b", "a")])
    judge_all(coded_now(coded), {"markable": PHRASES[2], "category": "none", "attributes": {"kinds": ["a"]}})
    assert undo_merges(rich, version, charlie) == 3
    assert spec_of(rich) == before
    now = {decision.markable: decision for decision in decisions_of(coded)}
    assert now[PHRASES[0]] == given[PHRASES[0]]
    assert dict(now[PHRASES[2]].attributes)["kinds"] == ("a",)
    assert_replays(rich)
    with pytest.raises(ValidationError, match="no answers that are still as it left them"):
        undo_merges(rich, version, charlie)


def test_undo_of_merge_takes_fixed_number_of_queries(rich, charlie):
    coding, counts = coding_of(rich), []
    spec = spec_of(rich)
    for number in (2, 12):
        marks = [f"phrase:{start}-{start + 3}" for start in range(number)]
        judge_all(coding, *({"markable": mark, "category": "place", "attributes": {"kinds": ["b"]}} for mark in marks))
        merges = [Merge("kinds", "b", "a"), Merge(CATEGORY, "place", "none")]
        merged = without(values_without(spec, "kinds", "b"), "categories", "place")
        merged = with_relation(merged, "bridging", asked_if=None)
        merged = with_attribute(merged, "gender", asked_if=None)
        version = save_scheme(rich, without(merged, "relations", "place"), charlie, merges=merges)
        with CaptureQueriesContext(connection) as queries:
            undo_merges(rich, version, charlie)
        counts.append(len(queries))
        coding.refresh_from_db()
        assert coding.judgements.filter(answers__value__key="b", category__key="place").count() == number
    assert_replays(rich)
    assert counts[0] == counts[1]


@pytest.mark.django_db(transaction=True)
def test_concurrent_save_never_mixes_scheme_versions(rich, charlie):
    before = spec_of(rich)
    more = AttributeSpec("more", "more", values=(ValueSpec("v", "v"),))
    after = replace(before, attributes=(*before.attributes, more))

    def save():
        save_scheme(rich, after, charlie)
        connection.close()

    def save_between(execute, sql, *arguments):
        if "attributevalue" in sql and not saved:
            saved.append(Thread(target=save))
            saved[0].start()
            saved[0].join()
        return execute(sql, *arguments)

    saved = []
    stamp_scheme(rich)
    with connection.execute_wrapper(save_between):
        assert spec_of(rich) == after
    assert saved


def test_undo_of_category_merge_restores_pointers_and_conditions(coded, rich, charlie):
    before = spec_of(rich)
    given = decisions_of(coded)
    spec = without(without(before, "categories", "phrase"), "relations", "phrase")
    spec = with_relation(spec, "segment", to_levels=("phrase", "turn"))
    spec = with_relation(spec, "bridging", asked_if=Condition(CATEGORY, ("place", "none", "segment")))
    spec = with_attribute(spec, "gender", asked_if=Condition(CATEGORY, ("place", "segment")))
    version = save_scheme(rich, spec, charlie, merges=[Merge(CATEGORY, "phrase", "segment")])
    undo_merges(rich, version, charlie)
    assert decisions_of(coded) == given
    [judgement] = Judgement.objects.filter(markable__key=PHRASES[1])
    assert [pointer.relation.key for pointer in judgement.pointers.all()] == ["phrase"]
    assert {spec.key for spec in spec_of(rich).categories} == {spec.key for spec in before.categories}
    assert "phrase" in next(spec for spec in spec_of(rich).attributes if spec.key == "gender").asked_if.values
    assert_replays(rich)


def coded_now(coding):
    coding.refresh_from_db()
    return coding


def test_incomplete_and_earlier_judgements_are_listed(coded, rich, charlie, alice):
    def to_complete():
        return [row[1:] for row in codings_of(incomplete_judgements(judgements_of_texts(rich, alice)))]

    def before(version):
        return {judgement.markable.key for judgement in judged_before(judgements_of_texts(rich, alice), version)}

    submit_coding(coded, alice)
    assert to_complete() == []
    version = save_scheme(rich, with_attribute(spec_of(rich), "count", required=True), charlie)
    assert to_complete() == [("tea", "Tea", "alice", "submitted", False, 2)]
    Operation.objects.filter(coding=coded, sequence=1).update(kind=Operation.Kind.IMPORT)
    assert to_complete() == [("tea", "Tea", "alice", "submitted", True, 2)]
    assert before(version) == set(PHRASES)
    reopen_coding(coded, charlie)
    given = {"kinds": ["a"], "count": 1}
    judge_all(coded_now(coded), {"markable": PHRASES[0], "category": "place", "attributes": given})
    assert before(version) == set(PHRASES[1:])


@pytest.mark.django_db(transaction=True)
def test_concurrent_answers_and_merge_lose_no_judgement(rich, charlie):
    """Merge a value while coders give it: later answers with it are refused, and no judgement is lost."""
    coding, gate = coding_of(rich), Barrier(2)
    troubles, refused = [], []

    def code():
        try:
            gate.wait(timeout=20)
            version = 0
            for number in range(20):
                payload = {"markable": PHRASES[number % 3], "category": "none", "attributes": {"kinds": ["b"]}}
                try:
                    version = operations.apply(coding, coding.coder, version, [change("judge", **payload)])
                except operations.OperationRejected as rejection:
                    refused.append(rejection.code)
                except operations.VersionConflict as stale:
                    version = stale.version
        except Exception as trouble:  # told to the test, which fails by it
            troubles.append(trouble)
        finally:
            connection.close()

    thread = Thread(target=code)
    thread.start()
    gate.wait(timeout=20)
    saved = 0
    for number in range(4):
        spec = spec_of(rich)
        try:
            if number == 2:
                save_scheme(rich, values_without(spec, "kinds", "b"), charlie, merges=[Merge("kinds", "b", "a")])
            else:
                more = AttributeSpec(f"x{number}", "x", values=(ValueSpec("v", "v"),))
                save_scheme(rich, replace(spec, attributes=(*spec.attributes, more)), charlie)
            saved += 1
        except SchemeRefused as trouble:
            troubles.append(trouble)
    thread.join(timeout=120)
    assert troubles == []
    assert saved == 4
    assert set(refused) <= {"unknown_value"}
    assert not coding.judgements.filter(answers__value__key="b").exists()
    assert_replays(rich)
    numbers = [*coding.operations.order_by("sequence").values_list("scheme_version", flat=True)]
    assert numbers == sorted(numbers)


@pytest.mark.django_db(transaction=True)
def test_second_of_two_concurrent_saves_is_refused(rich, charlie):
    seen, gate = scheme_tag(rich), Barrier(2)
    spec, done = spec_of(rich), []

    def save(label):
        try:
            gate.wait(timeout=20)
            save_scheme(rich, with_category(spec, "place", label=label), charlie, expected=seen)
            done.append(label)
        except SchemeMoved:
            done.append(None)
        finally:
            connection.close()

    threads = [Thread(target=save, args=[label]) for label in ("spot", "site")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    [winner] = [label for label in done if label]
    assert len(done) == 2
    assert next(spec.label for spec in spec_of(rich).categories if spec.key == "place") == winner


def test_plan_takes_fixed_number_of_queries(coded, rich, charlie):
    values = tuple(ValueSpec(f"v{number}", "v") for number in range(100))
    spec, many = spec_of(rich), AttributeSpec("many", "many", values=values)
    save_scheme(rich, replace(spec, attributes=(*spec.attributes, many)), charlie)
    counts = []
    for kept in (values[:99], values[:1]):
        for new in (kept, tuple(replace(value, retired=value not in kept) for value in values)):
            changed = with_attribute(spec_of(rich), "many", values=new)
            with CaptureQueriesContext(connection) as queries:
                plan = plan_change(rich, changed)
            assert not plan.problems
            counts.append(len(queries))
    assert counts[:2] == counts[2:]


def test_replay_accepts_merge_without_judgement():
    log = [("merge", {"changes": [[PHRASES[0], CATEGORY, "place", "none"]]})]
    assert replay(log, ()).decisions == {PHRASES[0]: Decision(PHRASES[0], category="none")}
