"""The account page: API keys and the password."""

import re

import pytest
from django.test import Client

from annotations.models import Token
from annotations.projects.people.tokens import create_token, find_token

URL = "/account/"


@pytest.fixture
def alice_client(client, alice):
    client.force_login(alice)
    return client


def test_key_is_shown_once(alice_client, alice):
    reply = alice_client.post(URL, {"name": "my notebook", "scope": "annotate", "days": "30"})
    [secret] = re.findall(r'value="(coindex_[^"]+)"', reply.content.decode())
    assert find_token(secret) == Token.objects.get(user=alice)
    again = alice_client.get(URL).content.decode()
    assert secret not in again
    assert secret[:12] in again
    assert "my notebook" in again
    assert "no-store" in reply["Cache-Control"]


def test_wrong_fields_create_no_key(alice_client):
    for wrong in ({"name": ""}, {"scope": "ghost"}, {"days": "9999"}):
        reply = alice_client.post(URL, {"name": "n", "scope": "read", "days": "7"} | wrong)
        assert "errorlist" in reply.content.decode()
    assert not Token.objects.exists()


def test_users_revoke_only_their_own_keys(alice_client, alice, bob):
    own, _ = create_token(alice, "own", "read", 1)
    other, _ = create_token(bob, "bob's", "read", 1)
    assert "bob&#x27;s" not in alice_client.get(URL).content.decode()
    assert alice_client.post(f"/account/keys/{other.pk}/revoke/").status_code == 404
    assert alice_client.get(f"/account/keys/{own.pk}/revoke/").status_code == 405
    assert alice_client.post(f"/account/keys/{own.pk}/revoke/").status_code == 302
    assert list(Token.objects.all()) == [other]


def test_password_change_ends_other_sessions(alice_client, alice):
    alice.set_password("first-long-password")
    alice.save()
    other = Client()
    for session in (alice_client, other):
        session.force_login(alice)
    new = dict.fromkeys(("new_password1", "new_password2"), "lavender-9-canoe")
    assert alice_client.post("/account/password/", {"old_password": "first-long-password", **new})["Location"] == URL
    assert (alice_client.get(URL).status_code, other.get(URL).status_code) == (200, 302)


def test_page_takes_fixed_number_of_queries(alice_client, alice, django_assert_num_queries):
    for number in range(5):
        create_token(alice, f"key {number}", "read", 1)
    with django_assert_num_queries(4):
        alice_client.get(URL)
