"""Backups of an installation: the rows of every table from one snapshot, and the files, for an empty database.

A backup of an earlier version, or of a database before its migration, is restored unchanged and then migrated.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from itertools import batched
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.utils.duration import duration_string

from annotations.core.database.bulk import insert
from annotations.core.database.migrations import applied_migrations, known_migrations, migrated_as, models_of_database
from annotations.core.database.queries import read_snapshot
from annotations.core.files import write_whole
from annotations.formats.project import encode_value

FORMAT, VERSION = "coindex backup", 1
MANIFEST = "backup.json"
FILES = "files"
ROWS = 10_000
SESSIONS, USERS, PROJECTS = "sessions.Session", "annotations.User", "annotations.Project"


class BackupFailed(Exception):
    """The reason why a backup cannot be restored, ready to be shown."""


def back_up(out: IO[bytes]) -> dict[str, int]:
    """Write a backup and return the number of rows of each table. Sessions are left out: everybody signs in again."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode
    counts: dict[str, int] = {}
    tables = _tables(models_of_database())
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1, allowZip64=True) as archive:
        with read_snapshot():
            for model in tables:
                rows = model._base_manager.order_by("pk").values_list(*_columns(model)).iterator(chunk_size=ROWS)
                counts[model._meta.label] = 0
                with archive.open(f"tables/{model._meta.label}.jsonl", "w", force_zip64=True) as table:
                    for batch in batched(rows, ROWS):
                        table.write("".join(f"{encode(row)}\n" for row in batch).encode())
                        counts[model._meta.label] += len(batch)
            migrations = applied_migrations()
        # Files whose names begin with a dot are still being written.
        paths = (path for path in Path(settings.MEDIA_ROOT).rglob("[!.]*") if path.is_file())
        for path in sorted(paths):
            with suppress(FileNotFoundError):  # discarded meanwhile
                archive.write(path, f"{FILES}/{path.relative_to(settings.MEDIA_ROOT).as_posix()}")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "migrations": migrations,
            "tables": {model._meta.label: _columns(model) for model in tables},
            "rows": counts,
        }
        archive.writestr(MANIFEST, encode(manifest))
    return counts


def written_rows(path: Path) -> Mapping[str, int]:
    """Return the number of rows in a backup by table. Raise BackupFailed if the file is no backup."""
    with zipfile.ZipFile(path) as archive:
        rows: Mapping[str, int] = _manifest(archive)["rows"]
    return rows


def count_rows() -> dict[str, int]:
    """Return the number of rows by table that a backup would hold now."""
    with read_snapshot():
        return {model._meta.label: model._base_manager.count() for model in _tables()}


def restore(path: Path) -> dict[str, int]:
    """Restore a backup and migrate it, all or nothing; return the rows of each table. Raise BackupFailed."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            _check_migrations(manifest["migrations"])
            _check_empty()
            names = [(app, name) for app, name in manifest["migrations"]]
            # Files are removed again if the commit fails, which checks the foreign keys.
            with migrated_as(names) as registry, ExitStack() as taking_back:
                with transaction.atomic():
                    _check_empty()
                    counts = _read_tables(archive, manifest, _tables(registry))
                    _write_files(archive, taking_back)
                taking_back.pop_all()
            return counts
    except OperationalError as error:
        # A full disk, a lock or a lost connection: the file itself is not at fault.
        raise BackupFailed(f"The database did not take {path}: {_first_line(error)}. Try again.") from error
    # Python raises the last two for an unknown compression method and for encryption.
    except (zipfile.BadZipFile, zlib.error, EOFError, DatabaseError, NotImplementedError, RuntimeError) as error:
        raise BackupFailed(f"{path} is no backup, or is damaged: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Return the first line of the message; PostgreSQL adds lines about its own keys."""
    return str(error).partition("\n")[0].rstrip(".")


def _tables(registry: Apps = apps) -> list[type[models.Model]]:
    """Return the models of all tables except sessions, sorted by label."""
    models_with_tables = registry.get_models(include_auto_created=True)
    return sorted(
        (model for model in models_with_tables if model._meta.label != SESSIONS and model._meta.managed),
        key=lambda model: model._meta.label,
    )


def _columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _plain(value: object) -> str:
    """Return a value without a JSON type as text; `encode_value` lacks durations, which archives do not have."""
    return duration_string(value) if isinstance(value, timedelta) else encode_value(value)


def _manifest(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    try:
        manifest = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError) as error:
        raise BackupFailed(f"This is no backup: it has no {MANIFEST} that can be read.") from error
    if not isinstance(manifest, dict) or (manifest.get("format"), manifest.get("version")) != (FORMAT, VERSION):
        raise BackupFailed("This is no backup, or one of another version.")
    migrations = manifest.get("migrations")
    is_whole = (
        all(isinstance(manifest.get(part), dict) for part in ("tables", "rows"))
        and isinstance(migrations, list)
        and all(isinstance(name, list) and [type(part) for part in name] == [str, str] for name in migrations)
    )
    if not is_whole:
        raise BackupFailed(f"The backup is damaged: its {MANIFEST} is not of the shape that it should have.")
    return manifest


def _check_migrations(written: list[list[str]]) -> None:
    """Raise BackupFailed if a migration of the backup is unknown, repeated or out of order."""
    known = known_migrations()
    if other := next((name for name in written if tuple(name) not in known), None):
        raise BackupFailed(
            f"The backup is of a later version of the program: migration {'.'.join(other)} is in the backup only. "
            "Restore it with that version or a later one."
        )
    if written != sorted(written) or len({*map(tuple, written)}) < len(written):
        raise BackupFailed(f"The backup is damaged: its {MANIFEST} names a migration twice, or in another order.")


def _check_empty() -> None:
    registry = models_of_database()
    if any(model._base_manager.exists() for model in registry.get_models() if model._meta.label in (USERS, PROJECTS)):
        raise BackupFailed("This database holds people or projects already; restore into an empty one.")


def _read_tables(
    archive: zipfile.ZipFile, manifest: Mapping[str, Any], tables: Sequence[type[models.Model]]
) -> dict[str, int]:
    counts = {}
    for model in reversed(tables):
        # Rows created by migrations, such as permissions, are restored with their own keys.
        model._base_manager.all()._raw_delete(using=connection.alias)
    for model in tables:
        label = model._meta.label
        counts[label] = _read_table(archive, model, manifest["tables"].get(label))
        if counts[label] != manifest["rows"].get(label):
            raise BackupFailed(f"{label} has {counts[label]} rows, and {manifest['rows'].get(label)} were written.")
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    return counts


def _read_table(archive: zipfile.ZipFile, model: type[models.Model], columns: Sequence[str]) -> int:
    """Insert the rows of a table, whose values are in the order of the columns, and return their number."""
    count = 0
    try:
        fields_by_column = {field.attname: field for field in model._meta.concrete_fields}
        fields = [fields_by_column[column] for column in columns]
        with archive.open(f"tables/{model._meta.label}.jsonl") as table:
            for batch in batched(io.TextIOWrapper(table, encoding="utf-8", newline="\n"), ROWS):
                insert(model, [field.name for field in fields], (_values(fields, line) for line in batch))
                count += len(batch)
    except OperationalError:
        raise  # the table itself is not at fault
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, ValidationError, DatabaseError) as error:
        message = " ".join(error.messages) if isinstance(error, ValidationError) else str(error).partition("\n")[0]
        raise BackupFailed(f"The table {model._meta.label} cannot be read after {count} rows: {message}") from error
    return count


def _values(fields: list[models.Field[Any, Any]], line: str) -> list[Any]:
    return [
        value if value is None or isinstance(field, models.JSONField) else field.to_python(value)
        for field, value in zip(fields, json.loads(line), strict=True)
    ]


def _write_files(archive: zipfile.ZipFile, taking_back: ExitStack) -> None:
    """Write the files, and register their deletion in case the restore fails."""
    for name in archive.namelist():
        entry_path = PurePosixPath(name)
        if entry_path.parts[0] != FILES:
            continue
        if ".." in entry_path.parts or entry_path.is_absolute():
            raise BackupFailed(f"The backup holds a file outside its folder: {name!r}.")
        path = Path(settings.MEDIA_ROOT).joinpath(*entry_path.parts[1:])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        taking_back.callback(path.unlink, missing_ok=True)
        path.write_bytes(archive.read(name))


NAME = re.compile(r"coindex-(\d{8}T\d{6})Z\.zip")
# Each backup is kept this long, so that a backup before an upgrade outlives the backup of the next night.
KEPT_FOR = timedelta(days=1)
TIME_FORMAT = "%Y%m%dT%H%M%S"


def backups_in(folder: Path) -> dict[datetime, Path]:
    """Return the backups in the folder by start time, newest first; other files are ignored."""
    found = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := NAME.fullmatch(path.name):
            with suppress(ValueError):  # digits that form no valid time
                found[datetime.strptime(match[1], TIME_FORMAT).replace(tzinfo=UTC)] = path
    return dict(sorted(found.items(), reverse=True))


def past_backups(folder: Path, now: datetime) -> dict[datetime, Path]:
    """Return the backups in the folder except backups from the future, which a wrong clock has dated."""
    return {time: path for time, path in backups_in(folder).items() if time <= now}


def named_backup(folder: Path, now: datetime) -> Path:
    """Return the path of a backup with this start time."""
    return folder / f"coindex-{now.astimezone(UTC):{TIME_FORMAT}}Z.zip"


def write_backup(folder: Path, now: datetime) -> Path:
    """Write a backup into the folder and return its path. Raise OSError and leave no file if writing fails."""
    folder.mkdir(parents=True, exist_ok=True)
    path = named_backup(folder, now)
    write_whole(path, back_up)
    return path


def times_to_keep(times: Iterable[datetime], daily: int, weekly: int) -> set[datetime]:
    """Return the newest time of each of the last `daily` days and `weekly` weeks with backups."""
    days: dict[tuple[int, ...], datetime] = {}
    weeks: dict[tuple[int, ...], datetime] = {}
    for time in sorted(times, reverse=True):
        days.setdefault((time.year, time.month, time.day), time)
        weeks.setdefault(time.isocalendar()[:2], time)
    return {*list(days.values())[: max(daily, 1)], *list(weeks.values())[:weekly]}


def delete_old_backups(folder: Path, daily: int, weekly: int, now: datetime) -> list[Path]:
    """Delete the old backups and return their paths. Backups of the last day or the future are kept."""
    backups = past_backups(folder, now)
    kept = times_to_keep(backups, daily, weekly)
    old = [path for time, path in backups.items() if time not in kept and now - time > KEPT_FOR]
    for path in old:
        path.unlink()
    return old
