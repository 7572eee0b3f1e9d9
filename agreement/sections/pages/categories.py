"""What coders tell apart, and what merging categories would do."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from agreement import actions
from agreement.asked import Asked, asked
from agreement.figures import Chart, Dot, dots, said
from agreement.forms import MappingForm
from agreement.models import Mapping
from agreement.parameters import SELECTIONS, WrongParameter
from agreement.reports import categories as reports
from agreement.reports.basis import texts_of
from agreement.tables import Cell, Column, Linked, Table
from agreement.views.page import draws_charts, show
from agreement.words import words_of_units
from annotations.models import User
from annotations.permissions import Right, may, project_for

A_PAGE = 50
MERGED = "merge_"  # the name of a category's field in the form begins so


@login_required
@draws_charts
@require_safe
def categories(request: HttpRequest, slug: str) -> HttpResponse:
    """The agreement table, each category against all others, and K with categories merged."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    if any(name.startswith(MERGED) for name in request.GET):
        return redirect(f"{request.path}?{_as_address(request.GET)}")
    page = asked(project, request.GET, ["merge"])
    collapsed = page.compute(
        lambda parameters, own: reports.collapsed(
            page.extract, parameters, reports.read_mapping(own.get("merge", ""), page.extract.categories)
        )
    )
    found = reports.by_category(page.extract, page.parameters)
    kappa = reports.kappa(page.extract, page.parameters)
    table = reports.table(page.extract, page.parameters)
    shown = Paginator(range(len(table.units)), A_PAGE).get_page(request.GET.get("page"))
    here = range(len(table.units)) if "as" in request.GET else list(shown)
    rows = [Dot(one.name, one.kappa) for one in found]
    charts = [Chart("categories", "K of each category against all others", dots(rows, "K"), said(rows), "categories")]
    return show(
        request,
        "agreement/categories.html",
        page,
        [_by_category(found), _table(page, table, list(here)), _collapsed(collapsed)],
        charts if rows else [],
        kappa=kappa,
        collapsed=collapsed,
        fields=[(name, f"{MERGED}{name}", collapsed.mapping.get(name, name)) for name in page.extract.categories],
        mappings=[
            (one, page.with_own(merge=reports.written_mapping(one.classes)))
            for one in Mapping.objects.filter(project=project)
        ],
        mapping_form=MappingForm(),
        manages=may(project, Right.MANAGE),
        shown=shown,
    )


def _as_address(given: QueryDict) -> str:
    """The fields of the form as one parameter; what was typed decides, the rest of the address stays."""
    merge = {
        name.removeprefix(MERGED): value.strip().replace(",", " ").replace(":", " ")
        for name, value in given.items()
        if name.startswith(MERGED) and isinstance(value, str) and value.strip()
    }
    kept = {
        name: ",".join(given.getlist(name)) if name in SELECTIONS else str(given[name])
        for name in given
        if not name.startswith(MERGED)
    }
    return urlencode(
        {name: value for name, value in (kept | {"merge": reports.written_mapping(merge)}).items() if value}
    )


def _by_category(found: list[reports.OfCategory]) -> Table:
    return Table(
        "categories",
        "Each category",
        [
            Column("category", "Category"),
            Column("judgements", "Judgements", "count"),
            Column("share", "Share", "percent"),
            Column("kappa", "K", "figure"),
            Column("specific", "Specific agreement", "figure"),
        ],
        [(one.name, one.n_judgements, one.share, one.kappa, one.specific) for one in found],
        "K is of the category against all others. Specific agreement: if one coder gives it, how often another does.",
    )


def _table(page: Asked, table: reports.Table, rows: list[int]) -> Table:
    """Items by categories with S, and the marginals below (the slides' agreement table)."""
    words = words_of_units([table.units[row] for row in rows])
    texts = texts_of(page.extract, page.parameters)
    cells: list[list[Cell]] = []
    for row in rows:
        one, slug = words[table.units[row]], texts[table.documents[row]].slug
        address = reverse("item", args=[page.project.slug, slug, one.key]) + f"?{page.query}"
        cells.append([Linked(one.words, address), *table.counts[row].tolist(), float(table.agreement[row])])
    totals = table.counts.sum(axis=0).tolist()
    mean = float(table.agreement.mean()) if len(table.agreement) else None
    cells.append(["all items", *totals, mean])
    return Table(
        "table",
        "How many coders give an item which category, and S",
        [
            Column("item", "Item"),
            *(Column(name, name, "count") for name in table.names),
            Column("s", "S", "figure"),
        ],
        cells,
        "S is the share of the pairs of coders that agree on the item; its mean is the observed agreement.",
    )


def _collapsed(found: reports.Collapsed) -> Table:
    rows = [
        (label, number, one.value, one.low, one.high, one.result.observed, one.result.expected)
        for label, number, one in (
            ("as they are", found.n_before, found.before),
            ("merged", found.n_after, found.after),
        )
    ]
    return Table(
        "collapsed",
        "K with categories as they are and as merged",
        [
            Column("categories", "Categories"),
            Column("n", "In use", "count"),
            Column("kappa", "K", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
        ],
        rows if found.mapping else rows[:1],
    )


@login_required
@require_POST
def save_mapping(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep a mapping under a name."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = MappingForm(request.POST)
    names = list(project.categories.values_list("key", flat=True))
    try:
        classes = reports.read_mapping(request.POST.get("merge", ""), names)
    except WrongParameter as wrong:
        messages.error(request, f"The mapping is not kept. {wrong}")
        return redirect("categories", project.slug)
    if not form.is_valid() or not classes:
        messages.error(request, "The mapping is not kept: it needs a name, and some category that becomes another.")
        return redirect("categories", project.slug)
    kept = actions.save_mapping(project, form.cleaned_data["name"], classes, cast(User, request.user))
    messages.success(request, f"The mapping is kept as {kept}.")
    query = urlencode(request.GET.dict() | {"merge": reports.written_mapping(kept.classes)})
    return redirect(reverse("categories", args=[project.slug]) + f"?{query}")
