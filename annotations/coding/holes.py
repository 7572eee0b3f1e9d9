"""The answers that gold lacks: the scheme asks for them, and nobody has given them.

Submission, queue, states and exports of gold all ask here; `static/js/coding/questions/holes.js` says the same on the
page, by the table of constraints that it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q

from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import decisions_by_coding
from annotations.coding.required_answers import AnswersMissing, RequiredAnswer, chains_without, text_order, words_at
from annotations.coding.rules import given_answers
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Judgement, Level, Markable, Project
from annotations.models.coding import complete
from annotations.schemes.constraints import (
    Constraints,
    categories_on,
    lacks_category,
    missing_attributes,
    required_of_entities,
)
from annotations.schemes.project_scheme import question_labels, read_scheme


@dataclass(frozen=True, slots=True)
class Hole:
    """A question that has no answer, and where one may be given: at a markable, or at any of these of a chain.

    question: the key of an attribute, or "category", with the antecedent or index that the category asks for.
    """

    markables: tuple[str, ...]
    question: str


def refuse_holes(gold: Coding) -> None:
    """Raise AnswersMissing with the first answer that the gold or agreed pyramid lacks, in words."""
    holes = find_holes([gold.pk]).get(gold.pk, [])
    if holes:
        missing = [RequiredAnswer(one.question, one.markables[0], len(one.markables) > 1) for one in holes]
        others = f" In all, {len(holes)} answers are missing." if len(holes) > 1 else ""
        first = describe_hole(holes[0], gold.text.content, question_labels(gold.text.project))
        raise AnswersMissing(f"Answer {first} first.{others}", missing, "undecided")


def refuse_empty_gold(coding: Coding) -> None:
    """Raise OperationRejected for gold without any answer: coders would be compared with nothing."""
    if coding.kind != Coding.Kind.GOLD or not find_empty_gold([coding.pk]):
        return
    is_to_judge = coding.text.markables.filter(level__coded=True).exists()
    message = (
        "Nothing is decided yet: coders would be compared with nothing."
        if is_to_judge
        else "This text has no markables: there is nothing to decide, and it has no gold to submit or export."
    )
    raise OperationRejected("no_gold", message)


def find_empty_gold(codings: Collection[int]) -> set[int]:
    """Return which codings, by primary key, are gold without any answer. One query.

    Where coders mark, nothing may be what there is: such gold is not empty.
    """
    answered = Judgement.objects.filter(Q(category__isnull=False) | Q(answers__isnull=False), coding=OuterRef("pk"))
    marked = Level.objects.filter(project=OuterRef("text__project"), coders_mark=True)
    gold = Coding.objects.filter(pk__in=list(codings), kind=Coding.Kind.GOLD)
    return set(gold.filter(~Exists(answered), ~Exists(marked)).order_by().values_list("pk", flat=True))


def describe_hole(hole: Hole, content: str, labels: Callable[[str], str]) -> str:
    """Return the question, and the words of the first markable at which it may be answered."""
    return f"“{labels(hole.question)}” for “{words_at(content, hole.markables[0])}”"


def find_holes(gold: Collection[int]) -> dict[int, list[Hole]]:
    """Return the holes of gold codings or agreed pyramids of a project, by primary key, in text order.

    Each markable that came with the text needs an answer, but where coders mark themselves: there what is not marked
    was left out. So does each markable of somebody's own that gold has. Eleven queries at most, for any number.
    """
    project = Project.objects.filter(texts__codings__in=list(gold)[:1]).first()
    if project is None:
        return {}
    scheme = read_scheme(project.pk)
    judgements = Judgement.objects.filter(coding__in=list(gold), markable__level__coded=True)
    given = Markable.objects.filter(predefined=True, level__coded=True, level__coders_mark=False)
    judged = Judgement.objects.filter(coding=OuterRef("of_coding"), markable=OuterRef("pk"))
    unjudged = given.annotate(of_coding=F("text__codings")).filter(~Exists(judged), of_coding__in=list(gold))
    if not required_of_entities(scheme.constraints):  # else all are read, as any member of a chain may answer
        judgements = judgements.exclude(complete())
    found = decisions_by_coding(judgements, scheme.further)
    for coding, key in unjudged.values_list("of_coding", "key"):
        found[coding][key] = Decision(key)
    return {pk: list(holes_in(scheme.constraints, project.answers, decisions)) for pk, decisions in found.items()}


def holes_in(constraints: Constraints, answers: str, decisions: Mapping[str, Decision]) -> Iterator[Hole]:
    """Yield the holes of decisions on markables of coded levels, by key: an empty one where nobody has judged."""
    given = {
        key: given_answers(constraints, key.partition(":")[0], decisions[key])
        for key in sorted(decisions, key=text_order)
    }
    judged = {
        key: one for key, one in given.items() if one.category is not None or not categories_on(constraints, one.level)
    }
    for key, one in given.items():
        if lacks_category(constraints, one, has_index=bool(decisions[key].indices)):
            yield Hole((key,), CATEGORY)
        if key in judged:
            yield from (Hole((key,), attribute) for attribute in missing_attributes(constraints, one))
    if required_of_entities(constraints):
        chains = chains_without(constraints, answers, decisions, judged)
        yield from (Hole(tuple(asked), attribute) for attribute, asked in chains)
