"""Pages of archived projects offer no form and no link that the server refuses."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import override_settings
from django.urls import resolve
from pytest_django import Settings

from annotations.projects.locks import set_archived
from tests.access.role_asking import ROUTES, World
from tests.access.role_matrix import AGREEMENT, PAGES
from tests.shared.cases import cases
from tests.shared.settings import MAIL_SERVER

# What changes nothing of the project, or opens or deletes it.
ALLOWED = {
    "sign_out",
    "unarchive-project",
    "clone-project",
    "delete-project",
    "export",
    "carry-out",
    "cancel",
    "discard",
}


class Page(HTMLParser):
    """The targets of a page's forms and links."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address = address
        self.forms: list[str] = []
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form" and found.get("method", "").lower() == "post":
            self.forms.append(urljoin(self.address, found.get("action", "")))
        elif "formaction" in found:
            self.forms.append(urljoin(self.address, found["formaction"]))
        elif tag == "a" and found.get("href", "").startswith("/projects/"):
            self.links.append(found["href"])


@pytest.fixture(scope="module")
def archived(module_rows: None) -> World:
    """Make a world whose projects are archived."""
    with override_settings(**MAIL_SERVER):
        made = World()
        for project in (made.here.project, made.here.pyramids):
            set_archived(project, archived=True)
    return made


@pytest.fixture
def world(archived: World, db: None, mail_server: Settings) -> Iterator[World]:
    logging.disable(logging.WARNING)
    yield archived
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    "role", cases(["coder", "manager", "manager and coder"], full=["viewer", "other coder", "adjudicator"])
)
def test_archived_pages_have_no_refused_form_or_link(world, role):
    wrong, asked, links = [], 0, set()
    for row in [*PAGES, *AGREEMENT]:
        if "GET" not in row.methods or "<slug:slug>" not in ROUTES[row.name]:
            continue
        address = world.address(row)
        reply = world.ask("GET", address, role)
        if reply.status_code != 200:
            continue
        page = Page(address, reply.content.decode())
        wrong += [
            f"{address} for {role} has a form for {form}"
            for form in page.forms
            if resolve(urlsplit(form).path).url_name not in ALLOWED
        ]
        links.update(page.links)
        asked += 1
    assert asked > 5
    for link in sorted(links):
        if world.ask("GET", link, role).status_code == 403:
            wrong.append(f"a link to {link} for {role} is refused")
    assert not wrong, "\n".join(wrong)


def test_form_pages_say_that_project_is_archived(world):
    for address in ("assign/", "import/", "scheme/exchange/", "texts/tea/edit/", "texts/tea/correct/"):
        reply = world.ask("GET", f"/projects/tea/{address}", "manager")
        assert (reply.status_code, "is archived: it can only be read" in reply.content.decode()) == (403, True), address
        assert world.ask("GET", f"/projects/tea/{address}", "outsider").status_code == 404
