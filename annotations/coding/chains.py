"""The chains of a coding and the numbers that they wear, as `static/js/coding/chains/chains.js` shows them a coder."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from annotations.coding.decisions import Decision
from annotations.coding.readings import Readings
from annotations.models import Project

# An entity wears its own index where that is a whole number.
OWN_NUMBER = re.compile(r"#[1-9][0-9]{0,3}")
COLOURS, LINES = 10, 3

type Chains = dict[str, tuple[str, ...]]


def chains_of(answers: str, order: Sequence[str], decisions: Mapping[str, Decision]) -> Chains:
    """Return the chains of each markable of `order`, the keys in text order, by what a coding says of them."""
    if answers == Project.Answers.INDICES:
        return {
            key: tuple(f"#{index}" for index in decisions[key].indices) if key in decisions else () for key in order
        }
    return chains_by_pointers(order, {key: decision.pointers for key, decision in decisions.items()})


def chains_by_pointers(order: Sequence[str], pointers: Mapping[str, Readings]) -> Chains:
    """Return the chains of each markable of `order`, the keys in text order: several where it is ambiguous."""
    # They are named after the markables at which one arrives by following pointers. A circle that nothing leads out of
    # has its earliest member as its end. What points to several together is an end itself, of a chain of its own.
    place = {key: number for number, key in enumerate(order)}
    targets: list[list[int]] = []
    plural = set()
    for number, key in enumerate(order):
        readings = pointers.get(key, ())
        targets.append([place[reading[0]] for reading in readings if len(reading) == 1 and reading[0] in place])
        if len(targets[-1]) < len(readings) and any(len(reading) > 1 for reading in readings):
            plural.add(number)
    ends = _ends_of_pointers(targets, plural)
    return {key: tuple(order[end] for end in own) for key, own in zip(order, ends, strict=True)}


def _ends_of_pointers(targets: Sequence[Sequence[int]], plural: Collection[int]) -> list[tuple[int, ...]]:
    """Return where one arrives from each place: where its circle does (Kosaraju's strongly connected components)."""
    sources: list[list[int]] = [[] for _ in targets]
    for place, of_place in enumerate(targets):
        for target in of_place:
            sources[target].append(place)
    seen = set[int]()
    order = [place for start in range(len(targets)) for place in _visit(start, sources, seen)]
    ends: list[tuple[int, ...]] = [()] * len(targets)
    seen.clear()
    for start in reversed(order):  # each after all to which it leads
        members = set(_visit(start, targets, seen))
        leading = {target for member in members for target in targets[member]} - members
        outside = {end for target in leading for end in ends[target]}
        for member in members:
            ends[member] = tuple(sorted(outside.union(members.intersection(plural)))) or (min(members),)
    return ends


def _visit(start: int, graph: Sequence[Sequence[int]], seen: set[int]) -> Iterator[int]:
    """Yield the places that are reached from one and were not seen before, each after those that follow it."""
    path = [] if start in seen else [(start, iter(graph[start]))]
    seen.add(start)
    while path:
        place, left = path[-1]
        following = next((other for other in left if other not in seen), None)
        if following is None:
            path.pop()
            yield place
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
    """Return the numbers of the chains of two members or more, in the order of their first members."""
    # A chain wears the number, among those `given` to `others` of another coder, of the one with which it shares most
    # members, as far as no other chain has it.
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
    for other in given:
        for key in others.get(other, ()):
            chains_of.setdefault(key, []).append(other)
    overlaps: dict[tuple[str, str], int] = {}
    for name in shared:
        for key in members[name]:
            for other in chains_of.get(key, ()):
                overlaps[name, other] = overlaps.get((name, other), 0) + 1
    numbers: dict[str, int] = {}
    taken: set[str] = set()
    # Of equal overlaps the one that comes first in the text.
    for (name, other), _ in sorted(overlaps.items(), key=lambda entry: -entry[1]):
        if name not in numbers and other not in taken:
            numbers[name] = given[other]
            taken.add(other)
    return numbers


def look(number: int) -> str:
    """Return the classes of colour and underline of a chain: thirty looks before one comes back."""
    return f"chain-{(number - 1) % COLOURS + 1} line-{(number - 1) % LINES + 1}"
