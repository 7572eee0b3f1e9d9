"""Random draws from a seed and names, equal in all versions of Python and independent of other draws."""

import hashlib
from collections.abc import Iterable
from math import ceil

from annotations.planning.plans.designs.terms import PlanText


def draw(seed: int, *names: str) -> int:
    """Return a number below 2**64 that is random in the seed and the names."""
    content = "\0".join([str(seed), *names]).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())


def draw_texts(texts: Iterable[PlanText], number: int, seed: int, purpose: str, drawn: Iterable[str] = ()) -> list[str]:
    """Return `number` texts in a random order, from each stratum in proportion, including all `drawn` texts."""
    # The i-th of n texts of a stratum has the position (i + u) / n, with u in [0, 1) drawn by stratum.
    members = set(drawn)
    strata: dict[str, list[str]] = {}
    for text in texts:
        strata.setdefault(text.stratum, []).append(text.name)
    positions: list[tuple[int, str]] = []
    for stratum, names in strata.items():
        # Earlier texts take the first positions, so that the others fill up each stratum.
        names.sort(key=lambda name: (name not in members, draw(seed, purpose, name), name))
        offset = draw(seed, purpose, "stratum", stratum)
        positions += [(((i << 64) + offset) // len(names), name) for i, name in enumerate(names)]
    order = [name for _, name in sorted(positions)]
    present = [name for name in order if name in members]
    return [*present, *[name for name in order if name not in members][: max(0, number - len(present))]]


def share_of(number: int, share: float) -> int:
    """Return the share of a number, rounded up."""
    return min(number, ceil(round(number * share, 6)))
