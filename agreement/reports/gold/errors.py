"""How answers differ from gold: in category, in what is marked, in the chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ReliabilityData
from agreement.measures.values import Bools, Ints
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


@dataclass(frozen=True, slots=True)
class FrequentError:
    """How often answers differ from gold in one way, and an example; `coders` have made it."""

    error: ErrorKind
    number: int
    coders: tuple[str, ...]
    example: Difference


def find_differences(
    extract: ProjectAnswers,
    texts: Sequence[Document],
    data: ReliabilityData,
    document: Ints,
    columns: tuple[int, int],
    has_work: Bools,
    chains: tuple[Clusters, Clusters] | None,
) -> Iterator[Difference]:
    """Yield where a coder differs from gold, in the order of the data.

    data: the categories, of which `columns` are those of gold and of the coder. document: the place of each unit's
    document among `texts`. has_work: in which documents the coder has a coding. chains: those of gold and of the coder,
    where they make such; they are compared where the category is the same.
    """
    gold, answer = (data.codes[:, column] for column in columns)
    sizes = _Chains(*chains) if chains else None
    differs = (gold != answer) & has_work[document]
    rows = has_work[document] & (gold >= 0) & (gold == answer) if sizes else np.zeros_like(differs)
    for row in np.flatnonzero(differs | rows).tolist():
        text, unit = texts[document[row]], int(str(data.units[row]))
        codes = int(gold[row]), int(answer[row])
        names = ["" if code < 0 else extract.describe(data.labels[code]) for code in codes]
        kind = ("extra" if codes[0] < 0 else "missed" if codes[1] < 0 else "category") if differs[row] else ""
        if not kind and sizes:
            kind = sizes.kind_of(text.pk, unit)
        if kind:
            yield Difference(text, unit, ErrorKind(kind, *names))


class _Chains:
    """The chains of gold and of a coder: of each unit the number of its chain, and how many units two chains share."""

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


def count_errors(differences: Mapping[str, Sequence[Difference]]) -> list[FrequentError]:
    """Return the errors of some coders, the most frequent first."""
    counts: Counter[ErrorKind] = Counter()
    coders: dict[ErrorKind, dict[str, None]] = {}
    examples: dict[ErrorKind, Difference] = {}
    for coder, of_coder in differences.items():
        for one in of_coder:
            counts[one.error] += 1
            coders.setdefault(one.error, {})[coder] = None
            examples.setdefault(one.error, one)
    ordered = sorted(counts, key=lambda error: (-counts[error], error))
    return [FrequentError(error, counts[error], tuple(coders[error]), examples[error]) for error in ordered]
