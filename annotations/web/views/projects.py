"""The home page, the pages of a new project, its overview and its settings."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations.coding.gold import was_gold_shown
from annotations.coding.required_answers import subtract_lacking
from annotations.coding.status import reopen_requests
from annotations.core.text import pluralize
from annotations.formats.syntax.table import write_table
from annotations.models import Coding, Project, Transfer
from annotations.models.people.rights import Right
from annotations.models.project import is_blind_manager, may, may_change
from annotations.models.transfers.transfer import ARCHIVE
from annotations.planning.pool import PoolState, pools_of
from annotations.planning.training import training_without_gold, trainings_to_decide
from annotations.planning.work.next_coding import read_own_work
from annotations.planning.work.progress import (
    HOURS_COLUMNS,
    PROGRESS_COLUMNS,
    hours_rows,
    progress_rows,
    read_progress_matrix,
    worked_days,
)
from annotations.planning.work.states import State, reminders_of, with_states
from annotations.projects.creation import create_project
from annotations.projects.listing import PAGE_SIZE, describe_projects, find_projects, steps_to_do
from annotations.projects.locks import set_archived
from annotations.projects.people.members import CODING_ROLES
from annotations.schemes.ready_made import STARTING_POINTS
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.texts.cloning import clone_project
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.forms.projects import CloneForm, DatasheetForm, ProjectForm
from annotations.web.forms.texts import DeletionForm
from annotations.web.shared import Question, ask, is_confirmed, news_for, page_of, refused_at, refused_to, search_of
from annotations.web.views import docsets

MAX_OWN = 10  # listed codings of a user who manages and codes
MAX_UNSEARCHED = 6  # up to this number of projects the page has no search
# The symbol of a state in the matrix, beside its name.
STATE_MARKS: dict[str, str] = {
    State.ASSIGNED: "○",
    State.BEGUN: "◐",
    State.COMPLETE: "●",
    State.REOPENED: "↩",
    State.RELEASED: "–",
    State.SUBMITTED: "✓",
}


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the projects of the signed-in user, filtered by the search."""
    user = signed_in_user(request)
    search = search_of(request)
    archived = request.GET.get("archived") == "1"
    shown = page_of(request, find_projects(user, search, archived=archived), size=PAGE_SIZE)
    query = {"archived": "1" if archived else "", "q": search}
    context = {
        "shown": shown,
        "entries": describe_projects(user, list(shown)),
        "search": search,
        # A short list needs no search.
        "searches": search or shown.paginator.count > MAX_UNSEARCHED,
        "full_query": urlencode({name: value for name, value in query.items() if value}),
        "archived": archived,
        "any_archived": archived or find_projects(user, archived=True).exists(),
    }
    return render(request, "annotations/projects/home.html", context)


@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Create a project from a ready-made scheme; the user becomes its manager."""
    form = ProjectForm(request.POST or None)
    if form.is_valid():
        fields = form.cleaned_data
        scheme = STARTING_POINTS[fields.pop("scheme")]
        with refused_at(form):
            project = create_project(**fields, scheme=scheme, manager=signed_in_user(request))
            messages.success(request, "Project created.")
            return redirect("project", project.slug)
    return render(request, "annotations/projects/new_project.html", {"form": form, "schemes": STARTING_POINTS.values()})


@project_page()
def project_home(request: HttpRequest, project: Project) -> HttpResponse:
    """Show all progress to users who see all work, and coders their own texts."""
    if project.answers == Project.Answers.SCUS:
        return docsets.home(request, project)
    if may(project, Right.SEE_RESULTS):
        return _progress(request, project)
    context = _context_of_own(request, project, codes=True, size=0)
    context |= {"is_blind": is_blind_manager(project), "steps": steps_to_do(project)}
    context |= news_for(project, signed_in_user(request), codes=True)
    return show(request, project, "annotations/projects/coders/own_texts.html", context)


def _context_of_own(request: HttpRequest, project: Project, *, codes: bool, size: int) -> dict[str, Any]:
    """Return the context of the user's own texts, the next one first; without texts if the user does not code."""
    user, today = signed_in_user(request), timezone.localdate()
    codings: list[Coding] = []
    pools: list[PoolState] = []
    if codes:
        own = Coding.objects.of_coders().visible_to(user).once_for(user).filter(text__project=project, coder=user)
        stated = with_states(own.in_order_of_rounds()).select_related("text", "round__plan").defer("text__content")
        codings, pools = list(stated), pools_of(project, user)
    subtract_lacking(project, codings)
    work = read_own_work(project, user, codings, {pool.waits_for.pk for pool in pools if pool.waits_for is not None})
    for coding in codings:
        coding.waits_for = work.locked[coding.pk].round if coding.pk in work.locked else None  # type: ignore[attr-defined]
    codings.sort(
        key=lambda coding: (coding.round.is_closed, coding.status != Coding.Status.OPEN, coding is not work.next)
    )
    reminded = [coding for coding in codings if coding.waits_for is None]  # type: ignore[attr-defined]
    shown = page_of(request, codings, name="own", size=size)
    for coding in shown:
        coding.may_reopen = (  # type: ignore[attr-defined]
            coding.status == Coding.Status.SUBMITTED
            and project.archived_at is None
            and not coding.round.is_closed
            and not was_gold_shown(coding)
        )
        # Like `may_reopen_own`, without a query for each coding.
        coding.reopens_alone = coding.viewed_at is None and not project.results_open  # type: ignore[attr-defined]
    return {
        "codings": shown,
        "work": work,
        # For several codings of a text, the addresses name the round.
        "repeated": {text for text, number in Counter(coding.text_id for coding in codings).items() if number > 1},
        "several_rounds": len({coding.round_id for coding in codings}) > 1,
        "is_done": work.is_done and not any(pool.is_free for pool in pools),
        "has_open": any(coding.status == Coding.Status.OPEN and not coding.round.is_closed for coding in codings),
        "has_undecided": any(
            coding.status == Coding.Status.SUBMITTED and coding.decided < coding.to_decide  # type: ignore[attr-defined]
            for coding in codings
        ),
        "pools": pools,
        "has_dates": any(plan.due_on for coding in codings if (plan := getattr(coding.round, "plan", None))),
        "today": today,
        "reminders": reminders_of(reminded, today) if project.archived_at is None else None,
    }


def _progress(request: HttpRequest, project: Project) -> HttpResponse:
    user, today = signed_in_user(request), timezone.localdate()
    context: dict[str, Any] = {}
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
    context |= _context_of_own(request, project, codes=codes, size=MAX_OWN)
    context |= {
        "matrix": matrix,
        "full_query": urlencode({"round": matrix.chosen.name}) if matrix.chosen else "",
        "states": STATE_MARKS,
        "several_rounds": matrix.several_rounds,
        "of_rounds": page_of(request, matrix.of_rounds, name="rounds"),
        "compares": codes and may(project, Right.COMPARE_WITH_GOLD),
        "to_decide": trainings_to_decide(project) if may_change(project, Right.DECIDE_TRAINING) else (),
        "without_gold": training_without_gold(project) if may_change(project, Right.ADJUDICATE) else (),
        "reopen_requests": reopen_requests(project) if may_change(project, Right.MANAGE_WORK) else (),
        "steps": steps_to_do(project),
    }
    context |= news_for(project, user, codes=bool(context["codings"]))
    status = 400 if "refused" in context else 200
    return show(request, project, "annotations/planning/progress.html", context, status=status)


@project_page(Right.SEE_RESULTS)
def progress_file(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the progress matrix or the coders' hours as CSV, of all rounds or one."""
    table, round_name = request.GET.get("table", ""), request.GET.get("round", "")
    try:
        if table == "progress":
            rows = progress_rows(project, signed_in_user(request), round_name, timezone.localdate())
            lines = [PROGRESS_COLUMNS, *rows]
        elif table == "hours":
            lines = [HOURS_COLUMNS, *hours_rows(worked_days(project, round_name))]
        else:
            raise ValidationError("Choose a table: progress or hours.")
    except ValidationError as error:
        return HttpResponseBadRequest(" ".join(error.messages), content_type="text/plain; charset=utf-8")
    name = "-".join(filter(None, [project.slug, table, round_name]))
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(write_table(lines, raw=False), content_type="text/csv; charset=utf-8", headers=headers)


@project_form(Right.MANAGE)
def settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the settings of the project, and save the descriptive fields of its datasheet."""
    form = DatasheetForm(project, request.POST if request.method == "POST" else None)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. The datasheet says so.")
        return redirect("project-settings", project.slug)
    if form.errors:
        project.refresh_from_db()  # the page shows the stored values, the form the invalid ones
    context = {
        "form": form if may_change(project, Right.MANAGE) else None,
        "deletes": may(project, Right.MANAGE_WORK),
        "creates": signed_in_user(request).has_perm("annotations.add_project"),
    }
    return show(request, project, "annotations/projects/settings.html", context, form=form)


@project_action(Right.MANAGE, archived=True)
def archive(request: HttpRequest, project: Project) -> HttpResponse:
    """Archive the project, after a manager's confirmation."""
    if is_confirmed(request):
        set_archived(project, archived=True)
        messages.success(request, f"“{project}” is archived. It can be opened again here.")
        return redirect("project-settings", project.slug)
    codings = Coding.objects.of_people().filter(text__project=project)
    lines = [
        "Members can read what they read now; nobody can change anything, by page or API.",
        "It leaves the list of projects, and is found there under “Archived”.",
        "Invitations let nobody in until it is open again.",
    ]
    n_open = codings.filter(status=Coding.Status.OPEN).count()
    if n_open and may(project, Right.MANAGE_WORK):
        lines.insert(1, f"{pluralize(n_open, 'coding')} not submitted: their coders cannot go on.")
    page = reverse("project-settings", args=[project.slug])
    return ask(request, project, Question(f"Archive “{project}”?", lines, "Archive", page, "settings"))


@project_action(Right.MANAGE, archived=True)
def unarchive(request: HttpRequest, project: Project) -> HttpResponse:
    """Open an archived project again."""
    if set_archived(project, archived=False):
        messages.success(request, f"“{project}” is open again.")
    return redirect("project-settings", project.slug)


@project_form(Right.MANAGE, archived=True)
def clone(request: HttpRequest, project: Project) -> HttpResponse:
    """Copy the project; the user manages the copy."""
    user = signed_in_user(request)
    if not user.has_perm("annotations.add_project"):
        raise PermissionDenied("You are not allowed to create projects.")
    form = CloneForm(project, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form):
            copied = clone_project(project, **form.cleaned_data, manager=user)
            messages.success(request, f"“{copied}” is a copy of “{project}”.")
            return redirect("project", copied.slug)
    return show(request, project, "annotations/projects/clone.html", form=form)


@project_form(Right.MANAGE_WORK, archived=True)
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the project with all its data, after a manager has seen the figures and entered the title."""
    sees_gold = may(project, Right.ADJUDICATE)
    figures = project_deletion_figures(project, gold=sees_gold)
    form = DeletionForm(project, figures, request.POST if request.method == "POST" else None, always=True)
    if form.is_valid():
        with refused_to(request):
            deleted = delete_project(project, form.cleaned_data["seen"], gold=sees_gold)
            messages.success(request, f"Deleted “{project}”: {', '.join(deleted.lines)}.")
            return redirect("home")
        return redirect("delete-project", project.slug)
    exported = Transfer.objects.filter(project=project, format=ARCHIVE, state=Transfer.State.DONE).order_by("-pk")
    context = {"figures": figures, "latest": exported.first()}
    return show(request, project, "annotations/projects/delete.html", context, form=form)
