"""Imports and exports that people order on pages and by the API: checked first, then carried out, and kept a while.

What is small is done while its page is asked for; the rest by a worker, which says how far it is.
"""

from __future__ import annotations

import errno
import logging
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q, QuerySet
from django.http import FileResponse, Http404
from django.tasks import TaskResultStatus, task
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.archiving import archive_project, restore_project
from annotations.exporting import Exported, write_whole
from annotations.formats import Finding, FormatError
from annotations.formats.archive import claimed_bytes
from annotations.importing import ImportFailed, Report, sources_of
from annotations.importing.pyramids import import_sources
from annotations.importing.report import by_kind
from annotations.models import Judgement, Project, Text, Transfer, User
from annotations.models.transfer import ARCHIVE, FOLDER
from annotations.permissions import Right, may
from annotations.progress import Progress, is_lost, telling
from annotations.pyramid_files import export_files

# Uploads of at most so many bytes, and exports of so many texts and judgements, are done at once: that takes a second
# or two.
AT_ONCE_BYTES = 200_000
# What is in zips may grow to so many.
AT_ONCE_UNPACKED = 5_000_000
AT_ONCE_TEXTS, AT_ONCE_JUDGEMENTS = 500, 10_000
# Of one person in one project so many are kept with their files, and for so long.
KEPT = 30
KEPT_FOR = timedelta(days=30)
# A file is there a moment before its row.
SWEPT_AFTER = timedelta(days=1)

LOST = "The worker ended before its time, or there was none. To do the same again does no harm."
FULL = "The disk of the server is full. Nothing was changed; do it again when there is room."
# What a full disk is called, a quota, and a file that grows beyond what it may.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
BROKEN = "This failed, and not by your fault; the log of the server says why. Nothing was changed."

logger = logging.getLogger(__name__)

# Of one kind of what is odd in files so many places are told.
MOST_PLACES = 200

type Rows = QuerySet[Transfer]


def order_import(
    project: Project, user: User, files: Sequence[UploadedFile[Any]], format_key: str, choices: Mapping[str, Any]
) -> Transfer:
    """Check an import of the uploaded files. choices: coder_from, predefined, create and the format's options."""
    named = {**choices, "files": [file.name for file in files]}
    made = Transfer(project=project, user=user, kind=Transfer.Kind.IMPORT, format=format_key, choices=named)
    if len(files) == 1:
        return _ordered(made, files[0])
    with tempfile.TemporaryFile() as kept:
        _keep(files, kept)
        return _ordered(made, File(kept))


def order_export(project: Project, user: User, format_key: str, choices: Mapping[str, Any]) -> Transfer:
    """Find what an export would lose. choices: coders, texts, unfinished and the format's options. (Archives: none.)"""
    return _ordered(
        Transfer(project=project, user=user, kind=Transfer.Kind.EXPORT, format=format_key, choices=dict(choices))
    )


def order_restore(user: User, file: UploadedFile[Any], slug: str) -> Transfer:
    """Check a project's archive, which is to become a project at that address; empty: at its old one."""
    choices = {"slug": slug, "file": file.name}
    return _ordered(Transfer(user=user, kind=Transfer.Kind.RESTORE, format=ARCHIVE, choices=choices), file)


def carry_out(transfer: Transfer, user: User) -> bool:
    """Do what was checked. False where that is begun already, or was refused. Only who has ordered it may."""
    if transfer.user_id != user.pk:
        raise PermissionDenied(f"{transfer.user} has ordered this and carries it out.")
    if transfer.kind == Transfer.Kind.RESTORE and not user.has_perm("annotations.add_project"):
        raise PermissionDenied("You may not make projects.")
    checked = Transfer.objects.filter(pk=transfer.pk, state=Transfer.State.CHECKED)
    begun = checked.update(state=Transfer.State.RUNNING, told_at=timezone.now(), done=0, total=0)
    if begun and _read_again(transfer):
        _set_to_work(transfer)
    return bool(begun)


def _read_again(transfer: Transfer, *fields: str) -> bool:
    """As its row is now. False where it was discarded meanwhile: then it stays, and its page says that it is gone."""
    try:
        transfer.refresh_from_db(fields=list(fields) or None)
    except Transfer.DoesNotExist:
        return False
    return True


def discard(transfer: Transfer, user: User) -> bool:
    """Forget it, with its file; what it has done stays. False where it is being worked on.

    Raises PermissionDenied for somebody who has not ordered it and is no manager. (The project is as `transfer_for`
    reads it.)
    """
    if not may_discard(transfer, user):
        raise PermissionDenied(f"{transfer.user} has ordered this.")
    settle(transfer)
    return _forget(transfer)


def may_discard(transfer: Transfer, user: User) -> bool:
    """Whether the user has ordered it or manages its project, which is as `transfer_for` reads it."""
    return transfer.user_id == user.pk or (transfer.project is not None and may(transfer.project, Right.MANAGE))


def _forget(transfer: Transfer) -> bool:
    """Delete it with its file, unless somebody works on it: the row says so at the moment when it goes."""
    begun = Q(state__in=Transfer.AT_WORK, total__gt=0)
    gone, _ = Transfer.objects.filter(pk=transfer.pk).exclude(begun).delete()
    if gone:
        transfer.file.delete(save=False)
    return bool(gone)


def taken(transfer: Transfer) -> FileResponse:
    """The file of a transfer as an attachment. Raises Http404 where it has none."""
    if not transfer.file:
        raise Http404("There is no file yet.")
    try:
        opened = transfer.file.open()
    except FileNotFoundError:
        raise Http404("The file is gone.") from None
    uploaded = transfer.choices.get("files", [])
    name = f"{transfer.project.slug if transfer.project else transfer.kind}-{transfer.format}.zip"
    if len(uploaded) == 1:
        name = uploaded[0]
    # No cache between may keep it: the next who asks may not have the right.
    headers = {"Cache-Control": "private, no-store"}
    kind = "application/zip" if name.lower().endswith(".zip") else "application/octet-stream"
    return FileResponse(opened, as_attachment=True, filename=name, content_type=kind, headers=headers)


def settle(transfer: Transfer) -> None:
    """Say of one whose worker has died that nothing more will come of it. (What waits in a long queue is not lost.)"""
    if transfer.at_work and is_lost(transfer.told_at) and not _is_queued(transfer):
        row = Transfer.objects.filter(pk=transfer.pk, state=transfer.state, told_at=transfer.told_at)
        _fail(row, LOST)
        _read_again(transfer, "state", "error", "report", "finished_at")


def _is_queued(transfer: Transfer) -> bool:
    """Whether a worker will come to it: not where the server was killed before it ordered one, or the worker then."""
    if not transfer.waits:
        return False
    ordered = DBTaskResult.objects.filter(task_path=work.module_path, args_kwargs__args=[transfer.pk])
    for status, begun in ordered.values_list("status", "started_at"):
        if status == TaskResultStatus.READY or (status == TaskResultStatus.RUNNING and begun and not is_lost(begun)):
            return True
    return False


def _keep(files: Sequence[UploadedFile[Any]], kept: IO[bytes]) -> None:
    """One file of many, each in a folder of its own since two may have one name."""
    with zipfile.ZipFile(kept, "w") as archive:
        for number, file in enumerate(files, start=1):
            with archive.open(f"{number}/{file.name}", "w", force_zip64=True) as entry:
                for chunk in file.chunks():
                    entry.write(chunk)
    kept.seek(0)


def _kept(transfer: Transfer) -> list[tuple[str, bytes]]:
    """The files that were uploaded, by their names."""
    with _uploaded(transfer) as opened:
        if len(transfer.choices["files"]) == 1:
            return [(transfer.choices["files"][0], opened.read())]
        with zipfile.ZipFile(opened) as archive:
            return [(entry.filename.partition("/")[2], archive.read(entry)) for entry in archive.infolist()]


def _uploaded(transfer: Transfer) -> File[Any]:
    """What lies there of the upload, opened. Raises ImportFailed where it is gone."""
    try:
        return transfer.file.open()
    except FileNotFoundError:
        raise ImportFailed("What was uploaded is gone; upload it again") from None


def _ordered(transfer: Transfer, file: File[Any] | None = None) -> Transfer:
    if file is not None:
        transfer.file.save(transfer.kind, file, save=False)
    transfer.save()
    _make_room(transfer)
    _set_to_work(transfer)
    return transfer


def _make_room(transfer: Transfer) -> None:
    """Discard all that is too old, and what is too much of the same person there. (Nobody crowds out another's.)"""
    too_many = Transfer.objects.filter(project=transfer.project_id, user=transfer.user_id).order_by("-pk")[KEPT:]
    too_old = Transfer.objects.filter(created_at__lt=timezone.now() - KEPT_FOR)
    for old in {*too_many, *too_old}:
        settle(old)
        if not old.at_work:
            _forget(old)
    _sweep()


def _sweep() -> None:
    """Delete files of which no row tells: those of projects that were deleted, and of servers that were killed."""
    told_of = set(Transfer.objects.values_list("file", flat=True))
    try:
        _, names = default_storage.listdir(FOLDER)
    except FileNotFoundError:  # nothing was ever kept
        return
    for path in (f"{FOLDER}/{name}" for name in names):
        if path not in told_of and default_storage.get_modified_time(path) < timezone.now() - SWEPT_AFTER:
            default_storage.delete(path)


def _set_to_work(transfer: Transfer) -> None:
    if _is_small(transfer):
        try:
            work.call(transfer.pk)
        except Exception:  # who ordered it reads in its row that it failed
            logger.exception("%s %s failed", transfer.kind, transfer.pk)
    else:
        work.enqueue(transfer.pk)
    _read_again(transfer)


def _is_small(transfer: Transfer) -> bool:
    if transfer.kind == Transfer.Kind.EXPORT:
        texts = Text.objects.filter(project=transfer.project_id)
        judged = Judgement.objects.filter(coding__text__project=transfer.project_id)
        return not (_more_than(texts, AT_ONCE_TEXTS) or _more_than(judged, AT_ONCE_JUDGEMENTS))
    try:
        return transfer.file.size <= AT_ONCE_BYTES and _unpacked(transfer) <= AT_ONCE_UNPACKED
    except (FileNotFoundError, ImportFailed):  # which is said at once
        return True


def _more_than(rows: QuerySet[Any], number: int) -> bool:
    return rows.order_by()[number : number + 1].exists()


def _unpacked(transfer: Transfer) -> int:
    """How many bytes the zips that were uploaded say they hold; more than they say is not read of them."""
    if transfer.kind == Transfer.Kind.RESTORE:
        with _uploaded(transfer) as opened:
            return claimed_bytes(opened.read())
    return sum(claimed_bytes(data) for name, data in _kept(transfer) if name.lower().endswith(".zip"))


@task()
def work(pk: int) -> None:
    """Check or carry out what was ordered. What is wrong with its files is said in its row; else the log has it."""
    transfer = Transfer.objects.select_related("project", "user").filter(pk=pk, state__in=Transfer.AT_WORK).first()
    if transfer is None:  # discarded meanwhile
        return
    row = Transfer.objects.filter(pk=pk, state=transfer.state)
    # It has begun. How much there is to do it does not know yet.
    if not row.update(told_at=timezone.now(), total=1):
        return
    trial = transfer.state == Transfer.State.CHECKING
    try:
        found = WORK[transfer.kind](transfer, trial, telling(row))
    except (FormatError, ImportFailed) as refused:
        _fail(row, _refused(str(refused)))
    except ValidationError as refused:
        _fail(row, _refused(" ".join(refused.messages)))
    except BaseException as broken:  # also where the worker is told to end
        _fail(row, FULL if isinstance(broken, OSError) and broken.errno in NO_ROOM else BROKEN)
        raise
    else:
        state = found.pop("state", Transfer.State.CHECKED if trial else Transfer.State.DONE)
        if not _finish(row, state, **found) and "file" in found:  # given up meanwhile: nobody would find the file
            transfer.file.delete(save=False)


def _finish(row: Rows, state: str, **fields: Any) -> bool:
    """False where it was given up meanwhile."""
    return bool(row.update(state=state, finished_at=timezone.now(), **fields))


def _fail(row: Rows, error: str) -> None:
    """What was found when it was checked is not so any more: nobody is to read it below the error."""
    _finish(row, Transfer.State.FAILED, error=error, report=None)


def _refused(message: str) -> str:
    return f"{message.rstrip('.')}. Nothing was changed."


def _import(transfer: Transfer, trial: bool, progress: Progress) -> dict[str, Any]:
    choices, project = transfer.choices, transfer.project
    assert project is not None
    report = import_sources(
        project,
        transfer.format,
        sources_of(_kept(transfer)),
        choices["coder_from"],
        choices["options"],
        by=transfer.user,
        predefined=choices["predefined"],
        create=choices["create"],
        trial=trial,
        progress=progress,
    )
    found: dict[str, Any] = {"report": imported(report)}
    if report.empty:
        found |= {"state": Transfer.State.FAILED, "error": _refused("None of the files can be imported")}
    return found


def _export(transfer: Transfer, trial: bool, progress: Progress) -> dict[str, Any]:
    project = transfer.project
    assert project is not None
    if trial and transfer.format == ARCHIVE:
        return {"report": {"summary": "everything", "losses": []}}

    def write(out: IO[bytes] | None) -> dict[str, Any]:
        if transfer.format == ARCHIVE:
            assert out is not None
            return {"summary": str(archive_project(project, out)), "losses": []}
        return exported(export_files(project, transfer.format, out, progress=progress, **transfer.choices))

    if trial:
        return {"report": write(None)}
    transfer.file.name = f"{FOLDER}/{project.slug}-{transfer.format}-{uuid4().hex}.zip"
    path = Path(default_storage.path(transfer.file.name))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Nothing is left of a file that cannot be written, and all of it is on the disk before the row tells of it.
    return {"report": write_whole(path, write), "file": transfer.file.name}


def _restore(transfer: Transfer, trial: bool, _: Progress) -> dict[str, Any]:
    with _uploaded(transfer) as opened:
        data = opened.read()
    file = transfer.choices["file"]
    restored = restore_project(data, slug=transfer.choices["slug"] or None, by=transfer.user, trial=trial, file=file)
    found: dict[str, Any] = {
        "report": {"summary": str(restored), "new_coders": restored.new_people, "odd": odd(restored.findings)}
    }
    return found if trial else found | {"project": restored.project}


WORK: dict[str, Callable[[Transfer, bool, Progress], dict[str, Any]]] = {
    Transfer.Kind.IMPORT: _import,
    Transfer.Kind.EXPORT: _export,
    Transfer.Kind.RESTORE: _restore,
}


def imported(report: Report) -> dict[str, Any]:
    """What a page and the API tell of an import."""
    told = asdict(report)
    del told["findings"]
    return {"summary": str(report)} | told | {"odd": odd(report.findings)}


def odd(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Of each kind of finding how many there are, and where."""
    return [
        {"count": len(found), "places": [str(finding) for finding in found[:MOST_PLACES]]}
        for found in by_kind(findings)
    ]


def exported(report: Exported) -> dict[str, Any]:
    """What a page and the API tell of an export."""
    losses = [{"what": loss.what, "count": loss.count, "examples": list(loss.examples)} for loss in report.losses]
    return {
        "summary": str(report),
        "texts": report.texts,
        "codings": report.codings,
        "files": report.files,
        "losses": losses,
    }
