"""Who a request comes from: the client's address, and who tries to sign in, with the failures of each."""

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

# Stands for a client whose address nobody knows, so that its attempts are counted too.
UNKNOWN_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing listens here
SUBSCRIBER_PREFIX = 64
# Proxies write 192.0.2.1, 192.0.2.1:443, 2001:db8::1, [2001:db8::1] and [2001:db8::1]:443.
WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](:\d+)?|(?P<four>[^:]*):\d+", re.ASCII)
MAX_NAME_LENGTH: int = AccessAttempt._meta.get_field("username").max_length


def client_address(request: HttpRequest) -> str:
    """Return the IP address of the client, without port.

    Of those in the proxy's header only the last is trusted: our proxy added it. If that is no address, return that of
    the other end of the connection.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    last = forwarded.rsplit(",", 1)[-1].strip()
    return _parse_address(last) or _parse_address(request.META.get("REMOTE_ADDR", "")) or UNKNOWN_ADDRESS


def client_network(request: HttpRequest) -> str:
    """Return under what the client is counted: its address, of IPv6 the network of which it may take any address."""
    address = ip_address(client_address(request))
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, SUBSCRIBER_PREFIX), strict=False))
    return str(address)


def _parse_address(text: str) -> str:
    """Return the IP address in its usual form; an empty string if it is none."""
    match = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((match["six"] or match["four"] or "") if match else text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        # The scope is of one machine's interfaces, and PostgreSQL has no place for it.
        return str(address.ipv4_mapped or IPv6Address(address.packed))
    return str(address)


def attempted_username(request: HttpRequest, credentials: Mapping[str, str] | None) -> str | None:
    """Return the name of an attempt to sign in, as much of it as the table of attempts holds."""
    name = credentials.get("username") if credentials else request.POST.get("username")
    return name and name[:MAX_NAME_LENGTH]


def describe_client(username: str, ip_address: str, user_agent: str, path_info: str, request: HttpRequest) -> str:  # noqa: ARG001 - the signature that axes wants
    """Return what the log says of who failed to sign in: no name, which may be a password in the wrong field."""
    return f"{ip_address} at {path_info}"


class FailureHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Count no failure that lies further ahead than a lock lasts: the clock was wrong when it was written."""

    def get_user_attempts(self, request: HttpRequest, credentials: Any = None) -> list[QuerySet[AccessAttempt]]:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        return [rows.filter(attempt_time__lte=latest) for rows in super().get_user_attempts(request, credentials)]

    def clean_expired_user_attempts(self, request: HttpRequest | None = None, credentials: Any = None) -> int:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        count: int = AccessAttempt.objects.filter(attempt_time__gt=latest).delete()[0]
        expired: int = super().clean_expired_user_attempts(request, credentials)
        return count + expired
