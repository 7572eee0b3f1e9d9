"""A text of 5,000 markables."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from benchmarks.data.documents import marked_text
from tests.browser.conftest import press, saved, wait_until
from tests.shared.projects import make_project

MARKABLES = 5000


@pytest.fixture
def long_project(alice) -> Project:
    marked = marked_text(MARKABLES) + "\n\nAt the very end stands [a lighthouse](last).\n"
    project = make_project("long", marked=marked)
    add_member(project, alice, Membership.Role.CODER)
    assign_texts(project, project.texts.all(), [alice])
    return project


@pytest.fixture
def page(sign_in, alice, long_project) -> Page:
    page = sign_in(alice, f"/projects/long/texts/{long_project.texts.get().slug}/code/")
    expect(page.locator("#progress-text")).to_have_text(f"0 of {MARKABLES + 1} decided")
    return page


def test_coder_walks_searches_and_marks_long_text(page, long_project):
    # Before the first frame all counts as drawn.
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    drawn = "(words) => words.checkVisibility({ contentVisibilityAuto: true })"
    words = page.locator("#text .markable")
    assert words.first.evaluate(drawn)
    assert not words.last.evaluate(drawn)
    assert "At the very end stands a lighthouse." in page.locator("#text").evaluate("(text) => text.textContent")
    wait_until(page, "window.find('a lighthouse')")
    page.keyboard.press("Shift+Tab")  # backwards from the first: the last
    expect(page.locator("#words")).to_have_text("a lighthouse")
    expect(page.locator("#text .is-current")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")
    expect(page.locator("#position")).to_have_text(f"1 of {MARKABLES + 1}")
    expect(page.locator("#text .is-current")).to_be_in_viewport(ratio=1)
    set_coder_marked_levels(long_project, long_project.levels.filter(coded=True))
    page.reload()
    expect(page.locator("#progress-text")).to_have_text(f"0 of {MARKABLES + 1} decided")
    page.keyboard.press("/")
    page.keyboard.type("a lighthouse")
    expect(page.get_by_text("1 of 1", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#words")).to_have_text("a lighthouse")
    expect(page.locator("#text .is-current")).to_be_in_viewport(ratio=1)
    press(page, "e", "ArrowLeft", "Enter")
    expect(page.locator("#words")).to_have_text("stands")
    expect(page.locator("#progress-text")).to_have_text(f"0 of {MARKABLES + 2} decided")
    page.keyboard.press("a")
    expect(page.locator("#chain-title")).to_have_text("Chain 1: 2 members")
    page.keyboard.press("v")
    expect(page.locator("#entities .coding-chain")).to_have_count(1)
    page.locator("#text-pane").focus()
    press(page, "u", "u")
    expect(page.locator("#progress-text")).to_have_text(f"0 of {MARKABLES + 1} decided")
    saved(page)
    press(page, "Home")
    press(page, "4", "Shift+Tab", "1")
    target = page.locator("#text .markable").first
    page.evaluate("document.getElementById('text-pane').scrollTop = 0")
    target.click(modifiers=["ControlOrMeta"])
    # the chain that was undone keeps its number
    expect(page.locator("#chain-title")).to_have_text("Chain 2: 2 members")
    # one tick at the top and one near the bottom of a thousand
    ticks = page.locator("#ticks path")
    expect(ticks).to_have_attribute("d", re.compile(r"^M0 \d{1,2}h8v4h-8zM0 [89]\d\dh8v4h-8z$"))
    saved(page)
