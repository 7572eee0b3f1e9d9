"""The program in processes of its own. Its database is made once, and copied where a test may not share it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.faults.databases import Database, create_database
from tests.faults.program import Program
from tests.shared.skipping import skip_or_fail_in_ci

# How long writers write in tests of many at once; a minute finds more: COINDEX_FAULT_SECONDS=60.
WRITING_SECONDS = float(os.environ.get("COINDEX_FAULT_SECONDS", "5"))


@pytest.fixture(scope="session")
def nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None or shutil.which("openssl") is None:
        skip_or_fail_in_ci("nginx or openssl is missing: install nginx-light")
    return found


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """Make a database with empty tables and without connections."""
    if sys.platform != "linux":
        pytest.skip("processes are looked at by /proc")
    folder = tmp_path_factory.mktemp("prepared")
    with create_database(folder) as database:
        Program(folder, database, django_db_blocker).run("manage.py", "migrate", "--verbosity", "0")
        yield database


@pytest.fixture(scope="session")
def shared_program(
    template: Database, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Program]:
    with ExitStack() as stack:
        yield launch(stack, tmp_path_factory.mktemp("shared"), template, django_db_blocker)


@pytest.fixture
def program(shared_program: Program) -> Iterator[Program]:
    """Run the program. After each test, assert that its tables agree with its logs."""
    shared_program.serve()
    yield shared_program
    shared_program.verify_log()


def launch(stack: ExitStack, folder: Path, template: Database, blocker: DjangoDbBlocker, **given: str) -> Program:
    """Start the program on a copy of the database, with its people, until the stack is closed."""
    program = Program(folder, stack.enter_context(create_database(folder, template)), blocker, **given)
    stack.callback(program.end)
    program.serve()
    program.create_people()
    return program
