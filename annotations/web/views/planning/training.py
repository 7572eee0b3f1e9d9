"""The pages of training: the results of a round, the gold of its texts, and what a coder sees of it afterwards."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotations.adjudication.hands import open_gold
from annotations.adjudication.readiness import GoldIsEarly, describe_early
from annotations.models import Coding, Project, Round
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.planning.training import (
    TrainingResult,
    arrange_results,
    decide_on_coder,
    feedback_on,
    take_next_attempt,
    training_results,
)
from annotations.planning.work.next_coding import work_after
from annotations.projects.letters import sees_names
from annotations.projects.permissions import CodingChoice, coding_token, own_coding, project_for
from annotations.projects.viewing import record_view
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.forms.training import DecisionForm
from annotations.web.paging import gold_address, page_of
from annotations.web.views import signed_in_user


@login_required
@require_safe
def training(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show the results of a training round: all of them to who manages the work of coders or decides gold."""
    project = project_for(request.user, slug)
    return _show(request, project, _training_round(project, name))


def _training_round(project: Project, name: str) -> Round:
    rounds = Round.objects.filter(project=project, kind=Round.Kind.TRAINING).select_related("project")
    return get_object_or_404(rounds, name=name)


def _show(request: HttpRequest, project: Project, round_: Round, form: DecisionForm | None = None) -> HttpResponse:
    sees_all = may(project, Right.ADJUDICATE)
    user = signed_in_user(request)
    results = training_results(round_, None if sees_all else [user.pk])
    own = next((result for result in results if result.coder.pk == user.pk), None)
    if not sees_all and own is None:
        raise Http404("There is no such round.")
    decides = may_change(project, Right.DECIDE_TRAINING)
    context: dict[str, Any] = {
        "project": project,
        "list_address": reverse("training", args=[project.slug, round_.name]),
        "round": round_,
        "matrix": arrange_results(results, request.GET.get("page"), request.GET.get("texts")) if sees_all else None,
        "decisions": page_of(
            request, [one for result in results for one in result.decisions] if sees_all else [], name="decisions"
        ),
        "own": own,
        "own_step": own.next_step(round_) if own is not None else "",
        "own_obstacle": own.obstacle(round_) if own is not None else "",
        "own_rows": page_of(request, _own_rows(own), name="own"),
        "may_try": own is not None and project.archived_at is None and own.may_try(round_),
        "form": (form or DecisionForm(project)) if decides else None,
        "sees_all": sees_all,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "annotations/projects/coders/training.html", context, status=status)


def _own_rows(own: TrainingResult | None) -> list[tuple[Any, str]]:
    """Return the coder's attempts, each with the token of its coding."""
    return [(attempt, coding_token(attempt.coding)) for attempt in own.attempts] if own is not None else []


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Record what a manager decides on a coder."""
    project = project_for(request.user, slug, Right.DECIDE_TRAINING)
    round_ = _training_round(project, name)
    form = DecisionForm(project, request.POST)
    if not form.is_valid():
        return _show(request, project, round_, form)
    fields = form.cleaned_data
    try:
        decision = decide_on_coder(
            round_, fields["coder"], fields["outcome"], fields["reason"], signed_in_user(request)
        )
    except ValidationError as error:
        form.add_error(None, error.messages)
        return _show(request, project, round_, form)
    messages.success(request, f"{decision.coder}: {decision.get_outcome_display()}.")
    return redirect("training", project.slug, round_.name)


@login_required
@require_POST
def take_next(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Assign the coder a further text of the training round, and open it."""
    project = project_for(request.user, slug)
    round_ = _training_round(project, name)
    try:
        coding = take_next_attempt(round_, signed_in_user(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("project", project.slug)
    address = reverse("code", args=[project.slug, coding.text.slug])
    return redirect(f"{address}?{urlencode({'round': round_.name})}")


@login_required
@require_safe
def feedback(request: HttpRequest, slug: str, text: str, token: str) -> HttpResponse:
    """Show a coder their submitted work of a training round beside the gold of the text."""
    project = project_for(request.user, slug)
    coding = own_coding(signed_in_user(request), project, text, choice=CodingChoice(token=token))
    return _show_feedback(request, project, coding, own=True)


@login_required
@require_safe
def comparison(request: HttpRequest, slug: str, name: str, text: str, coder: str) -> HttpResponse:
    """Show who decides gold the submitted work of a coder in a training round beside the gold of the text."""
    project = project_for(request.user, slug, Right.ADJUDICATE)
    codings = Coding.objects.filter(round=_training_round(project, name), kind=Coding.Kind.TEXT, occasion=1)
    codings = codings.select_related("text", "coder", "round")
    coding = get_object_or_404(codings, text__slug=text, coder__username=coder)
    return _show_feedback(request, project, coding, own=False)


def _show_feedback(request: HttpRequest, project: Project, coding: Coding, *, own: bool) -> HttpResponse:
    """Show a coding beside gold; to its coder it has been shown from then on."""
    coding.round.project = project
    found = feedback_on(coding) if coding.status == Coding.Status.SUBMITTED else None
    if found is None:
        raise Http404("There is no gold to see beside this coding.")
    record_view(Coding.with_models.filter(pk=coding.pk), None if own else request.user)
    result = training_results(coding.round, [coding.coder.pk])[0]
    work = work_after(project, signed_in_user(request), coding) if own and project.archived_at is None else None
    context = {
        "project": project,
        "coding": coding,
        "feedback": found,
        "own": own,
        "attempt": next(one for one in result.attempts if one.coding.pk == coding.pk),
        "result": result,
        "may_try": own and project.archived_at is None and result.may_try(coding.round),
        "work": work,
        "repeated": [work.next.text_id] if work is not None and work.next is not None else (),
    }
    return render(request, "annotations/projects/coders/feedback.html", context)


@login_required
@require_POST
def gold(request: HttpRequest, slug: str, name: str, text: str) -> HttpResponse:
    """Open the gold of a text in a round for the user to work on; what somebody else has begun becomes theirs.

    Where coders have yet to submit, and there is no gold yet, it is asked once.
    """
    project = project_for(request.user, slug, Right.ADJUDICATE)
    row = get_object_or_404(project.texts.defer("content"), slug=text)
    get_object_or_404(Round, project=project, name=name)
    try:
        coding = open_gold(project, row, name, signed_in_user(request), early=is_confirmed(request))
    except GoldIsEarly as error:
        lines = [
            *describe_early(error.texts, names=sees_names(project)),
            "What they submit later you can draft from then. This is asked once for the text.",
        ]
        back = gold_address(project.slug, name, row.slug)
        return ask(request, project, Question("Begin gold before all have submitted?", lines, "Begin", back, "rounds"))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("round", project.slug, name)
    address = reverse("code-gold", args=[project.slug, row.slug])
    return redirect(f"{address}?{urlencode({'round': coding.round.name})}")
