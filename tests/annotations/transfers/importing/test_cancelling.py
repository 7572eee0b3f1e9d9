"""Imports, exports and archives that are cancelled: all or nothing, and what is said of them is true."""

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
def committing(transactional_db, settings, monkeypatch) -> None:
    """Let each order wait for a worker, and report at each step."""
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


def told(transfer: Transfer) -> tuple[str, str]:
    transfer.refresh_from_db()
    return transfer.state, transfer.error


CANCELLED = (STATE.FAILED, "Cancelled by charlie. Nothing was changed.")


def test_what_waits_for_a_worker_is_cancelled_at_once(committing, project, charlie):
    made = order(project, charlie)
    assert orders.carry_out(made, charlie)
    assert orders.cancel(made, charlie)
    orders.run_transfer.call(made.pk)  # the queue comes to it
    assert told(made) == CANCELLED
    assert project.texts.count() == 1


def test_an_import_that_is_cancelled_at_any_step_comes_to_nothing(committing, project, charlie, monkeypatch):
    """Its steps are the files that are read and then checked."""
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
        assert told(made) == CANCELLED
        assert project.texts.count() == 1


def test_what_is_written_is_not_called_cancelled(committing, project, charlie, monkeypatch):
    """Somebody cancels after the transaction, and before its end is in the row."""
    made = order(project, charlie)
    assert orders.carry_out(made, charlie)
    importing = orders.import_sources

    def too_late(*args, **options):
        report = importing(*args, **options)
        assert orders.cancel(Transfer.objects.get(pk=made.pk), charlie) is False
        return report

    monkeypatch.setattr(orders, "import_sources", too_late)
    orders.run_transfer.call(made.pk)
    assert told(made) == (STATE.DONE, "")
    assert project.texts.count() == 1 + MANY


def test_of_an_export_that_is_cancelled_no_file_is_left(committing, project, charlie, monkeypatch):
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
    assert told(made) == CANCELLED
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("written", [False, True], ids=["before it is written", "after"])
def test_a_worker_that_is_stopped_says_what_became_of_it(committing, project, charlie, monkeypatch, written):
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
    assert told(made) == (STATE.FAILED, lost if written else orders.STOPPED_MESSAGE)
    assert project.texts.count() == 1 + written * MANY


def archive_comes_back(project: Project, report: progress.Progress) -> None:
    out = io.BytesIO()
    archive_project(project, out)
    restore_project(out.getvalue(), slug="again", progress=report)


def pyramid_comes_in(_: Project, report: progress.Progress) -> None:
    ferry = pyramid_project("ferry")
    import_sources(
        ferry, "ducview", [Source("sinking.pyr", pyr(SANK))], "=charlie", ImportOptions(create=True), progress=report
    )


def documents_come_in(project: Project, report: progress.Progress) -> None:
    import_sources(project, "conll2012", [Source("dog.conll", CONLL.encode())], "nobody", progress=report)


@pytest.mark.parametrize("happens", [archive_comes_back, pyramid_comes_in, documents_come_in])
def test_completion_is_reported_once_and_in_the_transaction(transactional_db, project, happens):
    """Else who cancels a moment later is told that nothing was changed."""
    reports = []
    happens(project, lambda done, total: reports.append((done == total, connection.in_atomic_block)))
    assert reports[-1] == (True, True)
    assert not any(is_all for is_all, _ in reports[:-1])


@pytest.mark.parametrize("api", [False, True], ids=["page", "api"])
def test_a_running_transfer_is_cancelled_from_its_page_and_by_the_api(committing, project, charlie, signed_in, api):
    client, made = signed_in(charlie), order(project, charlie)
    assert orders.carry_out(made, charlie)
    Transfer.objects.filter(pk=made.pk).update(total=3, done=1)
    page = f"/transfers/{made.pk}/"
    assert f'action="{page}cancel/"' in client.get(page).content.decode()
    first, again = (client.post(f"{'/api/v1' if api else ''}{page}cancel/") for _ in range(2))
    assert told(made) == CANCELLED
    assert "Cancelled by charlie. Nothing was changed." in client.get(page).content.decode()
    if api:
        assert (first.status_code, first.json()["state"]) == (200, "failed")
        assert (again.status_code, again.json()["code"]) == (409, "not_at_work")
    else:
        assert (first.url, again.url) == (page, page)


@pytest.fixture
def import_that_writes(committing):
    """Let another connection write for as long as the test takes; this one waits less for it than it would."""
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


def test_while_all_is_written_page_and_api_say_so(import_that_writes, project, charlie, signed_in):
    client, made = signed_in(charlie), order(project, charlie)
    assert orders.carry_out(made, charlie)
    import_that_writes()
    page = f"/transfers/{made.pk}/"
    for what in ("cancel", "discard"):
        answer = client.post(f"{page}{what}/")
        assert (answer.status_code, answer.url) == (302, page)
        assert "is busy with an import" in client.get(page).content.decode()
        assert told(made) == (STATE.RUNNING, "")
    answer = client.post(f"/api/v1{page}cancel/")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
