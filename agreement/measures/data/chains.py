"""From what one coder marked to the value of each markable.

Pointers: Poesio & Artstein 2005, section 4.3. Indices: Passonneau 2004.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ..options import check_option
from ..values import Label, Value, unite_readings

MODES = ("full", "partial", "none")
TOPS = ("category", "chain")
READINGS = ("union", "matched")
PLURALS = ("targets", "entity")
UNMARKED = ("singleton", "label", "missing")
UNMARKED_LABEL = "unmarked"

type Chain[M] = frozenset[M]
type Links[M] = Mapping[M, Collection[M]]
# of each source a set of targets, each a reading, or a list of readings, each a target or a set of targets together
type Pointers[M] = Mapping[M, Collection[M | Set[M]]]


def chain_labels[M: Hashable](
    order: Sequence[M],
    categories: Mapping[M, Label],
    pointers: Pointers[M],
    discourse: Iterable[M] = (),
    mode: str = "full",
    top: str = "category",
    *,
    unmarked: str = "missing",
    readings: str = "union",
    plural: str = "targets",
) -> dict[M, Value]:
    """Return the value of each markable that the coder coded (the keys of `categories`), for one coder and text.

    `order` is the markables in text order. `pointers[m]` has the targets of m: markables of `order`, or members of
    `discourse` (turns). A set of targets are alternatives: each is a reading. A list or tuple is of readings, each a
    target or a set of targets; a reading of several targets is plural, for they are meant together (they = John and
    Mary). A markable with two readings or more is ambiguous, whatever their targets.

    The chain of m is all that m reaches by pointers and then all that reaches those by pointers that are a reading
    alone. So nothing is followed up again from what was reached downwards, and an ambiguous markable joins the chains
    of its targets in its own value only; and no plural reading is followed downwards, so that a plural markable, and
    what points to it, has the chains of its targets in its value, and they do not have it in theirs. Two markables with
    the same plural reading are not joined by it: let the second point to the first.

    mode "full": the chain. "partial": the members of the chain before m in the text, and every discourse
    member, but not m. "none": the targets themselves.
    top "category": a markable without pointers keeps its category. "chain": where something points to it, alone or
    together with others, it has the set that the mode gives it.
    unmarked: what a markable of `order` that is neither coded nor discourse gets: no value ("missing"),
    itself alone ("singleton") or the label "unmarked" ("label").
    readings "union": the value of an ambiguous markable is that of all its pointers. "matched": it is its `Readings`,
    each what the value were with that reading alone, all else unchanged; where these are equal, that set.
    plural "targets": as above. "entity": a plural reading is not followed at all, so that what is plural is an entity
    of its own beside those of its targets, as scores and formats of clusters have it; the mode "none" has its targets.

    Raises ValueError for an unknown option, a markable that comes twice in `order`, a source without a
    category, a reading without targets, and a markable or target that is neither in `order` nor in `discourse`; it
    names the offender.

    >>> values = chain_labels("DEF", dict.fromkeys("DEF", "none"), {"F": {"D", "E"}}, top="chain")
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'D': 'DF', 'E': 'EF', 'F': 'DEF'}
    >>> values = chain_labels("DEF", dict.fromkeys("DEF", "none"), {"F": [{"D", "E"}]}, top="chain")
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'D': 'D', 'E': 'E', 'F': 'DEF'}
    """
    check_option("mode", mode, MODES)
    check_option("top", top, TOPS)
    check_option("unmarked", unmarked, UNMARKED)
    check_option("readings", readings, READINGS)
    check_option("plural", plural, PLURALS)
    position = _positions(order)
    turns = frozenset(discourse)
    pointing = _Pointing.from_pointers(pointers)
    _check_names(position, categories, pointing.links, turns)
    pointed_at = {target for targets in pointing.links.values() for target in targets}
    own = [m for m in categories if pointing.links.get(m) or (top == "chain" and m in pointed_at)]
    values: dict[M, Value] = dict(categories)
    if mode == "none":
        values.update((m, frozenset(pointing.links.get(m, ()))) for m in own)
    else:
        pointing = pointing if plural == "targets" else pointing.without_plural()
        chains = _build_chains(own, pointing)
        values.update(_preceding_members(chains, position, turns) if mode == "partial" else chains)
    if readings == "matched":
        for m, chains_of_readings in _follow_readings(own, pointing, mode):
            if mode == "partial":
                chains_of_readings = [_preceding_members({m: one}, position, turns)[m] for one in chains_of_readings]
            values[m] = unite_readings(chains_of_readings)
    values.update(_unmarked_values((m for m in order if m not in categories and m not in turns), unmarked))
    return values


def index_labels[M: Hashable, I: Hashable](
    order: Sequence[M],
    indices: Mapping[M, Collection[I]],
    unmarked: str = "singleton",
    *,
    categories: Mapping[M, Label] | None = None,
    readings: str = "union",
) -> dict[M, Value]:
    """Return the value of each markable for a coder who indexed: the union of the classes of its indices.

    `indices[m]` is the indices of m. Where it has none at all (NIL), m has its label in `categories` as its value; if
    there is none, m is a class of its own (Passonneau 2004). A markable with two indices is in both classes and does
    not merge them; with readings="matched" its value is the classes as its `Readings`. `unmarked` is as in
    `chain_labels`, for the markables of `order` that are not in `indices`. Raises ValueError for an unknown option, a
    markable that comes twice in `order`, and an indexed one that is not in it.

    >>> values = index_labels("ABCD", {"A": {1}, "B": {1, 2}, "C": {2}, "D": set()})
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'A': 'AB', 'B': 'ABC', 'C': 'BC', 'D': 'D'}
    >>> index_labels("AB", {"A": set(), "B": set()}, categories={"A": "none"})
    {'A': 'none', 'B': frozenset({'B'})}
    """
    check_option("unmarked", unmarked, UNMARKED)
    check_option("readings", readings, READINGS)
    position = _positions(order)
    for markable in indices:
        if markable not in position:
            raise ValueError(f"markable {markable!r} is not in the text order")
    labels: Mapping[M, Value] = categories or {}
    classes = _ClassUnions((index, m) for m, names in indices.items() for index in names)
    values: dict[M, Value] = {
        m: classes.union(frozenset(names)) if names else labels.get(m, frozenset((m,))) for m, names in indices.items()
    }
    if readings == "matched":
        for m, names in indices.items():
            if len(names) > 1:
                values[m] = unite_readings(classes.union(frozenset((name,))) for name in names)
    values.update(_unmarked_values((m for m in order if m not in indices), unmarked))
    return values


class _ClassUnions[N: Hashable, M: Hashable]:
    """Classes by name, and unions of them, each made once and shared."""

    def __init__(self, pairs: Iterable[tuple[N, M]]) -> None:
        members: dict[N, list[M]] = defaultdict(list)
        for name, member in pairs:
            members[name].append(member)
        self._unions: dict[frozenset[N], Chain[M]] = {
            frozenset((name,)): frozenset(of_class) for name, of_class in members.items()
        }

    def union(self, names: frozenset[N]) -> Chain[M]:
        """Return the union of the classes of these names."""
        if names not in self._unions:
            self._unions[names] = frozenset().union(*(self._unions[frozenset((name,))] for name in names))
        return self._unions[names]


@dataclass(frozen=True)
class _Pointing[M: Hashable]:
    """All targets of each source, those that are a reading alone, and the readings of sources that were given as such.

    Where no reading is plural `links` and `alone` are the same.
    """

    links: Links[M]
    alone: Links[M]
    readings: Mapping[M, Sequence[Chain[M]]]

    @classmethod
    def from_pointers(cls, pointers: Pointers[M]) -> "_Pointing[M]":
        """Return what the pointers say. Raises ValueError for a reading without targets."""
        if not any(issubclass(kind, list | tuple) for kind in set(map(type, pointers.values()))):
            alternatives: Links[M] = pointers  # type: ignore[assignment]
            return cls(alternatives, alternatives, {})
        links: dict[M, Collection[M]] = {}
        readings: dict[M, Sequence[Chain[M]]] = {}
        for source, targets in pointers.items():
            if isinstance(targets, list | tuple):
                readings[source] = _read_readings(source, targets)
                links[source] = frozenset().union(*readings[source])
            else:
                links[source] = targets  # type: ignore[assignment]
        if all(len(one) == 1 for of_source in readings.values() for one in of_source):
            return cls(links, links, readings)
        alone: dict[M, Collection[M]] = {target: () for targets in links.values() for target in targets}
        alone.update(links)
        for source, of_source in readings.items():
            alone[source] = frozenset().union(*(one for one in of_source if len(one) == 1))
        return cls(links, alone, readings)

    def without_plural(self) -> "_Pointing[M]":
        """Return the same readings, of which none is followed that is plural."""
        readings = {m: [one if len(one) == 1 else frozenset[M]() for one in self.readings_of(m)] for m in self.readings}
        return _Pointing(self.alone, self.alone, readings)

    def readings_of(self, markable: M) -> Sequence[Chain[M]]:
        """Return the readings of a markable, each once."""
        if markable in self.readings:
            return self.readings[markable]
        return [frozenset((target,)) for target in self.links.get(markable, ())]


def _read_readings[M: Hashable](source: M, targets: Sequence[M | Set[M]]) -> Sequence[Chain[M]]:
    """Return the readings of a list, each once."""
    sets = (one if isinstance(one, Set | list) else (one,) for one in targets)
    readings = tuple(dict.fromkeys(map(frozenset, sets)))
    if not all(readings):
        raise ValueError(f"a reading of {source!r} has no target")
    return readings


@dataclass(frozen=True)
class _Top[M: Hashable]:
    """A top of the pointers that are a reading alone, as the end of all pointers."""

    node: M


def _build_chains[M: Hashable](markables: Iterable[M], pointing: _Pointing[M]) -> dict[M, Chain[M]]:
    """Return the whole chain of each markable.

    All that m reaches upwards lies below tops of the pointers that are a reading alone, so the chain is the union of
    what reaches each of those tops; a markable with a single top shares the set of that top.
    """
    tops = find_tops(pointing.alone)
    below = _ClassUnions((top, m) for m, reached in tops.items() for top in reached)
    if pointing.alone is pointing.links:
        return {m: below.union(tops[m]) for m in markables}
    graph: dict[M | _Top[M], Collection[M | _Top[M]]] = {
        node: [*pointing.links.get(node, ()), *([_Top(node)] if node in reached else ())]
        for node, reached in tops.items()
    }
    ends = find_tops(graph)
    return {m: below.union(frozenset(end.node for end in ends[m] if isinstance(end, _Top))) for m in markables}


def _follow_readings[M: Hashable](
    markables: Iterable[M], pointing: _Pointing[M], mode: str
) -> Iterator[tuple[M, Sequence[Chain[M]]]]:
    """Yield the ambiguous markables with the chain of each reading alone, or with its targets where mode is "none"."""
    sources: dict[M, list[M]] = defaultdict(list)
    for source, targets in pointing.alone.items():
        for target in targets:
            sources[target].append(source)
    for m in markables:
        readings = pointing.readings_of(m)
        if len(readings) > 1:
            follow = mode != "none"
            yield m, [follow_reading(m, one, pointing.links, sources) if follow else one for one in readings]


def follow_reading[M: Hashable](markable: M, reading: Iterable[M], links: Links[M], sources: Links[M]) -> Chain[M]:
    """Return the chain of a markable as if it had this reading alone: of `links` its own are not followed.

    `links` has all targets of a source, `sources` for a target those to which it is a reading alone.
    """
    reached, ahead = {markable}, list(reading)
    while ahead:
        node = ahead.pop()
        if node not in reached:
            reached.add(node)
            ahead.extend(links.get(node, ()))
    chain: set[M] = set()
    ahead = list(reached)
    while ahead:
        node = ahead.pop()
        if node not in chain:
            chain.add(node)
            ahead.extend(sources.get(node, ()))
    return frozenset(chain)


def find_tops[M: Hashable](pointers: Links[M]) -> dict[M, frozenset[M]]:
    """Return for each source or target the tops that it reaches; a cycle that nothing leaves is one top.

    Tarjan's algorithm without recursion: a component is complete after all that it points to.
    """
    tops: dict[M, frozenset[M]] = {}
    number: dict[M, int] = {}
    low: dict[M, int] = {}
    open_nodes: list[M] = []
    for root in pointers:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        path = [(root, iter(pointers[root]))]
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    open_nodes.append(target)
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
                    tops.update(dict.fromkeys(component, _reachable_tops(component, pointers, tops)))
    return tops


def _reachable_tops[M: Hashable](
    component: list[M], pointers: Links[M], tops: Mapping[M, frozenset[M]]
) -> frozenset[M]:
    """Return the tops of what the component points to outside itself, or else the component, by its first node."""
    reachable = {tops[target] for node in component for target in pointers.get(node, ()) if target in tops}
    if not reachable:
        return frozenset((component[0],))
    return reachable.pop() if len(reachable) == 1 else frozenset().union(*reachable)


def _preceding_members[M: Hashable](
    chains: Mapping[M, Chain[M]], position: Mapping[M, int], turns: frozenset[M]
) -> dict[M, Chain[M]]:
    """Return of each chain the members before the markable, and the discourse members."""
    ordered: dict[Chain[M], tuple[list[M], list[int], Chain[M]]] = {}
    values: dict[M, Chain[M]] = {}
    for m, chain in chains.items():
        if chain not in ordered:
            markables = sorted(chain - turns, key=position.__getitem__)
            ordered[chain] = (markables, [position[other] for other in markables], chain & turns)
        markables, places, segments = ordered[chain]
        values[m] = (segments | set(markables[: bisect_left(places, position[m])])) - {m}
    return values


def _unmarked_values[M: Hashable](markables: Iterable[M], unmarked: str) -> dict[M, Value]:
    if unmarked == "missing":
        return {}
    return {m: frozenset((m,)) if unmarked == "singleton" else UNMARKED_LABEL for m in markables}


def _positions[M: Hashable](order: Sequence[M]) -> dict[M, int]:
    position: dict[M, int] = {}
    for place, markable in enumerate(order):
        if position.setdefault(markable, place) != place:
            raise ValueError(f"markable {markable!r} comes twice in the text order")
    return position


def _check_names[M: Hashable](
    position: Mapping[M, int],
    categories: Mapping[M, Label],
    pointers: Links[M],
    turns: frozenset[M],
) -> None:
    for markable in categories:
        if markable not in position:
            raise ValueError(f"markable {markable!r} is not in the text order")
    for source, targets in pointers.items():
        if source not in categories:
            raise ValueError(f"markable {source!r} has pointers but no category")
        for target in targets:
            if target not in position and target not in turns:
                raise ValueError(f"target {target!r} of {source!r} is neither in the text order nor discourse")
