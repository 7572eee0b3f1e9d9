"""Units with the same labels counted together, by text: the base of coefficients and tables of labels."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data.arrays import distinct_rows, run_starts
from ..data.reliability_data import ReliabilityData
from ..values import Bools, Floats, Ints, Label
from .sufficient_statistics import Matrix, is_large, sparse_sums


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """Patterns, the numbers of coders by label, and the number of units with each pattern by text.

    `n_coders` (patterns,) is how many coders labelled a unit of each pattern. `pattern`, `label` and `count` (entries,)
    say how many of them gave it a label, which is a place in `labels`, ascending. `text`, `text_pattern` and
    `text_units` (rows,) say how many units of a text, a place in `documents`, have a pattern; texts are ascending.
    Once labels are merged, several patterns may be alike.

    >>> data = ReliabilityData.from_values("ABC", ["Ann", "Bob"], [["x", "x"], ["x", "y"], ["y", "x"]], ["text"] * 3)
    >>> patterns = LabelPatterns.from_data(data)
    >>> patterns.n_units.tolist(), patterns.count_pairs().tolist()
    ([1, 2], [[2, 2], [2, 0]])
    """

    documents: Sequence[Hashable]
    labels: Sequence[Label]
    n_coders: Ints
    pattern: Ints
    label: Ints
    count: Ints
    text: Ints
    text_pattern: Ints
    text_units: Ints

    @classmethod
    def from_data(cls, data: ReliabilityData, labels: Sequence[Label] | None = None) -> "LabelPatterns":
        """Return the patterns of data without sets, in the order of the labels. Raises ValueError for other values.

        labels: all labels of the data, in this order, and perhaps more; None: as the data have them.
        """
        if data.has_sets:
            raise ValueError("patterns are of labels, and some values are sets")
        labels = data.labels if labels is None else labels
        place = {label: number for number, label in enumerate(labels)}
        number = np.array([*(place[label] for label in data.labels), -1], dtype=np.int64)
        codes = np.sort(number[data.codes], axis=1)  # what is missing is -1 and comes first
        (text, *given), text_units = distinct_rows(data.document_of_unit, *(codes + 1).T)
        given_in_texts = np.array(given, dtype=np.int64).reshape(codes.shape[1], len(text)).T - 1
        # of many coders few may judge a text: what is missing in all rows tells none of them apart
        given_in_texts = given_in_texts[:, (given_in_texts >= 0).any(axis=0)]
        of_patterns, text_pattern = np.unique(given_in_texts, axis=0, return_inverse=True)
        pattern, column = np.nonzero(of_patterns >= 0)
        found = of_patterns[pattern, column]
        begins = run_starts(pattern * (len(labels) + 1) + found)
        return cls(
            data.documents,
            labels,
            (of_patterns >= 0).sum(axis=1),
            pattern[begins],
            found[begins],
            np.diff(begins, append=len(pattern)),
            text,
            text_pattern.reshape(-1),
            text_units,
        )

    @classmethod
    def concatenate(cls, parts: Sequence["LabelPatterns"], labels: Sequence[Label]) -> "LabelPatterns":
        """Return the patterns of the texts of all parts; those of different parts may be alike.

        labels: all labels of the parts, each part having its own in this order.
        """
        place = {label: number for number, label in enumerate(labels)}
        rows, n_patterns, n_texts = list[tuple[Ints, ...]](), 0, 0
        for part in parts:
            label = np.array([place[label] for label in part.labels], dtype=np.int64)[part.label]
            text, text_pattern = part.text + n_texts, part.text_pattern + n_patterns
            rows.append(
                (part.n_coders, part.pattern + n_patterns, label, part.count, text, text_pattern, part.text_units)
            )
            n_patterns, n_texts = n_patterns + len(part.n_coders), n_texts + len(part.documents)
        documents = [document for part in parts for document in part.documents]
        return cls(documents, labels, *map(np.concatenate, zip(*rows, strict=True)))

    @cached_property
    def n_units(self) -> Ints:
        """The units of all texts that have each pattern."""
        sums = np.bincount(self.text_pattern, weights=self.text_units, minlength=len(self.n_coders))
        return sums.astype(np.int64)

    def select(self, chosen: Bools) -> "LabelPatterns":
        """Return some of the patterns."""
        if chosen.all():
            return self
        place, entries, rows = np.cumsum(chosen) - 1, chosen[self.pattern], chosen[self.text_pattern]
        return replace(
            self,
            n_coders=self.n_coders[chosen],
            pattern=place[self.pattern[entries]],
            label=self.label[entries],
            count=self.count[entries],
            text=self.text[rows],
            text_pattern=place[self.text_pattern[rows]],
            text_units=self.text_units[rows],
        )

    def count_in_texts(self, chosen: Bools | None = None) -> Ints:
        """Return how many units of each text have a pattern, or one of the chosen ones: (documents,)."""
        numbers = self.text_units if chosen is None else self.text_units * chosen[self.text_pattern]
        return np.bincount(self.text, weights=numbers, minlength=len(self.documents)).astype(np.int64)

    def collapse(self, mapping: Mapping[Label, Label]) -> "LabelPatterns":
        """Return the patterns with some labels merged: each label of the mapping becomes what it maps to."""
        places: dict[Label, int] = {}
        number = [places.setdefault(mapping.get(label, label), len(places)) for label in self.labels]
        label = np.array(number, dtype=np.int64)[self.label]
        order = np.lexsort((label, self.pattern))
        pattern, label = self.pattern[order], label[order]
        begins = run_starts(pattern * (len(places) + 1) + label)
        count = np.add.reduceat(self.count[order], begins) if len(begins) else self.count
        return replace(self, labels=tuple(places), pattern=pattern[begins], label=label[begins], count=count)

    @cached_property
    def agreements(self) -> Floats:
        """The share of the pairs of coders that agree on a unit of each pattern, NaN where there is no pair."""
        agreed = np.bincount(self.pattern, weights=self.count * (self.count - 1), minlength=len(self.n_coders))
        pairs = self.n_coders * (self.n_coders - 1)
        agreements: Floats = np.divide(agreed, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
        return agreements

    @property
    def weight(self) -> Ints:
        """The number of units that have the pattern of each entry."""
        return self.n_units[self.pattern]

    def count_coders(self, labels: Sequence[int]) -> Ints:
        """Return how many coders gave a unit of each pattern one of these labels, by their places: (patterns,)."""
        entries = np.isin(self.label, labels)
        sums = np.bincount(self.pattern[entries], weights=self.count[entries], minlength=len(self.n_coders))
        return sums.astype(np.int64)

    def count_judgements(self) -> Ints:
        """Return how often each label was given: (labels,)."""
        return self._sum_by_label(self.weight * self.count).astype(np.int64)

    def share_units(self) -> Floats:
        """Return how many units each label has, a unit being divided among its coders: (labels,)."""
        shares: Floats = self.weight * self.count / self.n_coders[self.pattern]
        return self._sum_by_label(shares)

    def disagreements(self) -> Floats:
        """Return the sum over units of the share of pairs of coders of which one gives the label, one another."""
        n_coders = self.n_coders[self.pattern]
        paired = n_coders >= 2
        apart = np.zeros(len(n_coders))
        apart[paired] = 2 * (self.count * (n_coders - self.count))[paired] / (n_coders * (n_coders - 1))[paired]
        return self._sum_by_label(self.weight * apart)

    def count_pairs(self) -> Ints:
        """Return how often label meets label: each two coders of a unit count once in each order, (labels, labels)."""
        n, width = len(self.labels), int(np.bincount(self.pattern).max(initial=0))
        pairs = np.zeros(n * n)
        same = self.weight * self.count * (self.count - 1)
        pairs += np.bincount(self.label * n + self.label, weights=same, minlength=n * n)
        for step in range(1, width):
            first = np.flatnonzero(self.pattern[:-step] == self.pattern[step:])
            second = first + step
            weight = (self.weight * self.count)[first] * self.count[second]
            for a, b in ((first, second), (second, first)):
                pairs += np.bincount(self.label[a] * n + self.label[b], weights=weight, minlength=n * n)
        return pairs.astype(np.int64).reshape(n, n)

    def sums_by_text(self) -> Matrix:
        """Return by text what Fleiss' kappa follows from: agreement of pairs, units with pairs, and units by label."""
        from scipy import sparse

        shape = len(self.documents), 2 + len(self.labels)
        paired = np.flatnonzero(self.n_coders >= 2)
        of_patterns = sparse_sums(
            np.concatenate((paired, paired, self.pattern)),
            np.concatenate((np.zeros_like(paired), np.ones_like(paired), 2 + self.label)),
            np.concatenate((self.agreements[paired], np.ones(len(paired)), self.count / self.n_coders[self.pattern])),
            (len(self.n_coders), shape[1]),
        )
        if is_large(shape):
            of_patterns = sparse.csr_array(of_patterns)
        begins = np.searchsorted(self.text, np.arange(shape[0] + 1))
        units = (self.text_units.astype(np.float64), self.text_pattern, begins)
        return sparse.csr_array(units, shape=(shape[0], len(self.n_coders))) @ of_patterns

    def _sum_by_label(self, terms: Floats | Ints) -> Floats:
        sums: Floats = np.bincount(self.label, weights=terms, minlength=len(self.labels))
        return sums
