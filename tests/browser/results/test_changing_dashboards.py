"""Managers' pages while something changes: a worker computes, members form groups, the scheme gets a version."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from agreement.data import reading
from agreement.results import computations
from annotations.formats.model.scheme import AnswerKind, AttributeSpec
from annotations.models import Judgement, Project, User
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from config.settings import TASKS
from tests.browser.conftest import DelayedAnswer
from tests.browser.pages.test_accessibility import violations
from tests.browser.results.test_dashboards import DEMO, wait_for_charts
from tests.shared.agreeing import decide_gold, hand_in, judge_again
from tests.shared.coding import judge


@pytest.fixture
def manager(transactional_db, settings) -> User:
    settings.LOCAL = True
    call_command("load_demo", DEMO, verbosity=0)
    return User.objects.get(username="manager")


@pytest.fixture
def worker_computation(project, codings, keys, monkeypatch, settings):
    """Let a worker compute all agreement."""
    settings.TASKS = TASKS
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 0)
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    hand_in(project)


@pytest.mark.parametrize(("address", "table", "n_rows"), [("grid/", "grid", 6), ("", "distribution", 4)])
def test_page_shows_progress_until_worker_has_computed(sign_in, charlie, worker_computation, address, table, n_rows):
    page = sign_in(charlie, f"/projects/tea/agreement/{address}")
    expect(page.get_by_text("Computing.")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    expect(page.locator(f"#table-{table} tbody tr")).to_have_count(n_rows)
    expect(page.get_by_text("Computing.")).to_have_count(0)


def test_page_shows_progress_until_worker_has_read_answers(sign_in, charlie, worker_computation, monkeypatch):
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 10**9)
    monkeypatch.setattr(reading, "MIN_STORED", 1)
    monkeypatch.setattr(reading, "MAX_READ_IN_REQUEST", 0)
    page = sign_in(charlie, "/projects/tea/agreement/coders/")
    expect(page.get_by_role("heading", name="Coders")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    expect(page.locator("#table-each tbody tr")).to_have_count(2)
    expect(page.get_by_text("Computing.")).to_have_count(0)


def test_choice_made_during_computation_is_kept(sign_in, charlie, worker_computation):
    asked = []
    page = sign_in(charlie)
    answer = DelayedAnswer(page, "**/agreement/grid/?*coefficient=gwet_ac1*")
    page.goto("/projects/tea/agreement/grid/")
    expect(page.get_by_text("Computing.")).to_be_visible()
    chosen = page.locator(".agreement-controls select[name=coefficient]")
    page.get_by_text("Advanced").click()
    chosen.select_option("gwet_ac1")
    page.get_by_role("button", name="Apply").click()
    answer.wait_for_request()
    page.on("request", lambda request: asked.append(request.url))
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    page.wait_for_timeout(1500)  # a page that waited would reload after a second
    assert asked == []
    answer.release()
    expect(page).to_have_url(re.compile("coefficient=gwet_ac1"))
    expect(chosen).to_have_value("gwet_ac1")


def test_manager_compares_groups_of_coders_and_gold(sign_in, manager):
    page = sign_in(manager, "/projects/dialogue/members/")
    for name in ("ann", "ben"):
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.get_by_label("Group of those ticked").fill("seniors")
    page.get_by_role("button", name="Set group").click()
    expect(page.get_by_text("2 members are in the group “seniors” now.")).to_be_visible()
    page.goto(page.url.replace("/members/", "/agreement/"))
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="Groups").click()
    expect(page.get_by_role("heading", name="Groups of coders")).to_be_visible()
    wait_for_charts(page, 1)
    expect(page.get_by_role("rowheader", name="seniors", exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name="naive and seniors").first).to_be_visible()
    page.get_by_role("link", name="Gold", exact=True).click()
    expect(page.get_by_role("heading", name="No gold yet")).to_be_visible()
    decide_gold(Project.objects.get(slug=DEMO), "ann", by="manager")
    page.reload()
    wait_for_charts(page, 4)
    groups = page.locator("#table-groups")
    expect(groups.get_by_role("rowheader", name="seniors", exact=True)).to_be_visible()
    page.get_by_label("Coder", exact=True).select_option("ben")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("Where gold differs from ben")).to_be_visible()
    assert not violations(page)
    page.locator("#table-differences").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/agreement/items/generator/"))


def test_version_chip_limits_figures_until_removed(sign_in, manager):
    project = Project.objects.get(slug=DEMO)
    spec = read_scheme(project.pk).spec
    certain = AttributeSpec("certain", "Certain", kind=AnswerKind.TEXT)
    assert save_scheme(project, replace(spec, attributes=(*spec.attributes, certain)), manager) == 2
    judgements = Judgement.objects.filter(coding__text__project=project, coding__coder__username="ann", pointers=None)
    judged = judgements.select_related("coding__coder", "coding__text__project", "markable", "category")[0]
    assert judged.category is not None
    judge_again(judged.coding, judged.markable.key, judged.category.key)
    page = sign_in(manager, f"/projects/{DEMO}/agreement/")
    page.get_by_text("Filter (none)").click()
    page.get_by_role("checkbox", name="version 1").check()
    page.get_by_role("button", name="Apply").click()
    words = "Judgements under version 1 of the scheme; 1 judgement of other versions is missing."
    expect(page.locator("#versions")).to_have_text(words)
    assert "versions=1" in page.url
    page.get_by_role("link", name="Remove Versions of the scheme: 1").click()
    expect(page.locator("#versions")).to_have_count(0)
