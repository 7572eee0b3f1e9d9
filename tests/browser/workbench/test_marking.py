"""Marking of words by coders."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotations.schemes.project_scheme import set_coder_marked_levels
from tests.browser.conftest import Coder, wait_until

BALL = "The big red ball lay there. [It](it) was Ann's.\n\nShe looked the number up."


@pytest.fixture
def coder(coder_of) -> Coder:
    return coder_of(BALL, marking=True)


def select(coder: Coder, words: str) -> None:
    """Select words with the mouse, from their first to their last character."""
    box = coder.page.evaluate(
        """(words) => {
          const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
          const nodes = [];
          while (walker.nextNode()) { nodes.push(walker.currentNode); }
          const all = nodes.map((node) => node.data).join("");
          const place = (offset) => {
            let left = offset;
            for (const node of nodes) {
              if (left <= node.length) { return [node, left]; }
              left -= node.length;
            }
          };
          const start = all.indexOf(words);
          const box = (from, to) => {
            const range = document.createRange();
            range.setStart(...place(from));
            range.setEnd(...place(to));
            const { left, right, top, bottom } = range.getBoundingClientRect();
            return { left, right, middle: (top + bottom) / 2 };
          };
          const first = box(start, start + 1);
          const last = box(start + words.length - 1, start + words.length);
          return { from: [first.left + 0.5, first.middle], to: [last.right - 0.5, last.middle] };
        }""",
        words,
    )
    mouse = coder.page.mouse
    mouse.move(*box["from"])
    mouse.down()
    mouse.move(*box["to"], steps=4)
    mouse.up()


def marked(coder: Coder) -> dict[str, str]:
    """Return the coder's own markables in words, by key."""
    content = coder.coding.text.content
    given = set(coder.coding.text.markables.filter(predefined=True).values_list("key", flat=True))
    saved_words = {}
    for key in set(coder.saved()) - given:
        parts = [part.split("-") for part in key.split(":")[1].split(",")]
        saved_words[key] = " … ".join(content[int(start) : int(end)] for start, end in parts)
    return saved_words


def test_antecedent_of_markable_deleted_elsewhere_is_dropped(coder_of):
    coder = coder_of("[Ann](a) saw the ball. [She](b) left.", marking=True)
    select(coder, "ball")
    coder.press("e")
    coder.at("ball")
    coder.saved()
    other = Coder(coder.page.context.new_page(), coder.coding)
    other.page.goto("/projects/own/texts/tea/code/")
    other.at("Ann")
    coder.press(".")
    expect(coder.page.get_by_role("option")).to_have_count(1)
    other.press("ArrowRight", "Delete")
    other.saved()
    coder.at("She")
    coder.press("Enter")
    expect(coder.page.locator("#say")).to_have_text("The markable was deleted. This is the current one.")
    assert not any(value["pointers"] for value in coder.saved().values())


def test_coder_marks_words_by_key_by_button_and_in_parts(coder):
    select(coder, "big red ball")
    expect(coder.page.get_by_role("group", name="Marking")).to_contain_text("big red ball")
    coder.press("e")
    coder.at("big red ball")
    expect(coder.page.locator("#progress-text")).to_have_text("0 of 2 decided")
    select(coder, "number")
    expect(coder.page.get_by_role("group", name="Marking")).to_contain_text("number")
    coder.page.get_by_role("button", name="Mark", exact=True).click()
    coder.at("number")
    select(coder, "looked")
    coder.page.get_by_role("button", name="Add a part").click()
    select(coder, "up")
    expect(coder.page.get_by_role("group", name="Marking")).to_contain_text("looked … up")
    coder.page.get_by_role("button", name="Mark", exact=True).click()
    coder.at("looked … up")
    assert set(marked(coder).values()) == {"big red ball", "number", "looked … up"}


def test_coder_marks_nested_and_crossing_words(coder):
    for words in ("big red ball", "red", "ball lay"):
        select(coder, words)
        coder.press("e")
        coder.at(words)
    expect(coder.page.locator("#say")).to_have_text("Marked. Crosses “big red ball”. Undo removes it.")
    assert set(marked(coder).values()) == {"big red ball", "red", "ball lay"}
    expect(coder.page.locator('[data-key="phrase:8-11"]')).to_have_class(re.compile("depth-1"))
    expect(coder.page.locator('[data-key="phrase:4-16"]')).to_have_class(re.compile("depth-[23]"))
    coder.page.reload()
    expect(coder.page.locator("#progress-text")).to_have_text("0 of 4 decided")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 500)])
def test_marking_bar_is_near_selection_and_covers_none_of_it(coder_of, width, height):
    coder = coder_of("\n\n".join([BALL.replace("[It](it)", "It")] * 20), marking=True)
    page = coder.page
    page.set_viewport_size({"width": width, "height": height})
    bar = page.get_by_role("group", name="Marking")
    for scroll in (0, 130, 10_000):
        page.locator("#text-pane").evaluate("(pane, top) => { pane.scrollTop = top; }", scroll)
        for edge in ("first", "last"):
            page.evaluate(
                """(place) => {
                  const frame = document.getElementById("text-pane").getBoundingClientRect();
                  const inside = [...document.querySelectorAll("#text .plain-line, #text .paragraph")]
                    .filter((line) => {
                      const box = line.getBoundingClientRect();
                      return box.top > frame.top && box.bottom < frame.bottom;
                    });
                  const line = place === "first" ? inside[0] : inside.at(-1);
                  getSelection().setBaseAndExtent(line.firstChild, 0, line.firstChild, 8);
                }""",
                edge,
            )
            expect(bar).to_be_visible()
            wait_until(page, "!document.getElementById('marking-bar').hidden && getSelection().rangeCount > 0")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            own, words, frame = page.evaluate(
                """() => [document.getElementById("marking-bar"), getSelection().getRangeAt(0),
                  document.getElementById("text-pane")].map((box) => {
                    const { left, top, right, bottom } = box.getBoundingClientRect();
                    return { left, top, right, bottom };
                })"""
            )
            assert own["bottom"] <= words["top"] or own["top"] >= words["bottom"]
            assert min(abs(own["top"] - words["bottom"]), abs(words["top"] - own["bottom"])) < 40
            assert frame["left"] <= own["left"]
            assert own["right"] <= frame["right"]
            assert frame["top"] <= own["top"]
            assert own["bottom"] <= frame["bottom"]
    coder.saved()


def test_mark_all_marks_equal_words_in_one_step(coder_of):
    coder = coder_of("Ann met [Ann](a) and Annie. [Mary Ann](m) and Ann left: ann did not.", marking=True)
    page = coder.page
    select(coder, "Ann")
    page.get_by_role("button", name="Mark all 3").click()
    expect(page.locator("#say")).to_have_text("Marked “Ann” 3 times. Undo removes all of them. 1 was marked before.")
    assert sorted(marked(coder).values()) == ["Ann", "Ann", "Ann"]
    coder.press("Shift+E")
    expect(page.locator("#say")).to_have_text("There is no other “Ann” to mark. 4 were marked before.")
    coder.press("u")
    assert marked(coder) == {}
    coder.press("Shift+U")
    assert sorted(marked(coder).values()) == ["Ann", "Ann", "Ann"]


def test_double_click_marks_word(coder):
    page = coder.page
    box = page.get_by_text("She looked the number up.").bounding_box()
    page.mouse.dblclick(box["x"] + 8, box["y"] + box["height"] / 2)
    coder.at("She")
    coder.press("4")
    page.locator("#text [data-key]").filter(has_text="It").dblclick()
    coder.at("It")
    expect(page.get_by_role("button", name="Mark", exact=True)).to_be_disabled()
    assert list(marked(coder).values()) == ["She"]


def test_extended_markable_skips_words_of_other_markable(coder_of):
    coder = coder_of("[The big red](x) ball lay there.", marking=True)
    select(coder, "The")
    coder.press("e")
    coder.at("The")
    coder.press("Control+ArrowRight")
    coder.at("The big")
    coder.press("Control+ArrowRight")
    coder.at("The big red ball")
    coder.press("Control+ArrowLeft")
    coder.at("The big")
    assert list(marked(coder).values()) == ["The big"]


def test_keyboard_creates_judges_moves_and_deletes_markable(coder):
    coder.press("e", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "Enter")
    coder.at("ball lay")
    coder.press("4", "Control+Shift+ArrowLeft", "Control+ArrowLeft")
    coder.at("red ball")
    coder.press("Tab", "1")
    coder.point_to("red ball")
    coder.press("p", "Alt+Shift+ArrowRight")
    coder.at("ed ball")
    coder.press("Alt+Shift+ArrowLeft", "Control+Shift+ArrowLeft")
    coder.at("big red ball")
    keys = coder.keys()
    [(key, words)] = marked(coder).items()
    assert words == "big red ball"
    judgements = coder.saved()
    assert judgements[key]["category"] == "none"
    assert judgements[keys["it"]]["pointers"] == [key]
    coder.press("Delete")
    assert marked(coder) == {}
    assert coder.saved()[keys["it"]]["pointers"] == []
    coder.press("u")
    coder.at("big red ball")
    assert marked(coder) == {key: "big red ball"}
    assert coder.saved()[keys["it"]]["pointers"] == [key]


def test_undo_of_marking_works_after_reload(coder):
    select(coder, "red")
    coder.press("e")
    coder.at("red")
    coder.press("Control+ArrowRight", "4", "Control+Shift+ArrowLeft")
    coder.at("big red ball")
    coder.saved()
    coder.page.reload()
    expect(coder.page.locator("#progress-text")).to_contain_text("decided")
    for words in ("red ball", "red ball", "red"):
        coder.press("u")
        coder.at(words)
    coder.press("u")
    expect(coder.page.locator("#progress-text")).to_have_text("0 of 1 decided")
    assert coder.saved() == {}


def test_coder_sets_head_by_selection_and_by_key(coder):
    select(coder, "The big red ball")
    coder.press("e")
    coder.at("The big red ball")
    select(coder, "ball")
    coder.press("i")
    expect(coder.page.locator("#say")).to_have_text("Head set.")
    [(key, _)] = marked(coder).items()
    assert coder.saved()[key]["head"] == [[12, 16]]
    coder.press("i", "Shift+ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "Enter")
    expect(coder.page.locator("#say")).to_have_text("Head set.")
    assert coder.saved()[key]["head"] == [[8, 16]]
    select(coder, "lay")
    coder.press("i")
    expect(coder.page.locator("#say")).to_have_text("The head must be words of the markable.")


def test_given_markable_cannot_be_changed_or_marked_again(coder):
    coder.at("It")
    coder.press("Control+ArrowRight")
    expect(coder.page.locator("#say")).to_contain_text("came with the text")
    coder.press("Delete")
    expect(coder.page.locator("#say")).to_contain_text("came with the text")
    coder.press("ArrowLeft", "e", "ArrowRight", "Shift+Enter")  # there is one markable only: It
    expect(coder.page.locator("#say")).to_contain_text("came with the text")
    coder.press("Escape")
    select(coder, "It")
    expect(coder.page.get_by_role("button", name="Mark", exact=True)).to_be_disabled()
    coder.press("e")
    expect(coder.page.locator("#say")).to_have_text("These words are already marked.")
    assert coder.saved() == {}


def test_own_markables_are_fixed_once_marking_is_off(coder, alice):
    select(coder, "ball")
    coder.press("e")
    coder.at("ball")
    coder.saved()
    set_coder_marked_levels(coder.coding.text.project, [])
    coder.page.reload()
    coder.at("ball")
    expect(coder.page.get_by_role("button", name="Delete the markable")).to_be_hidden()
    coder.press("Delete", "Control+ArrowRight", "4")
    coder.at("ball")
    select(coder, "number")
    expect(coder.page.get_by_role("group", name="Marking")).to_be_hidden()
    coder.press("e")
    expect(coder.page.locator("#progress-text")).to_have_text("1 of 2 decided")
    [value] = coder.saved().values()
    assert value["category"] == "none"


def test_answer_after_undo_goes_to_shown_markable(coder):
    select(coder, "red ball")
    coder.press("e")
    coder.at("red ball")
    coder.press("4")
    select(coder, "number")
    coder.press("e")
    coder.at("number")
    coder.press("u")
    shown = coder.page.locator("#words").inner_text()
    assert shown in ("red ball", "It")
    coder.press("3")
    saved_words = coder.saved()
    assert set(marked(coder).values()) == {"red ball"}
    words = {**marked(coder), coder.keys()["it"]: "It"}
    assert {words[key] for key, answer in saved_words.items() if answer["category"] == "place"} == {shown}
    select(coder, "number")
    coder.press("e")
    coder.at("number")
    coder.page.locator(f'[data-key="{coder.keys()["it"]}"]').click(modifiers=["Control", "Shift"])
    assert coder.page.evaluate("getSelection().toString()") == ""
    coder.press("e")
    assert sorted(marked(coder).values()) == ["number", "red ball"]


def test_markable_cannot_move_behind_its_pronoun(coder):
    select(coder, "ball")
    coder.press("e", "4", "ArrowRight", "1")
    coder.point_to("ball")
    coder.press("p", "e")
    for _ in range(6):
        coder.press("ArrowRight")
    coder.press("Shift+Enter")
    expect(coder.page.locator("#say")).to_contain_text("would come later in the text")
    coder.press("Escape")
    assert list(marked(coder).values()) == ["ball"]


def test_text_without_markables_explains_how_to_begin(coder_of):
    coder = coder_of("Nobody has marked anything here.", marking=True)
    expect(coder.page.get_by_role("heading", name="No markables yet")).to_be_visible()
    coder.press("e", "Enter")
    coder.at("Nobody")
    coder.press("4")
    assert list(marked(coder).values()) == ["Nobody"]
    expect(coder.page.get_by_role("heading", name="No markables yet")).to_be_hidden()


@pytest.mark.parametrize(
    ("language", "direction", "text", "chosen", "expected"),
    [
        ("he", "rtl", "הילד ראה את [הכלב](a) הגדול.", "ראה את", "ראה את"),
        ("ar", "rtl", "رأى الولدُ [الكلبَ](a) الكبير.", "الولد", "الولدُ"),  # the vowel sign belongs to the letter
        ("zh", "ltr", "我喜欢[北京](a)的秋天。", "秋天", "秋天"),
        ("hi", "ltr", "लड़के ने [कुत्ते](a) को देखा।", "लड़क", "लड़के"),
        ("en", "ltr", "A 👨‍👩‍👧 met [a 🇫🇷 fan](a).", "👨", "👨‍👩‍👧"),
    ],
)
def test_marking_respects_characters_of_each_script(coder_of, language, direction, text, chosen, expected):
    coder = coder_of(text, marking=True, language=language, direction=direction)
    assert coder.page.locator("#text").get_attribute("dir") == direction
    forward = "ArrowLeft" if direction == "rtl" else "ArrowRight"
    coder.page.evaluate(
        """(words) => {
          const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(words);
            if (at >= 0) {
              getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
              return;
            }
          }
        }""",
        chosen,
    )
    expect(coder.page.locator(".workbench-bar-words")).to_have_text(expected)
    coder.press("e")
    coder.at(expected)
    coder.press(forward)
    expect(coder.page.locator("#position")).to_have_text(re.compile("of 2"))
    assert list(marked(coder).values()) == [expected]
