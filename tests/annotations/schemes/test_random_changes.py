"""Random changes of schemes between random operations keep log and tables equal."""

import random
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError

from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import decisions_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.rules import Rules
from annotations.formats.model.scheme import CATEGORY, LISTED_KINDS, AttributeSpec, CategorySpec, ValueSpec
from annotations.models import Coding, Operation, SchemeVersion
from annotations.revision.saving import SchemeRefused, save_scheme
from annotations.revision.undoing import undo_merges
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from tests.shared.cases import cases
from tests.shared.schemes import any_answer, any_scheme, coding_of, marks_of, rich_project


def any_change(draw, spec):
    """Draw another scheme, which may have faults, and merges."""
    merges = []
    for _ in range(draw.choice([1, 1, 2])):
        kind = draw.choice(["categories", "relations", "attributes"])
        questions = list(getattr(spec, kind))
        if not questions or draw.random() < 0.2:
            number = draw.randint(100, 999)
            if draw.random() < 0.5:
                questions.append(AttributeSpec(f"n{number}", "new", values=(ValueSpec("v", "v"),)))
                kind, questions = "attributes", [*spec.attributes, questions[-1]]
            else:
                kind, questions = "categories", [*spec.categories, CategorySpec(f"n{number}", "new")]
        else:
            place = draw.randrange(len(questions))
            question = questions[place]
            match draw.choice(["leave out", "retire", "merge", "merge", "merge", "narrow", "narrow"]):
                case "leave out":
                    del questions[place]
                case "retire":
                    questions[place] = replace(question, retired=True)
                case "merge" if kind == "categories" and len(questions) > 1:
                    del questions[place]
                    merges.append(Merge(CATEGORY, question.key, draw.choice(questions).key))
                    if draw.random() < 0.3:
                        questions.insert(place, replace(question, retired=True))
                    else:
                        spec = without_identity(draw, spec, question.key)
                case "merge" if kind == "attributes" and question.kind in LISTED_KINDS and len(question.values) > 1:
                    gone, *others = draw.sample(question.values, len(question.values))
                    retired = (replace(gone, retired=True),) if draw.random() < 0.3 else ()
                    left = tuple(value for value in question.values if value != gone)
                    questions[place] = replace(question, values=left + retired)
                    merges.append(Merge(question.key, gone.key, draw.choice(others).key))
                case _:
                    questions[place] = narrowed(draw, question, kind)
        spec = replace(spec, **{kind: tuple(questions)})
    return spec.with_pointing(), merges


def without_identity(draw, spec, category):
    """Leave out the relation of a merged category, and sometimes conditions on the category."""
    kept = [spec for spec in spec.relations if not (spec.identity and spec.key == category)]
    if draw.random() < 0.7:
        kept = [unless_asked_by(spec, category) for spec in kept]
        return replace(
            spec, relations=tuple(kept), attributes=tuple(unless_asked_by(spec, category) for spec in spec.attributes)
        )
    return replace(spec, relations=tuple(kept))


def unless_asked_by(question, category):
    condition = question.asked_if
    if condition is None or condition.question != CATEGORY or category not in condition.values:
        return question
    values = tuple(value for value in condition.values if value != category)
    return replace(question, asked_if=replace(condition, values=values) if values else None)


def narrowed(draw, old, kind):
    if kind == "categories":
        return replace(old, level=draw.choice(["", "phrase", "turn"]))
    if kind == "attributes":
        match draw.choice(["levels", "asked_if", "required", "values"]):
            case "levels":
                return replace(old, levels=draw.choice([(), ("phrase",)]))
            case "asked_if":
                return replace(old, asked_if=None)
            case "values" if old.values:
                return replace(old, values=tuple(replace(value, retired=draw.random() < 0.5) for value in old.values))
        return replace(old, required=not old.required)
    match draw.choice(["max_targets", "joint", "later", "to_levels", "from_levels"]):
        case "max_targets":
            return replace(old, max_targets=draw.choice([None, 1, 2]))
        case "joint":
            return replace(old, joint=not old.joint)
        case "later":
            return replace(old, later=not old.later)
        case "to_levels":
            return replace(old, to_levels=draw.choice([("phrase",), ("turn",), ("phrase", "turn")]))
    return replace(old, from_levels=draw.choice([(), ("phrase",)]))


def answer_at_random(draw, coding, scheme, times):
    marks = marks_of(coding)
    for _ in range(times):
        try:
            operations.apply(coding, coding.coder, coding.version, [any_answer(draw, scheme, marks)])
        except OperationRejected:
            continue
        coding.refresh_from_db()


def violating(coding):
    """Return the markables whose judgements the scheme does not allow."""
    decisions = decisions_of(coding)
    keys = {key for decision in decisions for key in (decision.markable, *decision.targets())}
    rules = Rules.for_coding(Coding.objects.of_people().select_related("text__project").get(pk=coding.pk), keys)
    found = set()
    for decision in decisions:
        try:
            rules.check(decision)
        except OperationRejected:
            found.add(decision.markable)
    return found


def project_state(project):
    """Return the scheme, decisions, operations and versions of a project."""
    codings = Coding.objects.of_people().filter(text__project=project).select_related("text")
    return (
        read_scheme(project.pk),
        [decisions_of(coding) for coding in codings],
        [*Operation.objects.filter(coding__in=codings).values_list("pk", "kind", "scheme_version")],
        [*SchemeVersion.objects.values_list("project", "number", "scheme")],
    )


def undo_and_compare(project, number, before, wrong, manager):
    """Undo the merges of a version, and assert that all answers are as before."""
    try:
        undo_merges(project, number, manager)
    except ValidationError:
        assert not Operation.objects.filter(kind="merge", scheme_version=number).exists()
        return
    except SchemeRefused:
        return
    coding = coding_of(project)
    assert [decisions_of(coding)] == before[1]
    assert violating(coding) <= wrong


@pytest.mark.parametrize("seed", cases(range(6), full=range(6, 400)))
def test_log_equals_tables_after_random_changes(alice, charlie, seed):
    draw = random.Random(seed)
    scheme = any_scheme(draw)
    project = rich_project("any", scheme, alice, coders_mark=True)
    coding = coding_of(project)
    answer_at_random(draw, coding, scheme, 40)
    for _ in range(3):
        before, wrong = project_state(project), violating(coding)
        spec, merges = any_change(draw, read_scheme(project.pk).spec)
        try:
            number = save_scheme(project, spec, charlie, merges=merges)
        except SchemeRefused:
            assert project_state(project) == before
        else:
            saved = read_scheme(project.pk)
            assert (saved.spec, saved.keys.version) == (spec, number)
            assert violating(coding) <= wrong
            if merges and draw.random() < 0.5:
                undo_and_compare(project, number, before, wrong, charlie)
        coding.refresh_from_db()
        assert list(log_mismatches(coding)) == []
        spec = read_scheme(project.pk).spec
        others = tuple(spec for spec in spec.relations if not spec.identity)
        now = replace(scheme, levels=spec.levels, categories=spec.categories, relations=others)
        answer_at_random(draw, coding, replace(now, attributes=spec.attributes), 6)
        assert list(log_mismatches(coding)) == []
    numbers = [*coding.operations.order_by("sequence").values_list("scheme_version", flat=True)]
    assert numbers == sorted(numbers)
