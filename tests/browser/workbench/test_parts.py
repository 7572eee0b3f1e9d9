"""Parts of the coding page that come when they are asked for: late, not at all, and after the network is back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DelayedAnswer, offline, wait_until

UNREACHABLE = "This needs the server, which is not responding."
PICKER = "**/workbench/dialogs/picker*.js"
TEXT = "[Kim](a) said that [Lee](b) and [Jo](c) left"


@pytest.fixture
def coder(coder_of):
    """Return Alice at a text of which no part beyond the first scripts is loaded."""
    coder = coder_of(TEXT)
    coder.at("Kim")
    return coder


@pytest.fixture
def picker(coder):
    """Return the answer with the picker, held back before the page loads."""
    picker = DelayedAnswer(coder.page, PICKER)
    coder.page.reload()
    coder.at("Kim")
    return picker


def test_keys_wait_for_a_part_and_go_on_where_it_does_not_come(coder, picker):
    coder.press("m")
    picker.wait_for_request()
    coder.press("ArrowRight")
    expect(coder.page.locator("#say")).to_have_text(UNREACHABLE)
    coder.at("Kim")  # the arrow was meant for the dialog that did not come
    coder.press("ArrowRight")
    coder.at("Lee")
    picker.release()
    expect(coder.page.get_by_role("dialog")).to_have_count(0)
    coder.press("ArrowLeft")
    coder.at("Kim")


def test_keys_pressed_before_a_dialog_is_there_are_for_the_dialog(coder, picker):
    coder.press("Control+k", "2", "0", "Backspace", "3")
    picker.release()
    expect(coder.page.get_by_role("combobox", name="All actions")).to_have_value("23")
    coder.press("Escape")
    coder.press("Control+k")
    expect(coder.page.get_by_role("combobox", name="All actions")).to_be_focused()
    coder.press("L", "e", "e", "Enter")
    coder.at("Lee")


def test_a_key_while_a_dialog_opens_follows_those_that_waited(coder, picker):
    coder.page.evaluate(
        """addEventListener("focusin", ({ target }) => {
          const key = new KeyboardEvent("keydown", { key: "3", code: "Digit3", bubbles: true, cancelable: true });
          if (target.role === "combobox" && target.dispatchEvent(key)) target.setRangeText("3", 0, 0, "end");
        })"""
    )
    coder.press("Control+k", "2")
    picker.release()
    expect(coder.page.get_by_role("combobox", name="All actions")).to_have_value("23")


def test_what_is_typed_while_questions_load_is_written_there(coder):
    questions = DelayedAnswer(coder.page, "**/questions/?*")
    coder.page.reload()
    coder.at("Kim")
    coder.press("z")
    questions.wait_for_request()
    coder.press("4", "x")
    questions.release()
    expect(coder.page.get_by_role("dialog", name="Questions").get_by_label("Question")).to_have_value("4x")
    coder.press("Escape")
    assert coder.saved() == {}


def test_what_is_written_while_a_part_is_on_its_way_stays_in_its_field(coder, picker):
    coder.press("m")
    picker.wait_for_request()
    note = coder.page.locator("#note")
    note.click()
    coder.page.keyboard.type("hello")
    expect(note).to_have_value("hello")
    expect(coder.page.locator("#say")).to_have_text(UNREACHABLE)
    expect(note).to_have_value("hello")
    picker.release()


@pytest.mark.expected_errors("net::ERR_FAILED")
def test_a_part_that_failed_is_asked_for_again(coder):
    coder.page.route(PICKER, lambda route: route.abort())
    coder.page.reload()  # a part may have come by itself meanwhile
    coder.at("Kim")
    coder.press("m")
    expect(coder.page.locator("#say")).to_have_text(UNREACHABLE)
    coder.page.unroute(PICKER)
    coder.press("m")
    expect(coder.page.get_by_role("dialog")).to_have_count(1)


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_the_first_click_counts_without_the_network(coder):
    offline(coder.page)
    coder.markable("Lee").click()
    coder.at("Lee")
    expect(coder.page.locator("#say")).to_be_empty()
    coder.page.context.set_offline(False)


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_parts_load_by_themselves_and_words_are_marked_offline(coder_of):
    coder = coder_of(TEXT, marking=True)
    wait_until(
        coder.page,
        """["marking", "marks", "picker", "antecedents", "edits", "overlays", "search"].every(
          (part) => performance.getEntriesByType("resource").some(({ name }) => name.includes(`/${part}.`)))""",
    )
    offline(coder.page)
    coder.press("ArrowRight", "e", "Shift+ArrowRight", "Enter")
    coder.at("Lee and")
    coder.page.context.set_offline(False)
    assert len(coder.saved()) == 1
