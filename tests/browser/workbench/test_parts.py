"""Modules of the coding page that load late or fail to load."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DelayedAnswer, offline, wait_until

UNREACHABLE = "This needs the server, which is not responding."
PICKER = "**/workbench/dialogs/picker*.js"
TEXT = "[Kim](a) said that [Lee](b) and [Jo](c) left"


@pytest.fixture
def coder(coder_of):
    """Return Alice at a text before any late module has loaded."""
    coder = coder_of(TEXT)
    coder.at("Kim")
    return coder


@pytest.fixture
def picker(coder):
    """Delay the module of the picker, and return it."""
    picker = DelayedAnswer(coder.page, PICKER)
    coder.page.reload()
    coder.at("Kim")
    return picker


def test_keys_wait_for_dialog_until_it_fails_to_load(coder, picker):
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


def test_keys_pressed_while_dialog_loads_go_to_dialog(coder, picker):
    coder.press("Control+k", "2", "0", "Backspace", "3")
    picker.release()
    expect(coder.page.get_by_role("combobox", name="All actions")).to_have_value("23")
    coder.press("Escape")
    coder.press("Control+k")
    expect(coder.page.get_by_role("combobox", name="All actions")).to_be_focused()
    coder.press("L", "e", "e", "Enter")
    coder.at("Lee")


def test_key_pressed_as_dialog_opens_follows_waiting_keys(coder, picker):
    coder.page.evaluate(
        """addEventListener("focusin", ({ target }) => {
          const key = new KeyboardEvent("keydown", { key: "3", code: "Digit3", bubbles: true, cancelable: true });
          if (target.role === "combobox" && target.dispatchEvent(key)) target.setRangeText("3", 0, 0, "end");
        })"""
    )
    coder.press("Control+k", "2")
    picker.release()
    expect(coder.page.get_by_role("combobox", name="All actions")).to_have_value("23")


def test_text_typed_while_questions_load_goes_to_question(coder):
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


def test_note_typed_while_dialog_loads_stays_in_note(coder, picker):
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
def test_failed_dialog_is_requested_again(coder):
    coder.page.route(PICKER, lambda route: route.abort())
    coder.page.reload()  # a part may have come by itself meanwhile
    coder.at("Kim")
    coder.press("m")
    expect(coder.page.locator("#say")).to_have_text(UNREACHABLE)
    coder.page.unroute(PICKER)
    coder.press("m")
    expect(coder.page.get_by_role("dialog")).to_have_count(1)


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_first_click_works_offline(coder):
    offline(coder.page)
    coder.markable("Lee").click()
    coder.at("Lee")
    expect(coder.page.locator("#say")).to_be_empty()
    coder.page.context.set_offline(False)


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_modules_load_early_and_marking_works_offline(coder_of):
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
