"""Where program and data are."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

PACKAGE = Path(__file__).resolve().parent
# In a checkout the program lies beside this package.
APP = PACKAGE / "app" if (PACKAGE / "app").is_dir() else PACKAGE.parent
# Settings of an installation that others use, which its demo must not touch.
NOT_OF_DEMO = ("BACKUP_DIR", "CACHE_URL", "DATABASE_URL", "EMAIL_URL")


def find_program() -> None:
    """Let imports find the program."""
    if sys.path[0] != str(APP):
        sys.path.insert(0, str(APP))


class Unusable(Exception):
    """The reason why the program cannot run here, ready to be shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of the data, and whether it is that of the demo."""

    data: Path
    demo: bool

    @classmethod
    def find(cls, given: str | None, demo: bool) -> Place:
        """Return the given folder, else that of DATA_DIR, else the user's; the demo has a folder of its own in it."""
        base = given or os.environ.get("DATA_DIR") or platformdirs.user_data_dir("coindex", appauthor=False)
        folder = Path(base).expanduser().absolute()
        return cls(folder / "demo" if demo else folder, demo)

    @property
    def has_database(self) -> bool:
        """Whether there is a database, as far as can be seen without asking one."""
        return self.database_address is not None or (self.data / "coindex.sqlite3").exists()

    @property
    def database_address(self) -> str | None:
        """The address of a database elsewhere."""
        return None if self.demo else os.environ.get("DATABASE_URL") or os.environ.get("DATABASE_URL_FILE")

    def describe(self) -> str:
        if self.database_address is None:
            return f"The data is in {self.data}."
        address = urlsplit(self.database_address)
        return f"The data is in {self.data} and in the database {address.hostname or ''}{address.path}."

    def enter(self) -> None:
        """Make the folder, and let this process and its children run the program on it. Raise Unusable."""
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
