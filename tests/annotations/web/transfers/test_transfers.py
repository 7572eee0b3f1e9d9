"""Imports and exports: list, pages, actions and permissions."""

import html
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotations.core.processes.progress import LOST_AFTER
from annotations.formats import FormatError
from annotations.models import Project, Transfer
from annotations.transfers import orders
from config.settings import TASKS
from tests.annotations.web.transfers.test_import import CONLL, zipped
from tests.shared.coding import judge

ROLES = ("manager", "adjudicator", "viewer")
LIST = "/projects/tea/transfers/"
IMPORT = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
EXPORT = {"coders": [], "texts": [], "unfinished": True, "options": {}}


def files(*named):
    return [SimpleUploadedFile(name, data.encode()) for name, data in named or [("dog.conll", CONLL)]]


@pytest.fixture
def checked_import(project, people):
    """Order an import that is checked and not confirmed."""
    return orders.order_import(project, people["manager"], files(), "conll2012", IMPORT)


@pytest.fixture
def finished_export(project, people):
    """Order and confirm an export as a viewer."""
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    assert orders.carry_out(made, people["viewer"])
    return made


def test_list_shows_latest_transfer_first(checked_import, finished_export, people, signed_in):
    page = signed_in(people["manager"]).get(LIST).content.decode()
    assert page.index("JSON lines") < page.index("CoNLL-2012")
    assert f'href="/transfers/{finished_export.pk}/file/"' in page
    assert "preview ready" in page


def test_viewers_see_exports_but_no_imports_and_archives(checked_import, finished_export, project, people, signed_in):
    archive = orders.order_export(project, people["manager"], "project", {})
    addresses = [f"/transfers/{transfer.pk}/" for transfer in (checked_import, finished_export, archive)]
    for role, expected in {
        "manager": [200, 200, 200],
        "adjudicator": [403, 200, 403],
        "viewer": [403, 200, 403],
        "coder": [404, 404, 404],
        "outsider": [404, 404, 404],
    }.items():
        client = signed_in(people[role])
        assert [client.get(address).status_code for address in addresses] == expected, role
        found = [client.get(f"{address}file/").status_code for address in addresses[:2]]
        assert found == expected[:2], role
    page = signed_in(people["viewer"]).get(LIST).content.decode()
    assert ("CoNLL-2012" in page, "project archive" in page, "JSON lines" in page) == (False, False, True)


def test_only_owner_can_confirm_transfer(project, people, signed_in):
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    client, address = signed_in(people["manager"]), f"/transfers/{made.pk}/"
    page = client.get(address).content.decode()
    assert "Only vera, who started this, can confirm it." in page
    assert "/carry-out/" not in page
    assert client.post(f"{address}carry-out/").status_code == 403
    assert signed_in(people["adjudicator"]).post(f"{address}cancel/").status_code == 403
    assert Transfer.objects.get().state == Transfer.State.CHECKED


def test_coder_downloads_export_only_while_results_are_open(finished_export, people, signed_in):
    client = signed_in(people["coder"])
    Project.objects.update(results_open=True)
    assert client.get(f"/transfers/{finished_export.pk}/file/").status_code == 200
    Project.objects.update(results_open=False)
    assert client.get(f"/transfers/{finished_export.pk}/file/").status_code == 404


def test_confirming_import_twice_runs_it_once(checked_import, project, people, signed_in):
    client = signed_in(people["manager"])
    for _ in range(2):
        assert client.post(f"/transfers/{checked_import.pk}/carry-out/").status_code == 302
    assert project.texts.filter(slug="dog").count() == 1
    assert "already confirmed" in client.get(f"/transfers/{checked_import.pk}/").content.decode()
    client.post(f"/transfers/{checked_import.pk}/discard/")
    assert not Transfer.objects.exists()
    assert project.texts.filter(slug="dog").exists()  # discarding keeps what it brought


def test_upload_can_be_downloaded_until_discarded(checked_import, project, people, signed_in):
    client = signed_in(people["manager"])
    answer = client.get(f"/transfers/{checked_import.pk}/file/")
    assert b"".join(answer.streaming_content) == CONLL.encode()
    assert answer["Content-Disposition"] == 'attachment; filename="dog.conll"'
    for folder in ("", "files/", "media/", "static/"):  # no address leads to the file itself
        assert client.get(f"/{folder}{checked_import.file.name}").status_code == 404
    two = files(("a.conll", CONLL), ("b.conll", CONLL))
    several = orders.order_import(project, people["manager"], two, "conll2012", IMPORT)
    answer = client.get(f"/transfers/{several.pk}/file/")
    assert answer["Content-Disposition"] == 'attachment; filename="tea-conll2012.zip"'
    assert client.post(f"/transfers/{checked_import.pk}/discard/").url == LIST
    assert list(Transfer.objects.all()) == [several]
    assert not checked_import.file.storage.exists(checked_import.file.name)


def test_missing_files_are_reported(finished_export, checked_import, people, signed_in):
    finished_export.file.storage.delete(finished_export.file.name)
    assert signed_in(people["viewer"]).get(f"/transfers/{finished_export.pk}/file/").status_code == 404
    checked_import.file.storage.delete(checked_import.file.name)
    page = signed_in(people["manager"]).post(f"/transfers/{checked_import.pk}/carry-out/", follow=True).content.decode()
    assert "The upload was deleted; upload the files again. Nothing was changed." in page


def test_discard_button_shows_only_to_permitted_roles(finished_export, people, signed_in):
    address = f"/transfers/{finished_export.pk}/"
    shown = {role: "/discard/" in signed_in(people[role]).get(address).content.decode() for role in ROLES}
    assert shown == {"manager": True, "adjudicator": False, "viewer": True}


@pytest.fixture
def with_worker(settings, monkeypatch):
    """Let every upload wait for a worker as in production."""
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "QUICK_BYTES", 0)


@pytest.fixture
def queued_import(with_worker, project, people):
    return orders.order_import(project, people["manager"], files(), "conll2012", IMPORT)


def test_large_import_waits_for_worker_and_shows_progress(with_worker, queued_import, people, signed_in):
    client, made = signed_in(people["manager"]), queued_import
    address = f"/transfers/{made.pk}/"
    assert 'hx-trigger="every 1s"' in client.get(address).content.decode()
    Transfer.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=30))
    assert "manage.py db_worker" in client.get(address).content.decode()  # no worker is there
    Transfer.objects.update(done=50, total=200, heartbeat_at=timezone.now())
    part = client.get(address, headers={"HX-Request": "true"})
    assert 'value="50" max="200"' in part.content.decode()
    assert "HX-Refresh" not in part
    orders.run_transfer.call(made.pk)
    assert client.get(address, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "To be imported" in client.get(address).content.decode()


def test_working_worker_is_not_reported_missing(queued_import, people, signed_in, monkeypatch):
    client, address, pages = signed_in(people["manager"]), f"/transfers/{queued_import.pk}/", []

    def reading(*args):
        Transfer.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=30))
        pages.append(client.get(address).content.decode())
        raise FormatError("is wrong", "dog.conll")

    monkeypatch.setattr(orders, "open_sources", reading)
    orders.run_transfer.call(queued_import.pk)
    assert "Preparing the preview" in pages[0]
    assert "manage.py db_worker" not in pages[0]


def test_late_export_leaves_no_file_after_failure(checked_import, project, people, monkeypatch):
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    folder, export = Path(checked_import.file.path).parent, orders.export_files
    kept = set(folder.iterdir())

    def fail_meanwhile(*args, **kwargs):
        Transfer.objects.update(state=Transfer.State.FAILED)
        return export(*args, **kwargs)

    monkeypatch.setattr(orders, "export_files", fail_meanwhile)
    orders.carry_out(made, people["viewer"])
    assert (made.state, bool(made.file)) == (Transfer.State.FAILED, False)
    assert set(folder.iterdir()) == kept


def test_running_transfer_is_not_discarded(checked_import, people):

    Transfer.objects.filter(pk=checked_import.pk).update(state=Transfer.State.RUNNING)
    assert not orders.discard(checked_import, people["manager"])
    assert Transfer.objects.filter(pk=checked_import.pk).exists()
    assert checked_import.file.storage.exists(checked_import.file.name)


def test_zip_of_large_content_waits_for_worker(with_worker, project, people, monkeypatch):
    monkeypatch.setattr(orders, "QUICK_BYTES", 200_000)
    data = zipped(**{f"{number}.conll": "#" * 1_000_000 for number in range(6)})
    assert len(data) < 200_000
    sent = [SimpleUploadedFile("all.zip", data)]
    made = orders.order_import(project, people["manager"], sent, "conll2012", IMPORT)
    assert made.state == Transfer.State.CHECKING
    restored = orders.order_restore(people["manager"], SimpleUploadedFile("all.zip", data), "")
    assert restored.state == Transfer.State.CHECKING


@pytest.mark.parametrize("bound", ["QUICK_TEXTS", "QUICK_JUDGEMENTS"])
def test_large_export_waits_for_worker(with_worker, project, codings, keys, people, monkeypatch, bound):
    judge(codings["alice"], keys["a"], "none")
    made = orders.order_export(project, people["manager"], "conll2012", EXPORT)
    assert made.state == Transfer.State.CHECKED
    monkeypatch.setattr(orders, bound, 0)
    made = orders.order_export(project, people["manager"], "conll2012", EXPORT)
    assert made.state == Transfer.State.CHECKING


def test_page_reports_immediate_failure(project, people, signed_in, monkeypatch):
    monkeypatch.setattr(orders, "import_sources", lambda *args, **kwargs: 1 / 0)
    form = {"format": "conll2012", "whose": "nobody", "files": files()}
    answer = signed_in(people["manager"]).post("/projects/tea/import/", form, follow=True)
    assert orders.FAILURE_MESSAGE in html.unescape(answer.content.decode())


def test_import_in_progress_cannot_be_discarded(queued_import, people, signed_in):
    client, address = signed_in(people["manager"]), f"/transfers/{queued_import.pk}/"
    Transfer.objects.update(total=1)  # as the worker says when it begins
    assert client.post(f"{address}discard/").url == address
    assert "/discard/" not in client.get(address).content.decode()
    assert Transfer.objects.filter(pk=queued_import.pk).exists()


def test_transfer_in_long_queue_can_be_discarded(queued_import, people, signed_in):
    client, address = signed_in(people["manager"]), f"/transfers/{queued_import.pk}/"
    Transfer.objects.update(heartbeat_at=timezone.now() - LOST_AFTER - timedelta(seconds=1))
    assert f'action="{address}cancel/"' in client.get(address).content.decode()
    assert client.post(f"{address}discard/").url == LIST
    assert not Transfer.objects.exists()
    orders.run_transfer.call(queued_import.pk)  # the queue comes to it at last: nothing is done


def test_transfer_of_dead_worker_fails(queued_import, people, signed_in):
    Transfer.objects.update(heartbeat_at=timezone.now() - LOST_AFTER - timedelta(seconds=1), total=1)
    page = signed_in(people["manager"]).get(f"/transfers/{queued_import.pk}/").content.decode()
    assert "The worker stopped, or none is running" in page
    assert "preparing the preview" not in signed_in(people["manager"]).get(LIST).content.decode()
    orders.run_transfer.call(queued_import.pk)  # it was not dead after all: nothing is done
    queued_import.refresh_from_db()
    assert queued_import.state == Transfer.State.FAILED


def test_failed_import_stores_error_and_changes_nothing(queued_import, project, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr(orders, "import_sources", broken)
    with pytest.raises(RuntimeError):
        orders.run_transfer.call(queued_import.pk)
    queued_import.refresh_from_db()
    assert (queued_import.state, queued_import.error) == (Transfer.State.FAILED, orders.FAILURE_MESSAGE)
    assert project.texts.count() == 1


def test_oldest_transfers_are_deleted_with_files(project, people, monkeypatch):
    monkeypatch.setattr(orders, "MAX_TRANSFERS", 2)
    made = [orders.order_import(project, people["manager"], files(), "conll2012", IMPORT) for _ in range(3)]
    assert set(Transfer.objects.all()) == set(made[1:])
    assert not made[0].file.storage.exists(made[0].file.name)
    Transfer.objects.filter(pk=made[1].pk).update(created_at=timezone.now() - orders.MAX_AGE - timedelta(days=1))
    newest = orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    assert set(Transfer.objects.all()) == {made[2], newest}


def test_limit_of_transfers_applies_per_user(checked_import, project, people, monkeypatch):
    monkeypatch.setattr(orders, "MAX_TRANSFERS", 1)
    made = [orders.order_export(project, people["viewer"], "jsonlines", EXPORT) for _ in range(2)]
    assert set(Transfer.objects.all()) == {checked_import, made[1]}


def test_expired_transfers_are_deleted_at_next_order(finished_export, checked_import, people):

    long_ago = timezone.now() - orders.MAX_AGE - timedelta(days=1)
    Transfer.objects.update(created_at=long_ago, heartbeat_at=long_ago)
    Transfer.objects.filter(pk=finished_export.pk).update(state=Transfer.State.RUNNING, total=1)
    made = orders.order_restore(people["manager"], SimpleUploadedFile("a.zip", b"PK"), "")
    assert set(Transfer.objects.all()) == {made}
    assert not finished_export.file.storage.exists(finished_export.file.name)


def test_orphaned_files_are_deleted(checked_import, project, people):

    folder = Path(checked_import.file.path).parent
    orphan, young = folder / "orphan", folder / "young"
    for file in (orphan, young):
        file.write_bytes(b"x")
    long_ago = (timezone.now() - orders.ORPHAN_AGE - timedelta(hours=1)).timestamp()
    for file in (orphan, Path(checked_import.file.path)):
        os.utime(file, (long_ago, long_ago))
    orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    assert (orphan.exists(), young.exists(), Path(checked_import.file.path).exists()) == (False, True, True)


def test_import_takes_more_than_hundred_files(project, people, signed_in):
    many = files(*((f"t{number}.conll", CONLL) for number in range(120)))
    form = {"format": "conll2012", "whose": "nobody", "files": many}
    answer = signed_in(people["manager"]).post("/projects/tea/import/", form)
    assert answer.status_code == 302
    assert Transfer.objects.get().report["texts"] == 120


def test_pages_answer_partial_requests(checked_import, people, signed_in):
    people["manager"].is_superuser = True
    people["manager"].save()
    client = signed_in(people["manager"])
    of_project = (f"/projects/tea/{page}/" for page in ("transfers", "import", "export"))
    for page in ("/projects/new/archive/", *of_project, f"/transfers/{checked_import.pk}/"):
        assert client.get(page, headers={"HX-Request": "true"}).status_code == 200, page


def test_list_takes_fixed_number_of_queries(
    checked_import, finished_export, project, people, signed_in, django_assert_max_num_queries
):
    client = signed_in(people["manager"])
    for _ in range(3):
        orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    client.get(LIST)
    with django_assert_max_num_queries(5):
        client.get(LIST)
