"""Which sets of one coder are those of another: SCUs of two pyramids by their words, chains by their markables."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from ..coefficients.relations import relation
from ..options import check_option
from ..values import Floats

SIMILARITIES = ("jaccard", "dice")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two sets that share members; `relation` is identity, subsumption or intersection, as in RELATIONS.

    `jaccard` is the number of shared members over that of the members of either. `matched`: the assignment that makes
    the sum of similarities largest has put them together.
    """

    first: Hashable
    second: Hashable
    shared: int
    only_first: int
    only_second: int
    jaccard: float
    relation: str
    matched: bool

    @property
    def dice(self) -> float:
        """Twice the shared members over the members of both: phi 4 of CEAF (Luo 2005)."""
        return 2 * self.shared / (2 * self.shared + self.only_first + self.only_second)


def match_sets[K: Hashable](
    first: Mapping[K, Collection[Hashable]], second: Mapping[K, Collection[Hashable]], similarity: str = "jaccard"
) -> tuple[Overlap, ...]:
    """Return all pairs of a set of the first and one of the second that share members, and which of them match.

    Each set is matched with at most one, so that the sum of the similarities of the matched, Jaccard coefficients or
    with "dice" those by which CEAF aligns entities, is as large as it can be (the assignment problem; Crouse 2016 in
    SciPy). Between equal sums the members decide, in their order where they have one, so that neither the order of the
    mappings nor the names of the sets matter. Pairs stand by the names of their first, then of their second. Raises
    ValueError for another similarity.

    >>> [(one.first, one.second, one.relation, one.matched) for one in match_sets(
    ...     {"a": {1, 2, 3, 4}, "b": {5, 7}, "c": {6}}, {"a": {1, 2, 3, 4, 5, 6, 7}})]
    [('a', 'a', 'subsumption', True), ('b', 'a', 'subsumption', False), ('c', 'a', 'subsumption', False)]
    """
    check_option("similarity", similarity, SIMILARITIES)
    rows, columns = _sort_by_members(first), _sort_by_members(second)
    a, b = [frozenset(first[name]) for name in rows], [frozenset(second[name]) for name in columns]
    place: dict[Hashable, list[int]] = {}
    for column, members in enumerate(b):
        for member in members:
            place.setdefault(member, []).append(column)
    shared = np.zeros((len(a), len(b)), dtype=np.int64)
    for row, members in enumerate(a):
        for member in members:
            shared[row, place.get(member, [])] += 1
    sizes = np.array([len(one) for one in a])[:, None] + np.array([len(one) for one in b])[None, :]
    jaccard = np.divide(shared, sizes - shared, out=np.zeros(shared.shape), where=sizes > shared)
    dice = np.divide(2 * shared, sizes, out=np.zeros(shared.shape), where=sizes > 0)
    matched = _assign(dice if similarity == "dice" else jaccard)
    overlaps = [
        Overlap(
            first=rows[row],
            second=columns[column],
            shared=int(shared[row, column]),
            only_first=len(a[row]) - int(shared[row, column]),
            only_second=len(b[column]) - int(shared[row, column]),
            jaccard=float(jaccard[row, column]),
            relation=relation(a[row], b[column]),
            matched=(row, column) in matched,
        )
        for row, column in np.argwhere(shared > 0).tolist()
    ]
    return tuple(sorted(overlaps, key=lambda one: (_sort_key(one.first), _sort_key(one.second))))


def _sort_by_members[K: Hashable](sets: Mapping[K, Collection[Hashable]]) -> list[K]:
    """Return the names of the sets in the order of their members; equal sets stand by name."""
    members = dict.fromkeys(member for own in sets.values() for member in own)
    try:
        order = sorted(members)  # type: ignore[type-var]
    except TypeError:  # of several types
        order = sorted(members, key=_sort_key)
    place = {member: number for number, member in enumerate(order)}
    return sorted(sets, key=lambda name: (sorted(place[member] for member in sets[name]), _sort_key(name)))


def _assign(similarities: Floats) -> set[tuple[int, int]]:
    if not similarities.size:
        return set()
    from scipy.optimize import linear_sum_assignment

    return set(zip(*(side.tolist() for side in linear_sum_assignment(similarities, maximize=True)), strict=True))


def _sort_key(name: Hashable) -> tuple[str, str]:
    return type(name).__name__, str(name)
