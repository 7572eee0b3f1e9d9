"""Make a filled plan better: move single places, exchange two, and exchange the coders of two texts."""

from __future__ import annotations

import numpy as np

from annotations.planning.plans.designs.filling import LOAD, PAIR, STRATUM, goal_counts
from annotations.planning.plans.designs.state import UNIT, Flags, Numbers, State, count_parts

SWEEPS = 6
# With how many others the coders of an item are compared in a sweep, times coders; and how many items at most.
PARTNERS = 4096
PIVOTS = 6000
# How many places are compared with coders, before the exchange of two places ends.
MOST_COMPARISONS = 5_000_000
# How many pairs of coders are tried, and items of each, from the most promising on.
CANDIDATES, TRIED = 100, 50
# How many exchanges that make pairs no better end the search, and how long an item does not go back.
MOST_WORSE, TENURE = 300, 8
# How far apart pairs may be before work counts more than pairs.
PAIR_SPREAD = 2 * UNIT


def balance_pairs(state: State) -> None:
    """Move and exchange places until numbers of texts, pairs and strata are as near as it gets to what they should be.

    Moves change how many texts a coder has, exchanges do not.
    """
    goals = goal_counts(state)
    unit = np.full(len(state.places), UNIT, np.int64)
    for _ in range(SWEEPS):
        if not _move_places(state, unit, goals, strict=False):
            break
    _exchange_places(state)


def balance_work(state: State) -> None:
    """Exchange the coders of texts, then move places, until the work of coders is as near as it gets to their share."""
    for _ in range(2):
        for sweep in range(min(SWEEPS, max(1, PIVOTS // len(state.places)))):
            if not _exchange_coders(state, sweep):
                break
        for _ in range(SWEEPS):
            if not _move_places(state, state.given.work, state.goals, strict=True):
                break


def _move_places(state: State, work: Numbers, goals: Numbers, *, strict: bool) -> bool:
    """Move places of each item to a coder with whom all is better; return whether any moved.

    `strict` moves leave coders connected, and the spread of pairs as it is or within what it may be. As long as the
    work of somebody is further from their share than the largest text, they count nothing but work.
    """
    given = state.given
    movable = state.coded & ~given.fixed
    movable[state.places >= given.n_coders] = False
    excess = work @ state.coded - goals
    largest = int(work.max())
    pairs = state.pair_excess
    strata = state.stratum_excess
    parts = count_parts(state)
    moved = False
    for item in np.flatnonzero(movable.any(axis=1)).tolist():
        chosen = state.coded[item]
        free = np.flatnonzero(movable[item])
        others = np.flatnonzero(~chosen & (state.counts < given.limits))
        if not len(others):
            continue
        size, stratum = int(work[item]), int(given.strata[item])
        row = pairs @ chosen
        # What a place of `free` gives to `others` changes in the sum of squares.
        change = LOAD * 2 * size * (excess[others][None, :] - excess[free][:, None] + size)
        far = strict and int(np.abs(excess).max()) > largest
        if not far:
            change += PAIR * 2 * UNIT * (row[others][None, :] - pairs[np.ix_(free, others)] - row[free][:, None])
            change += PAIR * 2 * UNIT * UNIT * (int(chosen.sum()) - 1)
            change += STRATUM * 2 * UNIT * (strata[stratum, others][None, :] - strata[stratum, free][:, None] + UNIT)
        place = int(change.argmin())
        if change.flat[place] >= 0:
            continue
        coder, other = int(free[place // len(others)]), int(others[place % len(others)])
        state.replace(item, coder, other)
        new_pairs = state.pair_excess
        if strict:
            new_parts = parts
            if state.counts[other] == 1 or not state.shared[coder, state.coded[item]].all():
                new_parts = count_parts(state)
            wider = _spread(new_pairs) > max(_spread(pairs), PAIR_SPREAD)
            if (wider and not far) or new_parts > parts:
                state.replace(item, other, coder)
                continue
            parts = new_parts
        pairs = new_pairs
        excess[coder] -= size
        excess[other] += size
        strata[stratum, coder] -= UNIT
        strata[stratum, other] += UNIT
        movable[item, coder], movable[item, other] = False, True
        moved = True
    return moved


def _spread(pairs: Numbers) -> int:
    """Return how far the pairs of coders are apart at most."""
    upper = pairs[np.triu_indices(len(pairs), 1)]
    return int(upper.max() - upper.min()) if len(upper) else 0


def _exchange_places(state: State) -> None:
    """Exchange places of two coders in two items while pairs get better, then search on for a while if they are apart.

    The search takes the best exchange even if it makes pairs worse, but gives nobody an item back that was taken from
    them in its last steps (tabu search), and ends with the best that was met.
    """
    comparisons = max(1, int(state.given.places.sum()) * state.given.n_coders)
    tabu = np.zeros(state.coded.shape, np.int64)
    best, best_spread, worse = state.coded.copy(), _spread(state.pair_excess), 0
    for step in range(1, MOST_COMPARISONS // comparisons):
        if best_spread <= UNIT or (worse and best_spread <= PAIR_SPREAD) or worse >= MOST_WORSE:
            break
        exchange = _best_exchange(state, tabu < step)
        if exchange is None:
            break
        change, item, coder, their_item, other = exchange
        worse += change >= 0
        if worse:
            tabu[item, coder] = tabu[their_item, other] = step + TENURE
        state.replace(item, coder, other)
        state.replace(their_item, other, coder)
        spread = _spread(state.pair_excess)
        if spread < best_spread or (spread == best_spread and not worse):
            best, best_spread = state.coded.copy(), spread
    for item in np.flatnonzero((best != state.coded).any(axis=1)).tolist():
        for coder in np.flatnonzero(state.coded[item] & ~best[item]).tolist():
            state.remove(item, coder)
        for coder in np.flatnonzero(best[item] & ~state.coded[item]).tolist():
            state.add(item, coder)


def _best_exchange(state: State, allowed: Flags) -> tuple[int, int, int, int, int] | None:
    """Return what the best exchange changes, an item with its coder, and another one with another coder.

    What changes is the sum of the fourth powers of what pairs have too much or lack, so that the farthest count most.
    The two coders are those for whom the best exchanges, each by itself, promise most; with both, pairs with whom
    codes both items do not change. `allowed` says who may get which items.
    """
    v = state.given.n_coders
    movable = state.coded & ~state.given.fixed
    movable[state.places >= v] = False
    closed = state.coded | ~allowed
    power = _fourth_powers(state.pair_excess)
    more, less = _fourth_powers(state.pair_excess + UNIT) - power, _fourth_powers(state.pair_excess - UNIT) - power
    np.fill_diagonal(more, 0)
    np.fill_diagonal(less, 0)
    coded = state.coded.astype(np.int64)
    gains, losses, back = coded @ more, coded @ less, more + less
    impossible = np.iinfo(np.int64).max // 8
    items = [np.flatnonzero(movable[:, coder]) for coder in range(v)]
    # By coder: what it changes to give an item to each other coder.
    changes, promise = [], np.full((v, v), impossible)
    for coder in range(v):
        own = items[coder]
        change = gains[own] - more[coder] + losses[own, coder][:, None]
        change[closed[own]] = impossible
        changes.append(change)
        if len(own):
            promise[coder] = change.min(axis=0)
    promise = np.where(np.triu(np.ones((v, v), bool), 1), promise + promise.T, impossible)
    best = None
    for place in np.argsort(promise, axis=None, kind="stable")[:CANDIDATES].tolist():
        coder, other = divmod(place, v)
        if promise[coder, other] >= impossible // 2:
            break
        ours = np.argsort(changes[coder][:, other], kind="stable")[:TRIED]
        theirs = np.argsort(changes[other][:, coder], kind="stable")[:TRIED]
        our_items, their_items = items[coder][ours], items[other][theirs]
        common = (coded[our_items] * (back[coder] + back[other])) @ coded[their_items].T
        change = changes[coder][ours, other][:, None] + changes[other][theirs, coder][None, :] - common
        index = int(change.argmin())
        value = int(change.flat[index])
        if value < impossible // 2 and (best is None or value < best[0]):
            i, j = divmod(index, len(their_items))
            best = (value, int(our_items[i]), coder, int(their_items[j]), other)
            if value < 0:
                break
    return best


def _fourth_powers(pairs: Numbers) -> Numbers:
    """Return them in hundredths of a text, and no more than 30 texts, so that sums do not overflow."""
    result: Numbers = (np.clip(pairs, -30 * UNIT, 30 * UNIT) // 10) ** 4
    return result


def _exchange_coders(state: State, sweep: int) -> bool:
    """Exchange all coders of one item with those of another one where work and strata are better for it.

    The numbers of texts and pairs stay what they are.
    """
    given = state.given
    v = given.n_coders
    whole = ~given.fixed.any(axis=1) & (state.places < v) & (state.places > 0)
    moved = False
    for size in np.unique(state.places[whole]).tolist():
        items = np.flatnonzero(whole & (state.places == size))
        moved |= _exchange_within(state, items, sweep)
    return moved


def _exchange_within(state: State, items: Numbers, sweep: int) -> bool:
    """Do so within items of as many coders."""
    given, size, n = state.given, int(state.places[items[0]]), len(items)
    work, strata = given.work[items], given.strata[items]
    coded = state.coded[items].astype(np.int64)
    excess, stratum_excess = state.load_excess(), state.stratum_excess
    # Another part of the items is compared in each sweep.
    most = max(32, PARTNERS // given.n_coders)
    partners = np.arange(min(most, n)) * max(1, n // most)
    moved = False
    for i in range(sweep % max(1, n // PIVOTS), n, max(1, n // PIVOTS)):
        others = (partners + i + 1 + sweep * (len(partners) // 2 + 1)) % n
        mine, theirs = coded[i], coded[others]
        gap = work[i] - work[others]
        apart = 2 * (size - theirs @ mine)
        # Who gets the item has `gap` more work, whose it is has that much less.
        change = LOAD * gap * (2 * (theirs @ excess - int(mine @ excess)) + gap * apart)
        if state.n_strata > 1:
            own, rows = stratum_excess[strata[i]], stratum_excess[strata[others]]
            gain = theirs @ own - (theirs * rows).sum(axis=1) + rows @ mine - int(own @ mine) + UNIT * apart
            change += np.where(strata[others] == strata[i], 0, STRATUM * 2 * UNIT * gain)
        j = int(change.argmin())
        if change[j] >= 0:
            continue
        other = int(others[j])
        difference = coded[other] - mine
        excess += difference * int(gap[j])
        stratum_excess[strata[i]] += difference * UNIT
        stratum_excess[strata[other]] -= difference * UNIT
        coded[[i, other]] = coded[[other, i]]
        moved = True
    if moved:
        state.coded[items] = coded.astype(bool)
        state.by_stratum[:] = 0
        np.add.at(state.by_stratum, given.strata, state.coded.astype(np.int64))
    return moved
