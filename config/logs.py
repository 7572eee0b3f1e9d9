"""Logs: one line a record, JSON in production; each names the request that it belongs to."""

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
# What a proxy may hand on: nothing that could break a line of the log.
GIVEN = re.compile(r"[-\w.]{1,64}", re.ASCII)
# A link that lets somebody in is an address; who reads the log is not to use it.
SECRET = re.compile(r"(/invitations/)[^/\s\"']+")
FIELDS = ("method", "path", "status", "milliseconds", "user")

request_id: ContextVar[str] = ContextVar("request_id", default="")
requests = logging.getLogger("coindex.requests")


class RequestIds:
    """Give each request an id, or keep the proxy's; it stands in every line of the log and in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        token = request_id.set(given if GIVEN.fullmatch(given) else uuid4().hex)
        begin = time.perf_counter()
        try:
            response = self.get_response(request)
            response[HEADER] = request_id.get()
            self._tell(request, response, time.perf_counter() - begin)
            return response
        finally:
            request_id.reset(token)

    def _tell(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        """Of the address neither what is asked nor what is secret, of the person the number."""
        user = getattr(request, "user", None)
        fields = (
            request.method,
            without_secrets(request.path),
            response.status_code,
            round(seconds * 1000, 1),
            user.pk if user is not None and user.is_authenticated else None,
        )
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        requests.log(level, "%s %s %s in %s ms", *fields[:4], extra=dict(zip(FIELDS, fields, strict=True)))


class WithRequestId(logging.Filter):
    """Put the id of the request under way into every record, and take secrets of addresses out of it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        message = record.getMessage()
        if SECRET.search(message):
            record.msg, record.args = without_secrets(message), ()
        return True


def without_secrets(text: str) -> str:
    """The text with what ends the links of invitations taken out."""
    return SECRET.sub(r"\1...", text)


class JSONLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", ""),
        }
        said |= {name: value for name in FIELDS if (value := getattr(record, name, None)) is not None}
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)
