"""Signing in and out, and the pages of errors."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.utils import timezone

from annotations.models import User
from config.limits import sign_in as page
from config.limits.clients import UNKNOWN_ADDRESS, client_address

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
    assert "has expired" in answer.content.decode()


def test_what_is_not_there_and_what_is_not_allowed_have_their_pages(signed_in, client, bob, project):
    missing = client.get("/nowhere/")
    assert (missing.status_code, "Page not found" in missing.content.decode()) == (404, True)
    forbidden = signed_in(bob).get("/projects/tea/members/")
    assert (forbidden.status_code, "not allow" in forbidden.content.decode()) == (403, True)


@pytest.fixture
def bounded(settings):
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 3


def fail(client, times, **more):
    for _ in range(times):
        reply = sign_in(client, password="wrong", **more)
    return reply


@pytest.mark.parametrize(("ahead", "locked"), [(timedelta(days=1), False), (timedelta(minutes=5), True)])
@pytest.mark.parametrize("password", [SECRET, "wrong"])
def test_failures_of_a_clock_that_was_ahead_lock_nobody_once_it_is_set(client, anna, bounded, ahead, locked, password):
    assert fail(client, 4).status_code == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() + ahead)
    right = 302 if password == SECRET else 200
    assert sign_in(client, password=password).status_code == (429 if locked else right)
    assert sign_in(client).status_code == (429 if locked else 302)


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


def test_made_up_names_have_a_bound_for_each_address(client, anna, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 3
    for number in range(3):
        assert fail(client, 1, username=f"ghost-{number}").status_code == 200
    reply = sign_in(client)
    assert (reply.status_code, "Too many attempts" in reply.content.decode()) == (429, True)
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


def test_who_is_shut_out_with_others_of_the_address_reads_for_how_long(client, anna, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 1
    fail(client, 1)
    assert 0 < int(sign_in(client)["Retry-After"]) <= page.FAILURES.seconds


def test_who_signs_in_all_the_time_waits_and_keeps_nobody_else_out(client, anna, settings):
    settings.SIGN_INS_OF_NAME = 3
    User.objects.create_user("bert", password=SECRET)
    for _ in range(3):
        assert sign_in(Client()).status_code == 302
    refused = sign_in(Client(), username="ANNA")
    assert (refused.status_code, "has signed in too often" in refused.content.decode()) == (429, True)
    assert 0 < int(refused["Retry-After"]) <= page.SUCCESSES.seconds
    assert sign_in(Client(), username="bert").status_code == 302
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


@pytest.mark.parametrize("missing", [{"username": ""}, {"password": ""}, {"username": "", "password": ""}])
def test_forms_of_which_no_password_is_checked_shut_nobody_out(client, anna, settings, missing):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 1
    for _ in range(3):
        assert sign_in(client, **missing).status_code == 200
    assert sign_in(client).status_code == 302


def test_who_goes_on_with_a_name_that_is_locked_shuts_out_no_others(client, anna, bounded, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 4
    User.objects.create_user("bert", password=SECRET)
    assert fail(client, 10).status_code == 429
    assert sign_in(client, username="bert").status_code == 302


def test_the_failure_that_locks_a_name_counts_for_the_address_too(client, anna, bounded, settings):
    settings.AXES_FAILURE_LIMIT, settings.SIGN_IN_FAILURES_OF_ADDRESS = 1, 3
    for number in range(3):
        assert fail(client, 1, username=f"ghost-{number}").status_code == 429
    assert sign_in(client).status_code == 429


def test_the_addresses_of_one_network_of_ipv6_count_as_one(client, anna, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 2
    for number in range(2):
        assert fail(Client(REMOTE_ADDR=f"2001:db8:0:1::{number}"), 1).status_code == 200
    assert sign_in(Client(REMOTE_ADDR="2001:db8:0:1:ffff::9")).status_code == 429
    assert sign_in(Client(REMOTE_ADDR="2001:db8:0:2::9")).status_code == 302


@pytest.mark.parametrize(
    ("behind", "forwarded", "found"),
    [
        (False, "9.9.9.9", "127.0.0.1"),
        (True, "9.9.9.9", "9.9.9.9"),
        (True, "1.1.1.1, 9.9.9.9", "9.9.9.9"),
        (True, "", "127.0.0.1"),
        (True, "1.2.3.4:5678", "1.2.3.4"),
        (True, "[::1]:80", "::1"),
        (True, "[2001:DB8::1]", "2001:db8::1"),
        (True, "2001:db8::1", "2001:db8::1"),
        (True, "::ffff:9.9.9.9", "9.9.9.9"),
        (True, "fe80::1%eth0", "fe80::1"),
        (True, "9.9.9.9, unknown", "127.0.0.1"),
        (True, "9.9.9.9, _hidden:80", "127.0.0.1"),
        (True, "9.9.9.9, []", "127.0.0.1"),
        (True, "9.9.9.9, 1.2.3.4:", "127.0.0.1"),
    ],
)
def test_of_what_proxies_say_the_last_counts_and_only_behind_ours(rf, settings, behind, forwarded, found):
    settings.BEHIND_PROXY = behind
    assert client_address(rf.get("/", headers={"X-Forwarded-For": forwarded})) == found


@pytest.mark.parametrize("end", ["", "unix:"])
def test_a_client_without_an_address_counts_as_one(rf, end):
    assert client_address(rf.get("/", REMOTE_ADDR=end)) == UNKNOWN_ADDRESS


@pytest.mark.parametrize("forwarded", ["1.2.3.4:5678", "[::1]:80", "unknown", "fe80::1%eth0", "x" * 300])
def test_whatever_a_proxy_says_of_the_address_people_sign_in_and_failures_count(
    client, anna, bounded, settings, forwarded
):
    settings.BEHIND_PROXY = True
    said = {"headers": {"X-Forwarded-For": forwarded}}
    for _ in range(2):
        assert client.post("/sign-in/", {"username": "anna", "password": "wrong"}, **said).status_code == 200
    assert AccessAttempt.objects.get().failures_since_start == 2
    assert client.post("/sign-in/", {"username": "anna", "password": SECRET}, **said).status_code == 302


@pytest.mark.parametrize("length", [255, 256, 300, 3000])
def test_a_name_of_any_length_is_refused_like_another_and_bounded(client, anna, bounded, length):
    for status in (200, 200, 429):
        assert client.post("/sign-in/", {"username": "n" * length, "password": "wrong"}).status_code == status


@pytest.fixture
def anna_here(client, anna, bounded):
    client.force_login(anna)
    return client


@pytest.mark.parametrize("door", ["/account/password/", "/admin/password_change/"])
def test_the_old_password_is_guessed_no_more_often_than_at_sign_in(anna_here, anna, door):
    User.objects.update(is_staff=True)
    new = {"new_password1": "lavender-9-canoe", "new_password2": "lavender-9-canoe"}
    for _ in range(2):
        reply = anna_here.post(door, {"old_password": "wrong"} | new)
        assert (reply.status_code, "incorrectly" in reply.content.decode()) == (200, True)
    assert anna_here.post(door, {"old_password": "wrong"} | new).status_code == 429
    assert anna_here.post(door, {"old_password": SECRET} | new).status_code == 429
    assert sign_in(Client()).status_code == 429
    anna.refresh_from_db()
    assert anna.check_password(SECRET)
