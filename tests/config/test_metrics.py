"""GET /metrics and the Grafana dashboard."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client.parser import text_string_to_metric_families

from annotations.core.processes.heartbeat import beating
from config.monitoring import metrics
from tests.conftest import ROOT
from tests.shared.coding import change

TOKEN = "t" * 40
DASHBOARD = ROOT / "deploy" / "grafana.json"
OPERATIONS = "/api/v1/projects/tea/texts/tea/coding/operations/"

type Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
def measured(settings) -> Client:
    settings.METRICS_TOKEN = TOKEN
    return Client()


def scrape(client: Client) -> Samples:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, frozenset(labels.items())), 0.0)


def test_metrics_are_missing_without_token_setting(client, db):
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("sent", [None, "", "Bearer ", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer ä"])
def test_metrics_refuse_wrong_token(measured, db, sent):
    answer = measured.get("/metrics", headers={} if sent is None else {"Authorization": sent})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"coindex_" not in answer.content


def test_metrics_refuse_signed_in_manager(measured, signed_in, charlie):
    assert signed_in(charlie).get("/metrics").status_code == 401


def test_requests_are_counted_by_view_method_and_status(measured, db):
    before = scrape(measured)
    for path in ("/healthz", "/healthz", "/sign-in/", "/no/such/page/", "/projects/x/"):
        measured.get(path)
    measured.generic("BREW", "/healthz")
    after = scrape(measured)

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert more("coindex_requests_total", view="healthz", method="GET", status="200") == 2
    assert more("coindex_requests_total", view="healthz", method="other", status="405") == 1
    assert more("coindex_requests_total", view="sign_in", method="GET", status="200") == 1
    assert more("coindex_requests_total", view="none", method="GET", status="404") == 1
    assert more("coindex_requests_total", view="project", method="GET", status="302") == 1
    assert more("coindex_request_seconds_count", view="healthz") == 3


def test_unknown_addresses_add_no_metrics(measured, db):
    """Labels are names of existing views and methods only."""
    measured.get("/a/")
    measured.generic("ANY", "/a/")
    before = scrape(measured)
    for number in range(30):
        measured.get(f"/{uuid4()}/", headers={"User-Agent": f"x{number}"})
        measured.generic(f"M{number}", f"/{uuid4()}/?{number}")
    assert scrape(measured).keys() <= before.keys() | {key for key in scrape(measured) if ("view", "metrics") in key[1]}


def test_saves_and_conflicts_are_counted(measured, signed_in, text, codings):
    client = signed_in(codings["alice"].coder)
    before = scrape(measured)

    def send(version: int, markable: str) -> int:
        made = change(markable=markable, category="none", pointers=[])
        body = {
            "version": version,
            "operations": [{"uuid": str(made.uuid), "kind": made.kind, "payload": made.payload}],
        }
        return client.post(OPERATIONS, body, content_type="application/json").status_code

    key = text.markables.filter(level__coded=True).values_list("key", flat=True)[0]
    assert [send(0, key), send(0, key), send(1, "phrase:900-901")] == [200, 409, 400]
    after = scrape(measured)
    for outcome in ("saved", "conflict", "refused"):
        name = "coindex_saves_total"
        assert value(after, name, outcome=outcome) - value(before, name, outcome=outcome) == 1, outcome


def test_saving_views_exist():
    there = {str(key) for resolver in get_resolver().url_patterns for key in getattr(resolver, "reverse_dict", {})}
    assert there >= metrics.SAVING_VIEWS


def test_metrics_count_tasks_and_workers(measured, db, settings, tmp_path):
    settings.WORKERS_DIR = tmp_path
    samples = scrape(measured)
    assert value(samples, "coindex_database_up") == 1
    assert value(samples, "coindex_tasks", status="ready") == value(samples, "coindex_workers") == 0
    now = timezone.now()
    common = {
        "args_kwargs": {"args": [], "kwargs": {}},
        "task_path": "a.b",
        "backend_name": "default",
        "run_after": now,
    }
    for seconds, status in ((90, "READY"), (30, "READY"), (200, "RUNNING"), (500, "SUCCESSFUL")):
        made = DBTaskResult.objects.create(status=status, **common)
        then = now - timedelta(seconds=seconds)
        DBTaskResult.objects.filter(pk=made.pk).update(enqueued_at=then, started_at=then)
    with beating(tmp_path, "host.1.a", 900):
        samples = scrape(measured)
    assert value(samples, "coindex_tasks", status="ready") == 2
    assert value(samples, "coindex_tasks", status="running") == 1
    assert value(samples, "coindex_oldest_task_seconds", status="ready") == pytest.approx(90, abs=20)
    assert value(samples, "coindex_oldest_task_seconds", status="running") == pytest.approx(200, abs=20)
    assert value(samples, "coindex_workers") == 1
    assert value(samples, "coindex_worker_heartbeat_seconds") < 20


def test_dashboard_shows_every_metric(measured, db, settings, tmp_path):
    settings.WORKERS_DIR = tmp_path
    measured.get("/healthz")
    with beating(tmp_path, "host.1.a", 900):
        told = {name for name, _ in scrape(measured)}
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = {name for one in panels for target in one["targets"] for name in re.findall(r"coindex_\w+", target["expr"])}
    assert asked <= told
    families = {re.sub(r"_(total|bucket|count|sum|created)$", "", name) for name in told}
    assert families == {re.sub(r"_(total|bucket|count|sum)$", "", name) for name in asked}
    assert len({panel["id"] for panel in panels}) == len(panels) > 5
    labels = {label for _, found in scrape(measured) for label, _ in found}
    for panel in panels:
        for target in panel["targets"]:
            assert set(re.findall(r"by \((\w+)\)", target["expr"])) <= labels
