"""Rate limits of the API, for each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotations.core.http.limits import Limit
from annotations.transfers.orders import ORDERS

if TYPE_CHECKING:  # the module of views imports these classes
    from rest_framework.views import APIView


class LimitThrottle(BaseThrottle):
    """A throttle by a limit, whose bound is a setting."""

    limit: Limit
    setting: str

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's signature
        client = request.user.pk or self.get_ident(request)
        return self.limit.use(client) <= int(getattr(settings, self.setting))

    def wait(self) -> float:
        return self.limit.seconds_left()


class RequestThrottle(LimitThrottle):
    """The limit of all requests."""

    limit, setting = Limit("requests", seconds=60, step=60), "API_REQUESTS_A_MINUTE"


class TransferThrottle(LimitThrottle):
    """The limit of requests that start long jobs: imports, exports and archives."""

    limit, setting = ORDERS, "API_ORDERS_AN_HOUR"

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
