"""Each route, method and role: the table of `role_matrix.py` and rules for all of its rows."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.hashers import check_password, is_password_usable
from django.http import HttpResponse
from django.test import override_settings
from django.urls import URLPattern, get_resolver
from pytest_django import Settings

from annotations.models import Mail, Token
from annotations.projects.people.tokens import create_token
from tests.access.role_asking import ROUTES, SAFE, World, actor, iter_writes, parameters, references, resolve
from tests.access.role_matrix import AREAS, METHODS, NEW_PASSWORD, SIGN_IN, Row
from tests.access.role_world import PASSWORD, ROLES
from tests.shared.cases import is_full
from tests.shared.settings import MAIL_SERVER

OURS = ("annotations", "agreement")
ROWS = [row for rows in AREAS.values() for row in rows]
every_area = pytest.mark.parametrize("rows", AREAS.values(), ids=AREAS)


# Times, and what is by chance.
VARYING = (
    "created_at", "heartbeat_at", "finished_at", "resolved_at", "applied_at", "made_at", "expires_at", "used_at",
    "published_at", "decided_at", "last_used_at", "last_login", "viewed_at", "digest", "prefix", "uuid", "file",
    "next_try_at", "address", "date_joined", "active_time", "last_active", "scheme_stamp",
)  # fmt: skip
# Where others of the name, such as the keys of markables, are not by chance.
BY_CHANCE = ((Mail, "key"),)
# What nobody says of themself or another by sending it along.
EXTRA_FIELDS: dict[str, Any] = {
    "role": "manager", "owner": "alice", "author": "alice", "coder": "bob", "user": "bob", "user_id": 1,
    "status": "submitted", "kind": "agreed", "version": 99, "is_staff": True, "is_superuser": True, "is_active": True,
    "results_open": True, "project": "milk", "project_id": 1, "text_id": 1, "predefined": True, "used_by": "mallory",
    "digest": "0" * 64, "password": "x", "id": 1, "pk": 1,
}  # fmt: skip


def table_contents() -> dict[str, list[str]]:
    """Return the rows of our tables without values that vary; a reference becomes the position of its row."""
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.app_label in OURS]
    fields = {model: [field for field in model._meta.concrete_fields if not field.primary_key] for model in models}
    rows = {
        model: list(model._base_manager.order_by("pk").values_list("pk", *(field.attname for field in fields[model])))
        for model in models
    }
    places = {model: {row[0]: place for place, row in enumerate(rows[model])} for model in models}

    def seen(field: Any, value: Any) -> Any:
        if field.is_relation:
            return places.get(field.related_model, {}).get(value, value)
        if field.name == "password":  # each time another hash
            if not is_password_usable(value):  # of a model, and by chance
                return None
            return next((password for password in (PASSWORD, NEW_PASSWORD) if check_password(password, value)), value)
        if (field.model, field.name) in BY_CHANCE:
            return None
        if field.name in ("archived_at", "closed_at"):
            return value is not None
        return value if field.name not in VARYING or value in EXTRA_FIELDS.values() else None

    def described(model: Any, row: Any) -> str:
        return str({field.name: seen(field, value) for field, value in zip(fields[model], row[1:], strict=True)})

    return {model.__name__: sorted(described(model, row) for row in rows[model]) for model in models}


@pytest.fixture(scope="module")
def made(module_rows: None) -> World:
    """Make one world for all tests: each request is undone."""
    with override_settings(**MAIL_SERVER):
        return World()


@pytest.fixture
def world(made: World, db: None, mail_server: Settings) -> Iterator[World]:
    """Return the world, where mails are sent."""
    logging.disable(logging.WARNING)  # thousands of refusals
    yield made
    logging.disable(logging.NOTSET)


def test_every_route_has_a_row():
    firsts = [row.name for row in ROWS if not row.again]
    named = set(firsts)
    assert len(named) == len(firsts), "two rows for a route: make the second one `again(...)`"
    missing = {name: path for name, path in ROUTES.items() if name not in named}
    assert not missing, f"add `row(NAME, METHOD=WHO(STATUS, BODY))` to tests/access/role_matrix.py for {missing}"
    assert named <= ROUTES.keys(), "rows of routes that are no more"


def expected(row: Row, method: str, role: str) -> int:
    answer = row.access(method).answers[role]
    return (401 if row.name.startswith("api-") else 302) if answer == SIGN_IN else answer


@every_area
def test_routes_answer_each_role_as_in_table(world, rows):
    wrong = []
    for row in rows:
        address = world.address(row)
        for method in row.methods if row.again else METHODS:
            access = row.access(method)
            body = resolve(access.body, world.here)
            # What a route does not take it refuses in one place: a stranger and who may do most stand for all of them.
            for role in ROLES if method in row.methods or is_full() else ("anonymous", "manager"):
                reply, should = world.ask(method, address, role, body), expected(row, method, role)
                if reply.status_code != should:
                    wrong.append(f"{method} {address} for {role}: {reply.status_code}, not {should}")
                elif access.answers[role] == SIGN_IN and should == 302:
                    assert reply["Location"].startswith("/sign-in/?next="), (method, address)
                if (method in SAFE or should >= 400 or access.answers[role] == SIGN_IN) and world.writes:
                    wrong.append(f"{method} {address} for {role} changes {world.writes[:3]}")
    assert not wrong, "\n".join(wrong)


def test_addresses_reject_objects_of_another_project(world):
    asked, wrong = 0, []
    for row in (row for row in ROWS if row.foreign):
        for name in parameters(row):
            address = world.address(row, foreign=name)
            if address == world.address(row):  # no thing of a project
                continue
            for method, access in row.methods.items():
                role = actor(access)
                if not role or (name == "slug" and role == "superuser"):
                    continue
                reply = world.ask(method, address, role, resolve(access.body, world.here))
                if (reply.status_code, world.writes) != (404, []):
                    wrong.append(f"{method} {address} for {role}: {reply.status_code}, changes {world.writes}")
                asked += 1
    assert not wrong, "\n".join(wrong)
    assert asked > 100


def test_bodies_reject_objects_of_another_project(world):
    asked, wrong = 0, []
    for row, method, access in iter_writes(row for row in ROWS if row.foreign):
        for thing in references(access.body):
            sent, own = (resolve(access.body, world.here, thing, place) for place in (world.elsewhere, world.here))
            if sent == own:  # somebody who is in no project
                continue
            reply = world.ask(method, world.address(row), actor(access), sent)
            told_so = not row.name.startswith("api-") or reply.status_code in (400, 404)
            if world.writes or not told_so:
                wrong.append(f"{method} {row.name} with another's {thing}: {reply.status_code}, changes {world.writes}")
            asked += 1
    assert not wrong, "\n".join(wrong)
    assert asked > 20


# What reaches for other tables where a list lets itself be filtered and ordered by what anybody writes.
REACHING = (
    "ordering=coder__password", "ordering=user__password", "ordering=-project__memberships__user__password",
    "ordering=password", "order_by=coder__password", "coder__password__startswith=a", "user__password__startswith=a",
    "coder__username=bob", "project__memberships__user__username=charlie", "text__codings__coder__username=bob",
    "search=bob", "fields=password", "expand=coder", "pk__gt=0", "id=1",
)  # fmt: skip


def test_filters_and_orders_reveal_no_other_tables(world):
    wrong = []
    for row in (row for row in ROWS if "GET" in row.methods):
        address, access = world.address(row), row.methods["GET"]
        for role in ("coder", "manager"):
            if access.answers[role] != 200:
                continue
            plain = normalized_answer(world.ask("GET", address, role))
            listed = plain[1].startswith(("[", '{"next"'))
            for query in REACHING if listed else ("&".join(REACHING), REACHING[0]):
                reply = world.ask("GET", f"{address}?{query}", role)
                if world.writes or (reply.status_code != 400 and normalized_answer(reply) != plain):
                    wrong.append(f"{address}?{query} for {role}: {reply.status_code}, changes {world.writes}")
                if not listed and reply.status_code != 400:  # it took all at once
                    break
    assert not wrong, "\n".join(wrong)


OF_THE_REQUEST = re.compile(
    r'(csrfmiddlewaretoken" value|csrf-token" content)="[^"]*"'
    r'|(?<=/)%3F[^"]*(?=" hidden>Sign in again)|(?<=<script src="/api/v1/docs/)[^"]*'
)


def normalized_answer(reply: HttpResponse) -> tuple[int, str]:
    """Return status and body without the tokens of forms and without links that repeat the present address."""
    body = b"".join(reply) if reply.streaming else reply.content
    return reply.status_code, OF_THE_REQUEST.sub("", body.decode("latin-1"))


def test_extra_fields_change_nothing(world):
    asked, wrong = 0, []
    there = table_contents()  # what is asked is taken back
    for row, method, access in iter_writes(ROWS):
        role, address = actor(access), world.address(row)
        body = resolve(access.body, world.here) or {}
        first = world.ask(method, address, role, body, table_contents)
        should = world.seen
        if should == there and not row.unseen:
            wrong.append(f"{method} {row.name} changes nothing: its row does not ask for enough")
        more = with_extra_fields(body, {name: value for name, value in EXTRA_FIELDS.items() if name not in row.takes})
        again = world.ask(method, address, role, more, table_contents)
        refused = again.status_code == 400 and not world.writes
        if not refused and (again.status_code, world.seen) != (first.status_code, should):
            changed = [(name, set(world.seen[name]) ^ set(should[name])) for name in should]
            wrong.append(
                f"{method} {row.name}: {again.status_code}, {[(name, rows) for name, rows in changed if rows]}"
            )
        asked += 1
    assert not wrong, "\n".join(wrong)
    assert table_contents() == there
    assert asked > 40


def with_extra_fields(body: Any, more: Mapping[str, Any]) -> Any:
    """Return the body with more fields in each of its objects."""
    if isinstance(body, Mapping):
        return {**more, **{name: with_extra_fields(value, more) for name, value in body.items()}}
    return [with_extra_fields(part, more) for part in body] if isinstance(body, list) else body


@pytest.mark.parametrize("scope", Token.Scope.values)
def test_api_key_changes_only_what_its_scope_allows(world, scope):
    """Try each API route that changes data with a key of an allowed user."""
    asked = 0
    for row, method, access in iter_writes(AREAS["api"]):
        role = actor(access)
        _, secret = create_token(world.roles[role], "n", scope, 1)
        body, by_key = resolve(access.body, world.here), {"Authorization": f"Bearer {secret}"}
        reply = world.ask(method, world.address(row), "anonymous", body, **by_key)
        within = scope == "manage" or (scope == "annotate" and row.annotates)
        assert (reply.status_code, method, row.name) == (access.answers[role] if within else 403, method, row.name)
        if not within:
            assert reply.json()["code"] == "token_scope"
            assert all('"annotations_token"' in write for write in world.writes)  # when it was used last
        asked += 1
    assert asked > 10


def test_admin_is_closed_to_non_staff(world):
    paths = [path for path in admin_paths(get_resolver().url_patterns) if path not in ("admin/login/", "admin/logout/")]
    assert len(paths) > 20
    for path in paths:
        address = "/" + re.sub(r"<path:[^>]+>|<[^>]+>|\(\?P<[^)]+\)", "1", path).replace("^", "").replace("$", "")
        for method in ("GET", "POST"):
            for role in ROLES[:-1]:
                reply = world.ask(method, address, role)
                assert not world.writes, (method, address, role)
                if role != "site staff":
                    assert reply.status_code in (302, 404), (method, address, role)
                    assert reply.status_code == 404 or reply["Location"].startswith(("/admin/login/", "/sign-in/"))
    for model in ("user", "project", "text", "coding"):  # staff without a permission
        for rest in ("", "add/", "1/change/", "1/delete/"):
            reply = world.ask("POST", f"/admin/annotations/{model}/{rest}", "site staff", {"username": "x"})
            assert reply.status_code in (302, 403), (model, rest)
            assert not world.writes


def admin_paths(patterns: Any, path: str = "", inside: bool = False) -> Iterator[str]:
    """Yield the paths of the admin's routes."""
    for pattern in patterns:
        here, within = path + str(pattern.pattern), inside or getattr(pattern, "namespace", None) == "admin"
        if not isinstance(pattern, URLPattern):
            yield from admin_paths(pattern.url_patterns, here, within)
        elif within:
            yield here
