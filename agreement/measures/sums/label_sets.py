"""Sets whose members are labels: a coder may give a unit several categories, which mean the same in every document.

Such a set is one label among others, shared by all documents; what two of them have in common is known from the labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..distances import distance_from_sizes
from ..options import Options
from ..values import Floats, Ints, Label


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The labels that are sets: their places among all labels, their sizes, and the members that each two share."""

    places: Ints
    sizes: Ints
    shared: Ints

    @classmethod
    def from_labels(cls, labels: Sequence[Label]) -> "LabelSets":
        """Return those of some labels; there may be none."""
        sets = [(place, label) for place, label in enumerate(labels) if isinstance(label, frozenset)]
        number: dict[Label, int] = {}
        members = [[number.setdefault(member, len(number)) for member in label] for _, label in sets]
        inside = np.zeros((len(sets), len(number)), dtype=np.int64)
        for row, own in enumerate(members):
            inside[row, own] = 1
        places = np.array([place for place, _ in sets], dtype=np.int64)
        return cls(places, inside.sum(axis=1), inside @ inside.T)

    def distances(self, name: str, options: Options) -> Floats:
        """Return the distances of each two of them."""
        return distance_from_sizes(
            self.sizes[:, None], self.sizes[None, :], self.shared, name, empty=options.empty, thirds=options.thirds
        )


def label_similarities(labels: Sequence[Label], name: str, options: Options) -> Floats | None:
    """Return how similar each two labels are, 1 - distance: a label to itself wholly, to another only if both are sets.

    None where no two different labels are similar.
    """
    if name == "nominal" or not any(isinstance(label, frozenset) for label in labels):
        return None
    sets = LabelSets.from_labels(labels)
    similar = np.eye(len(labels))
    similar[np.ix_(sets.places, sets.places)] = 1 - sets.distances(name, options)
    return similar


def count_similar_pairs(counts: Floats, similar: Floats | None) -> Floats:
    """Return the sum of similarities over all ordered pairs of different judgements; counts (replicates, labels)."""
    pairs: Floats = (counts**2 if similar is None else (counts @ similar) * counts).sum(axis=1) - counts.sum(axis=1)
    return pairs
