"""A coder asks on the coding page, a manager answers, and both see what is new; guidelines that changed say so."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Question
from annotations.projects.guidelines import guidelines_news, record_guidelines, record_reading
from annotations.projects.members import add_member
from tests.browser.conftest import offline
from tests.browser.test_accessibility import violations
from tests.shared.pyramids import docset, models_of, pyramid_project

pytestmark = pytest.mark.browser

WALK = "[Ann](a) met [Bob](b)"


def read_by(page, project, user):
    """Wait until the user has read the guidelines."""
    for _ in range(100):
        if guidelines_news(project, user) is None:
            return
        page.wait_for_timeout(50)
    pytest.fail("the guidelines are not read")


@pytest.mark.expected_errors("ERR_INTERNET_DISCONNECTED")
def test_a_coder_asks_by_key_and_reads_the_answer_on_the_coding_page(coder_of, sign_in, alice, charlie):
    coder = coder_of(WALK)
    page, project = coder.page, coder.coding.text.project
    add_member(project, charlie, "manager")
    dialog = page.get_by_role("dialog", name="Questions")
    coder.press("ArrowRight", "z")
    expect(dialog.get_by_label("“Bob”")).to_be_checked()
    expect(dialog.get_by_label("Question")).to_be_focused()
    assert violations(page) == []
    dialog.get_by_label("Question").fill("Is *Bob* a place?")
    offline(page)
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog.get_by_text("Not sent: the server is not responding.")).to_be_visible()
    page.context.set_offline(False)
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog.get_by_text("Sent to the managers.")).to_be_visible()
    expect(dialog.get_by_text("waiting for an answer")).to_be_visible()
    dialog.get_by_label("the text as a whole").check()
    dialog.get_by_role("button", name="Close").click()
    question = Question.objects.get()
    assert question.key == coder.keys()["b"]

    manager = sign_in(charlie, "/projects/own/")
    manager.get_by_role("link", name="Answer").click()
    manager.get_by_role("article").get_by_role("link", name="Answer").click()
    manager.get_by_label("Reply").fill("No, a *person*.")
    manager.get_by_role("button", name="Reply", exact=True).click()
    expect(manager.get_by_text("No, a person.")).to_be_visible()
    assert violations(manager) == []

    page.reload()
    notice = page.locator("#notices").get_by_text("A question of yours has a new answer.")
    expect(notice).to_be_visible()
    page.locator("#notices").get_by_role("button", name="Read").click()
    expect(dialog.get_by_text("No, a person.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Mark as read")).to_be_hidden()  # a moment in sight is enough
    page.reload()
    expect(page.locator("#progress-text")).to_contain_text("decided")
    expect(notice).to_be_hidden()


def test_guidelines_that_changed_are_marked_until_the_panel_is_open(coder_of, sign_in, alice, charlie):
    coder = coder_of(WALK)
    page, project = coder.page, coder.coding.text.project
    for body in ("# Rules\n\nRead *once*.", "# Rules\n\nRead *twice*."):
        project.guidelines = body
        project.save()
        record_guidelines(project, None)
    record_reading(project, alice, 1)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/projects/own/")
    expect(page.get_by_text("The guidelines changed since you read them.")).to_be_visible()
    page.goto("/projects/own/texts/tea/code/")
    panel = page.locator("#guidelines")
    expect(panel.get_by_text("changed", exact=True)).to_be_visible()
    page.wait_for_timeout(1500)  # folded: nobody reads it
    assert guidelines_news(project, alice) is not None
    coder.press("y")
    expect(panel.get_by_role("link", name="Show what changed")).to_be_visible()
    read_by(page, project, alice)
    panel.get_by_role("link", name="Show what changed").click()
    expect(page.locator("del")).to_have_text(["removed", "once"])
    expect(page.locator("ins")).to_have_text(["added", "twice"])
    assert violations(page) == []
    page.goto("/projects/own/")
    expect(page.get_by_text("The guidelines changed")).to_have_count(0)


def test_on_the_pyramid_page_one_asks_by_the_button(sign_in, transactional_db, alice):
    models = models_of(docset(pyramid_project(), alice))
    page = sign_in(alice, f"/projects/ferry/texts/{models.slug}/code/")
    page.get_by_role("button", name="Questions").click()
    dialog = page.get_by_role("dialog", name="Questions")
    dialog.get_by_label("Question").fill("What is an SCU?")
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog.get_by_text("Sent to the managers.")).to_be_visible()
    assert Question.objects.get().key == ""
