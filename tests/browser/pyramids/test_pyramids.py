"""The page of pyramids and peers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.coding.pyramids.scus import contributors_of, weighted_scus
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer
from annotations.models import Coding, Membership, Project, User
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.people.peer_names import coded_title
from tests.browser.conftest import DelayedAnswer, press, saved
from tests.browser.pages.test_accessibility import barriers
from tests.shared.cases import cases
from tests.shared.coding import change
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project, send

CODE = "/projects/ferry/texts/{}/code/"


class Builder:
    """A person at the page of a pyramid or of a peer."""

    def __init__(self, page: Page, coding: Coding) -> None:
        self.page = page
        self.coding = coding

    def press(self, *keys: str) -> None:
        press(self.page, *keys)

    def word(self, word: str, nth: int = 0):
        return self.page.locator(".pyramid-word").get_by_text(word, exact=True).nth(nth)

    def select(self, first: str, last: str = "", nth: int = 0, last_nth: int | None = None) -> None:
        """Select words with the mouse."""
        start = self.word(first, nth).bounding_box()
        end = self.word(last, nth if last_nth is None else last_nth).bounding_box() if last else start
        mouse = self.page.mouse
        self.press("Escape")
        mouse.move(start["x"] + 2, start["y"] + start["height"] / 2)
        mouse.down()
        mouse.move(end["x"] + end["width"] - 2, end["y"] + end["height"] / 2, steps=4)
        mouse.up()

    def click(self, word: str, nth: int = 0) -> None:
        """Click a word where a hand would: Playwright takes a word with a badge for covered by its paragraph."""
        box = self.word(word, nth).bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def new_scu(self, label: str, first: str, last: str = "", **where: int) -> None:
        self.select(first, last, **where)
        self.press("n")
        self.page.keyboard.type(label)
        self.press("Enter")

    def row(self, label: str):
        return self.page.locator("#scus > .pyramid-scu").filter(
            has=self.page.locator(".pyramid-scu-head .workbench-words", has_text=label)
        )

    def weights(self) -> dict[str, str]:
        """Return the weights of the SCUs by label, in the order of the list."""
        rows = self.page.locator("#scus > .pyramid-scu > .pyramid-scu-head")
        weight_pairs = rows.evaluate_all(
            """(all) => all.map((row) =>
                [".workbench-words", ".pyramid-weight"].map((part) => row.querySelector(part).textContent))"""
        )
        return dict(weight_pairs)

    def saved(self) -> dict[str, tuple[str, ...]]:
        """Return the words of the contributors of each SCU that the server has when everything is saved, by label."""
        saved(self.page)
        return {scu.label: scu.contributors for scu in weighted_scus(self.coding)}


@pytest.fixture
def builder_of(sign_in, alice) -> Callable[..., Builder]:
    """Return a function that gives Alice a docset and opens its pyramid."""

    def open_pyramid(scus: dict | None = None, *, hand_in: bool = False, **options: bool) -> Builder:
        made = docset(pyramid_project("ferry", **options), alice)
        coding = codings_of(models_of(made))["alice"]
        if scus:
            build(coding, scus, hand_in=hand_in)
        return open_coding(sign_in, alice, coding)

    return open_pyramid


def open_coding(sign_in, user: User, coding: Coding) -> Builder:
    page = sign_in(user, CODE.format(coding.text.slug))
    expect(page.locator("#progress-text")).to_contain_text("words")
    return Builder(page, coding)


def test_first_drag_selects_words_and_comment_is_saved(builder_of):
    builder = builder_of()
    page = builder.page
    words = page.locator(".pyramid-word")
    boxes = [words.nth(number).bounding_box() for number in (0, 2)]
    page.mouse.move(boxes[0]["x"] + 2, boxes[0]["y"] + boxes[0]["height"] / 2)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + boxes[1]["width"] - 2, boxes[1]["y"] + boxes[1]["height"] / 2, steps=4)
    page.mouse.up()
    builder.press("n")
    page.keyboard.type("first")
    builder.press("Enter")
    text = builder.coding.text
    levels = text.markables.filter(level__coded=False).order_by("start")[:3]
    first, *_, last = levels
    assert builder.saved() == {"first": (" ".join(text.content[first.start : last.end].split()),)}
    builder.press("e")
    page.keyboard.type("or: capsized?")
    builder.press("Escape")
    builder.saved()
    assert builder.coding.scus.get().comment == "or: capsized?"


def test_scus_have_weights_and_undo_works_after_reload(builder_of):
    builder = builder_of()
    builder.new_scu("a ferry went down", "ferry", "sank")
    builder.select("a", "down")
    builder.press("c")
    expect(builder.page.locator("#say")).to_have_text("Added.")
    assert builder.weights() == {"a ferry went down": "2"}
    assert builder.saved() == {"a ferry went down": ("ferry sank", "a ferry went down")}
    builder.page.reload()
    expect(builder.page.locator("#progress-text")).to_have_text("6 of 26 words in SCUs")
    expect(builder.page.locator("#redo")).to_be_disabled()  # nothing was undone
    builder.press("u")
    expect(builder.page.locator("#redo")).to_be_enabled()
    expect(builder.page.locator("#progress-text")).to_have_text("2 of 26 words in SCUs")
    builder.press("u", "u")
    expect(builder.page.locator("#progress-text")).to_have_text("0 of 26 words in SCUs")
    builder.press("u")
    expect(builder.page.locator("#say")).to_have_text("Nothing to undo.")
    builder.press("Shift+U", "Shift+U", "Shift+U")
    assert builder.saved() == {"a ferry went down": ("ferry sank", "a ferry went down")}


def test_contributor_gains_parts_and_loses_words(builder_of):
    builder = builder_of()
    builder.new_scu("people were saved", "Forty", "people")
    builder.select("rescued")
    builder.press("p")
    assert builder.saved() == {"people were saved": ("Forty people … rescued",)}
    builder.select("were")
    builder.press("p")
    assert builder.saved() == {"people were saved": ("Forty people were rescued",)}
    builder.select("people")
    builder.press("Backspace")
    assert builder.saved() == {"people were saved": ("Forty … were rescued",)}


def test_refusal_names_scu_that_has_the_word(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]})
    builder.select("sank", "dawn")
    builder.press("n")
    expect(builder.page.locator("#say")).to_contain_text("“sank” is in SCU 1 “Sinking” already")
    expect(builder.page.locator(".pyramid-word.is-clash")).to_have_text(["ferry", "sank"])
    assert builder.saved() == {"Sinking": ("ferry sank",)}
    builder.page.get_by_role("button", name="Take the words from SCU 1 “Sinking”").click()
    assert builder.saved() == {"Sinking": ("ferry",), "sank at dawn": ("sank at dawn",)}
    builder.press("u")
    assert builder.saved() == {"Sinking": ("ferry sank",)}


def test_summary_has_one_contributor_of_scu(builder_of):
    builder = builder_of({"dawn": ["at dawn"]})
    builder.press("j")
    builder.select("The")
    builder.press("c")
    expect(builder.page.locator("#say")).to_contain_text("has a contributor in one already: “at dawn”")
    builder.page.get_by_role("button", name="Add as a further part").click()
    assert builder.saved() == {"Dawn": ("The … at dawn",)}
    builder.press("u")
    builder.select("The")
    builder.press("c")
    expect(builder.page.locator("#say")).to_contain_text("has a contributor in one already")
    builder.press("k")
    builder.select("at")
    builder.select("The")
    builder.press("Escape")
    assert builder.saved() == {"Dawn": ("at dawn",)}


def test_options_allow_shared_words_and_several_contributors(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]}, words_exclusive=False, one_contributor=False)
    builder.new_scu("at dawn", "sank", "dawn")
    expect(builder.word("sank")).to_have_class(re.compile("is-shared"))
    builder.select("The")
    builder.press("c")
    assert builder.saved() == {"Sinking": ("ferry sank",), "at dawn": ("The", "sank at dawn")}
    assert builder.weights() == {"at dawn": "1", "Sinking": "1"}


def test_contributor_moves_to_other_scu(builder_of):
    builder = builder_of({"sinking": ["ferry sank"], "rescue": ["Boats saved forty people"]})
    builder.click("ferry")
    builder.press("v")
    builder.page.get_by_role("combobox").fill("rescue")
    builder.press("Enter")
    assert builder.saved() == {"Rescue": ("ferry sank", "Boats saved forty people"), "Sinking": ()}


def test_merge_of_scus_shows_preview_and_updates_badges(builder_of):
    builder = builder_of({"sinking": ["ferry sank", "a ferry went down"], "dawn": ["at dawn"]})

    def numbered(*pairs):
        words = builder.page.locator(".pyramid-word[data-badge]")
        expect(words).to_have_text([word for word, _ in pairs])
        for index, (_, label) in enumerate(pairs):
            number = builder.row(label).locator(".chain-badge").inner_text()
            expect(words.nth(index)).to_have_attribute("data-badge", number)

    numbered(("ferry", "Sinking"), ("at", "Dawn"), ("a", "Sinking"))
    builder.row("Dawn").locator(".pyramid-scu-head").click()
    builder.press("m")
    builder.page.get_by_role("combobox").fill("sinking")
    expect(builder.page.locator(".workbench-picker-preview")).to_contain_text("2 contributors, weight 2")
    builder.press("Enter")
    numbered(("ferry", "Sinking"), ("a", "Sinking"))
    assert builder.saved() == {"Sinking": ("ferry sank at dawn", "a ferry went down")}
    builder.press("u")
    numbered(("ferry", "Sinking"), ("at", "Dawn"), ("a", "Sinking"))
    assert builder.saved() == {"Sinking": ("ferry sank", "a ferry went down"), "Dawn": ("at dawn",)}
    builder.new_scu("people were saved", "Forty", "people")
    numbered(("ferry", "Sinking"), ("at", "Dawn"), ("Forty", "people were saved"), ("a", "Sinking"))
    builder.saved()


def test_split_moves_chosen_contributors_to_new_scu(builder_of):
    builder = builder_of({"sinking": ["ferry sank", "a ferry went down", "when the ferry sank"]})
    builder.press("j", ".", "s", ".", "s", "x")
    builder.page.keyboard.type("two of them")
    builder.press("Enter")
    assert builder.saved() == {"two of them": ("ferry sank", "a ferry went down"), "Sinking": ("when the ferry sank",)}


def test_undo_restores_deleted_contributors_and_scus(builder_of):
    whole = {"Sinking": ("ferry sank", "a ferry went down"), "Dawn": ("at dawn",)}
    builder = builder_of({"sinking": ["ferry sank", "a ferry went down"], "dawn": ["at dawn"]})
    builder.click("ferry")
    builder.press("Delete")
    assert builder.saved() == {"Dawn": ("at dawn",), "Sinking": ("a ferry went down",)}
    builder.press("Shift+Delete")
    assert builder.saved() == {"Dawn": ("at dawn",)}
    builder.press("u", "u")
    assert builder.saved() == whole
    builder.press("Shift+U")
    assert builder.saved() == {"Dawn": ("at dawn",), "Sinking": ("a ferry went down",)}


def test_label_typed_while_log_loads_stays_with_its_scu(builder_of):
    builder = builder_of()
    builder.new_scu("sinking", "ferry", "sank")
    builder.new_scu("rescue", "Boats", "people", last_nth=1)
    builder.saved()
    page = builder.page
    answer = DelayedAnswer(page, "**/operations/?since=0")
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("6 of 26 words in SCUs")
    builder.row("sinking").locator(".pyramid-scu-head").click()
    builder.press("u", "l")
    page.keyboard.type("the ferry")
    answer.release()
    expect(page.locator("#say")).to_have_text("Undone.")
    page.keyboard.type(" goes down")
    builder.press("Enter")
    assert {label for label in builder.saved() if "ferry" in label} == {"the ferry goes down"}
    assert builder.saved()["the ferry goes down"] == ("ferry sank",)


def test_coder_builds_and_submits_pyramid_by_keyboard(builder_of):
    builder = builder_of()
    page = builder.page
    builder.press("ArrowRight", "Shift+ArrowRight", "n")  # ferry sank
    page.keyboard.type("sinking")
    builder.press(
        "Enter", "]", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "c"
    )
    builder.press("Tab", "Shift+ArrowRight", "Shift+ArrowRight", "n")
    page.keyboard.type("rescue")
    builder.press("Enter", "/")
    page.keyboard.type("Forty were")
    builder.press("Enter", "Shift+ArrowRight", "Shift+ArrowRight", "c")
    expect(page.locator("#progress-text")).to_have_text("12 of 26 words in SCUs")
    builder.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("submit")
    builder.press("Enter")
    dialog = page.get_by_role("dialog", name="Before you submit")
    expect(dialog.get_by_role("heading", level=3)).to_have_text(["Words in no SCU: 14"])
    saved(page)
    builder.press("Shift+Tab", "Shift+Tab")
    dialog.get_by_role("button", name="Submit anyway").press("Enter")
    expect(page.get_by_text("Submitted “")).to_be_visible()
    assert {scu.label: scu.weight for scu in weighted_scus(builder.coding)} == {"rescue": 2, "sinking": 2}


def test_submitted_pyramid_is_read_only(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]}, hand_in=True)
    builder.select("at", "dawn")
    builder.press("n", "j", "Delete", "l")
    expect(builder.page.locator(".notice")).to_contain_text("can only be read")
    expect(builder.page.locator("#submit")).to_have_count(0)
    buttons = builder.page.locator("[data-do]:visible")
    assert [button.get_attribute("data-do") for button in buttons.all()] == ["ask", "palette", "help", "layout"]
    assert builder.saved() == {"Sinking": ("ferry sank",)}


# ---- drag and drop


def drag(page: Page, source, target, *, drop: bool = True) -> None:
    start, end = source.bounding_box(), target.bounding_box()
    page.mouse.move(start["x"] + min(start["width"] / 2, 40), start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + min(end["height"] / 2, 12), steps=6)
    if drop:
        page.mouse.up()


def test_dragged_words_join_new_or_existing_scu(builder_of):
    builder = builder_of()
    page = builder.page
    builder.select("ferry", "sank")
    drag(page, builder.word("sank"), page.locator("[data-drop=new]"))
    page.keyboard.type("sinking")
    builder.press("Enter")
    builder.select("a", "down")
    drag(page, builder.word("went"), builder.row("sinking"))
    assert builder.saved() == {"sinking": ("ferry sank", "a ferry went down")}
    assert builder.weights() == {"sinking": "2"}


def test_dragging_moves_contributor_and_merges_scus(builder_of):
    builder = builder_of({"sinking": ["ferry sank"], "rescue": ["saved forty people"], "dawn": ["At dawn"]})
    page = builder.page
    builder.row("Dawn").locator(".pyramid-scu-head").click()
    drag(page, page.locator("#contributors .pyramid-contributor-words"), builder.row("Sinking"))
    assert builder.saved() == {"Sinking": ("ferry sank", "At dawn"), "Rescue": ("saved forty people",), "Dawn": ()}
    drag(page, builder.row("Dawn").locator(".pyramid-scu-head"), builder.row("Rescue").locator(".pyramid-scu-head"))
    assert builder.saved() == {"Sinking": ("ferry sank", "At dawn"), "Rescue": ("saved forty people",)}


def test_invalid_drop_shows_reason_and_escape_cancels_drag(builder_of):
    builder = builder_of({"dawn": ["at dawn"], "sinking": ["ferry sank"]})
    page = builder.page
    builder.select("The")
    drag(page, builder.word("The"), builder.row("Dawn"), drop=False)
    expect(page.locator(".pyramid-drag-ghost")).to_have_attribute(
        "data-why", re.compile("has a contributor in one already")
    )
    builder.press("Escape")
    expect(page.locator(".pyramid-drag-ghost")).to_be_hidden()
    page.mouse.up()
    assert builder.saved() == {"Dawn": ("at dawn",), "Sinking": ("ferry sank",)}


# ---- saving


@pytest.mark.expected_errors("net::ERR_FAILED", "status of (400|409)")
def test_second_window_undoes_refused_scu(builder_of):
    builder = builder_of()
    window = builder.page.context.new_page()
    window.route("**/operations/", lambda route: route.abort())  # before the page loads: a later one may miss a request
    window.goto(CODE.format("sinking"))
    expect(window.locator("#progress-text")).to_contain_text("words")
    other = Builder(window, builder.coding)
    other.new_scu("there", "sank", "dawn")
    other.new_scu("rescue", "Boats", "people", last_nth=1)
    builder.new_scu("here", "ferry", "sank")
    assert builder.saved() == {"here": ("ferry sank",)}
    other.page.unroute("**/operations/")
    other.page.evaluate("dispatchEvent(new Event('online'))")  # now, and not after the pause that has grown
    expect(other.page.locator(".notice.error")).to_contain_text("was refused and undone")
    assert other.saved() == {"here": ("ferry sank",), "rescue": ("Boats saved forty people",)}
    expect(other.page.locator("#progress-text")).to_have_text("6 of 26 words in SCUs")
    expect(other.page.locator(".notice.error")).to_contain_text("was refused and undone")  # until one works on
    expect(builder.page.locator("#progress-text")).to_have_text("6 of 26 words in SCUs")
    other.new_scu("more", "dawn")
    assert len(other.saved()) == 3
    expect(other.page.locator(".notice.error")).to_have_count(0)


def test_second_coder_sees_nothing_of_the_first(sign_in, builder_of, bob):
    builder = builder_of({"sinking": ["ferry sank"]})
    project = builder.coding.text.project
    add_member(project, bob, Membership.Role.CODER)
    assign_texts(project, [builder.coding.text], [bob])
    page = sign_in(bob)
    heard = []
    page.on("response", lambda response: heard.append(response.text()) if response.status == 200 else None)
    page.goto(CODE.format("sinking"))
    expect(page.locator("#progress-text")).to_have_text("0 of 26 words in SCUs")
    page.wait_for_load_state("networkidle")
    own = Builder(page, codings_of(builder.coding.text)["bob"])
    own.new_scu("mine", "ferry", "sank")
    assert own.saved() == {"mine": ("ferry sank",)}
    everything = "\n".join([*heard, page.content()])
    assert "Sinking" not in everything.replace("The sinking", "")
    assert "alice" not in everything
    assert builder.saved() == {"Sinking": ("ferry sank",)}


# ---- peers


def open_peer(sign_in, user: User, scus: dict, **options: bool) -> Builder:
    """Let the user build a pyramid of these SCUs, and open a peer to be held against it."""
    made = docset(pyramid_project("ferry", **options), user)
    if scus:
        build(codings_of(models_of(made))[user.username], scus)
    text = add_peer(made, "peer-1", "Peer 1", "Forty people lived when the ferry sank in May. It sank fast.")
    assign_peers(made, [text], [user], agreed=False)
    return open_coding(sign_in, user, text.codings.of_people().get())


@pytest.fixture
def peer(sign_in, alice) -> Builder:
    scus = {
        "sinking": ["ferry sank", "a ferry went down", "the ferry sank"],
        "rescue": ["people were rescued", "saved forty people"],
        "dawn": ["At dawn"],
    }
    return open_peer(sign_in, alice, scus, scores_shown=True)


def scores(page: Page) -> list[list[str]]:
    rows = page.locator("#scores tbody tr")
    return rows.evaluate_all("(rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))")


def marks(builder: Builder) -> dict[str, list[str]]:
    """Return the SCUs of the marked words when everything is saved."""
    saved(builder.page)
    text = builder.coding.text.content
    return {
        " … ".join(text[start:end] for start, end in contributor.parts): list(contributor.scus)
        for contributor in contributors_of(builder.coding)
    }


def test_scorer_sees_neither_scores_nor_name_of_peer(peer, alice):
    page, text = peer.page, peer.coding.text
    Project.objects.update(scores_shown=False)
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("words")
    expect(page.locator("#scus li").first).to_be_visible()
    expect(page.locator("#scores")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_text(coded_title(alice.pk, text.pk))
    page.goto("/projects/ferry/")
    for content in (page.content(), page.request.get(f"/api/v1/projects/ferry/texts/{text.slug}/coding/").text()):
        assert "Peer 1" not in content


def test_marking_updates_scores_of_peer(peer):
    page = peer.page
    expect(page.locator("#scores")).to_be_visible()
    assert scores(page)[1] == ["0.000", "0 of 5", "2"]
    peer.select("ferry", "sank")
    peer.press("1")
    assert scores(page) == [["1.000", "3 of 3", "1"], ["0.600", "3 of 5", "2"], ["0.750", "3 of 4", "1.5"]]
    peer.select("in", "May")
    peer.press("o")
    assert scores(page)[0] == ["0.600", "3 of 5", "2"]
    peer.select("Forty", "people")
    peer.press("f")
    page.keyboard.type("resc")
    peer.press("Enter")
    assert scores(page) == [["0.833", "5 of 6", "3"], ["1.000", "5 of 5", "2"], ["0.909", "5 of 5.5", "2.5"]]
    assert marks(peer) == {"Forty people": ["rescue"], "ferry sank": ["sinking"], "in May": []}
    assert barriers(page) == []


def expressed(builder: Builder) -> list[str]:
    """Return the listed labels of expressed SCUs when everything is saved."""
    saved(builder.page)
    return builder.page.locator("#scus > .is-expressed > .pyramid-scu-head .workbench-words").all_inner_texts()


def press_number_of(builder: Builder, label: str) -> None:
    """Press the keys that stand before an SCU, as its row shows them; Enter where longer numbers begin with them."""
    number = builder.row(label).locator("kbd").inner_text()
    builder.press(*number)
    if "press Enter" in builder.page.locator("#say").inner_text():
        builder.press("Enter")


@pytest.fixture
def long_peer(sign_in, alice) -> Builder:
    """Open a peer beside a pyramid of twelve SCUs, whose numbers are in another order than the list."""
    words = ("ferry", "sank", "dawn.", "Forty", "rescued.", "At", "went", "down", "Boats", "saved", "when")
    scus = {f"{letter} unit": [word.strip(".")] for letter, word in zip("LKJIHGFEDCB", words, strict=True)}
    return open_peer(sign_in, alice, scus | {"A unit": ["people were", "forty people"]})


@pytest.mark.parametrize("scus", ["peer", "long_peer"])
def test_shown_number_is_key_of_scu(request, scus):
    builder = request.getfixturevalue(scus)
    labels = builder.page.locator("#scus .pyramid-scu-head .workbench-words").all_inner_texts()
    numbers = builder.page.locator("#scus .pyramid-scu-head kbd").all_inner_texts()
    assert sorted(map(int, numbers)) == list(range(1, len(labels) + 1))
    for index, label in enumerate([*labels, labels[-1]]):
        if index == len(labels):
            builder.page.locator("#scu-filter").fill(label)
            builder.page.locator("#text-pane").focus()
        builder.select("ferry", "sank")
        press_number_of(builder, label)
        assert expressed(builder) == [label]
        builder.press("u")
        assert expressed(builder) == []
    heads = builder.page.locator("#scus .pyramid-scu-head")
    assert heads.locator(".chain-badge").count() == 0
    assert all(len(re.findall(r"\d+", head)) == 1 for head in heads.all_inner_texts())


def test_ambiguous_number_waits_for_enter_or_next_digit(long_peer):
    page = long_peer.page
    long_peer.select("ferry", "sank")
    long_peer.press("1")
    expect(page.locator("#say")).to_contain_text("SCU 1: press Enter, or the next digit")
    assert expressed(long_peer) == []
    long_peer.press("Escape")
    assert expressed(long_peer) == []
    long_peer.select("ferry", "sank")
    long_peer.press("1", "9")
    expect(page.locator("#say")).to_have_text("There is no SCU 19.")
    long_peer.press("1", "Tab")  # any other key takes what is typed
    assert marks(long_peer)["ferry sank"] == ["L unit"]


def remove_scu(peer: Builder, scu: str) -> None:
    """Open the pyramid again, and take an SCU out of it."""
    models = models_of(peer.coding.text.docset).codings.of_people().get()
    models.status = Coding.Status.OPEN
    models.save()
    keys = [contributor.key for contributor in contributors_of(models) if contributor.scus == (scu,)]
    send(models, *[change("unmark", markable=key) for key in keys], change("describe", scu=scu))


def test_scu_keeps_number_after_other_scu_is_deleted(peer):
    dawn = peer.row("Dawn").locator("kbd").inner_text()
    remove_scu(peer, "rescue")
    peer.page.reload()
    expect(peer.row("Rescue")).to_have_count(0)
    assert peer.row("Dawn").locator("kbd").inner_text() == dawn
    peer.select("ferry", "sank")
    peer.press(dawn)
    assert expressed(peer) == ["Dawn"]


def test_coder_moves_extends_and_deletes_marks_of_peer(peer):
    page = peer.page
    peer.select("ferry", "sank")
    peer.press("1")
    peer.select("sank", "fast", nth=1, last_nth=0)
    peer.press("c")
    expect(peer.row("Sinking")).to_contain_text("×2")
    assert scores(page)[0] == ["1.000", "3 of 3", "1"]
    peer.select("It")
    peer.press("p")
    peer.click("fast")
    peer.press("v")
    page.get_by_role("combobox").fill("dawn")
    peer.press("Enter")
    assert marks(peer) == {"ferry sank": ["sinking"], "It sank fast": ["dawn"]}
    peer.press("Delete")
    peer.select("sank")
    peer.press("2")
    expect(page.locator("#say")).to_contain_text("“sank” is in SCU 1 “Sinking” already")
    assert marks(peer) == {"ferry sank": ["sinking"]}


def test_dragging_assigns_and_moves_marks(peer):
    page = peer.page
    peer.select("ferry", "sank")
    drag(page, peer.word("sank"), peer.row("Sinking"))
    peer.select("in", "May")
    drag(page, peer.word("May"), page.locator("[data-drop=outside]"))
    drag(page, page.locator("#loose .pyramid-contributor-words"), peer.row("Dawn"))
    assert marks(peer) == {"ferry sank": ["sinking"], "in May": ["dawn"]}


def test_marks_of_deleted_scu_can_be_moved(peer):
    peer.select("ferry", "sank")
    peer.press("1")
    marks(peer)
    remove_scu(peer, "sinking")
    page = peer.page
    page.reload()
    expect(page.locator(".notice").filter(has_text="is not submitted yet")).to_be_visible()
    expect(page.locator(".pyramid-scu.is-deleted")).to_have_count(1)
    assert scores(page)[0] == ["–", "0 of 0", "0"]
    page.locator(".pyramid-scu.is-deleted .pyramid-scu-head").click()
    page.locator("#contributors .pyramid-contributor-words").click()
    peer.press("v")
    page.get_by_role("combobox").fill("rescue")
    peer.press("Enter")
    expect(page.locator(".pyramid-scu.is-deleted")).to_have_count(0)
    assert marks(peer) == {"ferry sank": ["rescue"]}


def test_peer_page_without_pyramid_explains_what_to_do(sign_in, alice):
    made = docset(pyramid_project("ferry"))
    add_member(made.project, alice, Membership.Role.CODER)
    text = add_peer(made, "peer-1", "Peer 1", "The ferry sank.")
    assign_peers(made, [text], [alice], agreed=False)
    builder = open_coding(sign_in, alice, text.codings.of_people().get())
    expect(builder.page.locator(".notice")).to_contain_text("You have no pyramid")
    expect(builder.page.get_by_text("No SCUs to find")).to_be_visible()


# ---- the agreed pyramid


def test_adjudicator_copies_scus_of_coders(sign_in, alice, bob, charlie):
    made = docset(pyramid_project("ferry"), alice, bob)
    codings = codings_of(models_of(made))
    build(codings["alice"], {"sinking": ["ferry sank", "a ferry went down"]})
    build(
        codings["bob"],
        {"sank": ["The ferry sank at dawn"], "down": ["went down"], "rescue": ["Forty people", "forty people"]},
    )
    add_member(made.project, charlie, Membership.Role.ADJUDICATOR)
    coding = start_agreed_pyramid(made, charlie, codings["alice"])
    page = sign_in(charlie, "/projects/ferry/texts/sinking/agreed/code/")
    expect(page.locator("#others-count")).to_have_text("1 missing here")
    agreed = Builder(page, coding)
    agreed.press("d")
    expect(page.locator("#say")).to_have_text("Difference 1 of 1. SCUs of the coders that are missing here: 1.")
    expect(page.get_by_role("button", name="Next difference")).to_be_visible()
    expect(page.locator("#scu-others h3")).to_have_text(["alice: the same words", "bob: split over 2 SCUs"])
    page.get_by_role("button", name="Copy: Sank, bob").click()
    assert agreed.saved() == {"Sinking": ("The ferry sank at dawn",)}
    agreed.press("u")
    page.get_by_text("Coders’ SCUs").click()
    page.get_by_role("button", name="Copy: Rescue, bob").click()
    expect(page.locator("#others-count")).to_have_text("nothing is missing")
    assert agreed.saved() == {
        "Rescue": ("Forty people", "forty people"),
        "Sinking": ("ferry sank", "a ferry went down"),
    }
    agreed.press("t")
    page.get_by_role("combobox").fill("bob")
    expect(page.get_by_role("option")).to_have_count(3)
    page.get_by_role("combobox").fill("went bob")
    agreed.press("Enter")
    assert agreed.saved()["Down"] == ("went down",)


# ---- for those who hear it, and in a narrow window


def test_pyramid_page_passes_axe(builder_of):
    builder = builder_of(
        {
            "sinking": ["ferry sank", "a ferry went down", "the ferry sank"],
            "dawn": ["at dawn", "At dawn"],
            "boats": ["Boats"],
        }
    )
    page = builder.page
    assert barriers(page) == []
    builder.press("j")
    builder.select("Forty", "people")
    assert barriers(page) == []
    builder.press("m")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert barriers(page) == []
    builder.press("Escape")
    page.get_by_role("button", name="Submit…").click()
    expect(page.get_by_role("dialog", name="Before you submit")).to_be_visible()
    assert barriers(page) == []
    builder.press("Escape")
    builder.saved()


def test_page_announces_words_and_scus(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]})
    said = builder.page.locator("#announce")
    builder.press("ArrowRight")
    expect(said).to_have_text("ferry. one. SCU 1 “Sinking”")
    builder.press("j")
    expect(said).to_have_text("SCU 1 “Sinking”, weight 1, contributors: 1")
    builder.press("ArrowRight", "ArrowRight", "Shift+ArrowRight")
    expect(said).to_have_text("at dawn. one. in no SCU")
    builder.saved()


def test_pyramid_page_fits_narrow_window(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]})
    page = builder.page
    for width in cases([390, 1000], full=[640]):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        expect(page.locator("#progress-text")).to_contain_text("words")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        builder.press("j", "Tab")
        expect(page.locator(".pyramid-word.is-cursor")).to_be_in_viewport()
        expect(page.locator(".pyramid-scu.is-selected .pyramid-scu-head")).to_be_in_viewport()
    builder.saved()


def test_page_remembers_layout_and_limits_script_size(builder_of):
    builder = builder_of({"sinking": ["ferry sank"]})
    builder.press("w")  # which loads dialogs, too
    builder.page.wait_for_load_state("networkidle")
    sizes = {}
    builder.page.on(
        "response",
        lambda response: sizes.update({response.url: len(response.body())}) if ".js" in response.url else None,
    )
    builder.page.reload()
    expect(builder.page.locator("#text")).to_have_attribute("data-layout", "rows")
    builder.page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes.values()) <= 153_000
    builder.saved()
