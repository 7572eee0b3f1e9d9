"""A POST with an Idempotency-Key is carried out once."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from agreement.models import Remark
from annotations.models import IdempotencyRecord, Invitation, Membership
from annotations.projects.people.members import add_member
from tests.shared.pyramids import docset, pyramid_project

REMARKS = "/api/v1/projects/tea/agreement/items/tea/phrase:4-14/remarks/"
MEMBERS = "/api/v1/projects/tea/members/"
JSON = {"content_type": "application/json"}


@pytest.fixture
def key():
    return {"Idempotency-Key": str(uuid4())}


def test_repeated_request_returns_same_answer(signed_in, charlie, project, key):
    client = signed_in(charlie)
    first = client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON)
    again = client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert ("Idempotent-Replayed" in first, again["Idempotent-Replayed"]) == (False, "true")
    assert Remark.objects.count() == 1
    client.post(REMARKS, {"body": "Which?"}, **JSON)
    assert Remark.objects.count() == 2  # without a key it is another request


def test_key_is_refused_for_another_request(signed_in, charlie, project, key):
    client = signed_in(charlie)
    client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON)
    for address, sent in ((REMARKS, {"body": "Other"}), (MEMBERS, {"username": "mallory", "role": "coder"})):
        answer = client.post(address, sent, headers=key, **JSON)
        assert (answer.status_code, answer.json()["code"]) == (422, "key_used")
    assert Remark.objects.count() == 1


def test_refused_request_may_be_sent_again(signed_in, charlie, mallory, project, key):
    client, sent = signed_in(charlie), {"username": "mallory", "role": "coder"}
    assert client.post(MEMBERS, {"username": "mallory"}, headers=key, **JSON).status_code == 400
    assert not IdempotencyRecord.objects.exists()
    assert client.post(MEMBERS, sent, headers=key, **JSON).status_code == 201
    assert client.post(MEMBERS, sent, headers=key, **JSON).status_code == 201
    assert Membership.objects.filter(user=mallory).count() == 1


def test_keys_of_two_users_are_independent(signed_in, people, project, key):
    for role in ("manager", "adjudicator"):
        assert signed_in(people[role]).post(REMARKS, {"body": "Which?"}, headers=key, **JSON).status_code == 201
    assert Remark.objects.count() == 2


def test_removed_member_gets_no_stored_answer(signed_in, charlie, alice, people, key):
    client = signed_in(charlie)
    client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON)
    Membership.objects.filter(user=charlie).delete()
    assert client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON).status_code == 404


def test_invitation_link_is_not_stored(signed_in, charlie, project, key):
    client, address = signed_in(charlie), "/api/v1/projects/tea/invitations/"
    link = client.post(address, {"role": "coder"}, headers=key, **JSON).json()["link"]
    again = client.post(address, {"role": "coder"}, headers=key, **JSON).json()
    assert (again["link"], Invitation.objects.count()) == (None, 1)
    assert link.rstrip("/").rsplit("/", 1)[-1] not in str(IdempotencyRecord.objects.values().get())


def test_malformed_key_is_refused(signed_in, charlie, project):
    answer = signed_in(charlie).post(REMARKS, {"body": "x"}, headers={"Idempotency-Key": "one"}, **JSON)
    assert list(answer.json()["errors"]) == ["Idempotency-Key"]
    assert not Remark.objects.exists()


def test_answers_are_stored_for_a_day(signed_in, charlie, project, key):
    client = signed_in(charlie)
    client.post(REMARKS, {"body": "Which?"}, headers=key, **JSON)
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(days=2))
    client.post(REMARKS, {"body": "Other?"}, headers={"Idempotency-Key": str(uuid4())}, **JSON)
    assert IdempotencyRecord.objects.count() == 1


def test_list_answers_are_stored(signed_in, charlie, key):
    made = docset(pyramid_project("ferry"))
    client, sent = signed_in(charlie), {"peers": [{"name": "P1", "content": "Rain fell."}]}
    add_member(made.project, charlie, Membership.Role.MANAGER)
    first, again = (
        client.post("/api/v1/projects/ferry/docsets/sinking/peers/", sent, headers=key, **JSON) for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 201), first.content
    assert (again.json(), again["Idempotent-Replayed"]) == (first.json(), "true")
    assert made.texts.filter(role="peer").count() == 1
