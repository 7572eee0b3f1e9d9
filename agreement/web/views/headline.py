"""The card of agreement on a project's overview."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agreement.sections.headline import build_headline
from annotations.projects.viewing import results_for


@login_required
@require_safe
def headline(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the figure, what to look at, and what happened: a part of the page that a project opens with."""
    project = results_for(request.user, slug)
    return render(request, "agreement/parts/headline.html", {"project": project, **build_headline(project)})
