"""Submission, and the list of incomplete markables before it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from annotations.adjudication.ownership import open_gold
from annotations.coding.judgements import judgements_of
from annotations.coding.operations import Change
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats import plain
from annotations.models import Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.browser.conftest import offline, press, saved
from tests.shared.coding import judge, judge_all, judgement
from tests.shared.schemes import BRIDGING, change_rows, coding_of, rich_project

THREE = "[Ann](a) met [Bob](b). [She](c) left."


def test_submit_dialog_lists_and_opens_incomplete_markables(coder_of):
    coder = coder_of(THREE)
    page = coder.page
    expect(page.get_by_label("optional")).to_be_hidden()  # no answer of this scheme is
    coder.press("o")
    assert coder.saved() == {}
    coder.press("4", "q", "ArrowRight", "1")
    page.get_by_role("button", name="Submit…").click()
    dialog = page.get_by_role("dialog", name="Before you submit")
    expect(dialog.get_by_text("1 of 3 decided.")).to_be_visible()
    expect(dialog.get_by_role("heading", level=3)).to_have_text(
        ["Undecided: 1", "Incomplete answers: 1", "Marked as unsure: 1"]
    )
    expect(dialog.get_by_text("phrase without antecedent")).to_be_visible()
    dialog.get_by_role("button", name="She").click()
    expect(dialog).to_be_hidden()
    coder.at("She")
    coder.saved()


def test_coder_submits_coding_and_manager_reopens_it(coder_of, sign_in, charlie):
    coder = coder_of(THREE)
    add_member(coder.coding.text.project, charlie, Membership.Role.MANAGER)
    coder.press("4", "Enter", "4", "Enter")
    coder.point_to("Ann")
    coder.saved()
    page = coder.page
    coder.action("check and submit")
    expect(page.get_by_text("Everything is complete.")).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted “")).to_be_visible()
    coder.coding.refresh_from_db()
    assert coder.coding.status == "submitted"
    manager = sign_in(charlie, "/projects/own/")
    manager.get_by_role("button", name="Reopen tea").click()
    manager.get_by_label("Reason").fill("See the new guideline.")
    manager.get_by_role("button", name="Reopen").click()
    expect(manager.get_by_text("Reopened “tea” for alice.")).to_be_visible()
    page.goto("/projects/own/texts/tea/code/")
    expect(page.locator("#progress-text")).to_have_text("3 of 3 decided")
    coder.press("u")
    saved(page)
    expect(page.locator("#progress-text")).to_have_text("2 of 3 decided")


@pytest.mark.expected_errors("status of 40[09]")
def test_answers_after_submission_elsewhere_are_kept(coder_of):
    coder = coder_of(THREE)
    page, coding = coder.page, coder.coding
    submit_coding(coding, coding.coder)
    notices = page.locator("#notices .notice")
    for waiting in (1, 2, 3):
        coder.press("4", "ArrowRight")
        expect(notices).to_contain_text(f"{waiting} kept in this browser")
    expect(notices).to_have_count(1)
    reopen_coding(coding, coding.coder)
    coder.press("ArrowLeft", "q")
    assert len(coder.saved()) == 3
    expect(notices).to_have_count(0)


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_submit_button_waits_until_answers_are_saved(coder_of):
    coder = coder_of(THREE)
    page = coder.page
    coder.action("check and submit")  # loads that part of the page
    expect(page.get_by_role("dialog", name="Before you submit")).to_be_visible()
    coder.press("Escape")
    offline(page)
    coder.press("4")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    page.get_by_role("button", name="Submit…").click()
    button = page.get_by_role("button", name="Submit anyway")
    expect(button).to_be_disabled()
    page.context.set_offline(False)
    expect(button).to_be_enabled()
    coder.saved()


def test_missing_required_answers_block_submission(sign_in, alice):
    project = rich_project("rich", BRIDGING, alice)
    change_rows(project.attributes.filter(key="gender"), required=True)
    page = sign_in(alice, "/projects/rich/texts/tea/code/")
    expect(page.locator("#progress-text")).to_contain_text("decided")
    press(page, "3", "ArrowRight", *["4", "ArrowRight"] * 5)
    saved(page)
    expect(page.locator("#progress-text")).to_have_text("5 of 6 decided")
    expect(page.locator("#submit-note")).to_have_text("1 still undecided")
    page.get_by_role("button", name="Submit…").click()
    dialog = page.get_by_role("dialog", name="Before you submit")
    expect(dialog.get_by_role("heading", name="Required answers missing: 1")).to_be_visible()
    expect(dialog.get_by_text("Answer these first: without them the text cannot be submitted.")).to_be_visible()
    expect(dialog.get_by_role("button", name=re.compile("Submit"))).to_have_count(0)
    dialog.get_by_role("button", name="the kettle gender of its chain is missing").click()
    page.keyboard.press("1")  # of the question that is missing, not of the category
    saved(page)
    assert "f" in [answer.get("attributes", {}).get("gender") for answer in judgements_of(coding_of(project)).values()]
    expect(page.locator("#submit-note")).to_have_text("all decided")
    page.get_by_role("button", name="Submit…").click()
    dialog.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted “Tea”.")).to_be_visible()


def test_refused_submission_opens_incomplete_markable(sign_in, alice):
    coding = coding_of(rich_project("rich", BRIDGING, alice))
    keys = coding.text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True)
    judge_all(coding, [judgement(key, "place") for key in keys])
    page = sign_in(alice, "/projects/rich/texts/tea/code/")
    expect(page.locator("#progress-text")).to_contain_text("decided")
    page.get_by_role("button", name="Submit…").click()
    # the scheme changes while the page is open
    change_rows(coding.text.project.attributes.filter(key="gender"), required=True)
    judge(coding, keys[0], "place", attributes={"gender": "f"})
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Answer “gender” for the chain of “the stove” first.")).to_be_visible()
    expect(page.locator("#words")).to_have_text("the stove")


def test_gold_without_decisions_cannot_be_submitted(sign_in, coder_of, charlie):
    project = coder_of(THREE).coding.text.project
    add_member(project, charlie, Membership.Role.MANAGER)
    open_gold(project, project.texts.get(), "main", charlie, early=True)
    page = sign_in(charlie, "/projects/own/texts/tea/gold/code/")
    expect(page.locator("#progress-text")).to_contain_text("decided")
    page.get_by_role("button", name="Submit…").click()
    dialog = page.get_by_role("dialog", name="Before you submit")
    expect(dialog.get_by_text("Nothing is decided yet")).to_be_visible()
    expect(dialog.get_by_role("button", name=re.compile("Submit"))).to_have_count(0)


def test_unsure_optional_and_note_are_saved(coder_of):
    coder = coder_of(THREE, "muc-ident")
    page = coder.page
    coder.press("2", "q", "o", "c")
    page.keyboard.type("which Ann?")
    coder.press("Escape")
    expect(page.get_by_label("unsure")).to_be_checked()
    expect(page.get_by_label("optional")).to_be_checked()
    expect(coder.markable("Ann").locator(".badge")).to_have_text("?")
    coder.press("ArrowRight")
    value = coder.saved()[coder.keys()["a"]]
    assert (value["unsure"], value["optional"], value["note"]) == (True, True, "which Ann?")
    expect(page.get_by_label("unsure")).not_to_be_checked()


def test_page_shows_time_at_work(coder_of, alice):
    coder = coder_of(THREE)
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    judge_all(
        coder.coding,
        [
            Change(uuid4(), "judge", {"markable": coder.keys()["a"]}, made_at=start + timedelta(minutes=minute))
            for minute in range(0, 70, 4)
        ],
    )
    coder.page.reload()
    expect(coder.page.locator("#time")).to_have_text("1 h 8 min")


def test_submission_opens_next_text_and_warns_of_empty_coding(coder_of, alice):
    coder = coder_of("Nothing is marked here.", marking=True)
    project, page = coder.coding.text.project, coder.page
    import_documents(project, [SourceDocument(plain.parse("[Ann](a) left.", "second.txt"), None)])
    assign_texts(project, project.texts.all(), [alice])
    page.reload()
    page.get_by_role("button", name="Submit…").click()
    dialog = page.get_by_role("dialog", name="Before you submit")
    expect(dialog).to_contain_text(
        "Nothing is marked: submitted so, it counts as a text in which you found nothing to mark."
    )
    expect(dialog.get_by_text("Everything is complete.")).to_have_count(0)
    dialog.get_by_role("button", name="Submit anyway, open next text").click()
    expect(page).to_have_url(re.compile("/texts/second/code/$"))
    coder.at("Ann")
    coder.press("4")
    expect(page.locator("#progress-text")).to_have_text("1 of 1 decided")
    saved(page)
    page.goto("/projects/own/")
    expect(page.get_by_role("row").nth(1)).to_contain_text("decided, not submitted")
    page.goto("/projects/own/texts/second/code/")
    page.get_by_role("button", name="Submit…").click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="open next text")).to_have_count(0)
