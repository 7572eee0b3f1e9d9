"""Limits of requests and orders."""

import time

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.locmem import LocMemCache

from annotations.core.http import limits
from annotations.core.http.limits import Limit

URL, EXPORTS = "/api/v1/projects/", "/api/v1/projects/tea/exports/"
JSON = {"content_type": "application/json"}


def test_request_limit_applies_per_user(signed_in, alice, bob, project, settings):
    settings.API_REQUESTS_A_MINUTE = 3
    client = signed_in(alice)
    assert [client.get(URL).status_code for _ in range(3)] == [200, 200, 200]
    answer = client.get(URL)
    assert (answer.status_code, answer.json()["code"]) == (429, "throttled")
    assert 0 < int(answer["Retry-After"]) <= 60
    assert signed_in(bob).get(URL).status_code == 200


def test_orders_have_their_own_limit(signed_in, charlie, project, settings):
    settings.API_ORDERS_AN_HOUR = 1
    client = signed_in(charlie)
    assert client.post(EXPORTS, {"format": "muc"}, **JSON).status_code == 201
    assert client.post(EXPORTS, {"format": "muc"}, **JSON).status_code == 429
    assert client.get("/api/v1/projects/tea/transfers/").status_code == 200


@pytest.mark.parametrize("given", ["1.2.3.4", "5.6.7.8, 1.2.3.4"])
def test_forwarded_header_does_not_evade_limit(client, db, settings, given):
    settings.API_REQUESTS_A_MINUTE = 1
    assert client.get("/api/v1/docs/").status_code == 200
    assert client.get("/api/v1/docs/", headers={"X-Forwarded-For": given}).status_code == 429


def test_request_at_turn_of_minute_succeeds(signed_in, alice, project, monkeypatch):
    clock = [6000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    client = signed_in(alice)
    assert client.get(URL).status_code == 200
    clock[0] = 6059.9999
    kept = cache.add

    def slowly(*what, **how):
        found = kept(*what, **how)
        clock[0] = 6060.0001
        return found

    monkeypatch.setattr(cache, "add", slowly, raising=False)
    assert client.get(URL).status_code == 200


def test_pages_and_api_share_limit_of_orders(signed_in, charlie, project, settings):
    settings.API_ORDERS_AN_HOUR = 1
    client = signed_in(charlie)
    order = {"format": "muc"}
    assert client.post("/projects/tea/export/", order).status_code == 302
    refused = client.post("/projects/tea/export/", order)
    assert (refused.status_code, "Try again in the next" in refused.content.decode()) == (400, True)
    assert client.post(EXPORTS, order, **JSON).status_code == 429


def test_processes_with_shared_cache_count_together(db, monkeypatch):
    """Each process reports every third use, and then reads the uses of the others."""
    limit = Limit("tests", seconds=3600, step=3)
    first, second = LocMemCache("one", {}), LocMemCache("other", {})
    counts = []
    for process in (first, second, first, second):
        monkeypatch.setattr(limits, "caches", {"process": process, "default": caches["default"]})
        counts.append([limit.use("alice") for _ in range(3)])
    assert counts == [[1, 2, 3], [1, 2, 6], [4, 5, 9], [7, 8, 12]]
    assert limit.told("alice") == 12
