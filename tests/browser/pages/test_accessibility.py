"""Accessibility of the coding page."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.shared.cases import cases

DIALOGUE = """\
#turns: turn
1 Margaret: [Ann](a) met [Bob](b)
2 S: [she](c) greeted [him](d)
"""


COLOURS = """(element) => [getComputedStyle(element).backgroundColor,
  ...new Set([element, ...element.querySelectorAll("*")].map((each) => getComputedStyle(each).color))]"""
HIGHLIGHT = """() => {
  const probe = document.body.appendChild(document.createElement("p"));
  probe.style.cssText = "color: HighlightText; background: Highlight; forced-color-adjust: none";
  const { color, backgroundColor } = getComputedStyle(probe);
  probe.remove();
  return [backgroundColor, color];
}"""


@pytest.fixture
def coder(coder_of):
    coder = coder_of(DIALOGUE, marking=True)
    coder.coding.text.project.guidelines = "# What to do\n\nRead *twice*."
    coder.coding.text.project.save()
    coder.page.reload()
    expect(coder.page.locator("#progress-text")).to_contain_text("decided")
    coder.press("4", "ArrowRight", "ArrowRight")
    coder.point_to("Ann")
    return coder


def violations(page: Page, *rules: str, but: Sequence[str] = (), within: str | None = None) -> list[str]:
    """Return what axe finds that is serious or critical, by all of its rules or by these.

    but: rules of all that are left out; within: the selector of the elements to look at, of which there is one.
    """
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # What axe finds right, too, would be tens of kilobytes.
    asked = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in but}, **only}
    results = page.evaluate(
        "([where, asked]) => axe.run(where || document, asked).then((found) => found.violations)", [within, asked]
    )
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in results
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def barriers(page: Page) -> list[str]:
    """Return what axe finds in light colours, and of the colours in the dark."""
    # A colour on its way from one scheme to the other is nobody's choice.
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    results = violations(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    return results + violations(page, "color-contrast")


def test_forced_colours_highlight_choice_and_categories_differ(coder):
    page = coder.page
    page.emulate_media(forced_colors="active")
    for selector in (".coding-category", ".coding-candidate"):
        looks = page.locator(selector).evaluate_all(
            "(all) => all.map((element) => [element.ariaPressed, getComputedStyle(element).backgroundColor])"
        )
        chosen = {colour for pressed, colour in looks if pressed == "true"}
        assert len(chosen) == 1
        assert chosen.isdisjoint(colour for pressed, colour in looks if pressed != "true")
        chosen_element = page.locator(f"{selector}[aria-pressed=true]")
        assert chosen_element.evaluate(COLOURS) == page.evaluate(HIGHLIGHT)
    turn = page.locator(".markable.is-target:not([class*=chain-])").first
    expect(turn).to_have_css("border-block-end-style", "none")
    page.emulate_media(forced_colors="none")
    read_colour = "(element, side) => getComputedStyle(element).getPropertyValue(`border-${side}-color`)"
    buttons = page.locator(".coding-category")
    colours = [buttons.nth(index).evaluate(read_colour, "inline-start") for index in range(4)]
    assert len(set(colours)) == 4
    coder.press("Shift+Tab", "3", "ArrowRight")
    words = coder.markable("Bob")
    assert words.evaluate(read_colour, "block-end") == colours[2]
    expect(words).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    coder.saved()


def test_coding_page_passes_axe(coder):
    page = coder.page
    assert barriers(page) == []
    for key in ("v", "/"):
        coder.press(key)
    assert barriers(page) == []
    coder.press("Escape")
    page.locator("#text-pane").focus()
    coder.press("e")
    assert barriers(page) == []
    coder.press("Escape")
    for key, name in (("Control+k", "All actions"), ("m", "Merge"), ("?", "Keys")):
        coder.press(key)
        expect(page.get_by_role("dialog", name=re.compile(name))).to_be_visible()
        assert barriers(page) == []
        coder.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Submit…").click()
    expect(page.get_by_role("dialog", name="Before you submit")).to_be_visible()
    assert barriers(page) == []
    coder.press("Escape")
    coder.saved()


def test_unsure_note_and_undo_stay_visible_with_many_candidates(coder_of):
    coder = coder_of(" ".join(f"[Ann {index}](a{index})" for index in range(40)))
    page = coder.page
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        coder.press("End", "1")
        expect(page.locator("#candidates li")).to_have_count(24)
        for control in ("#unsure", "#note", "#undo"):
            expect(page.locator(control)).to_be_in_viewport(ratio=1)
        expect(page.locator("#candidates li").first).to_be_in_viewport(ratio=1)
        coder.press("u")
        coder.saved()


def test_screen_reader_gets_text_controls_and_current_markable(coder):
    text = coder.page.locator("#text-pane").aria_snapshot()
    for words in ("Margaret", "Ann", "greeted", "him"):
        assert words in text
    coder.saved()
    page = coder.page
    nameless = page.locator("button, input, select, textarea, summary").evaluate_all(
        """(all) => all.filter((element) => element.checkVisibility())
          .filter((element) => !(element.textContent.trim() || element.ariaLabel || element.labels?.length))
          .map((element) => element.outerHTML)"""
    )
    assert nameless == []
    expect(page.get_by_role("button", name="place")).to_have_attribute("aria-keyshortcuts", "3")
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("aria-keyshortcuts", "u Control+z")
    expect(page.get_by_role("button", name="Next markable")).to_have_attribute("aria-keyshortcuts", "ArrowRight")
    coder.saved()
    text = page.locator("#text-pane")
    current = text.locator("[aria-current=true]")
    expect(text.get_by_role("link")).to_have_text([re.compile("^Ann"), "Bob", re.compile("^she"), "him"])
    expect(current).to_have_text(re.compile("^she"))
    text.get_by_role("link", name="Bob").dispatch_event("click")
    coder.at("Bob")
    expect(current).to_have_text("Bob")
    expect(text.get_by_role("link", name="key a Ann")).to_have_count(1)
    coder.saved()
    coder.press("ArrowRight")
    said = coder.page.locator("#announce")
    expect(said).to_have_text("she, 3 of 4. phrase, Ann")
    coder.press("Shift+Tab")
    expect(said).to_have_text("Bob, 2 of 4. undecided. a Ann")
    coder.press("3", "q")
    expect(said).to_have_text("Bob, 2 of 4. place. unsure")
    coder.press("u")
    expect(said).to_have_text("Undone. Bob, 2 of 4. place")
    coder.saved()


def test_tab_key_reaches_all_controls(coder):
    page = coder.page
    page.locator("#text-pane").focus()
    coder.press("Escape")
    reached = set()
    for _ in range(60):
        coder.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"note", "undo", "submit", "1phrase", "Sign out"} <= reached
    coder.saved()


def test_coding_page_fits_narrow_window(coder):
    page = coder.page
    coder.saved()
    for width in cases([380, 1000], full=[640]):
        page.set_viewport_size({"width": width, "height": 700})
        page.reload()
        expect(page.locator("#progress-text")).to_contain_text("decided")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for element in ("#text .is-current", "#words", "#save-state"):
            expect(page.locator(element).first).to_be_in_viewport()
        coder.press("Shift+Tab", "3")
        expect(page.get_by_role("button", name="place")).to_have_attribute("aria-pressed", "true")
        for key in ("Control+k", "?"):
            coder.press(key)
            expect(page.get_by_role("dialog")).to_be_visible()
            box = page.get_by_role("dialog").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            coder.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
        coder.press("u")
        coder.saved()


def test_coding_page_is_usable_at_zoom_of_400_percent(coder):
    page = coder.page
    coder.saved()
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 by 1024 at 400 %
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("decided")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    coder.press("Tab", "3")
    expect(page.locator("#progress-text")).to_have_text("3 of 4 decided")
    coder.saved()


def test_page_reduces_motion_and_remembers_text_size(coder):
    page = coder.page
    find_moving = """[...document.querySelectorAll("*")].filter((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return `${transitionDuration},${animationDuration}`.split(",").some((element) => parseFloat(element) > 0);
        }).map((element) => element.outerHTML.slice(0, 80))"""
    page.emulate_media(reduced_motion="no-preference")
    moving = page.evaluate(find_moving)
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(find_moving) == [] != moving
    coder.saved()
    size = "(text) => parseFloat(getComputedStyle(text).fontSize)"
    before = page.locator("#text").evaluate(size)
    coder.press("+", "+")
    larger = page.locator("#text").evaluate(size)
    assert larger > before
    coder.saved()
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("decided")
    assert page.locator("#text").evaluate(size) == larger
    coder.press("-", "-", "-")
    assert page.locator("#text").evaluate(size) < before
