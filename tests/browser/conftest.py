"""The browser: the system's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.models import User

# Playwright's own event loop runs in the thread of the tests; the ORM is used there all the same.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

PASSWORD = "a password of the tests"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing = "no Chromium on this machine (Debian's package: chromium)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return {"executable_path": found, "args": FLAGS}


@pytest.fixture
def sign_in(live_server, browser: Browser) -> Iterator[Callable[..., Page]]:
    """A function that gives a page of a browser of their own, in which the person is signed in by the form."""
    contexts = []

    def open_page(user: User, path: str = "/") -> Page:
        user.set_password(PASSWORD)
        user.save()
        context = browser.new_context(base_url=live_server.url)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"/sign-in/?next={path}")
        page.get_by_label("Username").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(live_server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
