"""The pages of projects: whose texts they are, who is in them, what is asked."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotations import actions, markdown
from annotations.assignment import next_to_code
from annotations.forms import AssignForm, MarkingForm, MemberForm, ProjectForm
from annotations.models import Coding, Membership, Project, Text
from annotations.permissions import Right, may, project_for
from annotations.schemes import SCHEMES
from annotations.views import person


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The projects of the person who is signed in."""
    projects = Project.objects.visible_to(person(request)).with_sizes()
    return render(request, "annotations/home.html", {"projects": projects})


@login_required
@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Start a project from a ready-made scheme; who starts it manages it."""
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        scheme = SCHEMES[fields["scheme"]]
        project = actions.create_project(
            fields["slug"],
            fields["title"],
            scheme,
            guidelines=fields["guidelines"],
            manager=person(request),
            coders_mark=fields["coders_mark"],
        )
        messages.success(request, f"{project} is there. This is what its scheme allows; bring your texts next.")
        return redirect("allows", project.slug)
    return render(request, "annotations/new_project.html", {"form": form, "schemes": SCHEMES.values()})


@login_required
@require_safe
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """For a coder their texts; for those who see all work the progress of everybody."""
    project = project_for(request.user, slug)
    if may(project, Right.SEE_RESULTS):
        return _progress(request, project)
    return _own_texts(request, project)


def _own_texts(request: HttpRequest, project: Project) -> HttpResponse:
    codings = list(
        Coding.objects.visible_to(person(request))
        .filter(text__project=project, coder=person(request))
        .with_progress()
        .select_related("text")
        .defer("text__content")
    )
    context = {"project": project, "codings": codings, "next": next_to_code(cast(list[Any], codings))}
    return render(request, "annotations/own_texts.html", context)


def _progress(request: HttpRequest, project: Project) -> HttpResponse:
    codings = (
        Coding.objects.visible_to(person(request))
        .filter(text__project=project)
        .with_progress()
        .select_related("coder", "text")
        .defer("text__content")
    )
    cells = {(coding.text_id, coding.coder_id): coding for coding in codings}
    coders = sorted({coding.coder for coding in cells.values()}, key=lambda coder: coder.get_username())
    texts = list(Text.objects.visible_to(person(request)).filter(project=project).defer("content"))
    context: dict[str, Any] = {
        "project": project,
        "coders": coders,
        "rows": [(text, [cells.get((text.pk, coder.pk)) for coder in coders]) for text in texts],
        "own": [coding for coding in cells.values() if coding.coder_id == request.user.pk],
        "manages": may(project, Right.MANAGE),
    }
    return render(request, "annotations/progress.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Give coders texts to code."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = AssignForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        new = actions.assign(project, form.cleaned_data["texts"], form.cleaned_data["coders"])
        messages.success(request, f"{new} new coding{'' if new == 1 else 's'} to do.")
        return redirect("project", project.slug)
    return render(request, "annotations/assign.html", {"project": project, "form": form})


@login_required
@require_http_methods(["GET", "POST"])
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is in the project, in which role."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            membership = actions.add_member(project, form.cleaned_data["username"], form.cleaned_data["role"])
        except ValidationError as error:
            form.add_error("role", error)
        else:
            messages.success(request, f"{membership.user} is {membership.get_role_display()} now.")
            return redirect("members", project.slug)
    memberships = Membership.objects.filter(project=project).select_related("user")
    return render(request, "annotations/members.html", {"project": project, "form": form, "memberships": memberships})


@login_required
@require_http_methods(["GET", "POST"])
def scheme(request: HttpRequest, slug: str) -> HttpResponse:
    """What coders are asked, and the guidelines. A manager says here what coders mark themselves."""
    project = project_for(request.user, slug, Right.BE_HERE if request.method == "GET" else Right.MANAGE)
    form = MarkingForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        actions.let_coders_mark(project, form.cleaned_data["levels"])
        messages.success(request, "Saved. Coders see it when they open a text.")
        return redirect("scheme", project.slug)
    context = {
        "project": project,
        "form": form,
        "manages": may(project, Right.MANAGE),
        "sees_results": may(project, Right.SEE_RESULTS),
        "levels": project.levels.all(),
        "categories": project.categories.select_related("points_to"),
        "guidelines_html": markdown.render(project.guidelines),
    }
    return render(request, "annotations/scheme.html", context)
