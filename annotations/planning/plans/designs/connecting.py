"""Connect coders who share no text with the others, by exchanging two places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotations.planning.plans.designs.state import State, components
from annotations.planning.plans.designs.terms import PlanCoder, PlanRefused


def connect(state: State) -> bool:
    """Exchange places until everybody who codes is connected by shared items; return whether they are.

    Take from a part of coders a place that is not needed to hold it together, and exchange it with a place of another
    part: then both are one. Where no part has such a place, no exchange helps.
    """
    active = np.flatnonzero(state.counts)
    while True:
        parts = [active[part] for part in components(state.shared[np.ix_(active, active)])]
        if len(parts) < 2:
            return True
        if not any(_join(state, part, other) for part in parts for other in parts if other is not part):
            return False


def _join(state: State, part: np.ndarray, other: np.ndarray) -> bool:
    """Exchange a place of a part that it can spare with one of another part; return whether there are such places."""
    movable = state.coded & ~state.given.fixed
    theirs = np.argwhere(movable[:, other])
    if not len(theirs):
        return False
    for item, position in np.argwhere(movable[:, part]).tolist():
        coder = int(part[position])
        if not _can_spare(state, part, item, coder):
            continue
        work = state.given.work
        place = int(np.abs(work[theirs[:, 0]] - work[item]).argmin())
        their_item, their_coder = int(theirs[place][0]), int(other[theirs[place][1]])
        state.remove(item, coder)
        state.replace(their_item, their_coder, coder)
        state.add(item, their_coder)
        return True
    return False


def _can_spare(state: State, part: np.ndarray, item: int, coder: int) -> bool:
    """Return whether the coders of a part are connected without a coder's place in an item."""
    if state.places[item] < 2:
        return False
    shared = state.shared[np.ix_(part, part)].copy()
    left = np.flatnonzero(state.coded[item, part])
    place = int(np.flatnonzero(part == coder)[0])
    left = left[left != place]
    shared[place, left] -= 1
    shared[left, place] -= 1
    return len(components(shared)) == 1


def refuse_unconnected(coders: Sequence[PlanCoder], assigned: Mapping[str, Sequence[str]]) -> None:
    """Raise PlanRefused if coders are in several parts that share no text: who, why, and the way out."""
    names = [coder.name for coder in coders if any(coder.name in members for members in assigned.values())]
    index = {name: i for i, name in enumerate(names)}
    shared = np.zeros((len(names), len(names)), bool)
    for members in assigned.values():
        rows = [index[name] for name in members]
        shared[np.ix_(rows, rows)] = True
    parts = components(shared)
    if len(parts) < 2:
        return
    smallest = [names[i] for i in min(parts, key=len)]
    who = ", ".join(smallest[:5]) + (f" and {len(smallest) - 5} others" if len(smallest) > 5 else "")
    why = f"{who} {'shares' if len(smallest) == 1 else 'share'} no text with the others"
    links = sum(len(members) - 1 for members in assigned.values() if members)
    if links < len(names) - 1:
        why += f": to connect {len(names)} coders takes {len(names) - 1} shared places, and there are {links}"
    raise PlanRefused(
        f"Agreement of all coders cannot be found, for {why}. Choose a larger k or share, add a calibration set, plan "
        "with fewer coders, or allow groups that share no texts."
    )
