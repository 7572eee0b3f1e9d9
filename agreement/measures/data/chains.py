"""From what one coder marked to the value of each markable.

Pointers: Poesio & Artstein 2005, section 4.3. Indices: Passonneau 2004.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from agreement.measures.options import check_option
from agreement.measures.values import Label, Value

MODES = ("full", "partial", "none")
TOPS = ("category", "chain")
UNMARKED = ("singleton", "label", "missing")
UNMARKED_LABEL = "unmarked"

type Chain[M] = frozenset[M]
type Pointers[M] = Mapping[M, Collection[M]]


def chain_labels[M: Hashable](
    order: Sequence[M],
    categories: Mapping[M, Label],
    pointers: Pointers[M],
    discourse: Iterable[M] = (),
    mode: str = "full",
    top: str = "category",
    *,
    unmarked: str = "missing",
) -> dict[M, Value]:
    """Return the value of each markable that the coder coded (the keys of `categories`), for one coder and text.

    `order` is the markables in text order, `pointers[m]` the targets of m: markables of `order`, or members
    of `discourse` (turns). The chain of m is all that m reaches by pointers and then all that reaches those;
    nothing is followed up again from what was reached downwards, so that an ambiguous markable joins the
    chains of its targets in its own value only.

    mode "full": the chain. "partial": the members of the chain before m in the text, and every discourse
    member, but not m. "none": the targets themselves.
    top "category": a markable without pointers keeps its category. "chain": where something points to it, it
    has the set that the mode gives it.
    unmarked: what a markable of `order` that is neither coded nor discourse gets: no value ("missing"),
    itself alone ("singleton") or the label "unmarked" ("label").

    Raises ValueError for an unknown option, a markable that comes twice in `order`, a source without a
    category, and a markable or target that is neither in `order` nor in `discourse`; it names the offender.

    >>> values = chain_labels("DEF", dict.fromkeys("DEF", "none"), {"F": {"D", "E"}}, top="chain")
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'D': 'DF', 'E': 'EF', 'F': 'DEF'}
    """
    check_option("mode", mode, MODES)
    check_option("top", top, TOPS)
    check_option("unmarked", unmarked, UNMARKED)
    position = _positions(order)
    turns = frozenset(discourse)
    _check_names(position, categories, pointers, turns)
    pointed_at = {target for targets in pointers.values() for target in targets}
    own = [m for m in categories if pointers.get(m) or (top == "chain" and m in pointed_at)]
    values: dict[M, Value] = dict(categories)
    if mode == "none":
        values.update((m, frozenset(pointers.get(m, ()))) for m in own)
    else:
        chains = _build_chains(own, pointers)
        values.update(_preceding_members(chains, position, turns) if mode == "partial" else chains)
    values.update(_unmarked_values((m for m in order if m not in categories and m not in turns), unmarked))
    return values


def index_labels[M: Hashable, I: Hashable](
    order: Sequence[M],
    indices: Mapping[M, Collection[I]],
    unmarked: str = "singleton",
    *,
    categories: Mapping[M, Label] | None = None,
) -> dict[M, Value]:
    """Return the value of each markable for a coder who indexed: the union of the classes of its indices.

    `indices[m]` is the indices of m. Where it has none at all (NIL), m has its label in `categories` as its value; if
    there is none, m is a class of its own (Passonneau 2004). A markable with two indices is in both classes and does
    not merge them. `unmarked` is as in `chain_labels`, for the markables of `order` that are not in `indices`. Raises
    ValueError for an unknown option, a markable that comes twice in `order`, and an indexed one that is not in it.

    >>> values = index_labels("ABCD", {"A": {1}, "B": {1, 2}, "C": {2}, "D": set()})
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'A': 'AB', 'B': 'ABC', 'C': 'BC', 'D': 'D'}
    >>> index_labels("AB", {"A": set(), "B": set()}, categories={"A": "none"})
    {'A': 'none', 'B': frozenset({'B'})}
    """
    check_option("unmarked", unmarked, UNMARKED)
    position = _positions(order)
    for markable in indices:
        if markable not in position:
            raise ValueError(f"markable {markable!r} is not in the text order")
    labels: Mapping[M, Value] = categories or {}
    classes = _ClassUnions((index, m) for m, names in indices.items() for index in names)
    values: dict[M, Value] = {
        m: classes.union(frozenset(names)) if names else labels.get(m, frozenset((m,))) for m, names in indices.items()
    }
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


def _build_chains[M: Hashable](markables: Iterable[M], pointers: Pointers[M]) -> dict[M, Chain[M]]:
    """Return the whole chain of each markable.

    All that m reaches upwards lies below the tops that m reaches, so the chain is the union of what reaches
    each of those tops; a markable with a single top shares the set of that top.
    """
    tops = find_tops(pointers)
    below = _ClassUnions((top, m) for m, reached in tops.items() for top in reached)
    return {m: below.union(tops[m]) for m in markables}


def find_tops[M: Hashable](pointers: Pointers[M]) -> dict[M, frozenset[M]]:
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
    component: list[M], pointers: Pointers[M], tops: Mapping[M, frozenset[M]]
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
    pointers: Pointers[M],
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
