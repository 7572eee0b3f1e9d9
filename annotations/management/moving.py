"""Where the data of this folder was moved to another database, which says what is here no longer."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings


def moved_file() -> Path:
    """Return the file that says so; it holds the address of the other database without its password."""
    folder: Path = settings.DATA_DIR
    return folder / "moved-to.txt"


def place_moved_to() -> str:
    """Return the address of the other database, "" if nothing was moved."""
    path = moved_file()
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""
