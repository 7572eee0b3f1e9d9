"""Correlation clustering by votes of coders: local search over groups that no coder separates.

A pair of nodes has the vote of coders who join it minus coders who part it, and a clustering the sum of the votes of
the pairs in one cluster. To make it as large as it can be is correlation clustering (Bansal, Blum & Chawla 2004), and
NP-hard; here is a local search, which finds one that no move of a group and no merge of two clusters makes larger.

Nodes with equal profiles are in one cluster of some best clustering: each coder joins them, and they have the same
votes with all others. So they move as one group, and gains are counted by the classes of coders within clusters, never
by listing pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from operator import mul

from .votes import NO_VOTE, Profile

# Rounds of moves and merges, of which each makes the sum larger or is the last; texts take fewer than ten.
MOST_ROUNDS = 100


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
    """Return the names as numbers from 0 in the order of their first appearance; NO_VOTE is another name each time."""
    numbers: dict[Hashable, int] = {}
    return [
        numbers.setdefault((NO_VOTE, place) if name == NO_VOTE else name, len(numbers))
        for place, name in enumerate(names)
    ]


class _Search:
    """A clustering of groups, in text order of their first nodes, that is made better.

    Clusters have numbers; those that begin have the smallest.
    """

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
        """Move groups and merge clusters until nothing makes the sum of votes larger.

        What depends on clusters that have not changed since is not tried again.
        """
        changed = set(self.members)
        unmerged = set(self.members)
        for _ in range(MOST_ROUNDS):
            moved = self._move_groups(changed)
            merged = self._merge_clusters(moved | unmerged)
            changed, unmerged = moved | merged, set()
            if not changed:
                break

    def _move_groups(self, changed: set[int]) -> set[int]:
        """Move each group, in text order, to where its votes are best; alone where they are above 0 nowhere.

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
        """Merge each of the changed clusters, in their order, with that whose votes are best, while they are above 0.

        Return the clusters that changed by it.
        """
        merged = set()
        for cluster in sorted(changed):
            while cluster in self.members and (other := self._best_merge(cluster)) is not None:
                for group in list(self.members[other]):
                    self._remove(group)
                    self._add(group, cluster)
                merged |= {cluster, other}
        return merged

    def _best_merge(self, cluster: int) -> int | None:
        """Return the other cluster whose nodes have the best votes with those of this, None if they are not above 0."""
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
        """Return the votes for each cluster with a node that some coder joins with the group, per node of the group."""
        joined: dict[int, int] = {}
        for near in self.near[group]:
            for cluster, n in self.places[near].items():
                joined[cluster] = joined.get(cluster, 0) + n
        return {cluster: 2 * n - self._count_voted(group, cluster) for cluster, n in joined.items()}

    def _count_voted(self, group: int, cluster: int) -> int:
        """Return how often coders who vote on the group vote on a node of the cluster; 0 of one that is no more."""
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
