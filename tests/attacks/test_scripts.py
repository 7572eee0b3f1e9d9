"""Text of users, files and addresses is escaped on all pages."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from tests.access.role_asking import World, actor, iter_writes, resolve
from tests.access.role_matrix import AGREEMENT, API, PAGES, again, managers
from tests.attacks.hostile import NAMED, find_injected, payload, poisoned

READ = [row for row in (*PAGES, *AGREEMENT) if "GET" in row.methods]
# Further imports and exports to look at.
TRANSFERS = [again("transfer", pk=f"@{name}.pk", GET=managers()) for name in ("exported", "twice", "token", "stranger")]
DATA = ("application/json", "application/problem+json", "application/vnd.oai.openapi")
QUERY = (
    "page", "sort", "by", "distance", "coders", "texts", "rounds", "without", "merge", "relation", "level", "category",
    "ambiguity", "flag", "view", "format", "measure", "as", "table", "pair", "docset", "peer", "units", "preset",
    "next", "script", "x",
)  # fmt: skip


# Both worlds have the same names: each test makes its own.
@pytest.fixture
def world(db: None, quiet: None) -> World:
    return World()


@pytest.fixture
def hostile(db: None, quiet: None) -> World:
    return poisoned()


def is_page(reply: Any) -> bool:
    return reply["Content-Type"].startswith("text/html") and bool(reply.content)


def in_a_page(*parts: str) -> list[str]:
    return find_injected(f"<!doctype html><title>t</title><main>{''.join(parts)}</main>")


def test_injection_detector_finds_only_hostile_parts():
    bad = payload("x")
    for page in (f"<p>{bad}</p>", f'<p title="{bad}">', f"<p title='{bad}'>", f"<p title={bad}>", f"<script>{bad}"):
        assert in_a_page(page), page
    for page in (
        "<a href=' java\tscript:x'>",
        "<img src=//evil.example/x>",
        "<a href='/\\evil.example'>",
        "<p style=x>",
    ):
        assert in_a_page(page), page
    assert (
        in_a_page('<a href="/x">', '<a href="?a=1">', '<a href="../x">', '<script src="/static/x.js"></script>') == []
    )


def test_pages_escape_stored_text(hostile):
    wrong, shown = [], set()
    for row in (*READ, *TRANSFERS):
        address = hostile.address(row)
        for role in ("manager", "coder", "adjudicator", "anonymous"):
            reply = hostile.ask("GET", address, role)
            if is_page(reply):
                page = reply.content.decode()
                wrong += [f"{address} for {role}: {part}" for part in find_injected(page)]
                shown |= set(re.findall(r"xss-(\w+)", page))
    assert not wrong, "\n".join(wrong)
    assert NAMED - shown <= {"x", "asked", "sent"}, "never shown, so never tried"


def test_admin_escapes_stored_text(hostile):
    wrong = []
    for model, thing in (("project", "project"), ("text", "text"), ("coding", "coding"), ("user", "coder")):
        # No coding is deleted there.
        for rest in ("", "change/", "delete/") if model != "coding" else ("", "change/"):
            rest = f"{getattr(hostile.here, thing).pk}/{rest}" if rest else ""
            page = hostile.ask("GET", f"/admin/annotations/{model}/{rest}", "superuser").content.decode()
            assert "xss-" in page, (model, rest)
            wrong += [f"{model} {rest}: {part}" for part in find_injected(page) if "xss" in part]
    assert not wrong, "\n".join(wrong)


def test_forms_escape_submitted_text(world):
    """Every field of every form at once, and each alone."""
    asked = 0
    for row, method, access in iter_writes([*PAGES, *AGREEMENT]):
        body = resolve(access.body, world.here) or {}
        fields = [name for name, value in body.items() if not callable(value)]
        for chosen in [fields, *([name] for name in fields)]:
            reply = world.ask(method, world.address(row), actor(access), body | dict.fromkeys(chosen, payload("sent")))
            if is_page(reply):
                assert find_injected(reply.content.decode()) == [], (row.name, chosen)
                asked += 1
    assert asked > 30


def test_pages_escape_text_of_addresses(world):
    """Try all parameters at once and a few alone; the tests of each page try all of its own."""
    bad = quote(payload("asked"))
    for number, row in enumerate(READ):
        address, role = world.address(row), actor(row.methods["GET"])
        for names in (QUERY, *([name] for name in QUERY[number % 6 :: 6])):
            reply = world.ask("GET", f"{address}?{'&'.join(f'{name}={bad}' for name in names)}", role)
            assert not is_page(reply) or find_injected(reply.content.decode()) == [], (address, names)
    part = world.ask("GET", f"/projects/tea/import/?format={bad}", "manager", **{"HX-Request": "true"})
    assert find_injected(part.content.decode()) == []
    for address in (f"/{bad}/", f"/projects/{bad}/", f"/projects/tea/texts/{bad}/code/", f"/api/v1/docs/?x={bad}"):
        assert find_injected(world.ask("GET", address, "manager").content.decode()) == []


def test_api_answers_are_data_with_nosniff(hostile):
    for row in API:
        for method, access in row.methods.items():
            role = actor(access) or "manager"
            reply = hostile.ask(method, hostile.address(row), role, resolve(access.body, hostile.here))
            assert reply["X-Content-Type-Options"] == "nosniff"
            if row.name not in ("api-docs", "api-redoc") and reply.status_code != 204:
                kind = reply["Content-Type"].split(";")[0]
                assert kind in DATA or "attachment" in reply["Content-Disposition"], row.name
