"""Check this installation, and name a remedy for each problem."""

import json
import platform
import random
import shutil
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from smtplib import SMTPException
from tempfile import NamedTemporaryFile
from typing import Any

import django
from django.conf import settings
from django.contrib.staticfiles.finders import find, get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.core.mail import mailers
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.utils import timezone

from annotations.coding.log.replay import log_mismatches
from annotations.core.database.migrations import DatabaseTooOld, read_migration_state
from annotations.core.database.queries import read_snapshot
from annotations.core.processes.heartbeat import LOST_AFTER, ages, living
from annotations.core.processes.installed import broken_libraries, program_version
from annotations.core.processes.queue import lost_tasks, queue_state
from annotations.core.processes.serving import served_at
from annotations.core.text import pluralize
from annotations.models import Coding
from annotations.transfers.backups import backups_in, past_backups

FREE_BYTES = 500_000_000
FREE_SHARE = 0.05
CLOCK_DIFFERENCE = timedelta(seconds=5)
WAITING = timedelta(minutes=1)
# Backups are daily and may take an hour.
BACKUP_AGE = timedelta(hours=25)
N_CODINGS = 100
# One file of each package with static files.
SERVED = (
    "css/base/base.css",
    "plotly/plotly.min.js",
    "admin/css/base.css",
    "drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem and its remedy."""

    what: str
    remedy: str


# The output of a check: problems, and facts as sentences.
type Findings = Iterator[Problem | str]


def by_hand(command: str) -> str:
    """Return a management command as a person types it, with the program that started this process."""
    return f"{'coindex manage' if Path(sys.argv[0]).stem == 'coindex' else 'manage.py'} {command}"


def check_versions() -> Findings:
    """Report the installed versions, and load the libraries with compiled parts."""
    yield (
        f"Coindex {program_version()}, Python {platform.python_version()}, Django {django.__version__}, "
        f"{platform.system()} {platform.machine()}"
    )
    for package, reason in broken_libraries().items():
        yield Problem(
            f"{package} cannot be loaded: {reason}.",
            "Install Coindex again, in a new environment of this Python on this machine.",
        )


def check_mail() -> Findings:
    """Connect to the mail server, if there is one."""
    if not settings.MAILERS:
        yield "no mail server, and no page speaks of mails"
        return
    server = mailers.default
    try:
        server.open()
    except (OSError, SMTPException) as error:
        yield Problem(
            f"The mail server does not answer as it should: {error}.", "Look at EMAIL_URL, and at the server."
        )
    finally:
        server.close()


def check_settings() -> Findings:
    """Run Django's checks; in production also those of deployment: key, hosts, HTTPS, cookies."""
    for message in run_checks(include_deployment_checks=not settings.LOCAL):
        if not message.is_silenced():
            yield Problem(f"{message.msg} ({message.id})", message.hint or "docs/deploy.md, Settings.")
    if "*" in settings.ALLOWED_HOSTS:
        yield Problem("The server answers to every name.", "Set ALLOWED_HOSTS to its own.")


def check_database() -> Findings:
    """Connect to the database, and check that all migrations are applied."""
    try:
        state = read_migration_state()
    except DatabaseTooOld as error:
        yield Problem(str(error), "docs/deploy.md says how.")
        return
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        yield Problem(f"The database does not answer: {reason}.", "Start it, and look at DATABASE_URL.")
        return
    yield f"{connection.display_name} {'.'.join(map(str, connection.get_database_version()))}"
    if state.unknown:
        yield Problem(
            f"The database is of a newer version: it has the migration {'.'.join(state.unknown[-1])}.",
            "Install that version of Coindex or a later one.",
        )
    if state.unapplied:
        yield Problem(f"{pluralize(len(state.unapplied), 'migration')} not applied.", f"Run {by_hand('upgrade')}.")


def check_clock() -> Findings:
    """Compare the clock with the database's, which may be on another machine."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        database_time: datetime = cursor.fetchone()[0]
    difference = abs(timezone.now() - database_time)
    if difference > CLOCK_DIFFERENCE:
        yield Problem(
            f"The clocks of this machine and of the database differ by {difference.total_seconds():.0f} seconds.",
            "Let both be set by NTP, such as by systemd-timesyncd.",
        )


def check_disk() -> Findings:
    """Write a file into each data folder, and check the free space."""
    for folder in sorted({settings.DATA_DIR, settings.MEDIA_ROOT}):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield from _check_folder(folder)
        except OSError as error:
            yield Problem(
                f"{folder} cannot be written: {error.strerror}.",
                "Make room, or give it to the user who runs the program.",
            )


def _check_folder(folder: Path) -> Findings:
    # Backups leave out names with a leading dot.
    with NamedTemporaryFile(prefix=".doctor-", dir=folder) as file:
        file.write(b"x" * 100_000)
        file.flush()
    disk = shutil.disk_usage(folder)
    if folder == settings.DATA_DIR:
        yield f"{folder}, {disk.free / 1e9:,.1f} GB left"
    if disk.free < FREE_BYTES or disk.free < disk.total * FREE_SHARE:
        yield Problem(
            f"{folder} has {disk.free / 1e6:,.0f} MB left of {disk.total / 1e6:,.0f}.",
            "Make room: old backups, logs, other programs' files; or take a larger disk.",
        )


def check_static() -> Findings:
    """Check that the static files of this version are collected under the names that pages use."""
    if settings.LOCAL:  # served without collecting
        if missing := [name for name in SERVED if find(name) is None]:
            yield Problem(
                f"{pluralize(len(missing), 'static file')} not there, such as {missing[0]}.", "Install Coindex again."
            )
        return
    hashed: dict[str, str] = staticfiles_storage.hashed_files  # type: ignore[attr-defined]
    names = [path for finder in get_finders() for path, _ in finder.list([])]
    missing = [name for name in names if not staticfiles_storage.exists(hashed.get(name, name + ".missing"))]
    if missing:
        yield Problem(
            f"{pluralize(len(missing), 'static file')} not collected, such as {missing[0]}.",
            f"Run {by_hand('collectstatic --no-input')} (it writes to {settings.STATIC_ROOT}), and start web again.",
        )


def check_worker() -> Findings:
    """Check for heartbeats of a worker, and for tasks that wait too long or whose worker is lost."""
    workers = living(settings.WORKERS_DIR)
    queue = queue_state()
    if not workers:
        yield Problem(
            f"No worker has reported within {LOST_AFTER.total_seconds() / 60:.0f} minutes; "
            f"{pluralize(queue.n_ready, 'task')} in the queue.",
            "Start Coindex again; its worker starts with it."
            if settings.LOCAL
            else "Start manage.py db_worker, by systemd or docker compose up --detach worker; its log says why it "
            "ended.",
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


def check_backups() -> Findings:
    """Check for a backup of the last day, and for backups dated in the future."""
    now = timezone.now()
    if future := {time: path for time, path in backups_in(settings.BACKUP_DIR).items() if time > now}:
        yield Problem(
            f"{pluralize(len(future), 'backup')} of the future, such as {next(iter(future.values()))}.",
            "Look at the clock. Delete them, or name them by the time at which they were written.",
        )
    newest = next(iter(past_backups(settings.BACKUP_DIR, now)), None)
    if newest is None:
        finding = f"There is no backup in {settings.BACKUP_DIR}."
    elif now - newest > BACKUP_AGE:
        finding = f"The newest backup in {settings.BACKUP_DIR} is of {newest:%Y-%m-%d %H:%M} UTC."
    else:
        return
    yield Problem(finding, f"Run {by_hand('scheduled_backup')} each day: docs/deploy.md, Backup and restore.")


def check_logs() -> Findings:
    """Compare codings with their logs; if there are many, a random sample."""
    keys = list(Coding.objects.values_list("pk", flat=True))
    for pk in random.sample(keys, min(N_CODINGS, len(keys))):
        with read_snapshot():
            coding = Coding.objects.select_related("text", "coder").defer("text__content").filter(pk=pk).first()
            mismatch = next(iter(log_mismatches(coding)), None) if coding is not None else None
        if mismatch is not None:
            yield Problem(
                f"{coding} is not what its log says: {mismatch}.",
                f"Run {by_hand('verify_log')} for all of them; restore a backup, or write to the maintainers.",
            )


CHECKS: dict[str, Callable[[], Findings]] = {
    "versions": check_versions,
    "settings": check_settings,
    "disk": check_disk,
    "static": check_static,
    "mail": check_mail,
    "backups": check_backups,
    "database": check_database,
    "clock": check_clock,
    "worker": check_worker,
    "logs": check_logs,
}
IN_DATABASE = {"clock", "worker", "logs"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; `skipped` is the reason if it was not made."""

    name: str
    problems: list[Problem]
    seconds: float
    skipped: str
    facts: list[str]


def examine(names: set[str]) -> Iterator[Finding]:
    """Yield the finding of each check; checks that need the database are skipped if it is not usable."""
    is_usable = True
    needed = names | {"database"} if names & IN_DATABASE else names
    for name, check in CHECKS.items():
        if name not in needed:
            continue
        reason = "" if is_usable or name not in IN_DATABASE else "the database is not usable"
        # Run locally, the worker starts with the pages.
        if not reason and name == "worker" and settings.LOCAL and served_at(settings.DATA_DIR) is None:
            reason = "Coindex is not running on this data"
        start = time.perf_counter()
        results = [] if reason else list(check())
        problems = [result for result in results if isinstance(result, Problem)]
        if name == "database":
            is_usable = not problems
        if name in names:
            facts = [result for result in results if isinstance(result, str)]
            yield Finding(name, problems, time.perf_counter() - start, reason, facts)


class Command(BaseCommand):
    help = (
        "Say what is wrong with libraries, settings, disk, files, mail, database, worker and logs, and how to mend it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", metavar="NAME", nargs="+", choices=list(CHECKS), help=f"of {', '.join(CHECKS)}")
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(examine(set(options["only"] or CHECKS)))
        n_wrong = sum(bool(finding.problems) for finding in findings)
        if options["json"]:
            self.stdout.write(json.dumps({"well": not n_wrong, "checks": [asdict(row) for row in findings]}, indent=2))
        else:
            self.tell(findings)
            self.stdout.write(f"{pluralize(n_wrong, 'thing')} to mend." if n_wrong else "No problems found.")
        if n_wrong:
            raise SystemExit(1)

    def tell(self, findings: list[Finding]) -> None:
        for finding in findings:
            state = "wrong" if finding.problems else f"not checked: {finding.skipped}" if finding.skipped else "well"
            facts = f" ({'; '.join(finding.facts)})" if finding.facts else ""
            self.stdout.write(f"{finding.name}: {state}{facts}")
            for problem in finding.problems:
                self.stdout.write(f"  {problem.what}\n    {problem.remedy}")
