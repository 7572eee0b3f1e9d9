"""Submitting a coding."""

import pytest
from django.test import Client

from annotations.projects.permissions import own_coding
from annotations.texts.project_deletion import delete_project, project_deletion_figures
from annotations.web.views import coding as pages
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


@pytest.mark.parametrize("step", ["submit", "reopen"])
def test_a_coding_whose_project_is_deleted_in_that_moment_is_not_there(
    signed_in, alice, codings, project, step, monkeypatch
):
    client = signed_in(alice)
    if step == "reopen":
        client.post(URL)

    def own_coding_before_the_deletion(*args, **options):
        coding = own_coding(*args, **options)
        delete_project(project, project_deletion_figures(project).tag)
        return coding

    monkeypatch.setattr(pages, "own_coding", own_coding_before_the_deletion)
    assert client.post(f"/projects/tea/texts/tea/{step}/").status_code == 404
