"""How answers differ from gold: in category, in what is marked, in the chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from agreement.data.documents import Document
from agreement.reports.links.coreference import Clusters

# Kinds of errors, in words: what gold has and the answer has not, or the other way round.
KINDS = {
    "category": "another answer",
    "missed": "not answered",
    "extra": "not in the gold",
    "split": "part of the chain",
    "merged": "chain with more in it",
    "mixed": "part of the chain, with more in it",
    "alone": "in no chain",
    "chain": "in a chain, alone in the gold",
}


@dataclass(frozen=True, slots=True, order=True)
class ErrorKind:
    """One of KINDS, with the answer of the gold and that of a coder; empty where there is none."""

    kind: str
    gold: str
    answer: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A unit in which a coder differs from gold."""

    text: Document
    unit: int
    error: ErrorKind


class ChainErrors:
    """How the chains of a coder differ from those of gold: by the numbers of units that chains have, and share."""

    def __init__(self, gold: Clusters, answer: Clusters) -> None:
        self.gold, self.answer = _number_chains(gold), _number_chains(answer)
        self.sizes = [Counter(side.values()) for side in (self.gold, self.answer)]
        self.shared = Counter((one, self.answer[unit]) for unit, one in self.gold.items() if unit in self.answer)

    def kind_of(self, text: int, unit: int) -> str:
        """Return how the chains of a unit differ; empty where they are equal, or there is none. Singletons are none."""
        first, second = self.gold.get((text, unit)), self.answer.get((text, unit))
        n_first, n_second = self.sizes[0][first] if first else 0, self.sizes[1][second] if second else 0
        if first is None or second is None or n_first < 2 or n_second < 2:
            return "" if n_first < 2 and n_second < 2 else "alone" if n_second < 2 else "chain"
        shared = self.shared[first, second]
        if shared == n_first:
            return "" if shared == n_second else "merged"
        return "split" if shared == n_second else "mixed"


def _number_chains(clusters: Clusters) -> dict[tuple[Hashable, Hashable], tuple[Hashable, int]]:
    return {
        (text, unit): (text, number)
        for text, chains in clusters.items()
        for number, chain in enumerate(chains)
        for unit in chain
    }
