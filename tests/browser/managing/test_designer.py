"""The scheme designer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect

from annotations.coding.judgements import judgements_of
from annotations.formats import plain
from annotations.formats.model.scheme import CATEGORY, AttributeSpec, Condition, RelationSpec, Subject, ValueSpec
from annotations.models import Judgement, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.projects.scheme_rows import stamp_scheme
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import STARTING_POINTS
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.annotations.transfers.test_further_answers import brought, exported, said
from tests.browser.conftest import offline, press, saved
from tests.browser.pages.test_accessibility import violations
from tests.shared.cases import cases
from tests.shared.coding import judge

EDIT = "/projects/own/scheme/edit/"
TEXT = "[Ann](a) saw [a house](b). [The roof](c) was red, and [she](d) liked [it](e)."


@pytest.fixture
def project(charlie) -> Project:
    project = create_project("own", "Own", STARTING_POINTS["empty"], manager=charlie)
    import_documents(project, [SourceDocument(plain.parse(TEXT, "house.txt"), None)])
    return project


def open_designer(sign_in, user) -> Page:
    page = sign_in(user, EDIT)
    expect(page.locator("iframe.scheme-sample:not(.is-coming)")).to_be_visible()
    return page


def sample(page: Page) -> FrameLocator:
    return page.frame_locator("iframe.scheme-sample:not(.is-coming)")


@contextmanager
def hold_request(page: Page, address: str) -> Iterator[list[Route]]:
    """Give a list that holds, afterwards, the one request for the address made meanwhile, which has no answer yet."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route(address, hold, times=1)
    with page.expect_request(address):
        yield routes
    expect(page.locator("body")).to_be_attached()  # until the request has met the function above
    assert len(routes) == 1


def add(page: Page, what: str, label: str) -> None:
    """Add a question and write its label, which has the focus."""
    page.get_by_role("button", name=f"Add {what}", exact=True).click()
    page.keyboard.type(label)
    expect(page.get_by_label("Label", exact=True)).to_have_value(label)


def add_values(page: Page, *labels: str) -> None:
    """Write the values one after the other. Enter goes to the next; the last, without words, is none."""
    page.get_by_role("button", name="Add a value").click()
    for label in labels:
        page.keyboard.type(label)
        page.keyboard.press("Enter")
    expect(page.get_by_label(f"Label of value {len(labels) + 1}")).to_be_focused()


def rows(page: Page) -> list[str]:
    return page.locator(".scheme-row-label").all_inner_texts()


def state(page: Page, words: str) -> None:
    expect(page.locator("#scheme-state")).to_have_text(words)


def save(page: Page) -> None:
    page.locator("#scheme-save:enabled").click()
    page.get_by_role("button", name="Save", exact=True).click()


def test_button_held_during_server_response_is_clicked(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    adder = page.get_by_role("button", name="Add a relation", exact=True)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        add(page, "a category", "identity")
        adder.hover()
        page.mouse.down()
    page.evaluate("() => new Promise((painted) => setTimeout(() => requestAnimationFrame(() => painted()), 100))")
    page.mouse.up()
    expect(page.get_by_label("Label", exact=True)).to_have_value("New relation")


def test_validation_message_moves_no_button(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    adder = page.get_by_role("button", name="Add a value")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Add an attribute", exact=True).click()
        before = adder.bounding_box()
    expect(page.locator("#scheme-form").get_by_text("It has no values.")).to_be_in_viewport()
    assert adder.bounding_box() == before


def design(page: Page) -> None:
    """Design identity, bridging with an anchor (part of, possession), none; gender and number of the entity."""
    add(page, "a category", "identity")
    page.get_by_label("It asks for antecedents").check()
    add(page, "a category", "bridging")
    add(page, "a category", "none")
    add(page, "a relation", "anchor")
    page.get_by_label("Asked", exact=True).select_option(label="by the answer to category")
    page.get_by_role("group", name="Asked if the answer is").get_by_label("bridging").check()
    page.get_by_role("group", name="Asked if the answer is").get_by_label("identity").uncheck()
    add(page, "an attribute", "kind of bridging")
    page.get_by_label("Asked of").select_option(label="the relation anchor")
    add_values(page, "part of", "possession")
    for label, values in (("gender", ("feminine", "masculine", "neuter")), ("number", ("singular", "plural"))):
        add(page, "an attribute", label)
        page.get_by_label("Asked of").select_option(label="each entity, once for its chain")
        add_values(page, *values)


def code_by_keys(page: Page) -> None:
    """Code the text: the roof bridges to the house, and two pronouns corefer."""

    def letter(words: str) -> str:
        return page.locator("#candidates li", has_text=words).locator("kbd").first.inner_text()

    expect(page.locator("#words")).to_have_text("Ann")
    press(page, "3", "1", "1", "ArrowRight")  # none, feminine, singular
    expect(page.locator("#words")).to_have_text("a house")
    press(page, "3", "ArrowRight")
    expect(page.locator("#words")).to_have_text("The roof")
    page.keyboard.press("2")
    expect(page.locator("#letters-mean")).to_contain_text("anchor")
    page.keyboard.press(letter("a house"))
    page.keyboard.press("1")
    for words, antecedent in (("she", "Ann"), ("it", "a house")):
        page.locator("#text .markable").filter(has_text=re.compile(f"^{words}[0-9?]*$")).click()
        expect(page.locator("#words")).to_have_text(words)
        page.keyboard.press("1")
        page.keyboard.press(letter(antecedent))
    saved(page)
    expect(page.locator("#text .markable[class*=chain-]").filter(has_text="The roof")).to_have_count(0)


@pytest.mark.parametrize(("address", "loads"), [("**/scheme/sample/", 1), ("**/js/coding/main.js", 2)])
def test_preview_loads_one_frame_at_a_time_and_shows_last_edit(sign_in, charlie, project, address, loads):
    page = open_designer(sign_in, charlie)
    requests: list[str] = []
    page.on(
        "request", lambda request: requests.append(request.url) if request.url.endswith("/scheme/sample/") else None
    )
    with hold_request(page, address) as waiting:
        add(page, "an attribute", "gender")
    coming = page.locator("iframe.scheme-sample.is-coming")
    expect(coming).to_have_count(1)
    for label in ("number", "person"):
        add(page, "an attribute", label)
    state(page, "Not saved · 3 problems")  # the server has seen the last letter
    assert len(requests) == 1
    expect(page.locator("iframe.scheme-sample")).to_have_count(2)
    waiting[0].continue_()
    expect(sample(page).get_by_role("group", name="person")).to_be_attached()
    expect(coming).to_have_count(0)
    assert len(requests) == loads


def test_preview_abandons_frame_that_never_loads(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    page.clock.install()
    with hold_request(page, "**/scheme/sample/") as waiting:
        add(page, "an attribute", "gender")
    page.clock.run_for(31_000)
    add(page, "an attribute", "number")
    expect(sample(page).get_by_role("group", name="number")).to_be_attached()
    waiting[0].abort()


def test_manager_designs_tries_saves_and_assigns_scheme(sign_in, alice, charlie, project):
    assert not charlie.is_staff
    add_member(project, alice, Membership.Role.CODER)
    page = open_designer(sign_in, charlie)
    design(page)
    state(page, "Not saved")
    coding = sample(page)
    expect(coding.get_by_role("group", name="Category").get_by_role("button")).to_have_text(
        [re.compile("identity"), re.compile("bridging"), re.compile("none")]
    )
    coding.locator("#text-pane").focus()
    page.keyboard.press("3")
    expect(coding.get_by_role("button", name=re.compile("none"))).to_have_attribute("aria-pressed", "true")
    assert not Judgement.objects.exists()
    page.get_by_role("button", name="Save…").click()
    dialog = page.get_by_role("dialog", name="Save the scheme?")
    expect(dialog.get_by_text("New relation: anchor, asked if the category is bridging.")).to_be_visible()
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#scheme-message")).to_have_text("Saved. Coders see the change when they open a text.")
    state(page, "Saved")
    spec = read_scheme(project.pk).spec
    assert [category.key for category in spec.categories] == ["identity", "bridging", "none"]
    anchor = spec.relations[-1]
    assert anchor == RelationSpec(
        "anchor", "anchor", to_levels=("phrase",), asked_if=Condition(CATEGORY, ("bridging",))
    )
    kind, gender, number = spec.attributes
    assert (kind.of, kind.relation, [value.label for value in kind.values]) == (
        Subject.RELATION,
        "anchor",
        ["part of", "possession"],
    )
    assert {gender.of, number.of} == {Subject.ENTITY}
    page.get_by_role("link", name="Assignments").click()
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("1 assignment created")).to_be_visible()
    code_by_keys(sign_in(alice, "/projects/own/texts/house/code/"))
    coding = project.texts.get().codings.of_people().get()
    assert coding.coder == alice
    words = {
        markable.key: coding.text.content[markable.start : markable.end] for markable in coding.text.markables.all()
    }
    given = {words[key]: answer for key, answer in judgements_of(coding).items()}
    house = next(key for key, said in words.items() if said == "a house")
    roof = given["The roof"]
    assert (roof["category"], roof["pointers"]) == ("bridging", [])
    assert (roof["relations"], roof["attributes"]) == ({"anchor": [house]}, {"kind-of-bridging": "part-of"})
    assert given["it"]["pointers"] == [house]
    assert given["Ann"]["attributes"] == {"gender": "feminine", "number": "singular"}
    # The manager sees two chains, each of two, and the roof in none.
    page.goto("/projects/own/texts/house/?coder=alice")
    expect(page.locator(".badge")).to_have_text(["1", "2", "1", "2"])
    # The same answers come back from MMAX2.
    other = create_project("other", "Other", STARTING_POINTS["empty"])
    save_scheme(other, spec, charlie)
    import_documents(other, [SourceDocument(plain.parse(TEXT, "house.txt"), None)])
    data, _ = exported(project, "mmax2")
    assert brought(other, "mmax2", data).refusals() == []
    assert said(other.texts.get().codings.of_people().get(), other) == said(coding, project)


def test_keyboard_moves_indents_and_deletes_questions(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    for label in ("animacy", "gender"):
        add(page, "an attribute", label)
        add_values(page, "yes", "no")
    page.locator(".scheme-row", has_text="gender").focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(page.locator(".scheme-row", has_text="gender")).to_contain_text("if animacy is yes")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator("#scheme-said")).to_have_text("gender is asked by the answer to animacy, and stays behind it.")
    press(page, "Alt+ArrowLeft", "Alt+ArrowUp")
    assert rows(page)[-2:] == ["gender", "animacy"]
    expect(page.locator(".scheme-row:focus")).to_contain_text("gender")
    page.keyboard.press("Delete")
    expect(page.locator("#scheme-said")).to_have_text("gender: deleted. Undo brings it back.")
    assert rows(page)[-2:] == ["phrase", "animacy"]
    page.keyboard.press("Control+z")
    assert rows(page)[-2:] == ["gender", "animacy"]


@pytest.mark.expected_errors("412")
def test_draft_survives_other_save_and_reload_asks_first(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    add(page, "a category", "mine")
    state(page, "Not saved")
    project.categories.create(key="theirs", label="theirs")
    stamp_scheme(project)
    save(page)
    dialog = page.get_by_role("dialog", name="Somebody else has saved the scheme")
    expect(dialog.get_by_text("New category: theirs.")).to_be_visible()
    dialog.get_by_role("button", name="Take theirs").click()
    assert "theirs" in rows(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    assert rows(page)[-1] == "mine"
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert asked == ["beforeunload"]


def test_browser_keeps_draft_until_undone(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    page.on("dialog", lambda dialog: dialog.accept())
    add(page, "an attribute", "gender")
    add_values(page, "feminine")
    state(page, "Not saved")
    page.get_by_role("link", name="Overview").click()
    page.go_back()
    expect(page.locator("#scheme-message")).to_have_text(re.compile("Your draft of .* is here again"))
    page.locator(".scheme-row", has_text="gender").click()
    expect(page.get_by_label("Label of value 1")).to_have_value("feminine")
    page.get_by_role("button", name="Undo", exact=True).click()
    state(page, "Saved")
    page.reload()
    state(page, "Saved")
    expect(page.locator("#scheme-message")).to_have_text("")
    page.locator(".scheme-row", has_text="phrase").click()
    page.get_by_label("Coders create markables").check()
    page.get_by_role("button", name="Save…").click()
    dialog = page.get_by_role("dialog", name="Save the scheme?")
    expect(dialog).to_contain_text("whether coders create markables")
    expect(dialog).to_contain_text("No existing answer changes.")
    expect(dialog).not_to_contain_text("Only words")


@pytest.mark.expected_errors("Failed to load resource")
def test_signed_out_manager_gets_draft_back(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    page.on("dialog", lambda dialog: dialog.accept())
    cookies = page.context.cookies()
    page.context.clear_cookies()
    add(page, "a category", "mine")
    expect(page.locator("#scheme-message")).to_contain_text("you are signed out")
    expect(page.get_by_role("button", name="Save…")).to_be_disabled()
    page.context.add_cookies([{**cookie} for cookie in cookies])
    page.reload()
    assert rows(page)[-1] == "mine"
    save(page)
    state(page, "Saved")


@pytest.mark.expected_errors("Failed to load resource")
def test_lost_response_to_save_causes_no_conflict(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    add(page, "a category", "mine")

    def lose_answer(route):
        if route.request.method == "PUT":
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/projects/own/scheme/", lose_answer)
    save(page)
    expect(
        page.get_by_text("The server is not responding. It is not known whether the draft was saved")
    ).to_be_visible()
    page.unroute("**/api/v1/projects/own/scheme/")
    page.keyboard.press("Escape")
    save(page)
    state(page, "Saved")
    assert list(project.categories.values_list("label", flat=True)) == ["mine"]


@pytest.mark.expected_errors("Failed to load resource")
def test_draft_is_checked_again_after_reconnect(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    offline(page)
    add(page, "a category", "mine")
    expect(page.locator("#scheme-message")).to_contain_text("The server is not responding.")
    page.context.set_offline(False)
    expect(page.locator("#scheme-message")).to_have_text("")
    expect(page.locator("#scheme-save")).to_be_enabled()


def test_designer_refuses_wrong_keys_and_limits_pasted_values(sign_in, charlie, project):
    page = open_designer(sign_in, charlie)
    add(page, "a category", "old")
    add(page, "a category", "new")
    key = page.get_by_label("Key", exact=True)
    for wrong, why in (("old", "Another question has the key old."), ("a b", "A key has 1 to 50 letters")):
        key.fill(wrong)
        expect(page.get_by_role("alert").filter(has_text=why)).to_be_visible()
        expect(key).to_have_attribute("aria-invalid", "true")
        page.keyboard.press("Tab")
        expect(key).to_have_value("new")
    expect(page.get_by_role("alert").filter(has_text="key")).to_have_count(0)
    add(page, "an attribute", "many")
    page.get_by_role("button", name="Add a value").click()
    page.evaluate(
        """(lines) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", lines);
          const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.activeElement.dispatchEvent(paste);
        }""",
        "\n".join(f"value {number}" for number in range(230)),
    )
    expect(page.locator("#scheme-message")).to_have_text("An attribute has at most 200 values: 30 left out.")
    expect(page.locator(".scheme-value")).to_have_count(200)
    expect(page.locator("#scheme-save")).to_be_enabled()
    add(page, "an attribute", "few")
    page.get_by_role("button", name="Add a value").click()
    page.keyboard.type("one")
    press(page, "Enter", "Enter")
    expect(page.locator(".scheme-value")).to_have_count(2)
    expect(page.locator(".scheme-row", has_text="few")).to_contain_text("one of 1")
    expect(page.locator("#scheme-save")).to_be_enabled()
    page.keyboard.press("Backspace")
    expect(page.get_by_label("Label of value 1")).to_be_focused()
    expect(page.locator(".scheme-value")).to_have_count(1)


def test_save_dialog_lists_merges_and_required_answers(sign_in, alice, charlie, project):
    add_member(project, alice, Membership.Role.CODER)
    values = tuple(ValueSpec(key, f"the {key}") for key in ("f", "m"))
    spec = replace(read_scheme(project.pk).spec, attributes=(AttributeSpec("gender", "gender", values=values),))
    save_scheme(project, spec, charlie)
    assign_texts(project, project.texts.all(), [alice])
    coding = project.texts.get().codings.of_people().get()
    judge(coding, coding.text.markables.first().key, None, attributes={"gender": "f"})
    page = open_designer(sign_in, charlie)
    page.locator(".scheme-row", has_text="gender").click()
    page.get_by_role("button", name="More: value 1", exact=True).click()
    page.get_by_label("Merge into").select_option(label="the m")
    add(page, "an attribute", "reason")
    page.get_by_label("Answer", exact=True).select_option(label="text")
    page.locator("#scheme-save:enabled").click()
    dialog = page.get_by_role("dialog", name="Save the scheme?")
    merged = "Attribute gender: the f is merged into the m. 1 judgement in 1 text of 1 coder."
    expect(dialog.get_by_text(merged)).to_be_visible()
    expect(dialog.get_by_text("Attribute reason is required: it is missing")).to_be_visible()
    dialog.get_by_role("button", name="Save", exact=True).click()
    state(page, "Saved")
    assert [answer["attributes"] for answer in judgements_of(coding).values()] == [{"gender": "m"}]


@pytest.mark.parametrize(
    ("width", "colours"), cases([(1440, "dark"), (390, "light")], full=[(1440, "light"), (768, "dark"), (390, "dark")])
)
def test_designer_is_accessible_and_fits_window(sign_in, charlie, project, width, colours):
    page = open_designer(sign_in, charlie)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.get_by_role("button", name="Start from…").click()
    assert violations(page) == []
    page.get_by_role("button", name=re.compile("ARRAU-like")).click()
    for label in ("old: phrase", "bridging", "kind of entity"):
        page.locator(".scheme-row", has_text=re.compile(f"^{label}")).click()
        more = page.get_by_role("button", name="More: value 1", exact=True)
        if more.count():
            more.click()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_label("Label", exact=True).fill("")
    expect(page.locator("#scheme-findings").get_by_text("label: This is empty.")).to_be_visible()
    state(page, "Not saved · 1 problem")
    expect(page.get_by_role("button", name="Save…")).to_be_disabled()
    assert violations(page) == []
