"""The page of a coding, and what becomes of it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotations import actions, markdown
from annotations.coding_state import coding_state
from annotations.decisions import Refused
from annotations.models import Coding, Project
from annotations.models.coding import KINDS_OF_AGREED
from annotations.permissions import Right, own_coding, project_for
from annotations.views import person


@login_required
@require_safe
def code(request: HttpRequest, slug: str, text: str, agreed: bool = False) -> HttpResponse:
    """The coding page of the coder's own coding of a text; of summaries that of a pyramid or of a peer."""
    project = project_for(request.user, slug)
    coding = own_coding(person(request), project, text, agreed=agreed)
    context = {
        "project": project,
        "text": coding.text,
        "coding": coding,
        "coding_state": coding_state(coding, project),
        "guidelines_html": markdown.render(project.guidelines),
    }
    if project.answers == Project.Answers.SCUS:
        return render(request, "annotations/pyramid.html", context | {"agreed": "-agreed" if agreed else ""})
    return render(request, "annotations/coding.html", context)


@login_required
@require_POST
def submit(request: HttpRequest, slug: str, text: str, agreed: bool = False) -> HttpResponse:
    """The coder hands in their coding of a text."""
    project = project_for(request.user, slug)
    coding = own_coding(person(request), project, text, agreed=agreed)
    try:
        actions.submit(coding, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{coding.text} is handed in.")
    return redirect("project", project.slug)


@login_required
@require_POST
def reopen(request: HttpRequest, slug: str, text: str, coder: str, agreed: bool = False) -> HttpResponse:
    """The manager gives a coding back to its coder."""
    project = project_for(request.user, slug, Right.MANAGE)
    codings = Coding.objects.filter(text__project=project, text__slug=text).select_related("text__docset", "coder")
    codings = codings.filter(kind__in=KINDS_OF_AGREED) if agreed else codings.exclude(kind__in=KINDS_OF_AGREED)
    # Not sought in the database: PostgreSQL takes no NUL, which an address may hold.
    coding = next((coding for coding in codings if coding.coder.get_username() == coder), None)
    if coding is None:
        raise Http404("There is no such coding.")
    actions.reopen(coding, person(request))
    messages.success(request, f"{coding.text} is open again for {coding.coder}.")
    if coding.text.docset is not None:
        return redirect("docset", project.slug, coding.text.docset.slug)
    return redirect("project", project.slug)
