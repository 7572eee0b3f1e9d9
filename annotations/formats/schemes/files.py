"""The files of an upload that holds a scheme."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.syntax.archive import unpack
from annotations.formats.syntax.xml import parse

if TYPE_CHECKING:
    from lxml import etree

# A scheme file is small; a zip may hold the files of a whole corpus, of which few are read.
MAX_BYTES = 2_000_000
MAX_FILES = 20_000
MAX_UNPACKED_BYTES = 50_000_000


def files_of(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of an upload, a zip or a single file, by path. Raise FormatError if they are too large."""
    if name.lower().endswith(".zip") or data.startswith(b"PK\x03\x04"):
        return dict(unpack(data, name, most_files=MAX_FILES, most_bytes=MAX_UNPACKED_BYTES))
    return {name: _bounded({name: data}, name)}


def text_of(files: Mapping[str, bytes], path: str) -> str:
    """Return the text of a scheme file. Raise FormatError if it is too long, or no text."""
    return decode(_bounded(files, path), path)


def xml_of(files: Mapping[str, bytes], path: str) -> etree._Element:
    return parse(_bounded(files, path), path)


def json_of(files: Mapping[str, bytes], path: str) -> Any:
    text = text_of(files, path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", path, error.lineno, error.colno) from None
    except (RecursionError, ValueError) as error:
        raise FormatError(f"this JSON cannot be read: {error}", path) from None


def _bounded(files: Mapping[str, bytes], path: str) -> bytes:
    if len(files[path]) > MAX_BYTES:
        raise FormatError(f"a scheme file has at most {MAX_BYTES // 1_000_000} MB", path)
    return files[path]


def base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def find_by_name(files: Collection[str], name: str) -> str | None:
    """Return the path of the file with the name, ignoring case, in the fewest folders; None if there is none."""
    found = [path for path in files if base_name(path).lower() == name.lower()]
    return min(found, key=lambda path: (path.count("/"), path), default=None)
