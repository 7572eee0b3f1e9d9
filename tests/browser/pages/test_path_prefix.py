"""Coindex below a path prefix, on a host shared with other programs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.management.demo.work import MANAGER, PASSWORD
from benchmarks.environment.serving import Server
from tests.browser.conftest import saved

PREFIX = "/tools/coindex"
# Of another program, for all paths of the host.
FOREIGN = {"sessionid": "another", "csrftoken": "x" * 32, "messages": "another"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("prefix")
    server = Server(str(folder), variables={"PATH_PREFIX": PREFIX})
    shutil.copyfile(migrated_file, folder / "coindex.sqlite3")
    server.run("manage.py", "load_demo", "dialogue")
    server.start(f"{PREFIX}/sign-in/")
    try:
        yield server
    finally:
        server.kill()


def open_project(page: Page, name: str) -> None:
    """Sign in with the form, and open the project of the list."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Ferries and cargo").first.click()


def test_all_requests_stay_below_path_prefix(server, browser: Browser):
    home = f"{server.address}{PREFIX}/"
    context = browser.new_context()
    context.add_cookies([{"name": name, "value": value, "url": server.address} for name, value in FOREIGN.items()])
    context.set_default_timeout(10_000)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(home.rstrip("/"))
    assert page.url == f"{home}sign-in/?next={PREFIX}/"

    open_project(page, "alice")
    page.get_by_role("link", name=re.compile("Code|Begin|Start|Continue")).first.click()
    expect(page.locator("#progress-text")).to_have_text("0 of 46 decided")
    page.keyboard.press("4")
    saved(page)
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("1 of 46 decided")

    page.goto(home)
    page.get_by_role("button", name="Sign out").click()
    open_project(page, MANAGER)
    page.get_by_role("link", name="Agreement", exact=True).first.click()
    expect(page.locator("#value")).to_have_text(re.compile(r"[01]?\.\d+"))
    page.get_by_role("link", name="Data", exact=True).first.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").first.click()
    assert download.value.url.startswith(home)
    page.get_by_role("link", name="Help").first.click()
    page.locator(".help-body").get_by_role("link", name="First steps").click()
    page.locator('.help-article a[href*="/help/"]').first.click()
    expect(page.locator(".help-article h1")).to_be_visible()
    assert page.url.startswith(f"{home}help/")

    answer = page.request.get(f"{home}api/v1/projects/dialogue/judgements/?page_size=1")
    assert answer.json()["next"].startswith(f"{home}api/v1/projects/dialogue/judgements/?")
    assert [url for url in asked if not f"{url}/".startswith(home)] == []
    theirs = {cookie["name"] for cookie in context.cookies() if cookie["path"] == "/"}
    assert theirs == set(FOREIGN)
    context.close()
