"""The coefficient with its interval, beside alpha with every distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from agreement.measures import SET_DISTANCES
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.links.relations import LinkKappa
from agreement.reports.overall import overall
from agreement.reports.overall.bootstrap import BOOTSTRAP, OPTION, SEED, asks_for_bootstrap, compute_bootstrap
from agreement.reports.overall.distances import DistanceBin, distribute_distances
from agreement.reports.overall.overview import CAUTION, RELIABLE, TENTATIVE, describe_reliability
from agreement.reports.pyramids import units
from agreement.reports.request.basis import effective_distance, pick_texts
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.wording import nouns_for
from agreement.results.computations import MAX_IMMEDIATE_COST, Result, register
from agreement.results.content import PageSections, StillComputing, TablesAndCharts
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot, bar_chart
from agreement.results.labels.labels import CHOICE_LABELS, choice_label
from agreement.results.labels.settings import read_settings
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, with_ends

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
    path = "agreement/"
    position, tab = 10, 100
    options = (OPTION,)
    api = "Return the report, with `interval=bootstrap` also that: 503 with `Retry-After` while a worker computes it."
    rows = "texts"

    def compute(self, request: AnalysisRequest) -> overall.AgreementReport:
        return overall.compute_report(request.extract, request.parameters)

    def fields(self, request: AnalysisRequest, report: overall.AgreementReport) -> dict[str, Any]:
        """Return the report; where that is asked for, with the bootstrap. Raises StillComputing."""
        is_drawn = asks_for_bootstrap(request.options.get(OPTION, ""))
        fields = report.as_dict()
        if is_drawn:
            sections = Bootstrap().sections(request)
            if sections.waiting:
                raise StillComputing
            [table] = sections.tables
            fields["bootstrap"] = dict(zip((column.name for column in table.columns), table.rows[0], strict=True))
        return fields

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the bootstrap, where that is asked for: the report itself is printed in words."""
        return Bootstrap().printed(request) if asks_for_bootstrap(request.options.get(OPTION, "")) else []

    def show(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        distances = overall.compare_distances(request.extract, request.parameters)
        dots = [Dot(choice_label("distance", parameters.distance), *with_ends(one)) for parameters, one in distances]
        chart = dots_chart("distances", "Alpha by distance, with 95% CI", dots, "alpha", (TENTATIVE, RELIABLE))
        drawn = asks_for_bootstrap(request.options.get(OPTION, ""))
        bootstrap = Bootstrap().sections(request) if drawn else PageSections()
        sections = bootstrap.extended([_distances_table(request, distances)], [chart] if len(dots) > 1 else [])
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
        rows = units.compare_units(
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
            units.PUBLISHED,
        )
    ]


def _links_tables(links: list[LinkKappa]) -> list[Table]:
    """Return the kappa of links of each two coders, where the answers are to a relation."""
    if not links:
        return []
    return [
        Table(
            "links",
            "Kappa of links, by pair of coders",
            [
                Column("coders", "Coders"),
                Column("kappa", "Kappa", "figure", explanation="relation_kappa"),
                Column("both", "Both", "count", explanation="links_both"),
                Column("only_first", "Only the first", "count", explanation="links_one"),
                Column("only_second", "Only the second", "count", explanation="links_one"),
                Column("possible", "Possible", "count", explanation="links_possible"),
                Column("markables", "Markables", "count", explanation="links_units"),
            ],
            [
                (
                    f"{one.first} – {one.second}",
                    *(one.value, one.both, one.only_first, one.only_second, one.n_links, one.n_units),
                )
                for one in links
            ],
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
