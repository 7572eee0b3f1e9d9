"""Results of pyramids: scores, study and SCU pairs."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.models import Membership, Project, User
from annotations.projects.people.members import add_member
from tests.browser.conftest import assert_fits, press
from tests.browser.pages.test_accessibility import violations
from tests.browser.pages.test_every_page import CUTS
from tests.browser.results.test_dashboards import wait_for_charts
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project
from tests.shared.scored import ANN, BEN, SUMMARIES, harbour, people


def tab(page: Page, name: str) -> None:
    page.locator("#tabs").get_by_role("link", name=name, exact=True).click()


def test_manager_goes_from_scores_to_study_scu_pair_and_word(sign_in, db):
    harbour()
    page = sign_in(User.objects.get(username="charlie"), "/projects/harbour/agreement/scores/")
    wait_for_charts(page, 2)
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
    wait_for_charts(page, 2)
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


def agree_on_three_docsets() -> Project:
    """Make a project of three docsets, each with the pyramids of Ann and Ben, and with one like Ann's as agreed."""
    ann, ben, manager, adjudicator = people("ann", "ben", "charlie", "adam")
    project = pyramid_project("coast")
    add_member(project, manager, Membership.Role.MANAGER)
    add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    for number in range(3):
        made = docset(project, ann, ben, summaries=SUMMARIES, slug=f"day-{number}", title=f"Day {number}")
        codings = codings_of(models_of(made))
        build(codings["ann"], {key: words for key, words in ANN.items() if number or key != "radar"})
        build(
            codings["ben"], BEN if number else {**BEN, "radar": ["ask why radar was off"], "questions": ["an inquiry"]}
        )
        agreed = start_agreed_pyramid(made, adjudicator, codings["ann" if number else "ben"])
        agreed.refresh_from_db()
        submit_coding(agreed, adjudicator)
    return project


def test_gold_page_compares_coders_with_agreed_pyramids(sign_in, db):
    agree_on_three_docsets()
    page = sign_in(User.objects.get(username="charlie"), "/projects/coast/agreement/")
    page.set_viewport_size({"width": 1440, "height": 900})
    tab(page, "Gold")
    expect(page.get_by_role("heading", name="Gold", exact=True)).to_be_visible()
    wait_for_charts(page, 4)
    expect(page.locator("#table-scus tbody tr")).to_have_count(2)
    ben = page.locator("#table-scus tbody tr").filter(has=page.get_by_role("rowheader", name="ben"))
    expect(ben.locator("td").nth(9)).to_have_text("3")
    expect(ben.locator("td").nth(1)).to_have_text(re.compile(r"^0\.\d{3}$"))  # the lower end of the interval
    assert violations(page) == []
    assert page.evaluate(CUTS) == []
    page.locator("#table-scus").get_by_role("button", name="Same words").press("Enter")
    expect(page.locator(".info-panel:popover-open")).to_contain_text("the same words in both")
    page.keyboard.press("Escape")
    page.get_by_label("Coder", exact=True).focus()
    page.keyboard.type("ben")
    press(page, "Tab", "Enter")
    expect(page).to_have_url(re.compile("coder=ben"))
    places = page.locator("#table-places")
    expect(places).to_contain_text("Where agreed pyramids differ from ben")
    expect(places.get_by_role("cell", name="in thick fog", exact=True).first).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#table-scus")).to_be_visible()
    wait_for_charts(page, 4)
    assert violations(page) == []
    assert page.evaluate(CUTS) == []
    assert_fits(page, 390)
