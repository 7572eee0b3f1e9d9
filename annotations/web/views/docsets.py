"""The pages of docsets: their summaries and peers, who codes what, and the agreed pyramid."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotations.decisions import Refused
from annotations.docset_forms import DocsetAssignForm, HandAgreedForm, NewDocset, NewPeers, StartAgreedForm
from annotations.docset_progress import coders_in, docsets_seen, next_of, overview_of, overviews, table
from annotations.docset_texts import peers_seen, summaries_seen
from annotations.importing.report import number
from annotations.models import Coding, Docset, Project
from annotations.permissions import Right, may, project_for
from annotations.views import person


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def docsets(request: HttpRequest, slug: str) -> HttpResponse:
    """The docsets of a project of pyramids; for a coder those in which they code. Managers make new ones here."""
    project = project_for(request.user, slug, Right.MANAGE if request.method == "POST" else Right.BE_HERE)
    _refuse_other(project)
    context: dict[str, Any] = {
        "project": project,
        "docsets": overviews(project, person(request)),
        "sees_all": may(project, Right.SEE_RESULTS),
        "manages": may(project, Right.MANAGE),
    }
    made = NewDocset()
    if request.method == "POST":
        if made.asks_for_row(request):
            again = made.shown_again(request.POST)
            return render(request, "annotations/docsets.html", context | {"new": again})
        made = NewDocset(request.POST, request.FILES)
        if made.is_valid():
            try:
                if made.uploaded and not made.pyramid:
                    again = made.shown_again(request.POST, made.read())
                    return render(request, "annotations/docsets.html", context | {"new": again})
                docset = made.save(project)
            except ValidationError as error:
                made.tell(error)
            else:
                messages.success(request, f"{docset} is there. Say next who makes a pyramid of it.")
                return redirect("docset", project.slug, docset.slug)
    status = 400 if request.method == "POST" else 200
    return render(request, "annotations/docsets.html", context | {"new": made}, status=status)


@login_required
@require_safe
def docset(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """A docset: its summaries to read, its peers, who codes what and how far; for a coder what is theirs."""
    project = project_for(request.user, slug)
    found = _docset(request, project, docset)
    overview = overview_of(found, project, person(request))
    coders = coders_in([overview])
    sees_all = may(project, Right.SEE_RESULTS)
    context = {
        "project": project,
        "docset": overview,
        "coders": coders,
        "rows": table(overview, coders),
        "own": [work for work in overview.works if work.coder == person(request).get_username()],
        "summaries": summaries_seen(found, person(request)),
        "peers": peers_seen(found, person(request)),
        "sees_all": sees_all,
        "manages": may(project, Right.MANAGE),
        "may_hand_on": may(project, Right.MANAGE) and overview.agreed is not None,
        "may_start": may(project, Right.DISCUSS)
        and overview.agreed is None
        and any(work.handed_in for work in overview.pyramids),
    }
    return render(request, "annotations/docset.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def peers(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Add peer summaries by paste or from files, which are shown before they are added."""
    project = project_for(request.user, slug, Right.MANAGE)
    found = _docset(request, project, docset)
    context = {"project": project, "docset": found, "new": NewPeers()}
    if request.method == "POST":
        new = NewPeers()
        if new.asks_for_row(request):
            again = new.shown_again(request.POST)
            return render(request, "annotations/docset_peers.html", context | {"new": again})
        new = NewPeers(request.POST, request.FILES)
        if new.is_valid():
            try:
                if new.uploaded:
                    again = new.shown_again(request.POST, new.read())
                    return render(request, "annotations/docset_peers.html", context | {"new": again})
                made = new.save(found)
            except ValidationError as error:
                new.tell(error)
            else:
                if made:
                    messages.success(
                        request, f"{number(len(made), 'peer')} added. Say next who holds them against what."
                    )
                    return redirect("docset", project.slug, found.slug)
        return render(request, "annotations/docset_peers.html", context | {"new": new}, status=400)
    return render(request, "annotations/docset_peers.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Give coders the pyramid of a docset, and peers to hold against their own or the agreed one."""
    project = project_for(request.user, slug, Right.MANAGE)
    found = _docset(request, project, docset)
    form = DocsetAssignForm(found, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            new = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{number(new, 'new coding')} to do.")
            return redirect("docset", project.slug, found.slug)
    context = {"project": project, "docset": found, "form": form}
    return render(request, "annotations/docset_assign.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agreed(request: HttpRequest, slug: str, docset: str) -> HttpResponse:
    """Begin the agreed pyramid with that of a coder: an adjudicator for themself, a manager for an adjudicator.

    Where there is one, a manager gives it to another adjudicator here.
    """
    project = project_for(request.user, slug, Right.DISCUSS)
    found = _docset(request, project, docset)
    there = Coding.objects.filter(text__docset=found, kind=Coding.Kind.AGREED).select_related("coder").first()
    if there is not None and may(project, Right.MANAGE):
        if "start" in request.POST:  # opened before there was one
            messages.error(request, f"{there.coder} has begun the agreed pyramid meanwhile; nothing was changed.")
            return redirect("docset-agreed", project.slug, found.slug)
        return _hand_on(request, project, found, there)
    by = None if may(project, Right.MANAGE) else person(request)
    form = StartAgreedForm(found, by, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            coding = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"The agreed pyramid is begun; {coding.coder} goes on with it.")
            if coding.coder_id == request.user.pk:
                return redirect("code-agreed", project.slug, coding.text.slug)
            return redirect("docset", project.slug, found.slug)
    context = {"project": project, "docset": found, "form": form, "there": there, "manages": by is None}
    return render(request, "annotations/docset_agreed.html", context, status=400 if form.errors else 200)


def _hand_on(request: HttpRequest, project: Project, docset: Docset, there: Coding) -> HttpResponse:
    form = HandAgreedForm(there, docset, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            coding = form.save()
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{coding.coder} goes on with the agreed pyramid.")
            return redirect("docset", project.slug, docset.slug)
    context = {"project": project, "docset": docset, "form": form, "there": there, "manages": True}
    return render(request, "annotations/docset_agreed.html", context, status=400 if form.errors else 200)


def home(request: HttpRequest, project: Project) -> HttpResponse:
    """The first page of a project of pyramids, docset by docset: everybody's progress, or for a coder their own."""
    found, me = overviews(project, person(request)), person(request).get_username()
    coders = coders_in(found)
    own = [(docset, [work for work in docset.works if work.coder == me]) for docset in found]
    context = {
        "project": project,
        "docsets": [(docset, table(docset, coders)) for docset in found],
        "coders": coders,
        "own": [(docset, works) for docset, works in own if works],
        "next": next_of([work for _, works in own for work in works], me),
        "sees_all": may(project, Right.SEE_RESULTS),
        "manages": may(project, Right.MANAGE),
    }
    return render(request, "annotations/pyramids_home.html", context)


def _refuse_other(project: Project) -> None:
    if project.answers != Project.Answers.SCUS:
        raise Http404("Docsets are of projects of pyramids; this one codes texts.")


def _docset(request: HttpRequest, project: Project, docset: str) -> Docset:
    """The docset, if the person sees it. Raises Http404."""
    _refuse_other(project)
    return get_object_or_404(docsets_seen(project, person(request)).select_related("project"), slug=docset)
