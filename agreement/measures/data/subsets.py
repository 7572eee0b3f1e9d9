"""One coefficient over parts of the data: pairs of coders, all but one coder, fewer categories."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from agreement.measures.cells import MISSING, Cells, offsets
from agreement.measures.coefficients import alpha
from agreement.measures.data import ReliabilityData
from agreement.measures.options import check
from agreement.measures.resampling import resampled
from agreement.measures.results import Result, equals, figure, html_table
from agreement.measures.values import Bools, Label, each_once

if TYPE_CHECKING:
    import pandas as pd

LEFT_OUT = ("coder", "document", "category")

type Coefficient = Callable[..., Result]


@dataclass(frozen=True)
class Pairwise:
    """A coefficient of each two coders: `results` by pair, in the order of `coders`."""

    coders: tuple[Hashable, ...]
    results: Mapping[tuple[Hashable, Hashable], Result]

    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> Result:
        """The result of two coders, in either order."""
        return self.results[pair if pair in self.results else (pair[1], pair[0])]

    @property
    def mean(self) -> float | None:
        """The mean over the pairs where it is defined (of Cohen's kappa: Light 1971), None where it never is."""
        values = [result.value for result in self.results.values() if result.value is not None]
        return sum(values) / len(values) if values else None

    def to_frame(self) -> "pd.DataFrame":
        """The values, coders by coders; NaN on the diagonal and where undefined."""
        import pandas as pd

        frame = pd.DataFrame(np.nan, index=list(self.coders), columns=list(self.coders))
        for (a, b), result in self.results.items():
            if result.value is not None:
                frame.loc[a, b] = frame.loc[b, a] = result.value
        return frame

    def __repr__(self) -> str:
        name = next(iter(self.results.values())).coefficient if self.results else "nothing"
        return f"<{name} of {len(self.results)} pairs of coders, mean {equals(self.mean).removeprefix('= ')}>"

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(na_rep="", float_format="{:z.4f}".format))


@dataclass(frozen=True)
class LeftOut:
    """A coefficient without one coder, document or category. `change` is its value less that of all the data."""

    name: Hashable
    result: Result
    change: float | None


@dataclass(frozen=True)
class LeaveOneOut:
    """A coefficient of all the data, and without each coder, document or category in turn."""

    result: Result
    by: str
    parts: tuple[LeftOut, ...]

    def __repr__(self) -> str:
        rest = ", ".join(f"without {part.name} {equals(part.result.value).removeprefix('= ')}" for part in self.parts)
        return f"<{self.result.coefficient} {equals(self.result.value)}{': ' if rest else ''}{rest}>"

    def _repr_html_(self) -> str:
        rows = {f"without {part.name}": figure(part.result.value) or "undefined" for part in self.parts}
        return html_table({self.result.coefficient: figure(self.result.value) or "undefined", **rows})


def pairwise(data: ReliabilityData, coefficient: Coefficient, *arguments: Any, **options: Any) -> Pairwise:
    """A coefficient of each two coders alone; further arguments are passed on to it.

    >>> rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"]]
    >>> data = ReliabilityData.from_values("ABC", ["Ann", "Bob", "Cid"], rows, ["text"] * 3)
    >>> pairwise(data, alpha).to_frame().loc["Ann"].tolist()
    [nan, 1.0, 0.4444444444444444]
    """
    return Pairwise(
        coders=tuple(data.coders),
        results={
            (data.coders[i], data.coders[j]): coefficient(of_coders(data, [i, j]), *arguments, **options)
            for i, j in combinations(range(len(data.coders)), 2)
        },
    )


def leave_one_out(
    data: ReliabilityData, coefficient: Coefficient = alpha, *arguments: Any, by: str = "coder", **options: Any
) -> LeaveOneOut:
    """A coefficient without each coder, document or category (label) in turn; further arguments are passed on to it.

    What hurts agreement shows as a rise without it. Without a category the judgements that gave it are missing.
    Raises ValueError for another `by`.

    >>> rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"], ["x", "x", "y"]]
    >>> data = ReliabilityData.from_values("ABCD", ["Ann", "Bob", "Cid"], rows, ["text"] * 4)
    >>> leave_one_out(data, by="coder")
    <alpha = 0.3714: without Ann 0.1250, without Bob 0.1250, without Cid 1.0000>
    """
    check("by", by, LEFT_OUT)
    whole = coefficient(data, *arguments, **options)
    names: tuple[Hashable, ...]
    if by == "coder":
        names = tuple(data.coders)
        rest = [of_coders(data, [c for c in range(len(names)) if c != left]) for left in range(len(names))]
    elif by == "document":
        names = tuple(data.documents)
        rest = [resampled(data, np.delete(np.arange(len(names)), left), by) for left in range(len(names))]
    else:
        names = tuple(data.labels)
        rest = [_without_label(data, left) for left in range(len(names))]
    parts = []
    for name, part in zip(names, rest, strict=True):
        result = coefficient(part, *arguments, **options)
        change = None if result.value is None or whole.value is None else result.value - whole.value
        parts.append(LeftOut(name, result, change))
    return LeaveOneOut(whole, by, tuple(parts))


def collapse(data: ReliabilityData, mapping: Mapping[Label, Label]) -> ReliabilityData:
    """The data with some labels merged: each label of `mapping` becomes what it maps to, all other values stay.

    A label of `mapping` that nobody used changes nothing, so that a whole scheme can be mapped. Raises ValueError where
    no label of it is used at all.

    >>> data = ReliabilityData.from_values("AB", ["Ann", "Bob"], [["cat", "dog"], ["car", "cat"]], ["text"] * 2)
    >>> collapse(data, {"cat": "animal", "dog": "animal"}).labels
    ('animal', 'car')
    """
    if mapping and not any(label in mapping for label in data.labels):
        raise ValueError(f"no label of {list(mapping)} is used; the labels are {list(data.labels)}")
    place: dict[Label, int] = {}
    new = [place.setdefault(mapping.get(label, label), len(place)) for label in data.labels]
    cells = data.cells
    n_sets = len(cells.starts) - 1
    number = np.array([*new, *range(len(place), len(place) + n_sets), MISSING], dtype=np.int64)
    content = Cells(number[cells.codes], tuple(place), cells.starts, cells.members, cells.others)
    return ReliabilityData(data.units, data.coders, data.documents, data.document_of_unit, content)


def of_coders(data: ReliabilityData, columns: list[int]) -> ReliabilityData:
    """The data of some of the coders, by their numbers."""
    coders = tuple(data.coders[c] for c in columns)
    return ReliabilityData(data.units, coders, data.documents, data.document_of_unit, data.content.of_coders(columns))


def of_units(data: ReliabilityData, kept: Bools) -> ReliabilityData:
    """The data of some of the units; the others stay what they are in the values of these: members.

    `kept` has an entry for each unit. Raises ValueError for another length.
    """
    if len(kept) != len(data.units):
        raise ValueError(f"{len(kept)} entries for {len(data.units)} units")
    if kept.all():
        return data
    cells, n_units = data.cells, len(data.units)
    left = np.flatnonzero(~kept)
    n_kept = n_units - len(left)
    number = np.concatenate((np.cumsum(kept) - 1, np.arange(len(cells.others)) + n_units))
    number[left] = n_kept + np.arange(len(left))
    members = number[cells.members]
    order = np.lexsort((members, cells.set_of_member))
    names = [data.units[row] for row in left.tolist()]
    content = Cells(cells.codes[kept], cells.labels, cells.starts, members[order], (*names, *cells.others))
    units = [data.units[row] for row in np.flatnonzero(kept).tolist()]
    return ReliabilityData(units, data.coders, data.documents, data.document_of_unit[kept], _used(content))


def _used(cells: Cells) -> Cells:
    """The cells without the labels and sets that none of them has."""
    n_labels = len(cells.labels)
    used = each_once(cells.codes[cells.codes >= 0])
    number = np.full(n_labels + len(cells.starts), MISSING, dtype=np.int64)
    number[used] = np.arange(len(used))
    sets = used[used >= n_labels] - n_labels
    sizes = np.diff(cells.starts)[sets]
    members = cells.members[np.repeat(cells.starts[sets], sizes) + offsets(sizes)]
    outside = members >= len(cells.codes)
    others, place = np.unique(members[outside], return_inverse=True)
    members[outside] = len(cells.codes) + place
    return Cells(
        codes=number[cells.codes],
        labels=tuple(cells.labels[label] for label in used[used < n_labels].tolist()),
        starts=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))),
        members=members,
        others=tuple(cells.others[other] for other in (others - len(cells.codes)).tolist()),
    )


def _without_label(data: ReliabilityData, label: int) -> ReliabilityData:
    cells = data.cells
    codes = np.where(cells.codes == label, MISSING, cells.codes)
    content = Cells(codes, cells.labels, cells.starts, cells.members, cells.others)
    return ReliabilityData(data.units, data.coders, data.documents, data.document_of_unit, content)
