"""The card of agreement on a project's overview."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agreement.sections.headline import build_headline
from annotations.models.rights import Right
from annotations.projects.permissions import project_for


@login_required
@require_safe
def headline(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the figure, what to look at, and what happened: a part of the page that a project opens with."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    return render(request, "agreement/parts/headline.html", {"project": project, **build_headline(project)})
