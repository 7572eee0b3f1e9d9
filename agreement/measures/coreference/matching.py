"""Key and response of coreference scores: matched sets of two coders, and matched markables of MUC-6.

A side has the clusters of each text, in which each mention is once. SCUs of two pyramids are matched by their words,
chains by their markables. In MUC-6 there are MIN strings, leading articles and optional markables (MUC-6 1995, v2.3).
"""

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..coefficients.alpha import relation
from ..options import check_option
from ..values import Floats

SIMILARITIES = ("jaccard", "dice")
_ARTICLE = re.compile(r"\s*(?:(?:the|an|a)\s+)?", re.IGNORECASE)
SINGLETONS = ("keep", "drop")
DUPLICATES = ("first", "error")

type Clusters = Iterable[Iterable[Hashable]]
type Side = Clusters | Mapping[Hashable, Clusters]
type Cluster = frozenset[Hashable]
type Order = Sequence[Hashable] | Mapping[Hashable, Sequence[Hashable]]


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
    """Return the pairs of sets, one of each coder, that share members, and which of the pairs match.

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
    sizes = np.array([len(members) for members in a])[:, None] + np.array([len(members) for members in b])[None, :]
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
    return tuple(sorted(overlaps, key=lambda overlap: (_sort_key(overlap.first), _sort_key(overlap.second))))


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
    from scipy.optimize import linear_sum_assignment

    return set(zip(*(side.tolist() for side in linear_sum_assignment(similarities, maximize=True)), strict=True))


def _sort_key(name: Hashable) -> tuple[str, str]:
    return type(name).__name__, str(name)


@dataclass(frozen=True)
class KeyMarkable:
    """A markable of the key: [start, end) in the text, the MIN string (alternatives apart by |), and if it is optional.

    Without MIN the whole string, but for a leading article, has to be in the response.
    """

    start: int
    end: int
    minimum: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class MarkableAlignment:
    """Key and response as clusters of the same names, for any coreference score."""

    key: list[set[Hashable]]
    response: list[set[Hashable]]
    pairs: dict[Hashable, Hashable]


def match_muc6(
    text: str,
    key: Mapping[Hashable, KeyMarkable],
    response: Mapping[Hashable, tuple[int, int]],
    key_clusters: Iterable[Iterable[Hashable]],
    response_clusters: Iterable[Iterable[Hashable]],
) -> MarkableAlignment:
    """Match the markables of a response to those of a key, and rename them so that the sides can be compared.

    A response markable is that of the key if it has the MIN string in it and nothing outside the key's markable;
    leading articles ("the", "a", "an") and spaces do not count on either side. Each markable is matched once; the same
    string goes first, then the shorter key markable. An optional markable of the key that nothing matches is left out
    of its cluster. `pairs` says which response markable is which of the key; the others keep a name of their own.
    Raises ValueError for a markable outside the text, a MIN that is not in its markable and an unknown name in a
    cluster.

    >>> text = "the Lowell Bay Port Authority said it may sell"
    >>> key = {1: KeyMarkable(0, 29, "Authority"), 2: KeyMarkable(35, 37)}
    >>> matched = match_muc6(text, key, {"x": (15, 29), "y": (35, 37)}, [{1, 2}], [{"x", "y"}])
    >>> matched.pairs, matched.key == matched.response
    ({'y': 2, 'x': 1}, True)
    """
    spans = {name: _strip_article(text, name, markable.start, markable.end) for name, markable in key.items()}
    minima = {name: _find_min_spans(text, name, markable, spans[name]) for name, markable in key.items()}
    candidates: list[tuple[bool, int, int, Hashable, Hashable]] = []
    for name, (start, end) in response.items():
        span = _strip_article(text, name, start, end)
        for other, whole in spans.items():
            inside = whole[0] <= span[0] and span[1] <= whole[1]
            if inside and any(span[0] <= low and high <= span[1] for low, high in minima[other]):
                candidates.append((span != whole, whole[1] - whole[0], len(candidates), name, other))
    pairs: dict[Hashable, Hashable] = {}
    matched: set[Hashable] = set()
    for *_, name, other in sorted(candidates, key=lambda candidate: candidate[:3]):
        if name not in pairs and other not in matched:
            pairs[name] = other
            matched.add(other)
    left_out = {name for name, markable in key.items() if markable.optional and name not in matched}
    return MarkableAlignment(
        key=[names for cluster in key_clusters if (names := _check_cluster(cluster, key) - left_out)],
        response=[
            {pairs.get(name, ("response", name)) for name in _check_cluster(cluster, response)}
            for cluster in response_clusters
        ],
        pairs=pairs,
    )


def _strip_article(text: str, name: Hashable, start: int, end: int) -> tuple[int, int]:
    """Return the span without a leading article and outer spaces; the whole span if nothing would be left."""
    if not 0 <= start < end <= len(text):
        raise ValueError(f"markable {name!r} is at {start} to {end} in a text of {len(text)} characters")
    string = text[start:end].rstrip()
    begin = _ARTICLE.match(string).end()  # type: ignore[union-attr]  # it matches anything
    return (start + begin, start + len(string)) if begin < len(string) else (start, end)


def _find_min_spans(text: str, name: Hashable, markable: KeyMarkable, span: tuple[int, int]) -> list[tuple[int, int]]:
    """Return where the MIN string is in the markable; it may come more than once."""
    if markable.minimum is None:
        return [span]
    spans = []
    for alternative in markable.minimum.split("|"):
        words = r"\s+".join(map(re.escape, alternative.split()))
        inside = re.finditer(f"(?={words})", text[markable.start : markable.end]) if words else ()
        for at in inside:
            length = re.match(words, text[markable.start + at.start() :]).end()  # type: ignore[union-attr]
            begin = markable.start + at.start()
            # a MIN may begin with an article, which does not count
            spans.append((_strip_article(text, name, begin, begin + length)[0], begin + length))
    spans = [(low, high) for low, high in spans if high <= markable.end]
    if not spans:
        raise ValueError(f"the MIN {markable.minimum!r} of markable {name!r} is not in it")
    return spans


def _check_cluster(cluster: Iterable[Hashable], markables: Mapping[Hashable, object]) -> set[Hashable]:
    names = set(cluster)
    for name in sorted(names - markables.keys(), key=repr):
        raise ValueError(f"{name!r} is in a cluster and is no markable")
    return names


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
    """Return the class in which a mention is scored: the class whose other mentions come first in the text.

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
