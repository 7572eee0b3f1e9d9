"""Readings: the targets of a judgement as keys of markables. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from annotations.formats.model import judgement

type Reading = judgement.Reading[str]
type Readings = judgement.Readings[str]


def alternatives(targets: Iterable[str]) -> Readings:
    """Return one reading for each target: all targets are alternatives."""
    return tuple((target,) for target in targets)


def readings_payload(readings: Readings) -> list[str] | list[list[str]]:
    """Return the readings as JSON: a list of targets if no two are meant together, else a list of lists."""
    # A plain loop, as it runs for every judgement; most have no target or one.
    targets = []
    for reading in readings:
        if len(reading) != 1:
            return [list(reading) for reading in readings]
        targets.append(reading[0])
    return targets


def is_readings(value: object, is_target: Callable[[object], bool]) -> bool:
    """Return whether the JSON value has readings: a list of targets, or a list of non-empty lists of targets."""
    if not isinstance(value, list):
        return False
    if all(isinstance(reading, list) and reading for reading in value):
        return all(is_target(target) for reading in value for target in reading)
    return all(is_target(target) for target in value)


def parse_readings(value: list[str] | list[list[str]]) -> Readings:
    """Return the readings of a valid JSON value. A flat list means alternatives."""
    return tuple((reading,) if isinstance(reading, str) else tuple(reading) for reading in value)


def map_targets(readings: Readings, new_key: Callable[[str], str | None]) -> Readings:
    """Return the readings with the new keys of their targets, without duplicates and without targets that have none."""
    mapped = (tuple(new for target in reading if (new := new_key(target)) is not None) for reading in readings)
    return without_doubles(reading for reading in mapped if reading)


def without_doubles(readings: Iterable[Reading]) -> Readings:
    """Return the readings without duplicates; the order of targets does not matter."""
    return tuple({frozenset(reading): reading for reading in reversed(list(readings))}.values())[::-1]


def sort_readings(readings: Readings) -> Readings:
    """Return the readings in a canonical order of keys, so that readings with the same meaning are equal."""
    return tuple(sorted(tuple(sorted(reading)) for reading in readings))
