"""The origin of a request: the client's address, the name of a sign-in attempt, and the failures of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

# The address of clients without a known one, so that their attempts are counted, too.
UNKNOWN_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing listens here
SUBSCRIBER_PREFIX = 64
# Proxies write 192.0.2.1, 192.0.2.1:443, 2001:db8::1, [2001:db8::1] and [2001:db8::1]:443.
WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](:\d+)?|(?P<four>[^:]*):\d+", re.ASCII)
MAX_NAME_LENGTH: int = AccessAttempt._meta.get_field("username").max_length


def client_address(request: HttpRequest) -> str:
    """Return the IP address of the client, without port.

    Only the last address in the proxy's header is trusted, as our proxy added it. If it is invalid, the address of the
    connection is returned.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    last = forwarded.rsplit(",", 1)[-1].strip()
    return _parse_address(last) or _parse_address(request.META.get("REMOTE_ADDR", "")) or UNKNOWN_ADDRESS


def client_network(request: HttpRequest) -> str:
    """Return the address that limits are counted by; for IPv6 the subscriber's network, which has many addresses."""
    address = ip_address(client_address(request))
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, SUBSCRIBER_PREFIX), strict=False))
    return str(address)


def _parse_address(text: str) -> str:
    """Return the IP address in canonical form; an empty string if the text is none."""
    match = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((match["six"] or match["four"] or "") if match else text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        # The scope belongs to the interfaces of one machine, and PostgreSQL cannot store it.
        return str(address.ipv4_mapped or IPv6Address(address.packed))
    return str(address)


def attempted_username(request: HttpRequest, credentials: Mapping[str, str] | None) -> str | None:
    """Return the name of a sign-in attempt, cut to the length of the table's column."""
    name = credentials.get("username") if credentials else request.POST.get("username")
    return name and name[:MAX_NAME_LENGTH]


def describe_client(username: str, ip_address: str, user_agent: str, path_info: str, request: HttpRequest) -> str:  # noqa: ARG001 - the signature that axes wants
    """Return the client of a failed sign-in for the log: without the name, which may be a mistyped password."""
    return f"{ip_address} at {path_info}"


class FailureHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Ignore failures dated further ahead than a lock lasts: the clock was wrong when they were written."""

    def get_user_attempts(self, request: HttpRequest, credentials: Any = None) -> list[QuerySet[AccessAttempt]]:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        return [rows.filter(attempt_time__lte=latest) for rows in super().get_user_attempts(request, credentials)]

    def clean_expired_user_attempts(self, request: HttpRequest | None = None, credentials: Any = None) -> int:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        count: int = AccessAttempt.objects.filter(attempt_time__gt=latest).delete()[0]
        expired: int = super().clean_expired_user_attempts(request, credentials)
        return count + expired
