"""How two values of one unit are related (Passonneau 2004, section 2)."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from ..data.inputs import Data, as_data
from ..options import Options
from ..sums.overlaps import PairableUnits
from ..values import Ints, Readings, Value, remove_unit
from .alpha import compare_pairs

RELATIONS = ("identity", "subsumption", "intersection", "disjunction", "category")


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
    data = as_data(data)
    cells = data.cells
    if cells.readings is not None:  # their members are one set
        data = replace(data, content=replace(cells, readings=None))
    pairable = PairableUnits.from_data(data)
    units, *columns, distances = compare_pairs(pairable, Options("passonneau", "observed"))
    is_set = np.ones(data.n_values, dtype=np.bool_)
    is_set[: len(data.labels)] = [isinstance(label, frozenset) for label in data.labels]
    first, second = (is_set[pairable.codes[units, column]] for column in columns)
    kind = np.where(first & second, np.rint(3 * distances), len(RELATIONS) - 1).astype(np.int64)
    of_pairable = np.zeros((len(pairable.rows), len(RELATIONS)), dtype=np.int64)
    np.add.at(of_pairable, (units, kind), 1)
    of_pairable[:, 0] += pairable.coders * (pairable.coders - 1) // 2 - of_pairable.sum(axis=1)
    counts = np.zeros((len(data.units), len(RELATIONS)), dtype=np.int64)
    counts[pairable.rows] = of_pairable
    return counts
