"""What a format cannot hold of a document: named, counted and taken out before it is written.

Each feature has one rule, in `rules`. `read(write(reduced))` is the reduced document; the tests hold every format
to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from annotations.formats.losses.rules import RULES, Rule
from annotations.formats.model.document import Document
from annotations.formats.model.features import Feature

MOST_EXAMPLES = 5
# The report in the zip of an export.
LOSSES_FILE = "LOSSES.txt"


@dataclass(frozen=True, slots=True)
class Loss:
    """What an export leaves out: how often, with some examples."""

    feature: Feature
    count: int
    examples: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        return self.feature.value

    def __str__(self) -> str:
        return _describe(self.what, self.count, self.examples)


@dataclass(frozen=True, slots=True)
class OtherLoss:
    """The same of what is no document and has no features."""

    what: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return _describe(self.what, self.count, self.examples)


def _describe(what: str, count: int, examples: Iterable[str]) -> str:
    text = "; ".join(examples)
    return f"{count} × {what}{f': {text}' if text else ''}"


def reduce_document(document: Document, supported: frozenset[Feature]) -> tuple[Document, list[Loss]]:
    """Return the document as a format that supports those features can hold it, and what that leaves out."""
    losses = []
    for feature, rule in _rules(supported):
        document, lost = rule(document)
        if lost:
            examples = tuple(f"{document.name}: {example}" for example in list(dict.fromkeys(lost))[:MOST_EXAMPLES])
            losses.append(Loss(feature, len(lost), examples))
    return document, losses


@cache  # for the next document of the format
def _rules(supported: frozenset[Feature]) -> list[tuple[Feature, Rule]]:
    """Return what is taken out for a format that supports those features."""
    # What can name several antecedents can name the one that was named.
    supported = supported | {Feature.ANTECEDENTS} if Feature.AMBIGUITY in supported else supported
    return [(feature, RULES[feature]) for feature in Feature if feature not in supported]


def merge_losses(losses: Iterable[Loss]) -> list[Loss]:
    """Return the losses of several documents, one a feature."""
    by_feature: dict[Feature, Loss] = {}
    for loss in losses:
        merged = by_feature.get(loss.feature, Loss(loss.feature, 0))
        examples = (*merged.examples, *loss.examples)[:MOST_EXAMPLES]
        by_feature[loss.feature] = Loss(loss.feature, merged.count + loss.count, examples)
    return [by_feature[feature] for feature in Feature if feature in by_feature]
