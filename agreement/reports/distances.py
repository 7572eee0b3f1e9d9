"""The distances that coders have, beside those that chance would give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.answers import Extract, TextEntry
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.sums.distributions import BINS, STEPS, DistanceCounts, count_distances, expected_counts
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.readings import ReadingKind
from agreement.measures.values import Floats, Ints, Label
from agreement.reports.basis import (
    cached,
    cached_by_text,
    comparison,
    comparison_options,
    effective_distance,
    pick_texts,
    resolve,
    select_data,
)
from agreement.reports.parameters import Parameters

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


@dataclass(frozen=True, slots=True)
class _TextCounts:
    observed: Floats
    overlapping: Ints
    judgements: int
    empty: int
    sets: int
    labels: Mapping[Label, int]
    readings: Mapping[ReadingKind, int]


def distribute_distances(extract: Extract, parameters: Parameters) -> list[DistanceBin]:
    """Return the observed and the expected distances by bin, as alpha weights them; nothing without a pair of values.

    Their means are what alpha observes and expects. A coefficient without a distance has the nominal one. Raises
    InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    if effective_distance(parameters) in ORDERED_DISTANCES:  # they have no largest value
        return []
    distance, conventions = effective_distance(parameters), {"exclude_unit": "none"} | comparison_options(parameters)
    as_alpha = replace(parameters, coefficient="alpha", distance=distance, **conventions)
    return cached(extract, ("distances", as_alpha), lambda: _distribute(extract, as_alpha))


def _distribute(extract: Extract, parameters: Parameters) -> list[DistanceBin]:
    texts = _count_texts(extract, parameters)
    judgements = sum(one.judgements for one in texts)
    if not judgements:
        return []
    labels: Counter[Label] = Counter()
    for one in texts:
        labels.update(one.labels)
    readings: Counter[ReadingKind] = Counter()
    for one in texts:
        readings.update(one.readings)
    observed = sum((one.observed for one in texts), start=np.zeros(BINS))
    expected = expected_counts(
        overlapping=sum((one.overlapping for one in texts), start=np.zeros(BINS, dtype=np.int64)),
        judgements=judgements,
        empty=sum(one.empty for one in texts),
        sets=sum(one.sets for one in texts),
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


def _count_texts(extract: Extract, parameters: Parameters) -> list[_TextCounts]:
    """Return the counts of each chosen text, which are found once for its answers."""
    texts = pick_texts(extract, parameters)
    key = ("distances", replace(parameters, texts="", rounds=""), extract.coders)

    def compute(missing: Sequence[TextEntry]) -> list[_TextCounts]:
        data = select_data(extract, parameters, missing)
        counts = count_distances(PairableUnits.from_data(data), comparison(parameters))
        return [_counts_of_text(counts, row, data.labels) for row in range(len(missing))]

    return cached_by_text(texts, key, compute)


def _counts_of_text(counts: DistanceCounts, row: int, labels: Sequence[Label]) -> _TextCounts:
    return _TextCounts(
        observed=counts.observed[row],
        overlapping=counts.overlapping[row],
        judgements=int(counts.judgements[row]),
        empty=int(counts.empty[row]),
        sets=int(counts.sets[row]),
        labels=dict(zip(labels, counts.labels[row].tolist(), strict=True)),
        readings={
            kind: number
            for kind, number in zip(counts.readings.kinds, counts.readings.counts[row].tolist(), strict=True)
            if number
        },
    )
