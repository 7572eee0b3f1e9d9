"""The page for assigning texts."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.models import Project
from annotations.models.rights import Right
from annotations.planning.assignments import assign_texts
from annotations.projects.permissions import project_for
from annotations.web.forms.assignments import AssignForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Assign texts to coders."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    if project.answers == Project.Answers.SCUS:
        return redirect("docsets", project.slug)
    form = AssignForm(project, request.POST or None, initial={"round": request.GET.get("round", "")})
    if request.method == "POST" and form.is_valid():
        try:
            texts, coders = form.cleaned_data["texts"], form.cleaned_data["coders"]
            n_new = assign_texts(project, texts, coders, form.chosen_round)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{n_new} assignment{'' if n_new == 1 else 's'} created.")
            return redirect("project", project.slug)
    return render(request, "annotations/projects/assign.html", {"project": project, "form": form})
