"""The pages Assignments and Repeats: plans and previews, the assignment matrix, changes by hand, repeated texts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from annotations.core.text import pluralize
from annotations.models import Coding, Membership, Plan, Project, RepeatPlan, Round, Text, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.forms import ReleaseForm, RepeatForm, ReplaceForm, initial_repeats
from annotations.planning.plans.forms import CODERS_ON_A_PAGE, PlanForm, first_data
from annotations.planning.plans.matrix import Matrix, matrix_of_plan, matrix_of_round
from annotations.planning.plans.plans import PlanView, apply_plan, plan_round, view_plan
from annotations.planning.pool import take_next_text
from annotations.planning.repeats import apply_repeats, refuse_repeats, request_of, view_repeats, withdraw_repeats
from annotations.planning.work.assignments import assign_texts, release_idle, replace_coder, unassign
from annotations.planning.work.pace import seconds_of_work
from annotations.projects.people.members import BLIND_ROLES, CODING_ROLES, members_in_roles
from annotations.projects.permissions import project_for
from annotations.projects.rounds import COUNTED_KINDS, round_for, rounds_of
from annotations.web.access import project_action, project_form, show, signed_in_user
from annotations.web.shared import page_of, preview_address, refused_to


@dataclass(frozen=True, slots=True)
class _Page:
    """The project, rounds and coders of a request to the page."""

    project: Project
    rounds: list[Round]
    coders: list[User]
    blind: bool

    def form(self, data: Any) -> PlanForm:
        return PlanForm(self.rounds, self.coders, data, blind=self.blind)


@project_form(Right.MANAGE, changes=True)
def assign(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the assignments, or a preview of the plan in the address; apply the plan on POST."""
    if project.answers == Project.Answers.SCUS:
        return redirect("docsets", project.slug)
    coders = list(members_in_roles(project, CODING_ROLES))
    page = _Page(project, rounds_of(project), coders, not may(project, Right.MANAGE_WORK))
    return _apply(request, page) if request.method == "POST" else _show(request, page)


def _show(request: HttpRequest, page: _Page) -> HttpResponse:
    project = page.project
    context: dict[str, Any] = {"has_coders": bool(page.coders), "blind": page.blind}
    is_partial = request.GET.get("part") == "preview" or "HX-Request" in request.headers
    template = f"annotations/planning/{'plan_preview' if is_partial else 'assign'}.html"
    try:
        round_ = plan_round(project, request.GET.get("round", ""))
    except ValidationError as error:
        context |= {"refused": error.messages, "form": page.form(None)}
        return show(request, project, template, context, status=400)
    context |= {"round": round_, "may_repeat": round_ is not None and not page.blind and round_.kind in COUNTED_KINDS}
    plan = Plan.objects.filter(round=round_).select_related("round").first() if round_ else None
    is_assigned = round_ is not None and Coding.objects.of_people().filter(round=round_).exists()
    # The plan of a copied project has no coders yet.
    is_planned = plan is not None and plan.coders.exists()
    shows_preview = "design" in request.GET or not (is_assigned or is_planned)
    blind = set(members_in_roles(project, BLIND_ROLES).values_list("pk", flat=True))
    initial = first_data(plan, page.coders, blind) | ({"round": round_.name} if round_ is not None else {})
    context["form"] = page.form(request.GET if "design" in request.GET else initial)
    if shows_preview and page.coders:
        context |= _preview(request, page, context["form"])
    elif round_ is not None:
        matrix = matrix_of_round(project, round_, page.coders, request.GET.get("page"), blind=page.blind)
        context["matrix"] = matrix = matrix.for_coders(request.GET.get("coders_page"))
        context["notes"] = _notes(page, matrix)
        context["edits"] = reverse("assign-cell", args=[project.slug, round_.name])
        context |= {
            "replace": _replace_form(project, round_),
            "release": ReleaseForm(auto_id="release_%s"),
            "pool_free": plan is not None and plan.pool,
        }
    return show(request, project, template, context)


def _preview(request: HttpRequest, page: _Page, form: PlanForm) -> dict[str, Any]:
    """Return the context of the preview of a plan."""
    view, refused = _planned(page, form, view_plan)
    if view is None:
        return {"previews": True, "refused": refused}
    seconds = None if page.blind else seconds_of_work(page.project, {text.pk: text.work for text in view.texts})
    matrix = matrix_of_plan(view, request.GET.get("page"), seconds).for_coders(request.GET.get("coders_page"))
    return {"previews": True, "view": view, "matrix": matrix, "notes": _notes(page, matrix)}


def _planned(page: _Page, form: PlanForm, plan: Callable[..., PlanView]) -> tuple[PlanView | None, list[str]]:
    """Return the view of the plan that the form describes, or the errors of the form."""
    if not form.is_valid():
        return None, _errors(form)
    try:
        return plan(page.project, form.as_request(), blind=page.blind), []
    except ValidationError as error:
        return None, error.messages


def _notes(page: _Page, matrix: Matrix) -> list[str]:
    """Return notes on work that does not count: codings of adjudicators, and texts without markables."""
    notes = []
    adjudicators = members_in_roles(page.project, [Membership.Role.ADJUDICATOR]).values_list("username", flat=True)
    names = {column.name for column in matrix.columns if column.texts} & set(adjudicators)
    if names:
        who = f"{', '.join(sorted(names))} {'is an adjudicator' if len(names) == 1 else 'are adjudicators'}"
        notes.append(
            f"{who}: their codings count in no draft of gold, and in no figure unless adjudicators are included there."
        )
    empty = [text for text in matrix.page.paginator.object_list if matrix.unit == "words" or not text.work]
    if empty and not page.project.levels.filter(coders_mark=True).exists():
        more = " and others" if len(empty) > 1 else ""
        notes.append(
            f"{pluralize(len(empty), 'text')} without markables, “{empty[0].title}”{more}: as coders may not mark, "
            "nothing can be coded there."
        )
    return notes


def _errors(form: PlanForm) -> list[str]:
    """Return the errors of the form; errors of coder fields start with the coder's name."""
    labels = {
        name: f"{form[name].field.widget.attrs.get('aria-label') or form[name].label}: "
        for name in form.errors
        if name in form.fields
    }
    return [f"{labels.get(name, '')}{' '.join(map(str, errors))}" for name, errors in form.errors.items()]


def _apply(request: HttpRequest, page: _Page) -> HttpResponse:
    turn, tick = request.POST.get("turn", ""), request.POST.get("tick", "")
    if (turn or tick or "preview" in request.POST) and len(page.coders) > CODERS_ON_A_PAGE:
        address = f"{reverse('assign', args=[page.project.slug])}?{page.form(request.POST).address(turn, tick)}"
        return redirect(f"{address}#plan-coders" if turn or tick else address)
    if "preview" in request.POST:
        return redirect(preview_address(request, reverse("assign", args=[page.project.slug])))
    form = page.form(request.POST)
    view, refused = _planned(page, form, apply_plan)
    if view is None:
        context = {"form": form, "has_coders": True, "blind": page.blind, "previews": True, "refused": refused}
        return show(request, page.project, "annotations/planning/assign.html", context)
    new, removed = len(view.proposal.new), len(view.proposal.removed)
    message = f"{pluralize(new, 'assignment')} created{f', {removed} taken away' if removed else ''}."
    if view.request.parameters.pool and not new:
        message = "The pool is open: coders take the next text on their page of the project."
    messages.success(request, message)
    return redirect(_address(page.project, view.round_name))


def _address(project: Project, round_name: str) -> str:
    return f"{reverse('assign', args=[project.slug])}?{urlencode({'round': round_name})}"


@require_POST
def assign_cell(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Assign a text of the round to a coder, or remove the assignment if not begun; answer with JSON."""
    is_on = request.POST.get("on") == "1"
    project = project_for(request.user, slug, Right.MANAGE if is_on else Right.MANAGE_WORK)
    round_ = round_for(project, name)
    text = get_object_or_404(
        Text.objects.defer("content").filter(role=Text.Role.SOURCE), project=project, slug=request.POST.get("text", "")
    )
    coder = get_object_or_404(User, username=request.POST.get("coder", ""), memberships__project=project)
    try:
        if is_on:
            assign_texts(project, [text], [coder], round_)
        else:
            unassign(text, coder.get_username(), Coding.Kind.TEXT, round_)
    except ValidationError as error:
        return JsonResponse({"error": " ".join(error.messages)}, status=400)
    return JsonResponse({"on": is_on})


def _replace_form(project: Project, round_: Round, data: Any = None) -> ReplaceForm:
    everybody = User.objects.filter(codings__in=Coding.objects.of_people().filter(round=round_)).distinct()
    return ReplaceForm(members_in_roles(project, CODING_ROLES), everybody.order_by("username"), data)


@project_action(Right.MANAGE_WORK)
def replace(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Reassign a coder's open texts to another coder."""
    round_ = round_for(project, name)
    form = _replace_form(project, round_, request.POST)
    if not form.is_valid():
        messages.error(request, "Choose who is replaced by whom.")
        return redirect(_address(project, round_.name))
    coder, other = form.cleaned_data["coder"], form.cleaned_data["other"]
    with refused_to(request):
        done = replace_coder(project, round_, coder, other)
        begun = f" {coder} has begun {pluralize(done.released, 'text')}: that work stays, and {other} codes them anew."
        messages.success(
            request,
            f"{pluralize(done.unassigned + done.released, 'text')} assigned to {other} in place of {coder}."
            f"{begun if done.released else ''}",
        )
    return redirect(_address(project, round_.name))


@project_action(Right.MANAGE_WORK)
def release(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Release assignments that nobody has worked on for some days."""
    round_ = round_for(project, name)
    form = ReleaseForm(request.POST)
    with refused_to(request):
        if not form.is_valid():
            raise ValidationError(form.errors["days"].as_data())
        done = release_idle(project, round_, form.cleaned_data["days"])
        messages.success(
            request,
            f"{pluralize(done.unassigned, 'assignment')} that nobody had begun taken away; "
            f"{pluralize(done.released, 'text')} released, and the work on them stays. Apply the plan to fill places.",
        )
    return redirect(_address(project, round_.name))


@project_action()
def take_next(request: HttpRequest, project: Project) -> HttpResponse:
    """Take the next text of a pool and open it."""
    with refused_to(request):
        coding = take_next_text(project, signed_in_user(request), request.POST.get("round", ""))
        return redirect("code", project.slug, coding.text.slug)
    return redirect("project", project.slug)


@project_form(Right.MANAGE_WORK, changes=True)
def repeats(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Show the repeated texts of a round and the preview of the plan in the address; apply the plan on POST."""
    round_ = round_for(project, name)
    address = reverse("repeats", args=[project.slug, round_.name])
    if "preview" in request.POST:
        return redirect(preview_address(request, address))
    coders = members_in_roles(project, BLIND_ROLES).order_by("username")
    fields = request.POST if request.method == "POST" else request.GET
    plan = RepeatPlan.objects.filter(round=round_).select_related("round__project").prefetch_related("coders").first()
    form = RepeatForm(coders, fields if "days" in fields else None, initial=initial_repeats(plan))
    context: dict[str, Any] = {"round": round_, "plan": plan, "form": form}
    try:
        if "withdraw" in request.POST:
            messages.success(request, f"{pluralize(withdraw_repeats(project, round_), 'text')} unassigned.")
            return redirect(address)
        refuse_repeats(project, round_)
        if form.is_bound and form.is_valid():
            request_ = form.as_request(round_.name)
            if request.method == "POST":
                number = apply_repeats(project, request_).n_new
                messages.success(request, f"{pluralize(number, 'text')} shown again. Nobody is told which.")
                return redirect(address)
            context |= {"shown": view_repeats(project, request_), "previews": True}
        elif not form.is_bound:
            recorded = request_of(plan) if plan is not None else None
            context["shown"] = view_repeats(project, recorded) if recorded is not None else None
    except ValidationError as error:
        context["refused"] = error.messages
    if context.get("shown"):
        context["coders"] = page_of(request, context["shown"].coders, name="page")
    context["may_order"] = round_.kind in COUNTED_KINDS and not (round_.is_closed or project.results_open)
    status = 400 if form.errors or ("refused" in context and request.method == "POST") else 200
    return show(request, project, "annotations/planning/repeats.html", context, status=status)
