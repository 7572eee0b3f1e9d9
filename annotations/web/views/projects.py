"""The home page, the page of a new project, and the overview of a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations.coding.gold import was_gold_shown
from annotations.coding.required_answers import subtract_lacking
from annotations.coding.status import reopen_requests
from annotations.formats.syntax.table import write_table
from annotations.models import Coding, Plan, Project, User
from annotations.models.people.rights import Right
from annotations.models.project import is_blind_manager, may, may_change
from annotations.planning.pool import PoolState, pools_of
from annotations.planning.training import training_without_gold, trainings_to_decide
from annotations.planning.work.next_coding import OwnWork, read_own_work
from annotations.planning.work.progress import (
    HOURS_COLUMNS,
    PROGRESS_COLUMNS,
    hours_rows,
    progress_rows,
    read_progress_matrix,
    worked_days,
)
from annotations.planning.work.states import Reminders, State, reminders_of, with_states
from annotations.projects.checklist import steps_to_do
from annotations.projects.creation import create_project
from annotations.projects.listing import PAGE_SIZE, describe_projects, find_projects
from annotations.projects.people.members import CODING_ROLES
from annotations.projects.permissions import project_for
from annotations.schemes.design.starting_points import STARTING_POINTS
from annotations.web.forms.projects import ProjectForm
from annotations.web.paging import page_of, search_of
from annotations.web.views import docsets, signed_in_user
from annotations.web.views.news import news_for

# Of the codings of who manages and codes.
MOST_OWN = 10
# So many projects need no search.
FEW = 6
# The shape that stands for a state in the matrix, beside its word.
STATE_MARKS: dict[str, str] = {
    State.ASSIGNED: "○",
    State.BEGUN: "◐",
    State.COMPLETE: "●",
    State.REOPENED: "↩",
    State.RELEASED: "–",
    State.SUBMITTED: "✓",
}


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the projects of the signed-in user, or those that a search finds."""
    user = signed_in_user(request)
    search = search_of(request)
    archived = request.GET.get("archived") == "1"
    shown = Paginator(find_projects(user, search, archived=archived), PAGE_SIZE).get_page(request.GET.get("page"))
    query = {"archived": "1" if archived else "", "q": search}
    context = {
        "shown": shown,
        "entries": describe_projects(user, list(shown)),
        "search": search,
        # A few are seen at a glance.
        "searches": search or shown.paginator.count > FEW,
        "full_query": urlencode({name: value for name, value in query.items() if value}),
        "archived": archived,
        "any_archived": archived or find_projects(user, archived=True).exists(),
    }
    return render(request, "annotations/projects/home.html", context)


@login_required
@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Create a project from a ready-made scheme; the user becomes its manager."""
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        scheme = STARTING_POINTS[fields["scheme"]]
        try:
            project = create_project(
                fields["slug"],
                fields["title"],
                scheme,
                guidelines=fields["guidelines"],
                manager=signed_in_user(request),
                coders_mark=fields["coders_mark"],
            )
        except ValidationError as error:
            form.add_error(None, error.messages)
            return render(request, "annotations/projects/new_project.html", {"form": form})
        messages.success(request, "Project created.")
        return redirect("project", project.slug)
    return render(request, "annotations/projects/new_project.html", {"form": form, "schemes": STARTING_POINTS.values()})


@login_required
@require_safe
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """Show everybody's progress to users who see all work, and to a coder their texts."""
    project = project_for(request.user, slug)
    if project.answers == Project.Answers.SCUS:
        return docsets.home(request, project)
    if may(project, Right.SEE_RESULTS):
        return _progress(request, project)
    return _own_texts(request, project)


def _own_codings(project: Project, user: User) -> list[Coding]:
    """Return the user's codings with their progress, in the order of rounds."""
    own = (
        Coding.with_models.visible_to(user)
        .once_for(user)
        .filter(text__project=project, coder=user)
        .in_order_of_rounds()
    )
    codings = list(with_states(own).select_related("text", "round__plan").defer("text__content"))
    subtract_lacking(project, codings)
    return codings


def _own_texts(request: HttpRequest, project: Project) -> HttpResponse:
    context = _context_of_own(request, project, codes=True, size=0) | {
        "project": project,
        "manages": may_change(project, Right.MANAGE),
        "is_blind": is_blind_manager(project),
        "steps": steps_to_do(project),
    }
    context |= news_for(project, signed_in_user(request), codes=True)
    return render(request, "annotations/projects/coders/own_texts.html", context)


def _context_of_own(request: HttpRequest, project: Project, *, codes: bool, size: int) -> dict[str, Any]:
    """Return what pages show of the user's own texts, none where the user does not code: the next one first."""
    user, today = signed_in_user(request), timezone.localdate()
    codings = _own_codings(project, user) if codes else []
    pools = pools_of(project, user) if codes else []
    work = _own_work(project, user, codings, pools)
    codings.sort(
        key=lambda coding: (coding.round.is_closed, coding.status != Coding.Status.OPEN, coding is not work.next)
    )
    shown = page_of(request, codings, name="own", size=size)
    for coding in shown:
        coding.may_reopen = (  # type: ignore[attr-defined]
            coding.status == Coding.Status.SUBMITTED
            and project.archived_at is None
            and not coding.round.is_closed
            and not was_gold_shown(coding)
        )
        # As `may_reopen_own` says of these codings, without a query for each.
        coding.reopens_alone = coding.viewed_at is None and not project.results_open  # type: ignore[attr-defined]
    return {
        "codings": shown,
        "work": work,
        "repeated": _texts_with_several(codings),
        "several_rounds": len({coding.round_id for coding in codings}) > 1,
        "is_done": work.is_done and not any(pool.is_free for pool in pools),
        "has_open": any(coding.status == Coding.Status.OPEN and not coding.round.is_closed for coding in codings),
        "has_undecided": any(
            coding.status == Coding.Status.SUBMITTED and coding.decided < coding.to_decide  # type: ignore[attr-defined]
            for coding in codings
        ),
        "pools": pools,
        "has_dates": any(_due_on(coding) for coding in codings),
        "today": today,
        "reminders": _reminders(project, codings, today),
    }


def _own_work(project: Project, user: User, codings: Sequence[Coding], pools: Iterable[PoolState]) -> OwnWork:
    """Return what the coder is to do, and say of each coding which training round it waits for."""
    required = {pool.waits_for.pk for pool in pools if pool.waits_for is not None}
    work = read_own_work(project, user, codings, required)
    for coding in codings:
        coding.waits_for = work.locked[coding.pk].round if coding.pk in work.locked else None  # type: ignore[attr-defined]
    return work


def _reminders(project: Project, codings: Iterable[Coding], today: date) -> Reminders | None:
    """Return what to remind the coder of, of codings that wait for no training."""
    if project.archived_at is not None:
        return None
    return reminders_of([coding for coding in codings if coding.waits_for is None], today)  # type: ignore[attr-defined]


def _due_on(coding: Coding) -> date | None:
    """Return until when the text is to be coded, if the plan of its round says so."""
    plan: Plan | None = getattr(coding.round, "plan", None)
    return plan.due_on if plan is not None else None


def _texts_with_several(codings: Iterable[Coding]) -> set[int]:
    """Return the texts of which there are several codings: their addresses name the round."""
    numbers = Counter(coding.text_id for coding in codings)
    return {text for text, number in numbers.items() if number > 1}


def _progress(request: HttpRequest, project: Project) -> HttpResponse:
    user, today = signed_in_user(request), timezone.localdate()
    context: dict[str, Any] = {"project": project}
    try:
        matrix = read_progress_matrix(
            project,
            user,
            request.GET.get("round", ""),
            request.GET.get("page"),
            today,
            request.GET.get("coders"),
            marks_final=may(project, Right.ADJUDICATE),
        )
    except ValidationError as error:
        context["refused"] = error.messages
        matrix = read_progress_matrix(project, user, "", None, today)
    codes = project.role in CODING_ROLES  # type: ignore[attr-defined]
    context |= _context_of_own(request, project, codes=codes, size=MOST_OWN)
    context |= {
        "matrix": matrix,
        "full_query": urlencode({"round": matrix.chosen.name}) if matrix.chosen else "",
        "states": STATE_MARKS,
        "several_rounds": matrix.several_rounds,
        "of_rounds": page_of(request, matrix.of_rounds, name="rounds"),
        "compares": codes and may(project, Right.COMPARE_WITH_GOLD),
        "manages": may_change(project, Right.MANAGE),
        "to_decide": trainings_to_decide(project) if may_change(project, Right.DECIDE_TRAINING) else (),
        "without_gold": training_without_gold(project) if may_change(project, Right.ADJUDICATE) else (),
        "reopen_requests": reopen_requests(project) if may_change(project, Right.MANAGE_WORK) else (),
        "steps": steps_to_do(project),
    }
    context |= news_for(project, user, codes=bool(context["codings"]))
    status = 400 if "refused" in context else 200
    return render(request, "annotations/planning/progress.html", context, status=status)


@login_required
@require_safe
def progress_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the progress matrix or the hours of coders as CSV: of all rounds, or of one."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    table, round_name = request.GET.get("table", ""), request.GET.get("round", "")
    columns: Sequence[str]
    rows: Iterable[Sequence[str]]
    try:
        if table == "progress":
            columns, rows = (
                PROGRESS_COLUMNS,
                progress_rows(project, signed_in_user(request), round_name, timezone.localdate()),
            )
        elif table == "hours":
            columns, rows = HOURS_COLUMNS, hours_rows(worked_days(project, round_name))
        else:
            raise ValidationError("Choose a table: progress or hours.")
    except ValidationError as error:
        return HttpResponseBadRequest(" ".join(error.messages), content_type="text/plain; charset=utf-8")
    response = HttpResponse(write_table([columns, *rows], raw=False), content_type="text/csv; charset=utf-8")
    name = "-".join(filter(None, [project.slug, table, round_name]))
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
