"""Metrics for Prometheus: requests and saves of all web processes, and the current queue and workers.

Processes share counts in files if PROMETHEUS_MULTIPROC_DIR is set, as in `config/gunicorn.py`. Labels are bounded:
names of views, HTTP methods and status codes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import MiddlewareNotUsed
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotations.core.processes.heartbeat import living
from annotations.core.processes.queue import queue_state

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The views that accept operations of coders, and the labels of their status codes.
SAVING_VIEWS = frozenset({"api-operations", "api-operations-agreed"})
OUTCOMES = {200: "saved", 409: "conflict"}
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
# The label of requests without a view; no view has this name.
NO_VIEW = "none"

registry = CollectorRegistry()
requests = Counter("coindex_requests", "Requests that were answered.", ["view", "method", "status"], registry=registry)
latency = Histogram(
    "coindex_request_seconds", "Seconds until the answer.", ["view"], buckets=SECONDS, registry=registry
)
saves = Counter("coindex_saves", "Requests that save answers, by their outcome.", ["outcome"], registry=registry)


class MetricsMiddleware:
    """Count and time requests, unless metrics are disabled."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response
        for outcome in (*OUTCOMES.values(), "refused"):
            saves.labels(outcome)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else NO_VIEW
        method = str(request.method)
        requests.labels(view, method if method in METHODS else "other", str(response.status_code)).inc()
        latency.labels(view).observe(time.perf_counter() - start)
        if view in SAVING_VIEWS and method == "POST":
            saves.labels(OUTCOMES.get(response.status_code, "refused")).inc()
        return response


class StateCollector(Collector):
    """The current queue and workers, equal in every process."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            queue = queue_state()
        except DatabaseError:
            yield GaugeMetricFamily("coindex_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("coindex_database_up", "Whether the database answers.", 1)
        tasks = GaugeMetricFamily("coindex_tasks", "Tasks that wait for a worker, or are run.", labels=["status"])
        oldest = GaugeMetricFamily(
            "coindex_oldest_task_seconds", "For how long the oldest task has waited, or run.", labels=["status"]
        )
        tasks.add_metric(["ready"], queue.n_ready)
        tasks.add_metric(["running"], queue.n_running)
        oldest.add_metric(["ready"], queue.seconds_ready)
        oldest.add_metric(["running"], queue.seconds_running)
        yield tasks
        yield oldest
        workers = living(settings.WORKERS_DIR)
        yield GaugeMetricFamily("coindex_workers", "Workers that have given a sign of life.", len(workers))
        if workers:
            heartbeat = "Seconds since the last sign of life of the worker that has been silent for longest."
            yield GaugeMetricFamily("coindex_worker_heartbeat_seconds", heartbeat, max(workers.values()))


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer all metrics to clients with METRICS_TOKEN; 404 without that setting."""
    if not settings.METRICS_TOKEN:
        raise Http404("There are no metrics.")
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse("Send the token of METRICS_TOKEN.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    current = CollectorRegistry()
    current.register(StateCollector())
    state = generate_latest(current)
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return HttpResponse(generate_latest(registry) + state, content_type=CONTENT_TYPE_LATEST)
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(shared) + state, content_type=CONTENT_TYPE_LATEST)
