"""What a format cannot hold of a document: named, counted and taken out before it is written, by one rule a feature."""

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
    """What an export leaves out: how often, with some examples. question: the relation or attribute that it answers."""

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
    """The same of what is no document and has no features."""

    what: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        examples = "; ".join(self.examples)
        return f"{self.count} × {self.what}{f': {examples}' if examples else ''}"


def reduce_document(document: Document, supported: frozenset[Feature]) -> tuple[Document, list[Loss]]:
    """Return the document as a format that supports those features can hold it, and what that leaves out."""
    losses = []
    for feature, rule in _rules(supported):
        before = document
        document, lost = rule(before)
        # Under an empty name what answers no question of the scheme.
        by_question: dict[str, list[Mark | str]] = {}
        for each in lost:
            question, what = each if isinstance(each, LostAnswer) else ("", each)
            by_question.setdefault(question, []).append(what)
        for question, of_question in sorted(by_question.items()):
            shown = (each if isinstance(each, str) else describe_mark(before, each) for each in of_question)
            examples = tuple(f"{before.name}: {example}" for example in list(dict.fromkeys(shown))[:MAX_EXAMPLES])
            losses.append(Loss(feature, len(of_question), examples, question))
    return document, losses


@cache  # for the next document of the format
def _rules(supported: frozenset[Feature]) -> list[tuple[Feature, Rule]]:
    # What can name several antecedents can name the one that was named.
    supported = supported | {Feature.ANTECEDENTS} if Feature.AMBIGUITY in supported else supported
    # Without pointers a plural entity is one of its own; relations that there are may name entities alone.
    supported |= {Feature.SPLIT} if Feature.POINTERS in supported else {Feature.PLURAL}
    if Feature.POINTERS in supported or Feature.RELATIONS not in supported:
        supported |= {Feature.TARGETS}
    if Feature.SPLIT not in supported or Feature.POINTERS in supported:
        supported |= {Feature.SPLIT_RELATION}
    return [(feature, RULES[feature]) for feature in Feature if feature not in supported]


def merge_losses(losses: Iterable[Loss]) -> list[Loss]:
    """Return the losses of several documents, one a feature and question."""
    merged: dict[tuple[Feature, str], Loss] = {}
    for loss in losses:
        key = loss.feature, loss.question
        before = merged.get(key, Loss(loss.feature, 0, (), loss.question))
        examples = (*before.examples, *loss.examples)[:MAX_EXAMPLES]
        merged[key] = Loss(loss.feature, before.count + loss.count, examples, loss.question)
    order = {feature: number for number, feature in enumerate(Feature)}
    return sorted(merged.values(), key=lambda loss: (order[loss.feature], loss.question))
