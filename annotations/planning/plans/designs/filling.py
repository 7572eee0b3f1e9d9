"""Fill all places: greedily, then along alternating paths where coders have as many texts as they take."""

from __future__ import annotations

from collections import deque

import numpy as np

from annotations.planning.plans.designs.state import UNIT, Numbers, State

# What a text too much for a coder counts, beside a text too much for a pair, and one of a stratum.
LOAD, PAIR, STRATUM = 4, 4, 1


class Shortage(ValueError):
    """Coders take fewer items than there are places: for so many there is nobody."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


def fill(state: State) -> None:
    """Give every free place of the state to a coder; raise Shortage where that is impossible."""
    given = state.given
    n, v = given.fixed.shape
    order = sorted(range(n), key=lambda item: (given.places[item] + given.fixed[item].sum() < v, -given.work[item]))
    total = max(1, int(given.places.sum()))
    goals = goal_counts(state)
    turn, done, missing = np.arange(v), 0, []
    for item in order:
        chosen = state.coded[item]
        due = goals * done // total
        row = state.shared @ chosen * UNIT - (state.pair_goals @ chosen) * done // total
        stratum = given.strata[item]
        load = LOAD * (state.counts * UNIT - due)
        load += STRATUM * (state.by_stratum[stratum] * UNIT - state.stratum_goals[stratum] * done // total)
        closed = chosen | (state.counts >= given.limits)
        # Where several are as good, another one is the first each time.
        tie = (turn + item) % v
        for place in range(int(given.places[item])):
            if closed.all():
                missing += [item] * (int(given.places[item]) - place)
                break
            cost = (load + PAIR * row) * v + tie
            cost[closed] = np.iinfo(np.int64).max
            coder = int(cost.argmin())
            state.add(item, coder)
            closed[coder] = True
            row = row + state.shared[coder] * UNIT - state.pair_goals[coder] * done // total
        done += int(given.places[item])
    if left := sum(not _fill_along_path(state, item) for item in missing):
        raise Shortage(left)


def goal_counts(state: State) -> Numbers:
    """Return how many thousandths of an item each coder should have: those fixed, and of the others a share."""
    given = state.given
    fixed_work = given.work @ given.fixed
    free_work = max(1, int((given.work * given.places).sum()))
    free = int(given.places.sum()) * UNIT
    left = np.maximum(state.goals - fixed_work, 0)
    goals = given.fixed.sum(axis=0) * UNIT + left * free // free_work
    result: Numbers = np.minimum(goals, given.limits * UNIT)
    return result


def _fill_along_path(state: State, item: int) -> bool:
    """Give a place of the item to a coder who passes another item on, and so forth, to one who has room.

    Without such a path there is no way to fill the place at all (the theorem of augmenting paths of flows).
    """
    given = state.given
    movable = state.coded & ~given.fixed
    # To each coder who was reached: from whom, and by which item.
    reached: dict[int, tuple[int, int]] = {int(coder): (-1, item) for coder in np.flatnonzero(~state.coded[item])}
    queue = deque(reached)
    while queue:
        coder = queue.popleft()
        if state.counts[coder] < given.limits[coder]:
            while True:
                giver, passed = reached[coder]
                if giver < 0:
                    state.add(passed, coder)
                    return True
                state.replace(passed, giver, coder)
                coder = giver
        items = np.flatnonzero(movable[:, coder])
        for other in np.flatnonzero((~state.coded[items]).any(axis=0)).tolist():
            if other not in reached:
                passed = items[~state.coded[items, other]][0]
                reached[other] = (coder, int(passed))
                queue.append(other)
    return False
