"""Backups of a whole installation, independent of the database: every table row by row, and the files.

A backup is a consistent snapshot, written while people work, and is restored into a migrated, empty database of the
same kind or another.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import batched
from pathlib import Path, PurePosixPath
from typing import IO, Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from annotations.core.bulk import insert
from annotations.core.snapshots import read_snapshot
from annotations.models import Category, Project, User
from annotations.models.coding import pointing_categories
from annotations.schemes.singletons import mark_singletons

FORMAT, VERSION = "coindex backup", 1
MANIFEST = "backup.json"
FILES = "files"
ROWS = 10_000


class BackupFailed(Exception):
    """The reason why a backup cannot be restored, ready to be shown."""


def show_scores() -> None:
    """Let projects show scores as they did before they could do otherwise."""
    Project.objects.update(scores_shown=True)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What migrations changed, so that a backup made before them is read all the same.

    `migrations` are as in a backup, `former_labels` has the earlier names of models, `added` the fields that models
    got, and `finish` does with all rows what the migrations did.
    """

    migrations: tuple[list[str], ...]
    former_labels: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, frozenset[str]] = field(default_factory=dict)
    finish: Callable[[], None] | None = None


# In the order of the migrations. Columns that were renamed stand where they stood.
UPGRADES = (
    Upgrade(
        (["agreement", "0002_plain_names"], ["annotations", "0009_plain_names"]),
        former_labels={"annotations.IdempotencyRecord": "annotations.Answered"},
    ),
    Upgrade(
        (["annotations", "0010_singletons"],),
        added={"annotations.Category": frozenset({"singleton"})},
        finish=lambda: mark_singletons(Category.objects.exclude(pk__in=pointing_categories().values("pk"))),
    ),
    Upgrade(
        (["annotations", "0011_blind_scoring"],),
        added={"annotations.Project": frozenset({"scores_shown"})},
        finish=show_scores,
    ),
)


def back_up(out: IO[bytes]) -> dict[str, int]:
    """Write a backup and return the number of rows of each table. Sessions are left out: everybody signs in again."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode
    counts: dict[str, int] = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1, allowZip64=True) as archive:
        with read_snapshot():
            for model in _tables():
                columns = [field.attname for field in model._meta.concrete_fields]
                rows = model._base_manager.order_by("pk").values_list(*columns).iterator(chunk_size=ROWS)
                with archive.open(_entry(model._meta.label), "w", force_zip64=True) as table:
                    counts[model._meta.label] = _write_lines(table, (encode(row) for row in rows))
            migrations = _migrations()
        # A file whose name begins with a dot is still being written.
        paths = (path for path in Path(settings.MEDIA_ROOT).rglob("[!.]*") if path.is_file())
        for path in sorted(paths):
            with suppress(FileNotFoundError):  # discarded since
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


def written_rows(path: Path) -> Mapping[str, int]:
    """Return how many rows of each table a backup holds, by the names of tables. Raise BackupFailed if it is none."""
    with zipfile.ZipFile(path) as archive:
        rows: Mapping[str, int] = _manifest(archive)["rows"]
    return rows


def count_rows() -> dict[str, int]:
    """Return how many rows of each table a backup of this moment would hold, by the names of tables."""
    with read_snapshot():
        return {model._meta.label: model._base_manager.count() for model in _tables()}


def restore(path: Path) -> dict[str, int]:
    """Restore a backup into this database, completely or not at all, and return the number of rows of each table.

    Raise BackupFailed if the file is no backup, is damaged or of another version of the program, and if the database
    contains users or projects already.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            # Outside the transaction, because foreign keys are only checked when that ends.
            with _all_or_none() as written, transaction.atomic():
                upgrades = _find_upgrades(manifest)
                counts = _read_tables(archive, manifest, upgrades)
                _write_files(archive, written)
            return counts
    except OperationalError as error:
        # A full disk, a lock, a lost connection: nothing is wrong with the file.
        raise BackupFailed(f"The database did not take {path}: {_first_line(error)}. Try again.") from error
    # Python raises the last two for an unknown compression method and for encryption.
    except (zipfile.BadZipFile, zlib.error, EOFError, DatabaseError, NotImplementedError, RuntimeError) as error:
        raise BackupFailed(f"{path} is no backup, or is damaged: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Return the first line of the message; the others that PostgreSQL adds are about its own keys."""
    return str(error).partition("\n")[0].rstrip(".")


def _tables() -> list[type[models.Model]]:
    """Return the models of all tables but sessions, by name."""
    models_with_tables = apps.get_models(include_auto_created=True)
    return sorted(
        (model for model in models_with_tables if model is not Session and model._meta.managed),
        key=lambda model: model._meta.label,
    )


def _entry(label: str) -> str:
    return f"tables/{label}.jsonl"


def _columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _migrations() -> list[list[str]]:
    return sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations())


def _plain(value: object) -> str:
    """Return a time, date or UUID as a string; Django's encoder would cut off the microseconds."""
    if isinstance(value, date):  # times are dates, too
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{value!r} cannot be written")


def _write_lines(out: IO[bytes], lines: Iterable[str]) -> int:
    count = 0
    for batch in batched(lines, ROWS):
        out.write("".join(f"{line}\n" for line in batch).encode())
        count += len(batch)
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
    """Return whether the value has the shape of the list of migrations: [[app, name], ...]."""
    return isinstance(value, list) and all(
        isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry) for entry in value
    )


def _find_upgrades(manifest: Mapping[str, Any]) -> tuple[Upgrade, ...]:
    """Return what came after the backup.

    Raise BackupFailed unless the database is empty, and has the migrations of the backup but for the last upgrades.
    """
    applied = _migrations()
    for number in range(len(UPGRADES) + 1):
        upgrades = UPGRADES[number:]
        later = [migration for upgrade in upgrades for migration in upgrade.migrations]
        if manifest["migrations"] == [migration for migration in applied if migration not in later]:
            break
    else:
        raise BackupFailed(_say_difference(manifest["migrations"], applied))
    if User.objects.exists() or Project.objects.exists():
        raise BackupFailed("This database holds people or projects already; restore into an empty one.")
    return upgrades


def _say_difference(written: list[list[str]], applied: list[list[str]]) -> str:
    """Return why a backup with other migrations than the applied ones is not read."""
    other = next((one for one in [*written, *applied] if (one in applied) != (one in written)), None)
    if other is None:
        return f"The backup is damaged: its {MANIFEST} names a migration twice, or in another order."
    location = "here" if other in applied else "in the backup"
    return (
        f"The backup is of another version of the program: migration {'.'.join(other)} is {location} only. "
        "Restore it with the version that wrote it, then upgrade."
    )


def _read_tables(archive: zipfile.ZipFile, manifest: Mapping[str, Any], upgrades: Sequence[Upgrade]) -> dict[str, int]:
    counts = {}
    tables = _tables()
    former = {label: name for upgrade in reversed(upgrades) for label, name in upgrade.former_labels.items()}
    for model in reversed(tables):
        # Rows created by migrations, such as permissions, are restored with their own keys.
        model._base_manager.all()._raw_delete(using=connection.alias)
    for model in tables:
        label = model._meta.label
        written_as = former.get(label, label)
        added = frozenset().union(*(upgrade.added.get(label, ()) for upgrade in upgrades))
        counts[label] = _read_table(archive, model, written_as, added)
        if counts[label] != manifest["rows"].get(written_as):
            raise BackupFailed(
                f"{label} has {counts[label]} rows, and {manifest['rows'].get(written_as)} were written."
            )
    for label, written_as in former.items():
        app, before, now = *written_as.lower().split("."), label.lower().partition(".")[2]
        ContentType.objects.filter(app_label=app, model=before).update(model=now)
    for upgrade in upgrades:
        if upgrade.finish is not None:
            upgrade.finish()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    return counts


def _read_table(archive: zipfile.ZipFile, model: type[models.Model], label: str, added: frozenset[str]) -> int:
    """Insert the rows of a table and return their number; fields that were added since have their defaults."""
    fields = [field for field in model._meta.concrete_fields if field.name not in added]
    later = [field for field in model._meta.concrete_fields if field.name in added]
    names = [field.name for field in [*fields, *later]]
    defaults = [field.get_default() for field in later]
    count = 0
    try:
        with archive.open(_entry(label)) as table:
            lines = io.TextIOWrapper(table, encoding="utf-8", newline="\n")
            for batch in batched(lines, ROWS):
                insert(model, names, [[*row, *defaults] for row in _rows(fields, batch)])
                count += len(batch)
    except OperationalError:
        raise  # nothing is wrong with the table
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, ValidationError, DatabaseError) as error:
        message = " ".join(error.messages) if isinstance(error, ValidationError) else str(error).partition("\n")[0]
        raise BackupFailed(f"The table {model._meta.label} cannot be read after {count} rows: {message}") from error
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
    """Collect the files that are written, and delete them if an exception is raised."""
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _write_files(archive: zipfile.ZipFile, written: list[Path]) -> None:
    for name in archive.namelist():
        entry_path = PurePosixPath(name)
        if entry_path.parts[0] != FILES:
            continue
        if ".." in entry_path.parts or entry_path.is_absolute():
            raise BackupFailed(f"The backup holds a file outside its folder: {name!r}.")
        path = Path(settings.MEDIA_ROOT).joinpath(*entry_path.parts[1:])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        written.append(path)
        path.write_bytes(archive.read(name))
