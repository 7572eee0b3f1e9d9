"""Layout and accessibility of every page.

The pages are those of the table of routes, so that a new page is looked at as soon as it has its row.
"""

from __future__ import annotations

import json

import pytest
from django.test import override_settings
from playwright.sync_api import expect

from tests.access.role_asking import World
from tests.access.role_matrix import AREAS, Row
from tests.browser.conftest import add_session
from tests.browser.pages.test_accessibility import violations
from tests.shared.cases import is_full
from tests.shared.settings import MAIL_SERVER

WIDTHS = (390, 1440)
# Each page is opened as the first of these who may see it.
VIEWERS = ("manager", "coder", "adjudicator", "anonymous", "superuser")
# Answers that are files, or for programs.
NO_PAGES = (
    "healthz",
    "readyz",
    "metrics",
    "signed_in",
    "help-image",
    "transfer-file",
    "agreement-headline",
    "computation",
    "text-questions",
    "text-questions-agreed",
    "export-scheme",
    "decisions-file",
)
# What is wider than its place, or a table higher than its own, does not say so by a shadow and cannot be reached by
# keyboard; and the page, if it is wider than the window.
CUTS = """async () => {
  // Sizes are observed after a frame is drawn.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const name = (box) => `${box.tagName.toLowerCase()}.${[...box.classList].join(".")}`;
  const cut = [...document.querySelectorAll("body *")].filter((box) => {
    if (!box.checkVisibility() || box.scrollWidth <= box.clientWidth + 1 || box.clientWidth < 2) return false;
    return ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  });
  const high = [...document.querySelectorAll(".table-scroll")].filter((box) => box.scrollHeight > box.clientHeight + 1);
  const shadow = (box, side) => getComputedStyle(box, side).backgroundImage.includes("gradient");
  const unreachable = (box) => box.tabIndex < 0 || !box.ariaLabel;
  const silent = [
    ...cut.filter((box) => !shadow(box, "::after") || unreachable(box)),
    ...high.filter((box) => !shadow(box, "::before") || unreachable(box)),
  ];
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  return [...silent.map(name), ...(wide ? [`the page: ${document.documentElement.scrollWidth}`] : [])];
}"""


# Mark the elements with words of their own that look like none of those given, by their classes and those of what they
# are in, and return how these look.
MARK_NEW_LOOKS = """(seen) => {
  const known = new Set(seen);
  const look = (element) => `${element.tagName}.${[...element.classList].sort().join(".")}`;
  const looks = [];
  for (const element of document.querySelectorAll("body, body *")) {
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
    const name = `${look(element)} in ${look(element.parentElement)}`;
    element.toggleAttribute("data-new-look", !known.has(name));
    if (!known.has(name) && element.checkVisibility()) looks.push(name);
  }
  return looks;
}"""
CONTRAST = "color-contrast"


def is_page(row: Row) -> bool:
    return "GET" in row.methods and row.name not in NO_PAGES and not row.name.startswith("api-")


@pytest.fixture(scope="module")
def world(kept_rows) -> World:
    with override_settings(**MAIL_SERVER):
        return World()


@pytest.fixture
def transactional_db(world) -> None:
    """Keep the world from test to test."""


@pytest.mark.parametrize("area", [name for name, rows in AREAS.items() if any(map(is_page, rows))])
def test_pages_are_accessible_and_show_shadow_where_cut(area, live_server, world, mail_server, browser):
    failures: dict[str, object] = {}
    looks_seen: set[str] = set()
    contexts = {}
    for role in VIEWERS:
        contexts[role] = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
        if user := world.roles[role]:
            add_session(contexts[role], user, live_server.url)
    pages = {role: context.new_page() for role, context in contexts.items()}
    for row in filter(is_page, AREAS[area]):
        access = row.access("GET")
        role = next((viewer for viewer in VIEWERS if access.answers[viewer] == 200), None)
        if role is None:
            continue
        page, address = pages[role], world.address(row)
        page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        page.goto(address)
        if page.locator("#progress-text").count():  # what a script fills
            expect(page.locator("#progress-text")).not_to_be_empty()
        # On each push no look is asked for twice: its colours come from the same rules of the stylesheets.
        looks = page.evaluate(MARK_NEW_LOOKS, [] if is_full() else sorted(looks_seen))
        looks_seen.update(looks)
        problems: list[object] = [*violations(page, but=[CONTRAST])]
        for width in WIDTHS:
            # So low that tables with a bar of their own are cut.
            page.set_viewport_size({"width": width, "height": 240 if width == WIDTHS[0] else 900})
            problems += [f"{width} px: {cut}" for cut in page.evaluate(CUTS)]
        for scheme in ("light", "dark") if looks else ():
            page.emulate_media(color_scheme=scheme)
            problems += [f"{scheme}: {barrier}" for barrier in violations(page, CONTRAST, within="[data-new-look]")]
        page.emulate_media(color_scheme="light")
        if problems:
            failures[f"{row.name} {address} as {role}"] = problems
    for context in contexts.values():
        context.close()
    assert not failures, json.dumps(failures, indent=1)
