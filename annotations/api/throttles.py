"""Rate limits of the API. Each web process counts for itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # the module of views imports these classes
    from rest_framework.views import APIView


class FixedWindowThrottle(BaseThrottle):
    """A limit of requests per user in each window of `seconds`; one counter per user and window."""

    name: str
    seconds: int
    setting: str

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's signature
        client = request.user.pk or self.get_ident(request)
        key = f"asked-{self.name}-{client}-{int(time.time()) // self.seconds}"
        cache.add(key, 0, timeout=2 * self.seconds)  # so that it does not expire before the next line
        return cache.incr(key) <= int(getattr(settings, self.setting))

    def wait(self) -> float:
        return self.seconds - time.time() % self.seconds


class RequestThrottle(FixedWindowThrottle):
    """The limit of all requests."""

    name, seconds, setting = "requests", 60, "API_REQUESTS_A_MINUTE"


class TransferThrottle(FixedWindowThrottle):
    """The limit of requests that start long jobs: imports, exports and archives."""

    name, seconds, setting = "orders", 3600, "API_ORDERS_AN_HOUR"

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
