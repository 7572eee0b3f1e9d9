"""What can go wrong between a script and the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class ClientError(Exception):
    """Anything that the client raises of its own."""


class NoAnswer(ClientError):
    """There was no whole answer: whether the request was carried out is not known."""


class ApiError(ClientError):
    """A refusal of the server.

    `code` stays the same whatever the words are (docs/api.md has them all); `fields` are messages by the name of what
    is wrong in the request, `problem` is the whole answer.
    """

    def __init__(self, status: int, code: str, message: str, problem: Mapping[str, Any]) -> None:
        self.status, self.code, self.message, self.problem = status, code, message, problem
        errors = problem.get("errors") or {}
        self.fields: dict[str, Any] = dict(errors) if isinstance(errors, Mapping) else {"non_field_errors": errors}
        of_fields = "; ".join(f"{name}: {_words(error)}" for name, error in self.fields.items())
        super().__init__(f"{status} {code}: {of_fields or message}")


class Conflict(ApiError):
    """Somebody else was first, and nothing was changed: of a coding `missed` is what was done up to `version`."""

    @property
    def version(self) -> int | None:
        version = self.problem.get("version")
        return version if isinstance(version, int) else None

    @property
    def missed(self) -> list[dict[str, Any]]:
        return list(self.problem.get("missed", ()))


class TransferFailed(ClientError):
    """An import or export that the server has given up; `transfer` is what it says of it."""

    def __init__(self, transfer: Mapping[str, Any]) -> None:
        self.transfer = transfer
        super().__init__(f"The {transfer['kind']} {transfer['id']} failed: {transfer['error'] or 'see its report'}")


def error_of(response: httpx.Response) -> ApiError:
    """Return the error that an answer stands for, whose body was read. A proxy may have answered without a problem."""
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
    """Return the messages of a field in one line, wherever they are in it."""
    if isinstance(error, Mapping):
        return "; ".join(f"{name}: {_words(one)}" for name, one in error.items())
    if isinstance(error, list):
        return " ".join(_words(one) for one in error if one)
    return str(error)
