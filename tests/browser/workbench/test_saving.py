"""Saving: offline, after a crash, in two windows and on two machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from annotations.coding.log.replay import log_mismatches
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding
from annotations.revision.saving import save_scheme
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from benchmarks.environment.serving import Server, serving
from tests.browser.conftest import DelayedAnswer, judgement, offline, press, saved
from tests.browser.workbench.test_coding import another_window, open_coding

pytestmark = pytest.mark.db

NAME, PASSWORD = "alice", "coindex-demo"


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED")
def test_answers_given_offline_are_saved_after_reconnect(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice)
    offline(page)
    press(page, "4", "Enter", "3", "Enter", "1", "a")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    expect(page.locator("#progress-text")).to_have_text("3 of 6 decided")
    expect(page.locator("#save-state")).to_have_text(re.compile("^4 waiting, no connection$"))
    page.context.set_offline(False)
    saved(page)
    assert [judgement(codings["alice"], keys[label])["category"] for label in "abc"] == ["none", "place", "phrase"]


def test_saved_answer_appears_in_second_window(sign_in, alice, codings):
    first = open_coding(sign_in, alice)
    second = another_window(first)
    first.keyboard.press("4")
    saved(first)
    expect(second.locator("#progress-text")).to_have_text("1 of 6 decided")
    expect(second.locator("#save-state")).to_have_text("Changed elsewhere: merged")


def test_note_typed_while_log_loads_stays_with_its_markable(coder_of):
    coder = coder_of("[Ann](a) met [Bob](b). [She](c) left.")
    coder.press("4")
    coder.saved()
    page = coder.page
    answer = DelayedAnswer(page, "**/operations/?since=0")
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("1 of 3 decided")
    coder.at("Bob")
    coder.press("u", "c")
    page.keyboard.type("about Bob")
    answer.release()
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")
    coder.at("Bob")
    page.keyboard.type(" only")
    coder.press("Escape")
    keys, said = coder.keys(), coder.saved()
    assert {label: said[key]["note"] for label, key in keys.items() if key in said} == {"b": "about Bob only"}


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED", "status of 409")
def test_two_offline_machines_converge_without_loss(sign_in, alice, codings, keys):
    here, there = (open_coding(sign_in, alice) for _ in range(2))
    offline(here, there)
    press(here, "4", "Enter", "3")
    press(there, "End", "3", "ArrowLeft", "4", "Home", "3")  # the first markable is judged on both
    for page in (here, there):
        page.context.set_offline(False)
        saved(page)
    # Who comes first learns of the other as soon as the window is looked at again.
    here.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for page in (here, there):
        expect(page.locator("#progress-text")).to_have_text("4 of 6 decided")
        expect(page.locator("#text .is-current")).to_have_count(1)
    judged = {label: judgement(codings["alice"], keys[label])["category"] for label in "abef"}
    assert judged == {"a": "place", "b": "place", "e": "none", "f": "place"}
    assert codings["alice"].operations.filter(payload__markable=keys["a"]).count() == 2  # the log keeps both


def test_split_is_saved_as_one_step(sign_in, alice, codings):
    page = open_coding(sign_in, alice)
    press(page, "4", "Enter", "4", "Enter", *["1", "a", "Enter"] * 2, "1", "a")
    saved(page)
    press(page, "p", "x", "Enter")
    expect(page.locator("#say")).to_contain_text("Split")
    saved(page)
    steps = codings["alice"].operations.exclude(step=None).values_list("step", flat=True)
    assert len(steps) > 1
    assert len(set(steps)) == 1


@pytest.fixture
def server(migrated_folder) -> Iterator[Server]:
    with serving(str(migrated_folder), ["manage.py", "load_demo", "dialogue"]) as running:
        yield running


@pytest.mark.expected_errors("net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH)")
def test_answers_survive_server_crash(server, browser: Browser):
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.goto("/sign-in/?next=/projects/dialogue/texts/generator/code/")
    page.get_by_label("Username").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#progress-text")).to_have_text("0 of 46 decided")
    press(page, *["4", "Enter"] * 3)
    saved(page)
    page.keyboard.press("4")  # on its way, or not
    server.kill()
    press(page, *["Enter", "4"] * 5)
    expect(page.locator("#progress-text")).to_have_text("9 of 46 decided")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    server.start()
    expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|merged"), timeout=60_000)
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("9 of 46 decided")
    log = page.request.get("/api/v1/projects/dialogue/texts/generator/coding/operations/").json()["results"]
    assert [entry["sequence"] for entry in log] == list(range(1, 10))
    assert len({entry["payload"]["markable"] for entry in log}) == 9
    context.close()


@pytest.mark.expected_errors("net::ERR_INTERNET_DISCONNECTED", "status of 400")
def test_offline_answer_follows_merged_category(sign_in, alice, charlie, codings, keys, project):
    page = open_coding(sign_in, alice)
    page.keyboard.press("4")
    saved(page)
    offline(page)
    press(page, "Enter", "3")  # the stove is a place
    spec = read_scheme(project.pk).spec
    categories = tuple(category for category in spec.categories if category.key != "place")
    merges = [Merge(CATEGORY, "place", "none")]
    assert save_scheme(project, replace(spec, categories=categories), charlie, merges=merges) == 2
    page.context.set_offline(False)
    expect(page.locator("#categories").get_by_text("place")).to_have_count(0)
    saved(page)
    expect(page.locator("#progress-text")).to_have_text("2 of 6 decided")
    expect(page.locator(".notice")).to_have_count(0)
    coding = Coding.objects.of_people().get(pk=codings["alice"].pk)
    assert judgement(coding, keys["b"])["category"] == "none"
    assert [*coding.operations.values_list("kind", "scheme_version")] == [("judge", 1), ("judge", 2)]
    assert list(log_mismatches(coding)) == []
