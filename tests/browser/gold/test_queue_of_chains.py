"""An adjudicator decides chains and what follows from them: whose answer it is, what it needs, and where keys go."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.coding.judgements import judgements_of
from annotations.models import Coding
from tests.browser.conftest import press, saved
from tests.shared.drafted_gold import LINKED, bridging_project, drafted, keys_of
from tests.shared.projects import person

ADDRESS = "/projects/tea-holes/texts/tea/gold/code/"
NEW = {"category": "place"}


def identical(label: str) -> dict:
    return {"category": "phrase", "pointers": [label]}


@pytest.fixture
def gold(transactional_db) -> Coding:
    """Return gold on whose phrases b and d coders say three things, one of which each time joins them to the first."""
    how = {"attributes": {"how": "part"}}
    return drafted(
        bridging_project(),
        {"a": NEW, "b": LINKED | how, "d": identical("a")},
        {"a": NEW, "b": NEW, "d": identical("b")},
        {"a": NEW, "b": identical("a"), "d": NEW},
    )


def go_to_row(page: Page, card: str, words: str) -> None:
    """Go to the row of these words on a card."""
    for _ in range(12):
        if card in page.locator("#queue-card").inner_text():
            break
        page.keyboard.press("n")
    page.locator(".queue-words").get_by_text(words, exact=True).click()


def digit_of(page: Page, words: str) -> str:
    cells = page.locator(".queue-table tr[aria-current] td").all_inner_texts()
    return str(next(number for number, cell in enumerate(cells, 1) if words in cell))


def take(page: Page, card: str, words: str, answer: str) -> None:
    go_to_row(page, card, words)
    page.keyboard.press(digit_of(page, answer))
    saved(page)


def test_coder_answer_can_be_taken_after_conflicting_answer(sign_in, gold):
    page = sign_in(person("charlie"), ADDRESS)
    expect(page.locator("#queue-left")).to_contain_text("left")
    go_to_row(page, "Category and chain", "the kettle")
    said = page.locator(".queue-table tr[aria-current] td").all_inner_texts()[:3]
    assert sorted(said) == ["place", "place, in a chain with it", "place, in a chain with the stove"]
    take(page, "Chain:", "the stove", "the kettle")
    go_to_row(page, "Chain:", "it")
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_have_text("No majority for “it”: take a coder’s answer, or give your own.")
    take(page, "Chain:", "it", "phrase")  # of who joins it to the stove alone
    keys = keys_of(gold.text.project)
    judgements = judgements_of(gold)
    assert judgements[keys["b"]]["pointers"] == [keys["a"]]
    assert judgements[keys["d"]]["pointers"] == [keys["b"]]
    expect(page.locator("#queue-left")).to_contain_text("1 decision left")


def test_answer_typed_after_coder_answer_is_labelled_own(sign_in, gold):
    page = sign_in(person("charlie"), ADDRESS)
    expect(page.locator("#queue-left")).to_contain_text("left")
    take(page, "Chain:", "the stove", "the kettle")
    go_to_row(page, "Chain:", "the stove")
    row = page.locator(".queue-table tr[aria-current]")
    expect(row).not_to_contain_text("✓ own")
    press(page, "z", "3", "Escape", "z")
    expect(row).to_contain_text("✓ own")
    press(page, "u")
    expect(row).not_to_contain_text("✓ own")
    saved(page)
    page.reload()
    expect(page.locator("#queue-left")).to_contain_text("left")
    go_to_row(page, "Chain:", "the stove")
    press(page, "z", "3", "Escape", "z")
    expect(row).to_contain_text("✓ own")
    saved(page)
    page.reload()
    expect(page.locator("#queue-left")).to_contain_text("left")
    go_to_row(page, "Chain:", "the stove")
    expect(row).to_contain_text("✓ own")


def test_queue_has_focus_after_submit_dialog_closes(sign_in, gold):
    page = sign_in(person("charlie"), ADDRESS)
    queue = page.locator("#queue")
    expect(queue).to_be_focused()
    page.get_by_role("button", name="Submit…").click()
    expect(page.get_by_role("dialog", name="Before you submit")).to_be_visible()
    page.keyboard.press("Escape")
    expect(queue).to_be_focused()
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("dialog", name="Before you submit").get_by_role("button", name="it").first.click()
    expect(page.locator("#text-pane")).to_be_focused()  # there the answer is given that was missing
