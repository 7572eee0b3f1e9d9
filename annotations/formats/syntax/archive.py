"""Zip files: read within bounds and never unpacked to a disk; equal files are written as equal bytes."""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import PurePosixPath
from typing import IO, cast

from annotations.formats.model.findings import FormatError

# A file of more than FREE_BYTES may expand at most MAX_GROWTH times: text expands ten to thirty times.
FREE_BYTES, MAX_GROWTH = 2**20, 200
CHUNK = 2**16
# Python decompresses other methods without a bound on the output.
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

DRIVE = re.compile("[A-Za-z]:")
# Python's errors on a zip that is broken, encrypted or compressed by an unknown method.
UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


class TooMuch(FormatError):
    """A zip with more files or bytes than the bounds allow."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a zip, read when needed. The zip stays open as long as one of its entries exists."""

    path: str
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    def __len__(self) -> int:
        return self.info.file_size

    def read(self) -> bytes:
        try:
            return self.archive.read(self.info)
        except UNREADABLE as error:
            raise FormatError(f"this zip cannot be read: {error}", self.path) from error

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the file with their ends; only a part of the file is in memory. Raises FormatError."""
        try:
            with self.archive.open(self.info) as opened, io.BufferedReader(cast(io.RawIOBase, opened), CHUNK) as lines:
                yield from lines
        except UNREADABLE as error:
            raise FormatError(f"this zip cannot be read: {error}", self.path) from error


@dataclass(frozen=True, slots=True)
class Package:
    """The files of an upload as (name, content), and the names of ignored files, which are no coder's work."""

    files: Sequence[tuple[str, bytes | Entry]] = field(default_factory=list)
    ignored: Sequence[str] = field(default_factory=list)


def list_entries(data: bytes | IO[bytes], file: str, *, most_files: int, most_bytes: int) -> list[Entry]:
    """Return the files of a zip in the order of their names, without litter such as hidden files.

    All files are read once, so that a zip with an unreadable file is refused. most_bytes bounds their unpacked size.
    Raises FormatError.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data)
        entries = [Entry(_path(info), archive, info) for info in archive.infolist()]
        entries = [entry for entry in entries if not entry.path.endswith("/") and not is_litter(entry.path)]
        entries.sort(key=attrgetter("path"))
        if len(entries) > most_files:
            raise TooMuch(f"the zip holds {len(entries)} files; at most {most_files} are read", file)
        for entry in entries:
            _refuse_unsafe(entry.info, file)
            del entry.info.date_time  # saves a fourth of the memory of a zip with very many files
        if sum(map(len, entries)) > most_bytes:
            raise TooMuch(f"the zip holds more than {most_bytes // 2**20} MB", file)
        for entry in entries:  # no entry yields more than its declared size
            with archive.open(entry.info) as opened:
                while opened.read(CHUNK):
                    pass
    except FormatError:
        raise
    except UNREADABLE as error:
        raise FormatError(f"this zip cannot be read: {error}", file) from error
    return entries


def unpack(data: bytes | IO[bytes], file: str, *, most_files: int, most_bytes: int) -> list[tuple[str, bytes]]:
    """Return the files of a zip as (name, data), in the order of `list_entries`. Raises FormatError."""
    entries = list_entries(data, file, most_files=most_files, most_bytes=most_bytes)
    return [(entry.path, entry.read()) for entry in entries]


def claimed_bytes(data: bytes | IO[bytes]) -> int:
    """Return the declared unpacked size of a zip; 0 if the zip is unreadable, which `unpack` reports."""
    try:
        with zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except UNREADABLE:
        return 0


def _refuse_unsafe(entry: zipfile.ZipInfo, file: str) -> None:
    """Raise FormatError on an unsafe entry. (Its size is the declared one; reading counts again.)"""
    path = PurePosixPath(_path(entry))
    if path.is_absolute() or DRIVE.match(_path(entry)) or ".." in path.parts or "\0" in entry.orig_filename:
        raise FormatError(f"the zip holds a file with the unsafe name {entry.filename!r}", file)
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise FormatError(f"{entry.filename} is a link, not a file", file)
    if entry.compress_type not in BOUNDED:
        raise FormatError(f"{entry.filename} is compressed by a method that is not read here", file)
    if entry.file_size > max(FREE_BYTES, MAX_GROWTH * entry.compress_size):
        raise FormatError(f"{entry.filename} would grow to more than {MAX_GROWTH} times its size", file)


def _path(entry: zipfile.ZipInfo) -> str:
    """Return the path of a file in a zip. Old programs on Windows write backslashes between folders."""
    return entry.filename.replace("\\", "/")


def is_litter(name: str) -> bool:
    """Return whether a file is litter of systems or editors: a hidden file, or a file in a hidden folder."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or any(part.startswith(".") and not part.startswith("..") for part in parts)


def add_file(archive: zipfile.ZipFile, path: str, data: bytes) -> None:
    """Add a file without time or owner, so that equal exports are equal bytes."""
    entry = zipfile.ZipInfo(path)
    level = -1 if archive.compresslevel is None else archive.compresslevel
    # `unpack` would refuse a million equal letters. wbits=-15 compresses as zipfile does, without zlib's header.
    grows_too_much = len(data) > FREE_BYTES and len(data) > MAX_GROWTH * len(zlib.compress(data, level, wbits=-15))
    entry.compress_type = zipfile.ZIP_STORED if grows_too_much else archive.compression
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data, compresslevel=archive.compresslevel)
