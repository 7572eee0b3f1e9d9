"""Golden files: how they are written so that a diff shows well, and where something differs from one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "files"
WIDTH = 200
DIGITS = 12
RELATIVE = 1e-9
# Near zero the last digits are what is left of sums of numbers near one.
ABSOLUTE = 1e-12
# A number with every digit, within text; and any that has decimals.
FULL = re.compile(r"-?\d+\.\d{7,}(?:e-?\d+)?|-?\d+(?:\.\d+)?e-\d+")
DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+e-\d+")
# What is the same as under another address is not written twice, from so many characters on.
LONG = 200
SAME = "same as"


def settle(value: Any) -> Any:
    """Return plain data with numbers of so many digits, text in lines, and lists of like objects as tables."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    if isinstance(value, str):
        value = FULL.sub(lambda found: f"{float(found[0]):.{DIGITS}g}", value)
        return value.splitlines() if "\n" in value.strip() else value
    if isinstance(value, dict):
        return {str(name): settle(one) for name, one in value.items()}
    if not isinstance(value, list | tuple):
        return value
    settled = [settle(one) for one in value]
    if len(settled) > 1 and all(isinstance(one, dict) and len(one) > 1 for one in settled):
        names = sorted(settled[0])
        if all(sorted(one) == names for one in settled):
            return {"columns": names, "rows": [[one[name] for name in names] for one in settled]}
    return settled


def dump(recorded: dict[str, Any]) -> str:
    """Return what is recorded under addresses, each address once and what is said there once."""
    written: dict[str, str] = {}
    shared = {}
    for address in sorted(recorded):
        said = json.dumps(recorded[address], sort_keys=True, ensure_ascii=False)
        first = written.setdefault(said, address)
        shared[address] = recorded[address] if first == address or len(said) < LONG else {SAME: first}
    return _pretty(shared, 0) + "\n"


def load(path: Path) -> dict[str, Any]:
    """Return what a golden file says of each address."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {
        address: stored[said[SAME]] if isinstance(said, dict) and SAME in said else said
        for address, said in stored.items()
    }


def _pretty(value: Any, depth: int) -> str:
    flat = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if not isinstance(value, dict | list) or (len(flat) + depth <= WIDTH and depth):
        return flat
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        parts = [
            f"{indent}{json.dumps(name, ensure_ascii=False)}: {_pretty(value[name], depth + 1)}"
            for name in sorted(value)
        ]
        return "{\n" + ",\n".join(parts) + "\n" + " " * depth + "}"
    if all(not isinstance(one, dict | list | str) for one in value):
        return "[\n" + "\n".join(_wrapped(value, indent)) + "\n" + " " * depth + "]"
    return "[\n" + ",\n".join(indent + _pretty(one, depth + 1) for one in value) + "\n" + " " * depth + "]"


def _wrapped(values: list[Any], indent: str) -> Iterator[str]:
    """Yield numbers in lines."""
    line = indent
    for place, value in enumerate(values):
        piece = json.dumps(value) + ("," if place + 1 < len(values) else "")
        if line != indent and len(line) + len(piece) >= WIDTH:
            yield line.rstrip()
            line = indent
        line += piece + " "
    yield line.rstrip()


def differences(expected: Any, found: Any, address: str = "") -> Iterator[str]:
    """Yield where two differ: numbers by more than the tolerance, all else at all."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted({*expected, *found}):
            here = f"{address} → {name}" if address else name
            if name not in found:
                yield f"{here}: is gone, was {_short(expected[name])}"
            elif name not in expected:
                yield f"{here}: is new, {_short(found[name])}"
            else:
                yield from differences(expected[name], found[name], here)
    elif isinstance(expected, list) and isinstance(found, list):
        nothing = object()
        for place, (one, other) in enumerate(zip_longest(expected, found, fillvalue=nothing)):
            here = f"{address}[{place}]"
            if other is nothing:
                yield f"{here}: is gone, was {_short(one)}"
            elif one is nothing:
                yield f"{here}: is new, {_short(other)}"
            else:
                yield from differences(one, other, here)
    elif not _is_same(expected, found):
        yield f"{address}:\n    was {_short(expected)}\n    is  {_short(found)}"


def _is_same(expected: Any, found: Any) -> bool:
    if isinstance(expected, str) and isinstance(found, str):
        if expected == found:
            return True
        if DECIMAL.split(expected) != DECIMAL.split(found):
            return False
        pairs = zip(DECIMAL.findall(expected), DECIMAL.findall(found), strict=True)
        return all(one == other or _are_full_and_near(one, other) for one, other in pairs)
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return _is_near(expected, found)
    return bool(expected == found)


def _are_full_and_near(one: str, other: str) -> bool:
    """Return whether two numbers in text are near, of which at least one has every digit: others are as printed."""
    return bool(FULL.fullmatch(one) or FULL.fullmatch(other)) and _is_near(float(one), float(other))


def _is_near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"
