"""GET /api/v1/projects/ and /api/v1/projects/SLUG/."""

import pytest

from annotations.models import Membership, Project, User
from tests.conftest import make_project

URL = "/api/v1/projects/"


def test_the_list_has_my_projects_with_my_role_and_no_others(signed_in, bob, project):
    make_project("other")
    assert signed_in(bob).get(URL).json() == {
        "next": None,
        "previous": None,
        "results": [{"slug": "tea", "title": "Tea", "answers": "pointers", "guidelines": "", "role": "coder"}],
    }


@pytest.mark.parametrize("role", ["manager", "adjudicator", "viewer", "coder"])
def test_a_project_tells_my_role(signed_in, people, role):
    answer = signed_in(people[role]).get(f"{URL}tea/")
    assert (answer.status_code, answer.json()["role"]) == (200, role)


def test_a_superuser_manages_every_project(signed_in, project):
    root = User.objects.create(username="root", is_superuser=True)
    assert [found["role"] for found in signed_in(root).get(URL).json()["results"]] == ["manager"]


def test_an_outsiders_list_is_empty_and_a_project_not_there(signed_in, project, mallory):
    assert signed_in(mallory).get(URL).json()["results"] == []
    answer = signed_in(mallory).get(f"{URL}tea/")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "There is nothing here",
        "status": 404,
        "code": "not_found",
        "detail": "There is no such project.",
    }


def test_nobody_gets_anything_without_signing_in(client, project):
    answer = client.get(URL)
    assert answer.status_code in (401, 403)
    assert answer.json()["code"] == "not_authenticated"


def test_a_long_list_comes_in_pages(signed_in, mallory):
    many = [Project(slug=f"p{number:03}", title="P", answers="pointers") for number in range(101)]
    for project in Project.objects.bulk_create(many):
        Membership.objects.create(project=project, user=mallory, role="viewer")
    client = signed_in(mallory)
    first = client.get(URL).json()
    second = client.get(first["next"]).json()
    slugs = [found["slug"] for found in first["results"] + second["results"]]
    assert slugs == [f"p{number:03}" for number in range(101)]
    assert second["next"] is None


def test_a_wrong_cursor_is_a_problem_and_no_crash(signed_in, alice):
    assert signed_in(alice).get(URL, {"cursor": "x"}).json()["code"] == "not_found"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_projects_cannot_be_written_here(signed_in, charlie, project, method):
    answer = getattr(signed_in(charlie), method)(f"{URL}tea/")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in answer["Allow"]
