"""Decisions on gold and the datasheet, as managers and coders read them."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Download, Page, expect

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.formats import plain
from annotations.models import Coding, Membership, Project, User
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.browser.conftest import assert_fits, saved
from tests.browser.pages.test_accessibility import violations

LONG = "Rechtsschutzversicherungsgesellschaft"
WIDTHS = (1440, 768, 390)
# Whether an element is what one sees at its beginning.
ON_TOP = """(element) => {
  const { x, y } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(x + 9, y + 9));
}"""
FIELDS = {
    "Description": "Letters and news of an island.",
    "Source of the texts": "The archive of the harbour.",
    "Licence": "CC BY 4.0",
    "Citation": "Dahl, M. (2026). Island chronicle.",
    "Contact": "chronicle@example.org",
}


@pytest.fixture
def people(transactional_db, settings) -> dict[str, User]:
    """Load the project of three rounds, and return its people by name."""
    settings.LOCAL = True
    call_command("load_demo", "chronicle", verbosity=0)
    return {user.username: user for user in User.objects.exclude(memberships__model__isnull=False)}


def downloaded(page: Page, name: str) -> tuple[Download, str]:
    """Follow a link that downloads, and return the file."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    return download.value, Path(download.value.path()).read_text(encoding="utf-8-sig")


def test_managers_filter_and_download_decisions_and_datasheet(sign_in, people):
    page = sign_in(people["manager"], "/projects/chronicle/rounds/pilot/")
    page.get_by_role("link", name="Decisions", exact=True).click()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(12)
    assert violations(page) == []
    page.get_by_role("link", name="Guideline gap 4").click()
    expect(rows).to_have_count(4)
    expect(page.locator("caption")).to_contain_text("4 decisions of 12")
    page.get_by_role("link", name="Who and what is spoken of 4").click()
    page.get_by_role("link", name="Coder 7").click()
    expect(page.locator(".chip[aria-current]")).to_have_text(
        ["pilot", "Guideline gap 4", "Who and what is spoken of 4", "Coder 7"]
    )
    download, table = downloaded(page, "CSV")
    assert download.suggested_filename == "chronicle-decisions.csv"
    assert [row["words"] for row in csv.DictReader(io.StringIO(table))] == ["you", "My landlady", "one", "The room"]
    page.get_by_role("link", name="Coder 7").click()  # takes the filter back
    expect(page.locator(".chip[aria-current]")).to_have_count(3)
    page.get_by_role("link", name="My landlady").click()
    expect(page.locator("#text .is-current")).to_have_text(re.compile("My landlady"))

    coder = sign_in(people["lou"], "/projects/chronicle/")
    expect(coder.get_by_role("link", name=re.compile("gold", re.IGNORECASE))).to_have_count(0)
    assert coder.request.get("/projects/chronicle/gold/own/").status == 403
    Project.objects.update(results_open=True)
    coder.reload()
    coder.get_by_role("link", name="Gold beside your answers").click()
    landlady = coder.get_by_role("row", name="My landlady already mentioned")
    expect(landlady).to_contain_text("already mentioned: Mrs Dahl, She, My landlady")
    expect(landlady).to_contain_text("Guideline gap: Who and what is spoken of")
    expect(coder.get_by_role("table")).to_have_count(2)
    assert violations(coder) == []
    assert not {"kim", "sam", "ute", "manager"} & set(coder.locator("main").inner_text().split())
    assert coder.request.get("/projects/chronicle/gold/decisions/").status == 403

    page.goto("/projects/chronicle/")
    page.get_by_role("link", name="Datasheet", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Datasheet", exact=True)).to_be_visible()
    facts = page.locator("section", has=page.get_by_role("heading", name="Adjudication")).locator("dl")
    expect(facts).to_contain_text("ambiguous text 2, guideline gap 4, slip 6")
    n_units = sum(gold.judgements.count() for gold in Coding.objects.filter(kind="gold", round__name="pilot"))
    expect(facts).to_contain_text(f"pilot: none of {n_units - 12} checked")
    assert violations(page) == []

    page.get_by_role("link", name="settings", exact=True).click()
    for label, value in FIELDS.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Licence").press("Enter")
    page.get_by_role("link", name="Datasheet", exact=True).click()
    for value in FIELDS.values():
        expect(page.get_by_text(value)).to_be_visible()

    page.emulate_media(media="print")
    title = "Island chronicle: training, pilot, main round: Datasheet"
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
    for part in page.locator("nav, .site-header, .site-footer, .breadcrumbs, .button, .download").all():
        expect(part).to_be_hidden()
    expect(page.get_by_role("table", name="Agreement, by round")).to_be_visible()
    page.emulate_media(media="screen")

    download, sheet = downloaded(page, "Markdown")
    assert download.suggested_filename == "chronicle-datasheet.md"
    assert sheet.startswith("# Datasheet: Island chronicle")
    assert "- **Licence:** CC BY 4.0" in sheet
    assert all(value in sheet for value in FIELDS.values())
    assert not any(re.search(rf"\b{name}\b", sheet) for name in people)


@pytest.fixture
def long_name_project(transactional_db, charlie) -> Project:
    """Make a project of ten coders with long names everywhere, and draft its gold."""
    project = create_project("long", LONG, SCHEMES["clusters"])
    project.guidelines = f"# {LONG}{LONG}\n\nWho is meant."
    project.save()
    add_member(project, charlie, Membership.Role.MANAGER)
    documents = []
    for number in range(10):
        coder = f"{LONG}{number}"
        User.objects.create(username=coder)
        words = [LONG, "the harbour master of the quay", "she", "it"] * 5
        # each joins the markables of a word, but for one markable
        marked = " and ".join(
            f"[{word}](={number if index == number else index % 4})" for index, word in enumerate(words)
        )
        documents.append(SourceDocument(plain.parse(f"{marked} .", f"{LONG}.txt"), coder))
    import_documents(project, documents, ImportOptions(join=True))
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return project


def cut_cells(page: Page, cells: str) -> list[str]:
    """Return the visible cells that extend beyond the window."""
    outside = """(all) => all.filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return element.checkVisibility() && (left < 0 || right > innerWidth);
    }).map((element) => element.textContent.trim())"""
    return page.locator(cells).evaluate_all(outside)


def test_queue_and_decisions_fit_window_with_ten_long_names(sign_in, charlie, long_name_project):
    page = sign_in(charlie, f"/projects/long/texts/{long_name_project.texts.get().slug}/gold/code/")
    queue = page.locator("#queue")
    expect(queue).to_be_focused()
    for width in WIDTHS:
        assert_fits(page, width)
        assert cut_cells(page, ".queue-table tr > :last-child") == []
        said = page.locator(".queue-table tr.is-current td").last
        expect(said).to_contain_text("open")
        assert said.evaluate(ON_TOP)
        assert page.locator("#queue-title").evaluate(ON_TOP)  # no text stands over the panel
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".queue-answer").nth(9).focus()  # of the last coder
    assert page.locator(".queue-answer").nth(9).evaluate(ON_TOP)
    queue.focus()
    page.keyboard.press("w")
    page.get_by_label("guideline gap").check()
    page.get_by_label("Section of the guidelines").select_option(f"{LONG}{LONG}")
    page.get_by_label("Note", exact=True).last.fill(f"{LONG}{LONG}")
    page.get_by_role("button", name="Keep").click()
    page.keyboard.press("1")
    saved(page)

    page.goto("/projects/long/gold/decisions/")
    row = page.locator("tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(f"Guideline gap: {LONG}{LONG}")
    expect(row).to_contain_text(re.compile(f"{LONG}[0-9]"))  # whose answer it is
    for width in WIDTHS:
        assert_fits(page, width)
        assert cut_cells(page, "tbody :is(th, td), .chip") == []
