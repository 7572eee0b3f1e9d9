"""Errors of the API: problem details (RFC 9457) with a stable `code`."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from annotations.coding.decisions import OperationRejected
from annotations.coding.operations import VersionConflict
from annotations.coding.required_answers import AnswersMissing
from annotations.models import Coding

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
    423: "This can only be read",
    428: "Say what you have seen",
    429: "Too many requests",
    500: "The server failed",
    503: "This is not ready",
}


CONTENT_TYPE = "application/problem+json"


def problem(status: int, code: str, detail: str, **members: Any) -> Response:
    """Return a problem response; `members` are further ones, such as the invalid fields."""
    return Response(problem_body(status, code, detail) | members, status=status, content_type=CONTENT_TYPE)


def rejection_problem(error: OperationRejected, **members: Any) -> Response:
    """Return the response to a rejected submission or operation, with the operation's position in the batch."""
    if isinstance(error, AnswersMissing):
        members["missing"] = [asdict(answer) for answer in error.missing]
    return problem(400, error.code, str(error), operation=error.position, **members)


def problem_body(status: int, code: str, detail: str) -> dict[str, Any]:
    """Return the members that every problem has."""
    return {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
    }


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to an exception; None lets Django answer 500."""
    if (refusal := _refusal(error)) is not None:
        return refusal
    if isinstance(error, DjangoValidationError):
        messages = error.message_dict if hasattr(error, "error_dict") else {"non_field_errors": error.messages}
        error = exceptions.ValidationError(messages)
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        return problem(
            response.status_code, "invalid", "Some fields are wrong.", errors=_escape_surrogates(response.data)
        )
    code, detail = "error", "The request failed."
    if isinstance(error, exceptions.APIException):
        code = str(error.get_codes()) if isinstance(error.get_codes(), str) else code
        detail = str(error.detail)
    response_problem = problem(response.status_code, code, detail)
    for header in ("WWW-Authenticate", "Retry-After", "Allow"):
        if header in response.headers:
            response_problem[header] = response.headers[header]
    return response_problem


def _refusal(error: Exception) -> Response | None:
    """Return the response to an exception that the REST framework does not handle."""
    match error:
        case VersionConflict():
            return problem(409, "stale", str(error), version=error.version, missed=error.missed)
        case OperationRejected():
            return rejection_problem(error)
        # The text, and with it the coding, may be deleted during the request.
        case Http404() | Coding.DoesNotExist():
            return problem(404, getattr(error, "code", "not_found"), str(error) or "Not found.")
        # forbidden to all (an archived project) or to this user
        case PermissionDenied():
            status, code = getattr(error, "status", 403), getattr(error, "code", "permission_denied")
            return problem(status, code, str(error) or "You may not do this.")
        case RequestDataTooBig():
            max_bytes = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            return problem(413, "too_large", f"At most {max_bytes} bytes are read, not counting files.")
        case RecursionError():
            return problem(400, "parse_error", "The request is nested too deeply.")
        case SuspiciousOperation():
            return problem(400, "parse_error", "The request cannot be read.")
        case OperationalError():
            logger.error("The database does not answer.", exc_info=error)
            unavailable = problem(503, "database_unavailable", "The database cannot do this now; nothing was changed.")
            unavailable["Retry-After"] = "5"
            return unavailable
    return None


def _escape_surrogates(errors: Any) -> Any:
    """Return the errors with lone surrogates escaped, which messages may repeat from the request."""
    if isinstance(errors, Mapping):
        return {_escape_surrogates(name): _escape_surrogates(error) for name, error in errors.items()}
    if isinstance(errors, list):
        return [_escape_surrogates(error) for error in errors]
    return errors.encode("utf-8", "backslashreplace").decode() if isinstance(errors, str) else errors
