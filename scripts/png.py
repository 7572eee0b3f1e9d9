"""Pictures of pages as small PNG files: a page has few colours, so 256 of them are enough."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Colours that differ by less are one: the shades at the edges of letters.
STEP = 3


def small_png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG with a palette, from an array of (height, width, red green blue)."""
    height, width, _ = pixels.shape
    colours, place, count = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette, nearest = _palette(colours.astype(np.int64), count)
    lines = nearest[place].reshape(height, width)
    raw = np.concatenate([np.zeros((height, 1), np.uint8), lines], axis=1).tobytes()  # 0: no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def _palette(colours: NDArray[np.int64], count: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """At most 256 of the colours, none close to another that is more frequent, and for each colour the nearest."""
    chosen: list[int] = []
    left = np.ones(len(colours), dtype=bool)
    for one in np.argsort(-count, kind="stable").tolist():
        if left[one]:
            chosen.append(one)
            left &= np.abs(colours - colours[one]).max(axis=1) >= STEP
        if len(chosen) == 256:
            break
    palette = colours[chosen]
    apart = np.stack([((colours - shade) ** 2).sum(axis=1) for shade in palette])
    return palette.astype(np.uint8), apart.argmin(axis=0).astype(np.uint8)
