"""Attributes, relations and readings on the coding page."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.models import Coding
from tests.browser.conftest import offline, press, saved
from tests.shared.schemes import BRIDGING, coding_of, rich_project


@pytest.fixture
def coding(alice) -> Coding:
    return coding_of(rich_project("rich", BRIDGING, alice))


@pytest.fixture
def page(sign_in, alice, coding) -> Page:
    return open_page(sign_in, alice)


def open_page(sign_in, user, **device) -> Page:
    page = sign_in(user, "/projects/rich/texts/tea/code/", **device)
    expect(page.locator("#progress-text")).to_contain_text("decided")
    return page


def answers(page: Page, coding: Coding) -> dict[str, dict]:
    """Return the judgements that the server has, by the words of their markables; the log says the same."""
    saved(page)
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    judgements = judgements_of(coding)
    return {words: judgements[key] for words, key in keys_of(coding).items() if key in judgements}


def keys_of(coding: Coding) -> dict[str, str]:
    """Return keys by words; of the words that come back with their number."""
    counts: Counter[str] = Counter()
    keys = {}
    for markable in coding.text.markables.filter(level__coded=True).order_by("start"):
        words = coding.text.content[markable.start : markable.end]
        counts[words] += 1
        keys[f"{words} {counts[words]}" if words == "it" else words] = markable.key
    return keys


def letter(page: Page, words: str) -> str:
    return page.locator("#candidates li", has_text=words).locator("kbd").first.inner_text()


def test_bridging_with_attribute_joins_no_chain(page, coding):
    press(page, "4", "Space", "4")
    expect(page.locator("#letters-mean")).to_have_text("Letters choose targets of bridging. Esc goes back.")
    expect(page.locator("#announce")).to_have_text(re.compile("bridging: letters choose its targets, Esc goes back"))
    expect(page.locator("#further-questions .coding-question")).to_have_count(1)
    press(page, letter(page, "the kettle"))
    expect(page.locator(".coding-question.is-asked legend")).to_have_text("how related required")
    expect(page.locator("#announce")).to_have_text(
        re.compile("bridging to the kettle.*how related: 1 part of, 2 possession")
    )
    expect(page.locator("#text .markable.is-related")).to_have_text(re.compile("the kettle"))
    press(page, "Space")
    expect(page.locator("#say")).to_have_text("how related is missing.")
    press(page, "2")
    stove = answers(page, coding)["the stove"]
    assert stove["relations"] == {"bridging": [keys_of(coding)["the kettle"]]}
    assert stove["attributes"] == {"how": "own"}
    expect(page.locator("#text .badge")).to_have_count(0)
    press(page, "Space")
    expect(page.locator("#words")).to_have_text("it")


def test_follow_up_question_depends_on_answer(page, coding):
    press(page, "3")
    expect(page.locator(".coding-question.is-asked legend")).to_have_text("use")
    press(page, "2")
    field = page.get_by_label("which use")
    expect(field).to_be_focused()
    page.keyboard.type("brewing")
    press(page, "Enter")
    expect(page.locator("#entity-questions .coding-question.is-asked legend")).to_have_text("gender")
    press(page, "3")
    assert answers(page, coding)["the kettle"]["attributes"] == {"use": "b", "which": "brewing", "gender": "n"}
    press(page, "Shift+W", "Shift+W", "1")
    expect(page.locator("#say")).to_have_text("No longer asked, and taken away: which use.")
    expect(field).to_have_count(0)
    assert answers(page, coding)["the kettle"]["attributes"] == {"use": "a", "gender": "n"}
    press(page, "u")
    expect(field).to_have_value("brewing")
    assert answers(page, coding)["the kettle"]["attributes"] == {"use": "b", "which": "brewing", "gender": "n"}
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("1 of")
    press(page, "Home")
    expect(field).to_have_value("brewing")


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_click_leaves_text_field_offline_and_saves_answer(page, coding):
    offline(page)
    press(page, "3", "2")
    expect(page.get_by_label("which use")).to_be_focused()
    page.keyboard.type("brewing")
    page.locator(f"#text [data-key='{keys_of(coding)['the stove']}']").first.click()
    expect(page.locator("#words")).to_have_text("the stove")
    page.context.set_offline(False)
    assert answers(page, coding)["the kettle"]["attributes"] == {"use": "b", "which": "brewing"}


def test_chain_has_one_answer_for_gender(page, coding):
    press(page, "3", "Space", "1", "Tab", "4", "Tab", "1")
    press(page, letter(page, "the kettle"))
    expect(page.locator("#entity-questions .coding-question")).to_have_count(1)
    expect(page.locator("#entity-questions [data-value=f]")).to_have_attribute("aria-pressed", "true")
    given = answers(page, coding)
    assert given["it 1"]["pointers"] == [keys_of(coding)["the kettle"]]
    assert given["the kettle"]["attributes"]["gender"] == "f"
    assert "attributes" not in given["it 1"]
    # Changing it changes the answer where it stands; and who leaves the chain leaves the answer to it.
    page.locator("#entity-questions [data-value=m]").click()
    assert answers(page, coding)["the kettle"]["attributes"]["gender"] == "m"
    press(page, "Home", "4")
    given = answers(page, coding)
    assert "attributes" not in given["the kettle"]
    press(page, "u")
    assert answers(page, coding)["the kettle"]["attributes"]["gender"] == "m"


def test_merge_asks_for_answer_and_split_copies_it(page, coding):
    press(page, "3", "Space", "1", "Tab", "3", "Space", "2", "Tab", "1")
    press(page, letter(page, "the kettle"), "Tab", "1")
    press(page, letter(page, "the stove"), "m")
    picker = page.locator("#picker")
    expect(picker).to_be_visible()
    press(page, "Enter")
    expect(picker.locator("#picker-title")).to_have_text("gender of this chain: its members differ")
    expect(picker.get_by_role("option")).to_have_text(
        [re.compile("feminine.*the kettle"), re.compile("masculine.*the stove")]
    )
    press(page, "ArrowDown", "Enter")
    expect(page.locator("#say")).to_have_text("gender: masculine.")
    given = answers(page, coding)
    assert [given[words]["attributes"] for words in ("the kettle", "the stove")] == [{"gender": "m"}] * 2
    press(page, "u")
    assert answers(page, coding)["the kettle"]["attributes"] == {"gender": "f"}
    press(page, "u")  # two chains again, and each has its own
    press(page, "ArrowLeft", "x")
    expect(picker).to_be_visible()
    press(page, "Enter")
    expect(page.locator("#say")).to_have_text("Split. Undo joins them again.")
    assert "gender" in answers(page, coding)["the kettle"]["attributes"]


def test_plus_joins_targets_in_one_reading_and_shift_adds_reading(page, coding):
    press(page, "4", "Tab", "4", "Tab", "1")
    press(page, letter(page, "the kettle"), "+")
    expect(page.locator("#together")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#say")).to_have_text("Together with: choose the other target.")
    press(page, letter(page, "the stove"))
    kettle, stove = keys_of(coding)["the kettle"], keys_of(coding)["the stove"]
    assert answers(page, coding)["it 1"]["pointers"] == [[kettle, stove]]
    expect(page.locator("#candidates-title")).to_have_text("Together: 2 antecedents")
    expect(page.locator("#readings")).to_have_text("the kettle + the stove")
    expect(page.locator("#announce")).to_have_text(re.compile("phrase, the kettle together with the stove"))
    expect(page.locator("#text .is-ambiguous")).to_have_count(0)
    press(page, f"Shift+{letter(page, 'the stove').upper()}")
    assert answers(page, coding)["it 1"]["pointers"] == [[kettle, stove], [stove]]
    expect(page.locator("#candidates-title")).to_have_text("Ambiguous: 2 readings")
    expect(page.locator("#announce")).to_have_text(re.compile("ambiguous"))
    press(page, "u", "+", "Escape")
    expect(page.locator("#together")).to_have_attribute("aria-pressed", "false")
    press(page, letter(page, "the stove"))
    assert answers(page, coding)["it 1"]["pointers"] == [stove]


def test_touch_answers_relations_attributes_and_readings(sign_in, alice, coding):
    page = open_page(sign_in, alice, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page.locator("[data-do=next]").tap()
    page.get_by_role("button", name="none").tap()
    page.locator("#candidates button", has_text="the kettle").tap()
    page.get_by_role("button", name="possession").tap()
    stove = answers(page, coding)["the stove"]
    assert (stove["relations"], stove["attributes"]) == ({"bridging": [keys_of(coding)["the kettle"]]}, {"how": "own"})
    page.locator("[data-do=next]").tap()
    page.get_by_role("button", name="phrase").tap()
    page.locator("#candidates button", has_text="the kettle").tap()
    page.locator("#together").tap()
    page.locator("#candidates button", has_text="the stove").tap()
    assert answers(page, coding)["it 1"]["pointers"] == [[keys_of(coding)["the kettle"], keys_of(coding)["the stove"]]]
