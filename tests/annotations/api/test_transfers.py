"""Imports and exports by the API."""

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.models import Project, Text, Transfer
from annotations.transfers import orders
from annotations.transfers.archiving import archive_project, restoring
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.coding import judge

PROJECT = "/api/v1/projects/tea/"


def sent(**fields):
    return {
        "format": "conll2012",
        "whose": "nobody",
        "files": [SimpleUploadedFile("dog.conll", CONLL.encode())],
    } | fields


def test_import_is_checked_before_it_is_confirmed(manager):
    made = manager.post(f"{PROJECT}imports/", sent())
    assert made.status_code == 201
    told = made.json()
    assert (told["kind"], told["state"], told["project"], told["user"]) == ("import", "checked", "tea", "charlie")
    assert (told["report"]["texts"], told["report"]["markables"]) == (1, 2)
    assert not Text.objects.filter(slug="dog").exists()
    done = manager.post(f"/api/v1/transfers/{told['id']}/carry-out/")
    assert (done.status_code, done.json()["state"]) == (200, "done")
    assert Text.objects.filter(slug="dog").exists()
    assert manager.get(f"/api/v1/transfers/{told['id']}/").json() == done.json()
    again = manager.post(f"/api/v1/transfers/{told['id']}/carry-out/")
    assert (again.status_code, again.json()["code"], again.json()["detail"]) == (409, "not_checked", "This is done.")


def test_refused_file_is_named_in_report(manager):
    broken = SimpleUploadedFile("dog.conll", CONLL.replace("(2)", "(2").encode())
    told = manager.post(f"{PROJECT}imports/", sent(files=[broken])).json()
    assert told["state"] == "failed"
    assert told["report"]["failures"][0]["message"].startswith("dog.conll:")


def test_wrong_fields_are_named(manager):
    for fields, wrong in (({"format": "ghost"}, "format"), ({"whose": "one"}, "coder"), ({"files": []}, "files")):
        answer = manager.post(f"{PROJECT}imports/", sent(**fields))
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert list(answer.json()["errors"]) == [wrong]
    assert not Transfer.objects.exists()


def test_export_reports_losses_before_file_is_written(manager, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"], keys["b"])
    order = {"format": "muc", "unfinished": True, "coders": ["alice"], "texts": ["tea"]}
    told = manager.post(f"{PROJECT}exports/", json.dumps(order), content_type="application/json").json()
    assert told["choices"] == {"coders": ["alice"], "texts": ["tea"], "unfinished": True, "options": {}}
    lost = {loss["what"]: loss for loss in told["report"]["losses"]}
    ambiguous = lost["several antecedents of one markable (the nearest earlier one stays)"]
    assert (ambiguous["count"], ambiguous["examples"]) == (1, ["alice, tea: “it” (31-33)"])
    assert manager.get(f"/api/v1/transfers/{told['id']}/file/").status_code == 404
    manager.post(f"/api/v1/transfers/{told['id']}/carry-out/")
    file = manager.get(f"/api/v1/transfers/{told['id']}/file/")
    assert file["Content-Disposition"].startswith("attachment;")
    with zipfile.ZipFile(io.BytesIO(b"".join(file.streaming_content))) as archive:
        assert set(archive.namelist()) == {"alice/tea.sgm", "LOSSES.txt"}


def test_wrong_export_orders_are_refused(manager, codings):
    wrong_coders = ("alice", [{"a": 1}], [None], ["\ud800"])
    for order in (
        *([], {}, {"format": ["muc"]}, {"format": {"muc": 1}}),
        *({"format": "muc", "coders": coders} for coders in wrong_coders),
        *({"format": "muc", "texts": texts} for texts in (["a\0b"], [10**30])),
    ):
        answer = manager.post(f"{PROJECT}exports/", json.dumps(order), content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_list_has_latest_first_and_only_exports_for_viewers(manager, people, signed_in):
    manager.post(f"{PROJECT}imports/", sent())
    manager.post(f"{PROJECT}exports/", {"format": "muc"})
    assert [row["kind"] for row in manager.get(f"{PROJECT}transfers/").json()["results"]] == ["export", "import"]
    viewer = signed_in(people["viewer"])
    assert [row["kind"] for row in viewer.get(f"{PROJECT}transfers/").json()["results"]] == ["export"]
    assert viewer.post(f"{PROJECT}exports/", {"format": "project"}).status_code == 400


def test_running_transfer_is_neither_discarded_nor_repeated(manager, charlie, project):
    made = orders.order_export(project, charlie, "muc", {})
    Transfer.objects.filter(pk=made.pk).update(state=Transfer.State.RUNNING)
    assert manager.delete(f"/api/v1/transfers/{made.pk}/").json()["code"] == "at_work"
    assert manager.post(f"/api/v1/transfers/{made.pk}/carry-out/").json()["code"] == "not_checked"


def archived(project, slug):
    out = io.BytesIO()
    archive_project(project, out)
    return {"file": SimpleUploadedFile("tea.zip", out.getvalue()), "slug": slug}


@pytest.fixture
def founder(manager, charlie):
    """Return the client of the manager, who may now make projects too."""
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    return manager


def test_confirmed_archive_becomes_project(founder, project, people, signed_in):
    made = founder.post("/api/v1/archives/", archived(project, "again")).json()
    assert (made["state"], made["project"]) == ("checked", None)
    assert not Project.objects.filter(slug="again").exists()
    assert signed_in(people["viewer"]).get(f"/api/v1/transfers/{made['id']}/").status_code == 404
    done = founder.post(f"/api/v1/transfers/{made['id']}/carry-out/").json()
    assert (done["state"], done["project"]) == ("done", "again")
    assert Project.objects.get(slug="again").texts.count() == 1


@pytest.mark.parametrize("seen_first", [True, False])
def test_restore_refuses_address_taken_meanwhile(founder, project, monkeypatch, seen_first):
    made = founder.post("/api/v1/archives/", archived(project, "again")).json()
    Project.objects.update(slug="again")
    if not seen_first:  # somebody takes it between the look and the writing
        monkeypatch.setattr(restoring, "_free_slug", lambda slug: slug)
    done = founder.post(f"/api/v1/transfers/{made['id']}/carry-out/").json()
    assert done["error"] == "There is a project 'again' already; choose another address. Nothing was changed."
    assert done["report"] is None
    assert Project.objects.count() == 1


def test_restore_requires_permission_to_create_projects(founder, project, charlie):
    made = founder.post("/api/v1/archives/", archived(project, "again")).json()
    charlie.user_permissions.clear()
    assert founder.post(f"/api/v1/transfers/{made['id']}/carry-out/").status_code == 403
    assert not Project.objects.filter(slug="again").exists()
