"""The sides of a coreference score: the clusters of each text, in which each mention is once."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from ..options import check_option

SINGLETONS = ("keep", "drop")
DUPLICATES = ("first", "error")

type Clusters = Iterable[Iterable[Hashable]]
type Side = Clusters | Mapping[Hashable, Clusters]
type Cluster = frozenset[Hashable]
type Order = Sequence[Hashable] | Mapping[Hashable, Sequence[Hashable]]


def pair_clusters(
    key: Side, response: Side, singletons: str, duplicates: str, order: Order | None
) -> Iterator[tuple[Hashable, tuple[list[Cluster], list[Cluster]]]]:
    """Yield the clusters of both sides of each text, each mention once."""
    check_option("singletons", singletons, SINGLETONS)
    check_option("duplicates", duplicates, DUPLICATES)
    if isinstance(key, Mapping) != isinstance(response, Mapping):
        raise ValueError("one side is a mapping from texts to clusters and the other is not")
    sides = [side if isinstance(side, Mapping) else {None: side} for side in (key, response)]
    for text in dict.fromkeys([*sides[0], *sides[1]]):
        in_order = order.get(text, ()) if isinstance(order, Mapping) else order
        a, b = (_unique_clusters(side.get(text, ()), singletons, duplicates, in_order) for side in sides)
        yield text, (a, b)


def _unique_clusters(
    clusters: Clusters, singletons: str, duplicates: str, order: Sequence[Hashable] | None
) -> list[Cluster]:
    sets = [frozenset(cluster) for cluster in clusters]
    if order is not None and duplicates == "first":
        sets = _keep_first_classes(sets, order)
    seen: set[Hashable] = set()
    unique = []
    for mentions in sets:
        if duplicates == "error" and mentions & seen:
            raise ValueError(f"mention {min(mentions & seen, key=repr)!r} is in two clusters of a text")
        mentions -= seen
        seen |= mentions
        if len(mentions) > (singletons == "drop"):
            unique.append(mentions)
    return unique


def _keep_first_classes(clusters: list[Cluster], order: Sequence[Hashable]) -> list[Cluster]:
    """Return the clusters with each mention in its first class alone."""
    place = {mention: number for number, mention in enumerate(order)}
    for mention in sorted(frozenset().union(*clusters) - place.keys(), key=repr):
        raise ValueError(f"mention {mention!r} is in a cluster and not in the order")
    classes = [sorted(place[mention] for mention in cluster) for cluster in clusters]
    of_mention: dict[int, list[int]] = {}
    for number, members in enumerate(classes):
        for member in members:
            of_mention.setdefault(member, []).append(number)
    chosen = {
        member: several[first_class(member, [classes[number] for number in several])]
        for member, several in of_mention.items()
    }
    return [
        frozenset(mention for mention in cluster if chosen[place[mention]] == number)
        for number, cluster in enumerate(clusters)
    ]


def first_class(mention: int, classes: Sequence[Sequence[int]]) -> int:
    """Return which of its classes a mention is scored in: that whose other mentions come first in the text.

    Classes have the places of their mentions, ascending. Without the mention itself they are compared place by place;
    one that begins another comes before it, and a class of the mention alone comes last. Of equal classes it is the
    first. No name has a part in it.

    >>> first_class(1, [[1], [1, 5], [1, 3, 7], [1, 3]])
    3
    """

    def others(number: int) -> tuple[bool, list[int]]:
        rest = [place for place in classes[number] if place != mention]
        return not rest, rest

    return min(range(len(classes)), key=others)
