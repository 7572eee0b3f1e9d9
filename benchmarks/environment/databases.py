"""New databases for benchmarks, configured as in production, and processes on them."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("sqlite", "postgresql")
POSTGRES = os.environ.get("BENCH_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")


def run_on(database: str, module: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Run the module on an empty database and return the JSON of its last line, or why there is no such database."""
    with tempfile.TemporaryDirectory() as data:
        environment = os.environ | {"LOCAL": "1", "DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "config.settings"}
        # One person asks for more than anybody would in a minute.
        environment["PROCESSOR_SECONDS_A_MINUTE"] = "100000"
        environment.pop("DATABASE_URL", None)
        if database == "sqlite":
            return _run(module, arguments, environment)
        import psycopg

        try:
            with _on_postgres(f"bench_{module.rpartition('.')[2]}_{os.getpid()}") as address:
                return _run(module, arguments, environment | {"DATABASE_URL": address})
        except psycopg.OperationalError as error:
            return {"why": f"no PostgreSQL: {str(error).splitlines()[0]}"}


@contextmanager
def _on_postgres(name: str) -> Iterator[str]:
    import psycopg
    from psycopg import sql

    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            yield f"{POSTGRES.rsplit('/', 1)[0]}/{name}"
        finally:
            server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _run(module: str, arguments: Sequence[str], environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return result
