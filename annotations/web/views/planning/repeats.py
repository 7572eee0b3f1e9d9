"""The page Repeats of a round: texts that coders are shown again, unmarked, with a preview."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotations.core.text import pluralize
from annotations.models import Project, RepeatPlan, Round
from annotations.models.people.rights import Right
from annotations.planning.forms import RepeatForm, initial_repeats
from annotations.planning.repeats import (
    RepeatView,
    apply_repeats,
    refuse_repeats,
    request_of,
    view_repeats,
    withdraw_repeats,
)
from annotations.projects.people.members import BLIND_ROLES, members_in_roles
from annotations.projects.permissions import project_for
from annotations.projects.rounds import COUNTED_KINDS
from annotations.web.paging import page_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def repeats(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show what coders are shown again in the round, and what the form in the address comes to; carry it out."""
    project = project_for(request.user, slug, Right.MANAGE_WORK, changes=True)
    round_ = get_object_or_404(Round, project=project, name=name)
    address = reverse("repeats", args=[project.slug, round_.name])
    if "preview" in request.POST:
        query = request.POST.copy()
        for field in ("csrfmiddlewaretoken", "preview"):
            query.pop(field, None)
        return redirect(f"{address}?{query.urlencode()}")
    coders = members_in_roles(project, BLIND_ROLES).order_by("username")
    sent = request.POST if request.method == "POST" else request.GET
    plan = RepeatPlan.objects.filter(round=round_).select_related("round__project").prefetch_related("coders").first()
    form = RepeatForm(coders, sent if "days" in sent else None, initial=initial_repeats(plan))
    context: dict[str, Any] = {"project": project, "round": round_, "plan": plan, "form": form}
    try:
        if "withdraw" in request.POST:
            messages.success(request, f"{pluralize(withdraw_repeats(project, round_), 'text')} unassigned.")
            return redirect(address)
        refuse_repeats(project, round_)
        if form.is_bound and form.is_valid():
            asked = form.as_request(round_.name)
            if request.method == "POST":
                messages.success(request, _said(apply_repeats(project, asked)))
                return redirect(address)
            context |= {"shown": view_repeats(project, asked), "previews": True}
        elif not form.is_bound:
            context["shown"] = _state(project, plan)
    except ValidationError as error:
        context["refused"] = error.messages
    if context.get("shown"):
        context["coders"] = page_of(request, context["shown"].coders, name="page")
    context["may_order"] = round_.kind in COUNTED_KINDS and not (round_.is_closed or project.results_open)
    status = 400 if form.errors or ("refused" in context and request.method == "POST") else 200
    return render(request, "annotations/planning/repeats.html", context, status=status)


def _state(project: Project, plan: RepeatPlan | None) -> RepeatView | None:
    """Return what coders are shown again by now, and what the recorded plan comes to today."""
    request = request_of(plan) if plan is not None else None
    return view_repeats(project, request) if request is not None else None


def _said(view: RepeatView) -> str:
    return f"{pluralize(view.n_new, 'text')} shown again. Nobody is told which."
