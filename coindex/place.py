"""The locations of program and data."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

PACKAGE = Path(__file__).resolve().parent
# In a checkout the program is beside this package.
APP = PACKAGE / "app" if (PACKAGE / "app").is_dir() else PACKAGE.parent
# Settings of a shared installation, which its demo must not use.
NOT_OF_DEMO = ("BACKUP_DIR", "CACHE_URL", "DATABASE_URL", "EMAIL_URL")


def find_program() -> None:
    """Add the program to the import path."""
    if sys.path[0] != str(APP):
        sys.path.insert(0, str(APP))


class Unusable(Exception):
    """The reason why the program cannot run here, as a message for the user."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of the data, and whether it belongs to the demo."""

    data: Path
    demo: bool

    @classmethod
    def find(cls, given: str | None, demo: bool) -> Place:
        """Return the given folder, else DATA_DIR, else the user's; the demo has a subfolder of its own."""
        base = given or os.environ.get("DATA_DIR") or platformdirs.user_data_dir("coindex", appauthor=False)
        folder = Path(base).expanduser().absolute()
        return cls(folder / "demo" if demo else folder, demo)

    @property
    def has_database(self) -> bool:
        """Whether a database exists, as far as can be told without connecting."""
        return self.database_address is not None or (self.data / "coindex.sqlite3").exists()

    @property
    def database_address(self) -> str | None:
        """The address of a database outside the folder."""
        return None if self.demo else os.environ.get("DATABASE_URL") or os.environ.get("DATABASE_URL_FILE")

    def describe(self) -> str:
        if self.database_address is None:
            return f"The data is in {self.data}."
        address = urlsplit(self.database_address)
        return f"The data is in {self.data} and in the database {address.hostname or ''}{address.path}."

    def enter(self) -> None:
        """Create the folder, and set the environment of this process and its children to it. Raise Unusable."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Unusable(f"{self.data} cannot be made: {error.strerror}. Choose another folder by --data.") from error
        if not os.access(self.data, os.W_OK | os.X_OK):
            raise Unusable(f"{self.data} cannot be written. Choose another folder by --data, or change its owner.")
        if self.demo:
            for name in NOT_OF_DEMO:
                os.environ.pop(name, None)
                os.environ.pop(f"{name}_FILE", None)
            os.environ["LOCAL"] = "1"
        os.environ.setdefault("LOCAL", "1")
        os.environ |= {"DATA_DIR": str(self.data), "DJANGO_SETTINGS_MODULE": "config.settings"}
        find_program()
