"""What managers learn from pyramids: scores, the study, SCU pairs, and the word behind them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.models import User
from tests.browser.test_accessibility import violations
from tests.browser.test_dashboards import drawn
from tests.shared.scored import harbour

pytestmark = pytest.mark.browser

RESULTS = ("scores/", "study/", "scus/", "scus/?view=subsumption", "peers/")


@pytest.fixture
def manager(db) -> User:
    harbour()
    return User.objects.get(username="charlie")


def tab(page: Page, name: str) -> None:
    page.locator("#tabs").get_by_role("link", name=name, exact=True).click()


def test_from_scores_to_the_study_to_a_pair_of_scus_and_a_word(sign_in, manager):
    page = sign_in(manager, "/projects/harbour/agreement/scores/")
    drawn(page, 2)
    best = page.locator("#table-scores tbody tr").first.locator("td").nth(5)
    expect(best).to_have_text("0.867")
    page.get_by_label("Score of the charts", exact=True).select_option("original")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Original score of each system")).to_be_visible()
    assert "score=original" in page.url
    page.go_back()
    expect(page.get_by_text("Modified score of each system")).to_be_visible()
    tab(page, "Study")
    expect(page.locator("#table-ranks")).to_be_visible()
    drawn(page, 2)
    expect(page.locator("#table-ranks tbody tr")).to_have_count(6)
    tab(page, "SCUs")
    page.get_by_role("link", name="they overlap 2").click()
    expect(page.locator(".agreement-scu-pair")).to_have_count(2)
    mark = page.locator(".agreement-scu-pair mark.agreement-difference").first
    expect(mark).to_have_css("border-bottom-style", "dashed")
    tab(page, "Items")
    page.locator("#table-items").get_by_role("link", name="Ninety", exact=True).click()
    expect(page.get_by_role("heading", name="“Ninety”")).to_be_visible()
    expect(page.locator("#overlay .is-current").first).to_have_text("Ninety")
    page.wait_for_load_state()  # with what listens to the buttons
    page.get_by_role("button", name="2 ben").click()
    expect(page.get_by_role("button", name="2 ben")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#overlay sup:not(.is-off)").first).to_have_text("1")


def test_the_pages_have_no_barriers_and_fit_the_screen(sign_in, manager):
    page = sign_in(manager, "/projects/harbour/")
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark")  # in the light: test_every_page
    for rest in RESULTS:
        page.goto(f"/projects/harbour/agreement/{rest}")
        if charts := page.locator("[data-chart]").count():
            drawn(page, charts)
        assert violations(page, "color-contrast") == [], rest
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), rest
