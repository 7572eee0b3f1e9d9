"""Setup of a project in few clicks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Browser, Page, expect

from annotations.models import Text
from tests.browser.clicks import Clicks
from tests.browser.conftest import PASSWORD, assert_fits, saved
from tests.browser.pages.test_accessibility import violations

FILES = [
    {
        "name": f"{number:02}-text.txt",
        "mimeType": "text/plain",
        "buffer": f"[Ann](a) met [Bob](b) at gate {number}. [She](c) left.".encode(),
    }
    for number in range(1, 13)
]
CODERS = ("nora", "ole", "pia")
ADJUDICATOR = "quinn"


@pytest.fixture
def join(live_server, browser: Browser) -> Iterator[Callable[[str, str], Page]]:
    """Return a function that lets somebody make an account by a link, and gives their page."""
    pages: list[Page] = []

    def open_link(name: str, link: str) -> Page:
        page = browser.new_context(base_url=live_server.url).new_page()
        pages.append(page)
        page.goto(link)
        page.get_by_label("Username").fill(name)
        for label in ("Password", "Password confirmation"):
            page.get_by_label(label, exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Create account and join").click()
        expect(page.get_by_role("status")).to_contain_text("You joined")
        return page

    yield open_link
    for page in pages:
        page.context.close()


def make_project(page: Page) -> None:
    page.get_by_role("link", name="New project").first.click()
    page.get_by_label("Title").fill("Gates")
    page.get_by_label("Slug").fill("gates")
    page.get_by_label("Scheme").select_option("poesio-artstein-2005")
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("heading", name="Gates")).to_be_visible()


def upload(page: Page) -> int:
    """Return the number of clicks that it takes to import the texts."""
    clicks = Clicks(page)
    clicks.click("link", "Texts")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(FILES)
    clicks.count += 2  # the field, and the button of the system's dialog
    assert violations(page) == []
    clicks.click("button", "Preview")
    expect(page.get_by_role("region", name="Texts of the import").get_by_role("row")).to_have_count(13)
    clicks.click("button", "Import")
    expect(page.locator("#summary")).to_contain_text("12 new texts")
    return clicks.count


def invite(page: Page) -> tuple[dict[str, str], int]:
    """Return the links of the coders, and the number of clicks that it takes to copy them."""
    clicks = Clicks(page)
    clicks.click("link", "People")
    page.get_by_label("For whom").click()
    clicks.count += 1
    page.keyboard.type("\n".join(CODERS))
    clicks.click("button", "Create links")
    clicks.click("button", "Copy all")
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)
    copied = page.evaluate("navigator.clipboard.readText()")
    return dict(line.split("\t") for line in copied.splitlines()), clicks.count


def invite_adjudicator(page: Page) -> str:
    page.get_by_label("For whom").fill(ADJUDICATOR)
    page.locator("#invite ~ form").get_by_label("Role").select_option("adjudicator")
    page.get_by_role("button", name="Create links").click()
    page.get_by_role("button", name=f"Copy the link of {ADJUDICATOR}").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def assign_all(page: Page) -> None:
    page.goto("/projects/gates/assign/")
    page.get_by_label("Everybody codes every text").check()
    expect(page.locator("#plan-summary")).to_contain_text("36 new assignments")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("36 assignments created.")).to_be_visible()


def assign(page: Page, text: str, name: str) -> None:
    page.goto("/projects/gates/assign/")
    page.get_by_label(f"{text}, {name}").check()
    expect(page.locator("#plan-status")).to_contain_text(f"assigned to {name}")


def code_first(page: Page, *keys: str) -> None:
    """Code the first text of the project, and submit it."""
    page.goto("/projects/gates/")
    page.get_by_role("link", name=re.compile("^(Open|01-text)$")).first.click()
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")
    for key in keys:
        page.keyboard.press(key)
    saved(page)
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("dialog").get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="ubmitted")).to_have_count(1)


def test_project_of_twelve_texts_is_set_up_and_coded(sign_in, join, charlie):
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    page = sign_in(charlie, "/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    make_project(page)
    assert upload(page) <= 6
    assert Text.objects.get(slug="07-text").content == "Ann met Bob at gate 7. She left."
    page.goto("/projects/gates/")
    links, clicks = invite(page)
    assert clicks <= 6
    assert tuple(links) == CODERS
    coders = {name: join(name, link) for name, link in links.items()}
    adjudicator = join(ADJUDICATOR, invite_adjudicator(page))
    assign_all(page)
    code_first(coders["nora"], "4", "Enter", "4", "Enter", "4")
    code_first(coders["ole"], "4", "Enter", "4", "Enter", "3")

    page.goto("/projects/gates/")
    reading = Clicks(page)
    reading.click("link", "Texts")
    reading.click("link", "nora 3/3")
    expect(page.get_by_role("region", name="Version of nora")).to_contain_text("She")
    assert reading.count <= 2
    page.get_by_role("link", name="Compare nora with ole").click()
    expect(page.get_by_role("region", name="Version of ole").locator(".texts-differs")).to_have_count(1)
    assert violations(page) == []
    assert_fits(page, 390)

    assign(page, "01-text", ADJUDICATOR)
    code_first(adjudicator, "4", "Enter", "4", "Enter", "4")
    page.goto("/projects/gates/agreement/")
    expect(page.locator(".statistic .statistic-value").first).to_have_text(re.compile(r"\d\.\d{3}"))
