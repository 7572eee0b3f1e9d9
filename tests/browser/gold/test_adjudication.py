"""Adjudication of the demo by keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State, gold_states
from annotations.coding.judgements import decisions_of, judgements_of
from annotations.models import Coding, Membership, Operation, Project, User
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from tests.browser.conftest import press, saved
from tests.browser.pages.test_accessibility import violations

LEFT = re.compile(r"(\d+) decisions? left")


@pytest.fixture
def adjudicator(transactional_db, settings, charlie) -> User:
    """Load the demo, with Charlie as an adjudicator of the dialogue whose gold is drafted."""
    settings.LOCAL = True
    call_command("load_demo", "dialogue", verbosity=0)
    project = Project.objects.get(slug="dialogue")
    add_member(project, charlie, Membership.Role.ADJUDICATOR)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return charlie


def gold() -> Coding:
    return Coding.objects.get(kind=Coding.Kind.GOLD, text__slug="generator")


def decisions_left(page: Page) -> int:
    match = LEFT.search(page.locator("#queue-left").inner_text())
    return int(match[1]) if match else 0


def go_to_card(page: Page, words: str) -> None:
    while words not in page.locator("#queue-card").inner_text():
        press(page, "n")


def codings() -> list[Coding]:
    """Return what the coders have submitted."""
    return list(Coding.objects.of_people().filter(text__slug="generator", status=Coding.Status.SUBMITTED))


def decisions() -> list[dict]:
    return [
        operation.payload for operation in gold().operations.filter(kind=Operation.Kind.DECIDE).order_by("sequence")
    ]


def test_gold_decided_by_keyboard_survives_export_and_import(sign_in, adjudicator, tmp_path):
    page = sign_in(adjudicator, "/projects/dialogue/texts/generator/gold/code/")
    queue = page.locator("#queue")
    expect(queue).to_be_focused()
    expect(page.locator(".queue-table thead")).to_contain_text("F")  # letters, and no names
    assert not set(queue.inner_text().split()) & {"ann", "ben", "cora", "dev", "ewa", "finn"}
    assert violations(page) == []
    at_first = decisions_left(page)
    assert at_first > 10

    press(page, "Enter")  # the draft of a card, but for a row on which it is undecided
    expect(page.locator("#queue-left")).not_to_contain_text(f"{at_first} decisions left")
    saved(page)
    [accepted] = decisions()
    assert accepted["source"] == "draft"
    assert decisions_left(page) == at_first - len(accepted["items"])

    before = decisions_left(page)
    go_to_card(page, "the skipper")  # in no chain, so that none loses its beginning
    press(page, "1")  # what coder A says
    saved(page)
    taken = decisions()[-1]
    assert taken["source"] == "coder"
    [item, *_] = taken["items"]
    coding = Coding.objects.of_people().get(operations__uuid=taken["codings"][0])
    theirs = judgements_of(coding)[item[0]]
    assert judgements_of(gold())[item[0]]["category"] == theirs["category"]
    assert decisions_left(page) < before

    press(page, "u")  # and back, and again
    saved(page)
    expect(page.locator("#queue-left")).to_contain_text(f"{before} decisions left")
    press(page, "Shift+u")
    saved(page)
    expect(page.locator("#queue-left")).not_to_contain_text(f"{before} decisions left")
    assert gold_states([gold()])[0].n_decided == len(accepted["items"]) + len(taken["items"])

    # why, of the next decision
    press(page, "w")
    dialog = page.get_by_role("dialog", name="Why")
    expect(dialog.get_by_label("none given")).to_be_focused()
    press(page, "ArrowDown", "ArrowDown", "Tab")
    expect(page.get_by_label("Section of the guidelines")).to_be_focused()
    press(page, "Tab")
    page.keyboard.type("Both are meant.")
    press(page, "Tab", "Enter")
    expect(dialog).to_have_count(0)
    expect(queue).to_be_focused()
    press(page, "2")
    saved(page)
    said = decisions()[-1]
    assert (said["reason"], said["note"]) == ("guideline", "Both are meant.")

    # an antecedent that nobody had: by the keys of the text
    press(page, "z")
    expect(page.locator("#text-pane")).to_be_focused()
    press(page, "1")
    current = page.locator("#text .is-current").first.get_attribute("data-key")
    said_before = {key for coding in codings() for key in judgements_of(coding).get(current, {}).get("pointers", [])}
    offered = page.locator("#candidates [data-target]")
    targets = [offered.nth(index).get_attribute("data-target") for index in range(offered.count())]
    index, target = next((index, key) for index, key in enumerate(targets) if key not in said_before)
    press(page, "asdfghjkl"[index])
    saved(page)
    assert judgements_of(gold())[current]["pointers"] == [target]
    press(page, "z")
    expect(queue).to_be_focused()

    # all the rest: the draft, or where it is undecided coder A; in the text what lost the beginning of its chain
    for _ in range(200):
        if not decisions_left(page):
            break
        before = decisions_left(page)
        press(page, "Enter")
        if "answer it in the text" in page.locator("#say").inner_text():
            press(page, "z", "4", "z")
        elif decisions_left(page) == before:
            press(page, "1")
    expect(page.locator("#queue-left")).to_contain_text("Nothing left to decide")
    saved(page)
    assert gold_states([gold()])[0].state is State.DECIDED
    page.reload()
    expect(page.locator("#queue-left")).to_contain_text("Nothing left to decide")

    # spot checks, all at once
    expect(queue).to_be_focused()
    expect(page.locator("#queue-card")).to_contain_text("Spot check")
    press(page, "a")
    saved(page)
    expect(page.locator("#queue-left")).not_to_contain_text("spot")
    expect(page.locator("#say")).to_have_text("Everything is decided. Check and submit to close it.")

    submit_gold(page)
    assert gold_states([gold()])[0].state is State.CLOSED
    path = tmp_path / "gold.zip"
    call_command("export_codings", "conll2012", str(path), "--project", "dialogue", "--gold")
    assert chains_of(read_back(path)) == chains_of(gold())


def test_repeated_keys_and_double_clicks_decide_once(sign_in, adjudicator):
    page = sign_in(adjudicator, "/projects/dialogue/texts/generator/gold/code/")
    expect(page.locator("#queue")).to_be_focused()
    for _ in range(10):  # the browser repeats the key
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    saved(page)
    assert len(decisions()) == 1
    go_to_card(page, "the skipper")
    before = decisions_left(page)
    page.get_by_role("button", name=re.compile("Take A")).first.dblclick()
    saved(page)
    assert len(decisions()) == 2
    assert decisions_left(page) < before
    page.locator("#queue").focus()
    go_to_card(page, "Spot check")
    before = judgements_of(gold())
    press(page, "3")
    expect(page.locator("#say")).to_contain_text("Everybody says the same")
    press(page, "Enter")
    saved(page)
    assert judgements_of(gold()) == before
    assert len(decisions()) == 3


def submit_gold(page: Page) -> None:
    """Answer what coders and draft left open, and submit."""
    while page.locator("#progress-text").inner_text().split(" of ")[0] != "46":
        page.locator("#text-pane").focus()
        press(page, "Tab", "4")
    saved(page)
    press(page, "Control+k")
    page.get_by_role("combobox").fill("Check and submit")
    press(page, "Enter")
    page.get_by_role("button", name="Submit", exact=True).focus()
    press(page, "Enter")
    page.wait_for_url("**/rounds/main/")


def read_back(path: Path) -> Coding:
    """Return the coding that a fresh project gets from a file."""
    project = create_project("back", "Back", SCHEMES["poesio-artstein-2005"])
    add_member(project, User.objects.get(username="alice"), Membership.Role.CODER)
    call_command("import_codings", "conll2012", str(path), project="back", coder="alice")
    return Coding.objects.of_people().get(text__project=project)


def chains_of(coding: Coding) -> list[list[str]]:
    """Return the words of the chains of two phrases or more, each in the order of the text.

    The format has no turns, nor that two phrases point to the same one.
    """
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents.setdefault(key, key) != key:
            key = parents[key]
        return key

    for decision in decisions_of(coding):
        for target in (key for key in decision.targets() if key.startswith("phrase:")):
            parents[root(decision.markable)] = root(target)
    phrases = coding.text.markables.filter(level__key="phrase", key__in=[*parents]).order_by("start", "-end")
    chains: dict[str, list[str]] = {}
    for phrase in phrases:
        words = coding.text.content[phrase.start : phrase.end]
        chains.setdefault(root(phrase.key), []).append(" ".join(words.split()))
    return sorted(chain for chain in chains.values() if len(chain) > 1)
