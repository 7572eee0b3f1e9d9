"""The coefficient with its interval, beside alpha with every distance."""

from __future__ import annotations

from dataclasses import replace

from django.urls import reverse
from django.utils.http import urlencode

from agreement.measures import SET_DISTANCES
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.links.relations import LinkKappa
from agreement.reports.overall import overall
from agreement.reports.overall.bootstrap import BOOTSTRAP, OPTION, asks_for_bootstrap
from agreement.reports.overall.overview import CAUTION, RELIABLE, TENTATIVE, describe_reliability
from agreement.reports.pyramids import units
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.wording import nouns_for
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot
from agreement.sections.figures.distances import build_distribution
from agreement.sections.labels.labels import CHOICE_LABELS, choice_label
from agreement.sections.labels.settings import read_settings
from agreement.sections.tables import Column, Linked, Table


def build(request: AnalysisRequest) -> PageSections:
    """Return the coefficient, alpha with every distance, and for pyramids both counts of units."""
    report = request.compute(lambda parameters, _: overall.compute_report(request.extract, parameters))
    distances = request.compute(lambda parameters, _: overall.compare_distances(request.extract, parameters))
    dots = [
        Dot(choice_label("distance", parameters.distance), one.value, one.low, one.high)
        for parameters, one in distances
    ]
    figure = dot_plot(dots, "alpha", (TENTATIVE, RELIABLE))
    chart = Chart("distances", "Alpha by distance, with 95% CI", figure, describe_dots(dots), "distances")
    distribution = build_distribution(request)
    drawn = request.compute(lambda _, options: asks_for_bootstrap(options.get(OPTION, "")))
    bootstrap = compute_or_enqueue(request, "bootstrap") if drawn else PageSections()
    return bootstrap.extended(
        tables=[
            _distances_table(request, distances),
            *distribution.tables,
            *build_units_tables(request),
            *_links_tables(report.links),
        ],
        charts=[*([chart] if len(dots) > 1 else []), *distribution.charts],
        report=report,
        verdict=describe_reliability(request.extract, report),
        convention=read_settings(request).sentence,
        caution=CAUTION,
        meaning=overall.explain_distances(
            {parameters.distance: one.value for parameters, one in distances},
            nouns_for(request.extract).chains,
        ),
        draws=drawn,
        draw_address=request.address_with(**{OPTION: "" if drawn else BOOTSTRAP}),
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
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
        ],
        [
            (
                Linked(parameters.distance, f"?{urlencode(parameters.query())}", parameters == request.parameters),
                *(one.value, one.low, one.high, one.result.observed, one.result.expected),
            )
            for parameters, one in distances
        ],
    )
