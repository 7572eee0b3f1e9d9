"""The pages of a manager in a browser."""

from __future__ import annotations

import io
import re
import zipfile

from playwright.sync_api import expect

from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES

WALK = {
    "anna": "[Anna](A=1) took [her](B=1) dog. [It](C=2) barked. [He](D=2) ran.",
    "ben": "[Anna](A=1) took [her](B=1) dog. [It](C=2) barked. [He](D=3) ran.",
}


def walk_zip() -> dict:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for coder, text in WALK.items():
            opened.writestr(f"{coder}/walk.txt", text)
    return {"name": "walk.zip", "mimeType": "application/zip", "buffer": archive.getvalue()}


def make_walk(charlie):
    return create_project("walk", "Walk", SCHEMES["passonneau-2004"], manager=charlie)


def test_manager_imports_codings_and_opens_item_behind_figure(sign_in, charlie):
    make_walk(charlie)
    page = sign_in(charlie, "/projects/walk/")
    page.get_by_role("link", name="Import", exact=True).click()
    page.get_by_label("Format").select_option("plain")
    page.get_by_label("Files", exact=True).set_input_files(walk_zip())
    page.get_by_label("A folder per coder").check()
    page.get_by_label("Create missing accounts").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#summary")).to_have_text(
        "To be imported: 1 new text, 4 new markables, 2 codings, 8 judgements."
    )
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#summary")).to_have_text("Imported: 1 new text, 4 new markables, 2 codings, 8 judgements.")
    page.get_by_role("link", name="Open the project").click()
    expect(page.locator(".statistic .statistic-value")).to_have_text(re.compile(r"0\.\d{3}"))
    page.locator(".statistic .statistic-value a").click()
    page.get_by_role("link", name="View items").click()
    page.locator("#table-items").get_by_role("link", name="He", exact=True).click()
    expect(page.get_by_role("heading", name="“He”")).to_be_visible()
    page.locator(".agreement-pairs > summary").click()
    expect(page.get_by_role("row", name=re.compile("anna – ben")).locator("td").first).to_have_text("subset")
    page.go_back()
    expect(page.get_by_role("heading", name="Items")).to_be_visible()


def test_import_names_line_of_wrong_file(sign_in, charlie):
    make_walk(charlie)
    page = sign_in(charlie, "/projects/walk/import/")
    page.get_by_label("Files", exact=True).set_input_files(
        {
            "name": "cut.conll",
            "mimeType": "text/plain",
            "buffer": b"#begin document (cut); part 000\ncut 0 0 It - (1\n",
        }
    )
    page.get_by_label("Format").select_option("conll2012")
    expect(page.locator("#of-format [name$=word]")).to_be_visible()
    page.get_by_label("Texts only").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("main")).to_contain_text("cut.conll:3")
    expect(page.get_by_role("alert")).to_contain_text("None of the files can be imported. Nothing was changed.")


def test_theme_choice_survives_reload(sign_in, charlie, project):
    page = sign_in(charlie, "/projects/tea/")
    switch = page.locator("[data-theme-switch]")
    while page.locator("html").get_attribute("data-theme") != "dark":
        switch.click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
