"""GET /api/v1/projects/ and /api/v1/projects/SLUG/."""

import pytest
from django.contrib.auth.models import Permission

from annotations.models import Membership, Project, User
from tests.shared.projects import make_project

URL = "/api/v1/projects/"
JSON = {"content_type": "application/json"}


def test_the_list_has_my_projects_with_my_role_and_no_others(signed_in, bob, project):
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


def test_a_manager_says_what_the_datasheet_says_within_its_bounds(signed_in, charlie, project):
    client, told = signed_in(charlie), {"licence": "CC BY 4.0", "description": "Tea.", "source": "Kettles."}
    changed = client.patch(f"{URL}tea/", told, headers={"If-Match": "*"}, **JSON).json()
    assert {name: changed[name] for name in told} == told
    for name, longest in (("licence", 200), ("contact", 200), ("citation", 1000), ("description", 5000)):
        for length, status in ((longest, 200), (longest + 1, 400)):
            answer = client.patch(f"{URL}tea/", {name: "x" * length}, headers={"If-Match": "*"}, **JSON)
            assert answer.status_code == status, (name, length)
    assert "description" in answer.json()["errors"]


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
        "detail": "Project not found.",
    }


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


@pytest.mark.parametrize("method", ["post", "put"])
def test_a_project_is_not_replaced(signed_in, charlie, project, method):
    answer = getattr(signed_in(charlie), method)(f"{URL}tea/")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in answer["Allow"]


NEW = {"slug": "milk", "title": "Milk", "scheme": "passonneau-2004", "guidelines": "*Look.*"}


@pytest.fixture
def maker(mallory):
    mallory.user_permissions.add(Permission.objects.get(codename="add_project"))
    return User.objects.get(pk=mallory.pk)


def test_who_starts_a_project_manages_it(signed_in, maker):
    made = signed_in(maker).post(URL, NEW, **JSON)
    assert (made.status_code, made.json()["role"], made.json()["answers"]) == (201, "manager", "indices")
    assert Project.objects.get(slug="milk").guidelines == "*Look.*"


def test_a_project_needs_the_permission(signed_in, charlie, project):
    assert signed_in(charlie).post(URL, NEW, **JSON).status_code == 403
    assert not Project.objects.filter(slug="milk").exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"slug": "tea"}, "slug"),
        ({"slug": "new"}, "slug"),
        ({"slug": "no slug"}, "slug"),
        ({"scheme": "ghost"}, "scheme"),
        ({"title": ""}, "title"),
        ({"role": "viewer"}, "role"),
        ({"answers": "categories"}, "answers"),
    ],
)
def test_a_wrong_field_makes_no_project(signed_in, maker, project, wrong, field):
    answer = signed_in(maker).post(URL, NEW | wrong, **JSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert Project.objects.count() == 1


def test_a_manager_opens_the_results(signed_in, bob, charlie, project):
    agreement = f"{URL}tea/agreement/"
    assert signed_in(bob).get(agreement).status_code == 403
    seen = signed_in(charlie).get(f"{URL}tea/")
    changed = signed_in(charlie).patch(f"{URL}tea/", {"results_open": True}, headers={"If-Match": seen["ETag"]}, **JSON)
    assert changed.json()["results_open"] is True
    assert signed_in(bob).get(agreement).status_code == 200


@pytest.mark.parametrize("role", ["adjudicator", "viewer", "coder", "outsider"])
def test_nobody_else_changes_a_project(signed_in, people, role):
    answer = signed_in(people[role]).patch(f"{URL}tea/", {"results_open": True}, headers={"If-Match": "*"}, **JSON)
    assert answer.status_code == (404 if role == "outsider" else 403)
    assert not Project.objects.get().results_open


@pytest.mark.parametrize("field", ["slug", "answers", "role", "members", "id"])
def test_what_cannot_be_changed_is_refused_by_name(signed_in, charlie, project, field):
    answer = signed_in(charlie).patch(f"{URL}tea/", {field: "x"}, headers={"If-Match": "*"}, **JSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_projects_are_filtered_and_ordered_by_what_is_allowed(signed_in, bob, project):
    other = make_project("other", "passonneau-2004")
    Membership.objects.create(project=other, user=bob, role="viewer")
    client = signed_in(bob)
    found = [one["slug"] for one in client.get(URL, {"ordering": "-title"}).json()["results"]]
    assert found == ["tea", "other"]
    assert [one["slug"] for one in client.get(URL, {"answers": "indices"}).json()["results"]] == ["other"]
    for query in ({"ordering": "members__password"}, {"members__username": "bob"}, {"answers": "ghost"}):
        answer = client.get(URL, query)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(query))


def test_a_manager_says_what_coders_mark(signed_in, charlie, bob, project):
    address, client = f"{URL}tea/scheme/", signed_in(charlie)
    assert [level["coders_mark"] for level in signed_in(bob).get(address).json()["levels"]] == [False, False]
    seen = client.get(address)["ETag"]
    for wrong in (["turn"], ["ghost"], "phrase"):  # turns are not coded
        assert client.patch(address, {"coders_mark": wrong}, headers={"If-Match": seen}, **JSON).status_code == 400
    changed = client.patch(address, {"coders_mark": ["phrase"]}, headers={"If-Match": seen}, **JSON).json()
    assert [level["key"] for level in changed["levels"] if level["coders_mark"]] == ["phrase"]
