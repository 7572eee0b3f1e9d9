"""Submitting a coding."""

from django.test import Client

from tests.conftest import judge

URL = "/projects/tea/texts/tea/submit/"


def status(coding):
    coding.refresh_from_db()
    return coding.status


def test_a_coder_hands_the_own_coding_in(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    client = signed_in(alice)
    assert client.post(URL).url == "/projects/tea/"
    assert {name: status(coding) for name, coding in codings.items()} == {"alice": "submitted", "bob": "open"}
    assert list(codings["alice"].operations.values_list("kind", flat=True)) == ["judge", "submit"]
    assert "Submitted “Tea”" in client.get("/projects/tea/").content.decode()


def test_handing_in_twice_changes_nothing(signed_in, alice, codings):
    client = signed_in(alice)
    client.post(URL)
    assert client.post(URL).status_code == 302
    assert codings["alice"].operations.count() == 1


def test_handing_in_needs_the_token_of_the_form(alice, codings):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.post(URL).status_code == 403
    assert status(codings["alice"]) == "open"
