"""GET /healthz and /readyz."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client


def test_the_process_says_that_it_lives_without_asking_the_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        reply = client.get("/healthz")
    assert (reply.status_code, reply.json()) == (200, {"alive": True})
    assert "no-store" in reply["Cache-Control"]


def test_it_is_ready_where_database_migrations_and_files_are(client, db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()) == (200, {"ready": True, "failed_checks": {}})


def test_it_is_not_ready_before_it_is_migrated(client, db):
    [last] = [name for app, name in MigrationLoader(connection).graph.leaf_nodes() if app == "annotations"]
    MigrationRecorder(connection).record_unapplied("annotations", last)
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()["failed_checks"]) == (503, {"migrations": "1 migrations are not applied"})


def test_it_is_not_ready_where_no_file_can_be_written(client, db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "ghost" / "files"
    assert client.get("/readyz").json()["failed_checks"] == {"files": "files cannot be written"}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_answers_to_plain_http_and_to_no_other_method(db, settings, path):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    client = Client()
    assert client.get(path).status_code in (200, 503)
    assert client.get("/sign-in/").status_code == 301
    assert client.post(path).status_code == 405
