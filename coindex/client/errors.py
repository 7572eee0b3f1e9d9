"""The exceptions of the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class ClientError(Exception):
    """Base class of the client's exceptions."""


class NoAnswer(ClientError):
    """No complete answer came: the request may have been carried out or not."""


class ApiError(ClientError):
    """A refusal of the server.

    `code` is stable, unlike the message (docs/api.md lists all codes); `fields` are messages by field of the request,
    `problem` is the complete answer.
    """

    def __init__(self, status: int, code: str, message: str, problem: Mapping[str, Any]) -> None:
        self.status, self.code, self.message, self.problem = status, code, message, problem
        errors = problem.get("errors") or {}
        self.fields: dict[str, Any] = dict(errors) if isinstance(errors, Mapping) else {"non_field_errors": errors}
        of_fields = "; ".join(f"{name}: {_words(error)}" for name, error in self.fields.items())
        super().__init__(f"{status} {code}: {of_fields or message}")


class Conflict(ApiError):
    """Somebody else was first, and nothing was changed; `missed` are a coding's operations up to `version`."""

    @property
    def version(self) -> int | None:
        version = self.problem.get("version")
        return version if isinstance(version, int) else None

    @property
    def missed(self) -> list[dict[str, Any]]:
        return list(self.problem.get("missed", ()))


class TransferFailed(ClientError):
    """A failed import or export; `transfer` is the server's report."""

    def __init__(self, transfer: Mapping[str, Any]) -> None:
        self.transfer = transfer
        super().__init__(f"The {transfer['kind']} {transfer['id']} failed: {transfer['error'] or 'see its report'}")


def error_of(response: httpx.Response) -> ApiError:
    """Return the error for a response whose body was read; a proxy may have sent it without a problem."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    code, message = str(problem.get("code", "error")), str(problem.get("detail", response.reason_phrase))
    is_conflict = response.status_code == 412 or code == "stale"
    return (Conflict if is_conflict else ApiError)(response.status_code, code, message, problem)


def _words(error: Any) -> str:
    """Return the messages of a field, however nested, as one line."""
    if isinstance(error, Mapping):
        return "; ".join(f"{name}: {_words(part)}" for name, part in error.items())
    if isinstance(error, list):
        return " ".join(_words(part) for part in error if part)
    return str(error)
