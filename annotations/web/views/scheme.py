"""The page of the scheme and the guidelines of a project."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.models import Project
from annotations.models.project import may
from annotations.models.rights import Right
from annotations.projects.permissions import project_for
from annotations.schemes.ready_made import SCHEMES
from annotations.web import markdown
from annotations.web.forms.projects import (
    AboutForm,
    CoderMarkedLevelsForm,
    ExchangeSchemeForm,
    PyramidOptionsForm,
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def exchange(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a project without texts another ready-made scheme."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = ExchangeSchemeForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"The scheme is {SCHEMES[form.cleaned_data['scheme']].label} now.")
            return redirect("scheme", project.slug)
    context = {
        "project": project,
        "form": form,
        "schemes": SCHEMES.values(),
        "has_texts": project.texts.exists() or project.docsets.exists(),
    }
    return render(request, "annotations/projects/exchange_scheme.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scheme(request: HttpRequest, slug: str) -> HttpResponse:
    """Show scheme and guidelines. Managers can change what coders mark, and open the results."""
    project = project_for(request.user, slug, Right.MANAGE if request.method == "POST" else Right.VIEW_PROJECT)
    form_class = PyramidOptionsForm if project.answers == Project.Answers.SCUS else CoderMarkedLevelsForm
    is_about = "about" in request.POST
    form = form_class(project, request.POST if request.method == "POST" and not is_about else None)
    about_form = AboutForm(project, request.POST if is_about else None)
    sent_form = about_form if is_about else form
    if request.method == "POST" and sent_form.is_valid():
        sent_form.save()
        messages.success(request, "Saved. Coders see the change when they open a text.")
        return redirect("scheme", project.slug)
    if sent_form.errors:
        project.refresh_from_db()  # the page shows the stored values, the form the invalid ones
    context = {
        "project": project,
        "form": form,
        "about_form": about_form,
        "manages": may(project, Right.MANAGE),
        "sees_results": may(project, Right.SEE_RESULTS),
        "levels": project.levels.all(),
        "may_exchange": may(project, Right.MANAGE) and not (project.texts.exists() or project.docsets.exists()),
        "categories": project.categories.select_related("points_to"),
        "guidelines_html": markdown.render(project.guidelines),
    }
    return render(request, "annotations/projects/scheme.html", context)
