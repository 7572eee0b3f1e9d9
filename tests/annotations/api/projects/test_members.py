"""/api/v1/projects/SLUG/members/ and invitations/."""

import pytest

from annotations.models import Invitation, Membership
from annotations.projects.people.members import add_member
from annotations.projects.people.tokens import digest_of
from tests.shared.projects import make_project

URL = "/api/v1/projects/tea/members/"
INVITATIONS = "/api/v1/projects/tea/invitations/"
JSON = {"content_type": "application/json"}


def test_manager_lists_members_with_roles(signed_in, charlie, project):
    rows = signed_in(charlie).get(URL).json()["results"]
    assert {row["username"]: row["role"] for row in rows} == {"alice": "coder", "bob": "coder", "charlie": "manager"}
    rows = signed_in(charlie).get(URL, {"role": "manager"}).json()["results"]
    assert rows == [{"username": "charlie", "role": "manager", "group": "", "is_model": False}]


def test_member_is_added_changed_and_removed(signed_in, charlie, mallory, project):
    client, own = signed_in(charlie), f"{URL}mallory/"
    made = client.post(URL, {"username": "Mallory", "role": "viewer"}, **JSON)
    of_mallory = {"username": "mallory", "role": "viewer", "group": "", "is_model": False}
    assert (made.status_code, made.json()) == (201, of_mallory)
    assert signed_in(mallory).get("/api/v1/projects/tea/").json()["role"] == "viewer"
    seen = client.get(own)["ETag"]
    changed = client.patch(own, {"role": "adjudicator"}, headers={"If-Match": seen}, **JSON)
    assert (changed.status_code, changed.json()["role"]) == (200, "adjudicator")
    assert client.delete(own, headers={"If-Match": seen}).status_code == 412
    assert client.delete(own, headers={"If-Match": changed["ETag"]}).status_code == 204
    assert signed_in(mallory).get("/api/v1/projects/tea/").status_code == 404


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"username": "ghost", "role": "coder"}, "username"),
        ({"username": "alice", "role": "viewer"}, "username"),
        ({"username": "mallory"}, "role"),
        ({"username": "mallory", "role": "coder", "project": "other"}, "project"),
        ({"username": "mallory", "role": "coder", "group": "a,b"}, "group"),
    ],
)
def test_wrong_members_are_refused_by_field(signed_in, charlie, mallory, project, sent, field):
    answer = signed_in(charlie).post(URL, sent, **JSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert Membership.objects.count() == 3


def test_coder_with_work_and_only_manager_keep_their_roles(signed_in, charlie, project):
    client = signed_in(charlie)
    answer = client.patch(f"{URL}alice/", {"role": "viewer"}, headers={"If-Match": "*"}, **JSON)
    assert (answer.status_code, "stay blind" in str(answer.json()["errors"])) == (400, True)
    assert client.delete(f"{URL}charlie/", headers={"If-Match": "*"}).status_code == 400
    assert client.patch(f"{URL}alice/", {}, headers={"If-Match": "*"}, **JSON).status_code == 400
    assert Membership.objects.get(user=charlie).role == "manager"


def test_members_of_other_projects_are_not_found(signed_in, charlie, mallory, project):
    add_member(make_project("other"), mallory, "coder")
    assert signed_in(charlie).get(f"{URL}mallory/").status_code == 404
    assert signed_in(charlie).get(f"{URL}a%00b/").status_code == 404


def test_invitation_link_is_shown_once_and_can_be_withdrawn(signed_in, charlie, project):
    client = signed_in(charlie)
    made = client.post(INVITATIONS, {"role": "coder", "days": 3, "whom": "Ann"}, **JSON)
    secret = made.json()["link"].rstrip("/").rsplit("/", 1)[-1]
    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    assert Invitation.objects.get().digest == digest_of(secret)
    [row] = client.get(INVITATIONS).json()["results"]
    assert (row["whom"], row["used_by"], "link" in row, secret in str(row)) == ("Ann", None, False, False)
    assert client.delete(f"{INVITATIONS}{row['id']}/").status_code == 204
    assert client.delete(f"{INVITATIONS}{row['id']}/").status_code == 404


def test_invitations_last_at_most_a_month(signed_in, charlie, project):
    for days in (0, 31, "x"):
        answer = signed_in(charlie).post(INVITATIONS, {"role": "coder", "days": days}, **JSON)
        assert list(answer.json()["errors"]) == ["days"]
    assert not Invitation.objects.exists()


def test_manager_sets_and_filters_groups(signed_in, charlie, mallory, project):
    client = signed_in(charlie)
    made = client.post(URL, {"username": "mallory", "role": "coder", "group": "crowd"}, **JSON)
    assert made.json() == {"username": "mallory", "role": "coder", "group": "crowd", "is_model": False}
    own = f"{URL}mallory/"
    changed = client.patch(own, {"group": "our experts"}, headers={"If-Match": client.get(own)["ETag"]}, **JSON)
    assert changed.json() == {"username": "mallory", "role": "coder", "group": "our experts", "is_model": False}
    again = client.patch(own, {"role": "viewer"}, headers={"If-Match": changed["ETag"]}, **JSON)
    assert again.json() == {"username": "mallory", "role": "viewer", "group": "our experts", "is_model": False}
    rows = client.get(URL, {"group": "our experts"}).json()["results"]
    assert [row["username"] for row in rows] == ["mallory"]


def test_coders_see_no_groups(signed_in, charlie, alice, project):
    Membership.objects.filter(user__username="bob").update(group="the slow ones")
    for address in ("/projects/tea/", URL, "/api/v1/projects/tea/", "/projects/tea/members/", "/"):
        assert "the slow ones" not in signed_in(alice).get(address).content.decode()
    assert "the slow ones" in signed_in(charlie).get("/projects/tea/members/").content.decode()
