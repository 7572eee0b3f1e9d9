"""Errors that no view answers."""

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
def test_where_nothing_is_a_program_gets_a_problem_and_a_person_a_page(client, db, address, kind):
    reply = client.get(address)
    assert reply.status_code == 404
    assert reply["Content-Type"].startswith(kind)


@pytest.mark.urls(__name__)
def test_a_failure_is_a_problem_with_the_id_of_the_request_and_tells_nothing_else(client, db):
    client.raise_request_exception = False
    reply = client.get("/api/v1/fail")
    assert (reply.status_code, reply.json()["code"]) == (500, "server_error")
    assert reply["X-Request-ID"]
    assert "purpose" not in reply.content.decode()
    page = client.get("/fail")
    assert (page.status_code, page["Content-Type"].split(";")[0]) == (500, "text/html")
    assert "purpose" not in page.content.decode()


def test_a_database_that_cannot_now_is_no_fault_of_the_request(signed_in, alice, project, monkeypatch):
    def locked(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(projects.Project.objects, "visible_to", locked)
    answer = signed_in(alice).get("/api/v1/projects/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "database_unavailable", "5")
    assert "locked" not in answer.json()["detail"]
