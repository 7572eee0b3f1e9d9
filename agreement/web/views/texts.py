"""Text by text, and the rounds that texts are put into."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agreement.sections.pages import registry
from agreement.web.views.page import draws_charts, show_page
from annotations.models.rights import Right
from annotations.planning.rounds import move_to_round
from annotations.projects.permissions import project_for
from annotations.web.forms.assignments import RoundForm


@login_required
@draws_charts
@require_safe
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the coefficient in each text, and what becomes of that of all texts without it."""
    return show_page(request, slug, registry.TEXTS)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def set_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Assign texts to a round."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    form = RoundForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        n = move_to_round(project, form.cleaned_data["texts"], form.cleaned_data["round"])
        name = form.cleaned_data["round"]
        where = f"in round {name}" if name else "in no round"
        messages.success(request, f"{n} text{'' if n == 1 else 's'} {where} now.")
        return redirect("texts", project.slug)
    return render(request, "agreement/round.html", {"project": project, "form": form})
