"""How two values of one unit are related (Passonneau 2004, section 2)."""

from collections.abc import Hashable

import numpy as np

from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..distances import LabelSets
from ..sums.overlaps import PairableUnits, find_overlaps
from ..sums.pairs import different_labels, different_sets
from ..values import Ints, Readings, Value, remove_unit

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
    pairable = PairableUnits.from_data(data)
    n_units = len(pairable.rows)
    of_pairable = np.zeros((n_units, len(RELATIONS)), dtype=np.int64)
    different, sets, a, b, shared = different_sets(pairable, find_overlaps(pairable))
    clashes = np.delete(different, sets)
    if data.members == "labels":
        clashes, different, sets, a, b, shared = _label_set_pairs(pairable)
    contained = shared == np.minimum(a, b)
    kind = np.select([contained & (a == b), contained, shared > 0], [0, 1, 2], 3)
    np.add.at(of_pairable, (different[sets], kind), 1)
    of_pairable[:, 4] += np.bincount(clashes, minlength=n_units)
    of_pairable[:, 0] += pairable.coders * (pairable.coders - 1) // 2 - np.bincount(different, minlength=n_units)
    counts = np.zeros((len(data.units), len(RELATIONS)), dtype=np.int64)
    counts[pairable.rows] = of_pairable
    return counts


def _label_set_pairs(pairable: PairableUnits) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Return the units of clashes of labels, those of all pairs, which pairs are of two sets, their sizes, the shared.

    The pairs are those of different values, of data whose sets have labels as members.
    """
    units, low, high = different_labels(pairable)
    known = LabelSets.from_labels(pairable.data.labels)
    number = np.full(len(pairable.data.labels), MISSING, dtype=np.int64)
    number[known.places] = np.arange(len(known.places))
    low, high = number[low], number[high]
    sets = np.flatnonzero((low != MISSING) & (high != MISSING))
    low, high = low[sets], high[sets]
    return np.delete(units, sets), units, sets, known.sizes[low], known.sizes[high], known.shared[low, high]
