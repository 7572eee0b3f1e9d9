"""The items with the highest share of the disagreement, of which a table keeps the first of each text."""

from __future__ import annotations

from collections.abc import Buffer, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.measures import RELATIONS
from agreement.measures.sums.storage import pack, unpack
from agreement.measures.values import Ints
from agreement.reports.items.items import SHARE_DIGITS, compute_text_items, order_by_share, read_item_rows
from agreement.reports.request.basis import cached, pick_texts
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# So many items are listed at most.
MOST = 5
_ITEM = [
    ("unit", "<i8", (MOST,)),
    ("term", "<f8", (MOST,)),
    ("pointers", "<i4", (MOST,)),
    ("chain", "<i4", (MOST,)),
    ("relations", "<i4", (MOST, len(RELATIONS))),
]
_TEXT = np.dtype([("total", "<f8"), *_ITEM])


@dataclass(frozen=True, slots=True)
class HighItem:
    """An item: the text and unit, its share of the observed disagreement, and pairs of coders by relation."""

    text: TextEntry
    unit: int
    share: float
    relations: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TextItems:
    """The first items of many texts, a row for each text, to be stored: `total` is what all of its items add up to."""

    documents: Sequence[Hashable]
    rows: NDArray[np.void]

    @property
    def nbytes(self) -> int:
        """The bytes that the rows take."""
        return self.rows.nbytes

    def select(self, rows: Ints) -> Self:
        """Return some of the rows, in this order."""
        return replace(self, documents=[self.documents[row] for row in rows.tolist()], rows=self.rows[rows])

    def exchange(self, rows: Ints, new: Self) -> Self:
        """Return the rows with those of `new` at some places, of the same documents."""
        exchanged = self.rows.copy()
        exchanged[rows] = new.rows
        return replace(self, rows=exchanged)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all parts."""
        return cls([one for part in parts for one in part.documents], np.concatenate([part.rows for part in parts]))

    def to_bytes(self) -> bytes:
        """Return all of it as bytes."""
        return pack({}, {"documents": self.documents}, [self.rows])

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Self:
        """Return what was made bytes of. Raises ValueError for bytes that are damaged or of another version."""
        _, names, [rows] = unpack(stored, lambda _: [_TEXT])
        return cls(names["documents"], rows)


def find_highest(extract: Extract, parameters: Parameters) -> list[HighItem]:
    """Return the items with the highest share, as `Items.highest` orders them; none with a share of 0.

    Those of each text are found once for its answers, and stored. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("highest items", parameters), lambda: _find_highest(extract, parameters))


def _find_highest(extract: Extract, parameters: Parameters) -> list[HighItem]:
    texts = pick_texts(extract, parameters)

    def compute(missing: Sequence[TextEntry]) -> TextItems:
        return _first_of_each(extract, parameters, missing)

    rows = read_item_rows(extract, parameters, TextItems, f"{MOST} highest", texts, compute).rows
    total = float(rows["total"].sum())
    if not total:
        return []
    shares = (rows["term"] / total).round(SHARE_DIGITS).reshape(-1)
    places = np.flatnonzero(shares > 0)
    if len(places) > MOST:
        lowest = np.partition(shares[places], len(places) - MOST)[len(places) - MOST]
        places = places[shares[places] >= lowest]
    of_text, number = np.divmod(places, MOST)
    pointers, chain = (rows[name][of_text, number] for name in ("pointers", "chain"))
    order = order_by_share(shares[places], pointers, chain)[:MOST]
    return [
        HighItem(
            texts[text],
            int(rows["unit"][text, item]),
            float(rows["term"][text, item] / total),
            tuple(rows["relations"][text, item].tolist()),
        )
        for text, item in zip(of_text[order].tolist(), number[order].tolist(), strict=True)
    ]


def _first_of_each(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> TextItems:
    rows = np.zeros(len(texts), _TEXT)
    found = compute_text_items(extract, parameters, texts)
    cuts = np.cumsum([0, *found.sizes]).tolist()
    for row, (begin, end) in zip(rows, pairwise(cuts), strict=True):
        items = {field: column[begin:end] for field, column in found.columns.items()}
        order = order_by_share(items["term"].round(SHARE_DIGITS), items["pointers"], items["chain"])[:MOST]
        row["total"] = items["term"].sum()
        for name, *_ in _ITEM:
            row[name][: len(order)] = items[name][order]
    return TextItems([text.pk for text in texts], rows)
