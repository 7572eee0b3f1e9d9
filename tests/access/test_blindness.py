"""Coders see nothing of other coders' work at any address until a manager opens the results."""

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


def test_walk_covers_project_routes():
    pages = ("agreement/items/tea/phrase:31-34/", "agreement/coders/alice/bob/", "texts/tea/codings/alice/reopen/")
    pages += ("agreement/items/tea/phrase:4-14/remarks/1/withdraw/",)
    assert {f"/projects/tea/{page}" for page in pages} <= set(PROJECT_ADDRESSES)
    assert "/api/v1/projects/tea/texts/secret/coding/operations/" in PROJECT_ADDRESSES
    assert {"/", "/api/v1/projects/", "/sign-in/"} <= set(OTHER_ADDRESSES)


# Who marks, points too, and the SCUs of pyramids are indices.
@pytest.mark.parametrize(
    ("kind", "role"),
    [
        *product(cases(["marking", "pyramids"], full=["pointers", "indices"]), ["coder"]),
        *product(cases(["marking"], full=["pointers"]), ["manager-coder"]),
    ],
)
def test_coders_see_nothing_of_other_coders(alice, bob, charlie, signed_in, kind, role):
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
def test_manager_pages_show_work_of_coders(alice, bob, charlie, signed_in, kind):
    addresses = ["", "agreement/", "agreement/coders/", "agreement/coders/alice/bob/?include=open", "agreement/texts/"]
    addresses += ["agreement/course/?by=round"]
    of_api = ["agreement/", "agreement/items/?include=open"]
    if kind == "pyramids":
        both = ["docsets/", "docsets/tea/", "agreement/scores/", "agreement/scus/"]
        addresses, of_api = addresses + both, of_api + both
    else:
        addresses += ["agreement/categories/?include=open", "texts/", "texts/tea/?coder=alice&beside=bob"]
    visits = [Visit("GET", f"/projects/tea/{address}") for address in addresses]
    visits += [Visit("GET", f"/api/v1/projects/tea/{address}") for address in of_api]
    before = visited(charlie, visits, signed_in, kind, alice_works=False)
    after = visited(charlie, visits, signed_in, kind, alice_works=True)
    for visit, now, then in zip(visits, after, before, strict=True):
        assert now != then, visit


RESULTS = (
    "agreement/", "agreement/headline/", "agreement/items/", "agreement/items/tea/phrase:4-14/", "agreement/grid/",
    "agreement/compare/", "agreement/methods/", "agreement/texts/", "agreement/coders/", "agreement/categories/",
    "agreement/course/", "scheme/allows/", "texts/", "texts/tea/", "texts/tea/?coder=alice&beside=bob",
)  # fmt: skip
RESULTS_OF_API = ("agreement/", "agreement/grid/", "agreement/items/", "agreement/items/tea/phrase:4-14/")


def test_coders_see_results_only_while_open(project, bob, signed_in):
    addresses = [f"/projects/tea/{part}" for part in RESULTS]
    addresses += [f"/api/v1/projects/tea/{part}" for part in RESULTS_OF_API]
    client = signed_in(bob)
    for is_open in (False, True, False):
        Project.objects.filter(pk=project.pk).update(results_open=is_open)
        statuses = {address: client.get(address).status_code for address in addresses}
        assert statuses == dict.fromkeys(addresses, 200 if is_open else 403)


def test_cached_reports_respect_rights_of_reader(monkeypatch, alice, bob, charlie, signed_in):
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


def test_open_results_grant_no_access_to_management_or_codings(project, codings, bob, signed_in, keys):
    judge(codings["alice"], keys["a"], "place", note="hers")
    Project.objects.filter(pk=project.pk).update(results_open=True)
    client = signed_in(bob)
    for page in ("members", "assign", "import"):
        assert client.get(f"/projects/tea/{page}/").status_code == 403
    item = "agreement/items/tea/phrase:4-14"
    posts = ["texts/tea/codings/alice/reopen", "agreement/texts/round", "agreement/categories/mapping"]
    posts += [f"{item}/{end}" for end in ("remarks", "flag", "flag/resolve", "remarks/1/withdraw")]
    for address in posts:
        assert client.post(f"/projects/tea/{address}/").status_code == 403, address
    state = client.get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert (state["user"], state["judgements"]) == ("bob", {})


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_project_looks_missing_to_outsiders(project, mallory, signed_in, method):
    client = signed_in(mallory)
    for address in PROJECT_ADDRESSES:
        seen = client.generic(method, address)
        assert seen.status_code in (404, 405), address
        ghost = client.generic(method, address.replace("/projects/tea/", "/projects/ghost/"))
        status, headers, body = normal(ghost)
        assert normal(seen) == (status, headers, body.replace("/projects/ghost/", "/projects/tea/"))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_visitors_are_sent_to_sign_in(project, client, method):
    for address in PROJECT_ADDRESSES:
        response = client.generic(method, address)
        if address.startswith("/api/"):
            assert response.status_code in (401, 403), address
            assert response.json()["code"] == "not_authenticated"
        else:
            assert response.status_code == 302, address
            assert response.url == f"/sign-in/?next={quote(address)}"


def test_removed_coder_loses_access(project, bob, signed_in):
    Membership.objects.filter(user=bob).delete()
    for address in ("/projects/tea/", "/projects/tea/texts/tea/code/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert signed_in(bob).get(address).status_code == 404
