"""On which items coders disagree, and what people say of one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agreement import discussion
from agreement.data.codings.documents import row_key
from agreement.models import Flag, Remark
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.pages import registry
from agreement.web.forms import FlagForm, RemarkForm
from agreement.web.views.page import draws_charts, show_page
from annotations.models import User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.permissions import project_for
from annotations.web import markdown


@login_required
@draws_charts
@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the units by their share of the observed disagreement, filtered by how coders differ."""
    return show_page(request, slug, registry.ITEMS)


@login_required
@draws_charts
@require_safe
def item(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Show one unit: every coder's chain in the text, their sets and relations, and the discussion of it."""
    return show_page(request, slug, registry.ITEM, _discussion, text=text, key=key)


def _discussion(analysis: AnalysisRequest, sections: PageSections) -> dict[str, Any]:
    if not may(analysis.project, Right.DISCUSS):
        return {"discusses": False}
    unit = row_key(sections.context["item"].unit)
    return {
        "discusses": True,
        "remarks": with_html(Remark.objects.filter(markable=unit).select_related("author")),
        "flag": Flag.objects.filter(markable=unit).select_related("author", "resolved_by").first(),
        "flag_form": FlagForm(),
        "remark_form": RemarkForm(),
    }


def with_html(remarks: Iterable[Remark]) -> list[Remark]:
    """Return the remarks, each with its Markdown rendered as `html`."""
    remarks = list(remarks)
    for one in remarks:
        one.html = markdown.render(one.body)  # type: ignore[attr-defined]
    return remarks


@login_required
@require_POST
def remark(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Say something of an item."""
    project = project_for(request.user, slug, Right.DISCUSS)
    markable = discussion.get_item(project, text, key)
    form = RemarkForm(request.POST)
    if form.is_valid():
        discussion.add_remark(markable, cast(User, request.user), form.cleaned_data["body"])
    else:
        messages.error(request, f"Comment not saved: {form.errors['body'].as_text()}")
    return back_to_item(request, slug, text, key)


@login_required
@require_POST
def withdraw(request: HttpRequest, slug: str, text: str, key: str, pk: int) -> HttpResponse:
    """Take one's own remark away."""
    project = project_for(request.user, slug, Right.DISCUSS)
    remark = Remark.objects.filter(
        pk=pk, markable=discussion.get_item(project, text, key), author=cast(User, request.user)
    ).first()
    if remark is None:
        raise Http404("Comment not found.")
    discussion.withdraw_remark(remark, cast(User, request.user))
    return back_to_item(request, slug, text, key)


@login_required
@require_POST
def flag(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Flag an item for the guidelines, or Remove flag."""
    project = project_for(request.user, slug, Right.DISCUSS)
    markable = discussion.get_item(project, text, key)
    form = FlagForm(request.POST)
    on = request.POST.get("on") == "1"
    if form.is_valid():
        discussion.set_flag(markable, cast(User, request.user), on, form.cleaned_data["reason"])
    else:
        messages.error(request, f"Flag not saved: {form.errors['reason'].as_text()}")
    return back_to_item(request, slug, text, key)


def back_to_item(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Redirect to the item with the same parameters and options."""
    query = request.GET.urlencode()
    return redirect(reverse("item", args=[slug, text, key]) + (f"?{query}" if query else "") + "#discussion")
