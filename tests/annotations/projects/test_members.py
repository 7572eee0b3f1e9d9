"""Members of the project."""

import pytest

from annotations.models import Membership

URL = "/projects/tea/members/"


def test_a_member_is_added_by_name_in_any_case(signed_in, charlie, mallory, project):
    client = signed_in(charlie)
    assert client.post(URL, {"username": "MALLORY", "role": "viewer"}).url == URL
    assert Membership.objects.get(user=mallory).role == "viewer"
    page = client.get(URL).content.decode()
    assert "mallory is now viewer." in page


def test_a_role_can_be_changed_where_there_is_no_work(signed_in, people):
    sent = {"username": "vera", "role": "adjudicator"}
    question = signed_in(people["manager"]).post(URL, sent).content.decode()
    assert "Make vera adjudicator?" in question
    assert "vera is viewer now and becomes adjudicator." in question
    assert Membership.objects.get(user=people["viewer"]).role == "viewer"
    signed_in(people["manager"]).post(URL, {**sent, "confirmed": "1"})
    assert Membership.objects.get(user=people["viewer"]).role == "adjudicator"


def test_a_coder_with_work_cannot_be_made_to_see(signed_in, charlie, alice, project):
    answer = signed_in(charlie).post(URL, {"username": "alice", "role": "viewer", "confirmed": "1"})
    assert "stay blind" in answer.content.decode()
    assert Membership.objects.get(user=alice).role == "coder"


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
def test_wrong_fields_are_told(signed_in, charlie, mallory, project, form, says):
    answer = signed_in(charlie).post(URL, form)
    assert says in answer.content.decode()
    assert "<b>" not in answer.content.decode().partition("Add a member")[2]
    assert Membership.objects.count() == 3


@pytest.mark.parametrize("role", ["adjudicator", "viewer", "coder", "outsider"])
def test_only_a_manager_sees_or_changes_members(signed_in, people, role):
    expected = 404 if role == "outsider" else 403
    client = signed_in(people[role])
    assert client.get(URL).status_code == expected
    assert client.post(URL, {"username": people[role].username, "role": "manager"}).status_code == expected
    assert Membership.objects.filter(role="manager").count() == 1
