"""All of an installation in one file, whatever the database: every table row by row, and the files.

Written at one moment while people work; read into a database that is migrated and empty, of the same kind or another.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import batched
from pathlib import Path, PurePosixPath
from typing import IO, Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from annotations.bulk import insert
from annotations.models import Project, User
from annotations.moment import one_moment

FORMAT, VERSION = "coindex backup", 1
MANIFEST = "backup.json"
FILES = "files"
ROWS = 10_000


class BackupFailed(Exception):
    """Why a backup cannot be read here, ready to be shown."""


def back_up(out: IO[bytes]) -> dict[str, int]:
    """Write the backup and say how many rows each table has. Sessions are left out: everybody signs in again."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode
    counts: dict[str, int] = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1, allowZip64=True) as archive:
        with one_moment():
            for model in _tables():
                columns = [field.attname for field in model._meta.concrete_fields]
                rows = model._base_manager.order_by("pk").values_list(*columns).iterator(chunk_size=ROWS)
                with archive.open(_entry(model), "w", force_zip64=True) as table:
                    counts[model._meta.label] = _write_lines(table, (encode(row) for row in rows))
            migrations = _migrations()
        # What begins with a dot is being written.
        found = (path for path in Path(settings.MEDIA_ROOT).rglob("[!.]*") if path.is_file())
        for path in sorted(found):
            with suppress(FileNotFoundError):  # somebody has discarded it since
                archive.write(path, f"{FILES}/{path.relative_to(settings.MEDIA_ROOT).as_posix()}")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "migrations": migrations,
            "tables": {model._meta.label: _columns(model) for model in _tables()},
            "rows": counts,
        }
        archive.writestr(MANIFEST, encode(manifest))
    return counts


def restore(path: Path) -> dict[str, int]:
    """Read a backup into this database, wholly or not at all, and say how many rows each table has.

    Raises BackupFailed where the file is no backup, is of another version of the program or is damaged, and where the
    database holds people or projects already.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            # Around the transaction: whether a row names one that is there is looked at only when that ends.
            with _all_or_none() as written, transaction.atomic():
                _refuse_others(manifest)
                counts = _read_tables(archive, manifest)
                _write_files(archive, written)
            return counts
    except OperationalError as error:
        # A full disk, a lock, a server that went away: nothing is wrong with the file.
        raise BackupFailed(f"The database did not take {path}: {_first_line(error)}. Try again.") from error
    # The last two are what Python raises at a method of compression that it does not know, and at encryption.
    except (zipfile.BadZipFile, zlib.error, EOFError, DatabaseError, NotImplementedError, RuntimeError) as error:
        raise BackupFailed(f"{path} is no backup, or is damaged: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """What PostgreSQL says further is of its own keys."""
    return str(error).partition("\n")[0].rstrip(".")


def _tables() -> list[type[models.Model]]:
    """Every table but sessions, by name."""
    found = apps.get_models(include_auto_created=True)
    return sorted((one for one in found if one is not Session and one._meta.managed), key=lambda one: one._meta.label)


def _entry(model: type[models.Model]) -> str:
    return f"tables/{model._meta.label}.jsonl"


def _columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _migrations() -> list[list[str]]:
    return sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations())


def _plain(value: object) -> str:
    """To the microsecond, which the encoder that Django has cuts off."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{value!r} cannot be written")


def _write_lines(out: IO[bytes], lines: Iterable[str]) -> int:
    count = 0
    for some in batched(lines, ROWS):
        out.write("".join(f"{line}\n" for line in some).encode())
        count += len(some)
    return count


def _manifest(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    try:
        manifest = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError) as error:
        raise BackupFailed(f"This is no backup: it has no {MANIFEST} that can be read.") from error
    if not isinstance(manifest, dict) or (manifest.get("format"), manifest.get("version")) != (FORMAT, VERSION):
        raise BackupFailed("This is no backup, or one of another version.")
    if not _is_migrations(manifest.get("migrations")) or not isinstance(manifest.get("rows"), dict):
        raise BackupFailed(f"The backup is damaged: its {MANIFEST} is not of the shape that it should have.")
    return manifest


def _is_migrations(value: object) -> bool:
    """[[app, name], ...], as they are written."""
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and all(isinstance(of, str) for of in one) for one in value
    )


def _refuse_others(manifest: Mapping[str, Any]) -> None:
    """Raise BackupFailed unless the database is as the program that wrote the backup had it, and empty."""
    here = _migrations()
    if manifest["migrations"] != here:
        other = next(
            (one for one in [*manifest["migrations"], *here] if (one in here) != (one in manifest["migrations"])), None
        )
        if other is None:
            raise BackupFailed(f"The backup is damaged: its {MANIFEST} names a migration twice, or in another order.")
        where = "here" if other in here else "in the backup"
        raise BackupFailed(
            f"The backup is of another version of the program: migration {'.'.join(other)} is {where} only. "
            "Restore it with the version that wrote it, then upgrade."
        )
    if User.objects.exists() or Project.objects.exists():
        raise BackupFailed("This database holds people or projects already; restore into an empty one.")


def _read_tables(archive: zipfile.ZipFile, manifest: Mapping[str, Any]) -> dict[str, int]:
    counts = {}
    tables = _tables()
    for model in reversed(tables):
        # What migrations put in, such as kinds of rights, comes back with its own keys.
        model._base_manager.all()._raw_delete(using=connection.alias)
    for model in tables:
        label = model._meta.label
        counts[label] = _read_table(archive, model)
        if counts[label] != manifest["rows"].get(label):
            raise BackupFailed(f"{label} has {counts[label]} rows, and {manifest['rows'].get(label)} were written.")
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    return counts


def _read_table(archive: zipfile.ZipFile, model: type[models.Model]) -> int:
    fields = list(model._meta.concrete_fields)
    names = [field.name for field in fields]
    count = 0
    try:
        with archive.open(_entry(model)) as table:
            lines = io.TextIOWrapper(table, encoding="utf-8", newline="\n")
            for some in batched(lines, ROWS):
                insert(model, names, list(_rows(fields, some)))
                count += len(some)
    except OperationalError:
        raise  # nothing is wrong with the table
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, ValidationError, DatabaseError) as error:
        said = " ".join(error.messages) if isinstance(error, ValidationError) else str(error).partition("\n")[0]
        raise BackupFailed(f"The table {model._meta.label} cannot be read after {count} rows: {said}") from error
    return count


def _rows(fields: list[models.Field[Any, Any]], lines: Iterable[str]) -> Iterator[list[Any]]:
    for line in lines:
        values = json.loads(line)
        yield [
            value if value is None or isinstance(field, models.JSONField) else field.to_python(value)
            for field, value in zip(fields, values, strict=True)
        ]


@contextmanager
def _all_or_none() -> Iterator[list[Path]]:
    """Remove the files that were written where not all can be."""
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _write_files(archive: zipfile.ZipFile, written: list[Path]) -> None:
    for name in archive.namelist():
        place = PurePosixPath(name)
        if place.parts[0] != FILES:
            continue
        if ".." in place.parts or place.is_absolute():
            raise BackupFailed(f"The backup holds a file outside its folder: {name!r}.")
        path = Path(settings.MEDIA_ROOT).joinpath(*place.parts[1:])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        written.append(path)
        path.write_bytes(archive.read(name))
