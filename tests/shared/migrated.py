"""A migrated SQLite database, kept from one run to the next: to migrate takes longer than most files of tests."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
NAME = "test-migrated-{}.sqlite3"


def kept() -> Path:
    """Return where the database is kept that these migrations make."""
    digest = hashlib.sha256()
    for path in [ROOT / "requirements" / "run.txt", *sorted(ROOT.glob("*/migrations/*.py"))]:
        digest.update(path.read_bytes())
    return Path(settings.DATA_DIR) / NAME.format(digest.hexdigest()[:16])


def copy_kept(target: str | Path) -> bool:
    """Copy the kept database, in which `migrate` has nothing to do, to the path; return whether there is one."""
    found = kept()
    if not found.exists():
        return False
    for rest in ("-wal", "-shm"):
        Path(f"{target}{rest}").unlink(missing_ok=True)
    shutil.copyfile(found, target)
    return True


def lay_out() -> bool:
    """Copy the kept database to where tests expect theirs; return whether that is done. PostgreSQL makes its own."""
    return connection.vendor == "sqlite" and copy_kept(connection.settings_dict["TEST"]["NAME"])


def keep() -> None:
    """Keep the database of tests, which was just migrated, instead of those of other migrations."""
    if connection.vendor != "sqlite":
        return
    target = kept()
    for other in set(target.parent.glob(NAME.format("*"))) - {target}:
        other.unlink(missing_ok=True)
    made = target.with_name(f"{target.name}.{os.getpid()}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(made)])
    made.replace(target)
