"""How far something is that takes long."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agreement.models import Computation
from agreement.sections.computations import is_lost
from annotations.projects.viewing import results_for

PATIENCE = timedelta(seconds=10)


@login_required
@require_safe
def computation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show how far a computation is, on the page that waits for it.

    That page is loaded again when the computation is done, or when its worker has died: then the page orders it again.
    """
    project = results_for(request.user, slug)
    current = Computation.objects.filter(project=project, pk=pk).defer("result").first()
    if current is None:
        raise Http404("Computation not found.")
    alone = not current.total and timezone.now() - current.created_at > PATIENCE
    answer = render(request, "agreement/parts/waiting.html", {"project": project, "waiting": current, "alone": alone})
    if current.finished_at or is_lost(current):
        answer["HX-Refresh"] = "true"
    return answer
