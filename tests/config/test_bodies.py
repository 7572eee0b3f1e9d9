"""Limits on request bodies, checked before the bodies are read."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import resolve

from annotations.models import Token
from annotations.projects.people.tokens import create_token
from config.limits.uploads import most_bytes

LARGE = 6 * 2**20
OVER_ALL = 600 * 2**20
IMPORTS = "/api/v1/projects/tea/imports/"


class Unread:
    """A body that fails when it is read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("the body was read")

    readline = read


def post(address: str, size: int, client: Client | None = None, **headers: str):
    body = {"CONTENT_LENGTH": str(size), "wsgi.input": Unread(), "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    return (client or Client(enforce_csrf_checks=True)).post(address, headers=headers, **body)


def test_visitors_cannot_send_large_bodies(db):
    page, problem = post("/sign-in/", LARGE), post(IMPORTS, LARGE)
    assert (page.status_code, "too large" in page.content.decode()) == (413, True)
    assert (problem.status_code, problem.json()["code"]) == (413, "too_large")


def test_invalid_key_cannot_send_large_body(db):
    assert post(IMPORTS, LARGE, Authorization="Bearer made-up").status_code == 413


@pytest.mark.parametrize("by_key", [False, True])
def test_signed_in_users_send_files_up_to_limit(signed_in, charlie, project, by_key):
    if by_key:
        _, secret = create_token(charlie, "script", Token.Scope.MANAGE, 1)
        client, headers = Client(), {"Authorization": f"Bearer {secret}"}
    else:
        client, headers = signed_in(charlie), {}
    assert post(IMPORTS, OVER_ALL, client, **headers).status_code == 413
    with pytest.raises(AssertionError, match="the body was read"):
        post(IMPORTS, LARGE, client, **headers)


def test_proxy_can_check_whether_user_is_signed_in(signed_in, charlie, project):
    _, secret = create_token(charlie, "script", Token.Scope.READ, 1)
    assert signed_in(charlie).get("/signed-in").status_code == 204
    assert Client().get("/signed-in", headers={"Authorization": f"Bearer {secret}"}).status_code == 204
    for made_up in ({}, {"Authorization": "Bearer made-up"}, {"Cookie": "sessionid=made-up"}):
        answer = Client().get("/signed-in", headers=made_up)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


def test_upload_addresses_have_higher_limits():
    for path in ("/projects/new/archive/", "/api/v1/archives/"):
        assert resolve(path).func
        assert most_bytes(path) > settings.ARCHIVE_MAX_BYTES
    files = (
        "projects/tea/import/",
        "projects/tea/docsets/",
        "projects/tea/docsets/d/peers/",
        "api/v1/projects/tea/imports/",
    )
    for path in files:
        assert resolve(f"/{path}").func
        assert settings.IMPORT_MAX_BYTES < most_bytes(f"/{path}") < settings.ARCHIVE_MAX_BYTES
    for path in ("/sign-in/", "/projects/tea/docsets/d/", "/projects/tea/texts/a/import/", "/api/v1/archives/x"):
        assert most_bytes(path) == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
