"""Agreement and work over time, stage by stage, as tables and charts."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.reports.coders.timing import read_project_work
from agreement.reports.overall.course import RunningPoint, Stage, compute_running, compute_stages
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import pick_texts
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, band_chart, describe_dots, dot_plot, line_chart
from agreement.sections.tables import Column, Table, format_value
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize


def build_course(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return agreement, each coder's and all, and the time a judgement takes, stage by stage."""
    work = read_project_work(request.project, request.project_answers).activities
    default = default_grouping(bool(work))
    stages = request.compute(
        lambda parameters, options: compute_stages(
            request.extract, parameters, options.get("by") or default, work, progress
        )
    )
    running = request.compute(lambda parameters, _: compute_running(request.extract, parameters, work))
    coders = request.extract.coders
    n_left = len(pick_texts(request.extract, request.parameters)) - sum(len(stage.texts) for stage in stages)
    return TablesAndCharts(
        [*_tables(stages, coders, n_left), _running_table(running)],
        [*(_charts(stages, coders) if stages else []), *_running_charts(running)],
    )


def default_grouping(has_work: bool) -> str:
    """Return how the page opens: by week, and by round where all was imported, as there are no weeks."""
    return "week" if has_work else "round"


def _tables(stages: Sequence[Stage], coders: Sequence[str], n_left: int) -> list[Table]:
    """Return the tables of the periods; `n_left` texts are in none."""
    left = f"Left out: {pluralize(n_left, 'text')} without work in the log, such as imported ones." if n_left else ""
    return [
        Table(
            "stages",
            "By period",
            [
                Column("stage", "Period"),
                Column("texts", "Texts", "count"),
                Column("value", "Value", "figure"),
                Column("low", "from", "figure"),
                Column("high", "to", "figure"),
                Column("units", "Units", "count"),
            ],
            [
                (
                    one.label,
                    len(one.texts),
                    one.interval.value,
                    one.interval.low,
                    one.interval.high,
                    one.interval.result.n_units,
                )
                for one in stages
            ],
            left,
        ),
        Table(
            "coders",
            "Each coder and the others",
            [
                Column("stage", "Period"),
                *(Column(name, name, "figure", explanation="mean_of_pairs") for name in coders),
            ],
            [(one.label, *(one.against_rest[name] for name in coders)) for one in stages],
            "Rising lines suggest training effects, falling lines drift.",
        ),
        Table(
            "seconds",
            "Time per judgement",
            [Column("stage", "Period"), *(Column(name, name, "seconds", explanation="seconds") for name in coders)],
            [(one.label, *(one.seconds[name] for name in coders)) for one in stages],
            "Working time without pauses of over five minutes, divided by the judgements in the texts of the period.",
        ),
    ]


def _charts(stages: Sequence[Stage], coders: Sequence[str]) -> list[Chart]:
    labels = [stage.label for stage in stages]
    dots = [Dot(one.label, one.interval.value, one.interval.low, one.interval.high) for one in stages]
    return [
        Chart(
            "stages",
            "Agreement by period, with 95% CI",
            dot_plot(dots, "value", (TENTATIVE, RELIABLE)),
            describe_dots(dots),
            "stages",
        ),
        Chart(
            "coders",
            "Each coder and the others, by period",
            line_chart(labels, {name: [one.against_rest[name] for one in stages] for name in coders}, "value"),
            "Each coder and the others, by period; the table has every value.",
            "coders",
        ),
        Chart(
            "seconds",
            "Seconds per judgement, by period",
            line_chart(labels, {name: [one.seconds[name] for one in stages] for name in coders}, "seconds"),
            "Seconds per judgement of each coder, by period; the table has every value.",
            "seconds",
        ),
    ]


def _running_table(points: Sequence[RunningPoint]) -> Table:
    return Table(
        "running",
        "Agreement as texts are added",
        [
            Column("texts", "Texts", "count"),
            Column("last", "Last text"),
            Column("value", "Value", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("units", "Units", "count"),
        ],
        [(one.n_texts, one.last.label, one.result.value, one.low, one.high, one.result.n_units) for one in points],
        "In order of the last work on each text; imported ones come first. Alpha has a 95% CI from three texts on.",
    )


def _running_charts(points: Sequence[RunningPoint]) -> list[Chart]:
    dots = [Dot(str(one.n_texts), one.result.value, one.low, one.high) for one in points]
    if sum(dot.value is not None for dot in dots) < 2:
        return []
    first, last = (next(one for one in order if one.value is not None) for order in (dots, reversed(dots)))
    words = (
        f"{format_value(first.value, 'figure')} with {pluralize(int(first.label), 'text')},"
        f" {format_value(last.value, 'figure')} with {last.label}."
    )
    figure = band_chart(dots, "texts", "value", (TENTATIVE, RELIABLE))
    title = "Agreement as texts are added" + (", with 95% CI" if any(dot.low is not None for dot in dots) else "")
    return [Chart("running", title, figure, words, "running")]
