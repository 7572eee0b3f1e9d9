"""Data of the demo of version 0.2.0 is upgraded and restored: databases, a backup, archives of projects.

The files beside this test were made by commit 8a9ebb7b: both dumps and the backup hold the same rows. `figures.json`
has what its API gave: value, observed, expected, bounds of the interval, numbers of units, judgements and values.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from annotations.coding.active_time import count_active_time
from annotations.core.database.migrations import FORMER_SQUASH
from annotations.models import Coding, Project, User
from annotations.transfers.archiving import restore_project
from annotations.transfers.backups import MANIFEST
from tests.annotations.management.test_move_to import empty_database, manage
from tests.annotations.transfers.archiving.test_archiving import archived, renamed
from tests.annotations.transfers.archiving.test_backups import empty_tables, rewritten, rows_of
from tests.shared.tables import describe_tables

FOLDER = Path(__file__).parent
FIGURES = ("value", "observed", "expected", "low", "high", "n_units", "n_judgements", "n_values")
# Counted, stored or noted, not entered: later versions have other tables for it.
NOT_KEPT = {
    "agreement.StoredSums",
    "agreement.SumsOrder",
    "annotations.CountedTime",
    "annotations.ProjectStamp",
    "auth.Permission",
    "contenttypes.ContentType",
}

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def run(tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[Callable[..., str]]:
    """Yield a function that runs a command on the upgraded database of 0.2.0."""
    data = tmp_path_factory.mktemp("data")
    dump = gzip.decompress((FOLDER / f"{connection.vendor}.sql.gz").read_bytes()).decode()
    variables = {"BACKUP_DIR": str(data / "backups")}

    def run_command(*arguments: str) -> str:
        status, said = manage(data, *arguments, **variables)
        assert status == 0, said
        return said

    with ExitStack() as stack:
        if connection.vendor == "sqlite":
            with sqlite3.connect(data / "coindex.sqlite3") as database:
                database.executescript(dump)
        else:
            variables["DATABASE_URL"] = stack.enter_context(empty_database("former"))
            with psycopg.connect(variables["DATABASE_URL"], autocommit=True) as server:
                server.execute(dump)
        assert "A backup of it is" in run_command("upgrade")
        assert run_command("upgrade", "--check") == ""
        yield run_command


@pytest.fixture(params=["backup", "database"])
def backup(request, tmp_path) -> Path:
    """Return the backup of 0.2.0, or one of its upgraded database."""
    if request.param == "backup":
        return FOLDER / "backup.zip"
    request.getfixturevalue("run")("backup", str(tmp_path / "upgraded.zip"))
    return tmp_path / "upgraded.zip"


def restore(backup: Path, folder: Path, settings) -> None:
    settings.MEDIA_ROOT, settings.DATA_DIR = folder / "files", folder
    empty_tables()
    call_command("restore", backup)


def test_upgraded_database_has_tables_of_new_database(run):
    describe = "import json; from tests.shared.tables import describe_tables; print(json.dumps(describe_tables()))"
    upgraded, new = json.loads(run("shell", "--no-imports", "-c", describe)), describe_tables()
    assert upgraded.keys() == new.keys()
    assert {name: upgraded[name] for name in new if upgraded[name] != new[name]} == {}


def test_upgrade_keeps_rows_logs_and_figures(backup, tmp_path, settings, capsys):
    restore(backup, tmp_path, settings)
    assert_rows_are_those_of_0_2_0(tmp_path / "now.zip")
    call_command("verify_log")
    assert "137 codings are what their logs say." in capsys.readouterr().out
    assert_figures_are_those_of_0_2_0()
    times = dict(Coding.objects.values_list("pk", "active_time"))
    assert sum(time.total_seconds() > 0 for time in times.values()) > 80
    count_active_time(Coding.objects.all())
    assert dict(Coding.objects.values_list("pk", "active_time")) == times


def assert_rows_are_those_of_0_2_0(path: Path) -> None:
    call_command("backup", path, verbosity=0)
    former, now = keyed(FOLDER / "backup.zip"), keyed(path)
    assert sum(map(len, former.values())) > 5000
    for table in former.keys() - NOT_KEPT:
        assert {key: pick(now[table].get(key, {}), row) for key, row in former[table].items()} == former[table], table
        assert now[table].keys() == former[table].keys(), table


def assert_figures_are_those_of_0_2_0() -> None:
    former = json.loads((FOLDER / "figures.json").read_text("utf-8"))
    # Two codings of a text by one coder are one cluster of its interval since.
    del former["chronicle/?include=repeats"]
    client = Client()
    client.force_login(User.objects.get(username="manager"))
    for query, figures in former.items():
        project, _, parameters = query.partition("/")
        given = client.get(f"/api/v1/projects/{project}/agreement/{parameters}").json()
        for name, figure in zip(FIGURES, figures, strict=True):
            assert given[name] == (figure if figure is None else pytest.approx(figure, rel=1e-9, abs=1e-12)), query


def test_archives_restore_projects_of_backup(tmp_path, settings):
    restore(FOLDER / "backup.zip", tmp_path, settings)
    for slug in ("chronicle", "dialogue", "letters", "summaries"):
        copy = restore_project((FOLDER / f"{slug}.zip").read_bytes(), slug=f"copy-of-{slug}").project
        assert copy is not None
        assert renamed(archived(copy), slug) == renamed(archived(Project.objects.get(slug=slug)), slug)


def test_upgrade_accepts_database_with_former_squash(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    MigrationRecorder(connection).record_applied(*FORMER_SQUASH)
    try:
        call_command("upgrade", check=True)
    finally:
        MigrationRecorder(connection).record_unapplied(*FORMER_SQUASH)


def test_upgrade_refuses_database_before_0_2_0(tmp_path, settings):
    settings.DATA_DIR = settings.BACKUP_DIR = tmp_path
    MigrationRecorder(connection).record_unapplied("annotations", "0040_counted_times_and_written")
    try:
        with pytest.raises(CommandError, match=r"The database is of a version before 0\.2\.0: upgrade it with"):
            call_command("upgrade")
        assert b"of a version before 0.2.0" in Client().get("/readyz").content
    finally:
        MigrationRecorder(connection).record_applied("annotations", "0040_counted_times_and_written")


def test_restore_refuses_backup_before_0_2_0(tmp_path):
    older = tmp_path / "older.zip"
    older.write_bytes((FOLDER / "backup.zip").read_bytes())
    with zipfile.ZipFile(older) as archive:
        manifest = json.loads(archive.read(MANIFEST))
    manifest["migrations"].remove(["annotations", "0040_counted_times_and_written"])
    empty_tables()
    with pytest.raises(CommandError, match=r"The backup is of a version before 0\.2\.0: upgrade it with"):
        call_command("restore", rewritten(older, backup_json=json.dumps(manifest).encode()))
    assert User.objects.count() == 0


def keyed(path: Path) -> dict[str, dict[Any, dict[str, Any]]]:
    """Return the rows of a backup by table and key."""
    return {table: {row.get("id", json.dumps(row)): row for row in rows} for table, rows in rows_of(path).items()}


def pick(row: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in names if name in row}
