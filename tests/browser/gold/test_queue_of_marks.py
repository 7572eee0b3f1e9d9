"""Queue of gold in projects whose coders mark words."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State, gold_states
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.exporting.gold import EMPTY
from tests.browser.conftest import saved
from tests.shared.coding import judge
from tests.shared.projects import make_project, person

ADDRESS = "/projects/marks/texts/tea/gold/code/"
TEXT = "The pump of the old mill is new. It runs."
PHRASES = {"phrase:0-8": "The pump", "phrase:12-24": "the old mill", "phrase:33-35": "It"}


def drafted(*marks: tuple[str, ...], marking: bool = True) -> Project:
    """Return a project whose gold is drafted of what most coders say; each coder has marked these phrases."""
    project = make_project("marks", marked=TEXT)
    if marking:
        set_coder_marked_levels(project, project.levels.filter(coded=True))
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    for name, keys in zip(("ann", "ben", "cora"), marks, strict=False):
        add_member(project, person(name), Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [person(name)])
        coding = Coding.objects.of_people().select_related("coder", "text__project").get(coder__username=name)
        for key in keys:
            judge(coding, key, *(("phrase", "phrase:12-24") if key == "phrase:33-35" else ("place",)))
        submit_coding(coding, coding.coder)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return project


def gold() -> Coding:
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def open_queue(sign_in) -> Page:
    page = sign_in(person("charlie"), ADDRESS)
    expect(page.locator("#queue-left")).not_to_have_text("")
    return page


def test_queue_asks_for_words_marked_by_half_of_coders(transactional_db, sign_in):
    drafted(tuple(PHRASES), ())
    page = open_queue(sign_in)
    left = page.locator("#queue-left")
    expect(left).to_have_text("3 decisions left")
    assert gold_states([gold()])[0].n_open == 3
    seen = set()
    for _ in range(page.locator("#queue-card").inner_text().count("of") + 1):
        expect(page.locator("#queue")).not_to_contain_text("phrase:")
        seen.update(page.locator(".queue-words").all_inner_texts())
        page.keyboard.press("n")
    assert seen == {"The pump", "the old mill, It"}
    assert page.evaluate("CSS.highlights.has('asked')")
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_contain_text(re.compile("No majority for “.*”: take a coder’s answer"))
    expect(left).to_have_text("3 decisions left")
    page.keyboard.press("0")
    expect(left).not_to_contain_text("3 decisions")
    saved(page)
    assert gold_states([gold()])[0].n_open < 3


def test_enter_leaves_out_words_marked_by_minority(transactional_db, sign_in):
    drafted(("phrase:0-8",), (), ())
    page = open_queue(sign_in)
    expect(page.locator("#queue-left")).to_have_text("1 decision left")
    page.keyboard.press("Enter")
    expect(page.locator("#queue-left")).to_have_text("Nothing left to decide")


def test_cards_stay_visible_after_words_are_marked(transactional_db, sign_in):
    drafted(tuple(PHRASES), ())
    page = open_queue(sign_in)
    table, accept = page.locator(".queue-table"), page.get_by_role("button", name="Accept the draft")
    expect(table).to_be_visible()
    place = [
        column
        for column, cell in enumerate(page.locator(".queue-table tr[aria-current] td").all())
        if "place" in cell.inner_text()
    ]
    page.keyboard.press(str(place[0] + 1))  # the coder's markables come into gold that had none
    saved(page)
    assert gold().judgements.exists()
    expect(table).to_be_visible()
    expect(accept).to_be_visible()
    page.locator("#text").get_by_text("runs").dblclick(position={"x": 3, "y": 3})
    page.keyboard.press("e")
    expect(table).to_be_visible()
    expect(accept).to_be_visible()


def test_gold_without_markables_stays_open_and_explains_why(transactional_db, sign_in):
    project = drafted((), (), marking=False)
    [state] = gold_states([gold()])
    assert (state.state, state.n_open) == (State.OPEN, 0)
    page = open_queue(sign_in)
    why = "This text has no markables: there is nothing to decide, and it has no gold to submit or export."
    expect(page.locator("#queue-left")).to_have_text(why)
    page.get_by_role("button", name="Submit…").click()
    expect(page.get_by_role("dialog", name="Before you submit")).to_contain_text(why)
    page.goto("/projects/marks/rounds/main/")
    expect(page.get_by_role("row", name="Tea").first).to_contain_text("open, without an answer")
    for kind in ("gold", "silver"):
        report = export_files(project, "jsonlines", None, gold=kind)
        assert report.codings == 0
        assert [(loss.what, loss.examples) for loss in report.left_out] == [(EMPTY, ("tea",))]


def test_gold_is_decided_and_exported_if_no_coder_marked_words(transactional_db, sign_in):
    project = drafted((), ())
    assert gold_states([gold()])[0].state is State.DECIDED
    expect(open_queue(sign_in).locator("#queue-left")).to_have_text("Nothing left to decide")
    assert export_files(project, "jsonlines", None, gold="gold").codings == 1
