"""Texts in a browser: twelve of them come in by a few clicks, and a coder's version is read by two."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Membership, Text
from annotations.projects.members import add_member
from tests.browser.clicks import Clicks
from tests.browser.test_accessibility import violations
from tests.conftest import judge

pytestmark = pytest.mark.browser

FILES = [
    {"name": f"{number:02}-text.txt", "mimeType": "text/plain", "buffer": f"Text {number} [sic] is short.".encode()}
    for number in range(1, 13)
]


@pytest.fixture
def manager(charlie, project):
    add_member(project, charlie, Membership.Role.MANAGER)
    return charlie


def test_twelve_texts_come_in_by_at_most_six_clicks(sign_in, manager, project):
    project.texts.all().delete()
    page = sign_in(manager, "/projects/tea/")
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
    assert clicks.count <= 6
    assert Text.objects.get(project=project, slug="07-text").content == "Text 7 [sic] is short."


def test_a_coders_version_is_read_by_two_clicks_and_compared_by_one_more(sign_in, manager, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["bob"], keys["c"], "phrase", keys["b"])
    page = sign_in(manager, "/projects/tea/")
    clicks = Clicks(page)
    clicks.click("link", "Texts")
    page.get_by_role("link", name="alice 1/6").click()
    version = page.get_by_role("region", name="Version of alice")
    expect(version.locator(".markable.chain-1")).to_have_text(["the kettle1", "it1"])
    assert clicks.count + 1 <= 2
    page.get_by_role("link", name="Compare alice with bob").click()
    expect(page.get_by_role("region", name="Version of bob").locator(".texts-differs")).to_have_count(1)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
