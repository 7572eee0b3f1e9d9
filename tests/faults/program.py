"""The program as in production on its own database, with access to its processes and data."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import load_backend
from pytest_django import DjangoDbBlocker

from annotations.core.processes.progress import LOST_AFTER
from annotations.models import Coding, Markable, Membership, Project, Token, Transfer, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.people.tokens import create_token
from benchmarks.environment.serving import ROOT, Server
from tests.faults.people import Person, Window
from tests.shared.projects import DIALOGUE, make_project

CODERS = tuple(f"coder{number}" for number in range(1, 9))
MANAGER = "manager"
POSTGRES = "django.db.backends.postgresql"
SECONDS = 60.0
# Besides what the server is started with anyway.
SERVING = "--workers 2 --preload"
# Writers ask more often than people.
GIVEN = {"GUNICORN_CMD_ARGS": SERVING, "API_REQUESTS_A_MINUTE": "1000000", "API_ORDERS_AN_HOUR": "1000000"}

type Database = dict[str, Any]


def wait_for[Found](look: Callable[[], Found], what: str, pause: float = 0.01) -> Found:
    """Call `look` until its result is true, and return the result."""
    until = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < until, f"waited in vain: {what}"
        time.sleep(pause)
    return found


def stays(look: Callable[[], bool]) -> bool:
    """Return whether `look` stays true: a process that was not stopped would have ended its write sooner."""
    for _ in range(40):
        if not look():
            return False
        time.sleep(0.005)
    return True


def address_of(database: Database) -> str | None:
    """Return the address for DATABASE_URL; None for SQLite, whose file lies where the program looks for it."""
    if database["ENGINE"] != POSTGRES:
        return None
    where = "{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format_map(database)
    return f"postgres://{where}"


class Program(Server):
    """Web with two processes, and a worker. `people` are the coders and the manager with keys of the API."""

    def __init__(self, data: Path, database: Database, blocker: DjangoDbBlocker, **given: str) -> None:
        super().__init__(str(data), database=address_of(database), variables=GIVEN | given)
        self.folder, self.database, self.blocker = data, database, blocker
        self.worker: subprocess.Popen[bytes] | None = None
        self.people: dict[str, Person] = {}
        self.unverified: list[str] = []

    @property
    def postgres(self) -> bool:
        return bool(self.database["ENGINE"] == POSTGRES)

    # Its processes

    def serve(self) -> None:
        """Start the web processes and the worker unless they run."""
        if self.process is None:
            self.start()
        if self.worker is None or self.worker.poll() is not None:
            self.worker = self.start_worker()

    def start_worker(self, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "db_worker", "--no-reload", "--no-startup-delay", "--interval", "0.1"]
        command += more
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)

    def web_workers(self) -> list[int]:
        """Return the processes that answer, without the master that started them."""
        assert self.process is not None
        return sorted(pid for pid in self.processes() if pid != self.process.pid)

    def wait_until_web_has_ended(self) -> None:
        """Wait for the end of the other processes after the master was killed; they keep the port until then."""
        assert self.process is not None
        self.process.wait()
        wait_for(lambda: not self.processes(), "the orphans end")
        self.process = None

    def end(self) -> None:
        self.kill()
        if self.worker is not None:
            self.worker.kill()
            self.worker.wait()
            self.worker = None

    # What it left

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Connect the ORM of the tests to this database until the block ends."""
        own = connections[DEFAULT_DB_ALIAS]
        with self.blocker.unblock():
            connection = load_backend(self.database["ENGINE"]).DatabaseWrapper(self.database, DEFAULT_DB_ALIAS)
            connections[DEFAULT_DB_ALIAS] = connection
            try:
                yield
            finally:
                connections[DEFAULT_DB_ALIAS] = own
                connection.close()

    def verify_log(self) -> None:
        """Check the tables of the projects made since the last check against their logs. Raise CommandError."""
        slugs, self.unverified = self.unverified, []
        if slugs:
            with self.inside():
                call_command("verify_log", *slugs)

    @contextmanager
    def watched(self) -> Iterator[Callable[[], bool]]:
        """Yield a function that tells whether somebody is inside a transaction that writes."""
        if self.postgres:
            with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as server:
                writing = (
                    "select from pg_stat_activity where datname = current_database()"
                    " and backend_type = 'client backend' and backend_xid is not null"  # autovacuum writes too
                )
                yield lambda: server.execute(writing).rowcount > 0
            return
        connection = sqlite3.connect(self.database["NAME"], timeout=0, isolation_level=None)

        def is_locked() -> bool:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            connection.execute("ROLLBACK")
            return False

        try:
            yield is_locked
        finally:
            connection.close()

    def stop_writing(self, processes: Callable[[], list[int]], begun: Callable[[], object]) -> list[int]:
        """Stop the processes as soon as `begun`, called inside, is true and one of them writes in a transaction."""
        with self.inside():
            wait_for(begun, "it begins", pause=0.001)
        with self.watched() as is_written:
            until = time.monotonic() + SECONDS
            while True:
                assert time.monotonic() < until, "waited in vain: it writes"
                if is_written():
                    signal_all(pids := processes(), signal.SIGSTOP)
                    if stays(is_written):
                        return pids
                    signal_all(pids, signal.SIGCONT)

    def stop_idle(self, pid: int) -> None:
        """Stop the process at a moment when nobody writes: it keeps nobody else from writing."""
        with self.watched() as is_written:
            until = time.monotonic() + SECONDS
            os.kill(pid, signal.SIGSTOP)
            while stays(is_written):
                assert time.monotonic() < until, "waited in vain: it does not write"
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.005)
                os.kill(pid, signal.SIGSTOP)

    def expire_heartbeat(self, pk: int) -> None:
        """Set the heartbeat of the transfer so far back that its worker counts as lost."""
        with self.inside():
            heartbeat_at = Transfer.objects.values_list("heartbeat_at", flat=True).get(pk=pk)
            Transfer.objects.filter(pk=pk).update(heartbeat_at=heartbeat_at - LOST_AFTER * 2)

    def files(self) -> set[Path]:
        """Return the paths in the folder of uploads and exports."""
        folder = self.folder / "files" / "transfers"
        return set(folder.iterdir()) if folder.is_dir() else set()

    # Its people and projects

    def create_people(self) -> None:
        """Make the people, each with a key."""
        with self.inside():
            for name in (*CODERS, MANAGER):
                user = User.objects.filter(username=name).first() or User.objects.create(username=name)
                _, key = create_token(user, "faults", Token.Scope.MANAGE, 1)
                self.people[name] = Person(name, self.address, key)

    def project(self, slug: str, scheme: str = "poesio-artstein-2005", marked: str = DIALOGUE) -> None:
        """Make a project with the text "tea", which all coders have to code."""
        self.unverified.append(slug)
        with self.inside():
            project = make_project(slug, scheme, marked)
            self.add_people(project)
            assign_texts(project, project.texts.all(), project.members.filter(username__in=CODERS))

    def windows(self, slug: str) -> list[Window]:
        """Return a window of each coder at the project's text "tea"."""
        return [self.window(slug, coder, seed) for seed, coder in enumerate(self.coders)]

    def window(self, slug: str, coder: Person, seed: int = 0) -> Window:
        """Return a window of the coder that answers the phrases in an order of its own."""
        with self.inside():
            phrases = Markable.objects.filter(text__project__slug=slug, text__slug="tea", level__key="phrase")
            keys = list(phrases.order_by("start").values_list("key", flat=True))
        return Window(coder, slug, keys, random.Random(seed))

    def log(self, window: Window) -> list[str]:
        """Return the uuids in the log of the window's coding, and assert that it counts from one to the version."""
        with self.inside():
            coding = Coding.objects.of_people().get(
                text__project__slug=window.project, text__slug=window.text, coder__username=window.person.name
            )
            rows = list(coding.operations.order_by("sequence").values_list("sequence", "uuid"))
        assert [sequence for sequence, _ in rows] == list(range(1, coding.version + 1))
        return [str(uuid) for _, uuid in rows]

    def add_people(self, project: Project) -> None:
        """Let the people into the project. Call it inside."""
        add_member(project, User.objects.get(username=MANAGER), Membership.Role.MANAGER)
        for coder in User.objects.filter(username__in=CODERS):
            add_member(project, coder, Membership.Role.CODER)

    @property
    def manager(self) -> Person:
        return self.people[MANAGER]

    @property
    def coders(self) -> list[Person]:
        return [self.people[name] for name in CODERS]


def signal_all(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        os.kill(pid, number)
