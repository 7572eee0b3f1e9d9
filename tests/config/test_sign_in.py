"""Signing in and out, and the pages of errors."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.utils import timezone

from annotations.models import User
from config.clients import client_address

SECRET = "correct horse battery"


@pytest.fixture
def anna(db):
    return User.objects.create_user("anna", password=SECRET)


def sign_in(client, address="/sign-in/", **more):
    return client.post(address, {"username": "anna", "password": SECRET} | more)


def test_with_the_right_password_one_is_in(client, anna):
    assert sign_in(client).url == "/"
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("wrong", [{"password": "x"}, {"username": "ghost"}, {"username": ""}, {"username": "a\x00"}])
def test_with_wrong_ones_one_is_not(client, anna, wrong):
    assert sign_in(client, **wrong).status_code == 200
    assert client.get("/").status_code == 302


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(client, anna):
    messages = []
    for wrong in ({"password": "x"}, {"username": "ghost"}):
        errors = sign_in(client, **wrong).context["form"].non_field_errors()
        messages.append(list(errors))
    assert messages[0] == messages[1] != []


def test_somebody_without_a_password_or_who_left_cannot_sign_in(client, anna):
    User.objects.update(is_active=False)
    assert sign_in(client).status_code == 200
    anna.set_unusable_password()
    anna.is_active = True
    anna.save()
    assert sign_in(client, password="").status_code == 200
    assert client.get("/").status_code == 302


def test_one_comes_to_the_page_one_wanted(client, anna):
    assert sign_in(client, "/sign-in/?next=/projects/tea/").url == "/projects/tea/"


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "http:///evil.example", "javascript:alert(1)"],
)
def test_nobody_is_sent_elsewhere(client, anna, elsewhere):
    assert sign_in(client, next=elsewhere).url == "/"
    client.logout()
    assert sign_in(client, f"/sign-in/?next={elsewhere}").url == "/"


def test_one_signs_out_by_post_only(client, anna):
    sign_in(client)
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/").status_code == 200
    assert client.post("/sign-out/").url == "/sign-in/"
    assert client.get("/").status_code == 302


def test_signing_in_needs_the_token_of_the_form(anna):
    client = Client(enforce_csrf_checks=True)
    answer = sign_in(client)
    assert answer.status_code == 403
    assert "too old" in answer.content.decode()


def test_what_is_not_there_and_what_is_not_allowed_have_their_pages(signed_in, client, bob, project):
    missing = client.get("/nowhere/")
    assert (missing.status_code, "no such page" in missing.content.decode()) == (404, True)
    forbidden = signed_in(bob).get("/projects/tea/members/")
    assert (forbidden.status_code, "may not do this" in forbidden.content.decode()) == (403, True)


@pytest.fixture
def bounded(settings):
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 3


def fail(client, times, **more):
    for _ in range(times):
        reply = sign_in(client, password="wrong", **more)
    return reply


@pytest.mark.parametrize("name", ["anna", "ghost"])
def test_who_fails_too_often_waits_whether_there_is_such_a_person_or_not(client, anna, bounded, name):
    assert fail(client, 2, username=name).status_code == 200
    reply = fail(client, 1, username=name)
    assert (reply.status_code, "Too many attempts" in reply.content.decode()) == (429, True)
    assert sign_in(client, username=name).status_code == 429


def test_others_and_those_elsewhere_do_not_wait_with_them(client, anna, bounded):
    User.objects.create_user("bert", password=SECRET)
    fail(client, 3)
    assert sign_in(client, username="bert").status_code == 302
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


def test_one_who_waited_comes_in(client, anna, bounded):
    fail(client, 3)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in(client).status_code == 302


def test_whom_one_lets_in_begins_anew(client, anna, bounded):
    fail(client, 2)
    assert sign_in(client).status_code == 302
    client.post("/sign-out/")
    assert fail(client, 2).status_code == 200


@pytest.mark.parametrize(
    ("behind", "forwarded", "found"),
    [
        (False, "9.9.9.9", "127.0.0.1"),
        (True, "9.9.9.9", "9.9.9.9"),
        (True, "1.1.1.1, 9.9.9.9", "9.9.9.9"),
        (True, "", "127.0.0.1"),
    ],
)
def test_of_what_proxies_say_the_last_counts_and_only_behind_ours(rf, settings, behind, forwarded, found):
    settings.BEHIND_PROXY = behind
    assert client_address(rf.get("/", headers={"X-Forwarded-For": forwarded})) == found
