"""Rounds in a browser: a manager makes one and closes it, a coder codes a text again and goes on with an open page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.coding.judgements import judgements_of
from annotations.models import Coding, Membership
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.browser.conftest import offline, saved

THREE = "[Ann](a) met [Bob](b). [She](c) left."


def test_manager_copies_round_assigns_texts_and_closes_it(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    project = coder.coding.text.project
    add_member(project, charlie, Membership.Role.MANAGER)
    page = sign_in(charlie, "/projects/own/")
    page.get_by_role("link", name="Rounds", exact=True).click()
    page.get_by_label("Name").fill("again")
    page.get_by_label("Kind").select_option("recheck")
    page.get_by_label("Texts").select_option("main")
    page.get_by_role("button", name="Make round").click()
    expect(page.get_by_role("heading", name="again", exact=True)).to_be_visible()
    page.get_by_role("link", name="Assign texts").click()
    expect(page.get_by_label("Round")).to_have_value("again")
    page.get_by_label("Everybody codes every text").check()
    expect(page.locator("#plan-summary")).to_contain_text("1 new assignment")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 assignment created.")).to_be_visible()
    page.get_by_role("link", name="Rounds", exact=True).click()
    page.get_by_role("button", name="Close again").click()
    expect(page.get_by_text("Not submitted: 1 coding.")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="again").get_by_text("closed")).to_be_visible()
    page.get_by_role("button", name="Open again").click()
    expect(page.get_by_text("Opened the round again.")).to_be_visible()


def test_open_page_keeps_its_coding_after_second_assignment(coder_of):
    coder = coder_of(THREE)
    coder.press("4")
    coder.saved()
    first, project = coder.coding, coder.coding.text.project
    again = create_round(project, "again", copied=project.rounds.get())
    assign_texts(project, [first.text], [first.coder], again)
    coder.press("Enter", "4")
    coder.saved()
    second = Coding.objects.of_people().get(round=again)
    assert (len(judgements_of(first)), second.version) == (2, 0)
    page = coder.page
    page.goto("/projects/own/")
    page.get_by_role("row").filter(has_text="again").get_by_role("link", name="tea").click()
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")
    page.keyboard.press("4")
    saved(page)
    second.refresh_from_db()
    assert second.version == 1
    assert len(judgements_of(first)) == 2


@pytest.mark.expected_errors("ERR_INTERNET_DISCONNECTED", "400")
def test_closed_round_keeps_unsent_answers_in_browser(coder_of):
    coder = coder_of(THREE)
    page, project = coder.page, coder.coding.text.project
    offline(page)
    coder.press("4")
    change_round(project.rounds.get(), closed=True)
    page.context.set_offline(False)
    expect(page.get_by_text("The round main is closed")).to_be_visible()
    expect(page.locator("#save-state")).to_have_text("1 not accepted by the server")
    coder.coding.refresh_from_db()
    assert coder.coding.version == 0
    page.reload()
    expect(page.get_by_text("The round main is closed: this coding can only be read.")).to_be_visible()
    change_round(project.rounds.get(), closed=False)
    page.reload()
    saved(page)
    coder.coding.refresh_from_db()
    assert coder.coding.version == 1


def test_answers_queued_by_older_version_are_sent(coder_of):
    coder = coder_of(THREE)
    page, keys = coder.page, coder.keys()
    payload = {"markable": keys["a"], "category": "none", "pointers": []}
    operation = {"uuid": "6f1b1b6e-7f5e-4d0b-9a53-0c1a3b6f5d11", "kind": "judge", "payload": payload}
    address = "/api/v1/projects/own/texts/tea/coding/operations/ alice"
    page.evaluate(
        """(row) => new Promise((done) => {
          const opening = indexedDB.open("coindex");
          opening.onsuccess = () => {
            const writing = opening.result.transaction("outbox", "readwrite");
            writing.objectStore("outbox").add(row);
            writing.oncomplete = done;
          };
        })""",
        {"place": address, "operation": operation},
    )
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("1 of 3 decided")
    assert set(coder.saved()) == {keys["a"]}
