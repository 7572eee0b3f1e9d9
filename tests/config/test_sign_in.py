"""Sign-in, sign-out and error pages."""

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


def test_right_password_signs_in(client, anna):
    assert sign_in(client).url == "/"
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("wrong", [{"password": "x"}, {"username": "ghost"}, {"username": ""}, {"username": "a\x00"}])
def test_wrong_name_or_password_does_not_sign_in(client, anna, wrong):
    assert sign_in(client, **wrong).status_code == 200
    assert client.get("/").status_code == 302


def test_wrong_name_and_wrong_password_get_same_error(client, anna):
    messages = []
    for wrong in ({"password": "x"}, {"username": "ghost"}):
        errors = sign_in(client, **wrong).context["form"].non_field_errors()
        messages.append(list(errors))
    assert messages[0] == messages[1] != []


def test_inactive_or_passwordless_user_cannot_sign_in(client, anna):
    User.objects.update(is_active=False)
    assert sign_in(client).status_code == 200
    anna.set_unusable_password()
    anna.is_active = True
    anna.save()
    assert sign_in(client, password="").status_code == 200
    assert client.get("/").status_code == 302


def test_sign_in_redirects_to_next_page(client, anna):
    assert sign_in(client, "/sign-in/?next=/projects/tea/").url == "/projects/tea/"


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "http:///evil.example", "javascript:alert(1)"],
)
def test_sign_in_never_redirects_to_other_site(client, anna, elsewhere):
    assert sign_in(client, next=elsewhere).url == "/"
    client.logout()
    assert sign_in(client, f"/sign-in/?next={elsewhere}").url == "/"


def test_sign_out_needs_post(client, anna):
    sign_in(client)
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/").status_code == 200
    assert client.post("/sign-out/").url == "/sign-in/"
    assert client.get("/").status_code == 302


def test_sign_in_needs_csrf_token(anna):
    client = Client(enforce_csrf_checks=True)
    answer = sign_in(client)
    assert answer.status_code == 403
    assert "has expired" in answer.content.decode()


def test_missing_and_forbidden_addresses_have_error_pages(signed_in, client, bob, project):
    missing = client.get("/nowhere/")
    assert (missing.status_code, "Page not found" in missing.content.decode()) == (404, True)
    forbidden = signed_in(bob).get("/projects/tea/members/")
    assert (forbidden.status_code, "not allow" in forbidden.content.decode()) == (403, True)


@pytest.fixture
def lockout(settings):
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 3


def fail(client, times, **more):
    for _ in range(times):
        reply = sign_in(client, password="wrong", **more)
    return reply


@pytest.mark.parametrize(("ahead", "locked"), [(timedelta(days=1), False), (timedelta(minutes=5), True)])
@pytest.mark.parametrize("password", [SECRET, "wrong"])
def test_failures_dated_far_ahead_do_not_lock(client, anna, lockout, ahead, locked, password):
    assert fail(client, 4).status_code == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() + ahead)
    right = 302 if password == SECRET else 200
    assert sign_in(client, password=password).status_code == (429 if locked else right)
    assert sign_in(client).status_code == (429 if locked else 302)


@pytest.mark.parametrize("name", ["anna", "ghost"])
def test_known_and_unknown_names_are_locked_alike(client, anna, lockout, name):
    assert fail(client, 2, username=name).status_code == 200
    reply = fail(client, 1, username=name)
    assert (reply.status_code, "Too many attempts" in reply.content.decode()) == (429, True)
    assert sign_in(client, username=name).status_code == 429


def test_lockout_spares_other_names_and_addresses(client, anna, lockout):
    User.objects.create_user("bert", password=SECRET)
    fail(client, 3)
    assert sign_in(client, username="bert").status_code == 302
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


def test_lockout_ends_after_waiting(client, anna, lockout):
    fail(client, 3)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in(client).status_code == 302


def test_successful_sign_in_resets_failures(client, anna, lockout):
    fail(client, 2)
    assert sign_in(client).status_code == 302
    client.post("/sign-out/")
    assert fail(client, 2).status_code == 200


def test_failures_are_limited_by_address(client, anna, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 3
    for number in range(3):
        assert fail(client, 1, username=f"ghost-{number}").status_code == 200
    reply = sign_in(client)
    assert (reply.status_code, "Too many attempts" in reply.content.decode()) == (429, True)
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


def test_address_lockout_has_retry_after(client, anna, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 1
    fail(client, 1)
    assert 0 < int(sign_in(client)["Retry-After"]) <= page.FAILURES.seconds


def test_successful_sign_ins_are_limited_by_name_and_address(client, anna, settings):
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
def test_incomplete_forms_do_not_count_as_failures(client, anna, settings, missing):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 1
    for _ in range(3):
        assert sign_in(client, **missing).status_code == 200
    assert sign_in(client).status_code == 302


def test_attempts_on_locked_name_do_not_lock_address(client, anna, lockout, settings):
    settings.SIGN_IN_FAILURES_OF_ADDRESS = 4
    User.objects.create_user("bert", password=SECRET)
    assert fail(client, 10).status_code == 429
    assert sign_in(client, username="bert").status_code == 302


def test_locking_failure_counts_for_address(client, anna, lockout, settings):
    settings.AXES_FAILURE_LIMIT, settings.SIGN_IN_FAILURES_OF_ADDRESS = 1, 3
    for number in range(3):
        assert fail(client, 1, username=f"ghost-{number}").status_code == 429
    assert sign_in(client).status_code == 429


def test_ipv6_network_counts_as_one_address(client, anna, settings):
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
def test_client_address_is_last_address_behind_proxy(rf, settings, behind, forwarded, found):
    settings.BEHIND_PROXY = behind
    assert client_address(rf.get("/", headers={"X-Forwarded-For": forwarded})) == found


@pytest.mark.parametrize("end", ["", "unix:"])
def test_clients_without_address_share_unknown_address(rf, end):
    assert client_address(rf.get("/", REMOTE_ADDR=end)) == UNKNOWN_ADDRESS


@pytest.mark.parametrize("forwarded", ["1.2.3.4:5678", "[::1]:80", "unknown", "fe80::1%eth0", "x" * 300])
def test_sign_in_accepts_any_forwarded_address(client, anna, lockout, settings, forwarded):
    settings.BEHIND_PROXY = True
    said = {"headers": {"X-Forwarded-For": forwarded}}
    for _ in range(2):
        assert client.post("/sign-in/", {"username": "anna", "password": "wrong"}, **said).status_code == 200
    assert AccessAttempt.objects.get().failures_since_start == 2
    assert client.post("/sign-in/", {"username": "anna", "password": SECRET}, **said).status_code == 302


@pytest.mark.parametrize("length", [255, 256, 300, 3000])
def test_long_names_are_refused_and_locked(client, anna, lockout, length):
    for status in (200, 200, 429):
        assert client.post("/sign-in/", {"username": "n" * length, "password": "wrong"}).status_code == status


@pytest.fixture
def signed_in_client(client, anna, lockout):
    client.force_login(anna)
    return client


@pytest.mark.parametrize("door", ["/account/password/", "/admin/password_change/"])
def test_password_change_shares_sign_in_lockout(signed_in_client, anna, door):
    User.objects.update(is_staff=True)
    new = {"new_password1": "lavender-9-canoe", "new_password2": "lavender-9-canoe"}
    for _ in range(2):
        reply = signed_in_client.post(door, {"old_password": "wrong"} | new)
        assert (reply.status_code, "incorrectly" in reply.content.decode()) == (200, True)
    assert signed_in_client.post(door, {"old_password": "wrong"} | new).status_code == 429
    assert signed_in_client.post(door, {"old_password": SECRET} | new).status_code == 429
    assert sign_in(Client()).status_code == 429
    anna.refresh_from_db()
    assert anna.check_password(SECRET)
