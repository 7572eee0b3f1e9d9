"""Invitation links."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from annotations.models import Membership
from annotations.projects.people import invitations
from tests.browser.conftest import PASSWORD


@pytest.fixture
def secret(project, charlie) -> str:
    return invitations.invite(project, Membership.Role.CODER, charlie, days=1)[1]


def referrers(page: Page) -> list[str]:
    """Return what the page's requests say of where they come from, as they are made."""
    referers: list[str] = []

    def note(request: Request) -> None:
        referers.append(request.all_headers().get("referer", ""))

    page.on("requestfinished", note)
    return referers


def test_invited_person_creates_account_and_joins(live_server, browser, project, secret):
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
    assert not any(secret in referrer for referrer in said)
    page.context.close()


def test_signed_in_user_joins_with_existing_account(sign_in, mallory, project, secret):
    page = sign_in(mallory)
    page.goto(f"/invitations/{secret}/")
    page.get_by_role("button", name="Join as mallory").click()
    expect(page.get_by_role("status")).to_contain_text("You joined “Tea” as coder.")
    assert project.memberships.filter(user=mallory).exists()
