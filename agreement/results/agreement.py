"""The coefficient with its interval, beside alpha with every distance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import SET_DISTANCES
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.results import Result as MeasuredResult
from agreement.measures.sums.distributions import STEPS, count_distances, expected_counts
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.links.coreference import LinkKappaOfPair
from agreement.reports.overall import overall
from agreement.reports.overall.overall import BOOTSTRAP, OPTION, SEED, asks_for_bootstrap, compute_bootstrap
from agreement.reports.overall.overview import CAUTION, RELIABLE, TENTATIVE, describe_reliability
from agreement.reports.request.basis import (
    comparison,
    comparison_options,
    compute_result,
    effective_distance,
    pick_texts,
    remembered,
    select_data,
)
from agreement.reports.request.parameters import UNITS, InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.request.resolution import resolve
from agreement.reports.wording import nouns_for
from agreement.results.computations import MAX_IMMEDIATE_COST, Result, register
from agreement.results.content import PageSections, StillComputing, TablesAndCharts
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot, bar_chart
from agreement.results.labels.labels import CHOICE_LABELS, choice_label
from agreement.results.labels.settings import read_settings
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, with_ends

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


# Which figures of the paper follow from what it prints, and which cannot be had.
PUBLISHED = (
    "Of Table 1 the row of spans follows from Figure 1: Jaccard −.44 and MASI .14, MASI in its product form, the unit"
    " taken out of observed disagreement, .33 and .67 for thirds. Its nominal 0 needs the unit taken out of expected"
    " disagreement, too; under the convention of the other two it is −.44. The words of Table 1 (0, .64, .81) and all"
    " of Table 2 cannot be computed again, because the pyramids themselves are not published."
)


@dataclass(frozen=True, slots=True)
class UnitsRow:
    """Alpha by distance of what is counted: over all docsets where `docset` is empty."""

    units: str
    docset: str
    title: str
    cells: tuple[tuple[Parameters, MeasuredResult], ...]


def compare_units(extract_of: Callable[[str], ProjectAnswers], parameters: Parameters) -> list[UnitsRow]:
    """Return words and spans over all docsets chosen, then in each of several; all but distance and units as asked.

    extract_of: the answers with words or spans as units. Raises InvalidParameter.
    """
    rows: dict[str, list[UnitsRow]] = {}
    for units in UNITS:
        extract, resolved = resolve(extract_of(units), replace(parameters, coefficient="alpha", units=units))
        texts = pick_texts(extract, resolved)
        of_docset = [(text.slug, text.title, [text]) for text in texts] if len(texts) > 1 else []
        for slug, title, chosen in [("", "all docsets", list(texts)), *of_docset]:
            cells = [replace(resolved, distance=distance) for distance in SET_DISTANCES]
            cell_results = tuple(
                (replace(cell, texts=slug or cell.texts), compute_result(extract, cell, chosen)) for cell in cells
            )
            rows.setdefault(slug, []).append(UnitsRow(units, slug, title, cell_results))
    return [row for of_docset in rows.values() for row in of_docset]


# Above so many texts a worker draws the replicates of the bootstrap.
MOST_TEXTS_DRAWN_AT_ONCE = 2000
OF_UNITS = (
    "All is in one text, whose units are drawn. They hang together by their chains, so this interval is too narrow:"
    " the one above leaves out what hangs together at once."
)


@register
class Agreement(ResultPage[overall.AgreementReport]):
    """The coefficient asked for, with its interval, and beside it alpha with every distance."""

    name, title = "agreement", "Agreement"
    template = "agreement/overall/agreement.html"
    is_kept = True
    path = "agreement/"
    position, tab = 10, 100
    gives = overall.AgreementFigures
    takes = {
        OPTION: ChoiceField(
            [BOOTSTRAP], required=False, help_text="Also the percentiles of the bootstrap, in `bootstrap`."
        )
    }
    api = "Return the report, with `interval=bootstrap` also that: 503 with `Retry-After` while a worker computes it."
    rows = "texts"

    def compute(self, request: AnalysisRequest) -> overall.AgreementReport:
        return overall.compute_report(request.extract, request.parameters)

    def fields(self, request: AnalysisRequest, report: overall.AgreementReport) -> overall.AgreementFigures:
        """Return the report; where that is asked for, with the bootstrap. Raises StillComputing."""
        if not asks_for_bootstrap(request.options.get(OPTION, "")):
            return overall.AgreementFigures.of(report)
        sections = Bootstrap().sections(request)
        if sections.waiting:
            raise StillComputing
        [table] = sections.tables
        figures: dict[str, Any] = dict(zip((column.name for column in table.columns), table.rows[0], strict=True))
        return overall.AgreementFigures.of(report, overall.Bootstrap(**figures))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the bootstrap, where that is asked for: the report itself is printed in words."""
        return Bootstrap().printed(request) if asks_for_bootstrap(request.options.get(OPTION, "")) else []

    def show(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        distances = overall.compare_distances(request.extract, request.parameters)
        dots = [Dot(choice_label("distance", parameters.distance), *with_ends(one)) for parameters, one in distances]
        chart = dots_chart("distances", "Alpha by distance, with 95% CI", dots, "alpha", (TENTATIVE, RELIABLE))
        drawn = asks_for_bootstrap(request.options.get(OPTION, ""))
        replicates = Bootstrap().sections(request) if drawn else PageSections()
        sections = replicates.extended([_distances_table(request, distances)], [chart] if len(dots) > 1 else [])
        sections = sections.with_sections(Distribution().sections(request))
        return sections.extended(
            [*build_units_tables(request), *_links_tables(report.links)],
            report=report,
            verdict=describe_reliability(request.extract, report),
            convention=read_settings(request).sentence,
            caution=CAUTION,
            meaning=overall.explain_distances(
                {parameters.distance: one.value for parameters, one in distances}, nouns_for(request.extract).chains
            ),
            draws=drawn,
            draw_address=request.address_with(**{OPTION: "" if drawn else BOOTSTRAP}),
        )


@register
class Distribution(Result[TablesAndCharts]):
    """The shares of pairs by their distance, observed and expected."""

    name = "distribution"
    work = 1

    def compute(self, request: AnalysisRequest) -> TablesAndCharts:
        bins = distribute_distances(request.extract, request.parameters)
        if not bins:
            return TablesAndCharts([], [])
        name = choice_label("distance", effective_distance(request.parameters))
        title = f"Observed and expected distances: {name}"
        table = Table.of(
            "distribution",
            title,
            [
                Column("distance", "Distance", explanation="distance_bin", cell=_bin_label),
                Column("observed", "Observed", "percent", explanation="observed_share"),
                Column("expected", "Expected", "percent", explanation="expected_share"),
            ],
            bins,
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


@register
class Bootstrap(Result[TablesAndCharts]):
    """The coefficient with its interval over random samples of the texts, and how this was made."""

    name = "bootstrap"

    def cost(self, request: AnalysisRequest) -> int:
        """Return the cost of so many texts: their sums are drawn, however many judgements they have."""
        return MAX_IMMEDIATE_COST * len(pick_texts(request.extract, request.parameters)) // MOST_TEXTS_DRAWN_AT_ONCE

    def compute(self, request: AnalysisRequest) -> TablesAndCharts:
        note = ""
        try:
            found = compute_bootstrap(request.extract, request.parameters, request.progress)
        except ValueError as error:
            row: list[Cell] = [None, None, None, None, 0, 0, 0, "", SEED, str(error)]
        else:
            row = [*with_ends(found), found.standard_error, found.n, found.n_undefined]
            row += [found.n_groups, found.by, found.seed, found.note]
            note = OF_UNITS if found.by == "unit" else ""
        columns = [
            Column("value", "Value", "figure"),
            *ENDS,
            Column("standard_error", "Standard error", "figure"),
            Column("replicates", "Replicates", "count"),
            Column("undefined", "Undefined", "count"),
            Column("drawn_from", "Drawn from", "count"),
            Column("by", "of", place="file"),
            Column("seed", "Seed", "count", place="file"),
            Column("note", "Notes"),
        ]
        return TablesAndCharts(
            [Table("bootstrap", "95% interval of the bootstrap: percentiles", columns, [row], note)], []
        )


def build_units_tables(request: AnalysisRequest) -> list[Table]:
    """Return words and spans with every distance, where there are pyramids (Passonneau 2006, Tables 1 and 2)."""
    if not request.extract.units:
        return []
    try:
        rows = compare_units(
            lambda counted: read_asked(request.project, replace(request.parameters, units=counted)), request.parameters
        )
    except InvalidParameter:  # somebody who is chosen has no words, or no spans
        return []
    address = reverse("agreement", args=[request.project.slug])
    return [
        Table(
            "units",
            "Alpha by what is counted and by distance (Passonneau 2006, Tables 1 and 2)",
            [
                Column("units", "Counted", explanation="counted"),
                Column("docset", "Docset"),
                *(Column(name, overall.DISTANCE_NAMES[name], "figure") for name in SET_DISTANCES),
            ],
            [
                [
                    row.units,
                    row.title,
                    *(
                        Linked(result.value, f"{address}?{urlencode(cell.query())}", cell == request.parameters)
                        for cell, result in row.cells
                    ),
                ]
                for row in rows
            ],
            PUBLISHED,
        )
    ]


def _links_tables(links: list[LinkKappaOfPair]) -> list[Table]:
    """Return the kappa of links of each two coders, where the answers are to a relation."""
    if not links:
        return []
    return [
        Table.of(
            "links",
            "Kappa of links, by pair of coders",
            [
                Column("coders", "Coders", cell=lambda row: f"{row.first} – {row.second}"),
                Column("kappa", "Kappa", "figure", explanation="relation_kappa", cell="value"),
                Column("both", "Both", "count", explanation="links_both"),
                Column("only_first", "Only the first", "count", explanation="links_one"),
                Column("only_second", "Only the second", "count", explanation="links_one"),
                Column("possible", "Possible", "count", explanation="links_possible", cell="n_links"),
                Column("markables", "Markables", "count", explanation="links_units", cell="n_units"),
            ],
            links,
            "Each link from a markable that both were asked about to a possible target is given or not.",
        )
    ]


def _distances_table(request: AnalysisRequest, distances: list[tuple[Parameters, Interval]]) -> Table:
    return Table(
        "distances",
        "Alpha by distance",
        [
            Column("distance", "Distance", labels=CHOICE_LABELS["distance"]),
            Column("value", "Alpha", "figure", explanation="alpha"),
            *ENDS,
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
        ],
        [
            (
                Linked(parameters.distance, f"?{urlencode(parameters.query())}", parameters == request.parameters),
                *with_ends(one),
                *(one.result.observed, one.result.expected),
            )
            for parameters, one in distances
        ],
    )


def _bin_label(one: DistanceBin) -> str:
    """Return a bin in words; one of a single value is that value."""
    if one.low == one.high:
        return f"{one.low:.3g}"
    return f"{one.low:g} to {one.high:g}" if one.high < 1 else f"{one.low:g} to below 1"
