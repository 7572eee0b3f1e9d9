"""What managers change on pages of results: mappings of categories, and rounds of texts."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from agreement import discussion
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import TABLE_PAGE, AnalysisRequest
from agreement.results.categories import format_mapping, parse_mapping
from agreement.results.content import PageSections
from agreement.web.forms import MappingForm
from annotations.core.text import pluralize
from annotations.models import User
from annotations.models.people.rights import Right
from annotations.models.round import MAIN
from annotations.planning.rounds import move_to_round
from annotations.projects.permissions import project_for
from annotations.web.forms.assignments import RoundForm
from annotations.web.paging import page_of


def page_mappings(request: HttpRequest, analysis: AnalysisRequest, sections: PageSections) -> dict[str, Any]:  # noqa: ARG001
    """Return a page of the mappings that were saved."""
    return {"mappings": page_of(request, sections.context["mappings"], name=f"{TABLE_PAGE}mappings")}


@login_required
@require_POST
def save_mapping(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a mapping under a name."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = MappingForm(request.POST)
    names = list(project.categories.values_list("key", flat=True))
    try:
        classes = parse_mapping(request.POST.get("merge", ""), names)
    except InvalidParameter as error:
        messages.error(request, f"Mapping not saved. {error}")
        return redirect("categories", project.slug)
    if not form.is_valid() or not classes:
        messages.error(request, "Mapping not saved: it needs a name and at least one merged category.")
        return redirect("categories", project.slug)
    mapping = discussion.save_mapping(project, form.cleaned_data["name"], classes, cast(User, request.user))
    messages.success(request, f"Mapping saved as {mapping}.")
    query = urlencode(request.GET.dict() | {"merge": format_mapping(mapping.classes)})
    return redirect(reverse("categories", args=[project.slug]) + f"?{query}")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def set_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Assign texts to a round."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    form = RoundForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["round"] or MAIN
        try:
            n = move_to_round(project, form.cleaned_data["texts"], name)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{pluralize(n, 'text')} in round {name} now.")
            return redirect("texts", project.slug)
    return render(request, "agreement/round.html", {"project": project, "form": form})
