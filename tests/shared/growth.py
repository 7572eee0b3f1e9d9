"""How work grows with its input: a bound in seconds would say more of the machine than of the program."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

# Four times as much takes 4 times as long where time grows with the input, and 16 times where it grows by the square.
FACTOR = 4
MOST = 9.0
# What takes less of the processor cannot be compared, and is too quick to have grown by the square.
SHORTEST_SECONDS = 0.2
ATTEMPTS = 3


def assert_grows_with_input(work: Callable[[int], object], n: int) -> None:
    """Assert that `work(n)` takes the processor about FACTOR times as long as `work(n // FACTOR)`.

    Other programs on the machine may disturb an attempt, but not all of them.
    """
    ratios = []
    for _ in range(ATTEMPTS):
        large = _processor_seconds(work, n)
        if large < SHORTEST_SECONDS:
            return
        ratios.append(large / _processor_seconds(work, n // FACTOR))
        if ratios[-1] < MOST:
            return
    raise AssertionError(f"for {FACTOR} times as much it takes {ratios} times as long")


def _processor_seconds(work: Callable[[int], object], n: int) -> float:
    """Return the processor seconds of `work(n)` without the garbage collector, which walks all objects there are."""
    gc.disable()
    try:
        start = time.process_time()
        work(n)
        return time.process_time() - start
    finally:
        gc.enable()
