"""Text by text."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from agreement.asked import asked
from agreement.figures import Chart, Dot, dots, said
from agreement.parameters import Parameters, WrongParameter
from agreement.reports import overall
from agreement.reports.basis import interval_of
from agreement.reports.overview import RELIABLE, TENTATIVE
from agreement.tables import Column, Linked, Table
from agreement.views.page import draws_charts, show
from annotations import actions
from annotations.forms import RoundForm
from annotations.permissions import Right, may, project_for

A_PAGE = 25
SORTS = ("text", "value", "shift", "units")
COLUMNS = [
    Column("text", "Text"),
    Column("round", "Round"),
    Column("value", "Value", "figure"),
    Column("low", "from", "figure"),
    Column("high", "to", "figure"),
    Column("observed", "Observed", "figure"),
    Column("expected", "Expected", "figure"),
    Column("units", "Units", "count"),
    Column("coders", "Coders", "count"),
    Column("shift", "Shift without it", "figure"),
    Column("note", "Left out"),
]


@login_required
@draws_charts
@require_safe
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    """The coefficient in each text, and what becomes of that of all texts without it."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET, ["sort"])

    def computed(parameters: Parameters, own: dict[str, str]) -> tuple[overall.Report, list[overall.TextReport]]:
        report = overall.report(page.extract, parameters)
        return report, _sorted(report.texts, own.get("sort", "text"))

    report, ordered = page.compute(computed)
    taken = "as" in request.GET  # a table taken along has all texts, one on a page those of the page
    shown = Paginator(ordered, A_PAGE).get_page(request.GET.get("page"))
    here = ordered if taken else list(shown)
    rows, points = [], []
    for text in here:
        interval = interval_of(page.extract, page.parameters, [page.extract.place(text.slug)])  # type: ignore[list-item]
        result = text.result
        note = "; ".join([*(f"{count} {why}" for why, count in result.left_out.items()), *filter(None, [result.note])])
        address = reverse("items", args=[slug]) + f"?{urlencode(page.parameters.query() | {'texts': text.slug})}"
        figures = (result.value, interval.low, interval.high, result.observed, result.expected)
        rows.append(
            (Linked(text.title, address), text.round, *figures, result.n_units, result.n_coders, text.shift, note)
        )
        points.append(Dot(text.title, result.value, interval.low, interval.high))
    note = "Intervals are over the markables of the text; the shift is how far all texts together move without it."
    table = Table("texts", "Text by text", COLUMNS, rows, note)
    chart = Chart(
        "texts",
        "Agreement by text, with 95% intervals",
        dots(points, "value", (TENTATIVE, RELIABLE)),
        said(points),
        "texts",
    )
    sorts = [(name, page.with_own(sort=name), name == (page.own.get("sort") or "text")) for name in SORTS]
    return show(
        request,
        "agreement/texts.html",
        page,
        [table],
        [chart] if rows else [],
        shown=shown,
        sorts=sorts,
        report=report,
        manages=may(project, Right.MANAGE),
    )


def _sorted(texts: tuple[overall.TextReport, ...], sort: str) -> list[overall.TextReport]:
    if sort not in SORTS:
        raise WrongParameter("sort", f"{sort!r} is not one of {', '.join(SORTS)}.")
    if sort == "text":
        return list(texts)
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return sorted(texts, key=keys[sort])


@login_required
@require_http_methods(["GET", "POST"])
def set_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Put texts into a round of annotation."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = RoundForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        n = actions.set_round(project, form.cleaned_data["texts"], form.cleaned_data["round"])
        name = form.cleaned_data["round"]
        where = f"in round {name}" if name else "in no round"
        messages.success(request, f"{n} text{'' if n == 1 else 's'} {where} now.")
        return redirect("texts", project.slug)
    return render(request, "agreement/round.html", {"project": project, "form": form})
