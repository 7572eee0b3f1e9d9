"""The versions of texts, which stand before the rows of a stored table."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from agreement.measures.values import Ints

# Sixteen bytes that are equal for equal states, with a chance of one in 2^128 for others.
type Version = bytes

VERSION_SIZE = 16
# the number of texts, and the check sum of their versions
_HEAD = Struct("<QI")
# of what has none
_NO_VERSION = bytes(VERSION_SIZE)


def digest_version(about: Hashable) -> Version:
    """Return the version of a state that these values name."""
    return hashlib.blake2b(repr(about).encode(), digest_size=VERSION_SIZE).digest()


def join_versions(versions: Sequence[Version], rest: bytes) -> bytes:
    """Return versions as bytes, with what they are versions of behind."""
    together = b"".join(versions)
    return _HEAD.pack(len(versions), crc32(together)) + together + rest


def split_versions(stored: bytes) -> tuple[NDArray[np.uint64], memoryview]:
    """Return what was joined, each version as two numbers: (versions, 2), and a view of the rest.

    Raises ValueError for bytes that are damaged.
    """
    if len(stored) < _HEAD.size:
        raise ValueError("these bytes are no stored table")
    n, check = _HEAD.unpack_from(stored)
    end = _HEAD.size + n * VERSION_SIZE
    together = stored[_HEAD.size : end]
    if crc32(together) != check:
        raise ValueError("the stored table is damaged: compute it again")
    return _as_numbers(together), memoryview(stored)[end:]


def find_versions(
    documents: Sequence[Hashable], versions: NDArray[np.uint64], wanted: Sequence[tuple[int, Version | None]]
) -> tuple[Ints, Ints]:
    """Return which of the documents that are wanted in a version are there in it, and their places there."""
    keys, asked = np.array(documents, dtype=np.int64), np.array([key for key, _ in wanted], dtype=np.int64)
    numbers = _as_numbers(b"".join([version or _NO_VERSION for _, version in wanted]))
    order = np.argsort(keys)
    there = np.flatnonzero(np.isin(asked, keys))
    places = order[np.searchsorted(keys, asked[there], sorter=order)]
    is_same = (versions[places] == numbers[there]).all(axis=1)
    return there[is_same], places[is_same]


def _as_numbers(versions: bytes) -> NDArray[np.uint64]:
    return np.frombuffer(versions, "<u8").reshape(-1, 2)
