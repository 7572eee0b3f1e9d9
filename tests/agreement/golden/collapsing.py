"""What is said again is not written again: of a variant what the plain answer does not say, of long lists the first.

What is left out is counted, with a digest, so that it is compared all the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.agreement.golden.storing import FULL

# Runs of so many lines or rows, or of so many characters, are worth leaving out.
RUN = 3
LONG = 120
# Of long text and lists of a variant so many parts are written.
FIRST = 8
MOST_PARTS = 24
MOST_NUMBERS = 40
AS_PLAIN = "…"
# Digests are of numbers with so many digits, moved away from halves that could be rounded either way.
MOVED = 1.0123456789
DIGITS = 8
# A difference of figures that is 0 on one processor is so much on another; smaller numbers are a p.
NOISE = (1e-17, 1e-15)


def collapse(said: Any, plain: Any) -> Any:
    """Return what is said, without what the plain answer says, too."""
    if isinstance(said, dict) and isinstance(plain, dict):
        same = {name: one for name, one in said.items() if name in plain and digest(one) == digest(plain[name])}
        other = {name: collapse(one, plain.get(name)) for name, one in said.items() if name not in same}
        is_long = len(json.dumps(same)) > LONG // 2
        return other | ({AS_PLAIN: f"{len(same)}: {digest(same)}"} if is_long else same)
    if isinstance(said, list) and isinstance(plain, list):
        if _is_of_numbers(said):
            return AS_PLAIN if len(said) > FIRST and digest(said) == digest(plain) else said
        known = {digest(one) for one in plain}
        return _without_runs(said, [digest(one) in known for one in said])
    if isinstance(said, str) and len(said) > LONG and said == plain:
        return f"{AS_PLAIN} {digest(said)}"
    return said


def shorten(said: Any, most: int = MOST_PARTS) -> Any:
    """Return what is said with the first parts of long lists."""
    if isinstance(said, dict):
        return {name: shorten(one, most) for name, one in said.items()}
    if not isinstance(said, list):
        return said
    if _is_of_numbers(said):
        return _sums(said) if len(said) > MOST_NUMBERS else said
    if len(said) > most:
        return [
            *(shorten(one, most) for one in said[:FIRST]),
            f"{AS_PLAIN} {len(said) - FIRST} more: {digest(said[FIRST:])}",
        ]
    return [shorten(one, most) for one in said]


def digest(value: Any) -> str:
    """Return a digest of plain data in which last digits of numbers do not matter."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(FULL.sub(_coarse, text).encode()).hexdigest()[:8]


def _coarse(found: Any) -> str:
    value = float(found[0])
    return "0.0" if NOISE[0] < abs(value) < NOISE[1] else f"{value * MOVED:.{DIGITS}g}"


def _is_of_numbers(values: Sequence[Any]) -> bool:
    return bool(values) and all(one is None or isinstance(one, int | float) for one in values)


def _sums(values: Sequence[Any]) -> dict[str, Any]:
    """Return the first numbers, how many there are, and two sums that the others and their order are in."""
    numbers = [one or 0 for one in values]
    weighted = sum(place * number for place, number in enumerate(numbers))
    return {"first": list(values[:FIRST]), "n": len(values), "sum": sum(numbers), "weighted sum": weighted}


def _without_runs(
    said: Sequence[Any], known: Sequence[bool], size: Callable[[Any], int] = lambda one: len(str(one))
) -> list[Any]:
    written: list[Any] = []
    run: list[Any] = []
    for one, is_known in [*zip(said, known, strict=True), (None, False)]:
        if is_known:
            run.append(one)
            continue
        if len(run) >= RUN or sum(map(size, run)) > LONG:
            written.append(f"{AS_PLAIN} {len(run)}: {digest(run)}")
        else:
            written += run
        run = []
        written.append(one)
    return written[:-1]
