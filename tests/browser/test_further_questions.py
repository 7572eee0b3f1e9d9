"""Attributes, relations and readings on the coding page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotations.coding.judgements import judgements_of
from annotations.coding.replay import log_mismatches
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    Condition,
    RelationSpec,
    Subject,
    ValueSpec,
)
from annotations.models import Coding
from annotations.schemes.ready_made import SCHEMES
from tests.browser.conftest import saved
from tests.shared.schemes import GENDERS, coding_of, rich_project

# Bridging with a kind, a question of its own branch, and an attribute of the entity.
BRIDGING = replace(
    SCHEMES["poesio-artstein-2005"],
    relations=(
        RelationSpec(
            "bridging",
            "bridging",
            "What it belongs to.",
            from_levels=("phrase",),
            to_levels=("phrase",),
            asked_if=Condition(CATEGORY, ("none",)),
        ),
    ),
    attributes=(
        AttributeSpec(
            "how",
            "how related",
            of=Subject.RELATION,
            relation="bridging",
            required=True,
            values=(ValueSpec("part", "part of"), ValueSpec("own", "possession")),
        ),
        AttributeSpec("use", "use", asked_if=Condition(CATEGORY, ("place",)), values=(ValueSpec("a", "heating"), ValueSpec("b", "other"))),
        AttributeSpec("which", "which use", kind=AnswerKind.TEXT, asked_if=Condition("use", ("b",))),
        AttributeSpec("gender", "gender", of=Subject.ENTITY, asked_if=Condition(CATEGORY, ("phrase", "place")), values=GENDERS),
    ),
)  # fmt: skip


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


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def answers(page: Page, coding: Coding) -> dict[str, dict]:
    """Return the judgements that the server has, by the words of their markables, and check that the log says the same."""
    saved(page)
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    words = {one.key: coding.text.content[one.start : one.end] for one in coding.text.markables.all()}
    return {words[key]: one for key, one in judgements_of(coding).items()}


def letter(page: Page, words: str) -> str:
    return page.locator("#candidates li", has_text=words).locator("kbd").first.inner_text()


def asked(page: Page) -> str:
    return page.locator(".coding-question.is-asked legend").inner_text()


def test_bridging_with_its_attribute_is_coded_by_key_and_joins_no_chain(page, coding):
    press(page, "4", "Space", "4")
    expect(page.locator("#letters-mean")).to_have_text("Letters choose targets of bridging. Esc goes back.")
    expect(page.locator("#announce")).to_have_text(re.compile("bridging: letters choose its targets, Esc goes back"))
    expect(page.locator("#further-questions .coding-question")).to_have_count(1)
    page.screenshot(path="/tmp/cod/1.png")
    press(page, letter(page, "the kettle"))
    expect(page.locator(".coding-question.is-asked legend")).to_have_text("how related required")
    expect(page.locator("#announce")).to_have_text(
        re.compile("bridging to the kettle.*how related: 1 part of, 2 possession")
    )
    expect(page.locator("#text .markable.is-related")).to_have_text("the kettle")
    press(page, "Space")
    expect(page.locator("#say")).to_have_text("how related is missing.")
    press(page, "2")
    page.screenshot(path="/tmp/cod/2.png")
    found = answers(page, coding)["the stove"]
    assert found["relations"] == {"bridging": [judged_key(coding, "the kettle")]}
    assert found["attributes"] == {"how": "own"}
    expect(page.locator("#text .badge")).to_have_count(0)
    press(page, "Space")
    expect(page.locator("#words")).to_have_text("it")


def judged_key(coding: Coding, words: str) -> str:
    return next(one.key for one in coding.text.markables.all() if coding.text.content[one.start : one.end] == words)


def test_a_branch_comes_and_goes_with_the_answers_and_what_is_dropped_is_said(page, coding):
    press(page, "3")
    expect(page.locator(".coding-question.is-asked legend")).to_have_text("use")
    press(page, "2")
    field = page.get_by_label("which use")
    expect(field).to_be_focused()
    page.keyboard.type("brewing")
    press(page, "Enter")
    expect(page.locator("#entity-questions .coding-question.is-asked legend")).to_have_text("gender")
    page.screenshot(path="/tmp/cod/3.png")
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


def test_gender_is_asked_once_for_a_chain(page, coding):
    press(page, "3", "Space", "1", "Tab", "4", "Tab", "1")
    press(page, letter(page, "the kettle"))
    page.screenshot(path="/tmp/cod/4.png")
    expect(page.locator("#entity-questions .coding-question")).to_have_count(1)
    expect(page.locator("#entity-questions [data-value=f]")).to_have_attribute("aria-pressed", "true")
    assert answers(page, coding)["it"]["pointers"]
    assert "attributes" not in answers(page, coding)["it"]
