"""Dashboards of managers, by mouse and by keyboard."""

from __future__ import annotations

import base64
import json
import re
import struct
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.test import override_settings
from playwright.sync_api import Page, expect

from agreement.models import Flag, Mapping, Remark
from agreement.web import forms
from annotations.models import User
from tests.browser.conftest import DelayedAnswer, press, wait_until

DEMO = "dialogue"


@pytest.fixture(scope="module")
def demo(kept_rows) -> None:
    with override_settings(LOCAL=True):
        call_command("load_demo", "dialogue", "sortal", verbosity=0)


@pytest.fixture
def transactional_db(demo) -> None:
    """Keep the demo from test to test."""


@pytest.fixture
def manager(transactional_db) -> User:
    return User.objects.get(username="manager")


@pytest.fixture
def item(manager):
    """Return the address of the item that the coders of the demo see most differently."""
    return "/projects/dialogue/agreement/items/generator/phrase:721-723/"


def wait_for_charts(page: Page, count: int) -> None:
    """Wait until every chart in view is drawn."""
    charts = page.locator("[data-chart]")
    expect(charts).to_have_count(count)
    for number in range(count):
        charts.nth(number).scroll_into_view_if_needed()
    expect(page.locator("[data-chart][data-drawn] .main-svg").first).to_be_visible()
    expect(page.locator("[data-chart][data-drawn]")).to_have_count(count)


def wait_for_copy(page: Page) -> None:
    """Wait for the message of the button, which is shown for two seconds."""
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)


def test_manager_goes_from_overview_to_word_and_back(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/")
    expect(page.get_by_text("How much agreement is enough")).to_be_visible()
    page.locator(".agreement-overview .statistic-value a").click()
    expect(page.get_by_role("heading", name="Agreement", exact=True)).to_be_visible()
    page.get_by_role("link", name="View items").click()
    page.get_by_role("link", name=re.compile("overlap")).click()
    expect(page.get_by_role("link", name=re.compile("overlap"))).to_have_attribute("aria-current", "true")
    first = page.locator("#table-items tbody th a").first
    word = first.inner_text()
    first.click()
    expect(page.get_by_role("heading", name=f"“{word}”")).to_be_visible()
    expect(page.locator("#overlay .is-current").first).to_have_text(word)
    assert "relation=intersection" in page.url
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("item 2 of")).to_be_visible()
    assert "relation=intersection" in page.url
    for heading in (f"“{word}”", "Items", "Items", "Agreement"):
        page.go_back()
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("How much agreement is enough")).to_be_visible()


def test_attention_list_opens_word_by_keyboard(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/")
    link = page.locator("#attention a").first
    expect(link).to_be_visible()
    word = link.inner_text()
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=word)).to_be_visible()


def choose(page: Page, distance: str) -> None:
    """Choose a distance and apply it."""
    page.get_by_label("Distance", exact=True).select_option(distance)
    page.get_by_role("button", name="Apply").click()


@pytest.mark.expected_errors("^htmx:(afterRequest|sendAbort)")
def test_pending_response_keeps_later_input(sign_in, manager, monkeypatch):
    monkeypatch.setattr(forms, "TOO_MANY", 1)  # coders are named in a field
    page = sign_in(manager)
    answer = DelayedAnswer(page, "**/agreement/?*distance=dice*")
    page.goto(f"/projects/{DEMO}/agreement/")
    page.get_by_text("Filter (none)").click()
    choose(page, "dice")
    answer.wait_for_request()
    field = page.locator("input[name=coders]")
    field.press_sequentially("ann")
    answer.release()
    page.wait_for_timeout(500)  # in which the answer would come
    expect(field).to_have_value("ann")
    field.press("Tab")
    expect(page).to_have_url(re.compile("distance=dice.*coders=ann"))


def test_distance_changes_figure_address_and_tabs(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/")
    value = page.locator("#value data")
    before = value.get_attribute("value")
    assert before is not None
    choose(page, "dice")
    expect(value).not_to_have_attribute("value", before)
    assert "distance=dice" in page.url
    after = value.get_attribute("value")
    address = page.url.partition("?")[2]
    assert repr(page.request.get(f"/api/v1/projects/{DEMO}/agreement/?{address}").json()["value"]) == after
    wait_for_charts(page, 2)
    page.get_by_text("Filter (none)").click()
    page.get_by_label("place").check()
    page.get_by_role("button", name="Apply").click()
    expect(value).not_to_have_attribute("value", after or "")
    assert "without=place" in page.url
    expect(page.get_by_role("checkbox", name="place")).to_be_checked()
    page.go_back()
    page.go_back()
    expect(value).to_have_attribute("value", before)
    page.go_forward()
    expect(value).to_have_attribute("value", after or "")
    shared = sign_in(manager, f"/projects/{DEMO}/agreement/?distance=dice&chains=full&top=category")
    expect(shared.locator("#value data")).to_have_attribute("value", after or "")
    page.goto(f"/projects/{DEMO}/agreement/")
    choose(page, "dice")
    expect(page.locator("#tabs").get_by_role("link", name="Items")).to_have_attribute("href", re.compile("dice"))
    page.locator("#tabs").get_by_role("link", name="Items").click()
    expect(page.get_by_label("Distance", exact=True)).to_have_value("dice")
    expect(page.locator("#breadcrumbs").get_by_role("link", name="Agreement")).to_have_attribute(
        "href", re.compile("dice")
    )


def test_chip_removes_its_setting_and_reset_removes_all(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/?distance=dice&exclude_unit=both")
    expect(page.get_by_text("Advanced (1 changed)")).to_be_visible()
    page.get_by_role("link", name="Remove Distance: Dice").press("Enter")
    expect(page.get_by_label("Distance", exact=True)).to_have_value("passonneau")
    assert "exclude_unit=both" in page.url
    page.get_by_role("link", name="Reset to project default").click()
    expect(page.locator(".agreement-changes")).to_have_count(0)


def test_narrow_window_shows_figure_and_opens_settings(sign_in, manager):
    page = sign_in(manager)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/projects/{DEMO}/agreement/")
    box = page.locator("#value").bounding_box()
    assert box is not None
    assert box["y"] < 600
    preset = page.get_by_label("Preset", exact=True)
    expect(preset).to_be_hidden()
    page.get_by_text("Settings and filter").press("Enter")
    expect(preset).to_be_visible()
    preset.select_option("alpha-nominal")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("[?]preset=alpha-nominal$"))
    expect(preset).to_be_hidden()


def test_info_buttons_explain_figures_and_columns(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/coders/")
    page.locator("#table-each").get_by_role("button", name="Change").click()
    panel = page.locator(".info-panel:popover-open")
    expect(panel).to_contain_text("How far the figure moves")
    wait_until(  # charts that are drawn meanwhile move both
        page,
        """([button, panel]) => {
          const [at, place] = [button.getBoundingClientRect(), panel.getBoundingClientRect()];
          return Math.abs(place.top - at.bottom) < 2 || Math.abs(place.bottom - at.top) < 2;
        }""",
        [page.get_by_role("button", name="Change").element_handle(), panel.element_handle()],
    )
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.goto(f"/projects/{DEMO}/agreement/")
    page.get_by_role("button", name="Krippendorff’s alpha").focus()
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("1 is perfect agreement, 0 is chance")
    press(page, "Tab", "Enter")
    expect(page).to_have_url(re.compile(r"/help/glossary/#alpha$"))


@pytest.mark.expected_errors("status of 400")
def test_invalid_choice_shows_error_on_page(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/")
    page.get_by_label("Distance", exact=True).evaluate("select => select.add(new Option('ghost', 'ghost'))")
    choose(page, "ghost")
    expect(page.get_by_role("alert")).to_contain_text("distance: 'ghost' is not one of")


def test_back_button_restores_charts(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/")
    wait_for_charts(page, 2)
    choose(page, "dice")
    expect(page.locator("#table-distances [aria-current]")).to_have_text("Dice")
    wait_for_charts(page, 2)
    page.go_back()
    expect(page.locator("#table-distances [aria-current]")).to_have_text("Passonneau")
    wait_for_charts(page, 2)
    label = page.locator("#chart-distances .xtick text").first
    light = label.evaluate("element => getComputedStyle(element).fill")
    page.emulate_media(color_scheme="dark")
    expect(label).not_to_have_css("fill", light)


def test_charts_have_labels_and_tables_and_follow_theme(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/coders/")
    wait_for_charts(page, 6)
    for chart in page.locator("figure.chart").all():
        canvas = chart.locator("[role=img]")
        title = chart.locator("figcaption").inner_text()
        assert (canvas.get_attribute("aria-label") or "").startswith(title)
        twin = chart.get_by_role("link", name="Show data").get_attribute("href")
        expect(page.locator(f"{twin} table")).to_be_visible()
    label = page.locator("#chart-matrix .xtick text").first
    colour = "element => getComputedStyle(element).fill"
    light = label.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    expect(label).not_to_have_css("fill", light)


def test_bar_and_its_table_row_open_item(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/items/")
    headings = page.locator(".agreement-items thead th")
    expect(headings.filter(has_text="Share")).to_be_visible()
    for width in (960, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert headings.evaluate_all("all => all.filter((cell) => cell.scrollWidth > cell.clientWidth)") == []
    wait_for_charts(page, 2)
    rows = page.locator("#table-positions tbody tr")
    highest = max(range(rows.count()), key=lambda row: float(rows.nth(row).locator("data").last.get_attribute("value")))
    link = rows.nth(highest).get_by_role("link")
    address, words = link.get_attribute("href"), link.inner_text()
    bar = page.locator("#chart-positions .point path").nth(highest)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_role("heading", name=f"“{words}”")).to_be_visible()
    assert page.url.endswith(address)
    page.go_back()
    link.press("Enter")
    expect(page.get_by_role("heading", name=f"“{words}”")).to_be_visible()


def test_page_aligns_chains_of_two_coders(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/coders/ann/ben/")
    page.get_by_label("Text", exact=True).select_option("generator")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("text=generator"))
    canvas = page.locator("#chart-alignment [role=img]")
    expect(canvas).to_have_attribute("aria-label", re.compile("11 are aligned and share"))
    expect(page.locator("#table-alignment tbody tr").first).to_contain_text("the big ferry")
    page.get_by_role("link", name="Both versions of the text").click()
    expect(page.get_by_text("markables differ").or_(page.get_by_text("markable differs"))).to_be_visible()


@pytest.mark.expected_errors("net::ERR_FAILED .*plotly")
def test_tables_stay_if_chart_library_fails_to_load(sign_in, manager):
    page = sign_in(manager)
    page.route("**/plotly.min.js", lambda route: route.abort())
    page.goto(f"/projects/{DEMO}/agreement/")
    page.locator("#chart-distances").scroll_into_view_if_needed()  # a chart is drawn when it comes into sight
    expect(page.get_by_text("The charts could not be loaded; the tables have all figures.").first).to_be_visible()
    expect(page.locator("#table-distances table")).to_be_visible()


def test_manager_downloads_table_and_copies_paragraph(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/grid/?without=place")
    table = page.locator("#chart-grid")  # the chart and its table share a menu
    table.locator("summary").click()
    with page.expect_download() as download:
        table.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "dialogue-grid.csv"
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "construction,nominal,passonneau,jaccard,dice,masi,masi-product,K"
    assert len(lines) == 7
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table.get_by_role("link", name="LaTeX").click()
    wait_for_copy(page)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("\\begin{table}")
    assert "no chain & " in copied
    page.goto(f"/projects/{DEMO}/agreement/methods/")
    page.get_by_role("button", name="Copy text").click()
    wait_for_copy(page)
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#paragraph p").inner_text()


def test_saved_chart_is_light_in_dark_theme(sign_in, manager):
    page = sign_in(manager)
    page.emulate_media(color_scheme="dark")
    page.goto(f"/projects/{DEMO}/agreement/coders/")
    charts = page.locator("[data-chart]")
    expect(page.locator("[data-chart][data-drawn]")).to_have_count(charts.count())  # nobody has scrolled
    assert charts.count() > 2
    figure = page.locator("#chart-matrix")
    summary = figure.locator("summary")
    summary.press("Enter")
    with page.expect_download() as download:
        figure.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "dialogue-matrix.svg"
    svg = ElementTree.fromstring(download.value.path().read_text())
    assert svg.get("width") == "170mm"
    source = ElementTree.tostring(svg, "unicode")
    assert "Pairs of coders, coefficient</" in source
    assert ">0.92</" in source
    assert "sans-serif" in source
    assert "system-ui" not in source
    assert "var(--" not in source
    summary.press("Enter")
    with page.expect_download() as download:
        figure.get_by_role("button", name="PNG").click()
    png = download.value.path().read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height > 500) == (2009, True)  # 170 mm at 300 dpi
    assert png[37:41] == b"pHYs"
    encoded = base64.b64encode(png).decode()
    # the corner is paper, and there are many colours: the picture is neither dark nor blank
    corner, colours = page.evaluate(
        """async (encoded) => {
          const image = new Image();
          image.src = `data:image/png;base64,${encoded}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
          return [pixels[0], new Set(pixels).size];
        }""",
        encoded,
    )
    assert corner == 0xFFFFFFFF
    assert colours > 50
    summary.press("Enter")
    page.keyboard.press("Escape")
    expect(figure.locator(".download[open]")).to_have_count(0)
    expect(summary).to_be_focused()


def test_print_hides_controls_and_fits_charts_and_tables(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/coders/")
    wait_for_charts(page, 6)
    page.emulate_media(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 680, "height": 962})  # A4 between its margins
    expect(page.locator("#chart-matrix .main-svg").first).to_be_visible()
    for gone in (".site-header", "#tabs", "aside", ".download", ".breadcrumbs", ".button"):
        assert not page.locator(gone).first.is_visible(), gone
    assert page.locator("body").evaluate("element => getComputedStyle(element).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator("#chart-matrix .xtick text").first).to_have_css("fill", "rgb(27, 29, 32)")
    wide = """() => [...document.querySelectorAll("table, .main-svg")].filter((element) => element.checkVisibility()
      && element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.outerHTML.slice(0, 80))"""
    assert page.evaluate(wide) == []


def test_item_page_shows_chains_of_chosen_coders(sign_in, manager, item):
    page = sign_in(manager, item)
    buttons = page.locator("[data-coder]")
    badges = page.locator("#overlay sup:not(.is-off)")
    together = badges.count()
    for number in range(1, buttons.count()):
        buttons.nth(number).click()
    alone = {badge.inner_text() for badge in badges.all()}
    assert alone == {buttons.first.get_attribute("data-coder")}
    assert badges.count() < together
    buttons.nth(1).focus()
    page.keyboard.press("Space")
    expect(buttons.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-chart]")).to_be_hidden()
    page.get_by_text("Pairs of coders").click()
    wait_for_charts(page, 1)


def test_manager_comments_on_and_flags_item(sign_in, manager, item):
    page = sign_in(manager, f"{item}?relation=intersection")
    page.get_by_label("Comment").fill("<b>They</b> may mean the crew.")
    page.get_by_role("button", name="Comment").click()
    expect(page.get_by_text("<b>They</b> may mean the crew.")).to_be_visible()
    assert "relation=intersection" in page.url
    page.get_by_role("button", name="Flag for the guidelines").click()
    expect(page.get_by_text("flagged for the guidelines by manager")).to_be_visible()
    page.get_by_role("link", name="All flags and comments").click()
    expect(page.get_by_text("Flagged by manager")).to_be_visible()
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Flag resolved.")).to_be_visible()
    page.goto(f"{item}?relation=intersection")
    page.get_by_role("button", name="Flag for the guidelines").click()
    page.get_by_role("link", name="Items").last.click()
    page.get_by_role("link", name=re.compile("flagged")).click()
    expect(page.locator("#table-items tbody tr")).to_have_count(1)
    page.go_back()
    page.go_back()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("may mean the crew")).to_have_count(0)
    page.get_by_role("button", name="Remove flag").click()
    expect(page.get_by_role("button", name="Flag for the guidelines")).to_be_visible()
    assert (Remark.objects.count(), Flag.objects.count()) == (0, 0)


def test_merge_of_categories_adds_row_and_saves_mapping(sign_in, manager):
    page = sign_in(manager, "/projects/sortal/agreement/categories/")
    rows = page.locator("#table-collapsed tbody tr")
    expect(rows).to_have_count(1)
    names = [label.inner_text() for label in page.locator(".agreement-merge-form label").all()]
    keys = [field.get_attribute("name") for field in page.locator(".agreement-merge-form input[type=text]").all()]
    first, second = ((name or "").removeprefix("merge_") for name in keys[:2])
    page.get_by_label(names[0], exact=True).fill(names[1])
    page.keyboard.press("Tab")
    expect(rows).to_have_count(2)
    assert f"{first}%3A{second}" in page.url
    page.get_by_label("Save mapping as").fill("two in one")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Mapping saved as two in one.")).to_be_visible()
    expect(page.get_by_role("link", name="two in one")).to_have_attribute("aria-current", "true")
    assert Mapping.objects.get().classes == {first: second}
    page.locator(".agreement-merge-form").get_by_role("link", name="Reset").click()
    expect(rows).to_have_count(1)


def test_page_shows_figures_of_its_json(sign_in, manager):
    page = sign_in(manager, f"/projects/{DEMO}/agreement/coders/?measure=muc")
    table = json.loads(page.request.get(f"{page.url}&as=json&table=matrix").text())
    shown = [
        [cell.get_attribute("value") for cell in row.locator("data").all()]
        for row in page.locator("#table-matrix tbody tr").all()
    ]
    given = [
        [repr(value) for name, value in row.items() if name != "coder" and value is not None] for row in table["rows"]
    ]
    assert shown == given


@pytest.mark.expected_errors("400")
def test_page_computes_number_of_texts_for_margin(sign_in, manager):
    page = sign_in(manager, "/projects/sortal/agreement/planning/")
    expect(page.locator("#enough")).to_contain_text("with 5 texts; about 7 texts for ±.15")
    page.get_by_label("95% CI of ±").fill("0.05")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("#enough")).to_contain_text("about 34 texts for ±.05")
    wait_for_charts(page, 1)
    expect(page.locator("[data-chart]").get_by_text("extrapolated")).to_be_visible()
    expect(page.locator("#table-sizes").get_by_role("cell", name="extrapolated").first).to_be_visible()
    page.get_by_label("95% CI of ±").fill("none")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("alert")).to_contain_text("margin: give a number")
