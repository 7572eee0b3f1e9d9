"""manage.py move_to: from SQLite to PostgreSQL."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.core.processes.serving import hold_data
from annotations.management.commands.move_to import without_password
from tests.conftest import ROOT


@pytest.fixture
def address(db) -> Iterator[str]:
    if connection.vendor != "postgresql":
        pytest.skip("it moves to PostgreSQL")
    with empty_database("moved") as made:
        yield made


@contextmanager
def empty_database(suffix: str) -> Iterator[str]:
    """Make an empty database beside that of the tests, and yield its address."""
    of_tests = connection.settings_dict
    server = f"{of_tests['HOST'] or '127.0.0.1'}:{of_tests['PORT'] or 5432}"
    user = f"{of_tests['USER']}:{of_tests['PASSWORD'] or 'none'}"
    name = f"{of_tests['NAME']}_{suffix}"
    with psycopg.connect(f"postgres://{user}@{server}/postgres", autocommit=True) as database:
        database.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        database.execute(f'CREATE DATABASE "{name}"')
        yield f"postgres://{user}@{server}/{name}"
        database.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def data(tmp_path, migrated_file) -> Path:
    """Return a folder with a text that Anna has coded, in SQLite."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copyfile(migrated_file, folder / "coindex.sqlite3")
    (tmp_path / "walk.txt").write_text("[Anna](A=1) took [[her](B=1) dog](C=2) for a walk. [It](D=2) was fun.\n")
    given = ["plain", str(tmp_path / "walk.txt"), "--project", "pilot", "--coder", "anna", "--create"]
    assert manage(folder, "import_codings", *given)[0] == 0
    return folder


def manage(folder: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """Run a command of another installation; return its status, and what it says."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"LOCAL": "1", "DATA_DIR": str(folder), **variables}
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_move_copies_all_data_and_disables_old_database(address, data):
    with hold_data(data):  # while it is served
        status, said = manage(data, "move_to", address)
    assert (status, "stop it first" in said) == (1, True)
    assert not (data / "moved-to.txt").exists()
    status, said = manage(data, "move_to", address)
    assert status == 0, said
    assert "1 codings are what their logs say." in said
    assert f"export DATABASE_URL='{without_password(address)}'" in said
    assert manage(data, "agreement", "pilot", DATABASE_URL=address)[0] == 0
    assert manage(data, "upgrade", "--check", DATABASE_URL=address) == (0, "")
    status, said = manage(data, "upgrade")
    assert (status, f"moved to {without_password(address)}" in said) == (1, True)
    status, said = manage(data, "move_to", address)
    assert (status, "has tables already" in said) == (1, True)
    assert [path.name for path in data.iterdir() if path.name.startswith(".moving")] == []


@pytest.mark.parametrize("address", ["mysql://u@h/n", "postgres://u@h", "postgres", "postgres://u@h/"])
def test_addresses_of_no_postgresql_database_are_refused(address):
    with pytest.raises(CommandError, match="has to be postgres://USER:PASSWORD@HOST:PORT/NAME"):
        call_command("move_to", address)


def test_unreachable_server_is_reported_without_password(db):
    if connection.vendor == "postgresql":
        message = "is in PostgreSQL already"
    else:
        message = r"postgres://u:PASSWORD@127\.0\.0\.1:1/n does not answer: (?!.*secret)"
    with pytest.raises(CommandError, match=message):
        call_command("move_to", "postgres://u:secret@127.0.0.1:1/n")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgres://u:p@h:1/n", "postgres://u:PASSWORD@h:1/n"),
        ("postgres://u:p@q:r@h/n", "postgres://u:PASSWORD@h/n"),
        ("postgres://u@h:1/n", "postgres://u@h:1/n"),
        ("postgres://h:1/n", "postgres://h:1/n"),
    ],
)
def test_address_is_shown_without_password(address, shown):
    assert without_password(address) == shown
