"""Propose assignments of texts to coders."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from annotations.planning.plans.designs.balancing import Item, Shortage, assign
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
    check,
)


def propose(
    texts: Iterable[PlanText],
    coders: Iterable[PlanCoder],
    parameters: PlanParameters,
    existing: Iterable[Assignment] = (),
) -> Proposal:
    """Return the proposed assignments, which depend on the seed but not on any order. Raise PlanRefused."""
    # Priorities, in order: the coders of each text follow the design, and work differs from the quotas by at most one
    # text; pairs share equal numbers of texts; shared texts connect coders; strata are spread evenly. Existing
    # assignments stay and count, but those not begun may move on request.
    texts, coders = sorted(texts, key=lambda text: text.name), sorted(coders, key=lambda coder: coder.name)
    check(texts, coders, parameters)
    return _Planner(texts, coders, parameters, existing).propose()


class _Planner:
    """The state of planning: the kept assignments by text, and places filled or given up outside the plan."""

    def __init__(
        self,
        texts: Sequence[PlanText],
        coders: Sequence[PlanCoder],
        parameters: PlanParameters,
        existing: Iterable[Assignment],
    ) -> None:
        self.texts, self.coders, self.parameters, self.seed = texts, coders, parameters, parameters.seed
        self.names = [coder.name for coder in coders]
        # The coders in random order, and the index of each.
        self.drawn = sorted(coders, key=lambda coder: (draw(self.seed, "coder", coder.name), coder.name))
        self.number = {coder.name: i for i, coder in enumerate(self.drawn)}
        self.kept: dict[str, dict[str, Assignment]] = {text.name: {} for text in texts}
        self.outside: Counter[str] = Counter()
        self.removed: set[tuple[str, str]] = set()
        for assignment in (row for row in existing if row.text in self.kept):
            text, coder = assignment.text, assignment.coder
            if coder not in self.number:
                # A former coder keeps the place of begun work.
                self.outside[text] += assignment.begun
            elif assignment.begun or not parameters.move:
                self.kept[text][coder] = assignment
                self.outside[text] -= assignment.released
            else:
                self.removed.add((text, coder))
        known = self.kept.keys() & set(parameters.calibration_texts)
        self.calibration = draw_texts(texts, parameters.calibration, self.seed, "calibration", known)
        self.sizes = self._sizes()

    def propose(self) -> Proposal:
        """Return the proposal with its statistics."""
        assigned = {name: tuple(sorted(kept)) for name, kept in self.kept.items()}
        if not self.parameters.pool:
            items = self._items()
            for item, members in zip(items, self._assign(items), strict=True):
                assigned.update(dict.fromkeys(item.texts, members))
            if not self.parameters.allow_unconnected:
                _refuse_unconnected(assigned)
        self._change_by_hand(assigned)
        counts, works, pairs = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for text in self.texts:
            counts.update(assigned[text.name])
            works.update(dict.fromkeys(assigned[text.name], text.work))
            pairs.update(combinations(assigned[text.name], 2))
        places = [(text, name) for text, members in assigned.items() for name in members]
        known = {(text, coder) for text, rows in self.kept.items() for coder in rows} | self.removed
        return Proposal(
            assignments=assigned,
            orders={name: self._order(name, assigned) for name in self.names},
            loads=tuple(Load(name, counts[name], works[name]) for name in self.names),
            pairs=tuple((a, b, pairs[a, b]) for a, b in combinations(self.names, 2)),
            connected=len(_parts(assigned)) < 2,
            calibration=tuple(sorted(self.calibration)),
            needed=self.sizes,
            new=tuple(place for place in places if place not in known),
            removed=tuple(sorted(self.removed - set(places))),
        )

    def _sizes(self) -> dict[str, int]:
        """Return the number of coders for each text."""
        parameters, n = self.parameters, len(self.coders)
        names = [text.name for text in self.texts]
        shared = set(names)
        if parameters.design == Design.SHARE:  # texts that already have several coders come first
            several = {name for name in names if len(self.kept[name]) + self.outside[name] > 1} | set(self.calibration)
            number = share_of(len(names), parameters.share)
            shared = {*draw_texts(self.texts, number, self.seed, "share", several)[:number]}
        k = n if parameters.k is None else parameters.k
        for_all = set(names) if parameters.design == Design.ALL else set(self.calibration)
        return {name: n if name in for_all else k if name in shared else 1 for name in names}

    def _items(self) -> list[Item]:
        """Return texts, or blocks of texts, in random order."""
        n, items, blocks = len(self.coders), list[Item](), list[Item]()
        for text in sorted(self.texts, key=lambda text: (draw(self.seed, "text", text.name), text.name)):
            size, fixed = self.sizes[text.name], frozenset(self.number[name] for name in self.kept[text.name])
            missing = size - len(fixed) - (0 if size == n else self.outside[text.name])
            item = Item((text.name,), text.work, text.stratum, fixed, max(0, missing))
            in_block = self.parameters.design == Design.BLOCKS and size < n and (not fixed or not item.places)
            (blocks if in_block else items).append(item)
        return items + (self._blocks(blocks) if blocks else [])

    def _blocks(self, rows: Sequence[Item]) -> list[Item]:
        """Return blocks of texts with equal work; texts that already have the same coders start a block."""
        present = list(dict.fromkeys(row.fixed for row in rows if not row.places))
        new = [row for row in rows if row.places]
        wanted = self.parameters.blocks or min(len(self.coders), len(rows))
        n_blocks = max(min(wanted, len(present) + len(new)), len(present), 1)
        # Spread texts over blocks like texts that need one coder each.
        singles = []
        for row in rows:
            fixed = frozenset[int]() if row.places else frozenset([present.index(row.fixed)])
            singles.append(replace(row, fixed=fixed, places=1 - len(fixed)))
        members = [list[Item]() for _ in range(n_blocks)]
        for row, [block] in zip(rows, assign(singles, [1] * n_blocks, [len(rows)] * n_blocks, self.seed), strict=True):
            members[block].append(row)
        blocks = []
        for i, block_items in enumerate(members):
            if block_items:
                fixed, places = (present[i], 0) if i < len(present) else (frozenset(), new[0].places)
                texts = tuple(text for row in block_items for text in row.texts)
                blocks.append(Item(texts, sum(row.work for row in block_items), "", fixed, places))
        return blocks

    def _assign(self, items: Sequence[Item]) -> Iterator[tuple[str, ...]]:
        """Yield the names of the coders of each item."""
        counts = Counter(coder for item in items for coder in item.fixed)
        # With blocks, a maximum counts whole blocks.
        largest = max(len(item.texts) for item in items)
        limits = [
            len(items) if coder.maximum is None else max(counts[i], coder.maximum // largest)
            for i, coder in enumerate(self.drawn)
        ]
        try:
            chosen = assign(items, [round(coder.weight * WEIGHT_UNIT) for coder in self.drawn], limits, self.seed)
        except Shortage as shortage:
            needed = sum((item.places + len(item.fixed)) * len(item.texts) for item in items)
            blocks_of = largest if self.parameters.design == Design.BLOCKS and largest > 1 else None
            raise PlanRefused(_say_shortage(shortage.missing, needed, blocks_of)) from None
        for members in chosen:
            yield tuple(sorted(self.drawn[i].name for i in members))

    def _change_by_hand(self, assigned: dict[str, tuple[str, ...]]) -> None:
        """Apply the manual additions and removals. Begun assignments stay."""
        for text, coder in self.parameters.additions:
            if text in assigned and coder in self.number:
                assigned[text] = tuple(sorted({*assigned[text], coder}))
        for text, coder in sorted(self.parameters.removals):
            existing = self.kept.get(text, {}).pop(coder, None)
            if existing is not None and existing.begun:
                raise PlanRefused(f"{coder} has begun {text}: it stays assigned.")
            if existing is not None:
                self.removed.add((text, coder))
            if text in assigned:
                assigned[text] = tuple(name for name in assigned[text] if name != coder)

    def _order(self, coder: str, assigned: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """Return the texts of a coder: existing ones in their order, then new ones in random order."""
        # Texts with several coders are spread evenly: the i-th of n has the position (i + u) / n, with u in [0, 1).
        own = [name for name, members in assigned.items() if coder in members]
        present = sorted((self.kept[name][coder].position, name) for name in own if coder in self.kept[name])
        new = [name for name in own if coder not in self.kept[name]]
        positions: list[tuple[int, int, str]] = []
        for several in (True, False):
            names = [name for name in new if (len(assigned[name]) > 1) == several]
            names.sort(key=lambda name: (draw(self.seed, "order", coder, name), name))
            offset = draw(self.seed, "offset", coder, str(several))
            positions += [
                (((i << 64) + offset) // len(names), draw(self.seed, "tie", name), name) for i, name in enumerate(names)
            ]
        return (*[name for _, name in present], *[name for *_, name in sorted(positions)])


def _say_shortage(missing: int, needed: int, blocks_of: int | None) -> str:
    if blocks_of is not None:
        return (
            f"The maxima of the coders are too small: blocks of {blocks_of} texts go whole to their coders, and for "
            f"{missing} of these places there is nobody. Raise maxima, add coders, or make more blocks."
        )
    return (
        f"The maxima of the coders are too small: {missing} of {needed} assignments have nobody. Raise maxima by "
        f"{missing} {'text' if missing == 1 else 'texts'} altogether, add coders, or choose a smaller k or share."
    )


def _parts(assigned: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the groups of coders that share texts, directly or through others, by name."""
    parts: list[set[str]] = []
    for members in dict.fromkeys(map(tuple, assigned.values())):
        joined = [part for part in parts if not part.isdisjoint(members)]
        parts = [part for part in parts if part.isdisjoint(members)] + [set(members).union(*joined)]
    return sorted(sorted(part) for part in parts if part)


def _refuse_unconnected(assigned: Mapping[str, Sequence[str]]) -> None:
    """Raise PlanRefused if some coders share no text with the others; the message says who, why and what to do."""
    if len(parts := _parts(assigned)) < 2:
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
