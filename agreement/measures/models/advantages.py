"""How much nearer to the other humans a candidate is than each human who is left out, unit by unit."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..coefficients.alpha import compare_judgements
from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_coders, select_units
from ..options import Options
from ..results import nonzero_counts
from ..sums.overlaps import PairableUnits
from ..sums.pairs import different_judgements, sum_groups
from ..sums.tables import as_numbers, different_distances
from ..values import Bools, Floats, Ints


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
    from_candidate, from_humans = _sum_distances(as_numbers(used, options), options)
    human = used.codes[:, 1:] != MISSING
    others = (human.sum(axis=1) - 1)[:, None]
    missing = np.where(human, 0.0, np.nan)
    of_candidate = 1 - (from_candidate.sum(axis=1)[:, None] - from_candidate) / others + missing
    of_human = 1 - from_humans / others + missing
    return Advantages(of_candidate, of_human, used.document_of_unit, nonzero_counts(left_out))


def _sum_distances(data: ReliabilityData, options: Options) -> tuple[Floats, Floats]:
    """Return of each unit and human the distance from the candidate, and the sum of distances from the other humans.

    The candidate is the first coder. Distances are 0 where nothing was coded.
    """
    pairable = PairableUnits.from_data(data)
    if isinstance(options.distance, str):
        units, distances = different_distances(pairable, options)
        _, left, right = different_judgements(pairable)
    else:
        listed = list(chain.from_iterable(compare_judgements(pairable, options.distance, options)))
        pairs = np.array(listed, dtype=np.float64).reshape(-1, 4).T
        (units, left, right), distances = pairs[:3].astype(np.int64), pairs[3]
    rows = pairable.rows[units]
    table = np.zeros((2, *data.codes.shape))
    by_candidate = left == 0
    np.add.at(table[0], (rows[by_candidate], right[by_candidate]), distances[by_candidate])
    for columns in (left, right):
        np.add.at(table[1], (rows[~by_candidate], columns[~by_candidate]), distances[~by_candidate])
    return table[0, :, 1:], table[1, :, 1:]
