"""Items without an answer in the queue of gold."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotations.adjudication.states import State, gold_states
from annotations.coding.judgements import judgements_of
from annotations.models import Coding
from tests.browser.conftest import press, saved
from tests.shared.drafted_gold import LABELS, THREE_CATEGORIES, THREE_KINDS, bridging_project, drafted
from tests.shared.projects import person

ADDRESS = "/projects/tea-holes/texts/tea/gold/code/"


@pytest.fixture
def gold(transactional_db) -> Coding:
    """Return gold with three different answers on two questions."""
    project = bridging_project()
    return drafted(
        project,
        *(said | {"f": of_f["b"]} for said, of_f in zip(THREE_CATEGORIES, THREE_KINDS, strict=True)),
    )


def go_to_card(page: Page, words: str) -> None:
    while words not in page.locator("#queue").inner_text():
        press(page, "n")


def digit_of(page: Page, words: str) -> str:
    """Return the digit of the coder with these words on the current row."""
    cells = page.locator(".queue-table tr[aria-current] td").all_inner_texts()
    return str(next(number for number, cell in enumerate(cells, 1) if cell.strip() == words))


def test_enter_leaves_rows_without_majority_undecided(sign_in, gold, tmp_path: Path):
    page = sign_in(person("charlie"), ADDRESS)
    left, say = page.locator("#queue-left"), page.locator("#say")
    expect(page.locator("#queue")).to_be_focused()
    for _ in range(4):  # each card, and none of them twice
        press(page, "Enter", "Enter", "n")
    saved(page)
    expect(left).to_contain_text("2 decisions left")
    go_to_card(page, "how related")
    press(page, "Enter")
    expect(say).to_contain_text(re.compile("No majority for “.*”: take a coder’s answer, or give your own"))
    assert gold_states([gold])[0].state is State.OPEN

    press(page, "Control+k")
    page.get_by_role("combobox").fill("Check and submit")
    press(page, "Enter")
    checks = page.get_by_role("dialog").filter(has_text="Required answers missing: 2")
    expect(checks).to_contain_text(re.compile("the stove.*undecided"))
    expect(checks.get_by_role("button", name="Submit")).to_have_count(0)
    press(page, "Escape")
    expect(page.locator("#queue")).to_be_focused()

    press(page, digit_of(page, "–"))
    expect(say).to_have_text("“that” needs an answer to “how related”: take one, or give your own.")
    press(page, digit_of(page, "possession"))
    expect(left).to_contain_text("1 decision left")
    go_to_card(page, "the stove")
    press(page, "0")
    expect(say).to_contain_text("“the stove” needs an answer to “Category”")
    press(page, "1")
    expect(left).to_contain_text("Nothing left to decide")
    saved(page)
    assert gold_states([gold])[0].state is State.DECIDED

    path = tmp_path / "gold.zip"
    call_command("export_codings", "jsonlines", str(path), "--project=tea-holes", "--gold")
    with zipfile.ZipFile(path) as archive:
        losses = archive.read("LOSSES.txt").decode() if "LOSSES.txt" in archive.namelist() else ""
        assert "asks for" not in losses
        [name] = [name for name in archive.namelist() if name.startswith("gold/")]
        document = json.loads(archive.read(name).splitlines()[0])
    assert document
    assert len([answer for answer in judgements_of(gold).values() if answer["category"]]) == len(LABELS)


def test_queue_asks_question_that_new_category_requires(sign_in, gold):
    page = sign_in(person("charlie"), ADDRESS)
    left, say = page.locator("#queue-left"), page.locator("#say")
    expect(left).to_contain_text("3 decisions left")
    go_to_card(page, "the stove")
    press(page, "z", "4")  # none of the categories that coders gave, and what it is bridging from
    press(page, page.locator("#candidates li", has_text="the kettle").locator("kbd").first.inner_text())
    saved(page)
    expect(left).to_contain_text("3 decisions left")  # how related, in the place of the category
    press(page, "Escape", "z")
    expect(page.locator("#queue")).to_be_focused()
    go_to_card(page, " · bridging")
    press(page, "Enter")
    go_to_card(page, "how related")
    press(page, digit_of(page, "possession"))
    go_to_card(page, "Spot check")
    press(page, "a")
    expect(say).to_have_text("“how related” has no answer for “the stove”: answer it in the text.")
    expect(page.locator("#text .is-current")).to_have_text(re.compile("the stove"))
