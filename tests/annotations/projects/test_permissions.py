"""Rights of roles; test_roles.py checks the response of each route to each role."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from annotations.models import Coding, Membership, Project, Text, User
from annotations.models.people.rights import RIGHTS, Right
from annotations.projects.people.members import add_member
from annotations.projects.permissions import own_coding, project_for
from tests.shared.projects import make_project

# The rights that each role has, in the order of Right.
GIVEN = {"manager": "+++++++++", "adjudicator": "++++--+-+", "viewer": "+++------", "coder": "+--------"}
GIVEN["manager-coder"] = "++--+----"
MATRIX = {(role, right): sign == "+" for role in GIVEN for right, sign in zip(Right, GIVEN[role], strict=True)}
# What open results give to those who code.
OPENED = {"coder": "+++-----+", "manager-coder": "++++++--+"}


@pytest.mark.parametrize("role", ["manager", "coder", "superuser"])
def test_permission_check_takes_one_query_without_texts_and_codings(people, role):
    user = User(username="root", is_superuser=True) if role == "superuser" else people[role]
    with CaptureQueriesContext(connection) as queries:
        project_for(user, "tea")
    [query] = queries
    for of_texts in (Text, Coding):
        assert of_texts._meta.db_table not in query["sql"]


def test_matrix_contains_every_role_and_right():
    assert set(MATRIX) == {(role, right) for role in Membership.Role.values for right in Right}
    assert set(RIGHTS) == set(Membership.Role.values)


@pytest.mark.parametrize(("role", "right"), MATRIX)
def test_role_has_its_rights_and_no_others(people, role, right):
    if MATRIX[role, right]:
        assert project_for(people[role], "tea", right).role == role
    else:
        with pytest.raises(PermissionDenied):
            project_for(people[role], "tea", right)


@pytest.mark.parametrize("right", Right)
@pytest.mark.parametrize("role", OPENED)
def test_open_results_add_only_listed_rights_for_coders(people, role, right):
    Project.objects.update(results_open=True)
    if OPENED[role][list(Right).index(right)] == "+":
        assert project_for(people[role], "tea", right).role == role
    else:
        with pytest.raises(PermissionDenied):
            project_for(people[role], "tea", right)


@pytest.mark.parametrize("right", Right)
def test_outsider_finds_no_project_even_if_results_are_open(people, right):
    Project.objects.update(results_open=True)
    for somebody in (people["outsider"], AnonymousUser()):
        with pytest.raises(Http404):
            project_for(somebody, "tea", right)


def test_role_counts_only_in_its_project(people, charlie):
    other = make_project("other")
    add_member(other, charlie, Membership.Role.CODER)
    assert project_for(charlie, "tea", Right.MANAGE).role == "manager"
    with pytest.raises(PermissionDenied):
        project_for(charlie, "other", Right.SEE_RESULTS)
    assert set(Text.objects.visible_to(charlie)) == set(Text.objects.filter(project__slug="tea"))


def test_own_coding_is_found_for_coders_only(people, project, bob):
    assert own_coding(people["coder"], project, "tea").coder == people["coder"]
    assert own_coding(bob, project, "tea").coder == bob
    for role in ("manager", "adjudicator", "viewer", "outsider"):
        with pytest.raises(Http404):
            own_coding(people[role], project, "tea")
    with pytest.raises(Http404):
        own_coding(bob, project, "ghost")


def test_coders_see_own_codings_and_other_roles_all(people, bob):
    own, everybody = {people["coder"].pk}, {people["coder"].pk, bob.pk}
    expected = dict.fromkeys(["manager", "adjudicator", "viewer"], everybody)
    expected |= {"coder": own, "manager-coder": set(), "outsider": set()}
    for role, user in people.items():
        seen = Coding.objects.of_people().visible_to(user).values_list("coder", flat=True)
        assert {*seen} == expected[role], role
    assert not Coding.objects.of_people().visible_to(AnonymousUser()).exists()


def test_superuser_sees_everything_without_membership(project):
    root = User.objects.create(username="root", is_superuser=True)
    assert project_for(root, "tea", Right.MANAGE).role == "manager"
    assert Text.objects.visible_to(root).count() == 1
    assert Coding.objects.of_people().visible_to(root).count() == 2
