"""A text is corrected while somebody codes it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.coding.log.replay import log_mismatches
from annotations.models import Coding, Question
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from tests.browser.conftest import judgement, offline, press, saved
from tests.browser.workbench.test_coding import CODE, open_coding


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED", "status of 409")
def test_correction_of_text_keeps_answers_and_unfinished_note(sign_in, alice, charlie, codings, text):
    coder = open_coding(sign_in, alice)
    coder.keyboard.press("4")
    saved(coder)
    offline(coder)
    press(coder, "Enter", "3", "Enter", "4", "c")  # the stove, it; then a note that is not finished
    coder.keyboard.type("which?")

    manager = sign_in(charlie, "/projects/tea/texts/tea/")
    manager.get_by_role("link", name="Correct").click()
    field = manager.get_by_label("Text", exact=True)
    field.fill(field.input_value().replace("the kettle", "the old kettle").replace("stove", "stoves"))
    manager.get_by_role("button", name="Preview").click()
    expect(manager.locator(".texts-edits ins")).to_have_text(["old ", "stoves"])
    expect(manager.get_by_text("markables get other words")).to_be_visible()
    manager.get_by_role("button", name="Correct the text").click()
    expect(manager.get_by_text("Corrected “Tea”: 2 places.")).to_be_visible()

    coder.context.set_offline(False)
    expect(coder.locator(".notice")).to_contain_text("The text was corrected: old ; stove stoves.")
    saved(coder)
    expect(coder.locator("#progress-text")).to_have_text("3 of 6 decided")
    expect(coder.locator("#words")).to_have_text("it")
    expect(coder.locator("#note")).to_have_value("which?")
    text.refresh_from_db()
    words = {
        text.content[markable.start : markable.end]: markable.key for markable in text.markables.order_by("-start")
    }
    alices = Coding.objects.of_people().get(pk=codings["alice"].pk)
    answers = {each: judgement(alices, words[each]) for each in ("the old kettle", "the stoves", "it")}
    assert [answers[each]["category"] for each in answers] == ["none", "place", "none"]
    assert answers["it"]["note"] == "which?"
    coder.locator("#text-pane").focus()
    for expected in ("3", "2", "1", "0"):  # the note, then what is from before
        coder.keyboard.press("u")
        expect(coder.locator("#progress-text")).to_have_text(f"{expected} of 6 decided")
    saved(coder)
    assert [list(log_mismatches(each)) for each in text.codings.of_people()] == [[], []]
    coder.goto(CODE)
    expect(coder.locator("#progress-text")).to_have_text("0 of 6 decided")
    expect(coder.get_by_text("The text was corrected")).to_have_count(0)


@pytest.mark.expected_errors("status of 409")
def test_corrected_text_waits_for_open_question(sign_in, alice, charlie, codings, text):
    page = open_coding(sign_in, alice)
    dialog = page.get_by_role("dialog", name="Questions")
    page.keyboard.press("z")
    dialog.get_by_label("Question").fill("Is it a thing?")
    content = text.content.replace("put the", "please put the")
    correct_text(text, content, charlie, plan_correction(text, content).tag)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as who comes back from another window
    page.wait_for_timeout(500)
    expect(dialog.get_by_label("Question")).to_have_value("Is it a thing?")
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog.get_by_text("Sent to the managers.")).to_be_visible()
    text.refresh_from_db()
    question = Question.objects.get()
    assert question.key == text.markables.get(label="a").key
    dialog.get_by_role("button", name="Close").click()
    expect(page.locator(".notice")).to_contain_text("The text was corrected")
