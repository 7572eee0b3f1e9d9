"""How agreement and work went over time."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agreement.asked import asked
from agreement.figures import Chart, Dot, dots, lines, said
from agreement.reports import course as reports
from agreement.reports.basis import coders_of, kept
from agreement.reports.overview import RELIABLE, TENTATIVE
from agreement.tables import Column, Table
from agreement.views.page import draws_charts, show
from annotations.permissions import Right, project_for
from annotations.timing import work_of

BY = {"round": "round", "week": "week", "operations": "number of operations"}


@login_required
@draws_charts
@require_safe
def course(request: HttpRequest, slug: str) -> HttpResponse:
    """Agreement, each coder's and all, and the time a judgement takes, stage by stage."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET, ["by"])
    work = kept(page.extract, ("work",), lambda: work_of(project))
    usual = "week" if work else "round"  # where all was imported there are no weeks
    stages = page.compute(
        lambda parameters, own: reports.stages(page.extract, parameters, own.get("by") or usual, work)
    )
    coders = coders_of(page.extract, page.parameters)
    labels = [stage.label for stage in stages]
    rows = [Dot(one.label, one.interval.value, one.interval.low, one.interval.high) for one in stages]
    tables = [
        Table(
            "stages",
            "Stage by stage",
            [
                Column("stage", "Stage"),
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
            "Each coder with the others",
            [Column("stage", "Stage"), *(Column(name, name, "figure") for name in coders)],
            [(one.label, *(one.against_rest[name] for name in coders)) for one in stages],
            "A line that rises is learning; one that falls away from the others is drift.",
        ),
        Table(
            "seconds",
            "Time a judgement",
            [Column("stage", "Stage"), *(Column(name, name, "seconds") for name in coders)],
            [(one.label, *(one.seconds[name] for name in coders)) for one in stages],
            "Time at work, without pauses of more than five minutes, over the judgements in the texts of the stage.",
        ),
    ]
    charts = [
        Chart(
            "stages",
            "Agreement stage by stage, with 95% intervals",
            dots(rows, "value", (TENTATIVE, RELIABLE)),
            said(rows),
            "stages",
        ),
        Chart(
            "coders",
            "Each coder with the others, stage by stage",
            lines(labels, {name: [one.against_rest[name] for one in stages] for name in coders}, "value"),
            "Each coder with the others, by stage; the table has every value.",
            "coders",
        ),
        Chart(
            "seconds",
            "Seconds a judgement takes, stage by stage",
            lines(labels, {name: [one.seconds[name] for one in stages] for name in coders}, "seconds"),
            "The time a judgement takes each coder, by stage; the table has every value.",
            "seconds",
        ),
    ]
    choices = [(label, page.with_own(by=name), name == (page.own.get("by") or usual)) for name, label in BY.items()]
    return show(
        request, "agreement/course.html", page, tables, charts if stages else [], stages=stages, choices=choices
    )
