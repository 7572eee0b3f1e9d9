"""Jobs of import and export: checked, run, and stored for a while. A worker runs all but small jobs."""

import errno
import io
import logging
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Case, F, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Concat
from django.http import FileResponse, Http404
from django.tasks import task
from django.utils import timezone

from annotations.core.database.locks import refuse_busy_database
from annotations.core.files import write_whole
from annotations.core.http.limits import Limit
from annotations.core.processes.progress import Cancelled, Progress, WorkerStopped, progress_recorder
from annotations.core.processes.queue import LONG_PRIORITY, LONG_QUEUE, is_abandoned
from annotations.formats import FORMATS, FormatError
from annotations.formats.detection import HEAD_BYTES, MAX_FILES, detect_format, recognise
from annotations.formats.losses.reduction import LOSSES_FILE
from annotations.formats.syntax.archive import Entry, claimed_bytes
from annotations.models import Coding, Judgement, Project, Text, Transfer, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.models.transfers.transfer import ARCHIVE, FOLDER
from annotations.projects.viewing import record_view
from annotations.transfers.archiving import RestoreReport, archive_project, restore_project
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.documents import import_sources
from annotations.transfers.importing.files.sources import describe, open_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed

# Uploads up to this size, and exports up to these numbers, run in the request and take a second or two.
QUICK_BYTES = 200_000
# The largest unpacked size of zips that are read in the request.
QUICK_UNPACKED_BYTES = 5_000_000
QUICK_TEXTS, QUICK_JUDGEMENTS = 500, 10_000
# The maximum number of stored transfers of a user in a project, and their maximum age.
MAX_TRANSFERS = 30
MAX_AGE = timedelta(days=30)
# A younger file may still get its row, which is written after it.
ORPHAN_AGE = timedelta(days=1)

CHANGEABLE_STATES = (Transfer.State.CHECKED, Transfer.State.FAILED)  # states in which an import can be checked again
ZIP_ERRORS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError, zlib.error)
UNKNOWN_FORMAT = "The format of the files could not be detected: choose it under “Change options”"

NOTHING_CHANGED = "Nothing was changed."
STAYS = "Documents that have come in and stay: "
GOES_ON = "Check it again, or import the same files again, and it goes on from there."
LOST_MESSAGE = "The worker stopped, or none is running. It is safe to try again."
DISK_FULL_MESSAGE = "The disk of the server is full. Nothing was changed. Try again when there is room."
# The errors of a full disk, a quota, and a file that exceeds the allowed size.
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
STOPPED_MESSAGE = "The worker was stopped during this. Nothing was changed. Try again."
FAILURE_MESSAGE = "An error on the server stopped this; its log has details. Nothing was changed."

# Counts the transfers ordered by a user; the setting API_ORDERS_AN_HOUR limits them.
ORDERS = Limit("orders", seconds=3600)

logger = logging.getLogger(__name__)

type Rows = QuerySet[Transfer]

# A transfer that writes in one transaction sets `done` to `total` there; until then it is unwritten.
UNWRITTEN = Q(total=0) | Q(done__lt=F("total"))


def order_import(
    project: Project, user: User, files: Sequence[UploadedFile[Any]], format_key: str, choices: Mapping[str, Any]
) -> Transfer:
    """Check an import of the uploaded files, with the `choices` of ImportForm. An empty format is detected."""
    format_key = format_key or detect_format(_heads((file.name or "", file) for file in files))
    stored_choices = {**_fitting(choices, format_key), "files": [file.name for file in files]}
    transfer = Transfer(
        project=project, user=user, kind=Transfer.Kind.IMPORT, format=format_key, choices=stored_choices
    )
    if len(files) == 1:
        return _save_order(transfer, files[0])
    with tempfile.TemporaryFile() as out:
        with zipfile.ZipFile(out, "w") as archive:
            for number, file in enumerate(files, start=1):  # in folders, since two files may have the same name
                with archive.open(f"{number}/{file.name}", "w", force_zip64=True) as entry:
                    for chunk in file.chunks():
                        entry.write(chunk)
        out.seek(0)
        return _save_order(transfer, File(out))


def check_again(transfer: Transfer, user: User, format_key: str, choices: Mapping[str, Any]) -> bool:
    """Check an import with new choices. Return False if it runs or is done. Raise PermissionDenied or ImportFailed."""
    if transfer.user_id != user.pk:
        raise PermissionDenied(f"{transfer.user} started this.")
    if not format_key:
        with _open_upload(transfer) as upload:
            format_key = detect_format(_heads(_uploaded_files(transfer, upload)))
    rows = Transfer.objects.filter(pk=transfer.pk, kind=Transfer.Kind.IMPORT, state__in=CHANGEABLE_STATES)
    stored_choices = {**_fitting(choices, format_key), "files": transfer.choices["files"]}
    cleared = {"report": None, "error": "", "finished_at": None}
    return _start(rows, transfer, state=Transfer.State.CHECKING, format=format_key, choices=stored_choices, **cleared)


def _fitting(choices: Mapping[str, Any], format_key: str) -> dict[str, Any]:
    """Return the choices of an import; a format of texts only has no coders, whatever was chosen."""
    format_ = FORMATS.get(format_key)
    return {**choices, "coder_from": "nobody"} if format_ is not None and format_.texts_only else dict(choices)


def _heads(files: Iterable[tuple[str, Entry | File[Any]]]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and first bytes of each file, or of each file in a zip."""
    for name, content in islice(files, MAX_FILES):
        file = io.BytesIO(content.read()) if isinstance(content, Entry) else content
        file.seek(0)
        if not name.lower().endswith(".zip"):
            yield name, file.read(HEAD_BYTES)
        else:
            # Errors of a zip are reported when it is read.
            with suppress(*ZIP_ERRORS), zipfile.ZipFile(file) as archive:
                names = [inner for inner in archive.namelist() if not inner.endswith("/") and inner != LOSSES_FILE]
                for inner in names[:MAX_FILES]:
                    with archive.open(inner) as opened:
                        head = opened.read(HEAD_BYTES)
                    yield inner, head
        file.seek(0)


def order_export(project: Project, user: User, format_key: str, choices: Mapping[str, Any]) -> Transfer:
    """Find the losses of an export. `choices`: coders, texts, rounds, unfinished, gold and options, or empty."""
    return _save_order(
        Transfer(project=project, user=user, kind=Transfer.Kind.EXPORT, format=format_key, choices=dict(choices))
    )


def order_restore(user: User, file: UploadedFile[Any], slug: str) -> Transfer:
    """Check a project archive to restore with this slug; an empty slug keeps the old one."""
    choices = {"slug": slug, "file": file.name}
    return _save_order(Transfer(user=user, kind=Transfer.Kind.RESTORE, format=ARCHIVE, choices=choices), file)


def carry_out(transfer: Transfer, user: User) -> bool:
    """Run a checked transfer, as the user who ordered it. Return False if it is running or was refused."""
    if transfer.user_id != user.pk:
        raise PermissionDenied(f"{transfer.user} started this; only they can confirm it.")
    if transfer.kind == Transfer.Kind.RESTORE and not user.has_perm("annotations.add_project"):
        raise PermissionDenied("You are not allowed to create projects.")
    if transfer.choices.get("new_scheme") and not (transfer.project and may(transfer.project, Right.MANAGE)):
        raise PermissionDenied("You are not allowed to change the scheme.")
    rows = Transfer.objects.filter(pk=transfer.pk, state=Transfer.State.CHECKED)
    return _start(rows, transfer, state=Transfer.State.RUNNING)


def _start(rows: Rows, transfer: Transfer, **fields: object) -> bool:
    """Set an active state and run the transfer. Return False if another request was faster."""
    started = rows.update(**fields, heartbeat_at=timezone.now(), done=0, total=0, written=0)
    if started and _refresh(transfer):
        _run_or_enqueue(transfer)
    return bool(started)


def _refresh(transfer: Transfer, *fields: str) -> bool:
    """Reload the transfer from its row. Return False, without a change, if the row is deleted."""
    try:
        transfer.refresh_from_db(fields=list(fields) or None)
    except Transfer.DoesNotExist:
        return False
    return True


def discard(transfer: Transfer, user: User) -> bool:
    """Delete a transfer with its file, but not its results. Return False if a worker is running it.

    Raise PermissionDenied, or DatabaseBusy while an import writes to SQLite. `transfer_for` must have read the project.
    """
    _refuse_others(transfer, user)
    with refuse_busy_database():
        mark_if_lost(transfer)
        return _delete(transfer)


def describe_discarding(transfer: Transfer) -> str:
    """Return the message after the deletion of a transfer, which says whether its results are kept."""
    if transfer.kind == Transfer.Kind.EXPORT:
        return "Deleted."
    done = "restored" if transfer.kind == Transfer.Kind.RESTORE else "imported"
    if transfer.state == Transfer.State.DONE or transfer.written:
        return f"Deleted. What it {done} is kept."
    return f"Discarded. Nothing was {done}."


def cancel(transfer: Transfer, user: User) -> bool:
    """Cancel a waiting or running transfer, which leaves no results. Return False if it is too late.

    The worker notices when it next reports its progress. Raise the errors of `discard`.
    """
    _refuse_others(transfer, user)
    if not transfer.is_active:
        return False
    rows = Transfer.objects.filter(UNWRITTEN, pk=transfer.pk, state__in=Transfer.ACTIVE_STATES)
    with refuse_busy_database():
        is_cancelled = _fail(rows, f"Cancelled by {user.get_username()}. Nothing was changed.")
    _refresh(transfer)
    return is_cancelled


def may_discard(transfer: Transfer, user: User) -> bool:
    """Return whether the user ordered the transfer or manages its project, which `transfer_for` must have read."""
    return transfer.user_id == user.pk or (transfer.project is not None and may(transfer.project, Right.MANAGE))


def _refuse_others(transfer: Transfer, user: User) -> None:
    if not may_discard(transfer, user):
        raise PermissionDenied(f"{transfer.user} started this.")


def _delete(transfer: Transfer) -> bool:
    """Delete the transfer with its file unless its row says, at deletion, that a worker is running it."""
    is_running = Q(state__in=Transfer.ACTIVE_STATES, total__gt=0)
    n_deleted, _ = Transfer.objects.filter(pk=transfer.pk).exclude(is_running).delete()
    if n_deleted:
        transfer.file.delete(save=False)
    return bool(n_deleted)


def download_response(transfer: Transfer) -> FileResponse:
    """Return the file of a transfer as an attachment. Raise Http404 if it has none."""
    if not transfer.file:
        raise Http404("There is no file yet.")
    try:
        file = transfer.file.open()
    except FileNotFoundError:
        raise Http404("The file was deleted.") from None
    name, *others = transfer.choices.get("files") or [""]
    if others or not name:
        gold = transfer.choices.get("gold") if transfer.kind == Transfer.Kind.EXPORT else ""
        whose = transfer.project.slug if transfer.project else transfer.kind
        name = "-".join(filter(None, [whose, gold, f"{transfer.format}.zip"]))
    # Shared caches must not store the file, as other users may not have the right.
    headers = {"Cache-Control": "private, no-store"}
    kind = "application/zip" if name.lower().endswith(".zip") else "application/octet-stream"
    return FileResponse(file, as_attachment=True, filename=name, content_type=kind, headers=headers)


def mark_if_lost(transfer: Transfer) -> None:
    """Mark the transfer as failed if its worker has died. Waiting in a long queue is no failure."""
    path, is_begun = run_transfer.module_path, not transfer.is_queued
    if transfer.is_active and is_abandoned(path, transfer.pk, transfer.heartbeat_at, is_begun=is_begun):
        row = Transfer.objects.filter(pk=transfer.pk, state=transfer.state, heartbeat_at=transfer.heartbeat_at)
        _fail(row, LOST_MESSAGE)
        _refresh(transfer, "state", "error", "report", "finished_at")


def _uploaded_files(transfer: Transfer, upload: File[Any]) -> Iterator[tuple[str, Entry | File[Any]]]:
    """Yield the uploaded files with their names: the upload itself, or the files in it, which are read on demand."""
    names = transfer.choices.get("files", [""])  # archives have no names
    if len(names) == 1:
        yield names[0], upload
        return
    archive = zipfile.ZipFile(upload)
    for entry in archive.infolist():
        yield entry.filename.partition("/")[2], Entry(entry.filename, archive, entry)


def _open_upload(transfer: Transfer) -> File[Any]:
    """Open the stored upload. Raise ImportFailed if it no longer exists."""
    try:
        return transfer.file.open()
    except FileNotFoundError:
        raise ImportFailed("The upload was deleted; upload the files again") from None


def _save_order(transfer: Transfer, file: File[Any] | None = None) -> Transfer:
    if file is not None:
        transfer.file.save(transfer.kind, file, save=False)
    transfer.save()
    discard_old(transfer)
    _run_or_enqueue(transfer)
    return transfer


def discard_old(transfer: Transfer | None = None) -> None:
    """Discard transfers that are too old, and the oldest beyond the limit of a new transfer's user."""
    old_transfers = set(Transfer.objects.filter(created_at__lt=timezone.now() - MAX_AGE))
    if transfer is not None:
        latest_first = Transfer.objects.filter(project=transfer.project_id, user=transfer.user_id).order_by("-pk")
        old_transfers.update(latest_first[MAX_TRANSFERS:])
    for old in old_transfers:
        mark_if_lost(old)
        if not old.is_active:
            _delete(old)
    _delete_orphaned_files()


def _delete_orphaned_files() -> None:
    """Delete files without a row, from deleted projects or killed servers."""
    referenced = set(Transfer.objects.values_list("file", flat=True))
    with suppress(FileNotFoundError):  # nothing was ever stored
        for path in (f"{FOLDER}/{name}" for name in default_storage.listdir(FOLDER)[1]):
            if path not in referenced and default_storage.get_modified_time(path) < timezone.now() - ORPHAN_AGE:
                default_storage.delete(path)


def _run_or_enqueue(transfer: Transfer) -> None:
    if _is_quick(transfer):
        try:
            run_transfer.call(transfer.pk)
        except Exception:  # the row tells the user that it failed
            logger.exception("%s %s failed", transfer.kind, transfer.pk)
    else:
        run_transfer.enqueue(transfer.pk)
    _refresh(transfer)


def _is_quick(transfer: Transfer) -> bool:
    if transfer.kind == Transfer.Kind.EXPORT:
        texts = Text.objects.filter(project=transfer.project_id)
        judged = Judgement.objects.filter(coding__text__project=transfer.project_id)
        return not (texts.order_by()[QUICK_TEXTS:].exists() or judged.order_by()[QUICK_JUDGEMENTS:].exists())
    try:
        if transfer.file.size > QUICK_BYTES:
            return False
        with _open_upload(transfer) as upload:
            # Readers never unpack more than zips declare.
            unpacked = sum(
                claimed_bytes(content.read() if isinstance(content, Entry) else content)
                for name, content in _uploaded_files(transfer, upload)
                if name.lower().endswith(".zip") or transfer.kind == Transfer.Kind.RESTORE
            )
    except (FileNotFoundError, ImportFailed):  # the error is reported at once
        return True
    return unpacked <= QUICK_UNPACKED_BYTES


@task(queue_name=LONG_QUEUE, priority=LONG_PRIORITY)
def run_transfer(pk: int) -> None:
    """Check or run a transfer. Errors of its files are written to its row; other errors also go to the log."""
    active = Transfer.objects.filter(pk=pk, state__in=Transfer.ACTIVE_STATES)
    transfer = active.select_related("project", "user").first()
    if transfer is None:  # discarded meanwhile
        return
    row = Transfer.objects.filter(pk=pk, state=transfer.state)
    # total=1 marks the transfer as started; the real total is not known yet.
    if not row.update(heartbeat_at=timezone.now(), total=1):
        return
    trial = transfer.state == Transfer.State.CHECKING
    try:
        result = RUNNERS[transfer.kind](transfer, trial, progress_recorder(row))
    except Cancelled:  # the row already shows this, or is gone
        return
    except (FormatError, ImportFailed, ValidationError) as error:
        _fail(row, _error_text(" ".join(error.messages) if isinstance(error, ValidationError) else str(error)))
    except BaseException as error:  # also when the worker is told to stop
        # If all is written already, the message for a lost worker applies.
        _fail(row.filter(UNWRITTEN), _failure_text(error)) or _fail(row, LOST_MESSAGE)
        raise
    else:
        state = result.pop("state", Transfer.State.CHECKED if trial else Transfer.State.DONE)
        if not _finish(row, state, **result) and "file" in result:  # lost or cancelled meanwhile: an orphaned file
            transfer.file.delete(save=False)


def _finish(row: Rows, state: str, **fields: Any) -> bool:
    """Write the final state. Return False if the transfer was marked as lost or cancelled meanwhile."""
    return bool(row.update(state=state, finished_at=timezone.now(), **fields))


def _fail(row: Rows, error: str) -> bool:
    """Write the error and delete the outdated report of the check. Return False if there is no row."""
    before, _, after = error.partition(f" {NOTHING_CHANGED}")
    parts = Value(f"{before} {STAYS}"), Cast("written", TextField()), Value(f".{after} {GOES_ON}")
    stays = Concat(*parts, output_field=TextField())
    told = Case(When(written=0, then=Value(error)), default=stays, output_field=TextField())
    return _finish(row, Transfer.State.FAILED, error=told, report=None)


def _failure_text(error: BaseException) -> str:
    if isinstance(error, WorkerStopped):
        return STOPPED_MESSAGE
    return DISK_FULL_MESSAGE if isinstance(error, OSError) and error.errno in DISK_FULL_ERRORS else FAILURE_MESSAGE


def _error_text(message: str) -> str:
    return f"{message.rstrip('.')}. Nothing was changed."


def _run_import(transfer: Transfer, trial: bool, progress: Progress) -> dict[str, Any]:
    choices, project = transfer.choices, transfer.project
    assert project is not None
    if not transfer.format:
        raise ImportFailed(_unknown_format(transfer))
    options = ImportOptions(
        by=transfer.user,
        predefined=choices["predefined"],
        create=choices["create"],
        trial=trial,
        new_scheme=choices.get("new_scheme", False),
        round_name=choices.get("round", ""),
        gold=choices.get("gold", False),
        of_format=choices["options"],
    )
    row = Transfer.objects.filter(pk=transfer.pk, state=transfer.state)

    def record_written(number: int) -> None:
        if not row.update(written=number, heartbeat_at=timezone.now()):
            raise Cancelled

    with _open_upload(transfer) as upload:
        sources = open_sources(_uploaded_files(transfer, upload))
        report = import_sources(
            project, transfer.format, sources, choices["coder_from"], options, progress=progress, written=record_written
        )
    result: dict[str, Any] = {"report": report.as_json()}
    if report.empty:
        error = _error_text(report.reason or "None of the files can be imported")
        result |= {"state": Transfer.State.FAILED, "error": error}
    return result


def _unknown_format(transfer: Transfer) -> str:
    """Return why an import without a format is refused, with the kind that its files look like, if known."""
    with _open_upload(transfer) as upload:
        heads = list(_heads(_uploaded_files(transfer, upload)))
    kinds = ((name, recognise(name, head)) for name, head in heads)
    looks = next((f"{name} looks like {describe(kind)}" for name, kind in kinds if kind), "")
    return f"{UNKNOWN_FORMAT}. {looks}" if looks else UNKNOWN_FORMAT


def _run_export(transfer: Transfer, trial: bool, progress: Progress) -> dict[str, Any]:
    project = transfer.project
    assert project is not None

    def write(out: IO[bytes] | None) -> dict[str, Any]:
        if transfer.format == ARCHIVE:
            return {"summary": str(archive_project(project, out)) if out is not None else "everything", "losses": []}
        return export_files(project, transfer.format, out, progress=progress, **transfer.choices).as_json()

    if trial:
        return {"report": write(None)}
    record_view(Coding.objects.of_coders().filter(text__project=project), transfer.user)
    transfer.file.name = f"{FOLDER}/{project.slug}-{transfer.format}-{uuid4().hex}.zip"
    path = Path(default_storage.path(transfer.file.name))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # An incomplete file is removed, and a complete one is on disk before the row names it.
    return {"report": write_whole(path, write), "file": transfer.file.name}


def _run_restore(transfer: Transfer, trial: bool, progress: Progress) -> dict[str, Any]:
    with _open_upload(transfer) as upload:
        data = upload.read()
    row = Transfer.objects.filter(pk=transfer.pk, state=transfer.state)

    def record_done(restored: RestoreReport) -> None:
        # Written in the transaction of the project, so the transfer is done even if its worker dies next.
        _finish(row, Transfer.State.DONE, report=restored.as_json(), project=restored.project)

    restored = restore_project(
        data,
        slug=transfer.choices["slug"] or None,
        by=transfer.user,
        trial=trial,
        file=transfer.choices["file"],
        progress=progress,
        written=record_done,
    )
    return {"report": restored.as_json()} | ({} if trial else {"project": restored.project})


RUNNERS: dict[str, Callable[[Transfer, bool, Progress], dict[str, Any]]] = {
    Transfer.Kind.IMPORT: _run_import,
    Transfer.Kind.EXPORT: _run_export,
    Transfer.Kind.RESTORE: _run_restore,
}
