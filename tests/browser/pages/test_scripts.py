"""Texts of every kind are shown as they are: turns, sentences, headers, line breaks; all scripts and directions."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotations.models import Segment

TEXT = "MEMO\nTo [all](a).\n\nOne is [here](b). Two went\nhome. [Three](c) stayed."


def add_segments(coder, *segments: tuple[str, str, str]) -> None:
    """Add segments (kind, words, speaker) to the coder's text."""
    text = coder.coding.text
    Segment.objects.bulk_create(
        Segment(text=text, kind=kind, start=start, end=start + len(words), speaker=speaker)
        for kind, words, speaker in segments
        for start in [text.content.index(words)]
    )
    coder.page.reload()
    expect(coder.page.locator("#progress-text")).to_contain_text("decided")


def test_page_shows_header_line_breaks_and_sentences(coder_of):
    coder = coder_of(TEXT)
    add_segments(
        coder,
        ("header", "MEMO\nTo all.", ""),
        ("paragraph", "One is here. Two went\nhome. Three stayed.", ""),
        ("sentence", "One is here.", ""),
        ("sentence", "Two went\nhome.", ""),
        ("sentence", "Three stayed.", ""),
    )
    page = coder.page
    header = page.locator("#text .text-header")
    assert header.evaluate("(element) => element.textContent") == "MEMO\nTo all."
    assert header.evaluate("(element) => getComputedStyle(element).whiteSpace") == "pre-wrap"
    paragraph = page.locator("#text .paragraph")
    assert paragraph.evaluate("(element) => element.textContent") == "One is here. Two went\nhome. Three stayed."
    expect(paragraph.locator(".sentence-start")).to_have_count(2)  # none before the first
    one_line = paragraph.evaluate("(element) => parseFloat(getComputedStyle(element).lineHeight)")
    assert paragraph.bounding_box()["height"] >= 2 * one_line


def test_sentences_with_speakers_are_rows_with_names(coder_of):
    coder = coder_of("[I](a) will go.\nSo will [I](b).\nWhen?")
    add_segments(
        coder,
        ("sentence", "I will go.", "Ann"),
        ("sentence", "So will I.", "Ann"),
        ("sentence", "When?", "Bob"),
    )
    expect(coder.page.locator("#text .turn-speaker")).to_have_text(["Ann", "", "Bob"])


@pytest.mark.parametrize(("language", "text"), [("he", "שלום [עולם](a) טוב"), ("ar", "مرحبا [بالعالم](a) الجميل")])
def test_right_to_left_text_starts_at_right_and_swaps_arrows(coder_of, language, text):
    coder = coder_of(f"{text}\n[abc](b)", language=language, direction="rtl")
    page = coder.page
    assert page.locator("#text").get_attribute("lang") == language
    first = page.locator("#text .markable").first.bounding_box()
    pane = page.locator("#text").bounding_box()
    assert first["x"] > pane["x"] + pane["width"] / 2
    coder.press("ArrowLeft")
    coder.at("abc")
    coder.press("ArrowRight")
    expect(page.locator("#position")).to_have_text("1 of 2")
    forward = page.locator("[data-do=next]")
    expect(forward).to_have_attribute("title", "Next markable (←)")
    expect(forward).to_have_attribute("aria-keyshortcuts", "ArrowLeft")
    coder.press("?")
    expect(page.locator("#key-list tr", has_text="Next markable").first).to_contain_text("←")


def test_coder_links_chinese_words(coder_of):
    coder = coder_of("[北京](a)很大。我喜欢[北京](b)。", language="zh")
    coder.press("4", "Enter")
    coder.at("北京")
    coder.point_to("北京")
    expect(coder.page.locator("#text .badge")).to_have_text(["1", "1"])
    keys = coder.keys()
    assert coder.saved()[keys["b"]]["pointers"] == [keys["a"]]


def test_emoji_and_combining_marks_shift_no_markable(coder_of):
    coder = coder_of("👩‍👩‍👧‍👦 e\u0301te\u0301 [🐟 fish](a) 🎉 [the cat](b)")
    coder.at("🐟 fish")
    coder.press("ArrowRight")
    coder.at("the cat")
    expect(coder.page.locator("#text .is-current")).to_have_text(re.compile("the cat$"))
