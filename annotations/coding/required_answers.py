"""Required answers that a coding lacks: `missingRequired` of the coding page follows the same rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.coding.chains import chains_of, members_of
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import decisions_by_coding, decisions_of
from annotations.coding.rules import given_answers
from annotations.core.text import pluralize
from annotations.formats.model.keys import split_key
from annotations.formats.model.scheme import Subject
from annotations.models import Attribute, Coding, Judgement, Project
from annotations.schemes.constraints import (
    AttributeConstraints,
    Constraints,
    GivenAnswers,
    categories_on,
    is_asked,
    is_complete,
    missing_attributes,
    required_of_entities,
)
from annotations.schemes.project_scheme import read_scheme

MAX_WORDS_LENGTH = 60


@dataclass(frozen=True, slots=True)
class RequiredAnswer:
    """An answer that is missing: to an attribute of a markable, or of the chain in which the markable is."""

    attribute: str
    markable: str
    of_chain: bool


class AnswersMissing(OperationRejected):
    """A submission without answers that the scheme requires; `missing` in text order."""

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
    """Return the required answers that the coding lacks, in text order.

    Undecided markables lack none. A query where the scheme requires nothing.
    """
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
    return sorted(missing, key=lambda answer: text_order(answer.markable))


def subtract_lacking(project: Project, codings: Iterable[Coding]) -> None:
    """Count as undecided, of codings `with_progress`, where the chain lacks an answer that is required of entities.

    The database counts what is said of single markables. A query where nothing is required of entities.
    """
    rows: list[Any] = [coding for coding in codings if coding.status == Coding.Status.OPEN]
    lacking = count_lacking(project, [row.pk for row in rows if row.decided])
    for row in rows:
        row.decided -= lacking.get(row.pk, 0)


def count_lacking(project: Project, codings: Collection[int]) -> dict[int, int]:
    """Return at how many markables that are answered else a required answer of their chains is missing, by coding."""
    required = Attribute.objects.filter(project=project, required=True, retired=False, of=Subject.ENTITY)
    if not codings or not required.exists():
        return {}
    scheme = read_scheme(project.pk)
    constraints = scheme.constraints
    judgements = Judgement.objects.filter(coding__in=codings, markable__level__coded=True)
    found = {}
    for pk, decisions in decisions_by_coding(judgements, scheme.further).items():
        judged = _judged(constraints, decisions)
        asked = {keys[0] for _, keys in chains_without(constraints, project.answers, decisions, judged)}
        found[pk] = sum(is_complete(constraints, judged[key], has_index=bool(decisions[key].indices)) for key in asked)
    return found


def _judged(constraints: Constraints, decisions: Mapping[str, Decision]) -> dict[str, GivenAnswers]:
    """Return what is answered of each markable that has a category or, on a level without categories, any answer."""
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
    """Yield what is asked at some member of a chain and answered at none, with the members at which it is asked.

    A markable that no index or pointer joins to others is a chain of its own.
    """
    targets = {target for decision in decisions.values() for target in decision.targets()}
    order = sorted({*decisions, *targets}, key=text_order)
    chains = {key: names or (key,) for key, names in chains_of(answers, order, decisions).items()}
    for members in members_of(chains).values():
        for key in required_of_entities(constraints):
            attribute = constraints["attributes"][key]
            asked = [member for member in members if member in judged and _is_asked_at(attribute, judged[member])]
            answered = any(key in dict(decisions[member].attributes) for member in members if member in decisions)
            if asked and not answered:
                yield key, asked


def _is_asked_at(attribute: AttributeConstraints, given: GivenAnswers) -> bool:
    return given.level in attribute["levels"] and is_asked(attribute, given)


def words_at(content: str, key: str) -> str:
    """Return the words of a markable, its parts joined by an ellipsis."""
    place = split_key(key)
    words = " … ".join(" ".join(content[start:end].split()) for start, end in place.parts) if place else key
    return words if len(words) <= MAX_WORDS_LENGTH else f"{words[: MAX_WORDS_LENGTH - 1]}…"


def text_order(key: str) -> tuple[int, int, str]:
    place = split_key(key)
    assert place is not None, f"{key!r} is no key of a markable"
    return place.parts[0][0], -place.parts[-1][1], key
