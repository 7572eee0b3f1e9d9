"""Imports and exports: ordered, looked at before they are carried out, and taken along."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import transfers
from annotations.formats import FORMATS, PYRAMID_FORMATS
from annotations.models import Transfer
from annotations.permissions import Right, may, project_for, transfer_for
from annotations.transfer_forms import ExportForm, ImportForm, RestoreForm
from annotations.views import person

# So long nobody wonders whether there is a worker.
PATIENCE = timedelta(seconds=10)
# Refused files, and other lists, that a page shows without being asked for more.
MOST_TOLD = 20


@login_required
@require_safe
def all_transfers(request: HttpRequest, slug: str) -> HttpResponse:
    """What came into the project and what left it, the latest first."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    found = list(Transfer.objects.shown_in(project))
    for one in found:
        transfers.settle(one)
    context = {
        "project": project,
        "transfers": [_shown(one) for one in found],
        "manages": may(project, Right.MANAGE),
    }
    return render(request, "annotations/transfers.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_files(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring texts and codings by upload."""
    project = project_for(request.user, slug, Right.MANAGE)
    if request.method == "POST":
        form = ImportForm(project, request.POST, request.FILES)
        if form.is_valid():
            made = transfers.order_import(
                project, person(request), form.cleaned_data["files"], form.chosen, form.choices
            )
            return redirect("transfer", made.pk)
    else:
        form = ImportForm(project, initial={"format": request.GET.get("format", "")})
    return _form(request, "annotations/import.html", {"project": project, "form": form})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def export_files(request: HttpRequest, slug: str) -> HttpResponse:
    """Take codings along in a format, or the whole project as an archive."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    archives = may(project, Right.MANAGE)
    if request.method == "POST":
        form = ExportForm(project, request.POST, archives=archives)
        if form.is_valid():
            made = transfers.order_export(project, person(request), form.chosen, form.choices)
            return redirect("transfer", made.pk)
    else:
        form = ExportForm(project, initial={"format": request.GET.get("format", "")}, archives=archives)
    return _form(request, "annotations/export.html", {"project": project, "form": form})


@login_required
@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest) -> HttpResponse:
    """Bring a project back from its archive, here or from another server."""
    form = RestoreForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        made = transfers.order_restore(person(request), form.cleaned_data["file"], form.cleaned_data["slug"])
        return redirect("transfer", made.pk)
    return render(request, "annotations/restore.html", {"form": form}, status=400 if form.errors else 200)


def _form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page of a form that asks for a format; where another was chosen, the fields that depend on it."""
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "annotations/format_fields.html", context)
    return render(request, template, context, status=400 if context["form"].errors else 200)


@login_required
@require_safe
def transfer(request: HttpRequest, pk: int) -> HttpResponse:
    """What an import or export would do, is doing, or has done."""
    found = transfer_for(request.user, pk)
    transfers.settle(found)
    context = {
        "project": found.project,
        "own": found.user_id == request.user.pk,
        "may_discard": transfers.may_discard(found, person(request)),
        "most": MOST_TOLD,
    } | _shown(found)
    if found.at_work:
        context["alone"] = not found.total and timezone.now() - found.told_at > PATIENCE
    if request.htmx:  # type: ignore[attr-defined]
        answer = render(request, "annotations/transfer_progress.html", context)
        if not found.at_work:
            answer["HX-Refresh"] = "true"
        return answer
    return render(request, "annotations/transfer.html", context)


def _shown(transfer: Transfer) -> dict[str, Any]:
    """A transfer with the words for it."""
    format_ = FORMATS.get(transfer.format) or PYRAMID_FORMATS.get(transfer.format)
    return {"transfer": transfer, "format": format_.label if format_ else "project archive"}


@login_required
@require_POST
def carry_out(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what was checked."""
    found = transfer_for(request.user, pk)
    if not transfers.carry_out(found, person(request)):
        messages.info(request, "This is carried out already, or was refused.")
    return redirect("transfer", found.pk)


@login_required
@require_POST
def discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget it and its file; what it has done stays."""
    found = transfer_for(request.user, pk)
    if not transfers.discard(found, person(request)):
        messages.error(request, "This is being worked on; wait until it is done.")
        return redirect("transfer", found.pk)
    messages.success(request, "Discarded. What it has done stays.")
    return redirect("transfers", found.project.slug) if found.project else redirect("home")


@login_required
@require_safe
def file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The file that was uploaded or made: to be kept, never to be shown."""
    return transfers.taken(transfer_for(request.user, pk))
