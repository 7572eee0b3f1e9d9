"""Krippendorff's alpha with named distances, callables and counts; contributions of units; relations of sets.

With a callable every pair of distinct values is compared. Relations of values are those of Passonneau 2004, section 2.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import fsum, isfinite

import numpy as np

from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import number_labels
from ..options import SET_DISTANCES, Options, SumOptions
from ..results import Result
from ..sums.overlaps import PairableUnits, remove_units_from_readings
from ..sums.sufficient_statistics import SufficientStatistics, register_statistics
from ..sums.tables import as_numbers, different_distances, tabulate, unit_disagreements
from ..sums.totals import alpha_of_texts, build_alpha_result
from ..values import Distance, Floats, Ints, Readings, Value, is_number, parse_number, remove_unit
from .alpha_statistics import alpha_statistics, alphas_statistics, count_masses, mass_statistics

RELATIONS = ("identity", "subsumption", "intersection", "disjunction", "category")


@dataclass(frozen=True)
class Contribution:
    """What one unit adds to observed disagreement: `observed` sums to Do over the units, `share` to 1."""

    unit: Hashable
    document: Hashable
    share: float
    observed: float


@register_statistics(alpha_statistics)
def alpha(
    data: Data,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> Result:
    """Return Krippendorff's alpha, 1 - Do/De, for any number of coders, with missing values.

    With n judgements on the units coded by two or more coders, m of them on unit u: Do is the sum over the
    units of the distances of all ordered pairs of judgements of u divided by m - 1, over n; De is the mean
    distance of all n(n - 1) ordered pairs of judgements (Krippendorff 1980; Passonneau 2004).

    `data` is ReliabilityData, a DataFrame, or a list or array of units x coders (the package krippendorff has coders x
    units), as in every function here: see `as_data`.
    `distance` is one of DISTANCES, or a symmetric callable of two values that is 0 for equal values; it
    is called for every pair of distinct values, and `empty` and `thirds` (see `distance`) are its own affair. Values
    with several readings are matched as `distance` says, in observed and in expected disagreement.
    "ordinal", "interval" and "ratio" are for labels that are numbers.
    `exclude_unit` takes the unit out of the sets that it was given: "none"; "observed", when the values of
    one unit are compared; "both", also when judgements of any two units are.
    Raises ValueError for an unknown option, for a callable that returns a negative or no finite number, and for
    a value that is no number where it must be.
    The value is None, with a note, where no unit has two coders and where no disagreement can be expected.

    >>> data = ReliabilityData.from_values(
    ...     ["A", "B"], ["Ann", "Bob"], [["place", "place"], ["place", "none"]], ["text", "text"])
    >>> alpha(data)
    <alpha = 0.0000: 2 units, 2 coders, 4 judgements, 2 values>
    """
    data = as_data(data)
    options = Options(distance, exclude_unit, empty, thirds)
    if not isinstance(distance, str):
        return _alpha_of_callable(data, distance, options)
    return alpha_of_texts(tabulate(data, SumOptions((distance,), exclude_unit, empty, thirds)), distance)


@register_statistics(alphas_statistics)
def alphas(
    data: Data,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> dict[str, Result]:
    """Return `alpha` with each of several named distances, by name, from one pass over the data.

    The arguments, errors and digits are those of `alpha`. Raises ValueError also where distances for numbers
    are mixed with distances for sets.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 2], [2, 1]], ["a", "a", "b", "b"])
    >>> [(name, round(result.value, 3)) for name, result in alphas(data).items()][:2]
    [('nominal', 0.44), ('passonneau', 0.791)]
    """
    options = SumOptions(tuple(distances), exclude_unit, empty, thirds)
    sums = tabulate(as_data(data), options)
    return {name: alpha_of_texts(sums, name) for name in sums}


def contributions(
    data: Data,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> tuple[Contribution, ...]:
    """Return what each unit adds to the observed disagreement of `alpha` with the same arguments, in data order.

    Units coded by fewer than two coders are not in it. Where there is no disagreement all shares are 0. Raises
    ValueError as `alpha` does.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [round(one.share, 3) for one in contributions(data, "jaccard")]
    [0.25, 0.25, 0.5]
    """
    options = Options(distance, exclude_unit, empty, thirds)
    data = as_numbers(as_data(data), options)
    pairable = PairableUnits.from_data(data)
    if isinstance(distance, str):
        terms = unit_disagreements(pairable, options).tolist()
    else:
        terms = _callable_unit_disagreements(pairable, distance, options)
    total, n = sum(terms), int(pairable.coders.sum())
    return tuple(
        Contribution(
            unit=data.units[row],
            document=data.documents[data.document_of_unit[row]],
            share=term / total if total else 0.0,
            observed=term / n,
        )
        for row, term in zip(pairable.rows.tolist(), terms, strict=True)
    )


def count_dice(a: Hashable, b: Hashable) -> float:
    """Return the Dice distance of two counts: 1 - 2 min(a, b)/(a + b), and 0 for two zeros.

    It is the Dice distance of two bags of a and b equal things (Dice 1945): coders who both find an SCU, one of them
    more often, agree in part. Raises ValueError for what is no number from 0.

    >>> count_dice(1, 3), count_dice(0, 2), count_dice(0, 0)
    (0.5, 1.0, 0.0)
    """
    first, second = _count(a), _count(b)
    return 0.0 if first == second else 1.0 - 2.0 * min(first, second) / (first + second)


def _count_statistics(data: ReliabilityData, by: str) -> SufficientStatistics:
    data = number_labels(data, "counts are numbers")
    used = PairableUnits.from_data(data)
    terms = np.array(_callable_unit_disagreements(used, count_dice, Options(count_dice)), dtype=np.float64)
    similar = np.array([[1 - count_dice(a, b) for b in data.labels] for a in data.labels])
    masses = count_masses(used, Options(), by, labels=similar.reshape(len(data.labels), len(data.labels)))
    return mass_statistics(used, terms, masses, by, "")


@register_statistics(_count_statistics)
def count_alpha(data: Data) -> Result:
    """Return Krippendorff's alpha of counts with `count_dice` as the distance: `alpha(data, count_dice)`.

    Values are numbers from 0: how often the coder found the unit. `bootstrap` and `jackknife` compute it from sums, as
    they do with `alpha` and a distance that has a name. Raises ValueError for other values.

    >>> counts = [[1, 1], [2, 1], [0, 0], [0, 1]]
    >>> count_alpha(ReliabilityData.from_values("abcd", ["Ann", "Bob"], counts, ["peer"] * 4))
    <alpha = 0.4286: 4 units, 2 coders, 8 judgements, 3 values>
    """
    return alpha(number_labels(as_data(data), "counts are numbers"), count_dice)


def _count(value: Hashable) -> float:
    if not is_number(value) or parse_number(value) < 0:
        raise ValueError(f"{value!r} is no count")
    return parse_number(value)


class _CheckedDistance:
    """A callable distance that caches its values and checks that they are distances."""

    def __init__(self, distance: Distance) -> None:
        self._distance = distance
        self._known: dict[frozenset[Value], float] = {}

    def __call__(self, a: Value, b: Value) -> float:
        if a == b:
            return 0.0
        pair = frozenset((a, b))
        if pair not in self._known:
            distance = float(self._distance(a, b))
            if not (isfinite(distance) and distance >= 0):
                raise ValueError(f"the distance between {a!r} and {b!r} is {distance}")
            self._known[pair] = distance
        return self._known[pair]


def _alpha_of_callable(data: ReliabilityData, distance: Distance, options: Options) -> Result:
    compare, pairable = _CheckedDistance(distance), PairableUnits.from_data(data)
    given = _list_values(pairable, remove=False)
    removed = _list_values(pairable, remove=True) if options.exclude_unit == "both" else given
    pooled = Counter(value for row in removed for _, value in row)
    values = {value for row in given for _, value in row}
    return build_alpha_result(
        parameters=options.parameters(),
        observed=fsum(_callable_unit_disagreements(pairable, compare, options)),
        expected=fsum(2 * n * m * compare(a, b) for (a, n), (b, m) in combinations(pooled.items(), 2)),
        n_units=len(given),
        n_left_out=len(data.units) - len(given),
        n_judgements=pooled.total(),
        n_coders=len({column for row in given for column, _ in row}),
        n_values=len(values),
        labels=[label for label in data.labels if label in values],
    )


def _callable_unit_disagreements(pairable: PairableUnits, distance: Distance, options: Options) -> list[float]:
    """Return for each pairable unit the sum of distances of ordered pairs, divided by its judgements less one."""
    totals = (fsum([pair[3] for pair in pairs]) for pairs in compare_judgements(pairable, distance, options))
    return [2 * total / (m - 1) for total, m in zip(totals, pairable.coders.tolist(), strict=True)]


def compare_judgements(
    pairable: PairableUnits, distance: Distance, options: Options
) -> Iterator[list[tuple[int, int, int, float]]]:
    """Yield for each unit its pairs of judgements: the unit's place, the columns of both coders, and the distance."""
    compare = distance if isinstance(distance, _CheckedDistance) else _CheckedDistance(distance)
    for place, row in enumerate(_list_values(pairable, options.exclude_unit != "none")):
        yield [(place, i, j, compare(a, b)) for (i, a), (j, b) in combinations(row, 2)]


def compare_pairs(pairable: PairableUnits, options: Options) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the pairs of different values of a unit: its place, the columns of both coders, and the distance."""
    if not isinstance(options.distance, str):
        listed = list(chain.from_iterable(compare_judgements(pairable, options.distance, options)))
        table = np.array(listed, dtype=np.float64).reshape(-1, 4).T
        places, left, right = table[:3].astype(np.int64)
        return places, left, right, table[3]
    if options.exclude_unit != "none" and pairable.data.cells.readings is not None:  # equal values may come of it
        pairable = remove_units_from_readings(pairable)
    units, distances = different_distances(pairable, options)
    _, left, right = pairable.different
    return units, left, right, distances


def _list_values(pairable: PairableUnits, remove: bool) -> list[list[tuple[int, Value]]]:
    """Return the column and the value of each judgement of each unit, or its value without the unit."""
    data = pairable.data
    values = [data.value(code) for code in range(data.n_values)]
    remove = remove and data.has_sets
    units = [data.units[row] for row in pairable.rows.tolist()]
    return [
        [(c, remove_unit(values[code], unit) if remove else values[code]) for c, code in enumerate(row) if code >= 0]
        for unit, row in zip(units, pairable.codes.tolist(), strict=True)
    ]


def relation(a: Value, b: Value, unit: Hashable = None) -> str:
    """Return one of RELATIONS, after removing `unit` (if given) from both values (Passonneau 2004, section 2).

    A pair with a label in it is "identity" or "category", a clash of categories. The empty set is subsumed
    by every other set. Of several readings the members of all are one set here.

    >>> relation(frozenset("CH"), frozenset("CHJK"), unit="C")
    'subsumption'
    >>> relation("place", "none")
    'category'
    """
    if unit is not None:
        a, b = remove_unit(a, unit), remove_unit(b, unit)
    a, b = (value.members if isinstance(value, Readings) else value for value in (a, b))
    if a == b:
        return "identity"
    if not (isinstance(a, frozenset) and isinstance(b, frozenset)):
        return "category"
    if a <= b or b <= a:
        return "subsumption"
    return "intersection" if a & b else "disjunction"


def relation_counts(data: Data) -> Ints:
    """Count the pairs of coders in each of RELATIONS on each unit, the unit itself removed from both values.

    Shape (units, relations), in the order of the data and of RELATIONS.

    >>> sets = [[frozenset("A"), frozenset("AB"), "none"], [frozenset("AB"), frozenset("AB"), None]]
    >>> relation_counts(ReliabilityData.from_values("AB", ["Ann", "Bob", "Cid"], sets, ["text"] * 2)).tolist()
    [[0, 1, 0, 0, 2], [1, 0, 0, 0, 0]]
    """
    pairable = PairableUnits.from_data(as_data(data))
    counts = np.zeros((len(pairable.data.units), len(RELATIONS)), dtype=np.int64)
    counts[pairable.rows] = count_relations(pairable)
    return counts


def count_relations(pairable: PairableUnits) -> Ints:
    """Count the pairs of coders in each of RELATIONS on these units, the unit itself removed from both values."""
    data = pairable.data
    if data.cells.readings is not None:  # their members are one set
        data = replace(data, content=replace(data.cells, readings=None))
        pairable = replace(pairable, data=data)
    units, *columns, distances = compare_pairs(pairable, Options("passonneau", "observed"))
    is_set = np.ones(data.n_values, dtype=np.bool_)
    is_set[: len(data.labels)] = [isinstance(label, frozenset) for label in data.labels]
    first, second = (is_set[pairable.codes[units, column]] for column in columns)
    kind = np.where(first & second, np.rint(3 * distances), len(RELATIONS) - 1).astype(np.int64)
    cells = np.bincount(units * len(RELATIONS) + kind, minlength=pairable.codes.shape[0] * len(RELATIONS))
    counts: Ints = cells.reshape(-1, len(RELATIONS))
    counts[:, 0] += pairable.coders * (pairable.coders - 1) // 2 - counts.sum(axis=1)
    return counts
