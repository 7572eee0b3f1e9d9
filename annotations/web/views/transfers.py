"""The pages of imports and exports: order, report, confirm, download."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.core.database.locks import DatabaseBusy
from annotations.formats import FORMATS, PYRAMID_FORMATS
from annotations.models import Project, Transfer
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.models.transfers.transfer import ARCHIVE
from annotations.projects.permissions import may_archive, transfer_for
from annotations.transfers import orders
from annotations.transfers.advice import Advice
from annotations.transfers.forms import OPTION_PREFIX, ExportForm, ImportForm, NamesForm, RestoreForm
from annotations.transfers.importing.report import ImportFailed
from annotations.transfers.importing.schemes.naming import NAME_OPTIONS, recall_names
from annotations.transfers.project_formats import may_create_scheme
from annotations.web.access import project_form, project_page, show, signed_in_user
from annotations.web.shared import page_of

PATIENCE = timedelta(seconds=10)  # after this time without a start, the page says that there may be no worker
MAX_SHOWN = 20  # entries of a list, such as refused files, that the page shows unfolded
MAX_DIGITS = 18  # digits of a primary key
BEING_WRITTEN = "The database is busy with an import. Try again in a moment."


@project_page(Right.SEE_RESULTS)
def all_transfers(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the imports and exports of the project, latest first."""
    shown = page_of(request, Transfer.objects.shown_in(project))
    for transfer in shown:
        orders.mark_if_lost(transfer)
    context = {"transfers": [_transfer_context(transfer) for transfer in shown], "shown": shown}
    return show(request, project, "annotations/transfers/transfers.html", context)


@project_form(Right.MANAGE_WORK, changes=True)
def import_files(request: HttpRequest, project: Project) -> HttpResponse:
    """Order an import of uploaded files."""
    before = _import_to_change(request, project)
    stored = before.choices["files"] if before else ()
    if request.method == "POST":
        form = ImportForm(project, _sent_fields(request, before), request.FILES, stored=stored)
        if form.is_valid() and may_order(request, form):
            transfer = _order_or_check(request, project, form, before)
            return redirect("transfer", transfer.pk)
    else:
        initial = _choices_of(before) if before else {}
        if "format" in request.GET:
            initial["format"] = request.GET["format"]
        form = ImportForm(project, initial=initial, stored=stored)
    return _form(request, "annotations/transfers/import.html", {"project": project, "form": form, "before": before})


def _sent_fields(request: HttpRequest, before: Transfer | None) -> Mapping[str, Any]:
    """Return the sent fields; if they change only some options of an import, merge them with its stored fields."""
    if before is None or "change" not in request.POST:
        return request.POST
    return {**_choices_of(before), **request.POST.dict()}


def _import_to_change(request: HttpRequest, project: Project) -> Transfer | None:
    """Return the user's own import whose options are being changed; None if there is none."""
    key = request.POST.get("again") or request.GET.get("again", "")
    if not (key.isascii() and key.isdigit() and len(key) < MAX_DIGITS):
        return None
    own = Transfer.objects.filter(project=project, user=signed_in_user(request), kind=Transfer.Kind.IMPORT)
    return own.filter(pk=int(key), state__in=orders.CHANGEABLE_STATES).first()


def _choices_of(transfer: Transfer) -> dict[str, Any]:
    """Return the form fields as they were sent for this import."""
    choices = transfer.choices
    coder_from = choices["coder_from"]
    is_one_coder = coder_from.startswith("=")
    options = {f"{OPTION_PREFIX}{key}": value for key, value in choices["options"].items()}
    return {
        "format": transfer.format,
        "whose": "one" if is_one_coder else coder_from or "nobody",
        "coder": coder_from[1:] if is_one_coder else "",
        "predefined": choices["predefined"],
        "create": choices["create"],
        "round": choices.get("round", ""),
        "gold": choices.get("gold", False),
        "new_scheme": choices.get("new_scheme", False),
        **options,
    }


def _with_recalled_names(project: Project, form: ImportForm) -> dict[str, Any]:
    """Return the choices of an import; without name mappings, add those of the last import of the format."""
    choices = form.choices
    if choices["new_scheme"] or any(key in choices["options"] for key in NAME_OPTIONS):
        return choices
    return {**choices, "options": {**recall_names(project, form.format_key), **choices["options"]}}


def _order_or_check(request: HttpRequest, project: Project, form: ImportForm, before: Transfer | None) -> Transfer:
    files, user = form.cleaned_data["files"], signed_in_user(request)
    if before is None or files:
        return orders.order_import(project, user, files, form.format_key, _with_recalled_names(project, form))
    try:
        if not orders.check_again(before, user, form.format_key, form.choices):
            messages.info(request, "This is worked on or done already; nothing was changed.")
    except ImportFailed as error:
        messages.error(request, str(error))
    return before


@project_form(Right.SEE_RESULTS, archived=True)
def export_files(request: HttpRequest, project: Project) -> HttpResponse:
    """Order an export of codings in a format, or of the whole project as an archive."""
    archives = may_archive(project)
    if request.method == "POST":
        form = ExportForm(project, request.POST, archives=archives)
        if form.is_valid() and may_order(request, form):
            transfer = orders.order_export(project, signed_in_user(request), form.format_key, form.choices)
            return redirect("transfer", transfer.pk)
    else:
        form = ExportForm(project, initial={"format": request.GET.get("format", "")}, archives=archives)
    return _form(request, "annotations/transfers/export.html", {"project": project, "form": form})


@permission_required("annotations.add_project", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest) -> HttpResponse:
    """Order the creation of a project from its archive."""
    form = RestoreForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid() and may_order(request, form):
        transfer = orders.order_restore(signed_in_user(request), form.cleaned_data["file"], form.cleaned_data["slug"])
        return redirect("transfer", transfer.pk)
    return render(request, "annotations/transfers/restore.html", {"form": form}, status=400 if form.errors else 200)


def may_order(request: HttpRequest, form: Form) -> bool:
    """Count an order of the user; add a form error if the hourly limit is exceeded."""
    max_orders = settings.API_ORDERS_AN_HOUR
    if orders.ORDERS.use(request.user.pk) <= max_orders:
        return True
    limit = f"You have reached the limit of {max_orders} imports and exports per hour."
    form.add_error(None, f"{limit} Try again in the next hour.")
    return False


def _form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Show a form with a format field; answer htmx with the fields that depend on the format."""
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "annotations/transfers/format_fields.html", context)
    return render(request, template, context, status=400 if context["form"].errors else 200)


@require_safe
def transfer(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the state and report of an import or export."""
    transfer_row = transfer_for(request.user, pk)
    orders.mark_if_lost(transfer_row)
    context = {
        "project": transfer_row.project,
        "sees_transfers": transfer_row.project is not None and may(transfer_row.project, Right.SEE_RESULTS),
        "own": transfer_row.user_id == request.user.pk,
        "may_discard": orders.may_discard(transfer_row, signed_in_user(request)),
        "most": MAX_SHOWN,
    } | _transfer_context(transfer_row)
    project = _changeable_in(request, transfer_row)
    if transfer_row.kind != Transfer.Kind.EXPORT and not transfer_row.is_active:
        context |= _advice(transfer_row, may_change=project is not None)
    if project is not None and transfer_row.format in FORMATS:
        context["names"] = NamesForm(project, transfer_row)
        context["may_create_scheme"] = may_create_scheme(project)
    if transfer_row.is_active:
        context["may_lack_worker"] = not transfer_row.total and timezone.now() - transfer_row.heartbeat_at > PATIENCE
    if request.htmx:  # type: ignore[attr-defined]
        response = render(request, "annotations/transfers/transfer_progress.html", context)
        if not transfer_row.is_active:
            response["HX-Refresh"] = "true"
        return response
    return render(request, "annotations/transfers/transfer.html", context)


def _transfer_context(transfer: Transfer) -> dict[str, Any]:
    """Return the context of a transfer: the transfer and the label of its format."""
    format_ = FORMATS.get(transfer.format) or PYRAMID_FORMATS.get(transfer.format)
    unnamed = "project archive" if transfer.format == ARCHIVE else "unknown format"
    return {"transfer": transfer, "format": format_.label if format_ else unnamed}


def _advice(transfer: Transfer, *, may_change: bool) -> dict[str, Any]:
    """Return the messages of an import in the words of the page, and the controls that they recommend."""
    report = transfer.report or {}
    file_names = report.get("found") or {}
    advice = Advice(transfer.format, transfer.choices.get("options", {}), has_names=any(file_names.values()))
    return {
        "numbered": advice.numbered_names(file_names),
        "error": advice.translate(transfer.error),
        "refused": advice.translate_groups(report.get("refused", ())),
        "odd": advice.translate_groups(report.get("odd", ())),
        "may_change_choices": may_change,
        "controls": list(advice.controls) if may_change else [],
    }


def _changeable_in(request: HttpRequest, transfer: Transfer) -> Project | None:
    """Return the project of an import if the user may still check it again with other choices; else None."""
    project = transfer.project
    is_own = transfer.kind == Transfer.Kind.IMPORT and transfer.user_id == request.user.pk
    if not is_own or project is None or project.archived_at is not None:
        return None
    return project if transfer.state in orders.CHANGEABLE_STATES else None


@require_POST
def map_names(request: HttpRequest, pk: int) -> HttpResponse:
    """Check an import again, with mapped names or with the scheme of its files."""
    transfer = transfer_for(request.user, pk)
    if transfer.user_id != request.user.pk:
        raise PermissionDenied(f"{transfer.user} started this.")
    project = _changeable_in(request, transfer)
    if project is None or transfer.format not in FORMATS:
        messages.info(request, "This can no longer be changed.")
        return redirect("transfer", transfer.pk)
    user, choices = signed_in_user(request), transfer.choices
    if "new_scheme" in request.POST and may_create_scheme(project):
        options = {key: value for key, value in choices["options"].items() if key not in NAME_OPTIONS}
        choices = {**choices, "options": options, "new_scheme": True}
    else:
        form = NamesForm(project, transfer, request.POST)
        if not form.is_valid():
            messages.error(request, "Choose a name of the scheme for each name of the files.")
            return redirect("transfer", transfer.pk)
        choices = {**choices, "options": form.mapped_options, "new_scheme": False}
    try:
        orders.check_again(transfer, user, transfer.format, choices)
    except ImportFailed as error:
        messages.error(request, str(error))
    return redirect("transfer", transfer.pk)


@require_POST
def carry_out(request: HttpRequest, pk: int) -> HttpResponse:
    """Apply a checked import."""
    transfer = transfer_for(request.user, pk)
    if not orders.carry_out(transfer, signed_in_user(request)):
        messages.info(request, "This was already confirmed, or was refused.")
    return redirect("transfer", transfer.pk)


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a transfer that is in progress or queued."""
    transfer = transfer_for(request.user, pk)
    try:
        if not orders.cancel(transfer, signed_in_user(request)):
            messages.info(request, "This had already finished.")
    except DatabaseBusy:
        messages.error(request, BEING_WRITTEN)
    return redirect("transfer", transfer.pk)


@require_POST
def discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a transfer and its file; what it changed stays."""
    transfer = transfer_for(request.user, pk)
    discarded = orders.describe_discarding(transfer)
    try:
        if not orders.discard(transfer, signed_in_user(request)):
            messages.error(request, "This is in progress. Cancel it, or wait until it is done.")
            return redirect("transfer", transfer.pk)
    except DatabaseBusy:
        messages.error(request, BEING_WRITTEN)
        return redirect("transfer", transfer.pk)
    messages.success(request, discarded)
    if transfer.project is None:
        return redirect("home")
    return redirect("transfers" if may(transfer.project, Right.SEE_RESULTS) else "project-texts", transfer.project.slug)


@require_safe
def file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Return the uploaded or exported file as an attachment."""
    return orders.download_response(transfer_for(request.user, pk))
