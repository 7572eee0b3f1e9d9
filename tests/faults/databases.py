"""Databases of the kind that DATABASE_URL names, and a PostgreSQL of our own that can be restarted."""

from __future__ import annotations

import copy
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import sql

from tests.faults.program import POSTGRES, Database

SUPERUSER = "postgres"


def is_postgres() -> bool:
    """Return whether the tests run on PostgreSQL."""
    return connections.settings[DEFAULT_DB_ALIAS]["ENGINE"] == POSTGRES


def connect_to_server() -> psycopg.Connection[Any]:
    """Connect to the PostgreSQL server of the tests, to create and drop databases."""
    own = connections.settings[DEFAULT_DB_ALIAS]
    return psycopg.connect(
        host=own["HOST"],
        port=own["PORT"] or None,
        user=own["USER"],
        password=own["PASSWORD"],
        dbname="postgres",
        autocommit=True,
    )


def _settings(**changed: object) -> Database:
    return copy.deepcopy(connections.settings[DEFAULT_DB_ALIAS]) | changed


@contextmanager
def create_database(folder: Path, template: Database | None = None) -> Iterator[Database]:
    """Make a database that lasts until the block ends: an empty one, or a copy of one without connections."""
    if not is_postgres():
        path = folder / "coindex.sqlite3"
        if template is not None:
            shutil.copyfile(template["NAME"], path)
        yield _settings(NAME=str(path))
        return
    made = _settings(NAME=f"faults_{os.getpid()}_{folder.name}".lower())
    name = sql.Identifier(made["NAME"])
    with connect_to_server() as server:
        of = sql.SQL(" template {}").format(sql.Identifier(template["NAME"])) if template is not None else sql.SQL("")
        server.execute(sql.SQL("create database {}{}").format(name, of))
    try:
        yield made
    finally:
        with connect_to_server() as server:
            server.execute(sql.SQL("drop database {} with (force)").format(name))


def find_binaries() -> Path | None:
    """Return the folder of programs of the newest installed PostgreSQL, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    there = shutil.which("initdb")
    return found[-1] if found else Path(there).resolve().parent if there else None


class Cluster:
    """A PostgreSQL server with fsync: every acknowledged write is on the disk."""

    def __init__(self, bin_: Path, folder: Path) -> None:
        self.bin, self.data = bin_, folder / "data"
        # It refuses to run as root.
        self.run_as = ["runuser", "-u", SUPERUSER, "--"] if os.geteuid() == 0 else []
        if self.run_as:
            shutil.chown(folder, SUPERUSER)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._run("initdb", "--pgdata", str(self.data), "--username", SUPERUSER, "--auth", "trust", "--no-sync")
        self.options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=on"

    def start(self) -> None:
        self._control("start", "--options", self.options)

    def restart_immediately(self) -> None:
        """Restart as after a crash: wait for no client, write nothing more, and replay the write-ahead log."""
        self._control("restart", "--mode", "immediate", "--options", self.options)

    def stop(self) -> None:
        self._control("stop", "--mode", "immediate")

    def database(self) -> Database:
        """Return the only database of the cluster."""
        where = {"HOST": "127.0.0.1", "PORT": self.port, "USER": SUPERUSER, "PASSWORD": "", "NAME": "postgres"}
        return _settings(**where)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "--pgdata", str(self.data), "--wait", "--log", str(self.data / "log"), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        # The server lives on with what it was given: a pipe would never end.
        command = [*self.run_as, str(self.bin / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


@contextmanager
def own_cluster(bin_: Path) -> Iterator[Cluster]:
    """Run a cluster until the block ends, outside the folders of the tests, which only their owner may enter."""
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        cluster = Cluster(bin_, Path(folder))
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
