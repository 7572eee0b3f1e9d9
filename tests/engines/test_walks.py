"""Main workflows in Firefox and WebKit. All workflows in Chromium are in tests/browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotations.coding.judgements import judgements_of
from annotations.coding.pyramids.scus import weighted_scus
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import read_scheme, set_coder_marked_levels
from annotations.schemes.ready_made import STARTING_POINTS
from tests.engines.window import Window, inner_text
from tests.shared.coding import judge
from tests.shared.projects import make_project
from tests.shared.pyramids import codings_of, docset, models_of, pyramid_project
from tests.shared.schemes import BRIDGING, coding_of, rich_project

STORY = "[Ann](a) met [Bob](b) and [Eve](c). [She](d) left [him](e) there."
CODE = "/projects/own/texts/tea/code/"


class Coder:
    """A person at the coding page of a text."""

    def __init__(self, window: Window, coding: Coding) -> None:
        self.window = window
        self.coding = coding

    def at(self, words: str) -> None:
        """Wait until the current markable is these words."""
        self.window.wait(lambda: self.window.text("#words") == words, f"“{words}” as current markable")

    def saved(self) -> dict[str, dict]:
        """Return what the server has when everything is saved, by markable."""
        self.window.find("#save-state[data-state=saved], #save-state[data-state=merged]")
        return judgements_of(self.coding)

    def candidate(self, words: str) -> str:
        """Return the key of the candidate with these words."""
        items = self.window.driver.find_elements("css selector", "#candidates li")
        texts = [inner_text(item).split() for item in items]
        [letter] = [letter for letter, *rest in texts if rest[: len(words.split())] == words.split()]
        return letter


@pytest.fixture
def coder_of(sign_in, alice) -> Callable[..., Coder]:
    """Return a function that gives Alice a text to code and opens it."""

    def open_text(marked: str, *, marking: bool = False) -> Coder:
        project = make_project("own", marked=marked)
        if marking:
            set_coder_marked_levels(project, project.levels.filter(coded=True))
        add_member(project, alice, Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [alice])
        window = sign_in(alice, CODE)
        window.wait_for_text("#progress-text", "decided")
        return Coder(window, Coding.objects.of_people().get(text__project=project))

    return open_text


def answers(coder: Coder) -> dict[str, tuple[str, list[str]]]:
    """Return category and antecedents of the answers that the server has, by the labels of the markables."""
    labels = dict(coder.coding.text.markables.values_list("key", "label"))
    return {
        labels[key]: (answer["category"], sorted(labels[target] for target in answer["pointers"]))
        for key, answer in coder.saved().items()
    }


def test_coder_codes_text_by_keyboard(coder_of):
    coder = coder_of(STORY)
    window = coder.window
    window.press("4", "Enter", "4", "Enter", "4", "Enter")
    coder.at("She")
    window.press("1", coder.candidate("Ann"))
    window.press(f"Shift+{coder.candidate('Eve').upper()}", "Enter")
    coder.at("him")
    window.press("1", coder.candidate("Bob"))
    window.wait_for_text("#progress-text", "5 of 5")
    none = ("none", [])
    expected = {"a": none, "b": none, "c": none, "d": ("phrase", ["a", "c"]), "e": ("phrase", ["b"])}
    assert answers(coder) == expected
    window.press("u")
    window.wait_for_text("#progress-text", "4 of 5")
    window.press("Shift+U")
    window.wait_for_text("#progress-text", "5 of 5")
    assert answers(coder) == expected


def test_coder_codes_text_by_mouse_without_selecting_text(coder_of):
    coder = coder_of(STORY)
    window = coder.window
    for _ in range(3):
        window.click(window.find("[data-category=none]"))
        window.press("ArrowRight")
    window.click(window.find("[data-category=phrase]"))
    window.click(window.find("[data-key='phrase:0-3']"), "Control")
    window.click(window.find("[data-key='phrase:16-19']"), "Control", "Shift")
    assert window.selected_words() == ""
    window.wait_for_text("#progress-text", "4 of 5")
    assert answers(coder)["d"] == ("phrase", ["a", "c"])


def test_undo_of_marking_returns_to_previous_markable(coder_of):
    coder = coder_of("The big red ball lay there.", marking=True)
    window = coder.window
    window.press("e", "ArrowRight", "Enter", "4")
    coder.at("big")
    window.press("e", "ArrowRight", "ArrowRight", "Enter")
    coder.at("ball")
    window.press("u")
    coder.at("big")
    window.press("1")
    coder.saved()
    assert {key: answer["category"] for key, answer in coder.saved().items()} == {"phrase:4-7": "phrase"}


def test_answers_given_offline_are_saved_after_reconnect(coder_of, gateway):
    coder = coder_of(STORY)
    window = coder.window
    gateway.shut()
    window.press("4", "Enter", "4", "Enter", "4")
    window.find("#save-state[data-state=waiting]")
    assert judgements_of(coder.coding) == {}
    gateway.open()
    window.driver.execute_script("window.dispatchEvent(new Event('online'))")
    assert len(coder.saved()) == 3


def test_back_button_shows_current_coding(coder_of):
    coder = coder_of(STORY)
    window = coder.window
    window.press("4", "Enter", "4", "Enter", "4")
    assert len(coder.saved()) == 3
    window.open("/projects/own/")
    window.back()
    window.wait_for_text("#progress-text", "3 of 5")
    window.wait(lambda: window.text("#words"), "a current markable")
    window.press("u")
    window.wait_for_text("#progress-text", "2 of 5")
    assert sorted(answers(coder)) == ["a", "b"]


def test_unfinished_note_survives_reload(coder_of):
    coder = coder_of(STORY)
    window = coder.window
    window.press("c")
    window.type("or her sister?")
    window.reload()
    window.wait(lambda: window.find("#note").get_attribute("value") == "or her sister?", "the note")
    assert [answer["note"] for answer in coder.saved().values()] == ["or her sister?"]


def test_dragging_builds_pyramid_without_selecting_text(sign_in, alice):
    text = models_of(docset(pyramid_project(), alice))
    window = sign_in(alice, f"/projects/ferry/texts/{text.slug}/code/")
    window.wait_for_text("#progress-text", "words")
    window.drag(window.find(".pyramid-word", "The"), window.find(".pyramid-word", "sank"))
    window.press("n")
    window.type("The ferry sank")
    window.press("Enter")
    window.wait_for_text("#scus", "The ferry sank")
    window.drag(window.find(".pyramid-word", "Boats"), window.find(".pyramid-word", "saved"))
    window.drag(window.find(".pyramid-word", "Boats"), window.find("#scus > .pyramid-scu"))
    assert window.selected_words() == ""
    window.find("#save-state[data-state=saved]")
    [scu] = weighted_scus(codings_of(text)["alice"])
    assert (scu.label, scu.contributors) == ("The ferry sank", ("The ferry sank", "Boats saved"))


def test_manager_designs_tries_and_saves_scheme(sign_in, charlie):
    project = create_project("own", "Own", STARTING_POINTS["empty"], manager=charlie)
    window = sign_in(charlie, "/projects/own/scheme/edit/")
    window.find("iframe.scheme-sample:not(.is-coming)")

    def add(what: str, label: str, *values: str) -> None:
        window.click(window.find("button", f"Add {what}"))
        window.type(label)
        if values:
            window.click(window.find("button", "Add a value"))
        for value in values:
            window.type(value)
            window.press("Enter")

    add("a category", "old")
    add("a category", "new")
    add("an attribute", "animacy", "yes", "no")
    add("an attribute", "gender", "feminine", "masculine")
    window.click(window.find(".scheme-row[data-row='attribute gender']"))
    window.press("Alt+ArrowRight")
    window.wait_for_text(".scheme-row[data-row='attribute gender']", "if animacy is yes")
    window.press("Alt+ArrowUp")
    window.wait_for_text("#scheme-message", "stays behind it")
    window.press("Control+z")
    window.wait_for_text(".scheme-row[data-row='attribute gender']", "one of 2")
    window.press("Alt+ArrowUp")
    window.wait(
        lambda: inner_text(window.driver.find_elements("css selector", ".scheme-row-label")[-2]) == "gender",
        "gender first",
    )
    window.find("#scheme-save:enabled")
    window.wait(
        lambda: not window.driver.find_elements("css selector", "iframe.is-coming"), "the preview of this draft"
    )
    window.driver.switch_to.frame(window.find("iframe.scheme-sample:not(.is-coming)"))
    window.find("#categories button[data-category=new]").click()
    window.wait_for_text("#further-questions", "masculine")
    window.find("#further-questions [data-value=masculine]").click()
    window.find("#further-questions [data-value=masculine][aria-pressed=true]")
    window.driver.switch_to.default_content()
    window.click(window.find("#scheme-save:enabled"))
    window.click(window.find("#scheme-confirm:enabled"))
    window.find("#scheme-state[data-state=saved]")
    spec = read_scheme(project.pk).spec
    assert [attribute.key for attribute in spec.attributes] == ["gender", "animacy"]
    assert [category.key for category in spec.categories] == ["old", "new"]


def test_bridging_and_reading_answered_by_keyboard_join_no_chain(sign_in, alice):
    coding = coding_of(rich_project("rich", BRIDGING, alice))
    coder = Coder(sign_in(alice, "/projects/rich/texts/tea/code/"), coding)
    window = coder.window
    window.wait_for_text("#progress-text", "decided")
    window.press("4", "Space", "4")
    window.wait_for_text("#letters-mean", "Letters choose targets of bridging")
    window.press(coder.candidate("the kettle"), "2", "Space")
    coder.at("it")
    window.press("1", coder.candidate("the kettle"))
    window.type("+")
    window.press(coder.candidate("the stove"))
    window.wait_for_text("#readings", "the kettle + the stove")
    keys = {
        coding.text.content[markable.start : markable.end]: markable.key
        for markable in coding.text.markables.order_by("-start")
    }
    kettle, stove = keys["the kettle"], keys["the stove"]
    given = coder.saved()
    bridging = given[stove]
    assert (bridging["relations"], bridging["attributes"]) == ({"bridging": [kettle]}, {"how": "own"})
    assert bridging["pointers"] == []
    assert given[keys["it"]]["pointers"] == [[kettle, stove]]
    assert window.driver.find_elements("css selector", "#text .markable.is-ambiguous") == []


def test_page_draws_charts(sign_in, codings, keys, charlie):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "place")
        coding.refresh_from_db()
        submit_coding(coding, coding.coder)
    window = sign_in(charlie, "/projects/tea/agreement/")
    window.driver.execute_script("document.querySelector('[data-chart]').scrollIntoView()")
    window.find("[data-chart][data-drawn] .main-svg")
