"""Repeats in a browser: a manager orders them, a coder codes a text again, and the figure is there."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.coding.status import submit_coding
from annotations.models import Coding
from tests.browser.pages.test_accessibility import violations
from tests.shared.coding import judge
from tests.shared.plans import make_large_project
from tests.shared.projects import person


def test_repeat_hides_first_coding(sign_in, db):
    project = make_large_project()
    ann, round_ = person("ann"), project.rounds.get()
    for number, text in enumerate(project.texts.order_by("slug")[:2]):
        coding = Coding.objects.create(text=text, coder=ann, round=round_)
        for markable in text.markables.all() if number == 0 else ():
            judge(coding, markable.key, "none", note="said before")
        if number == 0:
            submit_coding(coding, ann)
    page = sign_in(person("charlie"), "/projects/large/assign/?round=main")
    page.get_by_role("link", name="Repeats").click()
    page.get_by_label("Share of each coder").fill("100")
    page.get_by_label("Days since the last change").fill("0")
    page.get_by_label("Days since the last change").press("Enter")  # previews, as the button does, and applies nothing
    expect(page.locator("#repeats-summary")).to_contain_text("1 text to show again")
    assert violations(page) == []
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 text shown again. Nobody is told which.")).to_be_visible()

    page = sign_in(ann, "/projects/large/")
    expect(page.get_by_text("submitted", exact=True)).to_have_count(0)
    page.goto(page.url + "texts/t00/code/")
    expect(page.get_by_text("said before")).to_have_count(0)
    expect(page.locator("body")).to_contain_text("0 of 2")
    again = Coding.objects.of_people().get(occasion=2)
    for markable in again.text.markables.all():
        judge(again, markable.key, "none")
    submit_coding(again, ann)

    page = sign_in(person("charlie"), "/projects/large/agreement/coders/")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="ann", exact=True))
    expect(page.get_by_text("Each coder with themself").first).to_be_visible()
    expect(row.last).to_contain_text("1")
