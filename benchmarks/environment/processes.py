"""New processes and databases for benchmarks, and measures of time and memory."""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any
from unittest.mock import patch

from benchmarks.environment.serving import VARIABLES

DATABASES = ("sqlite", "postgresql")
POSTGRES = os.environ.get("BENCH_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")


def in_new_process(
    work: Callable[..., Any], *arguments: object, environment: Mapping[str, str] = os.environ, method: str = "spawn"
) -> Any:
    """Return the result of the work in a new process, started by a method of `multiprocessing`."""
    with (
        patch.dict(os.environ, dict(environment), clear=True),
        ProcessPoolExecutor(1, mp_context=get_context(method)) as pool,
    ):
        return pool.submit(work, *arguments).result()


def with_django(work: Callable[..., Any], *arguments: object) -> Any:
    """Set up Django and return the result of the work."""
    import django

    django.setup()
    return work(*arguments)


def run_on(database: str, work: Callable[..., Any], *arguments: object) -> Any:
    """Return the result of the work on an empty database, or the reason if there is no such database."""
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, **VARIABLES, "DATA_DIR": data}
        environment.pop("DATABASE_URL", None)
        if database == "sqlite":
            return run_in(environment, work, *arguments)
        import psycopg

        try:
            with _on_postgres(f"bench_{os.getpid()}") as address:
                return run_in(environment | {"DATABASE_URL": address}, work, *arguments)
        except psycopg.OperationalError as error:
            return {"why": f"no PostgreSQL: {str(error).splitlines()[0]}"}


def run_in(environment: Mapping[str, str], work: Callable[..., Any], *arguments: object) -> Any:
    """Return the result of the work in a new process with Django set up."""
    return in_new_process(with_django, work, *arguments, environment=environment)


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


def migrate() -> None:
    """Create the tables of an empty database."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def analyze() -> None:
    """Update the statistics of the database, as PostgreSQL would soon do itself after so many inserts."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("analyze")
    connection.close()


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that the work takes by a clock."""
    start = clock()
    work()
    return clock() - start


def milliseconds(seconds: float) -> float:
    """Return the time in milliseconds, rounded to hundredths."""
    return round(seconds * 1000, 2)


def percentiles(kind: str, times: list[float]) -> dict[str, float | None]:
    """Return the median and the 99th percentile of the times in milliseconds; None without times."""
    ordered = sorted(times)
    return {
        f"{kind}_{name}_ms": milliseconds(ordered[min(int(share * len(times)), len(times) - 1)]) if times else None
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }


def peak_mb() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
