"""Integer arrays: distinct numbers, runs, offsets, factorization, sets in compressed rows, and chains of pointers."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..values import Ints


def sorted_unique(numbers: Ints) -> Ints:
    """Return the distinct numbers, ascending. (`np.unique` puts them into a hash table: a hundred times as long.)"""
    ascending = np.sort(numbers, axis=None)
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def run_offsets(sizes: Ints) -> Ints:
    """Return 0, 1, 2, ... for each size, one after the other."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def row_starts(sizes: Ints | Sequence[int]) -> Ints:
    """Return where rows of these sizes begin, and the end of the last."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


def run_starts(ordered: Ints) -> Ints:
    """Return the index at which each run of equal numbers begins."""
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))


def distinct_rows(*columns: Ints) -> tuple[list[Ints], Ints]:
    """Return the different rows of columns of numbers from 0, in ascending order, and how often each comes.

    >>> columns, counts = distinct_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> [column.tolist() for column in columns], counts.tolist()
    ([[1, 1, 2], [6, 7, 5]], [1, 1, 2])
    """
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) < 64:  # numbers with all columns of a row in them are sorted many times faster than places of rows
        key = columns[0].copy()
        for column, width in zip(columns[1:], widths[1:], strict=True):
            key <<= width
            key |= column
        key.sort()
        begins = run_starts(key)
        rest, distinct = key[begins], []
        for width in widths[::-1]:
            distinct.append(rest & ((1 << width) - 1))
            rest >>= width
        return distinct[::-1], np.diff(begins, append=len(key))
    order = np.lexsort(columns[::-1])
    ordered = np.stack(columns)[:, order]
    begins = np.flatnonzero(np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    return list(ordered[:, begins]), np.diff(begins, append=len(order))


def pairs_in_runs(ordered: Ints) -> tuple[Ints, Ints]:
    """Return the index pairs (earlier, later) of all pairs of equal entries in ascending numbers."""
    places, begins = np.arange(len(ordered)), run_starts(ordered)
    sizes = np.diff(begins, append=len(ordered))
    later = np.repeat(begins + sizes, sizes) - places - 1
    earlier = np.repeat(places, later)
    return earlier, earlier + 1 + run_offsets(later)


def first_positions(numbers: Ints, n: int) -> Ints:
    """Return the index at which each of the numbers 0..n-1 appears first; the length if it does not appear."""
    positions = np.full(n, len(numbers), dtype=np.int64)
    positions[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return positions


def factorize_integers(numbers: Ints) -> tuple[list[int], Ints]:
    """Return the distinct integers in order of first appearance, and the index of each entry among them.

    >>> names, places = factorize_integers(np.array([7, 3, 7]))
    >>> names, places.tolist()
    ([7, 3], [0, 1, 0])
    """
    if not len(numbers):
        return [], np.zeros(0, dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > 8 * len(numbers) + 1024:
        distinct, first, shifted = np.unique(numbers, return_index=True, return_inverse=True)
    else:  # many times faster
        shifted = numbers - low
        first = first_positions(shifted, high - low + 1)
        distinct = np.arange(low, high + 1)
    present = np.flatnonzero(first < len(numbers))
    order = present[np.argsort(first[present])]
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(order))
    return distinct[order].tolist(), place[shifted]


def factorize(names: Sequence[Hashable] | Ints) -> tuple[Sequence[Hashable], Ints]:
    """Return the distinct names in order of first appearance, and the index of each name among them."""
    if isinstance(names, np.ndarray) and np.issubdtype(names.dtype, np.integer):
        distinct, places = factorize_integers(names)
        return tuple(distinct), places
    number_of: dict[Hashable, int] = {}
    numbers = [number_of.setdefault(name, len(number_of)) for name in names]
    return tuple(number_of), np.array(numbers, dtype=np.int64)


def group(keys: Ints, numbers: Ints) -> dict[int, list[int]]:
    """Return the numbers of each key."""
    grouped: dict[int, list[int]] = {}
    for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
        grouped.setdefault(key, []).append(number)
    return grouped


@dataclass(frozen=True, eq=False)
class SetRows:
    """Sets of members in compressed rows, ascending within each."""

    starts: Ints
    members: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def select(self, chosen: Ints, sizes: Ints | None = None) -> "SetRows":
        """Return the chosen sets, cut to their first `sizes` members if given."""
        sizes = self.sizes[chosen] if sizes is None else sizes
        return SetRows(row_starts(sizes), self.members[np.repeat(self.starts[chosen], sizes) + run_offsets(sizes)])

    @classmethod
    def from_pairs(cls, sets: Ints, members: Ints, n: int, width: int) -> "SetRows":
        """Return the sets 0..n-1 from pairs of a set and a member below `width`; equal pairs count once."""
        sets, members = np.divmod(sorted_unique(sets * width + members), max(width, 1))
        return cls(row_starts(np.bincount(sets, minlength=n)), members)

    def concatenate(self, more: "SetRows") -> "SetRows":
        """Return these sets and then the others."""
        starts = np.concatenate((self.starts, more.starts[1:] + self.starts[-1]))
        return SetRows(starts, np.concatenate((self.members, more.members)))


def find_chains(source: Ints, target: Ints, n: int) -> tuple[Ints, Ints]:
    """Return pairs of a node and a chain that it is in, given pointers between the nodes 0..n-1; both are integers.

    A node that reaches several tops is in several chains, and one without pointers may be alone in its own.

    >>> node, chain = find_chains(np.array([1, 2]), np.array([0, 0]), 4)
    >>> node.tolist(), chain.tolist()
    ([0, 1, 2, 3], [0, 0, 0, 3])
    """
    classes = find_classes(source, target, n)
    return np.repeat(np.arange(n), classes.sizes), classes.members


def find_classes(source: Ints, target: Ints, n: int) -> SetRows:
    """Return for each of n nodes the tops that it reaches by pointers; a cycle that nothing leaves is one top."""
    degree = np.bincount(source, minlength=n)
    parent = np.arange(n)
    single = degree[source] == 1
    parent[source[single]] = target[single]
    step = parent
    for _ in range(max(n, 2).bit_length()):
        parent = parent[parent]
    # what has several pointers, or goes round in a cycle, is followed on what is left
    root = np.where(step[parent] == parent, parent, np.arange(n))
    followed = ((degree > 1) | (step[parent] != parent))[source]
    tops = {
        node: ends for node, ends in _find_tops(group(source[followed], root[target[followed]])).items() if degree[node]
    }
    own = np.ones(n, dtype=np.bool_)
    own[list(tops)] = False
    plain = np.flatnonzero(own)
    nodes = np.repeat(np.array(list(tops), dtype=np.int64), [len(ends) for ends in tops.values()])
    reached = np.array([top for ends in tops.values() for top in ends], dtype=np.int64)
    ends = SetRows.from_pairs(np.concatenate((plain, nodes)), np.concatenate((plain, reached)), n, n)
    return ends.select(root)


def reach(nodes: Iterable[int], pointers: Mapping[int, Sequence[int]], known: Iterable[int] = ()) -> set[int]:
    """Return the nodes and all nodes that they reach by pointers, without following pointers of known nodes."""
    reached, ahead = set(known), list(nodes)
    while ahead:
        node = ahead.pop()
        if node not in reached:
            reached.add(node)
            ahead.extend(pointers.get(node, ()))
    return reached


def _find_tops(pointers: Mapping[int, Sequence[int]]) -> dict[int, frozenset[int]]:
    """Return for each source or target the tops that it reaches.

    Tarjan's algorithm without recursion: a component is complete after all that it points to. One that reaches nothing
    else is a top, named by one of its nodes.
    """
    tops: dict[int, frozenset[int]] = {}
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    for root in pointers:
        path = [] if root in number else [(root, iter(pointers[root]))]
        while path:
            node, targets = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                open_nodes.append(node)
            for target in targets:
                if target not in number:
                    path.append((target, iter(pointers.get(target, ()))))
                    break
                if target not in tops:
                    low[node] = min(low[node], number[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    component = [open_nodes.pop()]
                    while component[-1] != node:
                        component.append(open_nodes.pop())
                    ends = {tops[to] for member in component for to in pointers.get(member, ()) if to in tops}
                    ends = ends or {frozenset((component[0],))}
                    shared = ends.pop() if len(ends) == 1 else frozenset().union(*ends)
                    tops.update(dict.fromkeys(component, shared))
    return tops
