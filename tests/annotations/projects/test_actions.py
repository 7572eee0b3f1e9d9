"""Creation of projects, roles of members, and assignment."""

import pytest
from django.core.exceptions import ValidationError

from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member, get_or_create_coder
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from tests.shared.projects import make_project


@pytest.mark.parametrize("key", SCHEMES)
def test_every_ready_made_scheme_makes_a_project(db, key):
    scheme = SCHEMES[key]
    project = create_project("p", "P", scheme, guidelines="Read *this*.")
    assert (project.answers, project.preset, project.guidelines) == (scheme.answers, scheme.agreement, "Read *this*.")
    assert [level.key for level in project.levels.all()] == [level.key for level in scheme.levels]
    assert read_scheme(project.pk).spec == scheme.spec
    for category in project.categories.all():
        category.full_clean()


def test_creator_manages_project(alice):
    project = create_project("p", "P", SCHEMES["muc-ident"], manager=alice)
    assert [(m.user, m.role) for m in project.memberships.all()] == [(alice, "manager")]


@pytest.mark.parametrize(("slug", "field"), [("new", "slug"), ("", "slug"), ("a b", "slug"), ("tea", "slug")])
def test_bad_or_taken_address_is_refused_by_field(project, slug, field):
    with pytest.raises(ValidationError) as wrong:
        create_project(slug, "P", SCHEMES["muc-ident"])
    assert list(wrong.value.message_dict) == [field]
    assert Project.objects.count() == 1


@pytest.mark.parametrize("role", Membership.Role.values)
def test_member_without_work_may_take_any_role(project, mallory, role):
    for first in Membership.Role.values:
        Membership.objects.filter(user=mallory).delete()
        add_member(project, mallory, first)
        assert add_member(project, mallory, role).role == role
        assert Membership.objects.get(user=mallory).role == role


def test_work_in_other_project_does_not_restrict_role(project, alice):
    other = make_project("other")
    add_member(other, alice, "coder")
    assert add_member(other, alice, "manager").role == "manager"


def test_unknown_role_is_refused(project, charlie, mallory):
    for user, why in ((charlie, "only manager"), (mallory, "ghost")):
        with pytest.raises(ValidationError, match=why):
            add_member(project, user, "ghost")
    assert Membership.objects.get(project=project, user=charlie).role == "manager"
    assert not Membership.objects.filter(project=project, user=mallory).exists()


def test_assigning_gives_each_coder_each_text_once(project, alice, bob):
    Text.objects.create(project=project, slug="two", title="Two", content="x")
    assert assign_texts(project, project.texts.all(), [alice, bob]) == 2
    assert assign_texts(project, project.texts.all(), [alice, bob]) == 0
    assert Coding.objects.of_people().count() == 4


def test_second_assignment_keeps_work(project, alice, codings):
    submit_coding(codings["alice"], alice)
    assign_texts(project, project.texts.all(), [alice])
    codings["alice"].refresh_from_db()
    assert (codings["alice"].status, codings["alice"].version) == ("submitted", 1)


def test_only_coders_and_adjudicators_get_texts(people, project):
    for role in ("manager", "viewer", "outsider"):
        with pytest.raises(ValidationError, match=people[role].username):
            assign_texts(project, project.texts.all(), [people["coder"], people[role]])
    assert Coding.objects.of_people().count() == 2
    assert assign_texts(project, project.texts.all(), [people["adjudicator"]]) == 1


def test_text_of_other_project_is_refused(project, alice):
    other = make_project("other")
    with pytest.raises(ValidationError):
        assign_texts(project, other.texts.all(), [alice])
    assert Coding.objects.of_people().count() == 2


def test_coder_is_found_by_name_in_any_case(project, alice):
    assert get_or_create_coder(project, "ALICE", create=True) == alice
    assert User.objects.filter(username__iexact="alice").count() == 1


def test_missing_coder_is_created_without_password_if_requested(project):
    with pytest.raises(ValidationError, match="'zoe' is not a member of tea"):
        get_or_create_coder(project, "zoe", create=False)
    zoe = get_or_create_coder(project, "zoe", create=True)
    assert not zoe.has_usable_password()
    assert Membership.objects.get(user=zoe).role == "coder"


def test_user_of_other_project_is_not_made_coder(project, mallory):
    with pytest.raises(ValidationError, match=r"somebody has it who is not a member of tea\. Invite"):
        get_or_create_coder(project, "Mallory", create=True)
    assert not Membership.objects.filter(user=mallory).exists()


def test_option_join_makes_existing_user_coder(project, mallory):
    assert get_or_create_coder(project, "Mallory", create=True, join=True) == mallory
    assert Membership.objects.get(user=mallory).role == "coder"


def test_refusal_does_not_reveal_accounts(project, mallory):
    said = []
    for name in ("mallory", "MALLORY", "ghost"):
        with pytest.raises(ValidationError) as refused:
            get_or_create_coder(project, name, create=False)
        said.append(refused.value.messages[0].replace(name, "NAME"))
    assert said == ["'NAME' is not a member of tea."] * 3


def test_trial_invents_one_coder_per_name_and_hides_accounts(project, mallory):
    for name in ("mallory", "ghost"):
        coder, again = (get_or_create_coder(project, key, create=True, trial=True) for key in (name, name.upper()))
        assert (coder.get_username(), coder.pk) == (name, again.pk)
        assert coder.pk != mallory.pk


def test_manager_is_refused_as_coder(project, charlie):
    with pytest.raises(ValidationError, match="does not code"):
        get_or_create_coder(project, "charlie", create=True)


@pytest.mark.parametrize("name", ["", "a b", "x" * 151, "a/b"])
def test_coder_with_impossible_name_is_refused(project, name):
    with pytest.raises(ValidationError):
        get_or_create_coder(project, name, create=True)
    assert User.objects.count() == 3


def test_only_manager_stays_until_another_joins(project, charlie, mallory):
    with pytest.raises(ValidationError, match="charlie is the only manager"):
        add_member(project, charlie, "viewer")
    assert Membership.objects.get(project=project, user=charlie).role == "manager"
    add_member(project, mallory, "manager")
    assert add_member(project, charlie, "viewer").role == "viewer"
