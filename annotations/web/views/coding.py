"""The coding page, and the submission and reopening of codings."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotations.coding.decisions import OperationRejected
from annotations.coding.state import coding_state
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Project
from annotations.models.coding import AGREED_KINDS
from annotations.models.rights import Right
from annotations.projects.permissions import own_coding, project_for
from annotations.web import markdown
from annotations.web.views import signed_in_user


@login_required
@require_safe
def code(request: HttpRequest, slug: str, text: str, agreed: bool = False) -> HttpResponse:
    """Show the coding page of the coder's own coding of a text, or the pyramid page if it is of summaries."""
    project = project_for(request.user, slug)
    coding = own_coding(signed_in_user(request), project, text, agreed=agreed)
    context = {
        "project": project,
        "text": coding.text,
        "coding": coding,
        "coding_state": coding_state(coding, project),
        "guidelines_html": markdown.render(project.guidelines),
        "agreed": "-agreed" if agreed else "",
    }
    workbench = "pyramid" if project.answers == Project.Answers.SCUS else "coding"
    return render(request, f"annotations/workbench/{workbench}.html", context | {"script": f"js/{workbench}/main.js"})


@login_required
@require_POST
def submit(request: HttpRequest, slug: str, text: str, agreed: bool = False) -> HttpResponse:
    """Submit the coder's own coding of a text."""
    project = project_for(request.user, slug)
    coding = own_coding(signed_in_user(request), project, text, agreed=agreed)
    try:
        submit_coding(coding, signed_in_user(request))
    except OperationRejected as rejection:
        messages.error(request, str(rejection))
    else:
        messages.success(request, f"Submitted “{coding.text}”.")
    return redirect("project", project.slug)


@login_required
@require_POST
def reopen(request: HttpRequest, slug: str, text: str, coder: str, agreed: bool = False) -> HttpResponse:
    """Reopen a coding for its coder."""
    project = project_for(request.user, slug, Right.MANAGE)
    codings = Coding.objects.filter(text__project=project, text__slug=text, coder__username=coder)
    codings = codings.filter(kind__in=AGREED_KINDS) if agreed else codings.exclude(kind__in=AGREED_KINDS)
    coding = codings.select_related("text__docset", "coder").first()
    if coding is None:
        raise Http404("Coding not found.")
    reopen_coding(coding, signed_in_user(request))
    messages.success(request, f"Reopened “{coding.text}” for {coding.coder}.")
    if coding.text.docset is not None:
        return redirect("docset", project.slug, coding.text.docset.slug)
    return redirect("project", project.slug)
