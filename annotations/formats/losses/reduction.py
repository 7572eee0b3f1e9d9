"""Remove the features that a format cannot hold before writing, and count the losses; each feature has one rule."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from annotations.formats.losses.rules import RULES, LostAnswer, Rule
from annotations.formats.model.document import Document, Mark
from annotations.formats.model.features import Feature, describe_mark

MAX_EXAMPLES = 5
LOSSES_FILE = "LOSSES.txt"


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss of an export, with count and examples. question: the relation or attribute whose answers are lost."""

    feature: Feature
    count: int
    examples: tuple[str, ...] = ()
    question: str = ""

    @property
    def what(self) -> str:
        return f"{self.feature.value}, of {self.question}" if self.question else self.feature.value

    def __str__(self) -> str:
        return str(OtherLoss(self.what, self.count, self.examples))


@dataclass(frozen=True, slots=True)
class OtherLoss:
    """A loss of an export that is not a feature of a document."""

    what: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        examples = "; ".join(self.examples)
        return f"{self.count} × {self.what}{f': {examples}' if examples else ''}"


def reduce_document(document: Document, supported: frozenset[Feature]) -> tuple[Document, list[Loss]]:
    """Return the document reduced to the supported features, and the losses."""
    losses = []
    for feature, rule in _rules(supported):
        before = document
        document, lost = rule(before)
        # Losses that are not answers to a question have an empty name.
        by_question: dict[str, list[Mark | str]] = {}
        for loss in lost:
            question, what = loss if isinstance(loss, LostAnswer) else ("", loss)
            by_question.setdefault(question, []).append(what)
        for question, of_question in sorted(by_question.items()):
            shown = (mark if isinstance(mark, str) else describe_mark(before, mark) for mark in of_question)
            examples = tuple(f"{before.name}: {example}" for example in list(dict.fromkeys(shown))[:MAX_EXAMPLES])
            losses.append(Loss(feature, len(of_question), examples, question))
    return document, losses


@cache  # the same for all documents of a format
def _rules(supported: frozenset[Feature]) -> list[tuple[Feature, Rule]]:
    # A format that holds several antecedents also holds which one was named.
    supported = supported | {Feature.ANTECEDENTS} if Feature.AMBIGUITY in supported else supported
    # Without pointers a plural entity becomes an entity of its own, and relations may name only entities.
    supported |= {Feature.SPLIT} if Feature.POINTERS in supported else {Feature.PLURAL}
    if Feature.POINTERS in supported or Feature.RELATIONS not in supported:
        supported |= {Feature.TARGETS}
    if Feature.SPLIT not in supported or Feature.POINTERS in supported:
        supported |= {Feature.SPLIT_RELATION}
    return [(feature, RULES[feature]) for feature in Feature if feature not in supported]


def merge_losses(losses: Iterable[Loss]) -> list[Loss]:
    """Return the losses of several documents, merged by feature and question."""
    merged: dict[tuple[Feature, str], Loss] = {}
    for loss in losses:
        key = loss.feature, loss.question
        before = merged.get(key, Loss(loss.feature, 0, (), loss.question))
        examples = (*before.examples, *loss.examples)[:MAX_EXAMPLES]
        merged[key] = Loss(loss.feature, before.count + loss.count, examples, loss.question)
    order = {feature: number for number, feature in enumerate(Feature)}
    return sorted(merged.values(), key=lambda loss: (order[loss.feature], loss.question))
