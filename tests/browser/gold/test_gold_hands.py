"""Ownership of gold: begin early, hand on, take over."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.browser.conftest import assert_fits, offline, press, saved
from tests.browser.pages.test_accessibility import violations
from tests.shared.coding import judge, judge_all, judgement
from tests.shared.projects import person

THREE = "[Ann](a) met [Bob](b). [She](c) left."
ROUND = "/projects/own/rounds/main/"


def gold() -> Coding:
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


@pytest.mark.expected_errors("404", "ERR_INTERNET_DISCONNECTED")
def test_gold_begun_early_changes_owner_and_keeps_waiting_answers(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    project = coder.coding.text.project
    dora = person("dora")
    add_member(project, charlie, Membership.Role.MANAGER)
    add_member(project, dora, Membership.Role.ADJUDICATOR)
    hers = sign_in(dora, ROUND)
    page = sign_in(charlie, ROUND)
    make = page.get_by_role("button", name="Make gold of")
    make.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Begin gold before all have submitted?")).to_be_visible()
    expect(page.get_by_text("0 of 1 coder submitted it; missing: alice.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Begin").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")
    press(page, "4", "Enter")
    saved(page)
    offline(page)
    press(page, "3", "Enter")
    expect(page.locator("#progress-text")).to_have_text("2 of 3 decided")

    hers.reload()
    hers.get_by_role("link", name="Hand on gold of").focus()
    hers.keyboard.press("Enter")
    expect(hers.get_by_text("charlie has it now.")).to_be_visible()
    assert violations(hers) == []
    hers.get_by_role("radio", name="dora").focus()
    press(hers, "Space", "Enter")
    expect(hers.get_by_text("handed on to dora", exact=False).or_(hers.get_by_text("on to dora"))).to_be_visible()
    assert_fits(hers, 1440, 768, 390)
    assert gold().coder == dora

    page.context.set_offline(False)
    expect(page.locator("#notices")).to_contain_text("dora has the gold of")
    expect(page.locator("#notices")).to_contain_text("1 kept in this browser")
    page.reload()
    expect(page.get_by_text("dora has the gold of")).to_be_visible()
    page.get_by_role("button", name="Take over gold of").click()
    expect(page.locator("#progress-text")).to_have_text("2 of 3 decided")
    saved(page)
    assert gold().judgements.filter(category__isnull=False).count() == 2


def test_adjudicator_makes_gold_from_own_coding_and_reopens_it(sign_in, coder_of):
    coder = coder_of(THREE)
    text = coder.coding.text
    dora = person("dora")
    add_member(text.project, dora, Membership.Role.ADJUDICATOR)
    keys = text.markables.filter(level__coded=True).values_list("key", flat=True)
    judge(coder.coding, keys[0], "place")
    submit_coding(coder.coding, coder.coding.coder)
    assign_texts(text.project, [text], [dora])
    own = Coding.objects.of_people().select_related("text__project", "coder", "round").get(coder=dora)
    judge_all(own, [judgement(key, "none") for key in keys])
    submit_coding(own, dora)
    page = sign_in(dora, ROUND)
    page.get_by_role("button", name="from the coding of dora").click()
    expect(page.get_by_text("This is not undone.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Make gold").click()
    expect(page.get_by_text("The answers of dora are the gold of")).to_be_visible()
    assert gold().judgements.filter(category__key="none").count() == 3
    submit_coding(gold(), dora)
    page.reload()
    page.get_by_role("link", name="Reopen gold of").click()
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("#progress-text")).to_have_text("3 of 3 decided")
    assert gold().status == Coding.Status.OPEN
