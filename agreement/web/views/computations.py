"""How far something is that takes long."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agreement.models import Computation
from annotations.permissions import Right, project_for

PATIENCE = timedelta(seconds=10)


@login_required
@require_safe
def computation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How far it is; when it is done the page that waits for it is loaded again. A part of that page."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    found = Computation.objects.filter(project=project, pk=pk).defer("result").first()
    if found is None:
        raise Http404("There is no such computation.")
    alone = not found.total and timezone.now() - found.created_at > PATIENCE
    answer = render(request, "agreement/waiting.html", {"project": project, "waiting": found, "alone": alone})
    if found.finished_at:
        answer["HX-Refresh"] = "true"
    return answer
