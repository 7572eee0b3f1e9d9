"""Security headers: what browsers may run, load, frame and cache."""

from __future__ import annotations

import pytest
from django.conf import settings as configured
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from django.utils.csp import build_policy

from annotations.models import Invitation
from config import urls
from tests.access.role_asking import actor
from tests.access.role_matrix import AGREEMENT, API, PAGES, SIGN_IN


@login_not_required
def fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


# The map with addresses that fail, for the test that needs one.
urlpatterns = [*urls.urlpatterns, path("fail", fail), path("api/v1/fail", fail)]
handler404, handler500 = urls.handler404, urls.handler500

FRAMING = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
ALWAYS = (
    "/", "/sign-in/", "/ghost/", "/projects/ghost/", "/healthz", "/static/css/base/base.css", "/static/ghost.css",
    "/api/v1/projects/", "/api/v1/ghost/", "/api/v1/docs/", "/admin/login/", "/fail", "/api/v1/fail",
    "/invitations/ghost/",
)  # fmt: skip


@pytest.mark.urls(__name__)
@pytest.mark.parametrize("address", ALWAYS)
def test_every_answer_has_security_headers(db, quiet, address):
    client = Client(raise_request_exception=False)
    reply = client.get(address)
    policy = reply["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy or address.startswith("/api/v1/docs")
    assert "frame-ancestors 'none'" in policy
    said = {name: reply.headers.get(name) for name in FRAMING}
    if address.startswith("/static/"):  # of a file the policy says that nobody frames it
        said["X-Frame-Options"] = "DENY"
    if address.startswith("/invitations/"):
        assert said["Referrer-Policy"] == "strict-origin"
        said["Referrer-Policy"] = "same-origin"
    assert said == FRAMING
    assert reply["X-Request-ID"]


def test_routes_send_policy_and_forbid_shared_caching(world):
    strict, charts = build_policy(configured.SECURE_CSP), build_policy(configured.CHARTS_CSP)
    assert "unsafe-inline" not in strict
    assert charts.replace(" 'unsafe-inline'", "") == strict
    for row in (*PAGES, *AGREEMENT, *API):
        for method, access in row.methods.items():
            if method == "GET":
                reply = world.ask(method, world.address(row), actor(access))
                framed = row.name == "scheme-sample"  # the designer shows it in a frame of its own page
                by_us = strict.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
                assert reply["Content-Security-Policy"] in ((by_us,) if framed else (strict, charts)), row.name
                assert reply["X-Frame-Options"] == ("SAMEORIGIN" if framed else "DENY"), row.name
                # What somebody sees is given to nobody else by a cache between.
                mine = access.answers["anonymous"] == SIGN_IN
                kept_from_others = "no-store" in reply.get("Cache-Control", "") or "Cookie" in reply.get("Vary", "")
                assert not mine or kept_from_others, row.name


def test_middleware_errors_have_security_headers(db, quiet):
    for reply in (
        Client().get("/", headers={"host": "evil.example"}),
        Client(enforce_csrf_checks=True).post("/sign-in/"),
        Client().post("/sign-in/", b"x" * (configured.DATA_UPLOAD_MAX_MEMORY_SIZE + 1), content_type=FORM),
    ):
        assert reply.status_code in (400, 403, 413)
        assert "frame-ancestors 'none'" in reply["Content-Security-Policy"]
        assert reply["X-Content-Type-Options"] == "nosniff"


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "testserver@evil.example", "testserver:x", ""]
)
def test_wrong_host_is_refused(db, quiet, host):
    reply = Client().get("/sign-in/", headers={"host": host})
    assert reply.status_code == 400
    assert "evil" not in reply.content.decode()


def test_links_ignore_forwarded_host_headers(world):
    invite = {"invite": "1", "role": "viewer", "days": "7"}
    for name in ("X-Forwarded-Host", "Forwarded", "X-Host", "X-Original-Host"):
        page = world.ask("POST", "/projects/tea/members/", "manager", invite, **{name: "evil.example"}).content.decode()
        assert "http://testserver/invitations/" in page
        assert "evil" not in page
    assert Invitation.objects.count() == 2  # those of the world
