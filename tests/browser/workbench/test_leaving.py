"""Drafts and answers when a coder leaves the page and returns."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotations.coding import operations
from annotations.models import Coding, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.browser.conftest import PASSWORD, Coder, saved, wait_until
from tests.shared.coding import change, judge
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

THREE = "[Ann](a) met [Bob](b). [She](c) left."
CODE = "/projects/own/texts/tea/code/"


@pytest.fixture
def coder(coder_of) -> Coder:
    return coder_of(THREE)


def write_note(coder: Coder, words: str) -> None:
    coder.press("c")
    coder.page.keyboard.type(words)
    expect(coder.page.locator("#note")).to_have_value(words)


def reload(coder: Coder) -> None:
    coder.page.reload()


def close_the_tab(coder: Coder) -> None:
    context = coder.page.context
    coder.page.close(run_before_unload=True)
    coder.page = context.new_page()
    coder.page.goto(CODE)


def go_elsewhere(coder: Coder) -> None:
    coder.page.goto("/")
    coder.page.goto(CODE)


@pytest.mark.parametrize("leave", [reload, close_the_tab, go_elsewhere])
def test_unfinished_note_is_restored_once(coder, leave):
    coder.press("ArrowRight")
    coder.at("Bob")
    write_note(coder, "or his brother?")
    leave(coder)
    coder.at("Bob")
    expect(coder.page.locator("#note")).to_have_value("or his brother?")
    assert coder.saved()[coder.keys()["b"]]["note"] == "or his brother?"
    coder.page.reload()
    coder.at("Ann")  # it is taken up once
    assert Coding.objects.of_people().get(pk=coder.coding.pk).version == 1


def test_draft_waits_until_page_has_read_stored_answers(coder):
    write_note(coder, "or his brother?")
    page = coder.page
    # of the next page alone: the browser does not say whether it stores answers, for which the page waits
    page.add_init_script(
        "if (!sessionStorage.slow) { sessionStorage.slow = 1; IDBFactory.prototype.open = () => ({}); }"
    )
    page.reload(wait_until="commit")
    wait_until(page, "!Object.keys(localStorage).some((name) => name.startsWith('coindex visit'))")
    page.reload()
    expect(page.locator("#note")).to_have_value("or his brother?")
    assert coder.saved()[coder.keys()["a"]]["note"] == "or his brother?"


def test_saved_note_is_no_draft(coder):
    write_note(coder, "first")
    coder.press("Escape", "ArrowRight")
    coder.saved()
    coder.page.reload()
    coder.at("Ann")
    assert Coding.objects.of_people().get(pk=coder.coding.pk).version == 1


def test_draft_of_changed_note_is_shown_but_not_saved(coder):
    write_note(coder, "half a thought")
    judge(coder.coding, coder.keys()["a"], "none", note="newer")
    go_elsewhere(coder)
    expect(coder.page.locator("#notices .notice")).to_contain_text("has changed since: half a thought")
    assert coder.saved()[coder.keys()["a"]]["note"] == "newer"


def test_unfinished_label_and_comment_of_scu_are_restored(sign_in, alice, bob):
    text = models_of(docset(pyramid_project(), alice, bob))
    coding = codings_of(text)["alice"]
    build(coding, {"s": ["The ferry sank"]}, hand_in=False)
    page = sign_in(alice, f"/projects/ferry/texts/{text.slug}/code/")
    page.locator(".pyramid-scu-head").first.click()
    page.locator("#scu-label").fill("A ferry sank")
    page.locator("#scu-comment").fill("twice")
    page.locator("#scu-comment").press("End")
    page.reload()
    expect(page.locator("#scu-label")).to_have_value("A ferry sank")
    expect(page.locator("#scu-comment")).to_have_value("twice")
    saved(page)
    scu = coding.scus.get()
    assert (scu.label, scu.comment) == ("A ferry sank", "twice")


@pytest.mark.parametrize("leave", [reload, go_elsewhere])
def test_stale_page_is_reloaded(coder, leave):
    old = coder.page.request.get(CODE).text()
    coder.press("4")
    coder.saved()
    served = []

    def serve_the_old_page(route):
        served.append(route.request.url)
        if len(served) == 1:
            route.fulfill(body=old, content_type="text/html")
        else:
            route.continue_()

    coder.page.route(f"**{CODE}", serve_the_old_page)
    leave(coder)
    expect(coder.page.locator("#progress-text")).to_have_text("1 of 3 decided")
    assert len(served) == 2
    coder.at("Bob")
    coder.press("4")
    assert len(coder.saved()) == 2


@pytest.mark.expected_errors("ERR_FAILED")
def test_next_visit_sends_answer_that_browser_did_not_store(coder):
    page = coder.page
    page.context.route("**/operations/", lambda route: route.abort())
    page.evaluate("IDBObjectStore.prototype.add = function () { return { result: 0 }; }")  # it stores nothing
    page.evaluate(
        "IDBTransaction.prototype.__defineSetter__('oncomplete', () => {})"
    )  # and never says that it has ended
    coder.press("4")
    expect(page.locator("#progress-text")).to_have_text("1 of 3 decided")
    page.context.unroute("**/operations/")
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("1 of 3 decided")
    assert coder.saved()[coder.keys()["a"]]["category"] == "none"
    page.reload()
    coder.at("Bob")
    assert Coding.objects.of_people().get(pk=coder.coding.pk).version == 1  # it is sent once


def test_back_button_shows_current_coding(coder):
    page = coder.page
    coder.press("4")
    coder.saved()
    page.locator("header a, nav a").first.click()
    page.wait_for_url(lambda url: "/code/" not in url)
    # another machine answers meanwhile
    coding = Coding.objects.of_people().select_related("coder").get(pk=coder.coding.pk)
    operations.apply(
        coding, coding.coder, coding.version, [change(markable=coder.keys()["b"], category="place", pointers=[])]
    )
    page.go_back()
    expect(page.locator("#progress-text")).to_have_text("2 of 3 decided")
    coder.at("She")
    coder.press("3")
    assert {key: answer["category"] for key, answer in coder.saved().items()} == {
        coder.keys()["a"]: "none",
        coder.keys()["b"]: "place",
        coder.keys()["c"]: "place",
    }


def sign_in_elsewhere(page: Page, user: User, live_server) -> None:
    """Sign in as somebody in another tab of the same browser: a form gives its pages another token."""
    user.set_password(PASSWORD)
    user.save()
    other = page.context.new_page()
    other.goto(f"{live_server.url}/sign-in/")
    if other.get_by_role("button", name="Sign out").is_visible():
        other.get_by_role("button", name="Sign out").click()
        other.goto(f"{live_server.url}/sign-in/")
    other.get_by_label("Username").fill(user.username)
    other.get_by_label("Password").fill(PASSWORD)
    other.keyboard.press("Enter")
    other.wait_for_url(f"{live_server.url}/")
    other.close()


def come_back_to(page: Page) -> None:
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


@pytest.mark.expected_errors("status of 403")
def test_other_user_in_same_browser_does_not_get_answers(coder, bob, alice, live_server):
    project = coder.coding.text.project
    add_member(project, bob, "coder")
    assign_texts(project, [coder.coding.text], [bob])
    bobs = Coding.objects.of_people().select_related("coder").get(coder=bob)
    operations.apply(bobs, bob, 0, [change(markable=coder.keys()["b"], category="place", pointers=[])])
    sign_in_elsewhere(coder.page, bob, live_server)
    come_back_to(coder.page)
    expect(coder.page.locator("#save-state")).to_contain_text("Signed out")
    expect(coder.page.locator("#progress-text")).to_have_text("0 of 3 decided")
    coder.press("4")
    expect(coder.page.locator("#progress-text")).to_have_text("1 of 3 decided")
    sign_in_elsewhere(coder.page, alice, live_server)
    come_back_to(coder.page)
    assert {key: answer["category"] for key, answer in coder.saved().items()} == {coder.keys()["a"]: "none"}
    bobs.refresh_from_db()
    assert bobs.version == 1


@pytest.mark.expected_errors("status of 401")
def test_sign_in_in_other_tab_resumes_saving(coder, alice, live_server):
    coder.page.context.clear_cookies()
    coder.press("4")
    expect(coder.page.locator("#save-state")).to_contain_text("Signed out")
    sign_in_elsewhere(coder.page, alice, live_server)
    come_back_to(coder.page)
    assert len(coder.saved()) == 1
    coder.press("Enter", "3")
    assert len(coder.saved()) == 2
