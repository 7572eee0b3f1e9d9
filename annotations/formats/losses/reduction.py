"""What a format cannot hold of a document: named, counted and taken out before it is written.

Each feature has one rule, in `rules`. `reading(writing(carried(document)))` is `carried(document)`; the tests hold
every format to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from annotations.formats.document import Document
from annotations.formats.features import Feature
from annotations.formats.rules import RULES, Rule

__all__ = ["Feature", "Loss", "Lost", "carried", "together"]

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
        return _in_words(self.what, self.count, self.examples)


@dataclass(frozen=True, slots=True)
class Lost:
    """The same of what is no document and has no features."""

    what: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return _in_words(self.what, self.count, self.examples)


def _in_words(what: str, count: int, examples: Iterable[str]) -> str:
    shown = "; ".join(examples)
    return f"{count} × {what}{f': {shown}' if shown else ''}"


def carried(document: Document, carries: frozenset[Feature]) -> tuple[Document, list[Loss]]:
    """The document as a format that carries those features can hold it, and what that leaves out."""
    losses = []
    for feature, rule in _rules(carries):
        document, lost = rule(document)
        if lost:
            examples = tuple(f"{document.name}: {example}" for example in list(dict.fromkeys(lost))[:MOST_EXAMPLES])
            losses.append(Loss(feature, len(lost), examples))
    return document, losses


@cache  # for the next document of the format
def _rules(carries: frozenset[Feature]) -> list[tuple[Feature, Rule]]:
    """What is taken out for a format that carries those features."""
    # What can name several antecedents can name the one that was named.
    carries = carries | {Feature.ANTECEDENTS} if Feature.AMBIGUITY in carries else carries
    return [(feature, RULES[feature]) for feature in Feature if feature not in carries]


def together(losses: Iterable[Loss]) -> list[Loss]:
    """The losses of several documents, one a feature."""
    found: dict[Feature, Loss] = {}
    for loss in losses:
        before = found.get(loss.feature, Loss(loss.feature, 0))
        examples = (*before.examples, *loss.examples)[:MOST_EXAMPLES]
        found[loss.feature] = Loss(loss.feature, before.count + loss.count, examples)
    return [found[feature] for feature in Feature if feature in found]
