"""Blindness: coders do not see each other's work."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.coding import operations
from tests.browser.conftest import PASSWORD
from tests.browser.workbench.test_coding import CODE, change, judgement, open_coding, saved

API = "/api/v1/projects/tea/texts/tea/coding/"


def test_second_coder_sees_nothing_of_the_first(sign_in, alice, bob, codings, keys):
    work = [change("judge", markable=keys[label], category="place", note="a secret note") for label in "abcdef"]
    page = sign_in(bob, CODE)
    state = page.locator("#coding-state").text_content()
    api = page.request.get(API).text()
    operations.apply(codings["alice"], alice, 0, work)
    page.reload()
    assert page.locator("#coding-state").text_content() == state
    assert page.request.get(API).text() == api
    assert "secret" not in page.content()
    expect(page.locator("#progress-text")).to_contain_text("0 of 6")
    for path in ("agreement/", "agreement/items/", f"agreement/items/tea/{keys['a']}/"):
        assert page.request.get(f"/projects/tea/{path}").status == 403
        assert page.request.get(f"/api/v1/projects/tea/{path}").status == 403
    page.goto("/projects/tea/")
    expect(page.get_by_text("alice")).to_have_count(0)
    expect(page.get_by_role("link", name="Agreement")).to_have_count(0)


def change_person(page: Page, name: str) -> None:
    """Sign out, and sign in as somebody else with the form."""
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


@pytest.mark.expected_errors("status of 403")
def test_open_page_does_not_save_as_next_user(sign_in, alice, bob, codings, keys):
    for person in (alice, bob):
        person.set_password(PASSWORD)
        person.save()
    left = open_coding(sign_in, alice)
    next_person = left.context.new_page()
    next_person.goto("/")
    change_person(next_person, "bob")

    left.keyboard.press("4")
    expect(left.locator("#save-state")).to_have_text("Signed out")
    codings["bob"].refresh_from_db()
    assert (codings["bob"].version, judgement(codings["bob"], keys["a"])) == (0, None)

    next_person.goto(CODE)  # what Alice has not sent waits for her
    expect(next_person.locator("#progress-text")).to_contain_text("0 of 6")
    left.close()
    change_person(next_person, "alice")
    next_person.goto(CODE)
    expect(next_person.locator("#progress-text")).to_contain_text("1 of 6")
    saved(next_person)
    assert judgement(codings["alice"], keys["a"])["category"] == "none"
    assert judgement(codings["bob"], keys["a"]) is None


def test_coder_sees_agreement_after_results_are_opened(sign_in, bob, project):
    page = sign_in(bob)
    project.results_open = True
    project.save()
    page.goto("/projects/tea/agreement/")
    expect(page.get_by_role("heading", name="Agreement", exact=True)).to_be_visible()
