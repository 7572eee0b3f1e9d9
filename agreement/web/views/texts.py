"""Text by text, and the rounds that texts are put into."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agreement.sections.pages import registry
from agreement.web.views.page import draws_charts, show_page
from annotations.core.text import pluralize
from annotations.models.people.rights import Right
from annotations.models.round import MAIN
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
        name = form.cleaned_data["round"] or MAIN
        try:
            n = move_to_round(project, form.cleaned_data["texts"], name)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{pluralize(n, 'text')} in round {name} now.")
            return redirect("texts", project.slug)
    return render(request, "agreement/round.html", {"project": project, "form": form})
