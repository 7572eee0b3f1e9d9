"""Giving a coding back to its coder."""

import pytest

from annotations import actions
from annotations.models import Coding

URL = "/projects/tea/texts/tea/codings/{}/reopen/"


@pytest.fixture
def submitted(codings, alice):
    actions.submit(codings["alice"], alice)
    return codings["alice"]


def test_a_manager_gives_a_coding_back_and_the_log_tells_who(signed_in, charlie, submitted):
    client = signed_in(charlie)
    assert client.post(URL.format("alice")).url == "/projects/tea/"
    submitted.refresh_from_db()
    assert submitted.status == "open"
    last = submitted.operations.last()
    assert (last.kind, last.user, last.sequence) == ("reopen", charlie, 2)
    assert "open again for alice" in client.get("/projects/tea/").content.decode()


def test_giving_back_what_is_open_changes_nothing(signed_in, charlie, codings):
    assert signed_in(charlie).post(URL.format("bob")).status_code == 302
    assert codings["bob"].operations.count() == 0


@pytest.mark.parametrize(
    ("role", "expected"), [("adjudicator", 403), ("viewer", 403), ("coder", 403), ("outsider", 404)]
)
def test_only_a_manager_gives_back(signed_in, people, submitted, role, expected):
    assert signed_in(people[role]).post(URL.format("alice")).status_code == expected
    assert Coding.objects.get(pk=submitted.pk).status == "submitted"


@pytest.mark.parametrize("name", ["nobody", "charlie", "a%00b", "%ED%A0%80"])
def test_a_coding_that_is_not_there_is_not_there(signed_in, charlie, submitted, name):
    assert signed_in(charlie).post(URL.format(name)).status_code == 404


def test_looking_does_not_give_back(signed_in, charlie, submitted):
    assert signed_in(charlie).get(URL.format("alice")).status_code == 405
