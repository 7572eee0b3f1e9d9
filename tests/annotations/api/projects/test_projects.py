"""GET /api/v1/projects/ and /api/v1/projects/SLUG/."""

import pytest
from django.contrib.auth.models import Permission

from annotations.models import Membership, Project, User
from tests.shared.projects import make_project

URL = "/api/v1/projects/"
JSON = {"content_type": "application/json"}


def test_list_has_only_own_projects_with_role(signed_in, bob, project):
    make_project("other")
    assert signed_in(bob).get(URL).json() == {
        "next": None,
        "previous": None,
        "results": [
            {
                "slug": "tea",
                "title": "Tea",
                "answers": "pointers",
                "guidelines": "",
                "results_open": False,
                "preset": "poesio-artstein-2005",
                "one_contributor": True,
                "words_exclusive": True,
                "scores_shown": False,
                **dict.fromkeys(("description", "source", "licence", "citation", "contact"), ""),
                "archived_at": None,
                "role": "coder",
            }
        ],
    }


def test_manager_sets_datasheet_fields_within_limits(signed_in, charlie, project):
    client, told = signed_in(charlie), {"licence": "CC BY 4.0", "description": "Tea.", "source": "Kettles."}
    changed = client.patch(f"{URL}tea/", told, headers={"If-Match": "*"}, **JSON).json()
    assert {name: changed[name] for name in told} == told
    for name, longest in (("licence", 200), ("contact", 200), ("citation", 1000), ("description", 5000)):
        for length, status in ((longest, 200), (longest + 1, 400)):
            answer = client.patch(f"{URL}tea/", {name: "x" * length}, headers={"If-Match": "*"}, **JSON)
            assert answer.status_code == status, (name, length)
    assert "description" in answer.json()["errors"]


def test_project_shows_role_of_user(signed_in, people):
    root = User.objects.create(username="root", is_superuser=True)
    expected = {role: role for role in ("manager", "adjudicator", "viewer", "coder")} | {"root": "manager"}
    found = {role: signed_in(people.get(role, root)).get(f"{URL}tea/").json()["role"] for role in expected}
    assert found == expected
    assert [project["role"] for project in signed_in(root).get(URL).json()["results"]] == ["manager"]


def test_outsiders_see_no_projects(signed_in, project, mallory):
    assert signed_in(mallory).get(URL).json()["results"] == []
    answer = signed_in(mallory).get(f"{URL}tea/")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "There is nothing here",
        "status": 404,
        "code": "not_found",
        "detail": "Project not found.",
    }


def test_long_list_has_pages(signed_in, mallory):
    many = [Project(slug=f"p{number:03}", title="P", answers="pointers") for number in range(101)]
    Membership.objects.bulk_create(
        Membership(project=project, user=mallory, role="viewer") for project in Project.objects.bulk_create(many)
    )
    client = signed_in(mallory)
    first = client.get(URL).json()
    second = client.get(first["next"]).json()
    slugs = [found["slug"] for found in first["results"] + second["results"]]
    assert slugs == [f"p{number:03}" for number in range(101)]
    assert second["next"] is None
    assert client.get(URL, {"cursor": "x"}).json()["code"] == "not_found"


NEW = {"slug": "milk", "title": "Milk", "scheme": "passonneau-2004", "guidelines": "*Look.*"}


@pytest.fixture
def maker(mallory):
    mallory.user_permissions.add(Permission.objects.get(codename="add_project"))
    return User.objects.get(pk=mallory.pk)


def test_creator_manages_new_project(signed_in, maker):
    made = signed_in(maker).post(URL, NEW, **JSON)
    assert (made.status_code, made.json()["role"], made.json()["answers"]) == (201, "manager", "indices")
    assert Project.objects.get(slug="milk").guidelines == "*Look.*"


def test_wrong_fields_create_no_project(signed_in, maker, project):
    client = signed_in(maker)
    for wrong in (
        *({"slug": slug} for slug in ("tea", "new", "no slug")),
        *({"scheme": "ghost"}, {"title": ""}, {"role": "viewer"}, {"answers": "categories"}),
    ):
        answer = client.post(URL, NEW | wrong, **JSON)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(wrong))
    assert Project.objects.count() == 1


def test_manager_opens_results(signed_in, bob, manager):
    agreement = f"{URL}tea/agreement/"
    assert signed_in(bob).get(agreement).status_code == 403
    changed = manager.patch(f"{URL}tea/", {"results_open": True}, headers={"If-Match": "*"}, **JSON)
    assert changed.json()["results_open"] is True
    assert signed_in(bob).get(agreement).status_code == 200


def test_read_only_fields_are_refused_by_name(manager):
    for field in ("slug", "answers", "role", "members", "id"):
        answer = manager.patch(f"{URL}tea/", {field: "x"}, headers={"If-Match": "*"}, **JSON)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_projects_are_filtered_and_sorted_by_allowed_fields(signed_in, bob, project):
    other = make_project("other", "passonneau-2004")
    Membership.objects.create(project=other, user=bob, role="viewer")
    client = signed_in(bob)
    found = [project["slug"] for project in client.get(URL, {"ordering": "-title"}).json()["results"]]
    assert found == ["tea", "other"]
    assert [project["slug"] for project in client.get(URL, {"answers": "indices"}).json()["results"]] == ["other"]
    for query in ({"ordering": "members__password"}, {"members__username": "bob"}, {"answers": "ghost"}):
        answer = client.get(URL, query)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(query))


def test_manager_sets_levels_that_coders_mark(signed_in, charlie, bob, project):
    address, client = f"{URL}tea/scheme/", signed_in(charlie)
    assert [level["coders_mark"] for level in signed_in(bob).get(address).json()["levels"]] == [False, False]
    seen = client.get(address)["ETag"]
    for wrong in (["turn"], ["ghost"], "phrase"):  # turns are not coded
        assert client.patch(address, {"coders_mark": wrong}, headers={"If-Match": seen}, **JSON).status_code == 400
    changed = client.patch(address, {"coders_mark": ["phrase"]}, headers={"If-Match": seen}, **JSON).json()
    assert [level["key"] for level in changed["levels"] if level["coders_mark"]] == ["phrase"]
