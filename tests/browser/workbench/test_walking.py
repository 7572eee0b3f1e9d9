"""Navigation in a text, and the keys of the coding page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

WALK = """\
#turns: turn
1 A: [Ann](a) met [Bob](b)
2 B: [she](c) greeted [him](d)
3 A: and [she](e) left
"""


@pytest.fixture
def coder(coder_of):
    return coder_of(WALK)


def test_keys_go_to_next_or_next_undecided_markable(coder):
    coder.at("Ann")
    coder.press("4", "ArrowRight", "ArrowRight")
    coder.at("she")
    coder.press("4", "ArrowLeft")
    coder.at("Bob")
    coder.press("Tab")
    coder.at("him")
    coder.press("Shift+Tab")
    coder.at("Bob")
    coder.press("End")
    expect(coder.page.locator("#position")).to_have_text("5 of 5")
    coder.press("Home")
    coder.at("Ann")
    coder.saved()
    coder.press(*(["4", "ArrowRight"] * 5), "Tab")
    expect(coder.page.locator("#say")).to_have_text("Everything is decided.")
    coder.saved()


def test_keys_go_along_chain(coder):
    coder.press("4", "ArrowRight", "ArrowRight")
    coder.point_to("Ann")
    coder.press("End")
    coder.point_to("she")
    coder.press("p")
    coder.at("she")
    expect(coder.page.locator("#position")).to_have_text("3 of 5")
    coder.press("p")
    coder.at("Ann")
    coder.press("n", "n")
    expect(coder.page.locator("#position")).to_have_text("5 of 5")
    coder.saved()


def test_coder_searches_text_and_goes_to_number_turn_or_words(coder):
    coder.press("/")
    search = coder.page.get_by_role("searchbox", name="Search the text")
    expect(search).to_be_focused()
    coder.page.keyboard.type("SHE")
    expect(coder.page.get_by_text("1 of 2", exact=True)).to_be_visible()
    coder.press("Enter")
    expect(coder.page.get_by_text("2 of 2", exact=True)).to_be_visible()
    coder.press("Escape")
    expect(search).to_be_hidden()
    expect(coder.page.locator("#position")).to_have_text("5 of 5")
    coder.press("/")
    coder.page.keyboard.type("nowhere")
    expect(coder.page.get_by_text("not in the text")).to_be_visible()
    coder.press("Escape")
    expect(coder.page.locator("#position")).to_have_text("5 of 5")
    for wanted, words in (("4", "him"), ("3", "she"), ("bob", "Bob")):
        coder.press("t")
        coder.page.get_by_role("combobox", name="Go to").fill(wanted)
        expect(coder.page.get_by_role("option").first).to_be_visible()
        coder.press("Enter")
        coder.at(words)
    coder.press("t")
    coder.page.get_by_role("combobox", name="Go to").fill("3")
    expect(coder.page.get_by_role("option")).to_have_text(
        [re.compile("Markable 3: she"), re.compile("3 A: and she left")]
    )
    coder.press("ArrowDown", "Enter")
    expect(coder.page.locator("#position")).to_have_text("5 of 5")


def test_action_list_shows_keys_and_runs_actions(coder):
    coder.press("Control+k")
    options = coder.page.get_by_role("option")
    expect(options.filter(has_text="Next undecided markable")).to_contain_text("Tab")
    expect(options.filter(has_text="Category: place")).to_contain_text("3")
    expect(options.filter(has_text="Merge the chain with another")).to_contain_text("m")
    expect(options.filter(has_text="Mark the selected words")).to_have_count(0)  # the project does not allow it
    coder.page.get_by_role("combobox").fill("category: place")
    coder.press("Enter")
    key = coder.keys()["a"]
    assert coder.saved()[key]["category"] == "place"
    coder.press("Control+k", "Escape")
    expect(coder.page.get_by_role("dialog")).to_have_count(0)
    coder.action("undo")
    expect(coder.page.get_by_role("button", name="place")).to_have_attribute("aria-pressed", "false")
    assert coder.saved() == {}


def test_changed_key_survives_reload_until_reset(coder):
    page = coder.page
    coder.press("?")
    page.get_by_label("Change the key of: Category: place").click()
    coder.press("n")
    expect(page.get_by_text("“Next member of the same chain” no longer has that key.")).to_be_visible()
    coder.press("Escape")
    expect(page.get_by_role("button", name="place")).to_have_attribute("aria-keyshortcuts", "n")
    coder.press("n")
    assert coder.saved()[coder.keys()["a"]]["category"] == "place"
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("decided")  # keys are heard from now on
    expect(page.get_by_role("button", name="place")).to_contain_text("n")
    coder.press("?")
    page.get_by_role("button", name="Reset all keys").click()
    coder.press("Escape")
    expect(page.get_by_role("button", name="place")).to_have_attribute("aria-keyshortcuts", "3")
    coder.press("?")
    button = coder.page.get_by_label("Change the key of: Undo")
    button.click()
    expect(button).to_have_text("Press a key…")
    coder.press("Escape")
    expect(button).to_have_text("Change")
    expect(coder.page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_keys_are_off_in_fields_and_after_escape(coder):
    coder.press("c")
    coder.page.keyboard.type("/ 1 a ? u")
    coder.press("Escape", "ArrowRight")
    coder.at("Bob")
    assert coder.saved()[coder.keys()["a"]]["note"] == "/ 1 a ? u"
    coder.press("Home")
    coder.page.locator("#text-pane").focus()
    coder.press("Escape", "Tab")
    coder.at("Ann")
    expect(coder.page.locator("#text-pane")).not_to_be_focused()
