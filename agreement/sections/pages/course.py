"""How agreement and work went over time."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.reports.basis import cached
from agreement.reports.course import Stage, compute_stages
from agreement.reports.overview import RELIABLE, TENTATIVE
from agreement.reports.request import AnalysisRequest
from agreement.sections.charts import Chart, Dot, describe_dots, dot_plot, line_chart
from agreement.sections.content import PageSections
from agreement.sections.tables import Column, Table
from annotations.coding.active_time import activity_by_text_and_coder

GROUPING_LABELS = {"round": "round", "week": "week", "operations": "number of operations"}


def build(request: AnalysisRequest) -> PageSections:
    """Return agreement, each coder's and all, and the time a judgement takes, stage by stage."""
    work = cached(request.extract, ("work",), lambda: activity_by_text_and_coder(request.project))
    default = "week" if work else "round"  # where all was imported there are no weeks
    stages = request.compute(
        lambda parameters, options: compute_stages(request.extract, parameters, options.get("by") or default, work)
    )
    coders = request.extract.coders
    current = request.options.get("by") or default
    return PageSections(
        tables=_tables(stages, coders),
        charts=_charts(stages, coders) if stages else [],
        context={
            "stages": stages,
            "choices": [
                (label, request.address_with(by=name), name == current) for name, label in GROUPING_LABELS.items()
            ],
        },
    )


def _tables(stages: Sequence[Stage], coders: Sequence[str]) -> list[Table]:
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
        ),
        Table(
            "coders",
            "Each coder and the others",
            [Column("stage", "Period"), *(Column(name, name, "figure") for name in coders)],
            [(one.label, *(one.against_rest[name] for name in coders)) for one in stages],
            "Rising lines suggest training effects, falling lines drift.",
        ),
        Table(
            "seconds",
            "Time per judgement",
            [Column("stage", "Period"), *(Column(name, name, "seconds") for name in coders)],
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
