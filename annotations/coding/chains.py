"""The chains of a coding and their numbers, the same as `static/js/coding/chains/chains.js` computes for coders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from annotations.coding.decisions import Decision
from annotations.coding.readings import Readings
from annotations.models import Project

# An entity whose index is a whole number keeps it as its number.
OWN_NUMBER = re.compile(r"#[1-9][0-9]{0,3}")
COLOURS, LINES = 10, 3

type Chains = dict[str, tuple[str, ...]]


def chains_of(answers: str, order: Sequence[str], decisions: Mapping[str, Decision]) -> Chains:
    """Return the chains of each markable of a coding; `order` has the keys in text order."""
    if answers == Project.Answers.INDICES:
        return {
            key: tuple(f"#{index}" for index in decisions[key].indices) if key in decisions else () for key in order
        }
    return chains_by_pointers(order, {key: decision.pointers for key, decision in decisions.items()})


def chains_by_pointers(order: Sequence[str], pointers: Mapping[str, Readings]) -> Chains:
    """Return the chains of each markable; an ambiguous one has several. `order` has the keys in text order."""
    # A chain is named after the markable that its pointers end at. A cycle without a way out ends at its earliest
    # member. A markable that points to several together ends a chain of its own.
    positions = {key: number for number, key in enumerate(order)}
    targets: list[list[int]] = []
    plural = set()
    for number, key in enumerate(order):
        readings = pointers.get(key, ())
        targets.append([positions[reading[0]] for reading in readings if len(reading) == 1 and reading[0] in positions])
        if len(targets[-1]) < len(readings) and any(len(reading) > 1 for reading in readings):
            plural.add(number)
    ends = _ends_of_pointers(targets, plural)
    return {key: tuple(order[end] for end in own_ends) for key, own_ends in zip(order, ends, strict=True)}


def _ends_of_pointers(targets: Sequence[Sequence[int]], plural: Collection[int]) -> list[tuple[int, ...]]:
    """Return the ends of the pointers from each node, by strong components (Kosaraju)."""
    sources: list[list[int]] = [[] for _ in targets]
    for node, node_targets in enumerate(targets):
        for target in node_targets:
            sources[target].append(node)
    seen = set[int]()
    order = [node for start in range(len(targets)) for node in _visit(start, sources, seen)]
    ends: list[tuple[int, ...]] = [()] * len(targets)
    seen.clear()
    for start in reversed(order):  # each component after all components that it leads to
        members = set(_visit(start, targets, seen))
        leading = {target for member in members for target in targets[member]} - members
        outside = {end for target in leading for end in ends[target]}
        for member in members:
            ends[member] = tuple(sorted(outside.union(members.intersection(plural)))) or (min(members),)
    return ends


def _visit(start: int, graph: Sequence[Sequence[int]], seen: set[int]) -> Iterator[int]:
    """Yield the unseen nodes reachable from a node, each after its successors."""
    path = [] if start in seen else [(start, iter(graph[start]))]
    seen.add(start)
    while path:
        node, successors = path[-1]
        following = next((successor for successor in successors if successor not in seen), None)
        if following is None:
            path.pop()
            yield node
        else:
            seen.add(following)
            path.append((following, iter(graph[following])))


def members_of(chains: Chains) -> dict[str, list[str]]:
    """Return the members of each chain, in the order of the markables."""
    members: dict[str, list[str]] = {}
    for key, names in chains.items():
        for name in names:
            members.setdefault(name, []).append(key)
    return members


def number_chains(
    members: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]] | None = None,
    given: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Return the numbers of the chains with two or more members, in the order of their first members."""
    # A chain keeps the number, in `given`, of the chain of another coder (`others`) that shares most members with it,
    # unless another chain has that number.
    shared = [name for name, its in members.items() if len(its) > 1]
    numbers = _shared_numbers(shared, members, others or {}, given or {})
    used = {*numbers.values(), *(given or {}).values()}
    following = 1
    for name in shared:
        if name in numbers:
            continue
        while following in used:
            following += 1
        own = int(name[1:]) if OWN_NUMBER.fullmatch(name) else following
        numbers[name] = following if own in used else own
        used.add(numbers[name])
    return numbers


def _shared_numbers(
    shared: Sequence[str],
    members: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]],
    given: Mapping[str, int],
) -> dict[str, int]:
    chains_of: dict[str, list[str]] = {}
    for match in given:
        for key in others.get(match, ()):
            chains_of.setdefault(key, []).append(match)
    overlaps: dict[tuple[str, str], int] = {}
    for name in shared:
        for key in members[name]:
            for match in chains_of.get(key, ()):
                overlaps[name, match] = overlaps.get((name, match), 0) + 1
    numbers: dict[str, int] = {}
    taken: set[str] = set()
    # Of equal overlaps, the first in the text counts.
    for (name, match), _ in sorted(overlaps.items(), key=lambda entry: -entry[1]):
        if name not in numbers and match not in taken:
            numbers[name] = given[match]
            taken.add(match)
    return numbers


def chain_classes(number: int) -> str:
    """Return the CSS classes for colour and underline of a chain; thirty combinations are repeated."""
    return f"chain-{(number - 1) % COLOURS + 1} line-{(number - 1) % LINES + 1}"
