"""Which program serves the data of a folder: one at a time. Free of Django."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "serving.lock"
ADDRESS = "serving.txt"  # a locked file cannot be read everywhere


class AlreadyServed(Exception):
    """Another program serves the data. `address` says where, "" while it is still getting ready."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@contextmanager
def hold_data(folder: Path, address: str = "") -> Iterator[None]:
    """Let no other program serve the folder until block or process end. Raise AlreadyServed, or OSError."""
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
    """Return the address at which the data of the folder is served, None if it is not."""
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
