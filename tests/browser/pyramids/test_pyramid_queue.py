"""An adjudicator decides the queue of an agreed pyramid by keys: accept, overrule, say why, undo; and by mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotations.adjudication.decisions.listing import gold_decisions
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramid_queue import build_pyramid_queue
from annotations.adjudication.states import State, gold_states
from annotations.coding.log.replay import log_mismatches
from annotations.coding.pyramids.scus import contributors_of, scu_descriptions
from annotations.models import Coding, Membership, User
from annotations.projects.people.members import add_member
from tests.browser.conftest import assert_fits, press, saved
from tests.browser.pages.test_accessibility import violations
from tests.shared.projects import person
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project

ADDRESS = "/projects/ferry/texts/sinking/agreed/code/"
# Alice and Bob have the same but for the boats; Carol has other words for the people, and the sinking in two SCUs.
ALICE = {
    "sank": ["ferry sank", "ferry went down", "the ferry sank"],
    "dawn": ["at dawn", "At dawn"],
    "rescued": ["Forty people were rescued", "Forty were rescued"],
}
BOB = ALICE | {"boats": ["Boats"]}
CAROL = {
    "ship": ["ferry sank", "the ferry sank"],
    "down": ["ferry went down"],
    "morning": ["at dawn", "At dawn"],
    "saved": ["Forty people", "Forty were rescued"],
}


@pytest.fixture
def adam(transactional_db, alice, bob) -> User:
    """Return the adjudicator of a docset that three coders have submitted, and whose agreed pyramid is drafted."""
    carol, adam = person("carol"), person("adam")
    project = pyramid_project(guidelines="# Facts\n\nOne fact is one SCU.\n\n# Boats\n\nNo boats.")
    add_member(project, adam, Membership.Role.ADJUDICATOR)
    made = docset(project, alice, bob, carol)
    codings = codings_of(models_of(made))
    for number, (name, scus) in enumerate({"alice": ALICE, "bob": BOB, "carol": CAROL}.items(), 1):
        build(codings[name], {f"{key} {number}": words for key, words in scus.items()})
    draft_gold(project, DraftRequest(Method.MOST))
    return adam


def agreed() -> Coding:
    return Coding.objects.of_people().select_related("text", "round").get(kind="agreed")


def columns() -> dict[str, str]:
    """Return the letter of each coder."""
    coding = agreed()
    return {column.name: column.letter for column in build_pyramid_queue(coding.text.project, coding).columns}


def digit(name: str) -> str:
    return str("ABC".index(columns()[name]) + 1)


def decided() -> dict[str, tuple[str, str, str]]:
    coding = agreed()
    return {
        decision.item.markable: (str(decision.source), str(decision.reason), decision.note)
        for decision in gold_decisions([coding])[coding.pk]
    }


def scus_by_label() -> dict[str, set[str]]:
    coding = agreed()
    labels = {key: description["label"] for key, description in scu_descriptions(coding).items()}
    found: dict[str, set[str]] = {label: set() for label in labels.values()}
    for each in contributors_of(coding):
        for scu in each.scus:
            found[labels[scu]].add(each.key)
    return found


def decisions_left(page: Page) -> int:
    found = re.search(r"(\d+) decisions? left", page.locator("#queue-left").inner_text())
    return int(found[1]) if found else 0


def card(page: Page) -> str:
    return page.locator("#queue-card").inner_text()


def go_to_card(page: Page, words: str) -> None:
    """Go to the card with these words."""
    for _ in range(6):
        if words in card(page):
            return
        press(page, "n")
    raise AssertionError(card(page))


def test_adjudicator_decides_queue_by_keyboard(sign_in, adam):
    text = agreed().text
    page = sign_in(adam, ADDRESS)
    queue = page.locator("#queue")
    expect(queue).to_be_focused()
    assert not set(queue.inner_text().lower().split()) & {"alice", "bob", "carol"}
    assert violations(page) == []
    at_first = decisions_left(page)
    assert at_first == len(gold_states([agreed()])[0].contested) == 3

    # overrule the draft: the people as Carol has them, with fewer words
    people, fewer = contributor(text, "Forty people were rescued"), contributor(text, "Forty people")
    go_to_card(page, "Rescued")
    expect(page.locator(".queue-table tbody tr")).to_have_count(1)  # what nobody contests is folded
    expect(page.locator(".queue-table tbody")).to_contain_text("fewer words")
    press(page, digit("carol"))
    saved(page)
    keys = {each.key for each in contributors_of(agreed())}
    assert people not in keys
    assert fewer in keys
    assert scus_by_label()["Rescued 1"] == {fewer, contributor(text, "Forty were rescued")}
    assert decided() == {people: ("coder", "", "")}
    assert decisions_left(page) == at_first - 1

    # back, and again
    press(page, "u")
    saved(page)
    expect(page.locator("#queue-left")).to_contain_text(f"{at_first} decisions left")
    assert people in {each.key for each in contributors_of(agreed())}
    assert decided() == {}
    press(page, "Shift+u")
    saved(page)
    assert decided() == {people: ("coder", "", "")}

    # accept the draft of the next card, with a reason
    go_to_card(page, "Sank")
    press(page, "w")
    dialog = page.get_by_role("dialog", name="Why")
    expect(dialog.get_by_label("none given")).to_be_focused()
    press(page, "ArrowDown", "ArrowDown", "Tab")
    expect(page.get_by_label("Section of the guidelines")).to_be_focused()
    press(page, "ArrowDown", "Tab")
    page.keyboard.type("One fact.")
    press(page, "Tab", "Enter")
    expect(queue).to_be_focused()
    press(page, "Enter")
    saved(page)
    down = contributor(text, "ferry went down")
    assert decided()[down] == ("draft", "guideline", "One fact.")
    operation = agreed().operations.filter(kind="decide").order_by("-sequence")[0]
    assert operation.payload["section"] == "Facts"

    # an SCU that the draft lacks: taken as Bob has it, then none of it
    boats = contributor(text, "Boats")
    go_to_card(page, "In no SCU")
    press(page, digit("bob"))
    saved(page)
    assert scus_by_label()["Boats 2"] == {boats}
    expect(page.locator("#queue-left")).to_contain_text("Nothing left to decide")
    go_to_card(page, "In no SCU")
    press(page, "0")
    saved(page)
    assert "Boats 2" not in scus_by_label()
    assert decided()[boats] == ("own", "", "")

    # to the words and back, then all spot checks at once
    press(page, "q")
    expect(page.locator("#text-pane")).to_be_focused()
    press(page, "q")
    expect(queue).to_be_focused()
    go_to_card(page, "Spot check")
    press(page, "a")
    saved(page)
    expect(page.locator("#queue-left")).not_to_contain_text("spot")
    assert gold_states([agreed()])[0].state is State.DECIDED
    assert list(log_mismatches(agreed())) == []

    before = decided()
    page.reload()
    expect(page.locator("#queue-left")).to_contain_text("Nothing left to decide")
    assert decided() == before


def test_adjudicator_decides_queue_by_mouse_and_in_text(sign_in, adam):
    text = agreed().text
    page = sign_in(adam, ADDRESS)
    expect(page.locator("#queue")).to_be_focused()
    assert_fits(page, 390, 768, 1440)
    go_to_card(page, "Rescued")
    page.locator("#queue-fold").click()
    expect(page.locator(".queue-table tbody tr")).to_have_count(2)
    page.get_by_role("button", name=re.compile(f"^Take {columns()['carol']}: .*fewer words")).click()
    saved(page)
    people = contributor(text, "Forty people were rescued")
    assert decided()[people][0] == "coder"

    # words changed among the summaries, by nobody's answer
    boundary = contributor(text, "a ferry went down")
    go_to_card(page, "Sank")
    page.locator(".queue-table tbody th").first.click()  # its contributor is selected
    press(page, "q", "ArrowLeft", "p")
    saved(page)
    assert boundary in {each.key for each in contributors_of(agreed())}
    assert decided()[boundary][0] == "own"
    expect(page.locator("#queue-left")).to_contain_text("1 decision left")
    hints = page.locator("#hints")
    page.locator("#queue").focus()
    expect(hints).to_contain_text(re.compile("^Queue.*q to the summaries.*n next card"))
    press(page, "q")
    expect(hints).to_contain_text(re.compile("^Summaries.*q to the queue.*n new SCU"))
    page.locator("#queue").focus()
    expect(hints).to_contain_text(re.compile("^Queue"))
    page.locator("#scu-filter").focus()
    expect(hints).to_contain_text(re.compile("^Summaries"))


def test_pyramid_without_draft_has_no_queue(sign_in, adam):
    Coding.objects.of_people().get(kind="agreed").operations.filter(kind="draft").update(kind="import")
    page = sign_in(adam, ADDRESS)
    expect(page.locator("#scus > .pyramid-scu").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator("#queue")).to_be_hidden()
