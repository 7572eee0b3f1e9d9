"""Paged lists and their search fields."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotations.docsets.creation import add_peer
from annotations.models import Membership, Plan, Text
from annotations.planning.plans.designs.terms import WEIGHT_UNIT
from annotations.planning.rounds import create_round
from annotations.planning.work.assignments import assign_peers
from annotations.projects.people.members import add_member
from annotations.projects.rounds import put_into_round
from tests.access.large_world import crowd, enlarge, shorten_pages
from tests.access.role_asking import World
from tests.browser.conftest import add_session, assert_fits, press
from tests.browser.pages.test_accessibility import violations
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.plans import make_large_project
from tests.shared.pyramids import docset, pyramid_project

WIDTHS = (390, 768, 1440)
# Pages are made short, so that few rows fill them.
SHORT = 4
MANY = 12
FIRST = re.compile(r"^\s*(?:[^\n]*: )?1 to (\d+) of (\d+)")
# One of each kind: what is asked, and the name of its pages.
LISTS = [
    ("/projects/tea/?round=main", "Pages: texts"),
    ("/projects/tea/?round=main", "Pages: coders"),
    ("/projects/tea/members/", "Pages"),
    ("/projects/tea/members/", "Pages: invitations"),
    ("/projects/tea/rounds/", "Pages"),
    ("/projects/tea/rounds/main/", "Pages: gold"),
    ("/projects/tea/transfers/", "Pages"),
    ("/projects/tea/gold/decisions/?reason=slip", "Pages"),
    ("/projects/tea/rounds/drill/training/", "Pages: decisions"),
    ("/projects/tea/assign/?round=trial", "Pages: coders"),
    ("/projects/ferry/", "Pages: tasks"),
    ("/projects/ferry/docsets/", "Pages"),
    ("/projects/ferry/docsets/sinking/", "Pages: tasks"),
    ("/projects/ferry/docsets/sinking/", "Pages: coders"),
    ("/projects/ferry/docsets/sinking/", "Pages: peers"),
    ("/projects/ferry/docsets/sinking/", "Pages: assignments not begun"),
    ("/projects/tea/texts/tea/", "Pages: versions"),
    ("/projects/ferry/agreement/?preset=passonneau-2006", "Pages: "),
]


def test_keyboard_pages_through_lists_and_keeps_filters(
    live_server, transactional_db, mail_server, browser, monkeypatch
):
    shorten_pages(monkeypatch, SHORT)
    world = World()
    enlarge(world.here, MANY, MANY, MANY)
    crowd(world.here, MANY)
    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    add_session(context, world.roles["manager"], live_server.url)
    page = context.new_page()
    for address, name in LISTS:
        page.goto(address)
        pager = page.get_by_role("navigation", name=name, exact=not name.endswith(" ")).first
        last, total = map(int, FIRST.match(pager.inner_text()).groups())
        assert last < total, address
        pager.get_by_role("link", name="Next").focus()
        page.keyboard.press("Enter")
        expect(pager.get_by_role("link", name="Previous")).to_be_visible()
        for part in address.partition("?")[2].split("&"):
            assert part in page.url
        pager.get_by_role("link", name="Previous").focus()
        page.keyboard.press("Enter")
        expect(pager.get_by_role("link", name="Next")).to_be_visible()  # and not of a page that is not there yet
        expect(pager.get_by_role("link", name="Previous")).to_have_count(0)
        page.wait_for_load_state()
        assert_fits(page, *WIDTHS)
        assert violations(page) == [], address
    context.close()


@pytest.mark.expected_errors("400")
def test_form_takes_typed_text_names_and_names_wrong_name(live_server, project, text, charlie, sign_in, monkeypatch):
    for module in ("core.http.fields", "planning.forms"):
        monkeypatch.setattr(f"annotations.{module}.MAX_CHOICES", 2)
    texts = Text.objects.bulk_create(
        [Text(project=project, slug=f"t{number}", title=f"Text {number}", content="Tea.") for number in range(4)]
    )
    pilot = create_round(project, "pilot", kind="pilot")
    for round_, some in ((project.rounds.get(name="main"), texts), (pilot, texts[:1])):
        put_into_round(round_, some)
    page = sign_in(charlie, "/projects/tea/rounds/pilot/")
    add = page.get_by_label("Add texts")
    add.focus()
    page.keyboard.type("t1 ghost")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Take out texts")).to_be_focused()
    page.keyboard.type("t0")
    press(page, "Tab", "Enter")
    expect(page.get_by_text("There is no ghost")).to_be_visible()
    expect(add).to_have_value("t1 ghost")
    expect(add).to_have_attribute("aria-invalid", "true")
    assert violations(page) == []
    assert_fits(page, *WIDTHS)
    add.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("t1, t2")
    press(page, "Tab", "Tab", "Enter")
    expect(page.get_by_text("2 texts added, 1 removed.")).to_be_visible()
    assert {text.slug for text in pilot.texts.all()} == {"t1", "t2"}


def test_typed_text_filters_items_until_all_texts_is_chosen(live_server, sign_in, charlie, monkeypatch):
    monkeypatch.setattr("annotations.core.http.fields.MAX_CHOICES", 2)
    answer(coded_project("walk", "poesio-artstein-2005", *(WALK + "." * number for number in range(3))))
    page = sign_in(charlie, "/projects/walk/agreement/items/?sort=text")
    items = page.get_by_role("table").locator("tbody tr")
    every = items.count()
    field = page.get_by_label("Text", exact=True)
    expect(field).to_have_attribute("placeholder", "all texts, or one of 3")
    field.focus()
    page.keyboard.type("text-2")
    page.keyboard.press("Enter")
    back = page.get_by_role("link", name="All texts", exact=True)
    expect(back).to_be_visible()
    expect(field).to_have_value("text-2")
    assert 0 < items.count() < every
    assert_fits(page, *WIDTHS)
    assert violations(page) == []
    back.focus()
    page.keyboard.press("Enter")
    expect(field).to_have_value("")
    expect(back).to_have_count(0)
    assert "sort=text" in page.url
    assert items.count() == every


def test_keyboard_search_finds_summaries_until_show_all(sign_in, charlie, alice, monkeypatch):
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    made = docset(project, alice)
    peers = [add_peer(made, f"p{number}", f"System {number}", "A ferry sank.") for number in range(6)]
    assign_peers(made, peers, [alice], agreed=False)
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", SHORT)
    page = sign_in(charlie)
    for address in ("/projects/ferry/", "/projects/ferry/docsets/sinking/"):
        page.goto(address)
        rows = page.get_by_role("table").first.locator("tbody tr")
        expect(rows).to_have_count(SHORT)
        search = page.get_by_role("searchbox", name="Search docsets and summaries")
        search.focus()
        page.keyboard.type("system 5")
        page.keyboard.press("Enter")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("System 5")
        expect(search).to_have_value("system 5")
        assert_fits(page, *WIDTHS)
        assert violations(page) == []
        search.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("ghost")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Show all", exact=True).focus()
        page.keyboard.press("Enter")
        expect(rows).to_have_count(SHORT)


def test_keyboard_search_finds_and_ticks_coders_of_plan(sign_in, charlie, db, monkeypatch):
    make_large_project()
    for module in ("planning.plans.forms", "web.views.assignments"):
        monkeypatch.setattr(f"annotations.{module}.CODERS_ON_A_PAGE", 2)
    page = sign_in(charlie, "/projects/large/assign/")
    page.get_by_text("Advanced", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("ann: weight").fill("2")
    page.get_by_label("ben: takes part").focus()
    page.keyboard.press("Space")
    pages = page.get_by_role("navigation", name="Pages: coders who take part")
    pages.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("cem: takes part")).to_be_checked()
    expect(page.get_by_text("3 of 4 take part")).to_be_visible()
    find = page.get_by_role("searchbox", name="Find coders")
    find.focus()
    page.keyboard.type("e")
    page.keyboard.press("Enter")
    expect(page.get_by_label("ben: takes part")).not_to_be_checked()
    page.get_by_role("button", name="Tick all 3 found").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("ben: takes part")).to_be_checked()
    expect(page.get_by_text("4 of 4 take part")).to_be_visible()
    assert_fits(page, *WIDTHS)
    assert violations(page) == []
    # The preview follows what has no row, too.
    with page.expect_response(lambda answer: "k=4" in answer.url):
        page.get_by_label("Coders per text").fill("4")
    expect(page.locator("#plan-summary")).to_contain_text("48 new assignments")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("48 assignments created.")).to_be_visible()
    assert dict(Plan.objects.get().coders.values_list("coder__username", "weight")) == {
        "ann": 2 * WEIGHT_UNIT, "ben": WEIGHT_UNIT, "cem": WEIGHT_UNIT, "dee": WEIGHT_UNIT
    }  # fmt: skip
