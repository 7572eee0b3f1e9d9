"""The coding page as a coder uses it."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Page, expect
from rjsmin import jsmin

from annotations.coding import operations
from annotations.schemes.project_scheme import set_coder_marked_levels
from tests.browser.conftest import judgement, press, saved
from tests.shared.schemes import BRIDGING, rich_project

CODE = "/projects/tea/texts/tea/code/"
MAX_SOURCE_BYTES, MAX_SCRIPT_BYTES = 239_000, 165_000  # as it is written, and as production serves it


def change(kind: str, **payload) -> operations.Change:
    return operations.Change(uuid4(), kind, payload)


def open_coding(sign_in, user, operations_meet=None, **device) -> Page:
    """Open the coding page of the user, ready for keys; what it sends to the server meets the route given."""
    page = sign_in(user, **device)
    if operations_meet:
        page.route("**/operations/", operations_meet)
    page.goto(CODE)
    ready(page)
    return page


def ready(page: Page) -> None:
    expect(page.locator("#progress-text")).to_contain_text("decided")


def another_window(page: Page) -> Page:
    """Open the same coding in a second window of the same browser."""
    window = page.context.new_page()
    window.goto(CODE)
    ready(window)
    return window


def code_first_three(page: Page) -> None:
    """Answer with the keyboard only. The kettle: none, the stove: none, it: the kettle."""
    press(page, "4", "Enter", "4", "Enter", "1")
    letter = page.locator("#candidates li", has_text="the kettle").locator("kbd").inner_text()
    page.keyboard.press(letter)


def test_manager_sees_alpha_change_while_coder_answers(sign_in, alice, bob, charlie, codings, keys):
    operations.apply(
        codings["bob"],
        bob,
        0,
        [
            change("judge", markable=keys["a"], category="none"),
            change("judge", markable=keys["b"], category="place"),
            change("judge", markable=keys["c"], category="phrase", pointers=[keys["a"]]),
        ],
    )
    manager = sign_in(charlie, "/projects/tea/agreement/?include=open")
    expect(manager.locator("#value")).to_have_text("undefined")

    page = open_coding(sign_in, alice)
    code_first_three(page)
    saved(page)
    assert judgement(codings["alice"], keys["a"])["category"] == "none"
    assert judgement(codings["alice"], keys["c"])["pointers"] == [keys["a"]]

    manager.reload()
    expect(manager.locator("#value")).to_have_text("0.545")
    press(page, "ArrowLeft", "3")
    saved(page)
    manager.reload()
    expect(manager.locator("#value")).to_have_text("1.000")


def test_shift_adds_second_antecedent(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice)
    code_first_three(page)

    def line(label):
        words = page.locator(f'#text [data-key="{keys[label]}"]')
        return words.evaluate("words => getComputedStyle(words).borderBlockEndStyle")

    assert (line("c"), line("d"), line("b")) == ("solid", "dotted", "solid")
    letter = page.locator("#candidates li", has_text="the stove").locator("kbd").inner_text()
    page.keyboard.press(f"Shift+{letter.upper()}")
    saved(page)
    assert set(judgement(codings["alice"], keys["c"])["pointers"]) == {keys["a"], keys["b"]}
    expect(page.locator("#text .markable.is-current")).to_have_class(re.compile("is-ambiguous"))
    assert line("c") == "dashed"
    expect(page.locator("#text .markable.is-current .badge")).to_have_count(2)
    expect(page.locator("#candidates-title")).to_have_text("Ambiguous: 2 antecedents")
    expect(page.locator("#announce")).to_have_text(re.compile("ambiguous$"))


def test_button_adds_second_antecedent_on_touch_screen(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    code_first_three(page)
    further = page.locator("#further")
    expect(further).to_have_attribute("aria-pressed", "false")
    further.tap()
    expect(further).to_have_attribute("aria-pressed", "true")
    page.locator("#candidates button", has_text="the stove").tap()
    saved(page)
    assert set(judgement(codings["alice"], keys["c"])["pointers"]) == {keys["a"], keys["b"]}
    page.locator("[data-do=next]").tap()
    page.locator("[data-do=previous]").tap()
    expect(further).to_have_attribute("aria-pressed", "false")
    page.locator("#candidates button", has_text="the stove").tap()
    saved(page)
    assert set(judgement(codings["alice"], keys["c"])["pointers"]) == {keys["b"]}


KEPT = """() => new Promise((resolve) => {
  const opening = indexedDB.open("coindex");
  opening.onsuccess = () => {
    const counting = opening.result.transaction("outbox").objectStore("outbox").count();
    counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
  };
})"""


@pytest.mark.expected_errors("net::ERR_FAILED")
def test_unsent_answer_survives_closing_page(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice, operations_meet=lambda route: route.abort())
    page.keyboard.press("4")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    assert page.evaluate(KEPT) == 1
    context = page.context
    page.close()
    again = context.new_page()
    again.goto(CODE)
    expect(again.locator("#progress-text")).to_have_text(re.compile("1 of 6"))
    saved(again)
    assert judgement(codings["alice"], keys["a"])["category"] == "none"


@pytest.mark.expected_errors("net::ERR_FAILED")
def test_answer_is_applied_once_if_response_is_lost(sign_in, alice, codings):
    lost = []

    def lose_first(route):
        if not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    page = open_coding(sign_in, alice, operations_meet=lose_first)
    with page.expect_response(lambda response: response.request.method == "POST" and response.ok):
        page.keyboard.press("4")
    saved(page)
    assert [answer.status for answer in lost] == [200]
    coding = codings["alice"]
    coding.refresh_from_db()
    assert coding.version == 1
    assert coding.operations.count() == 1


def test_submitted_coding_is_read_only(sign_in, alice, codings):
    page = open_coding(sign_in, alice)
    page.keyboard.press("4")
    saved(page)
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("button", name="Submit anyway").click()
    expect(page.get_by_text("Submitted “")).to_be_visible()
    page.goto(CODE)
    ready(page)
    expect(page.get_by_text("can only be read")).to_be_visible()
    expect(page.get_by_role("button", name="Next markable")).to_have_attribute("title", "Next markable (→)")
    expect(page.get_by_role("button", name=re.compile("Undo|Clear answer|Submit"))).to_have_count(0)
    page.keyboard.press("3")
    page.reload()
    coding = codings["alice"]
    coding.refresh_from_db()
    assert (coding.status, coding.version) == ("submitted", 2)


def test_candidates_have_same_letters_in_text_and_list(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice)
    press(page, "4", "Enter", "4", "Enter")
    listed = page.locator("#candidates li")
    # "it" may point to what comes before it, and neither to itself nor to what comes later.
    expect(listed.locator(".workbench-words")).to_have_text(["the stove", "the kettle"])
    expect(listed.locator("kbd")).to_have_text(["a", "s"])
    for label, letter in (("b", "a"), ("a", "s")):
        expect(page.locator(f'#text [data-key="{keys[label]}"] > .letter')).to_have_text(letter)
    page.locator(f'#text [data-key="{keys["a"]}"] > .letter').click()
    saved(page)
    assert judgement(codings["alice"], keys["c"])["pointers"] == [keys["a"]]
    expect(page.locator("#text .letter")).to_have_count(0)  # they step back when it is decided


def test_mouse_sets_pointer_and_page_refuses_later_target(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice)
    page.locator(f'#text [data-key="{keys["f"]}"]').click(modifiers=["ControlOrMeta"])
    expect(page.locator("#say")).to_have_text("“that” comes later in the text.")
    expect(page.locator("#announce")).to_have_text(re.compile("^“that” comes later in the text"))
    saved(page)
    assert judgement(codings["alice"], keys["a"]) is None
    page.locator("#text").get_by_text("it", exact=True).first.click()
    page.get_by_role("button", name="phrase").click()
    page.locator("#candidates li", has_text="the kettle").get_by_role("button").click()
    saved(page)
    assert judgement(codings["alice"], keys["c"])["pointers"] == [keys["a"]]
    page.locator(f'#text [data-key="{keys["b"]}"]').click(modifiers=["Control"])
    saved(page)
    assert judgement(codings["alice"], keys["c"])["pointers"] == [keys["b"]]
    page.locator("#text").get_by_text("that", exact=True).click()
    page.keyboard.press("2")
    letter = page.locator("#candidates li").first.locator("kbd").inner_text()
    page.keyboard.press(letter)
    saved(page)
    [target] = judgement(codings["alice"], keys["f"])["pointers"]
    assert target in {keys[turn] for turn in "1234"}


def test_guidelines_are_shown_without_scripts(sign_in, alice, project):
    project.guidelines = (
        "# Read this\n\nPoint *back*. <script>document.title = 'owned'</script><img src=x onerror=alert(1)>"
    )
    project.save()
    page = open_coding(sign_in, alice)
    guidelines = page.get_by_role("region", name="Guidelines")
    expect(guidelines.get_by_role("heading", name="Read this")).to_be_visible()
    expect(guidelines.locator("em")).to_have_text("back")
    expect(guidelines.locator("script, img")).to_have_count(0)
    assert "owned" not in page.title()
    page.keyboard.press("y")
    expect(guidelines).to_be_hidden()
    page.keyboard.press("y")
    expect(guidelines).to_be_visible()


def test_page_preloads_all_modules(coder_of):
    page = coder_of("[Kim] said that [she] left").page
    page.wait_for_load_state("networkidle")
    links = page.locator("link[rel=modulepreload]").evaluate_all("all => all.map((link) => link.href)")
    loaded = page.evaluate("performance.getEntriesByType('resource').map((link) => link.name)")
    scripts = [address for address in loaded if address.endswith(".js") and not address.endswith("/theme.js")]
    assert sorted(set(scripts)) == sorted(links)


def test_script_size_of_full_scheme_is_limited(sign_in, alice):
    project = rich_project("rich", BRIDGING, alice)
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    page = sign_in(alice, "/projects/rich/texts/tea/code/")
    ready(page)
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        """Object.fromEntries(performance.getEntriesByType("resource")
          .filter(({ name }) => /[/]static[/]js[/].*[.]js$/.test(name) && !name.endsWith("/theme.js"))
          .map(({ name, decodedBodySize }) => [name, decodedBodySize]))"""
    )
    assert any(address.endswith("/questions/further.js") for address in sizes)
    assert sum(sizes.values()) <= MAX_SOURCE_BYTES
    sources = [Path(finders.find(address.partition("/static/")[2])).read_text() for address in sizes]
    assert sum(len(jsmin(source).encode()) for source in sources) <= MAX_SCRIPT_BYTES
