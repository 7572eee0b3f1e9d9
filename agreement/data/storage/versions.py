"""The versions of texts as two numbers each, which stand before the rows of a stored table."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from agreement.measures.values import Ints

type Version = tuple[int, int]

# the number of texts, and the check sum of their versions
_HEAD = Struct("<QI")
_PAIR = np.dtype("<u8")
# of what has none
_NO_VERSION = (0, 0)


def digest_version(about: Hashable) -> Version:
    """Return two numbers that are equal for equal states, with a chance of one in 2^128 for others."""
    digest = hashlib.blake2b(repr(about).encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def join_versions(versions: Sequence[Version], rest: bytes) -> bytes:
    """Return versions as bytes, with what they are versions of behind."""
    numbers = np.array(versions, dtype=_PAIR).reshape(-1, 2).tobytes()
    return _HEAD.pack(len(versions), crc32(numbers)) + numbers + rest


def split_versions(stored: bytes) -> tuple[NDArray[np.uint64], memoryview]:
    """Return what was joined: (versions, 2), and a view of the rest. Raises ValueError for bytes that are damaged."""
    if len(stored) < _HEAD.size:
        raise ValueError("these bytes are no stored table")
    n, check = _HEAD.unpack_from(stored)
    end = _HEAD.size + n * 2 * _PAIR.itemsize
    numbers = stored[_HEAD.size : end]
    if crc32(numbers) != check:
        raise ValueError("the stored table is damaged: compute it again")
    return np.frombuffer(numbers, _PAIR).reshape(-1, 2), memoryview(stored)[end:]


def find_versions(
    documents: Sequence[Hashable], versions: NDArray[np.uint64], wanted: Sequence[tuple[int, Version | None]]
) -> tuple[Ints, Ints]:
    """Return which of the documents that are wanted in a version are there in it, and their places there."""
    keys, asked = np.array(documents, dtype=np.int64), np.array([key for key, _ in wanted], dtype=np.int64)
    pairs = np.array([version or _NO_VERSION for _, version in wanted], dtype=_PAIR).reshape(-1, 2)
    order = np.argsort(keys)
    there = np.flatnonzero(np.isin(asked, keys))
    places = order[np.searchsorted(keys, asked[there], sorter=order)]
    is_same = (versions[places] == pairs[there]).all(axis=1)
    return there[is_same], places[is_same]
