"""Sign-in, sessions, keys and cross-site requests."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from django.conf import settings as configured
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.models import User
from annotations.projects.people.tokens import create_token
from config.monitoring.logs import JSONLinesFormatter
from tests.access.role_asking import World, actor, iter_writes, resolve
from tests.access.role_matrix import AGREEMENT, API, PAGES
from tests.access.role_world import PASSWORD

COOKIE = configured.SESSION_COOKIE_NAME


# The visitor has the name of somebody of the world: each test makes its own.
@pytest.fixture
def world(db: None, quiet: None) -> World:
    return World()


def sign_in(client: Client, name: str = "alice", password: str = PASSWORD, **headers: str) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password}, headers=headers)


def is_signed_in(cookie: str) -> bool:
    client = Client()
    client.cookies[COOKIE] = cookie
    return client.get("/").status_code == 200


def prepare_session(client: Client) -> str:
    """Give the client a session with a known key and return the key."""
    session = client.session
    session["known"] = True
    session.save()
    known = str(session.session_key)
    client.cookies[COOKIE] = known
    return known


def test_sign_in_replaces_prepared_session(visitor):
    known = prepare_session(visitor)
    assert sign_in(visitor).status_code == 302
    cookie = visitor.cookies[COOKIE].value
    assert cookie != known
    assert is_signed_in(cookie)
    assert not is_signed_in(known)
    assert not Session.objects.filter(pk=known).exists()


def test_accepting_invitation_replaces_prepared_session(world):
    client = Client()
    known = prepare_session(client)
    new = {"username": "dora", "password1": "lavender-9-canoe", "password2": "lavender-9-canoe"}
    assert client.post(f"/invitations/{world.here.secret}/", new).status_code == 302
    assert is_signed_in(client.cookies[COOKIE].value)
    assert not is_signed_in(known)


def test_session_ends_on_sign_out_and_password_change(visitor):
    sign_in(visitor)
    first = visitor.cookies[COOKIE].value
    visitor.post("/sign-out/")
    assert not is_signed_in(first)
    sign_in(visitor)
    second = visitor.cookies[COOKIE].value
    assert is_signed_in(second)
    alice = User.objects.get()
    alice.set_password("lavender-9-canoe")
    alice.save()
    assert not is_signed_in(second)


def test_session_ends_when_account_is_deactivated(visitor):
    sign_in(visitor)
    User.objects.update(is_active=False)
    assert visitor.get("/").status_code == 302


def test_session_key_in_address_is_ignored(visitor):
    sign_in(visitor)
    cookie = visitor.cookies[COOKIE].value
    assert Client().get("/", {COOKIE: cookie}).status_code == 302
    assert Client().get(f"/;{COOKIE}={cookie}").status_code == 404


def test_log_holds_no_keys_or_passwords(world, caplog):
    logging.disable(logging.NOTSET)
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="coindex.requests")
    _, secret = create_token(world.here.coder, "n", "read", 1)
    client, wrong, typed = Client(raise_request_exception=False), "coindex_" + "w" * 40, "a password to be kept"
    for key in (secret, wrong):
        by_key = {"Authorization": f"Bearer {key}"}
        for address in ("/api/v1/projects/", "/api/v1/projects/ghost/", "/api/v1/ghost/", "/projects/tea/"):
            client.get(address, headers=by_key)
            client.get(address, {"token": key, "key": key})
            client.post(address, {"key": key}, headers=by_key)
    for password in (typed, PASSWORD):
        sign_in(client, "alice", password)
    told = [record for record in caplog.records if not record.name.startswith("django.db")]  # which only DEBUG tells
    assert {"coindex.requests", "django.request"} <= {record.name for record in told}
    said = "\n".join(JSONLinesFormatter().format(record) for record in told)
    for kept in (secret, wrong, secret.removeprefix("coindex_"), typed, PASSWORD):
        assert kept not in said


@pytest.mark.parametrize("name", ["alice", "ghost"])
def test_known_and_unknown_names_hash_password_once(visitor, settings, monkeypatch, name):
    settings.PASSWORD_HASHERS = ["config.limits.hashers.BoundedArgon2PasswordHasher"]
    alice = User.objects.get()
    alice.set_password(PASSWORD)
    alice.save()
    hashed: list[str] = []
    for method in ("encode", "verify"):
        done = getattr(Argon2PasswordHasher, method)

        def counted(self: Any, *given: Any, done: Any = done, method: str = method) -> Any:
            hashed.append(method)
            return done(self, *given)

        monkeypatch.setattr(Argon2PasswordHasher, method, counted)
    assert sign_in(visitor, name, "wrong").status_code == 200
    assert len(hashed) == 1


def test_admin_uses_site_sign_in(visitor, alice):
    alice.is_staff = True
    alice.save()
    assert visitor.get("/admin/").url == "/admin/login/?next=/admin/"
    assert visitor.get("/admin/login/?next=/admin/").url == "/sign-in/?next=/admin/"
    assert visitor.post("/admin/login/", {"username": "alice", "password": PASSWORD}).status_code == 405
    assert visitor.get("/admin/").status_code == 302


def test_forged_address_does_not_evade_lockout(visitor, settings):
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 3
    for number in range(3):
        reply = sign_in(visitor, "alice", "wrong", **{"X-Forwarded-For": f"10.0.0.{number}", "X-Real-IP": "10.0.0.1"})
    assert reply.status_code == 429


def test_wrong_key_costs_one_query_and_no_write(db):
    client = Client()
    for wrong in ("coindex_" + "x" * 43, "", "x" * 8000):
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/api/v1/projects/", headers={"Authorization": f"Bearer {wrong}"}).status_code == 401
        assert len(queries) <= 1
        assert not [query for query in queries if not query["sql"].startswith("SELECT")]


def test_only_managers_learn_whether_user_exists(world):
    """Other roles get the same answer for existing and missing names."""
    for address in ("/projects/tea/members/", "/api/v1/projects/tea/members/"):
        for role in ("viewer", "coder", "adjudicator", "outsider", "manager elsewhere"):
            said = [
                (reply.status_code, re.sub(r'value="[^"]*"', "", reply.content.decode()))
                for name in ("alice", "mallory", "ghost")
                for reply in [world.ask("POST", address, role, {"username": name, "role": "coder"})]
            ]
            assert said[0] == said[1] == said[2]
            assert said[0][0] in (403, 404)


def test_requests_without_csrf_token_are_refused(world):
    asked, client = 0, Client(enforce_csrf_checks=True)
    for row, method, access in iter_writes([*PAGES, *AGREEMENT, *API]):
        client.cookies[COOKIE] = world.cookies[actor(access)]
        reply = world.ask_with(client, method, world.address(row), resolve(access.body, world.here))
        assert (reply.status_code, world.writes) == (403, []), (method, row.name)
        asked += 1
    assert asked > 50


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://testserver"}, 302),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Referer": "https://evil.example/testserver/"}, 403),
        ({"Referer": "https://testserver.evil.example/"}, 403),
        ({}, 403),
    ],
)
def test_csrf_token_from_another_site_is_refused(visitor, headers, status):
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in/", secure=True)
    token = client.cookies[configured.CSRF_COOKIE_NAME].value
    sent = {"username": "alice", "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert client.post("/sign-in/", sent, headers=headers, secure=True).status_code == status


@pytest.mark.parametrize("headers", [{"Origin": "http://testserver"}, {"Referer": "http://testserver/sign-in/"}])
def test_refused_origin_page_names_setting(visitor, headers):
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in/", secure=True)
    token = client.cookies[configured.CSRF_COOKIE_NAME].value
    page = client.post("/sign-in/", {"csrfmiddlewaretoken": token}, headers=headers, secure=True).content.decode()
    assert "<code>http://testserver</code>" in page
    assert "<code>https://testserver</code>" in page
    assert "CSRF_TRUSTED_ORIGINS" in page
    expired = client.post("/sign-in/", {}, headers={"Origin": "https://testserver"}, secure=True).content.decode()
    assert "The form has expired" in expired


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_method_override_headers_are_ignored(world, header):
    address = f"/api/v1/transfers/{world.here.exported.pk}/"
    assert world.ask("POST", address, "manager", {"_method": "DELETE"}, **{header: "DELETE"}).status_code == 405
    world.ask("GET", f"{address}?_method=DELETE", "manager", **{header: "DELETE"})
    assert world.writes == []
    assert world.ask("GET", "/projects/tea/members/", "manager", **{header: "POST"}).status_code == 200
