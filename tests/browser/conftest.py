"""The browser: the system's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from annotations.coding.judgements import judgements_of
from annotations.models import Coding, Membership, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from benchmarks.environment.serving import FLAGS, chromium
from tests.browser.errors import ErrorLog
from tests.conftest import make_project, skip_or_fail_in_ci

# Playwright's own event loop runs in the thread of the tests; the ORM is used there all the same.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

PASSWORD = "a password of the tests"
# What pages may have left in a browser, by the names of its protocol.
STORAGE = "local_storage,indexeddb,cache_storage,service_workers,file_systems"
expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    # The shell draws no window of its own, which takes most of the time of a short test.
    found = shutil.which("chromium-headless-shell") or chromium()
    if found is None:
        skip_or_fail_in_ci("no Chromium on this machine (Debian's package: chromium)")
    return {"executable_path": found, "args": list(FLAGS)}


@pytest.fixture(scope="session", autouse=True)
def files_are_kept() -> Iterator[None]:
    """Let browsers keep scripts and styles, as in production: to read a page's anew takes longer than a short test."""
    serve = StaticFilesHandler.serve

    def serve_to_keep(handler: StaticFilesHandler, request: HttpRequest) -> HttpResponseBase:
        response = serve(handler, request)
        response["Cache-Control"] = "max-age=3600"
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "serve", serve_to_keep)
        yield


class ContextPool:
    """Browser contexts that one test uses after the other, as a new one has no scripts and styles yet.

    What a test leaves in one is deleted, but for these.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.idle: dict[str, list[BrowserContext]] = defaultdict(list)

    def take(self, log: ErrorLog, options: Mapping[str, Any]) -> BrowserContext:
        """Return a context with these options that nobody uses, and that the log follows as it does any new one."""
        idle = self.idle[repr(sorted(options.items()))]
        if not idle:
            return self.browser.new_context(**options)
        context = idle.pop()
        log.follow(context)
        return context

    def give_back(self, log: ErrorLog, context: BrowserContext, options: Mapping[str, Any]) -> None:
        """Take back a context: without pages, cookies and storage, and with its network."""
        log.leave(context)
        for page in context.pages:
            page.close()
        context.set_offline(False)
        context.unroute_all()
        context.clear_permissions()
        context.clear_cookies()
        storage = {"origin": options["base_url"], "storageTypes": STORAGE}
        page = context.new_page()
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", storage)
        page.close()
        self.idle[repr(sorted(options.items()))].append(context)


@pytest.fixture(scope="session")
def context_pool(browser: Browser) -> ContextPool:
    return ContextPool(browser)


@pytest.fixture(autouse=True)
def no_errors_on_pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ErrorLog]:
    """Fail the test whose pages report errors that its marker `expected_errors` does not name."""
    log = ErrorLog()
    new_context = Browser.new_context

    def followed_context(*arguments: Any, **options: Any) -> BrowserContext:
        context = new_context(*arguments, **options)
        log.follow(context)
        return context

    monkeypatch.setattr(Browser, "new_context", followed_context)
    yield log
    marker = request.node.get_closest_marker("expected_errors")
    errors = log.unexpected(marker.args if marker else ())
    assert not errors, "pages report errors:\n" + "\n".join(errors)


@pytest.fixture
def sign_in(live_server, context_pool: ContextPool, no_errors_on_pages: ErrorLog) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page in a browser of its own, in which the person is signed in.

    The form is tried where people use it: in test_blindness, test_invitations and test_saving.
    """
    taken: list[tuple[BrowserContext, dict[str, Any]]] = []

    def open_page(user: User, path: str = "/", **device: Any) -> Page:
        if not user.check_password(PASSWORD):  # another would end the sessions of the person
            user.set_password(PASSWORD)
            user.save()
        options = {"base_url": live_server.url, **device}
        context = context_pool.take(no_errors_on_pages, options)
        taken.append((context, options))
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": session.key, "value": session.value, "url": live_server.url}])
        page = context.new_page()
        page.goto(path)
        return page

    yield open_page
    for context, options in taken:
        context_pool.give_back(no_errors_on_pages, context, options)


def saved(page: Page) -> None:
    """Wait until the server has everything."""
    expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|merged"))


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
        page.wait_for_function("!navigator.onLine")


def judgement(coding: Coding, key: str) -> dict | None:
    """Return what the server has of a markable."""
    return judgements_of(coding).get(key)


class Coder:
    """A person at the coding page of a text, with words for what is looked at most."""

    def __init__(self, page: Page, coding: Coding) -> None:
        self.page = page
        self.coding = coding

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, words: str) -> None:
        """Wait until the current markable is these words."""
        expect(self.page.locator("#words")).to_have_text(words)

    def markable(self, words: str):
        return self.page.locator("#text .markable").filter(has_text=re.compile(f"^{re.escape(words)}[0-9?]*$"))

    def point_to(self, words: str, further: bool = False) -> None:
        """By the key of the candidate with these words."""
        item = self.page.locator("#candidates li").filter(has=self.page.get_by_text(words, exact=True)).first
        letter = item.locator("kbd").inner_text()
        self.press(f"Shift+{letter.upper()}" if further else letter)

    def action(self, name: str) -> None:
        """By the list of all actions."""
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
        return Coder(page, Coding.objects.get(text__project=project))

    return open_text
