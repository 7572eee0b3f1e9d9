"""How far two categories are apart: equal or not, or by their places on a scale."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from ..data.reliability_data import ReliabilityData
from ..data.subsets import number_labels
from ..options import check_option
from ..values import Floats, Label

SCALES = ("nominal", "linear", "quadratic", "bipolar")

type Disagreement = Callable[[Label, Label], float]


@dataclass(frozen=True, eq=False)
class Scale:
    """The categories that there are, used or not, and the disagreement of each two, or None where all differ alike.

    `of_labels` is the same for the labels of the data, in the order of their codes. `given`: categories were listed.
    """

    name: str
    categories: tuple[Label, ...]
    disagreements: Floats | None
    of_labels: Floats | None
    given: bool

    @classmethod
    def from_data(
        cls,
        data: ReliabilityData,
        distance: str | Disagreement = "nominal",
        categories: Sequence[Label] | None = None,
        also: tuple[str, ...] = (),
    ) -> "Scale":
        """Return the scale of the data's labels; see `cohen_kappa` for the arguments and errors.

        `also` are names of other distances that the caller takes.
        """
        if isinstance(distance, str):
            check_option("distance", distance, tuple(dict.fromkeys(SCALES + also)))
        name = distance if isinstance(distance, str) else str(getattr(distance, "__name__", "callable"))
        labels = _list_categories(data, categories, in_order=is_ordered(distance))
        if distance == "nominal":
            return cls(name, labels, None, None, categories is not None)
        if len(data.cells.starts) > 1:
            raise ValueError(f"the distance {name!r} is of categories, and there are sets in the data")
        table = (
            _position_disagreements(name, len(labels))
            if isinstance(distance, str)
            else _call_distance(distance, labels)
        )
        place = {label: i for i, label in enumerate(labels)}
        order = np.array([place[label] for label in data.labels], dtype=np.int64)
        return cls(name, labels, table, table[np.ix_(order, order)], categories is not None)


def as_categories(
    data: ReliabilityData, distance: str | Disagreement, categories: Sequence[Label] | None
) -> ReliabilityData:
    """Return the data with labels in text as numbers, where the categories are numbers or have the order of numbers.

    Raises ValueError for a label that is no number, saying where it stands.
    """
    if categories is None and is_ordered(distance):
        return number_labels(data, f"the distance {distance!r} is of numbers: else give the categories in their order")
    if categories and all(isinstance(category, Real) for category in categories):
        return number_labels(data, "the categories are numbers")
    return data


def is_ordered(distance: str | Disagreement) -> bool:
    """Return whether a distance is that of places on a scale."""
    return isinstance(distance, str) and distance in SCALES[1:]


def _list_categories(data: ReliabilityData, categories: Sequence[Label] | None, in_order: bool) -> tuple[Label, ...]:
    if categories is not None:
        distinct = tuple(dict.fromkeys(categories))
        for label in data.labels:
            if label not in distinct:
                raise ValueError(f"{label!r} is used and is not among the categories {list(distinct)}")
        return distinct
    if not in_order:
        return data.labels
    return tuple(sorted(data.labels))  # type: ignore[type-var]


def _position_disagreements(name: str, n: int) -> Floats:
    places = np.arange(n, dtype=np.float64)
    low, high = places[:, None], places[None, :]
    apart, widest = np.abs(low - high), max(n - 1, 1)
    if name == "linear":
        return np.asarray(apart / widest)
    if name == "quadratic":
        return np.asarray((apart / widest) ** 2)
    together = low + high  # bipolar: the nearer to the ends, the less a step counts
    room = together * (2 * (n - 1) - together)
    bipolar: Floats = np.divide(apart**2, room, out=np.zeros_like(room), where=room > 0)
    return bipolar


def _call_distance(distance: Disagreement, categories: tuple[Label, ...]) -> Floats:
    table = np.array([[float(distance(a, b)) for b in categories] for a in categories]).reshape(
        len(categories), len(categories)
    )
    wrong = np.argwhere(~np.isfinite(table) | (table < 0) | (table != table.T) | (np.eye(len(table)) * table > 0))
    if len(wrong):
        i, j = wrong[0].tolist()
        raise ValueError(f"the distance between {categories[i]!r} and {categories[j]!r} is {table[i, j]}")
    return table
