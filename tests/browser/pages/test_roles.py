"""A manager who also codes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.coding.status import submit_coding
from annotations.models import Coding
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import judge
from tests.shared.projects import person


@pytest.mark.expected_errors("status of 403")
def test_coding_manager_asks_to_reopen_and_opens_results(sign_in, charlie, project, codings, keys):
    maya = person("maya")
    add_member(project, maya, "viewer")
    manager = sign_in(charlie, "/projects/tea/members/")
    manager.get_by_label("Username").fill("maya")
    manager.get_by_label("Role").first.select_option("manager and coder")
    manager.get_by_role("button", name="Save").click()
    expect(manager.get_by_text("maya sees nothing of other coders any more")).to_be_visible()
    manager.get_by_role("button", name="Change the role").click()
    expect(manager.get_by_text("maya is now manager and coder")).to_be_visible()

    assign_texts(project, project.texts.all(), [maya])
    own = Coding.objects.of_people().select_related("coder", "text").get(coder=maya)
    for coding in (own, codings["alice"]):
        judge(coding, keys["a"], "none")
        submit_coding(coding, coding.coder)
    page = sign_in(maya, "/projects/tea/")
    expect(page.get_by_text("you see nothing of the others’ work")).to_be_visible()
    expect(page.get_by_role("link", name="Agreement")).to_have_count(0)
    page.get_by_role("link", name="Reopen Tea").click()
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("#progress-text")).to_contain_text("1 of 6")
    submit_coding(own, maya)

    manager.goto("/projects/tea/agreement/")
    page.goto("/projects/tea/")
    page.get_by_role("link", name="Reopen Tea").click()
    page.get_by_label("Reason").fill("One slip.")
    page.get_by_role("button", name="Ask to reopen").click()
    expect(page.get_by_role("link", name="Reopen Tea")).to_have_text("asked to reopen")
    manager.goto("/projects/tea/")
    expect(manager.get_by_text("maya asks to reopen “Tea”: One slip.")).to_be_visible()
    manager.get_by_role("button", name="Reopen Tea for maya as asked").click()
    manager.get_by_label("Reason").fill("Line 1 alone.")
    manager.get_by_role("button", name="Reopen").click()
    page.goto("/projects/tea/texts/tea/code/")
    expect(page.get_by_text("Reopened: Line 1 alone.")).to_be_visible()

    page.goto("/projects/tea/agreement/")
    expect(page.get_by_text("You code in this project yourself")).to_be_visible()
    page.goto("/projects/tea/scheme/")
    page.get_by_label("results are open to coders").check()
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("3 coders will see all figures")).to_be_visible()
    page.get_by_role("button", name="Open the results").click()
    page.get_by_role("link", name="Agreement").first.click()
    expect(page.get_by_role("heading", name="Agreement", level=1)).to_be_visible()
