import pytest

from annotations.models import Membership, User
from annotations.projects.people.members import add_member
from tests.shared.projects import make_project

URL = "/projects/tea/members/"


def test_member_is_added_by_name_in_any_case(signed_in, charlie, mallory, project):
    client = signed_in(charlie)
    assert client.post(URL, {"username": "MALLORY", "role": "viewer"}).url == URL
    assert Membership.objects.get(user=mallory).role == "viewer"
    page = client.get(URL).content.decode()
    assert "mallory is now viewer." in page


def test_role_changes_after_confirmation(signed_in, people):
    sent = {"username": "vera", "role": "adjudicator"}
    question = signed_in(people["manager"]).post(URL, sent).content.decode()
    assert "Make vera adjudicator?" in question
    assert "vera is viewer now and becomes adjudicator." in question
    assert Membership.objects.get(user=people["viewer"]).role == "viewer"
    signed_in(people["manager"]).post(URL, {**sent, "confirmed": "1"})
    assert Membership.objects.get(user=people["viewer"]).role == "adjudicator"


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"username": "ghost", "role": "coder"}, "No user has this username"),
        ({"username": "", "role": "coder"}, "required"),
        ({"username": "a\x00b", "role": "coder"}, "Null characters"),
        ({"username": "<b>", "role": "coder"}, "No user has this username"),
        ({"username": "mallory", "role": "owner"}, "not one of the available choices"),
        ({"username": "mallory"}, "required"),
    ],
)
def test_wrong_fields_are_refused(signed_in, charlie, mallory, project, form, says):
    answer = signed_in(charlie).post(URL, form)
    assert says in answer.content.decode()
    assert "<b>" not in answer.content.decode().partition("Add a member")[2]
    assert Membership.objects.count() == 3


def test_several_members_join_and_leave_group_at_once(signed_in, charlie, project):
    client, pks = signed_in(charlie), list(Membership.objects.exclude(user=charlie).values_list("pk", flat=True))
    assert client.post(URL, {"set_group": "1", "members": pks, "group": " expert "}).url == URL
    groups = dict(Membership.objects.values_list("user__username", "group"))
    assert groups == {"alice": "expert", "bob": "expert", "charlie": ""}
    page = client.get(URL).content.decode()
    assert "2 members are in the group “expert” now." in page
    assert page.count("<td>expert</td>") == 2
    client.post(URL, {"set_group": "1", "members": pks[:1], "group": ""})
    assert Membership.objects.filter(group="expert").count() == 1
    assert "1 member is in no group now." in client.get(URL).content.decode()


def test_change_of_role_keeps_group(project, alice):
    Membership.objects.filter(user=alice).update(group="naive")
    assert add_member(project, alice, "coder").group == "naive"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"group": "expert"}, "Tick the people first."),
        ({"members": ["all"], "group": "a,b"}, "A group has no comma in its name"),
        ({"members": ["all"], "group": "x" * 51}, "at most 50 characters"),
        ({"members": ["999999"], "group": "expert"}, "not one of the available choices"),
    ],
)
def test_wrong_group_is_refused_with_reason(signed_in, charlie, project, sent, says):
    everybody = list(Membership.objects.values_list("pk", flat=True))
    sent = {name: everybody if value == ["all"] else value for name, value in sent.items()}
    page = signed_in(charlie).post(URL, {"set_group": "1", **sent}).content.decode()
    assert says in page
    assert not Membership.objects.exclude(group="").exists()


def test_group_of_member_of_other_project_stays(signed_in, charlie, project):
    other = make_project("other")
    foreign = add_member(other, User.objects.create(username="far"), "coder")
    signed_in(charlie).post(URL, {"set_group": "1", "members": [foreign.pk], "group": "expert"})
    foreign.refresh_from_db()
    assert foreign.group == ""
