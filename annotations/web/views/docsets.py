"""The pages of docsets: their summaries and peers, assignments, and the agreed pyramid."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotations.adjudication.drafts import agreed_state, draft_gold
from annotations.adjudication.states import State
from annotations.coding.status import reopen_requests
from annotations.core.text import pluralize
from annotations.docsets import progress
from annotations.docsets.creation import MIN_SUMMARIES
from annotations.docsets.creation import delete_summary as delete_summary_of
from annotations.docsets.progress import find_peers, read_peers, visible_summaries
from annotations.models import Coding, Docset, Project
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.planning.work.progress import CODERS_ON_A_PAGE
from annotations.projects.listing import steps_to_do
from annotations.projects.people.peer_names import is_blind_to_peers
from annotations.texts.changes import delete_docset as delete_with_work
from annotations.texts.changes import deletion_figures
from annotations.web.access import project_form, project_page, show, signed_in_user
from annotations.web.forms.docsets import DocsetAssignForm, NewDocset, NewPeers, ReassignAgreedForm, StartAgreedForm
from annotations.web.forms.gold import DraftAgreedForm
from annotations.web.forms.texts import DeletionForm
from annotations.web.shared import Question, ask, is_confirmed, news_for, page_of, refused_at, refused_to, search_of

PEERS_ON_A_PAGE = 20


@project_form(Right.VIEW_PROJECT, post=Right.MANAGE)
def docsets(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the docsets of a pyramid project (to a coder, only assigned ones); managers can create docsets."""
    progress.refuse_other_projects(project)
    shown = page_of(request, progress.visible_docsets(project, signed_in_user(request)))
    context: dict[str, Any] = {
        "shown": shown,
        "docsets": progress.docset_overviews(project, signed_in_user(request), shown),
        "sees_all": may(project, Right.SEE_RESULTS),
    }
    form, created = NewDocset.answer(request, project)
    if created is not None:
        messages.success(request, f"Docset “{created}” created. Next: assign coders.")
        return redirect("docset", project.slug, created.slug)
    return show(request, project, "annotations/docsets/docsets.html", context | {"new": form}, status=form.status)


@project_page()
def docset(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Show a docset with its summaries, peers and progress; coders see only their own progress."""
    user, search, manages = signed_in_user(request), search_of(request), may_change(project, Right.MANAGE)
    docset_row = progress.find_docset(project, user, docset)
    overview = progress.docset_overview(docset_row, project, user)
    matching_peers = find_peers(docset_row, user, search, blind=is_blind_to_peers(project))
    shown_peers = page_of(request, matching_peers, name="peers", size=PEERS_ON_A_PAGE)
    not_begun = Coding.objects.of_people().not_begun().select_related("coder", "text", "round")
    not_begun = not_begun.filter(text__docset=docset_row)
    not_begun = not_begun.only("kind", "coder__username", "text__slug", "text__title", "text__docset", "round__name")
    context = {
        "docset": overview,
        "search": search,
        "summaries": visible_summaries(docset_row, user),
        "shown_peers": shown_peers,
        "peers": read_peers(shown_peers),
        "sees_all": may(project, Right.SEE_RESULTS),
        "may_delete_summary": manages
        and overview.summaries > MIN_SUMMARIES
        and not any(coding.is_started or coding.is_submitted for coding in overview.codings),
        "not_begun": page_of(request, list(not_begun), name="unassign") if manages else None,
        "agreed_state": agreed_state(docset_row) if overview.agreed and may(project, Right.ADJUDICATE) else None,
        "may_draft_again": may_change(project, Right.DISCUSS),
        "may_reassign": manages and overview.agreed is not None,
        "may_start": may_change(project, Right.DISCUSS)
        and overview.agreed is None
        and any(coding.is_submitted for coding in overview.pyramids),
    }
    context |= _list_tasks(request, project, progress.tasks_in(overview), search, lambda _: overview.codings)
    return show(request, project, "annotations/docsets/docset.html", context)


@project_form(Right.MANAGE, changes=True)
def peers(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Add pasted or uploaded peer summaries, which are shown before they are added."""
    docset_row = progress.find_docset(project, signed_in_user(request), docset)
    form, added = NewPeers.answer(request, docset_row)
    if added is not None:
        messages.success(request, f"{pluralize(len(added), 'peer')} added. Next: assign coders.")
        return redirect("docset", project.slug, docset_row.slug)
    context = {"docset": docset_row, "new": form}
    return show(request, project, "annotations/docsets/docset_peers.html", context, status=form.status)


@project_form(Right.MANAGE, changes=True)
def assign(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Assign the pyramid of a docset, and peers to be coded against the coders' own pyramids or the agreed one."""
    docset_row = progress.find_docset(project, signed_in_user(request), docset)
    form = DocsetAssignForm(docset_row, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form):
            messages.success(request, f"{pluralize(form.save(), 'assignment')} created.")
            return redirect("docset", project.slug, docset_row.slug)
    return show(request, project, "annotations/docsets/docset_assign.html", {"docset": docset_row}, form=form)


@project_form(Right.DISCUSS, changes=True)
def agreed(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Start, draft again or reassign the agreed pyramid; adjudicators act for themselves, managers for another."""
    docset_row = progress.find_docset(project, signed_in_user(request), docset)
    agreed_codings = Coding.objects.of_people().filter(text__docset=docset_row, kind=Coding.Kind.AGREED)
    agreed_coding = agreed_codings.select_related("coder").first()
    if agreed_coding is not None and "again" in request.POST:
        return _draft_again(request, project, docset_row, agreed_coding)
    manages, drafts = may(project, Right.MANAGE), "method" in request.POST
    if agreed_coding is not None and manages and (drafts or "start" in request.POST):
        # The form was opened before the agreed pyramid existed.
        started = f"{agreed_coding.coder} has started the agreed pyramid in the meantime."
        messages.error(request, f"{started} Nothing was changed.")
        return redirect("docset-agreed", project.slug, docset_row.slug)
    adjudicator = None if manages else signed_in_user(request)
    draft_form = DraftAgreedForm(docset_row, adjudicator, request.POST if drafts else None)
    if draft_form.is_valid() and (response := _draft_agreed(request, project, docset_row, draft_form)) is not None:
        return response
    sent = request.POST if request.method == "POST" and not drafts else None
    form: StartAgreedForm | ReassignAgreedForm
    if agreed_coding is not None and manages:
        form, done = ReassignAgreedForm(docset_row, agreed_coding, sent), "reassigned to"
    else:
        form, done = StartAgreedForm(docset_row, adjudicator, sent), "started for"
    if form.is_valid():
        with refused_at(form):
            coding = form.save()
            messages.success(request, f"Agreed pyramid {done} {coding.coder}.")
            if agreed_coding is None and coding.coder_id == request.user.pk:
                return redirect("code-agreed", project.slug, coding.text.slug)
            return redirect("docset", project.slug, docset_row.slug)
    context = {
        "docset": docset_row,
        "form": form,
        "draft_form": draft_form,
        "agreed_coding": agreed_coding,
        "again_form": _again_form(docset_row),
    }
    status = 400 if form.errors or draft_form.errors else 200
    return show(request, project, "annotations/docsets/docset_agreed.html", context, status=status)


def _draft_agreed(request: HttpRequest, project: Project, docset: Docset, form: DraftAgreedForm) -> HttpResponse | None:
    """Draft the agreed pyramid, with a question first if coders have yet to submit; None if the form has errors."""
    pyramids = Coding.objects.of_people().filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
    n_submitted, n_all = pyramids.filter(status=Coding.Status.SUBMITTED).count(), pyramids.count()
    if n_submitted < n_all and not is_confirmed(request):
        lines = [
            f"{n_submitted} of {n_all} coders have submitted their pyramid.",
            "What the others submit later is not in the draft.",
        ]
        back = reverse("docset-agreed", args=[project.slug, docset.slug])
        heading = "Draft the agreed pyramid before all have submitted?"
        return ask(request, project, Question(heading, lines, "Draft", back, "docsets"))
    order = form.order()
    with refused_at(form):
        if draft_gold(project, order).begun:
            raise ValidationError(f"{docset} already has an agreed pyramid.")
    if form.errors:
        return None
    messages.success(request, f"Agreed pyramid drafted for {order.adjudicator}.")
    if order.adjudicator == signed_in_user(request).get_username():
        return redirect("code-agreed", project.slug, docset.slug)
    return redirect("docset", project.slug, docset.slug)


def _again_form(docset: Docset) -> DraftAgreedForm | None:
    """Return the form that drafts the agreed pyramid again; None if that is impossible."""
    state = agreed_state(docset)
    if state is None or state.draft is None or state.state is State.CLOSED:
        return None
    return DraftAgreedForm(docset, state.coding.coder, prefix="draft")


def _draft_again(request: HttpRequest, project: Project, docset: Docset, agreed_coding: Coding) -> HttpResponse:
    """Draft the agreed pyramid again, after confirmation; its owner and all decisions stay."""
    form = DraftAgreedForm(docset, agreed_coding.coder, request.POST, prefix="draft")
    back = redirect("docset-agreed", project.slug, docset.slug)
    if not form.is_valid():
        messages.error(request, "Choose of what the agreed pyramid is drafted.")
        return back
    if not is_confirmed(request):
        lines = ["What was decided stays as it is; what was not is drafted anew of what is submitted now."]
        question = Question("Draft the agreed pyramid again?", lines, "Draft again", back.url, "docsets")
        return ask(request, project, question)
    with refused_to(request):
        if draft_gold(project, replace(form.order(), adjudicator="", again=True)).begun:
            raise ValidationError("The agreed pyramid is submitted, or came from a file: it is not drafted again.")
        messages.success(request, "Agreed pyramid drafted again.")
        return redirect("docset", project.slug, docset.slug)
    return back


@project_form(Right.MANAGE, changes=True)
def delete_docset(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Delete a docset with its texts and their codings, after confirmation."""
    docset_row = progress.find_docset(project, signed_in_user(request), docset)
    figures = deletion_figures(docset_row.texts.all())
    form = DeletionForm(docset_row, figures, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_to(request):
            deleted = delete_with_work(docset_row, form.cleaned_data["seen"])
            messages.success(request, f"Deleted “{docset_row.title}”: {', '.join(deleted.lines)}.")
            return redirect("docsets", project.slug)
        return redirect("delete-docset", project.slug, docset_row.slug)
    context = {"docset": docset_row, "figures": figures}
    return show(request, project, "annotations/docsets/docset_delete.html", context, form=form)


@project_form(Right.MANAGE, changes=True)
def delete_summary(request: HttpRequest, project: Project, docset: str) -> HttpResponse:
    """Delete a model summary of a docset without begun codings."""
    docset_row = progress.find_docset(project, signed_in_user(request), docset)
    if request.method != "POST":
        context = {"docset": docset_row, "name": request.GET.get("name", "")}
        return show(request, project, "annotations/docsets/summary_delete.html", context)
    with refused_to(request):
        name = request.POST.get("name", "")
        delete_summary_of(docset_row, name)
        messages.success(request, f"Deleted the summary “{name}”.")
    return redirect("docset", project.slug, docset_row.slug)


def home(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the progress of a pyramid project by docset; coders see only their own progress."""
    user, search, blind = signed_in_user(request), search_of(request), is_blind_to_peers(project)
    context: dict[str, Any] = {
        "search": search,
        "sees_all": may(project, Right.SEE_RESULTS),
        "reopen_requests": reopen_requests(project) if may_change(project, Right.MANAGE) else (),
        "steps": steps_to_do(project),
    }
    shown, codings = progress.visible_docsets(project, user), progress.visible_codings(project, user)
    tasks = progress.list_tasks(shown, codings, blind=blind)

    def read_progress(keys: Collection[int]) -> Collection[progress.CodingProgress]:
        return progress.codings_progress(Coding.objects.of_coders().filter(pk__in=keys), blind=blind) if keys else ()

    context |= _list_tasks(request, project, tasks, search, read_progress)
    is_active = context["codes"] and project.archived_at is None
    context["next"] = progress.next_of_coder(project, user) if is_active else None
    context |= news_for(project, user, codes=context["codes"])
    return show(request, project, "annotations/docsets/pyramids_home.html", context)


def _list_tasks(
    request: HttpRequest,
    project: Project,
    tasks: Sequence[progress.Task],
    search: str,
    read_progress: Callable[[Collection[int]], Collection[progress.CodingProgress]],
) -> dict[str, Any]:
    """Return the pages of tasks that match the search: the user's own and all. `read_progress` reads codings by key."""
    name, words = signed_in_user(request).get_username(), search.split()
    matches = [task for task in tasks if task.matches(words)]
    own = page_of(request, [task for task in matches if name in task.codings], name="own")
    shown = page_of(request, matches if may(project, Right.SEE_RESULTS) else [])
    coders = page_of(request, progress.coders_in(shown), name="coders", size=CODERS_ON_A_PAGE)
    names = list(coders)
    keys = [task.codings[name] for task in own]
    keys += [pk for task in shown for coder, pk in task.codings.items() if coder in names]
    codings = read_progress(keys)
    return {
        "codes": any(name in task.codings for task in tasks),
        "shown_own": own,
        "own": [
            (table.docset, [cell for _, cells in table.rows for cell in cells])
            for table in progress.progress_tables(own, [name], codings)
        ],
        "shown": shown,
        "coders": coders,
        "tables": progress.progress_tables(shown, names, codings),
        # A short list needs no search.
        "searches": search or shown.has_other_pages() or own.has_other_pages(),
    }
