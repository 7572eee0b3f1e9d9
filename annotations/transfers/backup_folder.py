"""A folder of backups, of which as many days and weeks are kept as somebody asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotations.core.files import write_whole
from annotations.transfers.backups import back_up

NAME = re.compile(r"coindex-(\d{8}T\d{6})Z\.zip")
# So long each backup stays, so that one made before an upgrade outlives the one of that night.
KEPT_FOR = timedelta(days=1)
TIME_FORMAT = "%Y%m%dT%H%M%S"


def backups_in(folder: Path) -> dict[datetime, Path]:
    """Return the backups in the folder by the time at which they were begun, the newest first. Other files stay."""
    found = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := NAME.fullmatch(path.name):
            with suppress(ValueError):  # digits that are no time
                found[datetime.strptime(match[1], TIME_FORMAT).replace(tzinfo=UTC)] = path
    return dict(sorted(found.items(), reverse=True))


def past_backups(folder: Path, now: datetime) -> dict[datetime, Path]:
    """Return the backups in the folder but those of the future, which a clock has made that was wrong."""
    return {time: path for time, path in backups_in(folder).items() if time <= now}


def named_backup(folder: Path, now: datetime) -> Path:
    """Return the path of the backup of this time."""
    return folder / f"coindex-{now.astimezone(UTC):{TIME_FORMAT}}Z.zip"


def write_backup(folder: Path, now: datetime) -> Path:
    """Write a backup into the folder and return its path. Raise OSError if it cannot be written: then there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    path = named_backup(folder, now)
    write_whole(path, back_up)
    return path


def times_to_keep(times: Iterable[datetime], daily: int, weekly: int) -> set[datetime]:
    """Return the newest time of each of the last `daily` days and `weekly` weeks that have one."""
    days: dict[tuple[int, ...], datetime] = {}
    weeks: dict[tuple[int, ...], datetime] = {}
    for time in sorted(times, reverse=True):
        days.setdefault((time.year, time.month, time.day), time)
        weeks.setdefault(time.isocalendar()[:2], time)
    return {*list(days.values())[: max(daily, 1)], *list(weeks.values())[:weekly]}


def delete_old_backups(folder: Path, daily: int, weekly: int, now: datetime) -> list[Path]:
    """Delete the backups of the folder that are not to be kept, and return their paths.

    None of the last day is deleted, and none of the future, which takes no other one's place either.
    """
    backups = past_backups(folder, now)
    kept = times_to_keep(backups, daily, weekly)
    old = [path for time, path in backups.items() if time not in kept and now - time > KEPT_FOR]
    for path in old:
        path.unlink()
    return old
