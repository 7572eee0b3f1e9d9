"""Screenshots as small PNG files: a page has few colours, so 256 of them are enough."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Colours that differ by less count as equal: the shades at the edges of letters.
STEP = 3


def small_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG with a palette, from an array of shape (height, width, 3)."""
    height, width, _ = pixels.shape
    colours, colour_of_pixel, count = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette, nearest = _palette(colours.astype(np.int64), count)
    lines = nearest[colour_of_pixel].reshape(height, width)
    raw = np.concatenate([np.zeros((height, 1), np.uint8), lines], axis=1).tobytes()  # 0: no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def _palette(colours: NDArray[np.int64], count: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a palette of at most 256 distinct, frequent colours, and for each colour the index of the nearest one."""
    chosen: list[int] = []
    unassigned = np.ones(len(colours), dtype=bool)
    for index in np.argsort(-count, kind="stable").tolist():
        if unassigned[index]:
            chosen.append(index)
            unassigned &= np.abs(colours - colours[index]).max(axis=1) >= STEP
        if len(chosen) == 256:
            break
    palette = colours[chosen]
    distances = np.stack([((colours - shade) ** 2).sum(axis=1) for shade in palette])
    return palette.astype(np.uint8), distances.argmin(axis=0).astype(np.uint8)
