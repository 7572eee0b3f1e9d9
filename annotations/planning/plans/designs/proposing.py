"""Propose who codes what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from annotations.planning.plans.designs.balancing import Need, Shortage, assign
from annotations.planning.plans.designs.checks import check
from annotations.planning.plans.designs.draws import draw, draw_texts, share_of
from annotations.planning.plans.designs.terms import (
    WEIGHT_UNIT,
    Assignment,
    Design,
    Load,
    PlanCoder,
    PlanParameters,
    PlanRefused,
    PlanText,
    Proposal,
)


@dataclass(frozen=True, slots=True)
class Item:
    """Texts that go to the same coders: one, or a block."""

    texts: tuple[str, ...]
    work: int
    stratum: str
    coders: frozenset[str]
    places: int


def propose(
    texts: Iterable[PlanText],
    coders: Iterable[PlanCoder],
    parameters: PlanParameters,
    existing: Iterable[Assignment] = (),
) -> Proposal:
    """Return who codes which text, the same for the same seed, whatever the order of texts and coders.

    In this order: every text by as many coders as the design says, and the work of everybody within one text of their
    share; pairs of coders share as nearly equal numbers of texts as possible; those who code are connected by shared
    texts; texts of a stratum are spread evenly. What exists stays (what has not begun may move, if asked) and counts.

    Raise PlanRefused where there is no such plan.
    """
    texts = sorted(texts, key=lambda text: text.name)
    coders = sorted(coders, key=lambda coder: coder.name)
    check(texts, coders, parameters)
    names = {coder.name for coder in coders}
    by_text: dict[str, dict[str, Assignment]] = {text.name: {} for text in texts}
    outside: Counter[str] = Counter()
    removed: list[tuple[str, str]] = []
    for assignment in sorted(existing, key=lambda one: (one.text, one.coder)):
        if assignment.text not in by_text:
            continue
        if assignment.coder not in names:
            # Whoever codes no more keeps the place that they have begun to fill.
            outside[assignment.text] += assignment.begun
        elif assignment.begun or not parameters.move:
            by_text[assignment.text][assignment.coder] = assignment
            outside[assignment.text] -= assignment.released
        else:
            removed.append((assignment.text, assignment.coder))
    calibration = _calibration(texts, parameters)
    shared = _shared(texts, parameters, by_text, outside, calibration)
    sizes = {
        text.name: _size(text.name, len(coders), parameters, calibration=calibration, shared=shared) for text in texts
    }
    assigned = {text.name: tuple(sorted(by_text[text.name])) for text in texts}
    if not parameters.pool:
        items = _items(texts, coders, parameters, sizes, by_text, outside)
        for item, members in zip(items, _assign(items, coders, parameters), strict=True):
            assigned.update(dict.fromkeys(item.texts, members))
    if not parameters.allow_unconnected and not parameters.pool:
        _refuse_unconnected(assigned)
    removed += _change_by_hand(assigned, by_text, names, parameters)
    return _describe(texts, coders, parameters.seed, assigned, by_text, removed, calibration, sizes)


def _change_by_hand(
    assigned: dict[str, tuple[str, ...]],
    by_text: dict[str, dict[str, Assignment]],
    names: set[str],
    parameters: PlanParameters,
) -> list[tuple[str, str]]:
    """Add and take away what was changed by hand; return what is taken away of what exists. What is begun stays."""
    removed = []
    for text, coder in sorted(parameters.additions):
        if text in assigned and coder in names:
            assigned[text] = tuple(sorted({*assigned[text], coder}))
    for text, coder in sorted(parameters.removals):
        existing = by_text.get(text, {}).get(coder)
        if existing is not None and existing.begun:
            raise PlanRefused(f"{coder} has begun {text}: it stays assigned.")
        if text in assigned:
            assigned[text] = tuple(name for name in assigned[text] if name != coder)
        if existing is not None:
            del by_text[text][coder]
            removed.append((text, coder))
    return removed


def _calibration(texts: Sequence[PlanText], parameters: PlanParameters) -> list[str]:
    present = {text.name for text in texts} & set(parameters.calibration_texts)
    return draw_texts(texts, parameters.calibration, parameters.seed, "calibration", present)


def _shared(
    texts: Sequence[PlanText],
    parameters: PlanParameters,
    by_text: dict[str, dict[str, Assignment]],
    outside: Counter[str],
    calibration: Sequence[str],
) -> set[str]:
    """Return the texts that the design shares: of a share first those that several code already."""
    if parameters.design != Design.SHARE:
        return {text.name for text in texts}
    several = {name for name, rows in by_text.items() if len(rows) + outside[name] > 1} | set(calibration)
    number = share_of(len(texts), parameters.share)
    return {*draw_texts(texts, number, parameters.seed, "share", several)[:number], *calibration}


def _size(text: str, n: int, parameters: PlanParameters, *, calibration: Sequence[str], shared: Iterable[str]) -> int:
    """Return how many coders a text needs."""
    if parameters.design == Design.ALL or text in calibration:
        return n
    if text not in shared:
        return 1
    return n if parameters.k is None else parameters.k


def _items(
    texts: Sequence[PlanText],
    coders: Sequence[PlanCoder],
    parameters: PlanParameters,
    sizes: dict[str, int],
    by_text: dict[str, dict[str, Assignment]],
    outside: Counter[str],
) -> list[Item]:
    """Return texts, or blocks of texts, in an order drawn by the seed."""
    n = len(coders)
    order = sorted(texts, key=lambda text: (draw(parameters.seed, "text", text.name), text.name))
    items: list[Item] = []
    blocks: list[Item] = []
    for text in order:
        fixed = frozenset(by_text[text.name])
        everybody = sizes[text.name] == n
        places = n - len(fixed) if everybody else max(0, sizes[text.name] - len(fixed) - outside[text.name])
        item = Item((text.name,), text.work, text.stratum, fixed, places)
        in_block = parameters.design == Design.BLOCKS and not everybody and (not fixed or not places)
        (blocks if in_block else items).append(item)
    return items + _blocks(blocks, n, parameters)


def _blocks(rows: Sequence[Item], n: int, parameters: PlanParameters) -> list[Item]:
    """Return texts put into blocks of equal work; those that the same coders have already are a block to go on with."""
    if not rows:
        return []
    number = parameters.blocks if parameters.blocks is not None else min(n, len(rows))
    members: dict[frozenset[str], list[Item]] = {}
    for row in rows:
        if not row.places:
            members.setdefault(row.coders, []).append(row)
    present = list(members.values())
    new = [row for row in rows if row.places]
    n_blocks = max(min(number, len(present) + len(new)), len(present), 1)
    # Texts are spread over blocks as over coders of whom each text has one.
    block_of = {row.texts: frozenset([i]) for i, members in enumerate(present) for row in members}
    needs = [Need(block_of.get(row.texts, frozenset()), min(row.places, 1), row.work, row.stratum) for row in rows]
    blocks = [list[Item]() for _ in range(n_blocks)]
    for row, [block] in zip(rows, assign(needs, [1] * n_blocks, [len(rows)] * n_blocks, parameters.seed), strict=True):
        blocks[block].append(row)
    size = new[0].places if new else 0
    return [
        Item(
            tuple(row.texts[0] for row in members),
            sum(row.work for row in members),
            "",
            present[i][0].coders if i < len(present) else frozenset(),
            0 if i < len(present) else size,
        )
        for i, members in enumerate(blocks)
        if members
    ]


def _assign(
    items: Sequence[Item], coders: Sequence[PlanCoder], parameters: PlanParameters
) -> Iterator[tuple[str, ...]]:
    """Yield the names of the coders of each item."""
    drawn = sorted(coders, key=lambda coder: (draw(parameters.seed, "coder", coder.name), coder.name))
    number = {coder.name: i for i, coder in enumerate(drawn)}
    counts = Counter(name for item in items for name in item.coders)
    # With blocks a maximum is of whole blocks.
    largest = max(len(item.texts) for item in items)
    limits = [
        len(items) if coder.maximum is None else max(counts[coder.name], coder.maximum // largest) for coder in drawn
    ]
    needs = [
        Need(frozenset(number[name] for name in item.coders), item.places, item.work, item.stratum) for item in items
    ]
    try:
        found = assign(needs, [round(coder.weight * WEIGHT_UNIT) for coder in drawn], limits, parameters.seed)
    except Shortage as shortage:
        raise PlanRefused(_shortage(shortage.missing, items, parameters, largest)) from None
    for members in found:
        yield tuple(sorted(drawn[i].name for i in members))


def _shortage(missing: int, items: Sequence[Item], parameters: PlanParameters, largest: int) -> str:
    needed = sum((item.places + len(item.coders)) * len(item.texts) for item in items)
    if parameters.design == Design.BLOCKS and largest > 1:
        return (
            f"The maxima of the coders are too small: blocks of {largest} texts go whole to their coders, and for "
            f"{missing} of these places there is nobody. Raise maxima, add coders, or make more blocks."
        )
    return (
        f"The maxima of the coders are too small: {missing} of {needed} assignments have nobody. Raise maxima by "
        f"{missing} {'text' if missing == 1 else 'texts'} altogether, add coders, or choose a smaller k or share."
    )


def _parts(assigned: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the coders who have texts, by name, in parts that share texts."""
    names = sorted({name for members in assigned.values() for name in members})
    place = {name: number for number, name in enumerate(names)}
    links = np.array([(place[a], place[b]) for members in assigned.values() for a, b in pairwise(members)], np.int64)
    rows, columns = links.reshape(-1, 2).T
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    n_parts, part_of = connected_components(graph, directed=False) if names else (0, [])
    return [[name for name, part in zip(names, part_of, strict=True) if part == number] for number in range(n_parts)]


def _refuse_unconnected(assigned: Mapping[str, Sequence[str]]) -> None:
    """Raise PlanRefused if coders are in several parts that share no text: who, why, and the way out."""
    parts = _parts(assigned)
    if len(parts) < 2:
        return
    smallest, n_coders = min(parts, key=len), sum(map(len, parts))
    who = ", ".join(smallest[:5]) + (f" and {len(smallest) - 5} others" if len(smallest) > 5 else "")
    why = f"{who} {'shares' if len(smallest) == 1 else 'share'} no text with the others"
    links = sum(len(members) - 1 for members in assigned.values() if members)
    if links < n_coders - 1:
        why += f": to connect {n_coders} coders takes {n_coders - 1} shared places, and there are {links}"
    raise PlanRefused(
        f"Agreement of all coders cannot be found, for {why}. Choose a larger k or share, add a calibration set, plan "
        "with fewer coders, or allow groups that share no texts."
    )


def _describe(
    texts: Sequence[PlanText],
    coders: Sequence[PlanCoder],
    seed: int,
    assigned: dict[str, tuple[str, ...]],
    by_text: dict[str, dict[str, Assignment]],
    removed: Sequence[tuple[str, str]],
    calibration: Sequence[str],
    needed: dict[str, int],
) -> Proposal:
    """Return the proposal with its figures."""
    names = [coder.name for coder in coders]
    counts, works, pairs = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for text in texts:
        counts.update(assigned[text.name])
        works.update(dict.fromkeys(assigned[text.name], text.work))
        pairs.update(combinations(assigned[text.name], 2))
    kept = {(text, coder) for text, rows in by_text.items() for coder in rows}
    places = [(text.name, name) for text in texts for name in assigned[text.name]]
    gone = tuple(sorted(set(removed) - set(places)))
    new = tuple(place for place in places if place not in kept and place not in removed)
    return Proposal(
        assignments={text.name: assigned[text.name] for text in texts},
        orders={name: _order(name, texts, assigned, by_text, seed) for name in names},
        loads=tuple(Load(name, counts[name], works[name]) for name in names),
        pairs=tuple((a, b, pairs[a, b]) for a, b in combinations(names, 2)),
        connected=len(_parts(assigned)) < 2,
        calibration=tuple(sorted(calibration)),
        shared=tuple(text.name for text in texts if len(assigned[text.name]) > 1),
        needed=needed,
        new=new,
        removed=gone,
    )


def _order(
    coder: str,
    texts: Sequence[PlanText],
    assigned: dict[str, tuple[str, ...]],
    by_text: dict[str, dict[str, Assignment]],
    seed: int,
) -> tuple[str, ...]:
    """Return the texts of a coder: those that they have in their order, then new ones at random.

    Texts that others code, too, are spread over the whole course: the i-th of n is at (i + u) / n of it, with a random
    u in [0, 1); the texts that nobody else codes in the same way between them.
    """
    own = [text.name for text in texts if coder in assigned[text.name]]
    present = sorted((rows[coder].position, name) for name in own if coder in (rows := by_text[name]))
    new = [name for name in own if coder not in by_text[name]]
    places: list[tuple[int, int, str]] = []
    for several in (True, False):
        names = [name for name in new if (len(assigned[name]) > 1) == several]
        names.sort(key=lambda name: (draw(seed, "order", coder, name), name))
        offset = draw(seed, "offset", coder, str(several))
        places += [(((i << 64) + offset) // len(names), draw(seed, "tie", name), name) for i, name in enumerate(names)]
    return (*[name for _, name in present], *[name for *_, name in sorted(places)])
