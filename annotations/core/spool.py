"""Sequences of which only the beginning is in memory."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import IO, overload


class Spool[Item]:
    """A sequence that is only added to: so much of it as `most` weighs is in memory, the rest in a temporary file.

    What is in the file is another object each time it is asked for. The file goes with the sequence.
    """

    def __init__(self, weigh: Callable[[Item], int], most: int) -> None:
        self._weigh, self._left = weigh, most
        self._kept: list[Item] = []
        self._file: IO[bytes] | None = None
        self._places = array("Q")

    def append(self, item: Item) -> None:
        """Add an item. Nothing changes it afterwards."""
        if self._left > 0:
            self._left -= self._weigh(item)
            self._kept.append(item)
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the sequence
        self._places.append(self._file.seek(0, 2))
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)

    def truncate(self, length: int) -> None:
        """Take away all items but the first so many."""
        del self._places[max(length - len(self._kept), 0) :]
        self._left += sum(map(self._weigh, self._kept[length:]))
        del self._kept[length:]

    def as_list(self) -> list[Item] | None:
        """Return the items if all of them are in memory."""
        return None if self._places else self._kept

    def __len__(self) -> int:
        return len(self._kept) + len(self._places)

    def __getitem__(self, number: int) -> Item:
        if number < len(self._kept):
            return self._kept[number]
        assert self._file is not None, "there are as many items as in memory"
        self._file.seek(self._places[number - len(self._kept)])
        item: Item = pickle.load(self._file)  # noqa: S301 - nobody else writes this file
        return item

    def __iter__(self) -> Iterator[Item]:
        return (self[number] for number in range(len(self)))

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


class SpooledItems[Item](Sequence[Item]):
    """Some of the items of a spool, by their numbers."""

    def __init__(self, spool: Spool[Item], numbers: Sequence[int]) -> None:
        self._spool, self._numbers = spool, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return SpooledItems(self._spool, self._numbers[place])
        return self._spool[self._numbers[place]]
