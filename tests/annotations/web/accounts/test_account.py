"""The page of one's account: keys are made, shown once, and ended."""

import re

import pytest
from django.test import Client

from annotations.models import Token
from annotations.projects.people.tokens import create_token, find_token

URL = "/account/"


@pytest.fixture
def signed(client, alice):
    client.force_login(alice)
    return client


def test_a_key_is_shown_once(signed, alice):
    reply = signed.post(URL, {"name": "my notebook", "scope": "annotate", "days": "30"})
    [secret] = re.findall(r'value="(coindex_[^"]+)"', reply.content.decode())
    assert find_token(secret) == Token.objects.get(user=alice)
    again = signed.get(URL).content.decode()
    assert secret not in again
    assert secret[:12] in again
    assert "my notebook" in again
    assert "no-store" in reply["Cache-Control"]


def test_a_wrong_field_is_said_and_no_key_is_made(signed):
    for wrong in ({"name": ""}, {"scope": "ghost"}, {"days": "9999"}):
        reply = signed.post(URL, {"name": "n", "scope": "read", "days": "7"} | wrong)
        assert "errorlist" in reply.content.decode()
    assert not Token.objects.exists()


def test_ones_own_key_is_ended_and_nobody_elses(signed, alice, bob):
    own, _ = create_token(alice, "own", "read", 1)
    other, _ = create_token(bob, "bob's", "read", 1)
    assert "bob&#x27;s" not in signed.get(URL).content.decode()
    assert signed.post(f"/account/keys/{other.pk}/revoke/").status_code == 404
    assert signed.get(f"/account/keys/{own.pk}/revoke/").status_code == 405
    assert signed.post(f"/account/keys/{own.pk}/revoke/").status_code == 302
    assert list(Token.objects.all()) == [other]


def test_a_password_is_changed_and_other_sessions_end(signed, alice):
    alice.set_password("first-long-password")
    alice.save()
    other = Client()
    for session in (signed, other):
        session.force_login(alice)
    new = dict.fromkeys(("new_password1", "new_password2"), "lavender-9-canoe")
    assert signed.post("/account/password/", {"old_password": "first-long-password", **new})["Location"] == URL
    assert (signed.get(URL).status_code, other.get(URL).status_code) == (200, 302)


def test_the_page_costs_a_fixed_number_of_queries(signed, alice, django_assert_num_queries):
    for number in range(5):
        create_token(alice, f"key {number}", "read", 1)
    with django_assert_num_queries(4):
        signed.get(URL)
