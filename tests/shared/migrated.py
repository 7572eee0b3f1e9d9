"""A migrated database, kept from one run to the next: to migrate takes longer than most files of tests.

On SQLite it is a file, and on PostgreSQL a database that the others are copies of.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from filelock import FileLock
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
NAME = "test-migrated-{}.sqlite3"
PREFIX = "coindex_migrated_"
# To wait for the process that migrates; seconds.
DEADLINE = 600


def _digest() -> str:
    """Return what the migrations are."""
    digest = hashlib.sha256()
    for path in [ROOT / "requirements" / "run.txt", *sorted(ROOT.glob("*/migrations/*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept() -> Path:
    """Return where the SQLite database is kept that these migrations make."""
    return Path(settings.DATA_DIR) / NAME.format(_digest())


def copy_kept(target: str | Path) -> bool:
    """Copy the kept database, in which `migrate` has nothing to do, to the path; return whether there is one."""
    found = kept()
    if not found.exists():
        return False
    for rest in ("-wal", "-shm"):
        Path(f"{target}{rest}").unlink(missing_ok=True)
    shutil.copyfile(found, target)
    return True


def connect_to_server() -> psycopg.Connection[Any]:
    """Connect to the PostgreSQL server of the tests, to make and drop databases."""
    own = connection.settings_dict
    return psycopg.connect(
        host=own["HOST"],
        port=own["PORT"] or None,
        user=own["USER"],
        password=own["PASSWORD"],
        dbname="postgres",
        autocommit=True,
    )


def kept_databases(server: psycopg.Connection[Any]) -> set[str]:
    """Return the names of the databases that were kept, also of other migrations."""
    found = server.execute("select datname from pg_database where datname like %s", [f"{PREFIX}%"])
    return {name for (name,) in found}


def copy_kept_database(target: str) -> bool:
    """Make a database as the kept one, in the place of what there may be; return whether there is a kept one."""
    name = PREFIX + _digest()
    with connect_to_server() as server:
        if name not in kept_databases(server):
            return False
        server.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(target)))
        server.execute(sql.SQL("create database {} template {}").format(*map(sql.Identifier, (target, name))))
    return True


def unapply_last(app: str) -> str:
    """Let the database not know that it has the last migration of the app, and return its name."""
    [(_, name)] = MigrationLoader(connection).graph.leaf_nodes(app)
    MigrationRecorder(connection).record_unapplied(app, name)
    return name


@cache  # a lock that nothing refers to is released
def _lock() -> FileLock:
    return FileLock(kept().with_suffix(".lock"))


def lay_out() -> bool:
    """Copy the kept database to where tests expect theirs, and return whether that is done.

    Where there is none, other processes wait until this one keeps what it migrates.
    """
    own = connection.settings_dict
    lock = _lock()
    lock.acquire(timeout=DEADLINE)
    if connection.vendor == "sqlite":
        done = copy_kept(own["TEST"]["NAME"])
    else:
        done = copy_kept_database(own["TEST"]["NAME"] or f"test_{own['NAME']}")
    if done:
        lock.release()
    return done


def keep() -> None:
    """Keep the database of tests, which was just migrated, instead of those of other migrations."""
    if connection.vendor == "sqlite":
        _keep_file()
    else:
        _keep_database()
    _lock().release()


def _keep_file() -> None:
    target = kept()
    for other in set(target.parent.glob(NAME.format("*"))) - {target}:
        other.unlink(missing_ok=True)
    made = target.with_name(f"{target.name}.{os.getpid()}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(made)])
    made.replace(target)


def _keep_database() -> None:
    connection.close()  # nobody may be connected to what is copied
    target = PREFIX + _digest()
    with connect_to_server() as server:
        found = kept_databases(server)
        for other in found - {target}:
            with suppress(psycopg.errors.ObjectInUse):  # another checkout copies it
                server.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(other)))
        if target not in found:
            names = map(sql.Identifier, (target, connection.settings_dict["NAME"]))
            server.execute(sql.SQL("create database {} template {}").format(*names))
