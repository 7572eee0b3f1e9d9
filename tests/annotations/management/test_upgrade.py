"""manage.py upgrade: the database becomes that of this version, or is refused."""

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


def said(**options: bool) -> str:
    call_command("upgrade", stdout=(out := StringIO()), **options)
    return out.getvalue()


def test_where_nothing_is_to_be_done_nothing_is_said_or_written(tmp_path):
    assert said() == said(check=True) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_a_newer_version_is_refused_in_a_sentence():
    MigrationRecorder(connection).record_applied("annotations", "9999_later")
    with pytest.raises(CommandError, match=r"newer version of Coindex.*annotations\.9999_later.*install that version"):
        said()


def test_where_no_backup_can_be_written_nothing_is_migrated(settings, tmp_path):
    """A file is in the place of the folder."""
    settings.BACKUP_DIR = tmp_path / "file"
    settings.BACKUP_DIR.touch()
    last = unapply_last("agreement")
    with pytest.raises(CommandError, match="lacks 1 migration of this version"):
        said(check=True)
    with pytest.raises(CommandError, match="No backup could be written, and nothing changed"):
        said()
    assert ("agreement", last) not in MigrationRecorder(connection).applied_migrations()


def test_a_database_that_does_not_answer_is_said(monkeypatch):
    def refused() -> None:
        raise DatabaseError("connection refused\nmore")

    monkeypatch.setattr(upgrade, "read_migration_state", refused)
    with pytest.raises(CommandError, match=r"does not answer: connection refused\. Start it"):
        said()


def test_data_that_was_moved_is_not_used_any_more(settings):
    moved_file().write_text("postgres://coindex@db/coindex\n")
    if connection.vendor == "sqlite":
        with pytest.raises(CommandError, match=r"moved to postgres://coindex@db/coindex: set DATABASE_URL"):
            said()
    else:
        assert said() == ""
