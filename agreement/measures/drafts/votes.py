"""Joins by coders in a document, as classes: nodes of one class are joined with the same nodes.

A node is a unit, or another member of the sets that coders gave (a turn that they point to). A coder joins two nodes
where each is in the other's value, parts them where both have a set and that is not so, and says nothing of a node
that has a label, or is not marked. Of chains that share no member a class is a chain; where an ambiguous unit is in
several, it is in a class of its own, adjacent to theirs. So whatever is summed over pairs is summed over classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..values import Readings, Value, unite_readings

NO_VOTE = -1

type Entity = frozenset[Hashable]
type ValueSet = frozenset[Hashable] | Readings
# Of each node its class or NO_VOTE; of each class those whose nodes are joined with its own.
type Profile = tuple[int, ...]
# Rounds of moves and merges, of which each makes the sum larger or is the last; texts take fewer than ten.
MAX_ROUNDS = 100


@dataclass(frozen=True)
class JoinClasses:
    """The joins of one coder or a draft: class by node, and adjacent classes (itself included) by class."""

    of_node: Sequence[int]
    adjacent: Sequence[Sequence[int]]


@dataclass(frozen=True)
class DocumentAnswers:
    """The answers in one document: `codes` has a row a unit, in text order, with a code of `values` for each coder.

    Codes below `n_labels` are labels. `nodes` numbers the units, then the other members. `coded` says which coders
    coded the document.
    """

    document: Hashable
    units: Sequence[Hashable]
    codes: Sequence[Sequence[int]]
    values: Sequence[Value]
    n_labels: int
    nodes: dict[Hashable, int]
    coded: tuple[bool, ...]

    @cached_property
    def classes(self) -> list[JoinClasses]:
        """The joins of each coder; classes of different coders have different numbers."""
        classes: list[JoinClasses] = []
        for column, coded in zip(zip(*self.codes, strict=True), self.coded, strict=True):
            sets = [self.set_of(code) for code in column]
            classes.append(self.find_classes(sets, coded=coded, first=sum(len(c.adjacent) for c in classes)))
        return classes

    @cached_property
    def adjacent(self) -> list[Sequence[int]]:
        """The adjacent classes of each class of any coder."""
        return [adjacent for of_coder in self.classes for adjacent in of_coder.adjacent]

    @cached_property
    def profiles(self) -> list[Profile]:
        """The classes of each node by coder; no coder separates nodes with equal profiles."""
        return list(zip(*(of_coder.of_node for of_coder in self.classes), strict=True))

    def set_of(self, code: int) -> ValueSet | None:
        """Return the set or readings of a code; None for a label or a missing value."""
        return self.as_set(self.values[code]) if code >= self.n_labels else None

    def as_set(self, value: Value | None) -> ValueSet | None:
        """Return the value of a draft if it is a set or readings; a set of labels counts as a label."""
        if len(self.values) == self.n_labels:
            return None
        return value if isinstance(value, frozenset | Readings) else None

    def order_sets(self, value: Value | None) -> tuple[frozenset[Hashable], ...]:
        """Return the sets of a value: its readings in the order of their members, or none for a label."""
        chains = self.as_set(value)
        if isinstance(chains, Readings):
            return tuple(sorted(chains.sets, key=lambda members: sorted(self.nodes[member] for member in members)))
        return () if chains is None else (chains,)

    def find_classes(self, sets: Sequence[ValueSet | None], *, coded: bool = True, first: int = 0) -> JoinClasses:
        """Return the joins by the sets of the units; None is no set. Classes are numbered from `first`.

        `coded`: whether other members that are in no set are parted from all, or nothing is said of them.
        """
        names = {value: number for number, value in enumerate(dict.fromkeys(item for item in sets if item is not None))}
        homes: list[list[int]] = [[] for _ in self.nodes]
        for value, number in names.items():
            for member in value.members if isinstance(value, Readings) else value:
                homes[self.nodes[member]].append(number)
        kinds: dict[tuple[tuple[int, ...], tuple[int, ...], int], int] = {}
        kind_of_node = []
        for node, home in enumerate(homes):
            of_unit = sets[node] if node < len(sets) else None
            if (node < len(sets) and of_unit is None) or not coded:
                kind_of_node.append(NO_VOTE)
                continue
            own = tuple(home) if of_unit is None else (names[of_unit],)
            # a node that is in no set is joined with none, also not with another such
            kind = (own, tuple(home), NO_VOTE if home else node)
            kind_of_node.append(kinds.setdefault(kind, len(kinds)))
        near = _find_near(list(kinds))
        # what is joined with the same is of one class
        numbers: dict[frozenset[int], int] = {}
        alone = (frozenset((NO_VOTE - 1 - kind,)) for kind in range(len(near)))
        class_of = [numbers.setdefault(joined or lone, len(numbers)) for joined, lone in zip(near, alone, strict=True)]
        adjacent = [tuple(sorted({first + class_of[kind] for kind in joined if kind >= 0})) for joined in numbers]
        return JoinClasses([kind if kind == NO_VOTE else first + class_of[kind] for kind in kind_of_node], adjacent)


def _find_near(kinds: Sequence[tuple[tuple[int, ...], tuple[int, ...], int]]) -> list[frozenset[int]]:
    """Return the joined kinds of each kind of nodes: one is in the set of the other."""
    inside: dict[int, list[int]] = {}
    for number, (_, homes, _) in enumerate(kinds):
        for home in homes:
            inside.setdefault(home, []).append(number)
    near = []
    for own, homes, _ in kinds:
        of_kind = set(homes)
        candidates = {other for home in own for other in inside[home]}
        near.append(frozenset(other for other in candidates if not of_kind.isdisjoint(kinds[other][0])))
    return near


def split_documents(data: ReliabilityData, coded: ArrayLike | None = None) -> Iterator[DocumentAnswers]:
    """Yield the answers of each document that has units.

    coded: (documents, coders), who coded each document, beside those who gave a value to any of its units. Raises
    ValueError for another shape of it, and for a set that does not have the unit in it whose value it is.
    """
    shape = len(data.documents), len(data.coders)
    known = np.zeros(shape, dtype=np.bool_) if coded is None else np.asarray(coded, dtype=np.bool_)
    if known.shape != shape:
        raise ValueError(f"coded has the shape {known.shape}; it takes (documents, coders): {shape}")
    cells, n_labels = data.cells, len(data.labels)
    values = [data.value(code) for code in range(data.n_values)]
    order = np.argsort(data.document_of_unit, kind="stable")
    bounds = np.searchsorted(data.document_of_unit[order], np.arange(len(data.documents) + 1))
    for number, (document, (begin, end)) in enumerate(zip(data.documents, pairwise(bounds.tolist()), strict=True)):
        rows = order[begin:end]
        if not len(rows):
            continue
        units = [data.units[row] for row in rows.tolist()]
        codes = cells.codes[rows].tolist()
        others: dict[Hashable, list[int]] = {}
        own = set(units)
        for place, (unit, row) in enumerate(zip(units, codes, strict=True)):
            for code in row:
                if code >= n_labels:
                    value = values[code]
                    members = value.members if isinstance(value, Readings) else value
                    if not isinstance(members, frozenset) or unit not in members:
                        raise ValueError(
                            f"{unit!r} is not in a set that is its value: drafts are made of whole chains (chain_labels"
                            ' or pointed_values with mode="full")'
                        )
                    if cells.others:
                        for member in members:
                            if member not in own:
                                others.setdefault(member, []).append(place)
        ordered = sorted(others, key=lambda other: (others[other], data.cells.others.index(other)))
        nodes = {name: number for number, name in enumerate([*units, *ordered])}
        coders = (cells.codes[rows] != MISSING).any(axis=0) | known[number]
        yield DocumentAnswers(document, units, codes, values, n_labels, nodes, tuple(coders.tolist()))


def project_chains(answers: DocumentAnswers, coder: int, entities: Sequence[Sequence[Entity]]) -> dict[Entity, Entity]:
    """Return the entity that matches each chain of a coder, by chain number; some chains match none.

    `entities` has those of each unit. A chain is one entity at most, and an entity one chain: pairs that share more
    units come first, of these the smaller ones, of these the ones that share the earlier unit.
    """
    shared: dict[tuple[Entity, Entity], int] = {}
    for row, of_unit in zip(answers.codes, entities, strict=True):
        if of_unit:
            for chain in answers.order_sets(answers.set_of(row[coder])):
                for entity in of_unit:
                    shared[chain, entity] = shared.get((chain, entity), 0) + 1
    entity_of: dict[Entity, Entity] = {}
    projected: set[Entity] = set()
    for chain, entity in sorted(shared, key=lambda pair: (-shared[pair], len(pair[0]) + len(pair[1]))):
        if chain not in entity_of and entity not in projected:
            entity_of[chain] = entity
            projected.add(entity)
    return entity_of


def project_answers(answers: DocumentAnswers, draft: Mapping[Hashable, Value | None]) -> list[list[Value | None]]:
    """Return the answer of each unit and coder, with chains replaced by the matching entities of the draft."""
    entities = [answers.order_sets(draft.get(unit)) for unit in answers.units]
    columns: list[list[Value | None]] = []
    for coder in range(len(answers.coded)):
        entity_of = project_chains(answers, coder, entities)
        known: dict[int, Value | None] = {}
        for code in {row[coder] for row in answers.codes}:
            chains = answers.order_sets(answers.set_of(code))
            named = [entity_of.get(chain, chain) for chain in chains]
            known[code] = unite_readings(named) if chains else None if code == MISSING else answers.values[code]
        columns.append([known[row[coder]] for row in answers.codes])
    return [list(row) for row in zip(*columns, strict=True)]


def count_objective(
    classes: Sequence[int],
    adjacent: Sequence[Sequence[int]],
    profiles: Sequence[Profile],
    joined: Sequence[Sequence[int]],
) -> int:
    """Return the sum of the votes of the pairs of nodes that a draft joins.

    `classes` has of each node its class in the draft, or NO_VOTE, and `adjacent` of each such class those whose nodes
    the draft joins with its own; `profiles` and `joined` say the same of coders.
    """
    total = 0
    for column in zip(*profiles, strict=True):
        shared = Counter(pair for pair in zip(classes, column, strict=True) if NO_VOTE not in pair)
        sizes: Counter[int] = Counter()
        for (own, _), n in shared.items():
            sizes[own] += n
        for own, n in sizes.items():
            total -= n * sum(sizes[other] for other in adjacent[own])
        for (own, voted), n in shared.items():
            near = sum(shared[other, near] for other in adjacent[own] for near in joined[voted])
            total += 2 * n * near
            if own in adjacent[own]:  # a node is no pair with itself
                total -= n if voted in joined[voted] else -n
    return total // 2


def find_clusters(profiles: Sequence[Profile], joined: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the cluster of each node, counted in the order of their first nodes.

    `profiles` has of each node, in text order, its class by each coder, or NO_VOTE; `joined` has of each class those
    whose nodes are joined with its own. The search begins with what that coder joins whose clustering has the largest
    sum of votes; among equals the one whose numbers of clusters, node by node, come first. So neither names nor the
    order of coders change anything.
    """
    starts = {tuple(number_by_appearance(column)) for column in zip(*profiles, strict=True)}
    if not starts:
        return []
    own = [(cluster,) for cluster in range(len(profiles))]
    medoid = min(starts, key=lambda start: (-count_objective(start, own, profiles, joined), start))
    # the nodes that no coder separates have one profile, and move as one group
    group_of = {profile: group for group, profile in enumerate(dict.fromkeys(profiles))}
    # what the coder makes of the first node of each group, in the order of their last nodes
    of_first_node = dict(zip(reversed(profiles), reversed(medoid), strict=True))
    search = _Search(profiles, joined, list(of_first_node.values())[::-1])
    search.run()
    return number_by_appearance(search.clusters[group_of[profile]] for profile in profiles)


def number_by_appearance(names: Iterable[Hashable]) -> list[int]:
    """Return the names as numbers from 0 in order of first appearance; each NO_VOTE is a new name."""
    numbers: dict[Hashable, int] = {}
    return [
        numbers.setdefault((NO_VOTE, place) if name == NO_VOTE else name, len(numbers))
        for place, name in enumerate(names)
    ]


class _Search:
    """A local search for the best clustering of groups; initial clusters have the smallest numbers."""

    def __init__(self, profiles: Sequence[Profile], joined: Sequence[Sequence[int]], start: Sequence[int]) -> None:
        sizes = Counter(profiles)
        self.sizes = list(sizes.values())
        self.voters = [[coder for coder, voted in enumerate(profile) if voted != NO_VOTE] for profile in sizes]
        self.classes = [[voted for voted in profile if voted != NO_VOTE] for profile in sizes]
        # the classes whose nodes some coder joins with those of the group
        self.near = [[near for voted in classes for near in joined[voted]] for classes in self.classes]
        self.n_coders = len(profiles[0])
        self.clusters = list(start)
        self.unused = max(start) + 1
        # of each class how many of its nodes are in which cluster
        self.places: list[dict[int, int]] = [{} for _ in joined]
        # of each cluster its groups, and how many of its nodes each coder votes on
        self.members: dict[int, dict[int, None]] = {}
        self.votes: dict[int, list[int]] = {}
        for group, cluster in enumerate(start):
            self._add(group, cluster)

    def run(self) -> None:
        """Move groups and merge clusters until the sum of votes no longer grows."""
        changed = set(self.members)
        unmerged = set(self.members)
        for _ in range(MAX_ROUNDS):
            moved = self._move_groups(changed)
            merged = self._merge_clusters(moved | unmerged)
            changed, unmerged = moved | merged, set()
            if not changed:
                break

    def _move_groups(self, changed: set[int]) -> set[int]:
        """Move each group, in text order, to the cluster with the best votes, or alone if no votes are above 0.

        Return the clusters that changed. A group is passed over whose cluster, and all others where a coder joins
        anything with it, are not among the changed ones.
        """
        changed, moved = set(changed), set()
        for group, own in enumerate(self.clusters):
            if own not in changed and all(self.places[near].keys().isdisjoint(changed) for near in self.near[group]):
                continue
            self._remove(group)
            votes = self._count_votes(group)
            best, most = self.unused, 0
            for cluster, count in votes.items():
                if count > most or (count == most and cluster < best):
                    best, most = cluster, count
            if most > votes.get(own, -self._count_voted(group, own)):
                self._add(group, best)
                moved |= {own, best}
                changed |= {own, best}
                self.unused += best == self.unused
            else:
                self._add(group, own)
        return moved

    def _merge_clusters(self, changed: set[int]) -> set[int]:
        """Merge changed clusters with their best partners while votes are above 0; return the clusters that changed."""
        merged = set()
        for cluster in sorted(changed):
            while cluster in self.members and (other := self._best_merge(cluster)) is not None:
                for group in list(self.members[other]):
                    self._remove(group)
                    self._add(group, cluster)
                merged |= {cluster, other}
        return merged

    def _best_merge(self, cluster: int) -> int | None:
        """Return the cluster with the best votes with this one, or None if no votes are above 0."""
        sizes: dict[int, int] = {}
        for group in self.members[cluster]:
            for near in self.near[group]:
                sizes[near] = sizes.get(near, 0) + self.sizes[group]
        joined: dict[int, int] = {}
        for near, size in sizes.items():
            for other, n in self.places[near].items():
                joined[other] = joined.get(other, 0) + size * n
        joined.pop(cluster, None)
        own, best, most = self.votes[cluster], None, 0
        for other, n in joined.items():
            count = 2 * n - sum(map(mul, own, self.votes[other]))
            if count > most or (count == most and best is not None and other < best):
                best, most = other, count
        return best

    def _count_votes(self, group: int) -> dict[int, int]:
        """Return the votes of the group for each cluster that a coder joins with it, per node of the group."""
        joined: dict[int, int] = {}
        for near in self.near[group]:
            for cluster, n in self.places[near].items():
                joined[cluster] = joined.get(cluster, 0) + n
        return {cluster: 2 * n - self._count_voted(group, cluster) for cluster, n in joined.items()}

    def _count_voted(self, group: int, cluster: int) -> int:
        """Return the number of votes on nodes of the cluster by coders of the group; 0 for a deleted cluster."""
        votes = self.votes.get(cluster)
        return 0 if votes is None else sum([votes[coder] for coder in self.voters[group]])

    def _add(self, group: int, cluster: int) -> None:
        self.clusters[group] = cluster
        if cluster not in self.members:
            self.members[cluster], self.votes[cluster] = {}, [0] * self.n_coders
        self.members[cluster][group] = None
        self._count(group, cluster, self.sizes[group])

    def _remove(self, group: int) -> None:
        cluster = self.clusters[group]
        del self.members[cluster][group]
        self._count(group, cluster, -self.sizes[group])
        if not self.members[cluster]:
            del self.members[cluster], self.votes[cluster]

    def _count(self, group: int, cluster: int, n: int) -> None:
        votes = self.votes[cluster]
        for coder, voted in zip(self.voters[group], self.classes[group], strict=True):
            votes[coder] += n
            places = self.places[voted]
            places[cluster] = places.get(cluster, 0) + n
            if not places[cluster]:
                del places[cluster]
