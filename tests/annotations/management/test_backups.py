"""Scheduled backups, their deletion, and the restore drill."""

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotations.management.base import restore_elsewhere
from annotations.management.commands import restore_drill
from annotations.transfers.backups import TIME_FORMAT, backups_in, delete_old_backups, times_to_keep
from tests.conftest import ROOT
from tests.shared.coding import judge

NOW = datetime(2026, 3, 4, 3, 0, tzinfo=UTC)  # a Wednesday


def days_ago(*days: float) -> list[datetime]:
    return [NOW - timedelta(days=number) for number in days]


@pytest.mark.parametrize(
    ("there", "daily", "weekly", "kept"),
    [
        (range(40), 1, 0, [0]),
        (range(40), 3, 0, [0, 1, 2]),
        (range(40), 3, 2, [0, 1, 2, 3]),  # the week before ended on a Sunday, three days ago
        (range(40), 7, 4, [0, 1, 2, 3, 4, 5, 6, 10, 17]),
        (range(40), 1, 99, [0, 3, 10, 17, 24, 31, 38]),
        ([0, 0.01, 0.02, 1], 2, 0, [0, 1]),
        ([30, 31, 32], 2, 0, [30, 31]),  # who was away for a month finds what there was before
    ],
)
def test_newest_backup_of_each_day_and_week_is_kept(there, daily, weekly, kept):
    assert sorted(times_to_keep(days_ago(*there), daily, weekly), reverse=True) == days_ago(*kept)


def test_other_files_are_not_deleted(tmp_path):
    for time_ in days_ago(0, 1.1, 2):
        (tmp_path / f"coindex-{time_:{TIME_FORMAT}}Z.zip").touch()
    others = "notes.txt", "backup.zip", "coindex-20260301T030000Z.zip.part", "xcoindex-20260301T030000Z.zip"
    for name in (*others, "coindex-20269999T030000Z.zip"):
        (tmp_path / name).touch()
    assert len(delete_old_backups(tmp_path, 1, 0, NOW)) == 2
    assert list(backups_in(tmp_path)) == days_ago(0)
    assert len(list(tmp_path.iterdir())) == 6


def test_backups_of_last_day_are_not_deleted(tmp_path):
    """An example is the backup before an upgrade."""
    for time_ in days_ago(0, 0.1, 0.2, 1.1):
        (tmp_path / f"coindex-{time_:{TIME_FORMAT}}Z.zip").touch()
    delete_old_backups(tmp_path, 1, 0, NOW)
    assert list(backups_in(tmp_path)) == days_ago(0, 0.1, 0.2)


def test_backups_with_future_date_are_kept_and_not_counted(tmp_path):
    for time_ in days_ago(-300, -100, 2, 3, 4):
        (tmp_path / f"coindex-{time_:{TIME_FORMAT}}Z.zip").touch()
    delete_old_backups(tmp_path, 2, 0, NOW)
    assert list(backups_in(tmp_path)) == days_ago(-300, -100, 2, 3)


def test_scheduled_backup_is_written_and_oldest_is_deleted(codings, keys, tmp_path):
    judge(codings["alice"], keys["a"], "none")
    for time_ in days_ago(100, 200):
        (tmp_path / f"coindex-{time_:{TIME_FORMAT}}Z.zip").touch()
    call_command("scheduled_backup", tmp_path, "--daily", "2", "--weekly", "0", stdout=(said := StringIO()))
    assert "2 backups are kept, 1 were deleted" in said.getvalue()
    newest, *_ = backups_in(tmp_path).values()
    with zipfile.ZipFile(newest) as archive:
        assert archive.testzip() is None
        assert "backup.json" in archive.namelist()


def test_unwritable_folder_is_reported(db, tmp_path):
    """The folder is a file."""
    folder = tmp_path / "backups"
    folder.touch()
    with pytest.raises(CommandError, match="Nothing was written"):
        call_command("scheduled_backup", folder)


@pytest.mark.parametrize("given", [["--daily", "0"], ["--weekly", "-1"], ["--every", "0"], ["--daily", "x"]])
def test_invalid_numbers_are_refused(given, tmp_path):
    with pytest.raises(CommandError):
        call_command("scheduled_backup", tmp_path, *given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_scheduled_backups_continue_until_terminated(tmp_path, migrated_folder):
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"LOCAL": "1", "DATA_DIR": str(tmp_path)}
    run = [sys.executable, "manage.py"]
    # Every 36 seconds; one is there already, which is 34 seconds old, and one that a wrong clock has made.
    folder = tmp_path / "backups"
    folder.mkdir()
    then = datetime.now(UTC) - timedelta(seconds=34)
    for made in (then, then + timedelta(days=400)):
        (folder / f"coindex-{made:{TIME_FORMAT}}Z.zip").touch()
    going = subprocess.Popen([*run, "scheduled_backup", "--every", "0.01"], cwd=ROOT, env=environment)
    try:
        deadline = time.monotonic() + 60
        while len(backups_in(folder)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        going.send_signal(signal.SIGTERM)
    assert going.wait(10) == 0
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def run_drill(*given: object) -> str:
    call_command("restore_drill", *given, stdout=(said := StringIO()))
    return said.getvalue()


@pytest.fixture
def newest_backup(codings, keys, settings, tmp_path) -> Path:
    settings.BACKUP_DIR = tmp_path / "backups"
    for name in ("alice", "bob"):
        judge(codings[name], keys["a"], "none")
    call_command("scheduled_backup", stdout=StringIO())
    [path] = backups_in(settings.BACKUP_DIR).values()
    return path


@pytest.fixture
def migrated_drill(monkeypatch, migrated_file) -> None:
    """Give the drill a migrated database, because migrating takes most of its time.

    tests/repository/test_container.py runs the migrations.
    """

    def restore_into_tables(path: Path, folder: Path, database: str) -> Iterator[str]:
        shutil.copyfile(migrated_file, folder / "drill.sqlite3")
        return restore_elsewhere(path, folder, database)

    monkeypatch.setattr(restore_drill, "restore_elsewhere", restore_into_tables)


@pytest.mark.slow
def test_drill_restores_newest_backup_and_leaves_no_files(newest_backup, migrated_drill, settings):
    said = run_drill()
    assert f"{newest_backup} can be restored completely." in said
    assert "2 codings are what their logs say." in said
    assert list(settings.BACKUP_DIR.iterdir()) == [newest_backup]


@pytest.mark.slow
def test_drill_warns_if_backup_has_few_rows(db, migrated_drill, settings, tmp_path, request):
    settings.BACKUP_DIR = tmp_path / "backups"
    call_command("scheduled_backup", stdout=StringIO())
    request.getfixturevalue("codings")
    call_command("restore_drill", stdout=(said := StringIO()), stderr=(warned := StringIO()))
    assert "everything" not in said.getvalue()
    assert "less than half" in warned.getvalue()
    assert "annotations.Project 0 of 1" in warned.getvalue()


@pytest.mark.slow
def test_drill_fails_if_rows_differ_from_log(newest_backup, migrated_drill, tmp_path):
    spoiled = tmp_path / "spoiled.zip"
    table = "tables/annotations.Judgement.jsonl"
    with zipfile.ZipFile(newest_backup) as archive, zipfile.ZipFile(spoiled, "w") as out:
        for name in archive.namelist():
            data = archive.read(name)
            if name == table:
                data = data.replace(b"false", b"true")
            out.writestr(name, data)
    with pytest.raises(CommandError, match="verify_log fails"):
        run_drill(spoiled)


@pytest.mark.slow
def test_drill_fails_if_backup_is_truncated(newest_backup, migrated_drill, tmp_path):
    cut = tmp_path / "cut.zip"
    cut.write_bytes(newest_backup.read_bytes()[:-100])
    with pytest.raises(CommandError, match="restore fails"):
        run_drill(cut)


def test_drill_without_backup_names_command_that_writes_one(settings, tmp_path):
    settings.BACKUP_DIR = tmp_path
    (tmp_path / f"coindex-{datetime.now(UTC) + timedelta(days=1):{TIME_FORMAT}}Z.zip").touch()
    with pytest.raises(CommandError, match=r"There is no backup in .*scheduled_backup"):
        run_drill()
    with pytest.raises(CommandError, match="there is no such file"):
        run_drill(tmp_path / "ghost.zip")
