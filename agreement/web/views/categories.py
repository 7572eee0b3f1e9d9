"""What coders tell apart, and what merging categories would do."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from agreement import discussion
from agreement.reports.items.categories import format_mapping, parse_mapping
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import TABLE_PAGE, parse_query
from agreement.sections.pages import registry
from agreement.sections.pages.categories import MERGE_PREFIX, read_merge_fields
from agreement.web.forms import MappingForm
from agreement.web.views.page import draws_charts, show_page
from annotations.models import User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.projects.viewing import results_for
from annotations.web.paging import page_of


@login_required
@draws_charts
@require_safe
def categories(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the agreement table, each category against all others, and K with categories merged."""
    if any(name.startswith(MERGE_PREFIX) for name in request.GET):
        project = results_for(request.user, slug)
        values = parse_query(read_merge_fields(project, request.GET))
        return redirect(f"{request.path}?{urlencode({name: value for name, value in values.items() if value})}")
    return show_page(
        request,
        slug,
        registry.CATEGORIES,
        lambda _, sections: {"mappings": page_of(request, sections.context["mappings"], name=f"{TABLE_PAGE}mappings")},
    )


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
