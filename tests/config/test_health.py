"""GET /healthz and /readyz."""

import resource
import signal

import pytest
from django.core.cache import caches
from django.test import Client

from tests.shared.migrations import unapply_last


def test_healthz_makes_no_query(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        reply = client.get("/healthz")
    assert (reply.status_code, reply.json()) == (200, {"alive": True})
    assert "no-store" in reply["Cache-Control"]


def test_readyz_succeeds_if_all_checks_pass(client, db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()) == (200, {"ready": True, "failed_checks": {}})


def test_readyz_fails_before_migration(client, db):
    unapply_last("annotations")
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()["failed_checks"]) == (503, {"migrations": "1 migrations are not applied"})


def test_readyz_fails_if_files_cannot_be_written(client, db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "ghost" / "files"
    assert client.get("/readyz").json()["failed_checks"] == {
        "files": "files cannot be written: No such file or directory"
    }


def test_readyz_fails_if_disk_is_full(client, db, settings, tmp_path):
    """A limit on file sizes simulates the full disk, as in tests/faults/test_full.py."""
    settings.MEDIA_ROOT = tmp_path
    free = resource.getrlimit(resource.RLIMIT_FSIZE)
    interrupted = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, free[1]))
    try:
        reply = client.get("/readyz")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, free)
        signal.signal(signal.SIGXFSZ, interrupted)
    assert (reply.status_code, reply.json()["failed_checks"]) == (
        503,
        {"files": "files cannot be written: File too large"},
    )
    assert list(tmp_path.iterdir()) == []
    assert client.get("/readyz").status_code == 503  # for a second: anybody may ask
    caches["process"].clear()
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks_accept_plain_http_and_refuse_post(db, settings, path):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    client = Client()
    assert client.get(path).status_code in (200, 503)
    assert client.get("/sign-in/").status_code == 301
    assert client.post(path).status_code == 405
