"""manage.py upgrade."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from annotations.management.base import moved_file
from annotations.management.commands import upgrade
from tests.shared.migrations import unapply_last


@pytest.fixture(autouse=True)
def folders(db, settings, tmp_path) -> None:
    settings.DATA_DIR, settings.BACKUP_DIR = tmp_path, tmp_path / "backups"


def run_upgrade(**options: bool) -> str:
    call_command("upgrade", stdout=(out := StringIO()), **options)
    return out.getvalue()


def test_upgrade_of_current_database_writes_nothing(tmp_path):
    assert run_upgrade() == run_upgrade(check=True) == ""
    assert list(tmp_path.iterdir()) == []


def test_upgrade_refuses_database_of_newer_version():
    MigrationRecorder(connection).record_applied("annotations", "9999_later")
    with pytest.raises(CommandError, match=r"newer version of Coindex.*annotations\.9999_later.*install that version"):
        run_upgrade()


def test_upgrade_without_backup_migrates_nothing(settings, tmp_path):
    """A file is in the place of the folder."""
    settings.BACKUP_DIR = tmp_path / "file"
    settings.BACKUP_DIR.touch()
    last = unapply_last("agreement")
    with pytest.raises(CommandError, match="lacks 1 migration of this version"):
        run_upgrade(check=True)
    with pytest.raises(CommandError, match="No backup could be written, and nothing changed"):
        run_upgrade()
    assert ("agreement", last) not in MigrationRecorder(connection).applied_migrations()


def test_upgrade_reports_unreachable_database(monkeypatch):
    def refused() -> None:
        raise DatabaseError("connection refused\nmore")

    monkeypatch.setattr(upgrade, "read_migration_state", refused)
    with pytest.raises(CommandError, match=r"does not answer: connection refused\. Start it"):
        run_upgrade()


def test_upgrade_refuses_data_that_was_moved(settings):
    moved_file().write_text("postgres://coindex@db/coindex\n")
    if connection.vendor == "sqlite":
        with pytest.raises(CommandError, match=r"moved to postgres://coindex@db/coindex: set DATABASE_URL"):
            run_upgrade()
    else:
        assert run_upgrade() == ""
