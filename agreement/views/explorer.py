"""One number, all the choices behind it, and what each of them does to it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from agreement.activity import activity, progress
from agreement.asked import Asked, asked
from agreement.extract import extract
from agreement.figures import Chart, Dot, dots, said
from agreement.measures import SET_DISTANCES
from agreement.parameters import WrongParameter, presets_for
from agreement.reports import items as of_items
from agreement.reports import lint as linted
from agreement.reports import methods as worded
from agreement.reports import overall
from agreement.reports import units as of_units
from agreement.reports.overview import CAUTION, RELIABLE, TENTATIVE, overview, verdict
from agreement.tables import Column, Linked, Table
from agreement.views.page import draws_charts, show, show_parts
from agreement.wording import nouns_of
from agreement.words import words_of_units
from annotations.models import Project
from annotations.permissions import Right, may, project_for

ATTENTION = 5
DAYS = 28


@login_required
@draws_charts
@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """The coefficient asked for, with its interval, and beside it alpha with every distance."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    report = page.compute(lambda parameters, _: overall.report(page.extract, parameters))
    distances = page.compute(lambda parameters, _: overall.distances(page.extract, parameters))
    rows = [Dot(asked_for.distance, one.value, one.low, one.high) for asked_for, one in distances]
    table = Table(
        "distances",
        "Alpha by distance",
        [
            Column("distance", "Distance"),
            Column("value", "Alpha", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
        ],
        [
            (
                Linked(asked_for.distance, f"?{urlencode(asked_for.query())}", asked_for == page.parameters),
                *(one.value, one.low, one.high, one.result.observed, one.result.expected),
            )
            for asked_for, one in distances
        ],
    )
    title = "Alpha by distance, with 95% intervals"
    chart = Chart("distances", title, dots(rows, "alpha", (TENTATIVE, RELIABLE)), said(rows), "distances")
    presets = [
        (preset, urlencode(preset.parameters.query()), preset.parameters == replace(page.parameters, unmarked=""))
        for preset in presets_for(project.answers)
    ]
    return show(
        request,
        "agreement/agreement.html",
        page,
        [table, *_both_units(page)],
        [chart] if len(rows) > 1 else [],
        report=report,
        presets=presets,
        verdict=verdict(report.interval),
        caution=CAUTION,
        meaning=overall.meaning(
            {asked_for.distance: one.value for asked_for, one in distances}, nouns_of(page.extract.units).chains
        ),
    )


def _both_units(page: Asked) -> list[Table]:
    """Words and spans with every distance, where there are pyramids (Passonneau 2006, Tables 1 and 2)."""
    if not page.extract.units:
        return []
    try:
        rows = of_units.both(lambda units: extract(page.project, units), page.parameters)
    except WrongParameter:  # somebody who is chosen has no words, or no spans
        return []
    address = reverse("agreement", args=[page.project.slug])
    return [
        Table(
            "units",
            "Alpha by what is counted and by distance (Passonneau 2006, Tables 1 and 2)",
            [
                Column("units", "Counted"),
                Column("docset", "Docset"),
                *(Column(name, overall.DISTANCE_NAMES[name], "figure") for name in SET_DISTANCES),
            ],
            [
                [
                    row.units,
                    row.title,
                    *(
                        Linked(found.value, f"{address}?{urlencode(cell.query())}", cell == page.parameters)
                        for cell, found in row.cells
                    ),
                ]
                for row in rows
            ],
            of_units.PUBLISHED,
        )
    ]


@login_required
@require_safe
def headline(request: HttpRequest, slug: str) -> HttpResponse:
    """With what the project's overview opens: the figure, what to look at, what happened. A part of that page."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, QueryDict())
    found = overview(page.extract, page.parameters, progress(project))
    items = of_items.items(page.extract, page.parameters)
    rows = items.chosen(of_items.Filters())[:ATTENTION]
    rows = rows[items.share[rows] > 0]
    words = words_of_units(items.unit[rows].tolist())
    since = timezone.localdate() - timedelta(days=DAYS - 1)
    context = {
        "project": project,
        "overview": found,
        "report": found.report,
        "caution": CAUTION,
        "scale": _scale(found.report.interval.low, found.report.interval.value, found.report.interval.high),
        "attention": [
            (
                words[int(items.unit[row])],
                items.texts[items.text[row]],
                float(items.share[row]),
                of_items.counted(items.relations[row].tolist()),
            )
            for row in rows.tolist()
        ],
        "activity": activity(project, since, DAYS),
    }
    return render(request, "agreement/headline.html", context)


def _scale(low: float | None, value: float | None, high: float | None) -> dict[str, Any] | None:
    """Where the interval and the marks lie on a line from 0 to 100, which stands for 0 to 1."""
    if value is None:
        return None

    def at(number: float) -> float:
        return round(100 * min(max(number, 0.0), 1.0), 2)

    left, right = at(value if low is None else low), at(value if high is None else high)
    return {
        "low": left,
        "width": max(right - left, 0.5),
        "value": at(value),
        "marks": [(at(TENTATIVE), ".667"), (at(RELIABLE), ".8")],
    }


@login_required
@draws_charts
@require_safe
def grid(request: HttpRequest, slug: str) -> HttpResponse:
    """Every chain construction by every distance, with all markables and without those of a category."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    chosen = page.parameters.selected("without")
    halves = [
        (name, f"?{urlencode(replace(page.parameters, without=','.join(chosen ^ {name})).query())}", name in chosen)
        for name in page.extract.categories
    ]
    offered = len(halves) > 1 and not page.extract.units
    return show_parts(request, "agreement/grid.html", page, "grid", halves=halves if offered else [])


@login_required
@draws_charts
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """What each single choice does to the number, and what the conventions of the papers make of it."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    return show_parts(request, "agreement/compare.html", page, "compare")


@login_required
@require_safe
def methods(request: HttpRequest, slug: str) -> HttpResponse:
    """A paragraph for a paper: every convention, every figure, version and fingerprint."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    report = page.compute(lambda parameters, _: overall.report(page.extract, parameters))
    tables, said = _both_units(page), worded.methods(page.extract, report)
    return show(request, "agreement/methods.html", page, tables, report=report, methods=said)


@login_required
@require_safe
def allows(request: HttpRequest, slug: str) -> HttpResponse:
    """Which measures, views and exports the project's scheme allows, and which not."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    scheme = scheme_of(project)
    found = linted.lint(scheme)
    columns = [Column("what", "What"), Column("allowed", "Here"), Column("why", "Why, or what to mind")]
    tables = [
        Table(
            f"{kind}s",
            f"{kind.title()}s",
            columns,
            [(one.name, "yes" if one.allowed else "no", one.why) for one in found if one.kind == kind],
        )
        for kind in ("measure", "view", "export")
    ]
    return show(
        request,
        "agreement/allows.html",
        page,
        tables,
        problems=linted.problems(scheme),
        manages=may(project, Right.MANAGE),
    )


def scheme_of(project: Project) -> linted.Scheme:
    """What the lint looks at."""
    levels = list(project.levels.all())
    categories = list(project.categories.all())
    pointing = [one for one in categories if one.points_to_id]
    return linted.Scheme(
        answers=project.answers,
        coded_levels=sum(level.coded for level in levels),
        target_levels=sum(not level.coded for level in levels),
        categories=[one.key for one in categories],
        pointing=[one.key for one in pointing],
        indexing=[one.key for one in categories if one.takes_index],
        several_pointers=any(one.max_pointers != 1 for one in pointing),
        later_targets=any(one.allow_later for one in pointing),
    )
