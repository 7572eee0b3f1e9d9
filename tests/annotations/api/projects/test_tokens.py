"""API keys: rights and expiry."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from annotations.models import Token
from annotations.projects.people.tokens import create_token

PROJECT, TEXT = "/api/v1/projects/tea/", "/api/v1/projects/tea/texts/tea/"
OPERATIONS = f"{TEXT}coding/operations/"


@pytest.fixture
def key(alice, project):
    """Return a function that makes a key for Alice and returns the headers that carry it."""

    def key(scope: str = "read", days: int = 1) -> dict[str, str]:
        return {"Authorization": f"Bearer {create_token(alice, 'notebook', scope, days)[1]}"}

    return key


@pytest.fixture
def stranger() -> Client:
    """Return a client without cookies, which the check of cross-site requests would stop."""
    return Client(enforce_csrf_checks=True)


def test_key_reads_what_its_owner_may_read(stranger, key, people):
    assert stranger.get(PROJECT, headers=key()).json()["role"] == "coder"
    assert stranger.get(f"{TEXT}coding/", headers=key()).status_code == 200
    assert stranger.get(f"{PROJECT}agreement/", headers=key()).status_code == 403


def test_key_gives_no_more_rights_than_its_owner_has(stranger, key, codings):

    reply = stranger.post(f"{PROJECT}exports/", "{}", content_type="application/json", headers=key("manage"))
    assert reply.status_code == 403
    assert reply.json()["code"] == "permission_denied"


def ended(token):
    token.expires_at = timezone.now() - timedelta(seconds=1)
    token.save()


def revoked(token):
    token.delete()


def owner_gone(token):
    token.user.is_active = False
    token.user.save()


@pytest.mark.parametrize("end", [ended, revoked, owner_gone])
def test_ended_keys_are_refused(stranger, key, end):
    headers = key("manage")
    end(Token.objects.get())
    reply = stranger.get(PROJECT, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (401, "bad_token")
    assert reply["WWW-Authenticate"] == "Bearer"


def test_wrong_keys_are_refused(stranger, project):
    for sent in ("", "ghost", "coindex_", "\u00e9", "a b c"):
        assert stranger.get(PROJECT, headers={"Authorization": f"Bearer {sent}"}).status_code == 401


def test_secret_of_key_is_not_stored(key, alice):
    secret = key()["Authorization"].removeprefix("Bearer ")
    [row] = Token.objects.values()
    assert secret.startswith(row["prefix"])
    assert len(secret) - len(row["prefix"]) > 30
    assert all(secret not in str(value) for value in row.values())


def test_key_in_address_is_ignored(stranger, key):
    secret = key()["Authorization"].removeprefix("Bearer ")
    for name in ("token", "key", "access_token", "authorization"):
        assert stranger.get(PROJECT, {name: secret}).status_code == 401


def test_last_use_of_key_is_stored_hourly(stranger, key, django_assert_num_queries):
    headers = key()
    stranger.get(PROJECT, headers=headers)
    first = Token.objects.get().last_used_at
    assert first is not None
    stranger.get(PROJECT, headers=headers)
    assert Token.objects.get().last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(hours=1))
    stranger.get(PROJECT, headers=headers)
    assert Token.objects.get().last_used_at > first


def test_keys_open_no_pages(stranger, key):
    assert stranger.get("/projects/tea/", headers=key("manage")).status_code == 302
    assert stranger.get("/account/", headers=key("manage")).status_code == 302


def test_wrong_keys_are_not_created_and_keys_last_a_year(alice):
    for wrong in ({"name": ""}, {"name": "x" * 101}, {"scope": "ghost"}):
        with pytest.raises(ValidationError):
            create_token(alice, **({"name": "n", "scope": "read", "days": 1} | wrong))
    assert not Token.objects.exists()
    token, _ = create_token(alice, "n", "read", 10_000)
    assert token.expires_at < timezone.now() + timedelta(days=367)
