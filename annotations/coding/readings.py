"""Readings: what a judgement points at, by keys of markables. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from annotations.formats.model import judgement

type Reading = judgement.Reading[str]
type Readings = judgement.Readings[str]


def alternatives(targets: Iterable[str]) -> Readings:
    """Return the readings of targets each of which is an alternative."""
    return tuple((target,) for target in targets)


def readings_payload(readings: Readings) -> list[str] | list[list[str]]:
    """Return the readings as JSON: a list of targets where no two are meant together, else a list of lists."""
    # Written out for every judgement of a coding, of which most have no target or one.
    targets = []
    for reading in readings:
        if len(reading) != 1:
            return [list(reading) for reading in readings]
        targets.append(reading[0])
    return targets


def is_readings(value: object, is_target: Callable[[object], bool]) -> bool:
    """Return whether the JSON is that of readings: a list of targets, or of lists with a target or more."""
    if not isinstance(value, list):
        return False
    if all(isinstance(reading, list) and reading for reading in value):
        return all(is_target(target) for reading in value for target in reading)
    return all(is_target(target) for target in value)


def parse_readings(value: list[str] | list[list[str]]) -> Readings:
    """Return the readings of that JSON. A flat list means alternatives."""
    return tuple((reading,) if isinstance(reading, str) else tuple(reading) for reading in value)


def map_targets(readings: Readings, new_key: Callable[[str], str | None]) -> Readings:
    """Return the readings with other keys for targets; without those for which there is none, and without doubles."""
    mapped = (tuple(new for target in reading if (new := new_key(target)) is not None) for reading in readings)
    return without_doubles(reading for reading in mapped if reading)


def without_doubles(readings: Iterable[Reading]) -> Readings:
    """Return the readings without those whose targets another one before has, in whatever order."""
    return tuple({frozenset(reading): reading for reading in reversed(list(readings))}.values())[::-1]


def sort_readings(readings: Readings) -> Readings:
    """Return equal readings for those that mean the same: in the order of keys."""
    return tuple(sorted(tuple(sorted(reading)) for reading in readings))
