"""Other installations than this one: commands in another folder and database, and where the data was moved to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError


def restore_elsewhere(backup: Path, folder: Path, database: str) -> Iterator[str]:
    """Restore a backup into an empty database and a folder, and verify it; yield what each step says.

    database: the address, as in DATABASE_URL. Raise CommandError with what the first step says that fails.
    """
    steps: list[Sequence[str]] = [("restore", str(backup)), ("verify_log",)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_URL")}
    environment |= {"DATA_DIR": str(folder), "DATABASE_URL": database}
    for step in steps:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *step]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise CommandError(f"{backup}: {step[0]} fails. {done.stderr.strip() or done.stdout.strip()}")
        if said := done.stdout.strip():
            yield said


def moved_file() -> Path:
    """Return the file that says so; it holds the address of the other database without its password."""
    folder: Path = settings.DATA_DIR
    return folder / "moved-to.txt"


def place_moved_to() -> str:
    """Return the address of the other database, "" if nothing was moved."""
    path = moved_file()
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""
