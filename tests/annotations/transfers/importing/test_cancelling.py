"""Cancelled imports, exports and archives."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections

from annotations.core.processes import progress
from annotations.models import Project, Transfer, User
from annotations.transfers import orders
from annotations.transfers.archiving import archive_project, restore_project
from annotations.transfers.importing.documents import import_sources
from annotations.transfers.importing.files.sources import Source
from annotations.transfers.importing.options import ImportOptions
from config.settings import TASKS
from tests.annotations.transfers.test_pyramids import SANK, pyr
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.coding import in_another_connection
from tests.shared.pyramids import pyramid_project

STATE = Transfer.State
IMPORT = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
EXPORT = {"coders": [], "texts": [], "unfinished": True, "options": {}}
MANY = 3


@pytest.fixture
def queued_jobs(transactional_db, settings, monkeypatch) -> None:
    """Let each transfer wait for a worker and report every step."""
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "_is_quick", lambda _: False)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", 0)


def order(project: Project, user: User) -> Transfer:
    files = [SimpleUploadedFile(f"dog{number}.conll", CONLL.encode()) for number in range(MANY)]
    made = orders.order_import(project, user, files, "conll2012", IMPORT)
    orders.run_transfer.call(made.pk)
    made.refresh_from_db()
    assert made.state == STATE.CHECKED
    return made


def state_and_error(transfer: Transfer) -> tuple[str, str]:
    transfer.refresh_from_db()
    return transfer.state, transfer.error


CANCELLED = (STATE.FAILED, "Cancelled by charlie. Nothing was changed.")


def test_waiting_import_is_cancelled_at_once(queued_jobs, project, charlie):
    made = order(project, charlie)
    assert orders.carry_out(made, charlie)
    assert orders.cancel(made, charlie)
    orders.run_transfer.call(made.pk)  # the queue comes to it
    assert state_and_error(made) == CANCELLED
    assert project.texts.count() == 1


def test_import_cancelled_at_any_step_changes_nothing(queued_jobs, project, charlie, monkeypatch):
    """The steps are files that are read and then checked."""
    recorder = orders.progress_recorder

    def cancelling(rows):
        record = recorder(rows)

        def report(done: int, total: int) -> None:
            if len(steps) == at:
                assert in_another_connection(lambda: orders.cancel(Transfer.objects.get(pk=made.pk), charlie))
            steps.append((done, total))
            record(done, total)

        return report

    for at in range(2 * MANY):
        made, steps = order(project, charlie), []
        assert orders.carry_out(made, charlie)
        with monkeypatch.context() as patched:
            patched.setattr(orders, "progress_recorder", cancelling)
            orders.run_transfer.call(made.pk)
        assert len(steps) == at + 1
        assert state_and_error(made) == CANCELLED
        assert project.texts.count() == 1


def test_written_import_cannot_be_cancelled(queued_jobs, project, charlie, monkeypatch):
    """Charlie cancels after the transaction and before the transfer is marked as done."""
    made = order(project, charlie)
    assert orders.carry_out(made, charlie)
    importing = orders.import_sources

    def too_late(*args, **options):
        report = importing(*args, **options)
        assert orders.cancel(Transfer.objects.get(pk=made.pk), charlie) is False
        return report

    monkeypatch.setattr(orders, "import_sources", too_late)
    orders.run_transfer.call(made.pk)
    assert state_and_error(made) == (STATE.DONE, "")
    assert project.texts.count() == 1 + MANY


def test_cancelled_export_leaves_no_file(queued_jobs, project, charlie, monkeypatch):
    made = orders.order_export(project, charlie, "jsonlines", EXPORT)
    orders.run_transfer.call(made.pk)
    made.refresh_from_db()
    assert orders.carry_out(made, charlie)
    write = orders.write_whole

    def cancelled_meanwhile(path, fill):
        result = write(path, fill)
        assert orders.cancel(Transfer.objects.get(pk=made.pk), charlie)
        return result

    folder = Path(made.file.storage.path(orders.FOLDER))
    before = set(folder.iterdir()) if folder.is_dir() else set()
    monkeypatch.setattr(orders, "write_whole", cancelled_meanwhile)
    orders.run_transfer.call(made.pk)
    assert state_and_error(made) == CANCELLED
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("written", [False, True], ids=["before it is written", "after"])
def test_stopped_worker_reports_what_was_written(queued_jobs, project, charlie, monkeypatch, written):
    made = order(project, charlie)
    assert orders.carry_out(made, charlie)
    importing = orders.import_sources

    def stopped(*args, **options):
        if written:
            importing(*args, **options)
        raise progress.WorkerStopped

    monkeypatch.setattr(orders, "import_sources", stopped)
    with pytest.raises(progress.WorkerStopped):
        orders.run_transfer.call(made.pk)
    lost = f"{orders.LOST_MESSAGE} {orders.STAYS}{MANY}. {orders.GOES_ON}"
    assert state_and_error(made) == (STATE.FAILED, lost if written else orders.STOPPED_MESSAGE)
    assert project.texts.count() == 1 + written * MANY


def restore_archive(project: Project, report: progress.Progress) -> None:
    out = io.BytesIO()
    archive_project(project, out)
    restore_project(out.getvalue(), slug="again", progress=report)


def import_pyramid(_: Project, report: progress.Progress) -> None:
    ferry = pyramid_project("ferry")
    import_sources(
        ferry, "ducview", [Source("sinking.pyr", pyr(SANK))], "=charlie", ImportOptions(create=True), progress=report
    )


def import_document(project: Project, report: progress.Progress) -> None:
    import_sources(project, "conll2012", [Source("dog.conll", CONLL.encode())], "nobody", progress=report)


@pytest.mark.parametrize("happens", [restore_archive, import_pyramid, import_document])
def test_completion_is_reported_once_inside_transaction(transactional_db, project, happens):
    """Otherwise a later cancellation would report that nothing was changed."""
    reports = []
    happens(project, lambda done, total: reports.append((done == total, connection.in_atomic_block)))
    assert reports[-1] == (True, True)
    assert not any(is_all for is_all, _ in reports[:-1])


@pytest.mark.parametrize("api", [False, True], ids=["page", "api"])
def test_page_and_api_cancel_running_transfer(queued_jobs, project, charlie, signed_in, api):
    client, made = signed_in(charlie), order(project, charlie)
    assert orders.carry_out(made, charlie)
    Transfer.objects.filter(pk=made.pk).update(total=3, done=1)
    page = f"/transfers/{made.pk}/"
    assert f'action="{page}cancel/"' in client.get(page).content.decode()
    first, again = (client.post(f"{'/api/v1' if api else ''}{page}cancel/") for _ in range(2))
    assert state_and_error(made) == CANCELLED
    assert "Cancelled by charlie. Nothing was changed." in client.get(page).content.decode()
    if api:
        assert (first.status_code, first.json()["state"]) == (200, "failed")
        assert (again.status_code, again.json()["code"]) == (409, "not_at_work")
    else:
        assert (first.url, again.url) == (page, page)


@pytest.fixture
def busy_database(queued_jobs):
    """Let another connection write during the test, and shorten the wait of this connection."""
    if connection.vendor != "sqlite":
        pytest.skip("writers wait for rows of each other, not for the database")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        [before] = cursor.fetchone()
        cursor.execute("PRAGMA busy_timeout = 50")
    other = connections.create_connection("default")
    other.inc_thread_sharing()

    def begin() -> None:
        with other.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE")

    yield begin
    other.close()
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {before}")


def test_page_and_api_report_database_that_is_busy(busy_database, project, charlie, signed_in):
    client, made = signed_in(charlie), order(project, charlie)
    assert orders.carry_out(made, charlie)
    busy_database()
    page = f"/transfers/{made.pk}/"
    for what in ("cancel", "discard"):
        answer = client.post(f"{page}{what}/")
        assert (answer.status_code, answer.url) == (302, page)
        assert "is busy with an import" in client.get(page).content.decode()
        assert state_and_error(made) == (STATE.RUNNING, "")
    answer = client.post(f"/api/v1{page}cancel/")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
