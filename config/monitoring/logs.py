"""Logs: one line per record, JSON in production; each record has the id of its request."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# Ids that a proxy may pass on: without characters that could break a line of the log.
ACCEPTED_ID = re.compile(r"[-\w.]{1,64}", re.ASCII)
# The addresses of invitations and of links in mails contain secrets, which readers of the log must not learn.
SECRET = re.compile(
    r"(/invitations/|/first-account/|/mail/unsubscribe/|/account/mail/confirm/|/password/(?:mail|member)/[^/\s\"']+/)"
    r"[^/\s\"']+"
)
# The parameters of addresses that are names of people.
PERSONAL_PARAMETERS = ("coder", "first", "second", "username")
FIELDS = ("method", "path", "status", "milliseconds", "user")

request_id: ContextVar[str] = ContextVar("request_id", default="")
current_request: ContextVar[HttpRequest | None] = ContextVar("current_request", default=None)
requests = logging.getLogger("coindex.requests")


class RequestIdMiddleware:
    """Give each request an id, or keep the proxy's; log records and the response have it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        proxy_id = request.headers.get(HEADER, "")
        token = request_id.set(proxy_id if ACCEPTED_ID.fullmatch(proxy_id) else uuid4().hex)
        request_token = current_request.set(request)
        start = time.perf_counter()
        try:
            response = self.get_response(request)
            response[HEADER] = request_id.get()
            self._log(request, response, time.perf_counter() - start)
            return response
        finally:
            request_id.reset(token)
            current_request.reset(request_token)

    def _log(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        """Log the request without its query string, secrets and names; the user by primary key."""
        user = getattr(request, "user", None)
        fields = (
            request.method,
            redact_secrets(request.path, request),
            response.status_code,
            round(seconds * 1000, 1),
            user.pk if user is not None and user.is_authenticated else None,
        )
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        requests.log(level, "%s %s %s in %s ms", *fields[:4], extra=dict(zip(FIELDS, fields, strict=True)))


class RequestIdFilter(logging.Filter):
    """Add the id of the current request to every record, and remove secrets and names from its address."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        message = record.getMessage()
        # Django logs its own line about a request after the middleware.
        redacted = redact_secrets(message, getattr(record, "request", None) or current_request.get())
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True


class RefusalFilter(logging.Filter):
    """Reduce rejected requests to one warning each: bad requests of strangers are no errors, and need no traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        refused = record.name.startswith("django.security.") or (
            record.name == "django.request" and 400 <= getattr(record, "status_code", 500) < 500
        )
        if refused:
            record.exc_info, record.exc_text = None, None
            record.levelno, record.levelname = min(
                (record.levelno, record.levelname), (logging.WARNING, logging.getLevelName(logging.WARNING))
            )
        return True


def redact_secrets(text: str, request: HttpRequest | None) -> str:
    """Return the text without the secrets of links, and without names of people in the request's address."""
    match = getattr(request, "resolver_match", None)
    for name, value in match.kwargs.items() if match is not None else ():
        if name in PERSONAL_PARAMETERS:
            text = text.replace(f"/{value}/", "/.../")
    return SECRET.sub(r"\1...", text)


class JSONLinesFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", ""),
        }
        fields |= {name: value for name in FIELDS if (value := getattr(record, name, None)) is not None}
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


class ErrorMailHandler(logging.Handler):
    """A handler that queues a mail to ADMINS about an error, limited by the hour; the log has all errors."""

    def emit(self, record: logging.LogRecord) -> None:
        # Settings name this class before there are models.
        from annotations.mail.queue import queue_error

        try:
            error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
            queue_error(record.getMessage(), error, getattr(record, "request_id", ""))
        except Exception:  # as logging requires: a failure to log must not break the caller
            self.handleError(record)
