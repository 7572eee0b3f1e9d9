"""Errors outside views."""

import pytest
from django.contrib.auth.decorators import login_not_required
from django.db import OperationalError
from django.urls import path

from annotations.api import projects
from config import urls


@login_not_required
def fail(request):
    raise RuntimeError("on purpose")


urlpatterns = [*urls.urlpatterns, path("api/v1/fail", fail), path("fail", fail)]
handler404, handler500 = urls.handler404, urls.handler500


@pytest.mark.parametrize(
    ("address", "kind"), [("/api/v1/ghost/", "application/problem+json"), ("/ghost/", "text/html")]
)
def test_missing_address_returns_problem_or_page(client, db, address, kind):
    reply = client.get(address)
    assert reply.status_code == 404
    assert reply["Content-Type"].startswith(kind)


@pytest.mark.urls(__name__)
def test_server_error_hides_details(client, db):
    client.raise_request_exception = False
    reply = client.get("/api/v1/fail")
    assert (reply.status_code, reply.json()["code"]) == (500, "server_error")
    assert reply["X-Request-ID"]
    assert "purpose" not in reply.content.decode()
    page = client.get("/fail")
    assert (page.status_code, page["Content-Type"].split(";")[0]) == (500, "text/html")
    assert "purpose" not in page.content.decode()


def test_locked_database_returns_503(signed_in, alice, project, monkeypatch):
    def locked(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(projects.Project.objects, "visible_to", locked)
    answer = signed_in(alice).get("/api/v1/projects/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "database_unavailable", "5")
    assert "locked" not in answer.json()["detail"]
