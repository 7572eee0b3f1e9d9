"""Limits on simultaneous password hashing."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from threading import Barrier, BrokenBarrierError, Lock

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, make_password
from django.test import Client

from annotations.models import User
from config.limits import hashers

SECRET = "correct horse battery"
BOUNDED = ["config.limits.hashers.BoundedArgon2PasswordHasher"]


@pytest.fixture
def anna(db):
    return User.objects.create_user("anna", password=SECRET)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["encode", "verify"])
def test_number_of_simultaneous_hashes_is_limited(settings, monkeypatch, method):
    """Each hashing thread waits at a barrier for one thread more than allowed."""
    settings.PASSWORD_HASHERS = BOUNDED
    hashed = make_password(SECRET)
    original = getattr(Argon2PasswordHasher, method)
    crowd, lock, at_once, most = Barrier(hashers.HASHES_AT_ONCE + 1), Lock(), 0, 0

    def counted(*given):
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        with suppress(BrokenBarrierError):
            crowd.wait(1)
        try:
            return original(*given)
        finally:
            with lock:
                at_once -= 1

    monkeypatch.setattr(Argon2PasswordHasher, method, counted)
    calculate = make_password if method == "encode" else lambda password: check_password(password, hashed)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(calculate, [SECRET] * 8))
    assert most == hashers.HASHES_AT_ONCE


@pytest.mark.slow
def test_existing_hashes_stay_valid(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    before = make_password(SECRET)
    settings.PASSWORD_HASHERS = BOUNDED
    anew = []
    assert check_password(SECRET, before, setter=anew.append)
    assert not check_password("wrong", before)
    assert anew == []


@pytest.mark.parametrize("door", ["/sign-in/", "/account/password/", "/admin/password_change/"])
def test_full_hashing_queue_returns_429(anna, door):
    User.objects.update(is_staff=True)
    client = Client()
    if door != "/sign-in/":
        client.force_login(anna)
    form = {"username": "anna", "password": SECRET, "old_password": SECRET}
    form |= {"new_password1": "lavender-9-canoe", "new_password2": "lavender-9-canoe"}
    with ExitStack() as stack:
        for _ in range(hashers.HASHES_AT_ONCE + hashers.MAX_WAITING):
            assert hashers._room.acquire(blocking=False)
            stack.callback(hashers._room.release)
        reply = client.post(door, form)
        assert (reply.status_code, reply["Retry-After"]) == (429, "5")
        assert "Many people" in reply.content.decode()
        assert client.get(door).status_code == 200
    assert client.post(door, form).status_code == 302
