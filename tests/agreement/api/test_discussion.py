"""Remarks, flags, mappings and tasks in the API."""

import pytest

from agreement.models import Flag, Mapping, Remark
from annotations.projects.people.members import add_member
from tests.shared.projects import make_project

URL = "/api/v1/projects/tea/agreement/"
ITEM = f"{URL}items/tea/phrase:4-14/"
JSON = {"content_type": "application/json"}


def test_only_author_deletes_remark(signed_in, people):
    manager, adjudicator = signed_in(people["manager"]), signed_in(people["adjudicator"])
    made = manager.post(f"{ITEM}remarks/", {"body": "Which?"}, **JSON).json()
    [row] = adjudicator.get(f"{ITEM}remarks/").json()["results"]
    assert (row, row["author"], row["body"]) == (made, "charlie", "Which?")
    assert adjudicator.delete(f"{ITEM}remarks/{made['id']}/").status_code == 404
    assert manager.delete(f"{ITEM}remarks/{made['id']}/").status_code == 204
    assert not Remark.objects.exists()


@pytest.mark.parametrize("sent", [{"body": ""}, {"body": "x" * 5001}, {}, {"body": "x", "author": "alice"}])
def test_api_refuses_wrong_remark(signed_in, charlie, project, sent):
    assert signed_in(charlie).post(f"{ITEM}remarks/", sent, **JSON).status_code == 400
    assert not Remark.objects.exists()


def test_flag_is_set_once_and_removed(signed_in, charlie, project):
    client = signed_in(charlie)
    nobody = {"reason": "", "resolved_by": None, "resolved_at": None}
    assert client.get(f"{ITEM}flag/").json() == {"flagged": False, "author": None} | nobody
    for _ in range(2):
        assert client.put(f"{ITEM}flag/").json() == {"flagged": True, "author": "charlie"} | nobody
    assert Flag.objects.count() == 1
    assert client.delete(f"{ITEM}flag/").status_code == 204
    assert not Flag.objects.exists()


def test_mapping_replaces_mapping_of_same_name(signed_in, charlie, people):
    client, address = signed_in(charlie), f"{URL}mappings/"
    sent = {"name": "things", "classes": {"place": "thing", "none": "thing"}}
    assert client.post(address, sent, **JSON).status_code == 201
    assert client.post(address, sent | {"classes": {"place": "none"}}, **JSON).status_code == 201
    assert signed_in(people["viewer"]).get(address).json() == [{"name": "things", "classes": {"place": "none"}}]


@pytest.mark.parametrize("classes", [{}, {"ghost": "x"}, {"place": ""}, [], {"place": ["x"]}])
def test_api_refuses_wrong_mapping(signed_in, charlie, project, classes):
    answer = signed_in(charlie).post(f"{URL}mappings/", {"name": "m", "classes": classes}, **JSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["classes"])
    assert not Mapping.objects.exists()


def test_tasks_are_limited_to_project_and_role(signed_in, charlie, people):
    other = make_project("other")
    add_member(other, charlie, "manager")
    for slug in ("tea", "other"):
        signed_in(charlie).post(f"/api/v1/projects/{slug}/exports/", {"format": "muc"}, **JSON)
    signed_in(charlie).post("/api/v1/projects/tea/exports/", {"format": "project"}, **JSON)
    tasks = signed_in(charlie).get("/api/v1/projects/tea/tasks/").json()
    assert [(task["kind"], task["state"]) for task in tasks] == [("export", "checked")] * 2
    assert len(signed_in(people["viewer"]).get("/api/v1/projects/tea/tasks/").json()) == 1
