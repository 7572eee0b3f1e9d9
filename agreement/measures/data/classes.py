"""Sets in compressed rows, and the chains that pointers make: what is below the same top."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..values import Ints
from .arrays import group, row_starts, run_offsets, sorted_unique


@dataclass(frozen=True, eq=False)
class SetRows:
    """Sets of members in compressed rows, ascending within each."""

    starts: Ints
    members: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def select(self, chosen: Ints, sizes: Ints | None = None) -> "SetRows":
        """Return the chosen sets, or as many of the first members of each as `sizes` says."""
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
    """Return the nodes, and what they reach by pointers; the pointers of known ones are not followed."""
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
