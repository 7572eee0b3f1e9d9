"""A coder learns nothing of another coder's work, by any address, until the manager opens the results."""

from itertools import product
from urllib.parse import quote

import pytest
from django.core.cache import caches

from agreement.data.reading import forget_answers
from agreement.reports import basis
from annotations.models import Coding, Membership, Project, User
from tests.access.walk import OTHER_ADDRESSES, PROJECT_ADDRESSES, WORLDS, Visit, all_visits, normal, visited
from tests.shared.agreeing import WALK, answer, coded_project, decide_gold
from tests.shared.cases import cases, is_full
from tests.shared.coding import judge


def test_the_walk_finds_the_routes_of_projects():
    assert "/projects/tea/agreement/items/tea/phrase:31-34/" in PROJECT_ADDRESSES
    assert "/projects/tea/agreement/coders/alice/bob/" in PROJECT_ADDRESSES
    assert "/projects/tea/agreement/items/tea/phrase:4-14/remarks/1/withdraw/" in PROJECT_ADDRESSES
    assert "/api/v1/projects/tea/texts/secret/coding/operations/" in PROJECT_ADDRESSES
    assert "/projects/tea/texts/tea/codings/alice/reopen/" in PROJECT_ADDRESSES
    assert {"/", "/api/v1/projects/", "/sign-in/"} <= set(OTHER_ADDRESSES)


# Who marks, points too, and the SCUs of pyramids are indices.
@pytest.mark.parametrize(
    ("kind", "role"),
    [
        *product(cases(["marking", "pyramids"], full=["pointers", "indices"]), ["coder"]),
        *product(cases(["marking"], full=["pointers"]), ["manager-coder"]),
    ],
)
def test_a_second_coder_sees_nothing_of_the_first(alice, bob, charlie, signed_in, kind, role):
    # On each push coders who mark walk to all addresses, and others to one of each route: the rest asks the same rules.
    visits = all_visits(kind, whole=(kind, role) == ("marking", "coder") or is_full())
    before = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role)
    after = visited(bob, visits, signed_in, kind, alice_works=True, role_of_bob=role)
    statuses = {status for status, _, _ in before}
    assert {200, 302, 400, 403, 404, 405, 409} <= statuses
    assert not any(status >= 500 for status in statuses)
    for visit, now, then in zip(visits, after, before, strict=True):
        assert now == then, visit


@pytest.mark.parametrize("kind", WORLDS)
def test_the_comparison_is_sharp_enough_to_see_what_a_manager_sees(alice, bob, charlie, signed_in, kind):
    visits = [
        Visit("GET", "/projects/tea/"),
        Visit("GET", "/projects/tea/agreement/"),
        Visit("GET", "/projects/tea/agreement/coders/"),
        Visit("GET", "/projects/tea/agreement/coders/alice/bob/?include=open"),
        Visit("GET", "/projects/tea/agreement/texts/"),
        Visit("GET", "/projects/tea/agreement/course/?by=round"),
        Visit("GET", "/api/v1/projects/tea/agreement/"),
        Visit("GET", "/api/v1/projects/tea/agreement/items/?include=open"),
    ]
    if kind == "pyramids":
        visits += [
            Visit("GET", f"{prefix}/projects/tea/docsets/{rest}") for prefix in ("", "/api/v1") for rest in ("", "tea/")
        ]
        visits += [
            Visit("GET", f"{prefix}/projects/tea/agreement/{rest}/")
            for prefix in ("", "/api/v1")
            for rest in ("scores", "scus")
        ]
    else:
        visits += [
            Visit("GET", f"/projects/tea/{rest}")
            for rest in ("agreement/categories/?include=open", "texts/", "texts/tea/?coder=alice&beside=bob")
        ]
    before = visited(charlie, visits, signed_in, kind, alice_works=False)
    after = visited(charlie, visits, signed_in, kind, alice_works=True)
    for visit, now, then in zip(visits, after, before, strict=True):
        assert now != then, visit


RESULTS = [
    f"{prefix}/projects/tea/agreement/{rest}".replace("agreement/../", "")
    for prefix, rest in [
        *product([""], ["", "headline/", "items/", "items/tea/phrase:4-14/", "grid/", "compare/", "methods/"]),
        *product([""], ["texts/", "coders/", "categories/", "course/", "../scheme/allows/"]),
        *product([""], ["../texts/", "../texts/tea/", "../texts/tea/?coder=alice&beside=bob"]),
        *product(["/api/v1"], ["", "grid/", "items/", "items/tea/phrase:4-14/"]),
    ]
]


@pytest.mark.parametrize("address", RESULTS)
def test_results_are_closed_to_coders_until_the_manager_opens_them(project, bob, signed_in, address):
    client = signed_in(bob)
    assert client.get(address).status_code == 403
    Project.objects.filter(pk=project.pk).update(results_open=True)
    assert client.get(address).status_code == 200
    Project.objects.filter(pk=project.pk).update(results_open=False)
    assert client.get(address).status_code == 403


def test_what_a_manager_has_looked_at_tells_a_coder_no_more(monkeypatch, alice, bob, charlie, signed_in):
    """Reports are kept under what their reader may see."""
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)
    project = answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} 2", coders=("alice", "bob", "carol")))
    decide_gold(project, "alice")
    Project.objects.filter(pk=project.pk).update(results_open=True)
    carol = User.objects.get(username="carol")
    Coding.objects.of_people().filter(coder=carol).update(by_model=True)
    pages = ["", "items/", "coders/", "gold/", "texts/", "categories/", "methods/?include=models", "?include=models"]

    def seen_by(reader):
        client = signed_in(reader)
        return [normal(client.get(f"/projects/tea/agreement/{page}")) for page in pages]

    alone = seen_by(bob)
    forget_answers()
    caches["figures"].clear()
    by_manager = seen_by(charlie)
    assert by_manager != alone
    assert seen_by(bob) == alone
    assert seen_by(charlie) == by_manager


def test_open_results_do_not_open_what_is_the_managers(project, bob, signed_in):
    Project.objects.filter(pk=project.pk).update(results_open=True)
    for page in ("members", "assign", "import"):
        assert signed_in(bob).get(f"/projects/tea/{page}/").status_code == 403
    assert signed_in(bob).post("/projects/tea/texts/tea/codings/alice/reopen/").status_code == 403
    item = "items/tea/phrase:4-14/"
    for rest in (
        "texts/round/",
        "categories/mapping/",
        f"{item}remarks/",
        f"{item}flag/",
        f"{item}flag/resolve/",
        f"{item}remarks/1/withdraw/",
    ):
        assert signed_in(bob).post(f"/projects/tea/agreement/{rest}").status_code == 403


def test_open_results_do_not_open_the_coding_of_another(codings, bob, signed_in, keys):
    judge(codings["alice"], keys["a"], "place", note="hers")
    Project.objects.update(results_open=True)
    state = signed_in(bob).get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert (state["user"], state["judgements"]) == ("bob", {})


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_to_an_outsider_a_project_is_not_there(project, mallory, signed_in, method):
    client = signed_in(mallory)
    for address in PROJECT_ADDRESSES:
        seen = client.generic(method, address)
        assert seen.status_code in (404, 405), address
        ghost = client.generic(method, address.replace("/projects/tea/", "/projects/ghost/"))
        status, headers, body = normal(ghost)
        assert normal(seen) == (status, headers, body.replace("/projects/ghost/", "/projects/tea/"))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_who_is_not_signed_in_is_sent_to_sign_in(project, client, method):
    for address in PROJECT_ADDRESSES:
        response = client.generic(method, address)
        if address.startswith("/api/"):
            assert response.status_code in (401, 403), address
            assert response.json()["code"] == "not_authenticated"
        else:
            assert response.status_code == 302, address
            assert response.url == f"/sign-in/?next={quote(address)}"


def test_a_coder_who_leaves_the_project_sees_it_no_longer(project, bob, signed_in):
    Membership.objects.filter(user=bob).delete()
    for address in ("/projects/tea/", "/projects/tea/texts/tea/code/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert signed_in(bob).get(address).status_code == 404
