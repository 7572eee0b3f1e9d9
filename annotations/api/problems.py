"""Errors of the API: problem details (RFC 9457) with a stable `code`."""

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as Refusal
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from annotations.decisions import Refused
from annotations.operations import Stale

logger = logging.getLogger(__name__)

TITLES = {
    400: "The request is wrong",
    401: "Sign in first",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This cannot be done here",
    409: "Something has changed since",
    412: "Something has changed since",
    413: "The request is too large",
    415: "This form is not understood",
    422: "The request is wrong",
    428: "Say what you have seen",
    429: "Too many requests",
    500: "The server failed",
    503: "This is not ready",
}


CONTENT_TYPE = "application/problem+json"


def problem(status: int, code: str, detail: str, **more: Any) -> Response:
    """A problem answer; `more` are further members such as the field that is wrong."""
    return Response(described(status, code, detail) | more, status=status, content_type=CONTENT_TYPE)


def described(status: int, code: str, detail: str) -> dict[str, Any]:
    """What every problem says."""
    return {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
    }


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """What the API answers to an exception; None lets Django answer 500."""
    if isinstance(error, Stale):
        return problem(409, "stale", str(error), version=error.version, missed=error.missed)
    if isinstance(error, Refused):
        return problem(400, error.code, str(error), operation=error.position)
    if isinstance(error, Http404):
        return problem(404, "not_found", str(error) or "There is nothing at this address.")
    if isinstance(error, PermissionDenied):
        return problem(403, "permission_denied", str(error) or "You may not do this.")
    if isinstance(error, RecursionError | SuspiciousOperation):
        return _unreadable(error)
    if isinstance(error, OperationalError):
        logger.error("The database does not answer.", exc_info=error)
        waiting = problem(503, "database_unavailable", "The database cannot do this now; nothing was changed.")
        waiting["Retry-After"] = "5"
        return waiting
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        return problem(response.status_code, "invalid", "Some fields are wrong.", errors=_sendable(response.data))
    code, detail = "error", "The request failed."
    if isinstance(error, exceptions.APIException):
        code = str(error.get_codes()) if isinstance(error.get_codes(), str) else code
        detail = str(error.detail)
    answer = problem(response.status_code, code, detail)
    for header in ("WWW-Authenticate", "Retry-After", "Allow"):
        if header in response.headers:
            answer[header] = response.headers[header]
    return answer


def invalid(error: Refusal) -> exceptions.ValidationError:
    """What the rules refused, as the API says it."""
    if hasattr(error, "error_dict"):
        return exceptions.ValidationError(error.message_dict)
    return exceptions.ValidationError({"non_field_errors": error.messages})


def _unreadable(error: Exception) -> Response:
    """What is answered to a request that is too much, too deep, or not to be read at all."""
    if isinstance(error, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return problem(413, "too_large", f"At most {most} bytes are read, not counting files.")
    deep = isinstance(error, RecursionError)
    return problem(400, "parse_error", "The request is nested too deeply." if deep else "The request cannot be read.")


def _sendable(errors: Any) -> Any:
    """The errors with lone surrogates, which a message may repeat from the request, written as escapes."""
    if isinstance(errors, Mapping):
        return {_sendable(name): _sendable(error) for name, error in errors.items()}
    if isinstance(errors, list):
        return [_sendable(error) for error in errors]
    return errors.encode("utf-8", "backslashreplace").decode() if isinstance(errors, str) else errors
