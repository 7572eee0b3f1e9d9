"""Which distances coders have, beside those of chance: a table, and bars of it."""

from __future__ import annotations

from agreement.reports.overall.distances import DistanceBin, distribute_distances
from agreement.reports.request.basis import effective_distance
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, bar_chart
from agreement.sections.labels.labels import choice_label
from agreement.sections.tables import Column, Table


def build_distribution(request: AnalysisRequest) -> TablesAndCharts:
    """Return the shares of pairs by their distance, observed and expected."""
    bins = distribute_distances(request.extract, request.parameters)
    if not bins:
        return TablesAndCharts([], [])
    name = choice_label("distance", effective_distance(request.parameters))
    title = f"Observed and expected distances: {name}"
    table = Table(
        "distribution",
        title,
        [
            Column("distance", "Distance", explanation="distance_bin"),
            Column("observed", "Observed", "percent", explanation="observed_share"),
            Column("expected", "Expected", "percent", explanation="expected_share"),
        ],
        [(_bin_label(one), one.observed, one.expected) for one in bins],
        "Observed: pairs of coders on one item, weighted as in alpha. Expected: all pairs of their judgements.",
    )
    series = {"observed": [one.observed for one in bins], "expected": [one.expected for one in bins]}
    equal, apart = bins[0], bins[-1]
    words = (
        f"Equal values: {equal.observed:.0%} observed, {equal.expected:.0%} expected. Nothing in common:"
        f" {apart.observed:.0%} observed, {apart.expected:.0%} expected."
    )
    figure = bar_chart([_bin_label(one) for one in bins], series, "distance", "share of pairs")
    return TablesAndCharts([table], [Chart("distribution", title, figure, words, "distribution")])


def _bin_label(one: DistanceBin) -> str:
    """Return a bin in words; one of a single value is that value."""
    if one.low == one.high:
        return f"{one.low:.3g}"
    return f"{one.low:g} to {one.high:g}" if one.high < 1 else f"{one.low:g} to below 1"
