"""The pages of projects: whose texts they are, who is in them, what is asked."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import actions, invitations, markdown
from annotations.assignment import next_to_code
from annotations.forms import (
    AboutForm,
    AssignForm,
    InvitationForm,
    MarkingForm,
    MemberForm,
    ProjectForm,
    PyramidOptionsForm,
)
from annotations.models import Coding, Invitation, Membership, Project, Text
from annotations.permissions import Right, may, project_for
from annotations.schemes import SCHEMES
from annotations.views import docsets, person


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The projects of the person who is signed in."""
    projects = Project.objects.visible_to(person(request)).with_sizes()
    return render(request, "annotations/home.html", {"projects": projects})


@login_required
@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Start a project from a ready-made scheme; who starts it manages it."""
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        scheme = SCHEMES[fields["scheme"]]
        try:
            project = actions.create_project(
                fields["slug"],
                fields["title"],
                scheme,
                guidelines=fields["guidelines"],
                manager=person(request),
                coders_mark=fields["coders_mark"],
            )
        except ValidationError as error:
            form.add_error(None, error.messages)
            return render(request, "annotations/new_project.html", {"form": form})
        if project.answers == Project.Answers.SCUS:
            messages.success(request, f"{project} is there. Bring the summaries of a docset next.")
            return redirect("docsets", project.slug)
        messages.success(request, f"{project} is there. This is what its scheme allows; bring your texts next.")
        return redirect("allows", project.slug)
    return render(request, "annotations/new_project.html", {"form": form, "schemes": SCHEMES.values()})


@login_required
@require_safe
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """For a coder their texts; for those who see all work the progress of everybody."""
    project = project_for(request.user, slug)
    if project.answers == Project.Answers.SCUS:
        return docsets.home(request, project)
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
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Give coders texts to code."""
    project = project_for(request.user, slug, Right.MANAGE)
    if project.answers == Project.Answers.SCUS:
        return redirect("docsets", project.slug)
    form = AssignForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            new = actions.assign(project, form.cleaned_data["texts"], form.cleaned_data["coders"])
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{new} new coding{'' if new == 1 else 's'} to do.")
            return redirect("project", project.slug)
    return render(request, "annotations/assign.html", {"project": project, "form": form})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is in the project, in which role, and who is invited. The link of an invitation is shown once."""
    project = project_for(request.user, slug, Right.MANAGE)
    inviting = "invite" in request.POST
    form = MemberForm(None if inviting else request.POST or None)
    invitation_form = InvitationForm(request.POST if inviting else None)
    link = None
    if request.method == "POST" and not inviting and form.is_valid():
        try:
            membership = actions.add_member(project, form.cleaned_data["username"], form.cleaned_data["role"])
        except ValidationError as error:
            form.add_error("role", error)
        else:
            messages.success(request, f"{membership.user} is {membership.get_role_display()} now.")
            return redirect("members", project.slug)
    if inviting and invitation_form.is_valid():
        fields = invitation_form.cleaned_data
        _, secret = invitations.invite(
            project, fields["role"], person(request), days=int(fields["days"]), whom=fields["whom"]
        )
        link = request.build_absolute_uri(reverse("invitation", args=[secret]))
        invitation_form = InvitationForm()
    context = {
        "project": project,
        "form": form,
        "invitation_form": invitation_form,
        "link": link,
        "now": timezone.now(),
        "memberships": Membership.objects.filter(project=project).select_related("user"),
        "invitations": Invitation.objects.filter(project=project).select_related("used_by"),
    }
    return render(request, "annotations/members.html", context)


@login_required
@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End a member's access; what they coded stays."""
    project = project_for(request.user, slug, Right.MANAGE)
    membership = get_object_or_404(Membership.objects.select_related("user"), project=project, pk=pk)
    try:
        actions.remove_member(membership)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("members", project.slug)
    messages.success(request, f"{membership.user} has no access any more. What they coded stays.")
    if membership.user_id == request.user.pk:
        return redirect("home")
    return redirect("members", project.slug)


@login_required
@require_POST
def withdraw_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take back an invitation that nobody has used."""
    project = project_for(request.user, slug, Right.MANAGE)
    if not invitations.withdraw(project, pk):
        raise Http404
    messages.success(request, "The invitation works no more.")
    return redirect("members", project.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scheme(request: HttpRequest, slug: str) -> HttpResponse:
    """What coders are asked, and the guidelines. A manager says here what coders mark, and opens the results."""
    project = project_for(request.user, slug, Right.MANAGE if request.method == "POST" else Right.BE_HERE)
    asks = PyramidOptionsForm if project.answers == Project.Answers.SCUS else MarkingForm
    about = "about" in request.POST
    form = asks(project, request.POST if request.method == "POST" and not about else None)
    about_form = AboutForm(project, request.POST if about else None)
    sent = about_form if about else form
    if request.method == "POST" and sent.is_valid():
        sent.save()
        messages.success(request, "Saved. Coders see it when they open a text.")
        return redirect("scheme", project.slug)
    if sent.errors:
        project.refresh_from_db()  # what was sent and is not saved stands in the form alone
    context = {
        "project": project,
        "form": form,
        "about_form": about_form,
        "manages": may(project, Right.MANAGE),
        "sees_results": may(project, Right.SEE_RESULTS),
        "levels": project.levels.all(),
        "categories": project.categories.select_related("points_to"),
        "guidelines_html": markdown.render(project.guidelines),
    }
    return render(request, "annotations/scheme.html", context)
