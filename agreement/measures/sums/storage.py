"""Sums as bytes: a mark, the version of the form, the length and check sum of the rest, names as JSON, then arrays."""

import json
from collections.abc import Buffer, Callable, Hashable, Mapping, Sequence
from struct import Struct
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .names import decode_name, encode_name

MARK = b"coindex sums"
VERSION = 1
# the mark, the version, the check sum of what follows, and the lengths of what follows and of its JSON
_HEAD = Struct("<12sIIQQ")


def pack(options: Mapping[str, Any], names: Mapping[str, Sequence[Hashable]], arrays: Sequence[NDArray[Any]]) -> bytes:
    """Return options, names and arrays as bytes. Raises ValueError for a name that is no text, number, tuple or set."""
    described = {
        "options": options,
        "names": {key: [encode_name(name) for name in several] for key, several in names.items()},
        "lengths": [len(array) for array in arrays],
    }
    described_bytes = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    rest = b"".join([described_bytes, *(array.tobytes() for array in arrays)])
    return _HEAD.pack(MARK, VERSION, crc32(rest), len(rest), len(described_bytes)) + rest


def unpack(
    stored: Buffer, types_of: Callable[[Mapping[str, Any]], Sequence[np.dtype[Any]]]
) -> tuple[dict[str, Any], dict[str, list[Hashable]], list[NDArray[Any]]]:
    """Return the options, names and arrays; `types_of` gives the types of the arrays by the options.

    The arrays are views of the bytes. Raises ValueError for bytes that are no such sums, damaged or of another version.
    """
    view = memoryview(stored)
    if len(view) < _HEAD.size or view[: len(MARK)] != MARK:
        raise ValueError("these bytes are no stored sums")
    _, version, check, length, described_length = _HEAD.unpack_from(view)
    if version != VERSION:
        raise ValueError(
            f"the stored sums have version {version}, and this library reads {VERSION}: compute them again"
        )
    rest = view[_HEAD.size :]
    if len(rest) != length or crc32(rest) != check:
        raise ValueError("the stored sums are damaged: compute them again")
    described = json.loads(bytes(rest[:described_length]))
    arrays, place = [], described_length
    for n, entry in zip(described["lengths"], types_of(described["options"]), strict=True):
        arrays.append(np.frombuffer(rest, entry, n, place))
        place += n * entry.itemsize
    names = {key: [decode_name(name) for name in several] for key, several in described["names"].items()}
    return described["options"], names, arrays
