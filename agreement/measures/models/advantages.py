"""How much nearer to the other humans a candidate is than each human who is left out, unit by unit."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..coefficients.callable_distances import CheckedDistance
from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_coders, select_units
from ..options import Options
from ..sums.overlaps import PairableUnits
from ..sums.pairs import different_columns, sum_groups
from ..sums.tables import as_numbers, different_distances
from ..values import Bools, Floats, Ints, remove_unit


@dataclass(frozen=True, eq=False)
class Advantages:
    """The scores of the candidate and of each human left out, (units, humans), and the document of each unit.

    A score is the mean, over the other humans, of 1 - distance. It is NaN of a human who did not code the unit.
    """

    candidate: Floats
    human: Floats
    documents: Ints
    left_out: dict[str, int]

    @property
    def compared(self) -> Bools:
        """Which human is compared on which unit."""
        compared: Bools = ~np.isnan(self.human)
        return compared

    def scores_by_text(self, human: int) -> Floats:
        """Return the mean scores of the candidate and of a human in each text that has units of both, (2, texts)."""
        compared = self.compared[:, human]
        texts, text = np.unique(self.documents[compared], return_inverse=True)
        scores = self.candidate[compared, human], self.human[compared, human]
        sums = [sum_groups(text, of_units, len(texts)) for of_units in scores]
        return np.array(sums).reshape(2, -1) / np.bincount(text)


def find_advantages(data: ReliabilityData, candidate: int, humans: list[int], options: Options) -> Advantages:
    """Return the scores of all units that the candidate and at least two humans coded; coders are column numbers."""
    chosen = select_coders(data, [candidate, *humans])
    given = chosen.codes != MISSING
    by_candidate, enough = given[:, 0], given[:, 1:].sum(axis=1) >= 2
    left_out = {
        "not coded by the candidate": int((~by_candidate).sum()),
        "coded by fewer than two humans": int((by_candidate & ~enough).sum()),
    }
    used = select_units(chosen, by_candidate & enough)
    distances = _sum_distances(as_numbers(used, options), options)
    human = used.codes[:, 1:] != MISSING
    others = (human.sum(axis=1) - 1)[:, None]
    missing = np.where(human, 0.0, np.nan)
    of_candidate = 1 - (distances.of_candidate.sum(axis=1)[:, None] - distances.of_candidate) / others + missing
    of_human = 1 - distances.of_human / others + missing
    return Advantages(of_candidate, of_human, used.document_of_unit, {why: n for why, n in left_out.items() if n})


@dataclass(frozen=True, eq=False)
class _Distances:
    """Of each unit and human the distance from the candidate, and the sum of distances from the other humans."""

    of_candidate: Floats
    of_human: Floats


def _sum_distances(data: ReliabilityData, options: Options) -> _Distances:
    """Return the distances where the first coder is the candidate; 0 where nothing was coded."""
    if isinstance(options.distance, str):
        pairable = PairableUnits.from_data(data)
        units, distances = different_distances(pairable, options)
        left, right = different_columns(pairable)
        rows = pairable.rows[units]
    else:
        rows, left, right, distances = _call_distance(data, options)
    table = np.zeros((2, *data.codes.shape))
    by_candidate = left == 0
    np.add.at(table[0], (rows[by_candidate], right[by_candidate]), distances[by_candidate])
    for columns in (left, right):
        np.add.at(table[1], (rows[~by_candidate], columns[~by_candidate]), distances[~by_candidate])
    return _Distances(table[0, :, 1:], table[1, :, 1:])


def _call_distance(data: ReliabilityData, options: Options) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the pairs of values on one unit, as rows and columns, with what a callable says of them."""
    assert not isinstance(options.distance, str)
    compare, found = CheckedDistance(options.distance), []
    values = [data.value(code) for code in range(data.n_values)]
    remove = options.exclude_unit != "none" and data.has_sets
    for row, (unit, codes) in enumerate(zip(data.units, data.codes.tolist(), strict=True)):
        of_unit = [(column, values[code]) for column, code in enumerate(codes) if code != MISSING]
        if remove:
            of_unit = [(column, remove_unit(value, unit)) for column, value in of_unit]
        found += [(row, i, j, compare(a, b)) for (i, a), (j, b) in combinations(of_unit, 2)]
    rows, left, right, distances = np.array(found, dtype=np.float64).reshape(-1, 4).T
    return rows.astype(np.int64), left.astype(np.int64), right.astype(np.int64), distances
