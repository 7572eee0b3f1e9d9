"""manage.py backup and restore."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Event, Thread

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections, transaction

from annotations.coding import operations
from annotations.models import Coding, Project, Transfer, User
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.transfers import orders
from annotations.transfers.backups import MANIFEST, back_up
from tests.annotations.transfers.importing.test_importing import all_rows
from tests.conftest import ROOT
from tests.shared.coding import change, in_another_connection, judge
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project


@pytest.fixture
def used_project(project, codings, keys, alice, bob, charlie, client) -> Project:
    """Make some of everything: judgements, a round with dates, a corrected text, a pyramid, an export, a session."""
    project.rounds.update(starts_on=date(2026, 11, 2))
    judge(codings["alice"], keys["a"], "none", note="é 東 \U0001f600")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    corrected = codings["alice"].text
    content = corrected.content.replace("stove", "stoves")
    correct_text(corrected, content, charlie, plan_correction(corrected, content).tag)
    other = pyramid_project()
    text = models_of(docset(other, alice, bob))
    build(codings_of(text)["alice"], {"s": ["The ferry sank"], "t": ["at dawn"]})
    order = orders.order_export(project, charlie, "jsonlines", {"unfinished": True})
    order.refresh_from_db()
    assert orders.carry_out(order, charlie)
    client.force_login(charlie)
    return project


def backup(tmp_path) -> Path:
    path = tmp_path / "all.zip"
    call_command("backup", path, verbosity=0)
    return path


def empty_tables() -> None:
    """Empty all tables except those that `migrate` fills."""
    tables = [model._meta.db_table for model in apps.get_models(include_auto_created=True)]
    with transaction.atomic(), connection.cursor() as cursor:
        for table in tables:
            if not table.startswith(("auth_permission", "django_content_type")):
                cursor.execute(f'DELETE FROM "{table}"')


def rows_without_sessions() -> dict[str, list[dict[str, object]]]:
    return {label: rows for label, rows in all_rows().items() if label != "sessions.Session"}


@pytest.mark.django_db(transaction=True)
def test_restored_tables_and_files_are_equal_and_usable(used_project, codings, keys, tmp_path, settings):
    before, path = rows_without_sessions(), backup(tmp_path)
    assert Session.objects.exists()
    empty_tables()
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    call_command("restore", path)
    assert rows_without_sessions() == before
    assert not Session.objects.exists()
    assert Transfer.objects.get().file.read()
    call_command("verify_log")
    # keys go on after those that are there
    coding = Coding.objects.of_people().get(pk=codings["bob"].pk)
    judge(coding, keys["a"], "none")
    assert User.objects.create(username="new").pk > max(row["id"] for row in before["annotations.User"])


def rows_of(path: Path) -> dict[str, list[dict[str, object]]]:
    """Return the rows that a backup holds, by the labels of tables."""
    with zipfile.ZipFile(path) as archive:
        return {
            label: [
                dict(zip(columns, json.loads(row), strict=True))
                for row in archive.read(f"tables/{label}.jsonl").splitlines()
            ]
            for label, columns in json.loads(archive.read(MANIFEST))["tables"].items()
        }


class SavingStream(io.BytesIO):
    """A stream that calls `save` in another connection at its 30th write."""

    def __init__(self, save) -> None:
        super().__init__()
        self.save, self.writes, self.saved = save, 0, 0

    def write(self, data) -> int:
        self.writes += 1
        if self.writes == 30:
            self.saved = in_another_connection(self.save)
        return super().write(data)


@pytest.mark.django_db(transaction=True)
def test_backup_ignores_saves_during_writing(used_project, codings, keys, tmp_path, settings):
    before = rows_without_sessions()
    coding = codings["bob"]
    coding.refresh_from_db()
    version, judged = coding.version, change(markable=coding.text.markables.get(label="a").key, category="none")
    out = SavingStream(lambda: operations.apply(coding, coding.coder, version, [judged]))
    back_up(out)
    assert out.saved == version + 1
    assert out.writes > 60
    assert rows_without_sessions() != before
    empty_tables()
    path = tmp_path / "all.zip"
    path.write_bytes(out.getvalue())
    with pytest.raises(CommandError, match=r"File exists. Nothing was changed"):  # not over what is there
        call_command("restore", path)
    assert not User.objects.exists()
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    call_command("restore", path)
    assert rows_without_sessions() == before


def test_restore_requires_empty_database(used_project, tmp_path):
    path, before = backup(tmp_path), all_rows()
    with pytest.raises(CommandError, match=r"people or projects already.* Nothing was changed"):
        call_command("restore", path)
    assert all_rows() == before


def rewritten(path: Path, **entries: bytes | None) -> Path:
    """Change entries of the zip, given by the ends of their names; remove an entry if its value is None."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    for end, data in entries.items():
        name = next(name for name in content if name.endswith(end.replace("_", ".")))
        del content[name]
        if data is not None:
            content[name] = data
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    path.write_bytes(out.getvalue())
    return path


def no_zip(path):
    path.write_bytes(b"not a zip")


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-2000])


def manifest_with(change=None, **fields):
    """Return a function that changes the manifest: by `change`, or to these fields."""

    def damage(path):
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read("backup.json"))
        if change:
            change(manifest["migrations"])
        rewritten(path, backup_json=json.dumps(manifest | fields).encode())

    return damage


def with_entry(**entries):
    return lambda path: rewritten(path, **entries)


def row_with(place, value):
    """Return a function that changes one value in the first coding; if `place` is None, it replaces the whole row."""

    def damage(path):
        with zipfile.ZipFile(path) as archive:
            rows = [json.loads(line) for line in archive.read("tables/annotations.Coding.jsonl").splitlines()]
        if place is None:
            rows[0] = value
        else:
            columns = [field.attname for field in Coding._meta.concrete_fields]
            rows[0][columns.index(place)] = rows[1][columns.index(place)] if value is SAME else value
        rewritten(path, Coding_jsonl="".join(f"{json.dumps(row)}\n" for row in rows).encode())

    return damage


SAME = object()


def escaping(path):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("files/../../escaped", b"x")


UNREADABLE = "The table annotations.Coding cannot be read"
DAMAGES = [
    (no_zip, "is no backup, or is damaged"),
    (cut_short, "is no backup, or is damaged"),
    (
        manifest_with(lambda migrations: migrations.append(["annotations", "9999_later"])),
        "a later version of the program: migration annotations.9999_later is in the backup only",
    ),
    (with_entry(backup_json=None), "no backup: it has no backup.json"),
    (with_entry(Judgement_jsonl=None), "The table annotations.Judgement cannot be read"),
    (with_entry(Judgement_jsonl=b""), "annotations.Judgement has 0 rows, and 4 were written"),
    (with_entry(Judgement_jsonl=b"[1, 2"), "The table annotations.Judgement cannot be read"),
    (escaping, "a file outside its folder"),
    (manifest_with(migrations=None), "backup.json is not of the shape"),
    (manifest_with(migrations=[["annotations", 1]]), "backup.json is not of the shape"),
    (manifest_with(rows=[]), "backup.json is not of the shape"),
    (manifest_with(lambda migrations: migrations.append(migrations[0])), "names a migration twice"),
    (row_with(None, 5), UNREADABLE),
    (row_with(None, [1, 2]), UNREADABLE),
    (row_with("id", "x"), UNREADABLE),
    (row_with("id", SAME), UNREADABLE),
    (row_with("created_at", "x026-01-01"), UNREADABLE),
    (row_with("created_at", []), UNREADABLE),
    (row_with("status", {}), UNREADABLE),
    (row_with("version", None), UNREADABLE),
    (row_with("version", 10**30), UNREADABLE),
    (row_with("text_id", 99_999), "is damaged: "),
]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_restore_reports_damaged_backup_and_changes_nothing(used_project, tmp_path, settings):
    path = backup(tmp_path)
    whole = path.read_bytes()
    empty_tables()
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    before = all_rows()
    for damage, message in DAMAGES:
        path.write_bytes(whole)
        damage(path)
        with pytest.raises(CommandError, match=message):
            call_command("restore", path)
        assert all_rows() == before, message
        assert not list(tmp_path.rglob("escaped"))
        assert not [file for file in (tmp_path / "elsewhere").rglob("*") if file.is_file()], message


@pytest.mark.django_db(transaction=True)
def test_restore_reports_locked_database_and_can_be_repeated(used_project, tmp_path, settings):
    path = backup(tmp_path)
    empty_tables()
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET lock_timeout = '200ms'")
        else:
            cursor.execute("PRAGMA busy_timeout = 200")
    with locked_elsewhere(), pytest.raises(CommandError, match=r"The database did not take .*Nothing was changed"):
        call_command("restore", path)
    connection.close()  # and with it the short patience
    assert not User.objects.exists()
    call_command("restore", path)
    assert User.objects.exists()


@contextmanager
def locked_elsewhere() -> Iterator[None]:
    """Keep another connection inside a transaction that writes until the block ends."""
    held, done = Event(), Event()

    def hold() -> None:
        try:
            with transaction.atomic(), connections["default"].cursor() as cursor:
                if connection.vendor == "postgresql":
                    cursor.execute("LOCK TABLE annotations_user IN ACCESS EXCLUSIVE MODE")
                held.set()
                done.wait(30)
        finally:
            connections.close_all()

    thread = Thread(target=hold)
    thread.start()
    assert held.wait(10)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_commands_report_missing_or_unwritable_file(db, tmp_path):
    with pytest.raises(CommandError, match=r"No such file or directory. Nothing was changed"):
        call_command("restore", tmp_path / "ghost.zip")
    with pytest.raises(CommandError, match=r"No such file or directory. Nothing was written"):
        call_command("backup", tmp_path / "ghost" / "all.zip")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_backup_of_sqlite_installation_is_restored_here(tmp_path, settings, migrated_file):
    """Another process loads the demo into its own database."""
    place = {**os.environ, "DATA_DIR": str(tmp_path / "old"), "LOCAL": "1"}
    place.pop("DATABASE_URL", None)

    def manage(*arguments: str) -> None:
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=place, check=True, capture_output=True)

    (tmp_path / "old").mkdir()
    shutil.copyfile(migrated_file, tmp_path / "old" / "coindex.sqlite3")
    manage("load_demo")
    manage("backup", str(tmp_path / "all.zip"))
    empty_tables()
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    call_command("restore", tmp_path / "all.zip")
    assert Project.objects.count() == 9
    call_command("verify_log")
