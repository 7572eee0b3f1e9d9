"""Text by text."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agreement.asked import asked
from agreement.computations import Found, parts_of
from agreement.parts.texts import SORTS, in_order, some_texts
from agreement.reports import overall
from agreement.views.page import draws_charts, show
from annotations import actions
from annotations.forms import RoundForm
from annotations.permissions import Right, may, project_for

A_PAGE = 25


@login_required
@draws_charts
@require_safe
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    """The coefficient in each text, and what becomes of that of all texts without it."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET, ["sort"])
    ordered = page.compute(lambda _, own: in_order(page, own.get("sort") or "text"))
    shown = Paginator(ordered, A_PAGE).get_page(request.GET.get("page"))
    # a table that is taken along has all texts, one on a page those of the page
    found = parts_of(page, "texts") if "as" in request.GET else Found(some_texts(page, list(shown)))
    return show(
        request,
        "agreement/texts.html",
        page,
        found=found,
        shown=shown,
        sorts=[(name, page.with_own(sort=name), name == (page.own.get("sort") or "text")) for name in SORTS],
        report=overall.report(page.extract, page.parameters),
        manages=may(project, Right.MANAGE),
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
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
