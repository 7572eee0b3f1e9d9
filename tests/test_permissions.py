"""Roles and what they may do."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from annotations import actions, docsets
from annotations.models import Coding, Membership, Project, Text, User
from annotations.permissions import RIGHTS, Right, own_coding, project_for
from tests.conftest import make_project
from tests.pyramids import SUMMARIES, build, models_of, pyramid_project
from tests.test_docsets import SINKING

MATRIX = {
    ("manager", Right.BE_HERE): True,
    ("manager", Right.SEE_RESULTS): True,
    ("manager", Right.DISCUSS): True,
    ("manager", Right.MANAGE): True,
    ("adjudicator", Right.BE_HERE): True,
    ("adjudicator", Right.SEE_RESULTS): True,
    ("adjudicator", Right.DISCUSS): True,
    ("adjudicator", Right.MANAGE): False,
    ("viewer", Right.BE_HERE): True,
    ("viewer", Right.SEE_RESULTS): True,
    ("viewer", Right.DISCUSS): False,
    ("viewer", Right.MANAGE): False,
    ("coder", Right.BE_HERE): True,
    ("coder", Right.SEE_RESULTS): False,
    ("coder", Right.DISCUSS): False,
    ("coder", Right.MANAGE): False,
}
PAGES = {
    "": Right.BE_HERE,
    "scheme/": Right.BE_HERE,
    "agreement/": Right.SEE_RESULTS,
    "agreement/headline/": Right.SEE_RESULTS,
    "agreement/items/": Right.SEE_RESULTS,
    "agreement/grid/": Right.SEE_RESULTS,
    "agreement/compare/": Right.SEE_RESULTS,
    "agreement/methods/": Right.SEE_RESULTS,
    "agreement/texts/": Right.SEE_RESULTS,
    "agreement/texts/round/": Right.MANAGE,
    "agreement/coders/": Right.SEE_RESULTS,
    "agreement/categories/": Right.SEE_RESULTS,
    "agreement/course/": Right.SEE_RESULTS,
    "scheme/allows/": Right.SEE_RESULTS,
    "members/": Right.MANAGE,
    "assign/": Right.MANAGE,
    "import/": Right.MANAGE,
    "export/": Right.SEE_RESULTS,
    "transfers/": Right.SEE_RESULTS,
}
ITEM = "items/tea/phrase:4-14/"


def test_the_matrix_names_every_role_and_right():
    assert set(MATRIX) == {(role, right) for role in Membership.Role.values for right in Right}
    assert set(RIGHTS) == set(Membership.Role.values)


@pytest.mark.parametrize(("role", "right"), MATRIX)
def test_a_role_has_its_rights_and_no_others(people, role, right):
    if MATRIX[role, right]:
        assert project_for(people[role], "tea", right).role == role
    else:
        with pytest.raises(PermissionDenied):
            project_for(people[role], "tea", right)


@pytest.mark.parametrize("right", Right)
def test_open_results_give_coders_the_results_and_nothing_more(people, right):
    Project.objects.update(results_open=True)
    if right in (Right.DISCUSS, Right.MANAGE):
        with pytest.raises(PermissionDenied):
            project_for(people["coder"], "tea", right)
    else:
        assert project_for(people["coder"], "tea", right).role == "coder"


@pytest.mark.parametrize("right", Right)
def test_an_outsider_finds_no_project_even_where_results_are_open(people, right):
    Project.objects.update(results_open=True)
    for somebody in (people["outsider"], AnonymousUser()):
        with pytest.raises(Http404):
            project_for(somebody, "tea", right)


@pytest.mark.parametrize("role", Membership.Role.values)
@pytest.mark.parametrize("rest", ["texts/round/", "categories/mapping/", f"{ITEM}remarks/", f"{ITEM}flag/"])
def test_every_form_asks_for_its_right(people, signed_in, role, rest):
    right = Right.DISCUSS if rest.startswith(ITEM) else Right.MANAGE
    reply = signed_in(people[role]).post(f"/projects/tea/agreement/{rest}")
    assert (reply.status_code == 403) != MATRIX[role, right]
    assert reply.status_code in (200, 302, 403)


@pytest.mark.parametrize("role", [*Membership.Role.values, "outsider"])
@pytest.mark.parametrize("rest", PAGES)
def test_every_page_asks_for_its_right(people, signed_in, role, rest):
    expected = 404 if role == "outsider" else 200 if MATRIX[role, PAGES[rest]] else 403
    assert signed_in(people[role]).get(f"/projects/tea/{rest}").status_code == expected


@pytest.fixture
def agreed(people, mallory):
    """A docset in another project of the same people; its agreed pyramid is the adjudicator's."""
    project = pyramid_project()
    for role, user in people.items():
        if role != "outsider":
            actions.add_member(project, user, role)
    made = docsets.create_docset(project, "sinking", "The sinking", SUMMARIES)
    actions.assign(project, [models_of(made)], [people["coder"]])
    [pyramid] = models_of(made).codings.select_related("coder", "text")
    return docsets.start_agreed(made, people["adjudicator"], build(pyramid, SINKING))


AGREED = "/projects/ferry/texts/sinking/agreed/"


@pytest.mark.parametrize("role", [*Membership.Role.values, "outsider"])
def test_the_agreed_pyramid_is_its_adjudicators_alone(people, agreed, signed_in, role):
    client, own = signed_in(people[role]), 200 if role == "adjudicator" else 404
    for address in (f"{AGREED}code/", f"/api/v1{AGREED}coding/", f"/api/v1{AGREED}coding/operations/"):
        assert client.get(address).status_code == own
    nothing = {"version": 1, "operations": []}
    sent = client.post(f"/api/v1{AGREED}coding/operations/", nothing, content_type="application/json")
    assert sent.status_code == (400 if own == 200 else 404)
    assert client.post(f"{AGREED}submit/").status_code == (302 if own == 200 else 404)
    agreed.refresh_from_db()
    assert agreed.status == ("submitted" if own == 200 else "open")


@pytest.mark.parametrize("role", [*Membership.Role.values, "outsider"])
def test_only_a_manager_gives_the_agreed_pyramid_back(people, agreed, signed_in, role):
    actions.submit(agreed, agreed.coder)
    expected = {"manager": 302, "outsider": 404}.get(role, 403)
    assert signed_in(people[role]).post(f"{AGREED}codings/adam/reopen/").status_code == expected
    agreed.refresh_from_db()
    assert agreed.status == ("open" if role == "manager" else "submitted")
    # That of the coder, who is not the adjudicator, is not of this address.
    ghost = signed_in(people["manager"]).post(f"{AGREED}codings/alice/reopen/")
    assert ghost.status_code == 404


def test_a_role_counts_only_in_its_project(people, charlie):
    other = make_project("other")
    actions.add_member(other, charlie, Membership.Role.CODER)
    assert project_for(charlie, "tea", Right.MANAGE).role == "manager"
    with pytest.raises(PermissionDenied):
        project_for(charlie, "other", Right.SEE_RESULTS)
    assert set(Text.objects.visible_to(charlie)) == set(Text.objects.filter(project__slug="tea"))


def test_only_the_coder_has_the_own_coding(people, project, bob):
    assert own_coding(people["coder"], project, "tea").coder == people["coder"]
    assert own_coding(bob, project, "tea").coder == bob
    for role in ("manager", "adjudicator", "viewer", "outsider"):
        with pytest.raises(Http404):
            own_coding(people[role], project, "tea")
    with pytest.raises(Http404):
        own_coding(bob, project, "ghost")


def test_who_sees_all_work_sees_every_coding_and_a_coder_the_own(people, bob):
    seen = {role: {coding.coder_id for coding in Coding.objects.visible_to(user)} for role, user in people.items()}
    everybody = {people["coder"].pk, bob.pk}
    assert seen == {
        "manager": everybody,
        "adjudicator": everybody,
        "viewer": everybody,
        "coder": {people["coder"].pk},
        "outsider": set(),
    }
    assert not Coding.objects.visible_to(AnonymousUser()).exists()


def test_a_superuser_sees_all_without_being_a_member(project):
    root = User.objects.create(username="root", is_superuser=True)
    assert project_for(root, "tea", Right.MANAGE).role == "manager"
    assert Text.objects.visible_to(root).count() == 1
    assert Coding.objects.visible_to(root).count() == 2
