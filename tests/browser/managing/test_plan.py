"""The page Assignments: plans, cells and pools."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import expect

from annotations.models import Coding
from annotations.planning.plans.plans import apply_plan
from tests.browser.clicks import Clicks
from tests.browser.conftest import assert_fits
from tests.browser.managing.test_project_walk import FILES
from tests.browser.pages.test_accessibility import violations
from tests.shared.coding import judge
from tests.shared.plans import make_large_project, plan_request
from tests.shared.projects import person


@pytest.fixture
def large(db):
    return make_large_project()


def assigned():
    return set(Coding.objects.of_people().values_list("text__slug", "coder__username"))


def test_new_project_gets_plan_in_twelve_clicks(sign_in, charlie, alice, bob):
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    page = sign_in(charlie, "/")
    clicks = Clicks(page)
    clicks.click("link", "New project")
    page.get_by_label("Title").fill("Gates")
    page.get_by_label("Slug").fill("gates")
    page.get_by_label("Scheme").select_option("poesio-artstein-2005")
    clicks.click("button", "Create project")
    clicks.click("link", "Texts")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(FILES)
    clicks.count += 2  # the field, and the button of the system's dialog
    clicks.click("button", "Preview")
    clicks.click("button", "Import")
    clicks.click("link", "People")
    for name in ("alice", "bob"):
        page.get_by_label("Username").fill(name)
        page.get_by_label("Role").first.select_option("coder")
        clicks.click("button", "Save")
        expect(page.get_by_text(f"{name} is now coder")).to_be_visible()
    clicks.click("link", "Assignments")
    expect(page.locator("#plan-summary")).to_contain_text("24 new assignments")
    clicks.click("button", "Apply")
    expect(page.get_by_text("24 assignments created.")).to_be_visible()
    assert clicks.count <= 12
    assert Coding.objects.of_people().count() == 24


def test_preview_follows_form_and_address(sign_in, large, charlie):
    page = sign_in(charlie, "/projects/large/assign/")
    expect(page.locator("#plan-summary")).to_contain_text("24 new assignments")
    page.get_by_label("Coders per text").fill("3")
    expect(page.locator("#plan-summary")).to_contain_text("36 new assignments")
    expect(page).to_have_url(re.compile("k=3"))
    page.get_by_label("A share of the texts").check()
    expect(page.get_by_label("Shared texts, in %")).to_be_visible()
    expect(page.get_by_label("Blocks", exact=True)).to_be_hidden()
    page.get_by_label("Coders per text").fill("9")
    expect(page.get_by_role("alert")).to_contain_text("k is 9, but 4 people code here")
    page.get_by_label("Coders per text").fill("0")
    expect(page.get_by_role("alert")).to_contain_text("Coders per text")
    assert "maximum-" not in page.url  # empty fields are not in the address
    page.get_by_label("Coders per text").fill("2")
    expect(page.locator("#plan-summary")).to_contain_text("15 new assignments")
    with page.expect_navigation():
        page.get_by_label("Coders per text").press("Enter")
    expect(page.locator("#plan-summary")).to_contain_text("15 new assignments")
    assert assigned() == set()
    assert violations(page) == []
    page.reload()
    expect(page.get_by_label("A share of the texts")).to_be_checked()
    expect(page.locator("#plan-summary")).to_contain_text("15 new assignments")
    assert_fits(page, 390)


def test_keyboard_changes_cells_before_and_after_applying(sign_in, large, charlie):
    page = sign_in(charlie, "/projects/large/assign/?design=k&k=2&seed=7")
    cell = page.get_by_label(re.compile("^T00, ann"))
    cell.focus()
    was = cell.is_checked()
    page.keyboard.press("Space")
    expect(cell).to_be_checked(checked=not was)
    expect(page.locator("#plan-summary")).to_contain_text("23 new" if was else "25 new")
    expect(cell).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label(re.compile("^T01, ann"))).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label(re.compile("^T01, ben"))).to_be_focused()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("assignments created.")).to_be_visible()
    assert (("t00", "ann") in assigned()) != was

    before = assigned()
    cell = page.get_by_label(re.compile("^T00, ann"))
    row = cell.locator("xpath=ancestor::tr")
    number = int(row.locator("td").last.inner_text())
    cell.focus()
    page.keyboard.press("Space")
    expect(page.locator("#plan-status")).to_contain_text("t00: ")
    expect(row.locator("td").last).to_have_text(str(number + (1 if was else -1)))
    assert assigned() ^ before == {("t00", "ann")}
    assert violations(page) == []


@pytest.mark.expected_errors("400")
def test_begun_coding_stays_assigned(sign_in, large, charlie):
    apply_plan(large, plan_request())
    text, coder = min(assigned())
    page = sign_in(charlie, "/projects/large/assign/")
    coding = Coding.objects.of_people().get(text__slug=text, coder__username=coder)
    Coding.objects.of_people().filter(pk=coding.pk).update(version=1)
    cell = page.get_by_label(re.compile(f"^{text.title()}, {coder}"))
    cell.click()
    expect(page.locator("#plan-status")).to_contain_text(f"{coder} has begun")
    expect(cell).to_be_checked()
    page.reload()
    expect(page.get_by_label(re.compile(f"^{text.title()}, {coder}: begun"))).to_be_disabled()


def test_coder_takes_texts_from_pool(sign_in, large, charlie):
    page = sign_in(charlie, "/projects/large/assign/")
    page.get_by_label("Pool").check()
    expect(page.locator("#plan-summary")).to_contain_text("It is a pool")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("The pool is open")).to_be_visible()
    ann = person("ann")
    coder = sign_in(ann, "/projects/large/")
    assert violations(coder) == []
    for number in (1, 2):
        coder.goto("/projects/large/")
        coder.get_by_role("button", name="Take the next text").click()
        expect(coder.locator("#progress-text")).to_contain_text("0 of 2")
        assert Coding.objects.of_people().filter(coder=ann).count() == number


def test_replaced_coder_keeps_begun_text(sign_in, large, charlie):
    apply_plan(large, plan_request(k=1, allow_unconnected=True, due_on=date(2026, 1, 2)))
    ann, ben = person("ann"), person("ben")
    begun, *open_codings = Coding.objects.of_people().filter(coder=ann).select_related("text").order_by("place")
    judge(begun, begun.text.markables.first().key, "none")
    page = sign_in(charlie, "/projects/large/assign/")
    page.get_by_label("Coder", exact=True).select_option(label="ann")
    page.get_by_label("by", exact=True).select_option(label="ben")
    page.get_by_role("button", name="Replace").click()
    expect(page.get_by_text("3 texts assigned to ben in place of ann.")).to_be_visible()
    page.goto("/projects/large/")
    matrix = page.get_by_role("region", name="Progress")
    for coder, state in (("ann", "released, 1 of 2"), ("ben", "assigned, 0 of 2, overdue")):
        cell = matrix.get_by_role("link", name=f"{begun.text.title} by {coder}: {state}", exact=True)
        expect(cell).to_contain_text(state.partition(",")[0])
    for coding in open_codings:
        expect(matrix.get_by_role("link", name=f"{coding.text.title} by ann")).to_have_count(0)
    for width in (1440, 390):
        assert_fits(page, width)
        expect(page.get_by_role("list", name="States").get_by_text("released")).to_be_visible()
        assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_label("Download the progress").click()
        page.get_by_role("link", name="Hours, CSV").click()
    assert "ann" in download.value.path().read_text()

    home = sign_in(ben, "/projects/large/")
    expect(home.get_by_role("region", name="To do")).to_contain_text(f"{begun.text.title} overdue since 2 January 2026")
    home.get_by_role("region", name="To do").get_by_role("link", name=begun.text.title).click()
    expect(home.locator("#progress-text")).to_contain_text("0 of 2")
    assert begun.judgements.count() == 1
