"""How many markables each coder first judged on each day, of which a table keeps the counts of each text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from agreement.data.extract.extract import Extract
from agreement.data.storage.tables import TextVersion
from agreement.measures.data.arrays import run_offsets
from agreement.measures.sums.storage import pack, unpack
from agreement.measures.values import Ints
from agreement.reports.coders.timing import read_work_of
from agreement.reports.request.basis import cached
from annotations.models import Project

_TEXT = np.dtype([("days", "<i8")])
_DAY = np.dtype([("coder", "<i4"), ("day", "<i4"), ("judgements", "<i8")])
NOBODY = -1


@dataclass(frozen=True, eq=False)
class JudgedDays:
    """The judgements of many texts by coder and day, to be stored: `days` has as many rows for a text as `sizes` says.

    In these `coder` is a place in `coders`, and `day` the ordinal of a date.
    """

    documents: Sequence[Hashable]
    coders: tuple[str, ...]
    sizes: Ints
    days: NDArray[np.void]

    def select(self, rows: Ints) -> Self:
        """Return some of the texts, in this order."""
        sizes = self.sizes[rows]
        begins = (np.cumsum(self.sizes) - self.sizes)[rows]
        places = np.repeat(begins, sizes) + run_offsets(sizes)
        return type(self)([self.documents[row] for row in rows.tolist()], self.coders, sizes, self.days[places])

    def exchange(self, rows: Ints, new: Self) -> Self:
        """Return the rows with those of `new` at some places, in ascending order, of the same documents."""
        numbers = {coder: number for number, coder in enumerate(self.coders)}
        of_coder = np.array([numbers.setdefault(coder, len(numbers)) for coder in new.coders], dtype=np.int64)
        sizes, is_kept = self.sizes.copy(), np.ones(len(self.sizes), dtype=np.bool_)
        sizes[rows], is_kept[rows] = new.sizes, False
        begins = np.cumsum(np.where(is_kept, self.sizes, 0)) - np.where(is_kept, self.sizes, 0)
        added = new.days.copy()
        added["coder"] = of_coder[new.days["coder"]]
        days = np.insert(self.days[np.repeat(is_kept, self.sizes)], np.repeat(begins[rows], new.sizes), added)
        return replace(self, coders=tuple(numbers), sizes=sizes, days=days)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the texts of all parts."""
        coders = tuple(dict.fromkeys(coder for part in parts for coder in part.coders))
        days = np.concatenate([part.days for part in parts])
        numbers = [np.array([coders.index(coder) for coder in part.coders], dtype=np.int64) for part in parts]
        days["coder"] = np.concatenate([of[part.days["coder"]] for of, part in zip(numbers, parts, strict=True)])
        documents = [document for part in parts for document in part.documents]
        return cls(documents, coders, np.concatenate([part.sizes for part in parts]), days)

    def to_bytes(self) -> bytes:
        """Return all of it as bytes."""
        sizes = np.zeros(len(self.sizes), _TEXT)
        sizes["days"] = self.sizes
        return pack({}, {"documents": self.documents, "coders": self.coders}, [sizes, self.days])

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        """Return what was made bytes of. Raises ValueError for bytes that are damaged or of another version."""
        _, names, (sizes, days) = unpack(stored, lambda _: [_TEXT, _DAY])
        return cls(names["documents"], tuple(map(str, names["coders"])), sizes["days"], days)

    def count(self, groups: Ints) -> dict[int, Counter[date]]:
        """Return how many judgements there are on each day, by a number of each text; of texts of NOBODY none."""
        return self._count(np.repeat(groups, self.sizes), np.ones(len(self.days), dtype=np.bool_))

    def count_by_coder(self, chosen: NDArray[np.bool_]) -> dict[str, Counter[date]]:
        """Return the same by coder, in these texts."""
        of_coders = self._count(self.days["coder"].astype(np.int64), np.repeat(chosen, self.sizes))
        return {self.coders[number]: days for number, days in sorted(of_coders.items())}

    def _count(self, group: Ints, chosen: NDArray[np.bool_]) -> dict[int, Counter[date]]:
        rows = self.days[chosen & (group != NOBODY)]
        found: dict[int, Counter[date]] = {}
        if not len(rows):
            return found
        first, last = int(rows["day"].min()), int(rows["day"].max())
        width = last - first + 1
        keys = group[chosen & (group != NOBODY)] * width + (rows["day"] - first)
        counts = np.bincount(keys, weights=rows["judgements"])
        for key in np.flatnonzero(counts).tolist():
            of_group, day = divmod(key, width)
            found.setdefault(of_group, Counter())[date.fromordinal(first + day)] = int(counts[key])
        return found


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The judgements of each day in each round, and of each coder, without practice."""

    rounds: dict[str, Counter[date]]
    coders: dict[str, Counter[date]]


def count_days(project: Project, extract: Extract) -> DayCounts:
    """Return how many markables were judged on each day. `extract` has all answers of the project."""
    return cached(extract, ("judged days", timezone.get_current_timezone_name()), lambda: _count(project, extract))


def _count(project: Project, extract: Extract) -> DayCounts:
    texts = extract.texts
    if not texts:
        return DayCounts({}, {})
    number = {name: place for place, name in enumerate(extract.rounds)}
    rounds = np.array([NOBODY if text.reason == "practice" else number[text.round] for text in texts], dtype=np.int64)

    def compute(places: list[int]) -> JudgedDays:
        missing = [texts[place] for place in places]
        counts = [
            Counter((coder, one.day) for (_, coder), times in work.judgement_times.items() for one in times)
            for work in read_work_of(project, extract, missing)
        ]
        coders = {coder: place for place, coder in enumerate(sorted({coder for one in counts for coder, _ in one}))}
        rows = [(coders[coder], day.toordinal(), n) for one in counts for (coder, day), n in sorted(one.items())]
        sizes = np.array([len(one) for one in counts], dtype=np.int64)
        return JudgedDays([text.pk for text in missing], tuple(coders), sizes, np.array(rows, dtype=_DAY))

    contents: list[TextVersion] = [text.content for text in texts]
    name = ("judged days", timezone.get_current_timezone_name())
    days = extract.tables.read(name, JudgedDays, contents, compute, present=lambda: contents, shared=True)
    of_rounds = days.count(rounds)
    return DayCounts(
        {name: of_rounds.get(place, Counter()) for name, place in number.items()},
        days.count_by_coder(rounds != NOBODY),
    )
