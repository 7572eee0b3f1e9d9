"""Requests to the server: with the key, repeated where safe, paged, and conditional on the state that was read."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote
from uuid import uuid4

import httpx

from coindex.client.errors import ApiError, NoAnswer, error_of

ROOT = "/api/v1/"
# Status codes of a server or proxy that is temporarily unavailable.
TEMPORARY = frozenset({429, 502, 503, 504})
# Errors of requests that never reached the server.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Patience:
    """The limits of repeating a request: for `total` seconds, with waits that double from `first` to `longest`."""

    total: float = 120
    first: float = 0.5
    longest: float = 30

    def wait(self, attempt: int, answer: httpx.Response | None) -> float:
        """Return the seconds before the next attempt: the value of `Retry-After`, else a random part of the limit."""
        if answer is not None and (stated := _stated_wait(answer)) is not None:
            return stated
        bound = min(self.first * 2 ** min(attempt, 30), self.longest)
        return random.uniform(bound / 2, bound)  # noqa: S311 - no secret


def _stated_wait(answer: httpx.Response) -> float | None:
    """Return the seconds of `Retry-After`, which may be a date."""
    stated = answer.headers.get("Retry-After", "").strip()
    if stated.isascii() and stated.isdigit():
        return float(stated)
    with suppress(ValueError):
        moment = parsedate_to_datetime(stated)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max((moment - datetime.now(UTC)).total_seconds(), 0)
    return None


def address_of(*parts: object) -> str:
    """Return the path of these parts below the root of the API."""
    return "".join(f"{quote(str(part), safe='')}/" for part in parts)


def in_project(project: str, *parts: object) -> str:
    """Return the path of these parts within a project, below the root of the API."""
    return address_of("projects", project, *parts)


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None; the server has defaults for the others."""
    return {name: value for name, value in values.items() if value is not None}


class Connection:
    """A connection to a server: use `with Client(...)`, or call `close()` at the end."""

    def __init__(
        self,
        address: str,
        key: str,
        *,
        patience: Patience | None = None,
        timeout: float | httpx.Timeout = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connect to the address of the site, or of its API, with a key; an account's page shows a new key once.

        `timeout` and `transport` are arguments of httpx. `timeout` is in seconds without data from the server;
        `transport` replaces the network, such as `httpx.WSGITransport` for an application in the same process.
        """
        base = address.removesuffix("/")
        base = f"{base}/" if base.endswith(ROOT.rstrip("/")) else f"{base}{ROOT}"
        self.patience = patience or Patience()
        # Do not follow redirects: the key is for this server alone.
        self.http = httpx.Client(
            base_url=base,
            headers={"Authorization": f"Bearer {key}", "Accept": "application/json, */*;q=0.5"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the server."""
        self.http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | httpx.QueryParams | None = None,
        json: Any = None,
        data: Mapping[str, Any] | None = None,
        files: Any = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
    ) -> httpx.Response:
        """Send a request to a path below `/api/v1/`, and return the answer. Raise ApiError, or NoAnswer.

        Repeatable requests are sent again if the server is temporarily unavailable or the connection breaks: a GET, a
        PUT without If-Match, a request with an Idempotency-Key, or with `repeatable`. Others are sent again only
        if they were certainly not carried out.
        """
        headers = dict(headers or {})
        if repeatable is None:
            repeatable = method == "GET" or (method == "PUT" and "If-Match" not in headers)
            repeatable = repeatable or "Idempotency-Key" in headers

        def build() -> httpx.Request:
            query = _parameters(params)
            return self.http.build_request(
                method, path, params=query, json=json, data=data, files=files, headers=headers
            )

        return self._send(build, repeatable=repeatable)

    def download(self, path: str, to: str | os.PathLike[str], *, params: Mapping[str, Any] | None = None) -> Path:
        """Download a path into a file, which appears once it is complete, and return the file's path."""
        target = Path(to)
        partial = target.with_name(f".{target.name}.{uuid4().hex}.part")
        try:
            query = _parameters(params)
            self._send(lambda: self.http.build_request("GET", path, params=query), repeatable=True, to=partial)
            return partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def get(self, path: str, **parameters: Any) -> Any:
        """Return the JSON at a path below `/api/v1/`."""
        return self.request("GET", path, params=parameters).json()

    def post_once(self, path: str, json: Any) -> Any:
        """POST JSON with an Idempotency-Key, so that it takes effect once however often it is sent."""
        return self.request("POST", path, json=json, headers={"Idempotency-Key": str(uuid4())}).json()

    def change(self, method: str, path: str, json: Any = None, *, params: Mapping[str, Any] | None = None) -> Any:
        """Change the resource at a path. Raise Conflict if somebody else changes it at the same time."""
        return self.change_seen(method, path, self.etag(path, params), json, params=params)

    def etag(self, path: str, params: Mapping[str, Any] | None = None) -> str:
        """Return the tag of the current state of a resource."""
        return self.request("GET", path, params=params).headers["ETag"]

    def change_seen(
        self, method: str, path: str, etag: str, json: Any = None, *, params: Mapping[str, Any] | None = None
    ) -> Any:
        """Change the resource at a path, if its state still has this tag. Raise Conflict otherwise."""
        answer = self.request(method, path, params=params, json=json, headers={"If-Match": etag})
        return answer.json() if answer.content else None

    def pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the rows of a list from all its pages. Of the next address only the query is used."""
        params: Any = _parameters(parameters)
        while True:
            answer = self.request("GET", path, params=params)
            body = answer.json()
            if isinstance(body, list):
                following, rows = answer.links.get("next", {}).get("url"), body
            else:
                following, rows = body["next"], body["results"]
            yield from rows
            if not following:
                return
            params = httpx.URL(following).params

    def _send(self, build: Callable[[], httpx.Request], *, repeatable: bool, to: Path | None = None) -> httpx.Response:
        """Send a request until it succeeds or must not be repeated; write the body of a success `to` a file."""
        ends_at, attempt = time.monotonic() + self.patience.total, 0
        while True:
            request, answer = build(), None
            error: ApiError | NoAnswer
            try:
                answer = self._send_once(request, to)
                if answer.is_success:
                    return answer
                error = refusal = error_of(answer)
                # With these answers the server has done nothing.
                undone = answer.status_code == 429 or refusal.code == "database_unavailable"
                may_be_repeated = answer.status_code in TEMPORARY and (repeatable or undone)
            except httpx.TransportError as broken:
                error = NoAnswer(f"{request.method} {request.url}: {broken or type(broken).__name__}")
                may_be_repeated = repeatable or isinstance(broken, UNSENT)
            wait = self.patience.wait(attempt, answer)
            if not may_be_repeated or time.monotonic() + wait > ends_at:
                raise error
            time.sleep(wait)
            attempt += 1

    def _send_once(self, request: httpx.Request, to: Path | None) -> httpx.Response:
        """Send a request, and read the answer."""
        answer = self.http.send(request, stream=True)
        try:
            if to is not None and answer.is_success:
                with to.open("wb") as file:
                    for part in answer.iter_bytes():
                        file.write(part)
            else:
                answer.read()
        finally:
            answer.close()
        return answer


def _parameters(values: Mapping[str, Any] | httpx.QueryParams | None) -> Any:
    """Return the query; lists become comma-separated values, as the API reads them."""
    if values is None or isinstance(values, httpx.QueryParams):
        return values
    return {
        name: ",".join(map(str, value)) if isinstance(value, (list, tuple, set, frozenset)) else value
        for name, value in without_none(values).items()
    }
