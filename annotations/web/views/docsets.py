"""The pages of docsets: their summaries and peers, assignments, and the agreed pyramid."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from annotations.adjudication.drafts import agreed_state, draft_gold
from annotations.adjudication.states import State
from annotations.coding.decisions import OperationRejected
from annotations.coding.status import reopen_requests
from annotations.core.text import pluralize
from annotations.docsets.deletion import FEWEST_SUMMARIES
from annotations.docsets.deletion import delete_summary as delete_summary_of
from annotations.docsets.progress import (
    CodingProgress,
    Task,
    coders_in,
    codings_progress,
    docset_overview,
    docset_overviews,
    list_tasks,
    next_of_coder,
    progress_tables,
    tasks_in,
    visible_codings,
    visible_docsets,
)
from annotations.docsets.texts import find_peers, read_peers, visible_summaries
from annotations.models import Coding, Docset, Project
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.planning.work.progress import CODERS_ON_A_PAGE
from annotations.projects.listing import steps_to_do
from annotations.projects.people.peer_names import is_blind_to_peers
from annotations.projects.permissions import project_for
from annotations.texts.changes import delete_docset as delete_with_work
from annotations.texts.changes import deletion_figures
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.forms.docsets import DocsetAssignForm, NewDocset, NewPeers, ReassignAgreedForm, StartAgreedForm
from annotations.web.forms.gold import DraftAgreedForm
from annotations.web.forms.texts import DeletionForm
from annotations.web.paging import page_of, search_of
from annotations.web.views import signed_in_user
from annotations.web.views.news import news_for

PEERS_ON_A_PAGE = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def docsets(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the docsets of a project of pyramids, to a coder those in which they code; managers can create docsets."""
    project = project_for(request.user, slug, Right.MANAGE if request.method == "POST" else Right.VIEW_PROJECT)
    _refuse_other_projects(project)
    shown = page_of(request, visible_docsets(project, signed_in_user(request)))
    context: dict[str, Any] = {
        "project": project,
        "shown": shown,
        "docsets": docset_overviews(project, signed_in_user(request), shown),
        "sees_all": may(project, Right.SEE_RESULTS),
        "manages": may_change(project, Right.MANAGE),
    }
    form = NewDocset()
    if request.method == "POST":
        if form.requests_row(request):
            refilled = form.refilled(request.POST)
            return render(request, "annotations/docsets/docsets.html", context | {"new": refilled})
        form = NewDocset(request.POST, request.FILES)
        if form.is_valid():
            try:
                if form.uploads and not form.is_pyramid:
                    refilled = form.refilled(request.POST, form.read())
                    return render(request, "annotations/docsets/docsets.html", context | {"new": refilled})
                docset = form.save(project)
            except ValidationError as error:
                form.add_error(error)
            else:
                messages.success(request, f"Docset “{docset}” created. Next: assign coders.")
                return redirect("docset", project.slug, docset.slug)
    status = 400 if request.method == "POST" else 200
    return render(request, "annotations/docsets/docsets.html", context | {"new": form}, status=status)


@login_required
@require_safe
def docset(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Show a docset: its summaries, its peers and the progress of its codings; to a coder, only their own."""
    project = project_for(request.user, slug)
    docset_row = _docset(request, project, docset)
    user, blind, search = signed_in_user(request), is_blind_to_peers(project), search_of(request)
    overview = docset_overview(docset_row, project, user)
    shown_peers = page_of(
        request, find_peers(docset_row, user, search, blind=blind), name="peers", size=PEERS_ON_A_PAGE
    )
    context = {
        "project": project,
        "docset": overview,
        "search": search,
        "summaries": visible_summaries(docset_row, user),
        "shown_peers": shown_peers,
        "peers": read_peers(shown_peers),
        "sees_all": may(project, Right.SEE_RESULTS),
        "manages": may_change(project, Right.MANAGE),
        "may_delete_summary": may_change(project, Right.MANAGE)
        and overview.summaries > FEWEST_SUMMARIES
        and not any(coding.is_started or coding.is_submitted for coding in overview.codings),
        "not_begun": page_of(
            request,
            list(
                Coding.objects.not_begun()
                .filter(text__docset=docset_row)
                .select_related("coder", "text", "round")
                .only("kind", "coder__username", "text__slug", "text__title", "text__docset", "round__name")
            ),
            name="unassign",
        )
        if may_change(project, Right.MANAGE)
        else None,
        "agreed_state": agreed_state(docset_row) if overview.agreed and may(project, Right.ADJUDICATE) else None,
        "may_draft_again": may_change(project, Right.DISCUSS),
        "may_reassign": may_change(project, Right.MANAGE) and overview.agreed is not None,
        "may_start": may_change(project, Right.DISCUSS)
        and overview.agreed is None
        and any(coding.is_submitted for coding in overview.pyramids),
    }
    listed = _listed(request, project, tasks_in(overview), search)
    context |= listed.context(overview.codings)
    return render(request, "annotations/docsets/docset.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def peers(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Add peer summaries, pasted or from files, which are shown before they are added."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    docset_row = _docset(request, project, docset)
    context = {"project": project, "docset": docset_row, "new": NewPeers()}
    if request.method == "POST":
        form = NewPeers()
        if form.requests_row(request):
            refilled = form.refilled(request.POST)
            return render(request, "annotations/docsets/docset_peers.html", context | {"new": refilled})
        form = NewPeers(request.POST, request.FILES)
        if form.is_valid():
            try:
                if form.uploads:
                    refilled = form.refilled(request.POST, form.read())
                    return render(request, "annotations/docsets/docset_peers.html", context | {"new": refilled})
                peer_texts = form.save(docset_row)
            except ValidationError as error:
                form.add_error(error)
            else:
                if peer_texts:
                    messages.success(request, f"{pluralize(len(peer_texts), 'peer')} added. Next: assign coders.")
                    return redirect("docset", project.slug, docset_row.slug)
        return render(request, "annotations/docsets/docset_peers.html", context | {"new": form}, status=400)
    return render(request, "annotations/docsets/docset_peers.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Assign the pyramid of a docset, and peers against the coders' own pyramids or the agreed one."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    docset_row = _docset(request, project, docset)
    form = DocsetAssignForm(docset_row, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            n_new = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{pluralize(n_new, 'assignment')} created.")
            return redirect("docset", project.slug, docset_row.slug)
    context = {"project": project, "docset": docset_row, "form": form}
    return render(request, "annotations/docsets/docset_assign.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agreed(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Start the agreed pyramid by a copy or a draft: as adjudicator for oneself, as manager for an adjudicator.

    If there is one, it can be drafted again here, and a manager can assign it to another adjudicator.
    """
    project = project_for(request.user, slug, Right.DISCUSS, changes=True)
    docset_row = _docset(request, project, docset)
    agreed_coding = (
        Coding.objects.filter(text__docset=docset_row, kind=Coding.Kind.AGREED).select_related("coder").first()
    )
    if agreed_coding is not None and "again" in request.POST:
        return _draft_again(request, project, docset_row, agreed_coding)
    if agreed_coding is not None and may(project, Right.MANAGE):
        if "start" in request.POST or "method" in request.POST:  # the form was opened before there was one
            messages.error(
                request, f"{agreed_coding.coder} has started the agreed pyramid in the meantime. Nothing was changed."
            )
            return redirect("docset-agreed", project.slug, docset_row.slug)
        return _reassign_agreed(request, project, docset_row, agreed_coding)
    adjudicator = None if may(project, Right.MANAGE) else signed_in_user(request)
    drafts = "method" in request.POST
    draft_form = DraftAgreedForm(docset_row, adjudicator, request.POST if drafts else None)
    if drafts and draft_form.is_valid():
        response = _draft_agreed(request, project, docset_row, draft_form)
        if response is not None:
            return response
    form = StartAgreedForm(docset_row, adjudicator, request.POST if request.method == "POST" and not drafts else None)
    if request.method == "POST" and not drafts and form.is_valid():
        try:
            coding = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        except OperationRejected as rejection:
            form.add_error(None, str(rejection))
        else:
            messages.success(request, f"Agreed pyramid started for {coding.coder}.")
            if coding.coder_id == request.user.pk:
                return redirect("code-agreed", project.slug, coding.text.slug)
            return redirect("docset", project.slug, docset_row.slug)
    context = {
        "project": project,
        "docset": docset_row,
        "form": form,
        "draft_form": draft_form,
        "agreed_coding": agreed_coding,
        "manages": adjudicator is None,
        "again_form": _again_form(docset_row),
    }
    status = 400 if form.errors or draft_form.errors else 200
    return render(request, "annotations/docsets/docset_agreed.html", context, status=status)


def _draft_agreed(request: HttpRequest, project: Project, docset: Docset, form: DraftAgreedForm) -> HttpResponse | None:
    """Draft the agreed pyramid, asked once where coders have not submitted theirs yet; None where it is refused."""
    pyramids = Coding.objects.filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
    n_submitted, n_all = pyramids.filter(status=Coding.Status.SUBMITTED).count(), pyramids.count()
    if n_submitted < n_all and not is_confirmed(request):
        lines = [
            f"{n_submitted} of {n_all} coders have submitted their pyramid.",
            "What the others submit later is not in the draft.",
        ]
        back = reverse("docset-agreed", args=[project.slug, docset.slug])
        question = Question("Draft the agreed pyramid before all have submitted?", lines, "Draft", back, "docsets")
        return ask(request, project, question)
    order = form.order()
    try:
        report = draft_gold(project, order)
    except ValidationError as error:
        form.add_error(None, error.messages)
        return None
    if report.begun:
        form.add_error(None, f"{docset} already has an agreed pyramid.")
        return None
    messages.success(request, f"Agreed pyramid drafted for {order.adjudicator}.")
    if order.adjudicator == signed_in_user(request).get_username():
        return redirect("code-agreed", project.slug, docset.slug)
    return redirect("docset", project.slug, docset.slug)


def _again_form(docset: Docset) -> DraftAgreedForm | None:
    """Return the form by which the agreed pyramid is drafted again; None where it cannot be."""
    state = agreed_state(docset)
    if state is None or state.draft is None or state.state is State.CLOSED:
        return None
    return DraftAgreedForm(docset, state.coding.coder, prefix="draft")


def _draft_again(request: HttpRequest, project: Project, docset: Docset, agreed_coding: Coding) -> HttpResponse:
    """Draft the agreed pyramid again, asked once; it stays in the same hands, and what was decided stays."""
    form = DraftAgreedForm(docset, agreed_coding.coder, request.POST, prefix="draft")
    back = redirect("docset-agreed", project.slug, docset.slug)
    if not form.is_valid():
        messages.error(request, "Choose of what the agreed pyramid is drafted.")
        return back
    if not is_confirmed(request):
        lines = ["What was decided stays as it is; what was not is drafted anew of what is submitted now."]
        address = reverse("docset-agreed", args=[project.slug, docset.slug])
        return ask(
            request, project, Question("Draft the agreed pyramid again?", lines, "Draft again", address, "docsets")
        )
    try:
        report = draft_gold(project, replace(form.order(), adjudicator="", again=True))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return back
    if report.begun:
        messages.error(request, "The agreed pyramid is submitted, or came from a file: it is not drafted again.")
        return back
    messages.success(request, "Agreed pyramid drafted again.")
    return redirect("docset", project.slug, docset.slug)


def _reassign_agreed(request: HttpRequest, project: Project, docset: Docset, agreed_coding: Coding) -> HttpResponse:
    form = ReassignAgreedForm(agreed_coding, docset, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            coding = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"Agreed pyramid reassigned to {coding.coder}.")
            return redirect("docset", project.slug, docset.slug)
    context = {"project": project, "docset": docset, "form": form, "agreed_coding": agreed_coding, "manages": True}
    context["again_form"] = _again_form(docset)
    return render(request, "annotations/docsets/docset_agreed.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_docset(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Delete a docset with its summaries, peers and all that hangs on them, once somebody has seen what that is."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    docset_row = _docset(request, project, docset)
    figures = deletion_figures(docset_row.texts.all())
    form = DeletionForm(docset_row, figures, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            deleted = delete_with_work(docset_row, form.cleaned_data["seen"])
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return redirect("delete-docset", project.slug, docset_row.slug)
        messages.success(request, f"Deleted “{docset_row.title}”: {', '.join(deleted.lines)}.")
        return redirect("docsets", project.slug)
    context = {"project": project, "docset": docset_row, "figures": figures, "form": form}
    return render(request, "annotations/docsets/docset_delete.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_summary(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Delete a model summary of a docset on which nobody has worked."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    docset_row = _docset(request, project, docset)
    name = (request.POST if request.method == "POST" else request.GET).get("name", "")
    if request.method == "POST":
        try:
            delete_summary_of(docset_row, name)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            messages.success(request, f"Deleted the summary “{name}”.")
        return redirect("docset", project.slug, docset_row.slug)
    context = {"project": project, "docset": docset_row, "name": name}
    return render(request, "annotations/docsets/summary_delete.html", context)


def home(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the progress of all codings of a project of pyramids by docset; to a coder, only their own."""
    user, search = signed_in_user(request), search_of(request)
    context: dict[str, Any] = {
        "project": project,
        "search": search,
        "sees_all": may(project, Right.SEE_RESULTS),
        "manages": may_change(project, Right.MANAGE),
        "reopen_requests": reopen_requests(project) if may_change(project, Right.MANAGE) else (),
        "steps": steps_to_do(project),
    }
    blind = is_blind_to_peers(project)
    tasks = list_tasks(visible_docsets(project, user), visible_codings(project, user), blind=blind)
    listed = _listed(request, project, tasks, search)
    shown = Coding.with_models.filter(pk__in=listed.codings)
    context |= listed.context(codings_progress(shown, blind=blind) if listed.codings else ())
    context["next"] = next_of_coder(project, user) if context["codes"] and project.archived_at is None else None
    context |= news_for(project, user, codes=context["codes"])
    return render(request, "annotations/docsets/pyramids_home.html", context)


@dataclass(frozen=True, slots=True)
class _Listed:
    """What a page lists of tasks that a search finds: a page of the user's own, and one of everybody's."""

    user: str
    codes: bool
    search: str
    own: Page[Task]
    tasks: Page[Task]
    coders: Page[str]

    @property
    def codings(self) -> list[int]:
        """The keys of the codings that it shows."""
        coders = set(self.coders)
        own = [task.codings[self.user] for task in self.own]
        return own + [pk for task in self.tasks for coder, pk in task.codings.items() if coder in coders]

    def context(self, codings: Collection[CodingProgress]) -> dict[str, Any]:
        """Return the context of its templates; `codings` has how far those are that it shows."""
        own = progress_tables(self.own, [self.user], codings)
        return {
            "codes": self.codes,
            "shown_own": self.own,
            "own": [(table.docset, [cell for row in table.rows for cell in row.cells]) for table in own],
            "shown": self.tasks,
            "coders": self.coders,
            "tables": progress_tables(self.tasks, list(self.coders), codings),
            # A few are seen at a glance.
            "searches": self.search or self.tasks.has_other_pages() or self.own.has_other_pages(),
        }


def _listed(request: HttpRequest, project: Project, tasks: Sequence[Task], search: str) -> _Listed:
    name, words = signed_in_user(request).get_username(), search.split()
    found = [task for task in tasks if task.matches(words)]
    shown = page_of(request, found if may(project, Right.SEE_RESULTS) else [])
    return _Listed(
        name,
        any(name in task.codings for task in tasks),
        search,
        page_of(request, [task for task in found if name in task.codings], name="own"),
        shown,
        page_of(request, coders_in(shown), name="coders", size=CODERS_ON_A_PAGE),
    )


def _refuse_other_projects(project: Project) -> None:
    if project.answers != Project.Answers.SCUS:
        raise Http404("Only projects with the pyramid scheme have docsets.")


def _docset(request: HttpRequest, project: Project, docset: str) -> Docset:
    """Return the docset, if the user sees it. Raise Http404 if not."""
    _refuse_other_projects(project)
    return get_object_or_404(visible_docsets(project, signed_in_user(request)).select_related("project"), slug=docset)
