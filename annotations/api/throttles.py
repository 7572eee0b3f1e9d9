"""How often one may ask the API. Each web process counts for itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # the views ask for these classes while they are read
    from rest_framework.views import APIView


class Bounded(BaseThrottle):
    """At most so many requests of a person in each stretch of time; a counter of one number each."""

    name: str
    seconds: int
    setting: str

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's signature
        who = request.user.pk or self.get_ident(request)
        key = f"asked-{self.name}-{who}-{int(time.time()) // self.seconds}"
        cache.add(key, 0, timeout=2 * self.seconds)  # it may not end between this line and the next
        return cache.incr(key) <= int(getattr(settings, self.setting))

    def wait(self) -> float:
        return self.seconds - time.time() % self.seconds


class Requests(Bounded):
    """Of all requests."""

    name, seconds, setting = "requests", 60, "API_REQUESTS_A_MINUTE"


class Orders(Bounded):
    """Of what makes work for long: imports, exports and archives."""

    name, seconds, setting = "orders", 3600, "API_ORDERS_AN_HOUR"

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
