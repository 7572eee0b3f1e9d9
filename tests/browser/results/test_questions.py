"""Figures of attributes."""

import random
import re

from playwright.sync_api import expect

from annotations.models import User
from tests.browser.pages.test_accessibility import violations
from tests.shared.questions import any_answers, question_project


def test_figures_of_attribute_link_to_its_items(sign_in, db):
    question_project("asked", any_answers(random.Random(6)))
    page = sign_in(User.objects.get(username="charlie"), "/projects/asked/agreement/?distance=masi")
    before = page.locator("#value").inner_text()
    page.get_by_label("Question", exact=True).select_option("topics")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("[?]question=topics$"))
    expect(page.locator("#question")).to_contain_text("Question: Topics")
    expect(page.locator("#value")).not_to_have_text(before)
    expect(page.locator("#convention")).to_contain_text("MASI of sets of labels")
    page.get_by_role("link", name="Categories", exact=True).click()
    expect(page).to_have_url(re.compile("categories/[?].*question=topics"))
    expect(page.locator("#chart-together")).to_contain_text("Labels given together")
    expect(page.locator("#table-together")).to_contain_text("On the diagonal")
    assert violations(page) == []
    page.get_by_role("link", name="Items", exact=True).click()
    page.get_by_role("link", name=re.compile("^X ")).click()
    expect(page).to_have_url(re.compile("category=x"))
    page.locator("#table-items tbody tr a").first.click()
    expect(page.get_by_role("cell", name=re.compile("X")).first).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("chain")
