"""The distances that coders have, beside those that chance would give them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.sums.distributions import STEPS, count_distances, expected_counts
from agreement.measures.sums.overlaps import PairableUnits
from agreement.reports.request.basis import (
    comparison,
    comparison_options,
    effective_distance,
    pick_texts,
    remembered,
    select_data,
)
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# A distance of these is one of a few values: bins between them are empty.
STEPWISE = {"nominal": (), "passonneau": (1 / 3, 2 / 3)}


@dataclass(frozen=True, slots=True)
class DistanceBin:
    """The pairs of judgements whose distance is more than `low` and at most `high`; both are the same at 0 and at 1.

    `observed` is the share of the pairs of coders on one unit, `expected` that of all pairs of judgements.
    """

    low: float
    high: float
    observed: float
    expected: float


def distribute_distances(extract: ProjectAnswers, parameters: Parameters) -> list[DistanceBin]:
    """Return the observed and the expected distances by bin, as alpha weights them; nothing without a pair of values.

    Their means are what alpha observes and expects. A coefficient without a distance has the nominal one. Raises
    InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    if effective_distance(parameters) in ORDERED_DISTANCES:  # they have no largest value
        return []
    distance, conventions = effective_distance(parameters), {"exclude_unit": "none"} | comparison_options(parameters)
    as_alpha = replace(parameters, coefficient="alpha", distance=distance, **conventions)
    return remembered(extract, ("distances", as_alpha), lambda: _distribute(extract, as_alpha))


def _distribute(extract: ProjectAnswers, parameters: Parameters) -> list[DistanceBin]:
    texts = pick_texts(extract, parameters)
    if not texts:
        return []
    data = select_data(extract, parameters, texts)
    counts = count_distances(PairableUnits.from_data(data), comparison(parameters))
    judgements = int(counts.judgements.sum())
    if not judgements:
        return []
    of_labels = zip(data.labels, counts.labels.sum(axis=0).tolist(), strict=True)
    of_readings = zip(counts.readings.kinds, counts.readings.counts.sum(axis=0).tolist(), strict=True)
    labels = {label: number for label, number in of_labels if number}
    readings = {kind: number for kind, number in of_readings if number}
    observed = counts.observed.sum(axis=0)
    expected = expected_counts(
        overlapping=counts.overlapping.sum(axis=0),
        judgements=judgements,
        empty=int(counts.empty.sum()),
        sets=int(counts.sets.sum()),
        labels=np.array(list(labels.values()), dtype=np.int64),
        options=comparison(parameters),
        names=list(labels),
        readings=readings,
    )
    bins = [
        DistanceBin(low, high, of_pairs, by_chance)
        for (low, high), of_pairs, by_chance in zip(
            _bounds(), (observed / observed.sum()).tolist(), (expected / expected.sum()).tolist(), strict=True
        )
    ]
    # several readings may have anything in common
    return _stepwise(bins, parameters) if parameters.distance in STEPWISE and not readings else bins


def _bounds() -> list[tuple[float, float]]:
    return [(0.0, 0.0), *((step / STEPS, (step + 1) / STEPS) for step in range(STEPS)), (1.0, 1.0)]


def _stepwise(bins: list[DistanceBin], parameters: Parameters) -> list[DistanceBin]:
    """Return the bins of the values that the distance has, in place of those around them."""
    values = STEPWISE[parameters.distance]
    if values and parameters.thirds == "rounded":
        values = (0.33, 0.67)
    between = [next(one for one in bins if one.low < value <= one.high) for value in values]
    steps = [replace(one, low=value, high=value) for one, value in zip(between, values, strict=True)]
    return [bins[0], *steps, bins[-1]]
