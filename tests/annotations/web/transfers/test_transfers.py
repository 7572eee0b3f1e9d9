"""Imports and exports: the list, one's page, what may be done with it and by whom."""

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
def brought(project, people):
    """Order an import, which is checked and not carried out."""
    return orders.order_import(project, people["manager"], files(), "conll2012", IMPORT)


@pytest.fixture
def taken(project, people):
    """Order an export as a viewer and carry it out."""
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    assert orders.carry_out(made, people["viewer"])
    return made


def test_the_list_tells_of_each_the_latest_first(brought, taken, people, signed_in):
    page = signed_in(people["manager"]).get(LIST).content.decode()
    assert page.index("JSON lines") < page.index("CoNLL-2012")
    assert f'href="/transfers/{taken.pk}/file/"' in page
    assert "preview ready" in page


def test_who_sees_results_sees_exports_but_no_imports_and_archives(brought, taken, project, people, signed_in):
    archive = orders.order_export(project, people["manager"], "project", {})
    addresses = [f"/transfers/{transfer.pk}/" for transfer in (brought, taken, archive)]
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


def test_who_has_not_ordered_it_reads_who_carries_it_out(project, people, signed_in):
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    client, address = signed_in(people["manager"]), f"/transfers/{made.pk}/"
    page = client.get(address).content.decode()
    assert "Only vera, who started this, can confirm it." in page
    assert "/carry-out/" not in page
    assert client.post(f"{address}carry-out/").status_code == 403
    assert signed_in(people["adjudicator"]).post(f"{address}cancel/").status_code == 403
    assert Transfer.objects.get().state == Transfer.State.CHECKED


def test_open_results_let_a_coder_take_an_export_and_close_again(taken, people, signed_in):
    client = signed_in(people["coder"])
    Project.objects.update(results_open=True)
    assert client.get(f"/transfers/{taken.pk}/file/").status_code == 200
    Project.objects.update(results_open=False)
    assert client.get(f"/transfers/{taken.pk}/file/").status_code == 404


def test_carrying_out_twice_does_it_once(brought, project, people, signed_in):
    client = signed_in(people["manager"])
    for _ in range(2):
        assert client.post(f"/transfers/{brought.pk}/carry-out/").status_code == 302
    assert project.texts.filter(slug="dog").count() == 1
    assert "already confirmed" in client.get(f"/transfers/{brought.pk}/").content.decode()
    client.post(f"/transfers/{brought.pk}/discard/")
    assert not Transfer.objects.exists()
    assert project.texts.filter(slug="dog").exists()  # discarding keeps what it brought


def test_upload_can_be_fetched_until_it_is_discarded(brought, project, people, signed_in):
    client = signed_in(people["manager"])
    answer = client.get(f"/transfers/{brought.pk}/file/")
    assert b"".join(answer.streaming_content) == CONLL.encode()
    assert answer["Content-Disposition"] == 'attachment; filename="dog.conll"'
    for folder in ("", "files/", "media/", "static/"):  # no address leads to the file itself
        assert client.get(f"/{folder}{brought.file.name}").status_code == 404
    two = files(("a.conll", CONLL), ("b.conll", CONLL))
    several = orders.order_import(project, people["manager"], two, "conll2012", IMPORT)
    answer = client.get(f"/transfers/{several.pk}/file/")
    assert answer["Content-Disposition"] == 'attachment; filename="tea-conll2012.zip"'
    assert client.post(f"/transfers/{brought.pk}/discard/").url == LIST
    assert list(Transfer.objects.all()) == [several]
    assert not brought.file.storage.exists(brought.file.name)


def test_a_file_that_is_gone_is_said_to_be(taken, brought, people, signed_in):
    taken.file.storage.delete(taken.file.name)
    assert signed_in(people["viewer"]).get(f"/transfers/{taken.pk}/file/").status_code == 404
    brought.file.storage.delete(brought.file.name)
    page = signed_in(people["manager"]).post(f"/transfers/{brought.pk}/carry-out/", follow=True).content.decode()
    assert "The upload was deleted; upload the files again. Nothing was changed." in page


def test_who_may_not_discard_is_not_asked_to(taken, people, signed_in):
    address = f"/transfers/{taken.pk}/"
    shown = {role: "/discard/" in signed_in(people[role]).get(address).content.decode() for role in ROLES}
    assert shown == {"manager": True, "adjudicator": False, "viewer": True}


@pytest.fixture
def with_worker(settings, monkeypatch):
    """Let every upload count as large, so that it waits for a worker as in production."""
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "QUICK_BYTES", 0)


@pytest.fixture
def brought_by_worker(with_worker, project, people):
    return orders.order_import(project, people["manager"], files(), "conll2012", IMPORT)


def test_what_is_large_waits_for_the_worker_and_tells_how_far_it_is(with_worker, brought_by_worker, people, signed_in):
    client, made = signed_in(people["manager"]), brought_by_worker
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


def test_a_worker_that_has_begun_and_not_counted_yet_is_not_missed(brought_by_worker, people, signed_in, monkeypatch):
    client, address, pages = signed_in(people["manager"]), f"/transfers/{brought_by_worker.pk}/", []

    def reading(*args):
        Transfer.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=30))
        pages.append(client.get(address).content.decode())
        raise FormatError("is wrong", "dog.conll")

    monkeypatch.setattr(orders, "open_sources", reading)
    orders.run_transfer.call(brought_by_worker.pk)
    assert "Preparing the preview" in pages[0]
    assert "manage.py db_worker" not in pages[0]


def test_late_export_that_was_given_up_leaves_no_file(brought, project, people, monkeypatch):
    made = orders.order_export(project, people["viewer"], "jsonlines", EXPORT)
    folder, export = Path(brought.file.path).parent, orders.export_files
    kept = set(folder.iterdir())

    def given_up_meanwhile(*args, **kwargs):
        Transfer.objects.update(state=Transfer.State.FAILED)
        return export(*args, **kwargs)

    monkeypatch.setattr(orders, "export_files", given_up_meanwhile)
    orders.carry_out(made, people["viewer"])
    assert (made.state, bool(made.file)) == (Transfer.State.FAILED, False)
    assert set(folder.iterdir()) == kept


def test_what_is_begun_at_the_moment_of_discarding_stays(brought, people):

    Transfer.objects.filter(pk=brought.pk).update(state=Transfer.State.RUNNING)
    assert not orders.discard(brought, people["manager"])
    assert Transfer.objects.filter(pk=brought.pk).exists()
    assert brought.file.storage.exists(brought.file.name)


def test_a_small_zip_that_grows_waits_for_the_worker(with_worker, project, people, monkeypatch):
    monkeypatch.setattr(orders, "QUICK_BYTES", 200_000)
    data = zipped(**{f"{number}.conll": "#" * 1_000_000 for number in range(6)})
    assert len(data) < 200_000
    sent = [SimpleUploadedFile("all.zip", data)]
    made = orders.order_import(project, people["manager"], sent, "conll2012", IMPORT)
    assert made.state == Transfer.State.CHECKING
    restored = orders.order_restore(people["manager"], SimpleUploadedFile("all.zip", data), "")
    assert restored.state == Transfer.State.CHECKING


@pytest.mark.parametrize("bound", ["QUICK_TEXTS", "QUICK_JUDGEMENTS"])
def test_an_export_of_much_waits_for_the_worker(with_worker, project, codings, keys, people, monkeypatch, bound):
    judge(codings["alice"], keys["a"], "none")
    made = orders.order_export(project, people["manager"], "conll2012", EXPORT)
    assert made.state == Transfer.State.CHECKED
    monkeypatch.setattr(orders, bound, 0)
    made = orders.order_export(project, people["manager"], "conll2012", EXPORT)
    assert made.state == Transfer.State.CHECKING


def test_what_breaks_at_once_is_said_on_its_page(project, people, signed_in, monkeypatch):
    monkeypatch.setattr(orders, "import_sources", lambda *args, **kwargs: 1 / 0)
    form = {"format": "conll2012", "whose": "nobody", "files": files()}
    answer = signed_in(people["manager"]).post("/projects/tea/import/", form, follow=True)
    assert orders.FAILURE_MESSAGE in html.unescape(answer.content.decode())


def test_what_is_worked_on_is_not_discarded(brought_by_worker, people, signed_in):
    client, address = signed_in(people["manager"]), f"/transfers/{brought_by_worker.pk}/"
    Transfer.objects.update(total=1)  # as the worker says when it begins
    assert client.post(f"{address}discard/").url == address
    assert "/discard/" not in client.get(address).content.decode()
    assert Transfer.objects.filter(pk=brought_by_worker.pk).exists()


def test_transfer_in_a_long_queue_can_be_discarded(brought_by_worker, people, signed_in):
    client, address = signed_in(people["manager"]), f"/transfers/{brought_by_worker.pk}/"
    Transfer.objects.update(heartbeat_at=timezone.now() - LOST_AFTER - timedelta(seconds=1))
    assert f'action="{address}cancel/"' in client.get(address).content.decode()
    assert client.post(f"{address}discard/").url == LIST
    assert not Transfer.objects.exists()
    orders.run_transfer.call(brought_by_worker.pk)  # the queue comes to it at last: nothing is done


def test_of_a_worker_that_has_died_nothing_more_is_awaited(brought_by_worker, people, signed_in):
    Transfer.objects.update(heartbeat_at=timezone.now() - LOST_AFTER - timedelta(seconds=1), total=1)
    page = signed_in(people["manager"]).get(f"/transfers/{brought_by_worker.pk}/").content.decode()
    assert "The worker stopped, or none is running" in page
    assert "preparing the preview" not in signed_in(people["manager"]).get(LIST).content.decode()
    orders.run_transfer.call(brought_by_worker.pk)  # it was not dead after all: nothing is done
    brought_by_worker.refresh_from_db()
    assert brought_by_worker.state == Transfer.State.FAILED


def test_what_breaks_is_said_and_logged_and_nothing_is_changed(brought_by_worker, project, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr(orders, "import_sources", broken)
    with pytest.raises(RuntimeError):
        orders.run_transfer.call(brought_by_worker.pk)
    brought_by_worker.refresh_from_db()
    assert (brought_by_worker.state, brought_by_worker.error) == (Transfer.State.FAILED, orders.FAILURE_MESSAGE)
    assert project.texts.count() == 1


def test_the_oldest_go_with_their_files(project, people, monkeypatch):
    monkeypatch.setattr(orders, "MAX_TRANSFERS", 2)
    made = [orders.order_import(project, people["manager"], files(), "conll2012", IMPORT) for _ in range(3)]
    assert set(Transfer.objects.all()) == set(made[1:])
    assert not made[0].file.storage.exists(made[0].file.name)
    Transfer.objects.filter(pk=made[1].pk).update(created_at=timezone.now() - orders.MAX_AGE - timedelta(days=1))
    newest = orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    assert set(Transfer.objects.all()) == {made[2], newest}


def test_nobody_crowds_out_what_another_has_ordered(brought, project, people, monkeypatch):
    monkeypatch.setattr(orders, "MAX_TRANSFERS", 1)
    made = [orders.order_export(project, people["viewer"], "jsonlines", EXPORT) for _ in range(2)]
    assert set(Transfer.objects.all()) == {brought, made[1]}


def test_what_is_too_old_goes_whatever_is_ordered_next(taken, brought, people):

    long_ago = timezone.now() - orders.MAX_AGE - timedelta(days=1)
    Transfer.objects.update(created_at=long_ago, heartbeat_at=long_ago)
    Transfer.objects.filter(pk=taken.pk).update(state=Transfer.State.RUNNING, total=1)
    made = orders.order_restore(people["manager"], SimpleUploadedFile("a.zip", b"PK"), "")
    assert set(Transfer.objects.all()) == {made}
    assert not taken.file.storage.exists(taken.file.name)


def test_files_of_which_no_row_tells_go(brought, project, people):

    folder = Path(brought.file.path).parent
    orphan, young = folder / "orphan", folder / "young"
    for file in (orphan, young):
        file.write_bytes(b"x")
    long_ago = (timezone.now() - orders.ORPHAN_AGE - timedelta(hours=1)).timestamp()
    for file in (orphan, Path(brought.file.path)):
        os.utime(file, (long_ago, long_ago))
    orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    assert (orphan.exists(), young.exists(), Path(brought.file.path).exists()) == (False, True, True)


def test_a_hundred_files_and_more_come_in_at_once(project, people, signed_in):
    many = files(*((f"t{number}.conll", CONLL) for number in range(120)))
    form = {"format": "conll2012", "whose": "nobody", "files": many}
    answer = signed_in(people["manager"]).post("/projects/tea/import/", form)
    assert answer.status_code == 302
    assert Transfer.objects.get().report["texts"] == 120


def test_every_page_answers_a_part_of_a_page_too(brought, people, signed_in):
    people["manager"].is_superuser = True
    people["manager"].save()
    client = signed_in(people["manager"])
    of_project = (f"/projects/tea/{page}/" for page in ("transfers", "import", "export"))
    for page in ("/projects/new/archive/", *of_project, f"/transfers/{brought.pk}/"):
        assert client.get(page, headers={"HX-Request": "true"}).status_code == 200, page


def test_the_list_costs_a_fixed_number_of_queries(
    brought, taken, project, people, signed_in, django_assert_max_num_queries
):
    client = signed_in(people["manager"])
    for _ in range(3):
        orders.order_export(project, people["manager"], "jsonlines", EXPORT)
    client.get(LIST)
    with django_assert_max_num_queries(5):
        client.get(LIST)
