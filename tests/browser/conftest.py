"""The browser: the system's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings
from django.test.testcases import QuietWSGIRequestHandler
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from pytest_django import DjangoDbBlocker

from annotations.coding.judgements import judgements_of
from annotations.models import Coding, Membership, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from benchmarks.environment.serving import FLAGS, chromium
from tests.browser.errors import ErrorLog
from tests.shared.projects import make_project
from tests.shared.settings import quick_settings
from tests.shared.skipping import skip_or_fail_in_ci

# Playwright's own event loop runs in the thread of the tests; the ORM is used there all the same.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

PASSWORD = "a password of the tests"
expect.set_options(timeout=10_000)
# Answers are sent in two pieces: otherwise the second waits 40 ms until the browser has confirmed the first.
QuietWSGIRequestHandler.disable_nagle_algorithm = True


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    # The shell draws no window of its own, which takes most of the time of a short test.
    executable = shutil.which("chromium-headless-shell") or chromium()
    if executable is None:
        skip_or_fail_in_ci("no Chromium on this machine (Debian's package: chromium)")
    return {"executable_path": executable, "args": list(FLAGS)}


@pytest.fixture(scope="module")
def kept_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker, media_root: Path) -> Iterator[None]:
    """Let a module create rows for all of its tests; its own `transactional_db` depends on this and deletes none."""
    with django_db_blocker.unblock(), override_settings(**quick_settings(media_root)):
        yield
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(autouse=True)
def no_errors_on_pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail the test whose pages report errors that its marker `expected_errors` does not name."""
    log = ErrorLog()
    new_context = Browser.new_context

    def followed_context(*arguments: Any, **options: Any) -> BrowserContext:
        context = new_context(*arguments, **options)
        log.follow(context)
        return context

    monkeypatch.setattr(Browser, "new_context", followed_context)
    yield
    marker = request.node.get_closest_marker("expected_errors")
    errors = log.unexpected(marker.args if marker else ())
    assert not errors, "pages report errors:\n" + "\n".join(errors)


def add_session(context: BrowserContext, user: User, address: str) -> None:
    """Let the person be signed in in all pages of a browser."""
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": session.key, "value": session.value, "url": address}])


@pytest.fixture
def sign_in(live_server, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page in a browser of its own, in which the person is signed in.

    Without a path the page is empty. The form is tried in test_blindness, test_invitations and test_saving.
    """
    contexts = []

    def open_page(user: User, path: str = "", **device: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **device)
        contexts.append(context)
        add_session(context, user, live_server.url)
        page = context.new_page()
        if path:
            page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def saved(page: Page) -> None:
    """Wait until the server has everything."""
    expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|merged"))


def wait_until(page: Page, expression: str, argument: object = None) -> None:
    """Wait until an expression of JavaScript is true.

    Playwright's own `wait_for_function` evaluates a string in the page, which the page's policy refuses at the second
    look.
    """
    deadline = time.monotonic() + 10
    while not page.evaluate(expression, argument):
        assert time.monotonic() < deadline, f"it does not become true: {expression}"
        page.wait_for_timeout(20)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def assert_fits(page: Page, *widths: int) -> None:
    """Assert that the page is as wide as windows of these widths; the last of them stays."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


class DelayedAnswer:
    """The next answer from an address, held back. Set it up before the page loads: a later one may miss a request."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.routes: list[Route] = []
        page.route(address, lambda route: self.routes.append(route), times=1)

    def wait_for_request(self) -> None:
        """Wait until the page has asked."""
        deadline = time.monotonic() + 10
        while not self.routes:
            assert time.monotonic() < deadline, "the page does not ask"
            self.page.wait_for_timeout(10)

    def release(self) -> None:
        """Let the answer come, once the page has asked."""
        self.wait_for_request()
        self.routes.pop().continue_()


def offline(*pages: Page) -> None:
    """Take the network away, and wait until the pages know it: what they send is not sent any more."""
    for page in pages:
        page.context.set_offline(True)
        wait_until(page, "!navigator.onLine")


def judgement(coding: Coding, key: str) -> dict | None:
    """Return what the server has of a markable."""
    return judgements_of(coding).get(key)


class Coder:
    """A person at the coding page of a text."""

    def __init__(self, page: Page, coding: Coding) -> None:
        self.page = page
        self.coding = coding

    def press(self, *keys: str) -> None:
        press(self.page, *keys)

    def at(self, words: str) -> None:
        """Wait until the current markable is these words."""
        expect(self.page.locator("#words")).to_have_text(words)

    def markable(self, words: str):
        return self.page.locator("#text .markable").filter(has_text=re.compile(f"^{re.escape(words)}[0-9?]*$"))

    def point_to(self, words: str, further: bool = False) -> None:
        """Press the key of the candidate with these words."""
        item = self.page.locator("#candidates li").filter(has=self.page.get_by_text(words, exact=True)).first
        letter = item.locator("kbd").inner_text()
        self.press(f"Shift+{letter.upper()}" if further else letter)

    def action(self, name: str) -> None:
        """Run an action from the list of all actions."""
        self.press("Control+k")
        self.page.get_by_role("combobox").fill(name)
        self.press("Enter")

    def saved(self) -> dict[str, dict]:
        """Return what the server has when everything is saved, by markable."""
        saved(self.page)
        return judgements_of(self.coding)

    def keys(self) -> dict[str, str]:
        """Return the keys of the given markables by their labels."""
        return dict(self.coding.text.markables.values_list("label", "key"))


@pytest.fixture
def coder_of(sign_in, alice) -> Callable[..., Coder]:
    """Return a function that gives Alice a text to code and opens it."""

    def open_text(marked: str, scheme: str = "poesio-artstein-2005", *, marking: bool = False, **text: str) -> Coder:
        project = make_project("own", scheme, marked)
        if text:
            project.texts.update(**text)
        if marking:
            set_coder_marked_levels(project, project.levels.filter(coded=True))
        add_member(project, alice, Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [alice])
        page = sign_in(alice, "/projects/own/texts/tea/code/")
        expect(page.locator("#progress-text")).to_contain_text("decided")
        return Coder(page, Coding.objects.of_people().get(text__project=project))

    return open_text
