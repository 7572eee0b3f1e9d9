"""A lock that lets one program at a time serve the data of a folder. Free of Django."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "serving.lock"
ADDRESS = "serving.txt"  # a separate file, as a locked file cannot be read on every system


class AlreadyServed(Exception):
    """Another program serves the data at `address`; "" while it is starting."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@contextmanager
def hold_data(folder: Path, address: str = "") -> Iterator[None]:
    """Keep other programs from serving the folder for the block. Raise AlreadyServed or OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / LOCK, timeout=0):
            (folder / ADDRESS).write_text(address, encoding="utf-8")
            try:
                yield
            finally:
                (folder / ADDRESS).unlink(missing_ok=True)
    except Timeout as error:
        raise AlreadyServed(_address(folder)) from error


def served_at(folder: Path) -> str | None:
    """Return the address at which the data of the folder is served; None if it is not."""
    if not (folder / LOCK).exists():
        return None
    try:
        with FileLock(folder / LOCK, timeout=0):
            return None
    except Timeout:
        return _address(folder)


def _address(folder: Path) -> str:
    try:
        return (folder / ADDRESS).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
