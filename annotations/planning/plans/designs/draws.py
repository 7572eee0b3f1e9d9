"""Draws by a seed and names: the same in each version of Python, whatever else is drawn and in whatever order."""

import hashlib
from collections.abc import Iterable
from math import ceil

from annotations.planning.plans.designs.terms import PlanText


def draw(seed: int, *names: str) -> int:
    """Return a number below 2**64 that is random in the seed and the names."""
    content = "\0".join([str(seed), *names]).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())


def draw_texts(texts: Iterable[PlanText], number: int, seed: int, purpose: str, drawn: Iterable[str] = ()) -> list[str]:
    """Return so many texts in a random order, from each stratum in proportion, with all of those `drawn`."""
    # The place of the i-th of n texts of a stratum is (i + u) / n, with u in [0, 1) drawn by stratum.
    members = set(drawn)
    strata: dict[str, list[str]] = {}
    for text in texts:
        strata.setdefault(text.stratum, []).append(text.name)
    places: list[tuple[int, str]] = []
    for stratum, names in strata.items():
        # Those drawn before take the first places, so that the others make up for what a stratum lacks.
        names.sort(key=lambda name: (name not in members, draw(seed, purpose, name), name))
        offset = draw(seed, purpose, "stratum", stratum)
        places += [(((i << 64) + offset) // len(names), name) for i, name in enumerate(names)]
    order = [name for _, name in sorted(places)]
    present = [name for name in order if name in members]
    return [*present, *[name for name in order if name not in members][: max(0, number - len(present))]]


def share_of(number: int, share: float) -> int:
    """Return how many of so many texts a share is, rounded up."""
    return min(number, ceil(round(number * share, 6)))
