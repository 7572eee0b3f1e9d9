"""What the pages share: what the address asks for, and how a page or one of its tables is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.csp import csp_override

from agreement.asked import Asked
from agreement.computations import Found, parts_of
from agreement.figures import Chart
from agreement.forms import ParametersForm
from agreement.tables import FORMS, Table, listed
from agreement.wording import nouns_of

# In the place of a form: which tables there are.
LIST = "list"
# Plotly writes styles into the page.
draws_charts = csp_override(cast(Any, settings.CHARTS_CSP))


def show(
    request: HttpRequest,
    template: str,
    page: Asked,
    tables: Sequence[Table] = (),
    charts: Sequence[Chart] = (),
    found: Found | None = None,
    **context: Any,
) -> HttpResponse:
    """The page, or the one of its tables that the address asks to take along.

    `found` has further tables and charts, or how far they are.
    """
    found = found or Found(None)
    if found.parts:
        tables, charts = [*found.parts.tables, *tables], [*found.parts.charts, *charts]
    if "as" in request.GET:
        if found.waiting and request.GET.get("table") not in {table.key for table in tables}:
            again = {"Retry-After": "5"}
            return HttpResponse("This is still being computed; ask again soon.", status=503, headers=again)
        return _taken(request, page, tables)
    here = page.parameters.query() | {name: value for name, value in page.own.items() if value}
    everything = {
        "project": page.project,
        "form": ParametersForm(page.extract, page.parameters),
        "wrong": page.wrong,
        "parameters": page.parameters,
        "nouns": nouns_of(page.extract.units),
        "query": page.query,
        "here": urlencode(here),
        "own": {name: value for name, value in page.own.items() if value},
        "waiting": found.waiting,
        "as_of": found.as_of,
        "tables": {table.key: table for table in tables},
        "charts": {chart.key: chart for chart in charts},
        **context,
    }
    return render(request, template, everything, status=400 if page.wrong else 200)


def show_parts(request: HttpRequest, template: str, page: Asked, kind: str, **context: Any) -> HttpResponse:
    """A page of nothing but parts that may take long."""
    return show(request, template, page, found=parts_of(page, kind), **context)


def _taken(request: HttpRequest, page: Asked, tables: Sequence[Table]) -> HttpResponse:
    if request.GET["as"] == LIST and not page.wrong:
        return JsonResponse(listed(tables), safe=False)
    form = FORMS.get(request.GET["as"])
    table = next((one for one in tables if one.key == request.GET.get("table", "")), None)
    there = ", ".join(one.key for one in tables) or "none on this page"
    if page.wrong or form is None or table is None:
        what = page.wrong or (
            f"as: {request.GET['as']!r} is not one of {', '.join(FORMS)}."
            if form is None
            else f"table: there is no such table; there are {there}."
        )
        return HttpResponseBadRequest(str(what), content_type="text/plain; charset=utf-8")
    answer = HttpResponse(form.write(table), content_type=form.content_type)
    if form.suffix in ("csv", "json"):
        answer["Content-Disposition"] = f'attachment; filename="{page.project.slug}-{table.key}.{form.suffix}"'
    return answer
