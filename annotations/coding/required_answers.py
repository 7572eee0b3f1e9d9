"""The answers that codings lack: the answers that the scheme requires of coders, and all answers of gold.

`missingRequired` of the coding page and `static/js/coding/questions/holes.js` follow the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from annotations.coding.chains import chains_of, members_of
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import decisions_by_coding, decisions_of
from annotations.coding.rules import given_answers
from annotations.core.text import pluralize
from annotations.formats.model.keys import key_order, split_key
from annotations.formats.model.scheme import CATEGORY, Subject
from annotations.models import Attribute, Coding, Judgement, Level, Markable, Project
from annotations.models.coding import complete
from annotations.schemes.constraints import (
    Constraints,
    GivenAnswers,
    categories_on,
    is_asked,
    is_complete,
    lacks_category,
    missing_attributes,
    required_of_entities,
)
from annotations.schemes.project_scheme import question_labels, read_scheme

MAX_WORDS_LENGTH = 60


@dataclass(frozen=True, slots=True)
class RequiredAnswer:
    """A missing answer to an attribute of a markable, or of the markable's chain."""

    attribute: str
    markable: str
    of_chain: bool


class AnswersMissing(OperationRejected):
    """A submission without answers that the scheme requires; `missing` is in text order."""

    def __init__(self, message: str, missing: Sequence[RequiredAnswer], code: str = "missing_attribute") -> None:
        super().__init__(code, message)
        self.missing = missing


def refuse_missing_answers(coding: Coding) -> None:
    """Raise AnswersMissing if the coding lacks an answer that the scheme requires."""
    missing = missing_answers(coding)
    if not missing:
        return
    first = missing[0]
    label = read_scheme(coding.text.project_id).constraints["attributes"][first.attribute]["label"]
    words = words_at(coding.text.content, first.markable)
    message = f"Answer “{label}” for {'the chain of ' if first.of_chain else ''}“{words}” first."
    if len(missing) > 1:
        message += f" In all, {pluralize(len(missing), 'required answer')} are missing."
    raise AnswersMissing(message, missing)


def missing_answers(coding: Coding) -> list[RequiredAnswer]:
    """Return the required answers that judged markables lack, in text order. One query if nothing is required."""
    project = coding.text.project
    if not Attribute.objects.filter(project=project, required=True).exists():
        return []
    constraints = read_scheme(project.pk).constraints
    decisions = {decision.markable: decision for decision in decisions_of(coding)}
    judged = _judged(constraints, decisions)
    missing = [
        RequiredAnswer(attribute, key, of_chain=False)
        for key, given in judged.items()
        for attribute in missing_attributes(constraints, given)
    ]
    if required_of_entities(constraints):
        chains = chains_without(constraints, project.answers, decisions, judged)
        missing += [RequiredAnswer(key, asked[0], of_chain=True) for key, asked in chains]
    return sorted(missing, key=lambda answer: key_order(answer.markable))


def subtract_lacking(project: Project, codings: Iterable[Coding]) -> None:
    """Reduce `decided` of codings `with_progress` by the markables whose chain lacks a required answer."""
    # The database counts the answers of single markables. One query if nothing is required of entities.
    rows: list[Any] = [coding for coding in codings if coding.status == Coding.Status.OPEN]
    lacking = count_lacking(project, [row.pk for row in rows if row.decided])
    for row in rows:
        row.decided -= lacking.get(row.pk, 0)


def count_lacking(project: Project, codings: Collection[int]) -> dict[int, int]:
    """Return the number of otherwise complete markables whose chain lacks a required answer, by coding."""
    required = Attribute.objects.filter(project=project, required=True, retired=False, of=Subject.ENTITY)
    if not codings or not required.exists():
        return {}
    scheme = read_scheme(project.pk)
    constraints = scheme.constraints
    judgements = Judgement.objects.filter(coding__in=codings, markable__level__coded=True)
    counts = {}
    for pk, decisions in decisions_by_coding(judgements, scheme.further).items():
        judged = _judged(constraints, decisions)
        asked = {keys[0] for _, keys in chains_without(constraints, project.answers, decisions, judged)}
        counts[pk] = sum(is_complete(constraints, judged[key], has_index=bool(decisions[key].indices)) for key in asked)
    return counts


def _judged(constraints: Constraints, decisions: Mapping[str, Decision]) -> dict[str, GivenAnswers]:
    """Return the answers of each markable that has a category or, on a level without categories, any answer."""
    judged = {}
    for key, decision in decisions.items():
        level = key.partition(":")[0]
        given = given_answers(constraints, level, decision)
        if given.category is not None or (given.attributes and not categories_on(constraints, level)):
            judged[key] = given
    return judged


def chains_without(
    constraints: Constraints, answers: str, decisions: Mapping[str, Decision], judged: Mapping[str, GivenAnswers]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the required attributes without an answer in a chain, with the members that ask for one.

    A markable without index or pointer is a chain by itself.
    """
    targets = {target for decision in decisions.values() for target in decision.targets()}
    order = sorted({*decisions, *targets}, key=key_order)
    chains = {key: names or (key,) for key, names in chains_of(answers, order, decisions).items()}
    for members in members_of(chains).values():
        for key in required_of_entities(constraints):
            attribute = constraints["attributes"][key]
            asking = (member for member in members if member in judged and judged[member].level in attribute["levels"])
            asked = [member for member in asking if is_asked(attribute, judged[member])]
            answered = any(key in dict(decisions[member].attributes) for member in members if member in decisions)
            if asked and not answered:
                yield key, asked


def words_at(content: str, key: str) -> str:
    """Return the words of a markable, its parts joined by an ellipsis."""
    split = split_key(key)
    words = " … ".join(" ".join(content[start:end].split()) for start, end in split.parts) if split else key
    return words if len(words) <= MAX_WORDS_LENGTH else f"{words[: MAX_WORDS_LENGTH - 1]}…"


@dataclass(frozen=True, slots=True)
class Hole:
    """A question without an answer, with the markable, or the markables of a chain, where one may be given.

    question: the key of an attribute, or "category", which includes its antecedent or index.
    """

    markables: tuple[str, ...]
    question: str


def refuse_holes(gold: Coding) -> None:
    """Raise AnswersMissing with the answers that the gold or agreed pyramid lacks; the message names the first."""
    holes = find_holes([gold.pk]).get(gold.pk, [])
    if holes:
        missing = [RequiredAnswer(hole.question, hole.markables[0], len(hole.markables) > 1) for hole in holes]
        others = f" In all, {len(holes)} answers are missing." if len(holes) > 1 else ""
        first = describe_hole(holes[0], gold.text.content, question_labels(gold.text.project))
        raise AnswersMissing(f"Answer {first} first.{others}", missing, "undecided")


def refuse_empty_gold(coding: Coding) -> None:
    """Raise OperationRejected for gold without any answer: there would be nothing to compare coders with."""
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
    """Return the primary keys of the codings that are gold without any answer. One query.

    Gold is not empty where coders mark: that nothing is marked is a decision.
    """
    answered = Judgement.objects.filter(Q(category__isnull=False) | Q(answers__isnull=False), coding=OuterRef("pk"))
    marked = Level.objects.filter(project=OuterRef("text__project"), coders_mark=True)
    gold = Coding.objects.filter(pk__in=list(codings), kind=Coding.Kind.GOLD)
    return set(gold.filter(~Exists(answered), ~Exists(marked)).order_by().values_list("pk", flat=True))


def describe_hole(hole: Hole, content: str, labels: Callable[[str], str]) -> str:
    """Return the question with the words of the first markable where it may be answered."""
    return f"“{labels(hole.question)}” for “{words_at(content, hole.markables[0])}”"


def find_holes(gold: Collection[int]) -> dict[int, list[Hole]]:
    """Return the holes of gold codings or agreed pyramids of a project, by primary key, in text order.

    Each predefined markable needs an answer, unless coders mark its level: an unmarked one was left out. So does each
    marked one that gold has. At most eleven queries, for any number of codings.
    """
    project = Project.objects.filter(texts__codings__in=list(gold)[:1]).first()
    if project is None:
        return {}
    scheme = read_scheme(project.pk)
    judgements = Judgement.objects.filter(coding__in=list(gold), markable__level__coded=True)
    given = Markable.objects.filter(predefined=True, level__coded=True, level__coders_mark=False)
    judged = Judgement.objects.filter(coding=OuterRef("of_coding"), markable=OuterRef("pk"))
    unjudged = given.annotate(of_coding=F("text__codings")).filter(~Exists(judged), of_coding__in=list(gold))
    if not required_of_entities(scheme.constraints):  # otherwise all are read, as any member of a chain may answer
        judgements = judgements.exclude(complete())
    lists = decisions_by_coding(judgements, scheme.further)
    for coding, key in unjudged.values_list("of_coding", "key"):
        lists[coding][key] = Decision(key)
    return {pk: list(holes_in(scheme.constraints, project.answers, decisions)) for pk, decisions in lists.items()}


def holes_in(constraints: Constraints, answers: str, decisions: Mapping[str, Decision]) -> Iterator[Hole]:
    """Yield the holes of decisions on markables of coded levels, by key; an unjudged markable has an empty decision."""
    given = {
        key: given_answers(constraints, key.partition(":")[0], decisions[key])
        for key in sorted(decisions, key=key_order)
    }
    judged = {
        key: own for key, own in given.items() if own.category is not None or not categories_on(constraints, own.level)
    }
    for key, own in given.items():
        if lacks_category(constraints, own, has_index=bool(decisions[key].indices)):
            yield Hole((key,), CATEGORY)
        if key in judged:
            yield from (Hole((key,), attribute) for attribute in missing_attributes(constraints, own))
    if required_of_entities(constraints):
        chains = chains_without(constraints, answers, decisions, judged)
        yield from (Hole(tuple(asked), attribute) for attribute, asked in chains)
