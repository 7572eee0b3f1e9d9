"""What is hostile in the data, in a browser: nothing of it runs, whether the policy would have stopped it or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from annotations.models import User
from tests.access.role_asking import World
from tests.access.role_matrix import AGREEMENT, PAGES
from tests.attacks.hostile import poisoned
from tests.browser.conftest import add_session, wait_until
from tests.shared.cases import cases

# Elements and attributes that are not ours, whoever has put them there.
INJECTED = """(root) => [...root.querySelectorAll("*")].filter((tag) => [...tag.attributes].some((attribute) =>
  attribute.name.includes("xss") || attribute.name.startsWith("on"))).map((tag) => tag.outerHTML.slice(0, 200))"""
WATCH = """
  window.ran = [];
  window.xss = (...given) => window.ran.push("a script of the data");
  for (const name of ["alert", "confirm", "prompt"]) window[name] = () => window.ran.push(name);
  addEventListener("securitypolicyviolation", (event) =>
    window.ran.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""
# Their first words when all is drawn, and what is done there.
CODING = {
    "coder": [
        (
            "/projects/tea/texts/tea/code/",
            "#text .markable",
            "ArrowRight ArrowRight 1 Tab 4 Control+k Escape ? Escape m Escape",
        ),
        ("/projects/ferry/texts/sinking/code/", "#text", "ArrowRight Control+k Escape ? Escape"),
        ("/projects/ferry/docsets/sinking/", "main h1", ""),
    ],
    "manager": [
        ("/projects/tea/", "main h1", ""),
        ("/projects/tea/scheme/", "main h1", ""),
        ("/projects/tea/members/", "main h1", ""),
        ("/projects/tea/agreement/", "main h1", ""),
        ("/projects/tea/agreement/items/", ".plot-container", ""),
        ("/projects/tea/agreement/coders/", "main h1", ""),
        ("/projects/ferry/agreement/scus/?docset=rescue", "main h1", ""),
        ("/projects/ferry/docsets/rescue/", "main h1", ""),
        ("ITEM", "main h1", ""),
        ("TRANSFERS", "main h1", ""),
    ],
}


@pytest.fixture
def world(live_server) -> World:
    return poisoned()


@pytest.fixture
def visit(live_server, browser) -> Iterator[object]:
    """Return a function that opens a page in which the person is signed in, with the policy or without."""
    contexts = []

    def open_page(user: User, *, policy: bool) -> Page:
        context = browser.new_context(base_url=live_server.url, bypass_csp=not policy)
        context.add_init_script(WATCH)
        contexts.append(context)
        add_session(context, user, live_server.url)
        page = context.new_page()
        page.goto("/")
        return page

    yield open_page
    for context in contexts:
        context.close()


def listed_pages(world: World, role: str) -> Iterator[tuple[str, str, str]]:
    here = world.here
    for address, drawn, keys in CODING[role]:
        if address == "ITEM":
            yield f"/projects/tea/agreement/items/tea/{here.hostile.key}/", drawn, keys
        elif address == "TRANSFERS":
            for transfer in (here.imported, here.exported, here.twice, here.token, here.stranger):
                yield f"/transfers/{transfer.pk}/", drawn, keys
        else:
            yield address, drawn, keys


# Without the policy only what is escaped keeps a script from running.
@pytest.mark.parametrize(
    ("role", "policy"),
    cases([("manager", False), ("coder", False), ("coder", True)], full=[("manager", True)]),
)
def test_hostile_data_run_no_script_and_load_nothing_foreign(world, visit, live_server, role, policy):
    page, dialogs, asked = visit(world.roles[role], policy=policy), [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    for address, drawn, keys in listed_pages(world, role):
        page.goto(address)
        expect(page.locator(drawn).first).to_be_visible()
        if keys:
            expect(page.locator("#progress-text")).to_be_visible()  # keys are heard from now on
        for key in keys.split():
            page.keyboard.press(key)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.ran") == [], address
        assert page.evaluate(f"({INJECTED})(document)") == [], address
        assert "xss-" in page.content(), address
    assert dialogs == []
    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []


@pytest.mark.expected_errors("status of 404 .*/(account|password)/")  # pages of a site that has a mail server
def test_browser_parses_no_injected_element(world, visit):
    page = visit(world.roles["manager"], policy=True)
    read = f"""async (address) => {{
      const reply = await fetch(address);
      if (!reply.headers.get("Content-Type").startsWith("text/html")) return [];
      const html = await reply.text();
      return ({INJECTED})(new DOMParser().parseFromString(html, "text/html"));
    }}"""
    for row in (*PAGES, *AGREEMENT):
        if "GET" in row.methods and row.methods["GET"].answers["manager"] == 200:
            assert page.evaluate(read, world.address(row)) == [], row.name


@pytest.mark.expected_errors("Content Security Policy")
def test_script_watch_reports_injected_script(visit, alice):
    page = visit(alice, policy=False)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img xss-x src onerror=xss()>')")
    wait_until(page, "window.ran.length === 1")
    assert len(page.evaluate(f"({INJECTED})(document)")) == 1
    strict = visit(alice, policy=True)
    strict.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src onerror=xss()>')")
    wait_until(strict, "window.ran.length === 1")
    assert "script-src" in strict.evaluate("window.ran")[0]
