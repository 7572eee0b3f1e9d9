"""What may be wrong with an installation, and how it is mended."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotations.coding.replay import log_mismatches
from annotations.core.heartbeat import LOST_AFTER, ages, living
from annotations.core.queue import lost_tasks, queue_state
from annotations.core.snapshots import read_snapshot
from annotations.core.text import pluralize
from annotations.models import Coding
from annotations.transfers.backup_folder import backups_in, past_backups

FREE_BYTES = 500_000_000
FREE_PART = 0.05
CLOCK_DIFFERENCE = timedelta(seconds=5)
WAITING = timedelta(minutes=1)
# One a day, and an hour to write it.
BACKUP_AGE = timedelta(hours=25)
CODINGS = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and how it is mended."""

    what: str
    remedy: str


def check_settings() -> Iterator[Problem]:
    """Ask Django's checks, in production those of deployment too: key, hosts, HTTPS, cookies."""
    for message in run_checks(include_deployment_checks=not settings.LOCAL):
        if not message.is_silenced():
            yield Problem(f"{message.msg} ({message.id})", message.hint or "docs/deploy.md, Settings.")
    if "*" in settings.ALLOWED_HOSTS:
        yield Problem("The server answers to every name.", "Set ALLOWED_HOSTS to its own.")


def check_database() -> Iterator[Problem]:
    """Ask the database, and whether all migrations are applied."""
    try:
        executor = MigrationExecutor(connection)
        unapplied = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        yield Problem(f"The database does not answer: {reason}.", "Start it, and look at DATABASE_URL.")
        return
    if unapplied:
        yield Problem(f"{pluralize(len(unapplied), 'migration')} not applied.", "Run manage.py migrate.")


def check_clock() -> Iterator[Problem]:
    """Compare the clock with the database's, which may be another machine's."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        found: datetime = cursor.fetchone()[0]
    difference = abs(timezone.now() - found)
    if difference > CLOCK_DIFFERENCE:
        yield Problem(
            f"The clocks of this machine and of the database differ by {difference.total_seconds():.0f} seconds.",
            "Let both be set by NTP, such as by systemd-timesyncd.",
        )


def check_disk() -> Iterator[Problem]:
    """Write a file where the program writes, and look how much room there is."""
    for folder in sorted({settings.DATA_DIR, settings.MEDIA_ROOT}):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield from _check_folder(folder)
        except OSError as error:
            yield Problem(f"{folder} cannot be written: {error.strerror}.", f"Make room, or give it to {_owner()}.")


def _check_folder(folder: Path) -> Iterator[Problem]:
    # The name begins with a dot: it is in no backup.
    with NamedTemporaryFile(prefix=".doctor-", dir=folder) as file:
        file.write(b"x" * 100_000)
        file.flush()
    disk = shutil.disk_usage(folder)
    if disk.free < FREE_BYTES or disk.free < disk.total * FREE_PART:
        yield Problem(
            f"{folder} has {disk.free / 1e6:,.0f} MB left of {disk.total / 1e6:,.0f}.",
            "Make room: old backups, logs, other programs' files; or take a larger disk.",
        )


def _owner() -> str:
    return "the user who runs the program"


def check_static() -> Iterator[Problem]:
    """Look whether the files of this version are collected under the names that pages use."""
    if settings.LOCAL:  # they are served from where they lie
        return
    hashed: dict[str, str] = staticfiles_storage.hashed_files  # type: ignore[attr-defined]
    names = [path for finder in get_finders() for path, _ in finder.list([])]
    missing = [name for name in names if not staticfiles_storage.exists(hashed.get(name, name + ".missing"))]
    if missing:
        yield Problem(
            f"{pluralize(len(missing), 'static file')} not collected, such as {missing[0]}.",
            f"Run manage.py collectstatic --no-input (it writes to {settings.STATIC_ROOT}), and start web again.",
        )


def check_worker() -> Iterator[Problem]:
    """Look for signs of life of a worker, and for tasks that wait too long or have no worker any more."""
    workers = living(settings.WORKERS_DIR)
    queue = queue_state()
    if not workers:
        yield Problem(
            f"No worker has reported within {LOST_AFTER.total_seconds() / 60:.0f} minutes; "
            f"{pluralize(queue.n_ready, 'task')} in the queue.",
            "Start manage.py db_worker, by systemd or docker compose up --detach worker; its log says why it ended.",
        )
    elif queue.n_ready and queue.seconds_ready > WAITING.total_seconds() and not queue.n_running:
        yield Problem(
            f"A task has waited for {queue.seconds_ready:.0f} seconds, and no worker has taken it.",
            "Start the workers again; their log says what they do.",
        )
    if silent := [name for name, age in workers.items() if age > LOST_AFTER.total_seconds() / 2]:
        yield Problem(
            f"The worker {silent[0]} has been silent for {workers[silent[0]]:.0f} seconds.",
            "Its task may be stuck. Wait until it ends itself, or start the worker again.",
        )
    if lost := lost_tasks(ages(settings.WORKERS_DIR)):
        yield Problem(
            f"{pluralize(len(lost), 'task')} of workers that have died.",
            "A worker marks them as failed when it starts, and each minute; let those who ordered them do so again.",
        )


def check_backups() -> Iterator[Problem]:
    """Look whether there is a backup of the last day, and none of the future."""
    now = timezone.now()
    if future := {time: path for time, path in backups_in(settings.BACKUP_DIR).items() if time > now}:
        yield Problem(
            f"{pluralize(len(future), 'backup')} of the future, such as {next(iter(future.values()))}.",
            "Look at the clock. Delete them, or name them by the time at which they were written.",
        )
    newest = next(iter(past_backups(settings.BACKUP_DIR, now)), None)
    if newest is None:
        found = f"There is no backup in {settings.BACKUP_DIR}."
    elif now - newest > BACKUP_AGE:
        found = f"The newest backup in {settings.BACKUP_DIR} is of {newest:%Y-%m-%d %H:%M} UTC."
    else:
        return
    yield Problem(found, "Run manage.py scheduled_backup each day: docs/deploy.md, Backup and restore.")


def check_logs() -> Iterator[Problem]:
    """Compare codings with their logs; of many, some by chance."""
    keys = list(Coding.with_gold.values_list("pk", flat=True))
    for pk in random.sample(keys, min(CODINGS, len(keys))):
        with read_snapshot():
            coding = Coding.with_gold.select_related("text", "coder").defer("text__content").filter(pk=pk).first()
            mismatch = next(iter(log_mismatches(coding)), None) if coding is not None else None
        if mismatch is not None:
            yield Problem(
                f"{coding} is not what its log says: {mismatch}.",
                "Run manage.py verify_log for all of them; restore a backup, or write to the maintainers.",
            )


# By name; those of the second part need a database.
CHECKS: dict[str, Callable[[], Iterator[Problem]]] = {
    "settings": check_settings,
    "disk": check_disk,
    "static": check_static,
    "backups": check_backups,
    "database": check_database,
}
DATABASE_CHECKS: dict[str, Callable[[], Iterator[Problem]]] = {
    "clock": check_clock,
    "worker": check_worker,
    "logs": check_logs,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found; `skipped` says why it was not made."""

    name: str
    problems: list[Problem]
    seconds: float
    skipped: str = ""


def examine(names: set[str]) -> Iterator[Finding]:
    """Yield what each of these checks finds. Those that need the database are skipped where that is not usable."""
    is_usable = True
    needed = names | {"database"} if names & DATABASE_CHECKS.keys() else names
    for name, check in CHECKS.items():
        if name in needed:
            start = time.perf_counter()
            problems = list(check())
            if name == "database":
                is_usable = not problems
            if name in names:
                yield Finding(name, problems, time.perf_counter() - start)
    for name, check in DATABASE_CHECKS.items():
        if name in names and not is_usable:
            yield Finding(name, [], 0.0, "the database is not usable")
        elif name in names:
            start = time.perf_counter()
            yield Finding(name, list(check()), time.perf_counter() - start)
