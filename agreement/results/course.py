"""Agreement and work over time, stage by stage, as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rest_framework.serializers import ChoiceField

from agreement.reports.coders.timing import read_project_work
from agreement.reports.overall.course import (
    GROUPINGS,
    RunningPoint,
    Stage,
    compute_running,
    compute_stages,
)
from agreement.reports.overall.overall import RELIABLE, TENTATIVE
from agreement.reports.request.basis import pick_texts
from agreement.reports.request.parameters import check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import ResultPage, count_judgements, register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot, band_chart, line_chart
from agreement.results.figures.times import build_days
from agreement.results.tables import ENDS, Column, Table, figure_columns, format_value, with_ends
from annotations.coding.active_time import Activity
from annotations.core.text import pluralize

EVERY = "the table has every value."
GROUPING_LABELS = {"round": "round", "week": "week", "operations": "number of operations"}


@register
class Course(ResultPage[PageSections]):
    """Agreement, each coder's and all, and the time a judgement takes, stage by stage; judgements per day."""

    name, title = "course", "Trend"
    template = "agreement/overall/course.html"
    is_kept = True
    position, tab = 130, 150
    takes = {"by": ChoiceField(GROUPINGS, help_text="How texts are grouped.")}

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements the pairs have: each is in as many as there are other coders."""
        return count_judgements(request) * max(len(request.extract.coders) - 1, 1)

    def compute(self, request: AnalysisRequest) -> PageSections:
        work, by = self._read(request)
        stages = compute_stages(request.extract, request.parameters, by, work, request.progress)
        running = _build_running(compute_running(request.extract, request.parameters, work))
        coders = request.extract.coders
        n_left = len(pick_texts(request.extract, request.parameters)) - sum(len(stage.texts) for stage in stages)
        charts = _charts(stages, coders) if stages else []
        return PageSections([*_tables(stages, coders, n_left), *running.tables], [*charts, *running.charts])

    def show(self, request: AnalysisRequest) -> PageSections:
        check_choice("by", request.options.get("by") or "round", GROUPINGS)
        _, by = self._read(request)
        days = build_days(request)
        return self.sections(request).extended(
            tables=days.tables,
            charts=days.charts,
            days=bool(days.tables),
            choices=[(label, request.address_with(by=name), name == by) for name, label in GROUPING_LABELS.items()],
        )

    def _read(self, request: AnalysisRequest) -> tuple[Mapping[tuple[int, str], Activity], str]:
        """Return the work of coders, and how texts are grouped: by week, or by round where all was imported."""
        work = read_project_work(request.project, request.project_answers).activities
        return work, request.options.get("by") or ("week" if work else "round")


def _tables(stages: Sequence[Stage], coders: Sequence[str], n_left: int) -> list[Table]:
    """Return the tables of the periods; `n_left` texts are in none."""
    left = f"Left out: {pluralize(n_left, 'text')} without work in the log, such as imported ones." if n_left else ""
    columns = [
        Column("stage", "Period", cell="label"),
        Column("texts", "Texts", "count", cell=lambda row: len(row.texts)),
        *figure_columns(Column("value", "Value", "figure"), "interval"),
        Column("units", "Units", "count", cell="interval.result.n_units"),
    ]
    period, lines = Column("stage", "Period"), "Rising lines suggest training effects, falling lines drift."
    against = [Column(name, name, "figure", explanation="mean_of_pairs") for name in coders]
    seconds = [Column(name, name, "seconds", explanation="seconds") for name in coders]
    work = "Working time without pauses of over five minutes, divided by the judgements in the texts of the period."
    values = [(one.label, *(one.against_rest[name] for name in coders)) for one in stages]
    times = [(one.label, *(one.seconds[name] for name in coders)) for one in stages]
    return [
        Table.of("stages", "By period", columns, stages, left),
        Table("coders", "Each coder and the others", [period, *against], values, lines),
        Table("seconds", "Time per judgement", [period, *seconds], times, work),
    ]


def _charts(stages: Sequence[Stage], coders: Sequence[str]) -> list[Chart]:
    labels = [stage.label for stage in stages]
    dots = [Dot(one.label, *with_ends(one.interval)) for one in stages]
    against = {name: [one.against_rest[name] for one in stages] for name in coders}
    seconds = {name: [one.seconds[name] for one in stages] for name in coders}
    title, title_of_times = "Each coder and the others, by period", "Seconds per judgement, by period"
    words, words_on_times = f"{title}; {EVERY}", f"Seconds per judgement of each coder, by period; {EVERY}"
    return [
        dots_chart("stages", "Agreement by period, with 95% CI", dots, "value", (TENTATIVE, RELIABLE)),
        Chart("coders", title, line_chart(labels, against, "value"), words, "coders"),
        Chart("seconds", title_of_times, line_chart(labels, seconds, "seconds"), words_on_times, "seconds"),
    ]


def _build_running(points: Sequence[RunningPoint]) -> PageSections:
    """Return the coefficient as texts are added, and of two values or more a chart."""
    columns = [
        Column("texts", "Texts", "count", cell="n_texts"),
        Column("last", "Last text", cell="last.label"),
        Column("value", "Value", "figure", cell="result.value"),
        *ENDS,
        Column("units", "Units", "count", cell="result.n_units"),
    ]
    title = "Agreement as texts are added"
    note = "In order of the last work on each text; imported ones come first. Alpha has a 95% CI from three texts on."
    table = Table.of("running", title, columns, points, note)
    dots = [Dot(str(one.n_texts), one.result.value, one.low, one.high) for one in points]
    defined = [dot for dot in dots if dot.value is not None]
    if len(defined) < 2:
        return PageSections([table], [])
    first, last = defined[0], defined[-1]
    words = (
        f"{format_value(first.value, 'figure')} with {pluralize(int(first.label), 'text')},"
        f" {format_value(last.value, 'figure')} with {last.label}."
    )
    figure = band_chart(dots, "texts", "value", (TENTATIVE, RELIABLE))
    with_ci = ", with 95% CI" if any(dot.low is not None for dot in dots) else ""
    return PageSections([table], [Chart("running", title + with_ci, figure, words, "running")])
