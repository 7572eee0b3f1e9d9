"""Chains on the coding page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

PEOPLE = "[Ann](a) met [Bob](b). [She](c) greeted [him](d). Later [the woman](e) left [the man](f)."


@pytest.fixture
def coder(coder_of):
    return coder_of(PEOPLE)


@pytest.fixture
def two_chains(coder):
    """Ann, She, the woman; Bob, him. The current markable is the woman."""
    coder.press("4", "Enter", "4", "Enter")
    coder.point_to("Ann")
    coder.press("Enter")
    coder.point_to("Bob")
    coder.press("Enter")
    coder.point_to("She")
    return coder


def pointers(coder):
    keys = {key: label for label, key in coder.keys().items()}
    return {
        keys[key]: [keys[target] for target in value["pointers"]]
        for key, value in coder.saved().items()
        if value["pointers"]
    }


def open_entities(coder):
    coder.press("v")
    return coder.page.locator("#entities")


def test_chain_keeps_its_number_and_colour(two_chains):
    badge = two_chains.markable("Ann").locator(".badge")
    expect(badge).to_have_text("1")
    expect(two_chains.markable("Bob").locator(".badge")).to_have_text("2")
    expect(two_chains.markable("Ann")).to_have_class(re.compile("chain-1 line-1"))
    expect(two_chains.markable("Bob")).to_have_class(re.compile("chain-2 line-2"))
    expect(two_chains.markable("the man").locator(".badge")).to_have_count(0)
    two_chains.press("Home", "3")  # Ann is a place now: her chain has the same root and number
    expect(badge).to_have_text("1")
    # A chain before hers does not take the number away, nor does loading the page again.
    two_chains.press("ArrowRight", "1")
    two_chains.point_to("Ann")
    two_chains.press("u", "u")
    expect(badge).to_have_text("1")
    two_chains.saved()
    two_chains.page.reload()
    for label, number in (("a", "1"), ("b", "2")):
        key = two_chains.keys()[label]
        expect(two_chains.page.locator(f'[data-key="{key}"] > .badge')).to_have_text(number)


def test_page_highlights_draws_and_filters_chains(two_chains):
    two_chains.markable("Bob").hover()
    expect(two_chains.page.locator("#text .is-lit")).to_have_text(["Bob2", "him2"])
    two_chains.markable("the man").hover()
    expect(two_chains.page.locator("#text .is-lit")).to_have_count(0)
    # So does the focus on a member in the list, as long as it is there.
    two_chains.page.locator("#members button").first.focus()
    expect(two_chains.page.locator("#text .is-lit")).to_have_text(["Ann1", "She1", "the woman1"])
    two_chains.page.locator("#text-pane").focus()
    expect(two_chains.page.locator("#text .is-lit")).to_have_count(0)
    two_chains.saved()
    arc = two_chains.page.locator("#arc path")
    expect(arc).to_have_attribute("d", re.compile("^M"))
    two_chains.press("Tab")
    two_chains.at("the man")
    expect(arc).to_have_attribute("d", "")
    two_chains.saved()
    panel = open_entities(two_chains)
    rows = panel.locator(".coding-chain")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Ann")
    panel.get_by_role("searchbox").fill("him")
    expect(rows).to_have_count(1)
    rows.locator("summary").click()
    expect(rows.locator(".workbench-item")).to_have_text(["Bob", "him"])
    rows.get_by_role("button", name="him").click()
    two_chains.at("him")
    panel.get_by_role("searchbox").fill("zebra")
    expect(panel.get_by_text("No chain has these words.")).to_be_visible()
    two_chains.saved()


def test_search_finds_antecedent_by_words_of_any_mention(two_chains):
    coder, page = two_chains, two_chains.page
    coder.press("Enter", ".")
    dialog = page.get_by_role("dialog", name="Point from “the man” to …")
    expect(dialog.get_by_role("option")).to_have_count(2)
    expect(dialog.get_by_role("option").filter(has_text="3 mentions")).to_contain_text("the woman")
    page.keyboard.type("bob")
    expect(dialog.get_by_role("option")).to_have_count(1)
    coder.press("Enter")
    expect(dialog).to_be_hidden()
    assert pointers(coder)["f"] == ["d"]
    page.get_by_role("button", name="Find by words…").click()
    page.keyboard.type("ann")
    coder.press("Shift+Enter")
    assert sorted(pointers(coder)["f"]) == ["d", "e"]
    coder.press(".")
    page.keyboard.type("bob")
    dialog.get_by_role("button", name="Other mentions").click()
    mentions = page.get_by_role("dialog", name="Mentions of “him”")
    expect(mentions.get_by_role("option")).to_have_count(2)
    coder.press("ArrowDown", "Enter")
    assert pointers(coder)["f"] == ["b"]
    coder.press(".")
    expect(dialog.get_by_role("button", name="Point")).to_have_attribute("aria-keyshortcuts", "Enter")
    coder.press("Escape")
    coder.at("the man")


def test_undo_removes_name_of_chain(two_chains):
    two_chains.press("r")
    two_chains.page.get_by_role("combobox").fill("Annabel")
    two_chains.press("Enter")
    name = two_chains.page.locator("#chain-name")
    expect(name).to_have_text("Annabel")
    panel = open_entities(two_chains)
    expect(panel.locator(".coding-chain").first).to_contain_text("Annabel")
    two_chains.page.locator("#text-pane").focus()
    two_chains.saved()
    two_chains.page.reload()
    expect(two_chains.page.locator("#progress-text")).to_contain_text("5 of 6")
    two_chains.press("Home")
    expect(name).to_have_text("Annabel")
    two_chains.press("u")
    expect(name).to_be_hidden()
    two_chains.saved()


def test_undo_restores_merged_and_split_chains(two_chains):
    before = pointers(two_chains)
    two_chains.press("m")
    dialog = two_chains.page.get_by_role("dialog")
    two_chains.page.get_by_role("combobox").fill("bob")
    expect(dialog.get_by_text("5 members, one chain")).to_be_visible()
    expect(dialog.locator(".workbench-picker-words")).to_have_text(["Ann", "Bob", "She", "him", "the woman"])
    two_chains.press("Enter")
    expect(two_chains.page.locator("#chain-title")).to_have_text("Chain 1: 5 members")
    assert pointers(two_chains) == before | {"b": ["a"]}
    two_chains.press("u")
    assert pointers(two_chains) == before
    two_chains.press("Shift+U")
    assert pointers(two_chains) == before | {"b": ["a"]}
    two_chains.press("u")
    for choice, left in (("only", {"d": ["b"], "e": ["a"]}), ("following", {"d": ["b"], "e": ["c"]})):
        two_chains.press("End", "ArrowLeft", "p")
        two_chains.at("She")
        two_chains.press("x")
        two_chains.page.get_by_role("combobox").fill(choice)
        two_chains.press("Enter")
        assert pointers(two_chains) == left
        two_chains.press("u")
        assert pointers(two_chains) == before


def test_message_explains_impossible_split_or_merge(coder):
    coder.press("x")
    expect(coder.page.locator("#say")).to_have_text("No chain to split here.")
    coder.press("m")
    expect(coder.page.get_by_text("No other chain yet.")).to_be_visible()


def test_undo_and_redo_work_after_reload(two_chains):
    page = two_chains.page
    before = pointers(two_chains)
    page.reload()
    expect(page.locator("#undo")).to_be_enabled()
    expect(page.locator("#redo")).to_be_disabled()  # nothing was undone
    two_chains.press("u")
    expect(page.locator("#redo")).to_be_enabled()
    two_chains.saved()
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("4 of 6 decided")
    two_chains.press("Shift+U")
    expect(page.locator("#progress-text")).to_have_text("5 of 6 decided")
    assert pointers(two_chains) == before
    for done in (4, 3, 2, 1, 0):
        two_chains.press("u")
        expect(page.locator("#progress-text")).to_have_text(f"{done} of 6 decided")
    two_chains.press("u")
    expect(page.locator("#say")).to_have_text("Nothing to undo.")
    assert two_chains.saved() == {}
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("0 of 6 decided")
    for done in (1, 2, 3, 4, 5):
        two_chains.press("Shift+U")
        expect(page.locator("#progress-text")).to_have_text(f"{done} of 6 decided")
    assert pointers(two_chains) == before


def test_entities_with_index_are_merged_and_split(coder_of):
    coder = coder_of("[Ann](a) met [Bob](b). [She](c) left.", "passonneau-2004")
    coder.press("1", "Enter", "1", "Enter")
    coder.point_to("Ann")
    keys = coder.keys()
    assert coder.saved()[keys["c"]]["indices"] == ["1"]
    coder.press("m", "Enter")
    expect(coder.page.locator("#say")).to_contain_text("Merged")
    assert {value["indices"][0] for value in coder.saved().values()} == {"1"}
    coder.press("x", "Enter")
    expect(coder.page.locator("#say")).to_contain_text("Split")
    assert coder.saved()[keys["c"]]["indices"] != ["1"]
    coder.press("u", "u")
    assert [coder.saved()[keys[label]]["indices"] for label in "abc"] == [["1"], ["2"], ["1"]]
