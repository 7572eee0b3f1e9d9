"""Passwords, mail addresses, and archived, copied and deleted projects."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import expect

from annotations.mail.delivery import Delivery
from annotations.models import Project
from annotations.projects.locks import set_archived
from annotations.projects.people.members import add_member, get_or_create_coder
from tests.browser.conftest import PASSWORD, saved


def test_member_sets_password_by_link_and_confirms_address(
    live_server, browser, sign_in, charlie, project, mail_server, mailoutbox
):
    mail_server.SITE_URL = live_server.url
    add_member(project, charlie, "manager")
    dora = get_or_create_coder(project, "dora", create=True)
    manager = sign_in(charlie, "/projects/tea/members/")
    manager.get_by_role("button", name="Password link for dora").click()
    link = manager.get_by_label("Link", exact=True).input_value()
    page = browser.new_context(base_url=live_server.url).new_page()
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("status")).to_contain_text("Your password is set.")
    page.get_by_label("Username").fill("dora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="dora").click()
    page.get_by_role("link", name="Address and kinds of mails").click()
    page.get_by_label("E-mail address").fill("dora@example.org")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Send a link").click()
    expect(page.get_by_role("status")).to_contain_text("A link is sent to dora@example.org")
    assert Delivery().send_due() == 1
    page.goto(re.search(r"http\S+/confirm/\S+", mailoutbox[0].body)[0])
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Weekly summary").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Weekly summary")).not_to_be_checked()
    dora.refresh_from_db()
    assert (dora.email, dora.muted_mails) == ("dora@example.org", ["digest"])
    page.context.close()


@pytest.mark.expected_errors("423")
def test_answer_in_archived_project_is_sent_after_reopening(coder_of):
    coder = coder_of("1 M: put [the kettle](a) on [the stove](b)")
    project = coder.coding.text.project
    set_archived(project, archived=True)
    coder.press("4")
    expect(coder.page.locator("#notices")).to_contain_text("is archived: it can only be read.")
    expect(coder.page.locator("#notices")).to_contain_text("1 kept in this browser")
    set_archived(project, archived=False)
    coder.page.reload()
    saved(coder.page)
    assert coder.coding.judgements.count() == 1


def test_manager_copies_archives_reopens_and_deletes_project(sign_in, charlie, project, text, codings):
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    add_member(project, charlie, "manager")
    page = sign_in(charlie, "/projects/tea/")
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Copy…").click()
    page.get_by_label("Slug").fill("copy")
    page.get_by_label("Copy the texts too").check()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Copy of Tea")
    assert Project.objects.get(slug="copy").texts.count() == 1
    page.goto("/projects/tea/settings/")
    page.get_by_role("button", name="Archive…").click()
    expect(page.get_by_text("2 codings not submitted")).to_be_visible()
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_text("it can only be read").first).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("link", name="Tea", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Archived projects").click()
    page.get_by_role("link", name="Tea", exact=True).click()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("button", name="Open again").click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_label("Title").fill("Tea")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Deleted “Tea”")
    assert list(Project.objects.values_list("slug", flat=True)) == ["copy"]
