"""The processor time of requests: of one person no more than a bound in each minute, whatever is asked for."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

from annotations.core.http.limits import Limit
from config.errors import too_many_requests
from config.limits.clients import client_address

# Programs that restart this one where it does not answer share an address with strangers.
PROBES = ("/healthz", "/readyz", "/metrics")
MILLISECONDS = Limit("processor time", seconds=60, step=1000)


class ProcessorTimeMiddleware:
    """Answer 429 to whoever has used up the processor time of this minute."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in PROBES:
            return self.get_response(request)
        if MILLISECONDS.known(_sender(request)) > 1000 * settings.PROCESSOR_SECONDS_A_MINUTE:
            return too_many_requests(request, MILLISECONDS.seconds_left())
        start = time.thread_time()
        try:
            return self.get_response(request)
        finally:
            _remember_owner(request)
            MILLISECONDS.use(_sender(request), round(1000 * (time.thread_time() - start)))


def _sender(request: HttpRequest) -> str:
    """Return who sends the request: a person, also by a key that was found good before, or somebody at an address."""
    if request.user.is_authenticated:
        return f"user-{request.user.pk}"
    owner = caches["process"].get(_key_place(request)) if "Authorization" in request.headers else None
    return f"user-{owner}" if owner else client_address(request)


def _remember_owner(request: HttpRequest) -> None:
    """Remember whose key the request had, if the API has found it good: it makes its owner the user of the request."""
    if "Authorization" in request.headers and request.user.is_authenticated:
        caches["process"].set(_key_place(request), request.user.pk, timeout=MILLISECONDS.seconds)


def _key_place(request: HttpRequest) -> str:
    secret = request.headers["Authorization"].partition(" ")[2].strip()
    return f"key-owner:{hashlib.sha256(secret.encode()).hexdigest()}"
