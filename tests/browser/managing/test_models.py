"""Adding a model that codes in a browser, and its key."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.coding.status import submit_coding
from annotations.models import Coding, ModelCoder
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.model_coders import add_model
from annotations.projects.people.tokens import find_token
from tests.browser.conftest import assert_fits
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.coding import judge_all, judgement


def test_manager_adds_model_and_creates_and_ends_its_key(sign_in, project, charlie):
    page = sign_in(charlie, "/projects/tea/members/")
    page.get_by_role("link", name="Models that code").click()
    page.get_by_label("Name").fill("gpt-zero-shot")
    page.get_by_label("Version").fill("4.1")
    page.get_by_label("Date").fill("2026-11-01")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("gpt-zero-shot is a coder now.")).to_be_visible()
    expect(page.get_by_role("row", name="gpt-zero-shot 4.1")).to_contain_text("1 Nov 2026")
    page.get_by_role("button", name="New key for gpt-zero-shot").click()
    secret = page.get_by_label("Key", exact=True).input_value()
    model = ModelCoder.objects.get()
    token = find_token(secret)
    assert token is not None
    assert token.user == model.membership.user
    page.get_by_role("button", name="End the key of gpt-zero-shot").click()
    expect(page.get_by_text("gpt-zero-shot has no key now")).to_be_visible()
    assert find_token(secret) is None
    assign_texts(project, project.texts.all(), [model.membership.user])
    page.goto("/projects/tea/members/")
    expect(page.get_by_role("rowheader", name="gpt-zero-shot")).to_contain_text("model")
    page.goto("/projects/tea/texts/tea/")
    expect(page.locator(".texts-version", has_text="gpt-zero-shot")).to_contain_text("model")


def test_manager_opens_items_where_model_differs_from_people(sign_in, charlie):
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol")))
    user = add_model(project, "a-rule-based-model-with-a-long-name").membership.user
    assign_texts(project, project.texts.all(), [user])
    for coding in Coding.objects.of_coders().filter(coder=user).select_related("text"):
        judge_all(coding, [judgement(key, "place") for key in coding.text.markables.values_list("key", flat=True)])
        submit_coding(coding, user)
    page = sign_in(charlie, "/projects/walk/agreement/")
    page.get_by_role("link", name="Models", exact=True).click()
    for chart in ("agreement", "humans", "categories"):
        expect(page.locator(f"#chart-{chart} .main-svg").first).to_be_visible()
    expect(page.locator("#chart-agreement")).to_contain_text("a-rule-based-model-with-a-long-name")
    expect(page.get_by_role("rowheader", name="a-rule-based-model-with-a-long-name (model)").first).to_be_visible()
    page.get_by_role("textbox", name="Epsilon").fill("0.3")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#table-verdict")).to_contain_text("epsilon 0.3")
    assert_fits(page, 390)
    page.locator("#table-items tbody a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("a-rule-based-model-with-a-long-name (model)")
