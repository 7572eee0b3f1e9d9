"""Zip files: read into memory within bounds, nothing is ever unpacked to a disk."""

import io
import zipfile
import zlib
from pathlib import PurePosixPath

from annotations.formats.document import FormatError

# Python decompresses the other methods without a bound on what comes out.
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack(data: bytes, file: str, *, most_files: int, most_bytes: int) -> list[tuple[str, bytes]]:
    """The files of a zip as (name, data), in the order of their names; other files' litter is left out.

    most_bytes bounds what comes out, counted while it comes, whatever the zip says of itself. Raises FormatError.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = sorted(
                (entry for entry in archive.infolist() if not entry.is_dir() and not _litter(entry.filename)),
                key=lambda entry: entry.filename,
            )
            if len(entries) > most_files:
                raise FormatError(f"the zip holds {len(entries)} files; at most {most_files} are read", file)
            files, left = [], most_bytes
            for entry in entries:
                path = PurePosixPath(entry.filename)
                if path.is_absolute() or ".." in path.parts or "\\" in entry.filename:
                    raise FormatError(f"the zip holds a file with the unsafe name {entry.filename!r}", file)
                if entry.compress_type not in BOUNDED:
                    raise FormatError(f"{entry.filename} is compressed by a method that is not read here", file)
                with archive.open(entry) as opened:
                    content = opened.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise FormatError(f"the zip holds more than {most_bytes // 2**20} MB", file)
                files.append((entry.filename, content))
            return files
    except FormatError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
    ) as error:
        raise FormatError(f"this zip cannot be read: {error}", file) from error


def _litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")
