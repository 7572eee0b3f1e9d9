"""Backups during changes of files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from annotations.transfers.backups import back_up


@pytest.fixture
def folder(settings, tmp_path: Path) -> Path:
    """Make the folder of uploads and exports."""
    settings.MEDIA_ROOT = tmp_path / "files"
    folder = tmp_path / "files" / "transfers"
    folder.mkdir(parents=True)
    return folder


def files_in(out: io.BytesIO) -> set[str]:
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        return {name for name in archive.namelist() if name.startswith("files/")}


@pytest.mark.django_db
def test_backup_skips_partial_file(folder):
    (folder / "whole.zip").write_bytes(b"all of it")
    (folder / ".half.zip.x1y2").write_bytes(b"a pa")
    out = io.BytesIO()
    back_up(out)
    assert files_in(out) == {"files/transfers/whole.zip"}


class Watched(io.BytesIO):
    """A buffer that deletes a file when another is written."""

    def __init__(self, written: bytes, discarded: Path) -> None:
        super().__init__()
        self.written, self.discarded = written, discarded

    def write(self, data) -> int:
        if self.written in bytes(data):
            self.discarded.unlink(missing_ok=True)
        return super().write(data)


@pytest.mark.django_db
def test_backup_continues_when_file_is_discarded(folder):
    for name in ("first.zip", "second.zip", "third.zip"):
        (folder / name).write_bytes(b"something")
    out = Watched(b"first.zip", folder / "second.zip")
    back_up(out)
    assert not (folder / "second.zip").exists()
    assert files_in(out) == {"files/transfers/first.zip", "files/transfers/third.zip"}
