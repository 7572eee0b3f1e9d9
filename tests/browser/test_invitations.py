"""Joining by a link in a browser, which says of a form from where it comes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from annotations.models import Membership
from annotations.projects import invitations
from annotations.projects.members import add_member
from tests.browser.clicks import Clicks
from tests.browser.conftest import PASSWORD

pytestmark = pytest.mark.browser


@pytest.fixture
def secret(project, charlie) -> str:
    return invitations.invite(project, Membership.Role.CODER, charlie, days=1)[1]


def referrers(page: Page) -> list[str]:
    """Return what the page's requests say of where they come from, as they are made."""
    found: list[str] = []

    def note(request: Request) -> None:
        found.append(request.all_headers().get("referer", ""))

    page.on("requestfinished", note)
    return found


def test_who_has_the_link_makes_an_account_and_joins(live_server, browser, project, secret):
    page = browser.new_context(base_url=live_server.url).new_page()
    said = referrers(page)
    page.goto(f"/invitations/{secret}/")
    page.get_by_label("Username").fill("nora")
    for label in ("Password", "Password confirmation"):
        page.get_by_label(label, exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("status")).to_contain_text("You joined “Tea” as coder.")
    assert project.memberships.get(user__username="nora").role == "coder"
    assert len(said) > 2
    assert not any(secret in one for one in said)
    page.context.close()


def test_who_is_signed_in_joins_with_the_account_they_have(sign_in, mallory, project, secret):
    page = sign_in(mallory)
    page.goto(f"/invitations/{secret}/")
    page.get_by_role("button", name="Join as mallory").click()
    expect(page.get_by_role("status")).to_contain_text("You joined “Tea” as coder.")
    assert project.memberships.filter(user=mallory).exists()


def test_three_coders_and_an_adjudicator_are_invited_by_at_most_six_clicks_each(sign_in, browser, charlie, project):
    add_member(project, charlie, Membership.Role.MANAGER)
    page = sign_in(charlie, "/projects/tea/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    clicks = Clicks(page)
    clicks.click("link", "People")
    page.get_by_label("For whom").click()
    page.keyboard.type("Nora\nOle\nPia")
    clicks.click("button", "Create links")
    clicks.click("button", "Copy all")
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)
    assert clicks.count + 1 <= 6  # the field
    copied = page.evaluate("navigator.clipboard.readText()")
    links = dict(line.split("\t") for line in copied.splitlines())
    assert list(links) == ["Nora", "Ole", "Pia"]
    for name, link in links.items():
        guest = browser.new_context().new_page()
        guest.goto(link)
        guest.get_by_label("Username").fill(name.lower())
        for label in ("Password", "Password confirmation"):
            guest.get_by_label(label, exact=True).fill(PASSWORD)
        guest.get_by_role("button", name="Create account and join").click()
        expect(guest.get_by_role("status")).to_contain_text("as coder")
        guest.context.close()
    page.get_by_label("For whom").fill("Quinn")
    page.locator("#invite ~ form").get_by_label("Role").select_option("adjudicator")
    page.get_by_role("button", name="Create links").click()
    page.get_by_role("button", name="Copy the link of Quinn").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)
    assert page.locator("#link-1").input_value() == page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_role("row").filter(has_text="pia")).to_have_count(2)  # a member, and a used invitation
