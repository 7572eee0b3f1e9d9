"""A full disk and a full database: a clear error, no partial result, and recovery.

A bound on the size of files (RLIMIT_FSIZE), set on a process while it runs, is to be had in every container. Writing
fails in the place where it fails on a full disk, by another number of error (EFBIG instead of ENOSPC).
"""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotations.transfers import orders
from tests.faults import small_database
from tests.faults.conftest import launch
from tests.faults.corpora import BEGIN, NOISE, SCHEME, carry_out, content, fetch, import_long_text, order_export
from tests.faults.databases import Database, is_postgres
from tests.faults.people import NoAnswer
from tests.faults.program import SERVING, Program


@pytest.fixture(scope="module")
def small_program(
    template: Database, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Program]:
    # No connection outlives its request, since each is told anew how large the database may grow.
    given = {"GUNICORN_CMD_ARGS": f"{SERVING} --config {small_database.__file__}", "CONN_MAX_AGE": "0"}
    with ExitStack() as stack:
        yield launch(stack, tmp_path_factory.mktemp("small"), template, django_db_blocker, **given)


@pytest.fixture
def program(small_program: Program) -> Iterator[Program]:
    """Run the program on a small database of its own. After each test, assert that its tables agree with its logs."""
    small_program.serve()
    yield small_program
    small_program.verify_log()


@contextmanager
def limit_file_size(pid: int, size: int) -> Iterator[None]:
    """Let the process write no file larger than that size, as if the disk were full."""
    free = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, free[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, free)


def test_export_on_full_disk_fails_and_leaves_no_file(program):
    slug, manager, worker = "no-room", program.manager, program.worker
    program.project(slug, SCHEME, BEGIN)
    program.project("small", SCHEME, BEGIN)
    with program.inside():
        import_long_text(slug)
    window = program.window(slug, program.coders[0])
    pk, before = order_export(manager, slug), program.files()
    # The database is a file too, and is not to be the one that grows too large.
    size = 500_000 + (0 if is_postgres() else Path(program.database["NAME"]).stat().st_size)
    with limit_file_size(worker.pid, size):
        failed = carry_out(manager, pk)
        assert (failed["state"], failed["error"], failed["report"]) == ("failed", orders.DISK_FULL_MESSAGE, None)
        assert program.files() == before
        assert manager.get(f"/transfers/{pk}/file/").status == 404
        # Others work on, the worker too.
        window.categories = ["none"]
        window.judge()
        window.send()
        assert window.acknowledged
        assert fetch(manager, order_export(manager, "small"))["state"] == "checked"
        assert worker.poll() is None
    again = order_export(manager, slug)
    assert carry_out(manager, again)["state"] == "done"
    assert worker is program.worker
    taken = content(manager, again)
    assert len(taken["coder1/long.txt"]) > len(NOISE)
    assert sum(map(len, taken.values())) > 8 * len(NOISE)


@pytest.mark.skipif(is_postgres(), reason="only SQLite can be told how large it may grow")
def test_save_to_full_database_is_refused_and_resent_later(program):
    program.project("full")
    window = program.window("full", program.coders[0])
    window.more = {"note": "as long as a note may well be " * 100}
    bound = program.folder / small_database.MAX_PAGES
    with sqlite3.connect(program.database["NAME"]) as connection:
        [pages] = connection.execute("PRAGMA page_count").fetchone()
    connection.close()
    bound.write_text(str(pages + 20))
    with pytest.raises(NoAnswer, match="database_unavailable"):  # noqa: PT012 - which of them fails is the database's affair
        while True:
            window.judge(2)
            window.send()
            assert len(window.made) < 1000
    assert window.acknowledged
    assert len(window.unsent) == 2
    assert program.log(window) == window.acknowledged
    assert program.manager.get("/projects/full/").status == 200  # reading goes on
    with pytest.raises(NoAnswer):
        window.send()
    assert program.log(window) == window.acknowledged
    bound.unlink()
    window.send()
    assert program.log(window) == window.made == window.acknowledged
