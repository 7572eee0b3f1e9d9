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


def kept() -> Path | None:
    """Return where the database is kept that these migrations make; None on PostgreSQL, whose server makes them."""
    if connection.vendor != "sqlite":
        return None
    digest = hashlib.sha256()
    for path in [ROOT / "requirements" / "run.txt", *sorted(ROOT.glob("*/migrations/*.py"))]:
        digest.update(path.read_bytes())
    return Path(settings.DATA_DIR) / NAME.format(digest.hexdigest()[:16])


def lay_out() -> bool:
    """Copy the kept database to where tests expect theirs; return whether there is one."""
    found = kept()
    if found is None or not found.exists():
        return False
    target = str(connection.settings_dict["TEST"]["NAME"])
    for rest in ("-wal", "-shm"):
        Path(target + rest).unlink(missing_ok=True)
    shutil.copyfile(found, target)
    return True


def keep() -> None:
    """Keep the database that was just migrated, instead of those of other migrations."""
    target = kept()
    if target is None:
        return
    for other in set(target.parent.glob(NAME.format("*"))) - {target}:
        other.unlink(missing_ok=True)
    made = target.with_name(f"{target.name}.{os.getpid()}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(made)])
    made.replace(target)
