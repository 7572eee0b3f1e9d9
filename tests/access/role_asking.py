"""Requests of each role for the routes of `role_matrix.py` in the world of `role_world.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.cookies import SimpleCookie
from operator import attrgetter
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver

from annotations.models import User
from tests.access.role_matrix import Access, Row
from tests.access.role_world import HERE, ROLES, make_world

# What is changed only by who has seen it: any state of it will do.
SEEN = {"If-Match": "*"}
THING = re.compile(r"@([a-z_]+(?:\.[a-z_]+)*)")
# That somebody has looked at a submission is written down by what shows it.
VIEWED = re.compile(r'UPDATE "annotations_coding" SET "viewed_at" = \S+ WHERE')
# By which figures are seen to be old: whoever locks a project gives it another, even if nothing is changed then.
STAMPED = re.compile(r'INSERT INTO "annotations_projectstamp" ')
CHANGES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE)
SAFE = ("GET", "HEAD", "OPTIONS")


def routes(patterns: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the path of every route outside the admin."""
    for pattern in patterns:
        if getattr(pattern, "namespace", None) == "admin":
            continue
        here = path + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield str(pattern.name), here
        else:
            yield from routes(pattern.url_patterns, here)


ROUTES = dict(routes(get_resolver().url_patterns))


def parameters_of(path: str) -> list[str]:
    """Return the names of the parameters in the path of a route."""
    return re.findall(r"<(?:\w+:)?(\w+)>", path)


def parameters(row: Row) -> list[str]:
    return parameters_of(ROUTES[row.name])


def fill_in(path: str, values: Mapping[str, str]) -> str:
    """Return the address of a route with these values of its parameters."""
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda parameter: values[parameter[1]], path)


class World:
    """The things that routes are asked for, and a client of each role. What a request does is taken back."""

    def __init__(self, names: SimpleNamespace = HERE) -> None:
        made = make_world(names)
        self.here: SimpleNamespace = made.here
        self.elsewhere: SimpleNamespace = made.elsewhere
        self.roles = made.roles
        self.client = Client()  # one for all, as each reads the middleware and all static files anew
        self.cookies = {role: self._signed_in(user) for role, user in made.roles.items()}
        self.writes: list[str] = []

    def _signed_in(self, user: User | None) -> str:
        """Sign the user in and return the session cookie; return "" for no user."""
        if user is None:
            return ""
        self.client.cookies = SimpleCookie()
        self.client.force_login(user)
        return self.client.cookies[settings.SESSION_COOKIE_NAME].value

    def address(self, row: Row, foreign: str = "") -> str:
        """Return the row's address with the things of this project; the parameter `foreign` is of another project."""
        values = {}
        for name in parameters(row):
            place = self.elsewhere if name == foreign else self.here
            values[name] = quote(resolve(row.at[name], place), safe=":,")
        return fill_in(ROUTES[row.name], values)

    def ask(
        self, method: str, address: str, role: str, body: Any = None, look: Any = None, **headers: str
    ) -> HttpResponse:
        """Return the answer to the role and undo all changes; set `writes` to the changes and `seen` by `look`."""
        self.sign_in(role)
        return self.ask_with(self.client, method, address, body, look, **headers)

    def sign_in(self, role: str) -> None:
        """Give the client the session of the role; without a role, none."""
        self.client.cookies = SimpleCookie()
        if self.cookies.get(role):
            self.client.cookies[settings.SESSION_COOKIE_NAME] = self.cookies[role]

    def ask_with(
        self, client: Client, method: str, address: str, body: Any = None, look: Any = None, **headers: str
    ) -> HttpResponse:
        """Return the answer to this client, in the same way as `ask`."""
        self.writes = []
        with transaction.atomic():
            with connection.execute_wrapper(self._hear):
                reply = _sent(client, method, address, body, SEEN | headers)
            self.seen = look() if look else None
            transaction.set_rollback(True)
        return reply

    def _hear(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if CHANGES.match(sql) and not (VIEWED.match(sql) or STAMPED.match(sql)):
            self.writes.append(sql)
        return execute(sql, params, many, context)


def _sent(client: Client, method: str, address: str, body: Any, headers: Mapping[str, str]) -> Any:
    if body is None or method in ("GET", "HEAD", "OPTIONS"):
        return client.generic(method, address, headers=headers)
    if not address.startswith("/api/") or any(callable(value) for value in body.values()):
        fields = {name: value() if callable(value) else value for name, value in body.items()}
        return client.post(address, fields, headers=headers)
    return client.generic(method, address, json.dumps(body), content_type="application/json", headers=headers)


def resolve(value: Any, place: SimpleNamespace, foreign: str = "", elsewhere: SimpleNamespace | None = None) -> Any:
    """Return the value with each "@..." replaced from `place`; the thing `foreign` comes from `elsewhere`."""
    if isinstance(value, Mapping):
        return {
            resolve(name, place, foreign, elsewhere): resolve(part, place, foreign, elsewhere)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [resolve(part, place, foreign, elsewhere) for part in value]
    if not isinstance(value, str):
        return value

    def found(thing: re.Match[str]) -> str:
        of = elsewhere if thing[1] == foreign and elsewhere is not None else place
        return str(attrgetter(thing[1])(of))

    return THING.sub(found, value)


def references(value: Any) -> set[str]:
    """Return the names of the things that a body uses."""
    if isinstance(value, Mapping):
        return set().union(*(references(part) for part in (*value, *value.values())))
    if isinstance(value, list):
        return set().union(*(references(part) for part in value))
    return set(THING.findall(value)) if isinstance(value, str) else set()


def actor(access: Access) -> str:
    """Return a role that the method answers, the manager if possible; return "" if it answers no role.

    To say what a request lacks (400) is an answer; to refuse the person is none.
    """
    roles = (role for role in ("manager", *ROLES[1:], "anonymous") if role not in access.led_away)
    return next((role for role in roles if 200 <= access.answers[role] <= 400), "")


def iter_writes(rows: Sequence[Row]) -> Iterator[tuple[Row, str, Access]]:
    """Yield each method that changes something and that some role may use, with its row and its access."""
    for row in rows:
        for method, access in row.methods.items():
            if method not in SAFE and (role := actor(access)) and access.answers[role] < 400:
                yield row, method, access
