"""The pages of a manager in a browser."""

from __future__ import annotations

import io
import re
import zipfile

from playwright.sync_api import expect

from annotations.models import Membership
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.files.sources import Source, read_sources
from annotations.transfers.importing.options import ImportOptions
from tests.shared.imports import import_result
from tests.shared.projects import make_project

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


def test_manager_imports_by_upload_and_walks_from_the_number_to_the_words(sign_in, charlie):
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


def test_wrong_file_is_named_with_its_line(sign_in, charlie):
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


def test_controls_change_the_figure_and_the_address(sign_in, charlie):
    project = make_walk(charlie)
    sources = [Source(f"{coder}/walk.txt", text.encode()) for coder, text in WALK.items()]
    import_result(project, read_sources("plain", sources, "parent"), ImportOptions(create=True))
    page = sign_in(charlie, "/projects/walk/agreement/")
    value = page.locator("#value data")
    before = value.get_attribute("value")
    page.get_by_label("Distance", exact=True).select_option("nominal")
    page.get_by_role("button", name="Apply").click()
    expect(value).not_to_have_attribute("value", before)
    expect(page).to_have_url(re.compile("distance=nominal"))
    shown = value.get_attribute("value")
    address = page.url.split("?")[1]
    assert repr(page.request.get(f"/api/v1/projects/walk/agreement/?{address}").json()["value"]) == shown
    page.go_back()
    expect(page.locator("#value data")).to_have_attribute("value", before)
    expect(page.get_by_label("Distance", exact=True)).to_have_value("passonneau")
    page.go_forward()
    expect(page.locator("#value data")).to_have_attribute("value", shown)
    expect(page.get_by_label("Distance", exact=True)).to_have_value("nominal")


def test_new_member_gets_texts_to_code(sign_in, alice, charlie):
    project = make_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    page = sign_in(charlie, "/projects/tea/members/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Role").first.select_option("coder")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("alice is now coder")).to_be_visible()
    page.get_by_role("link", name="Assignments").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 assignment created")).to_be_visible()
    coder = sign_in(alice, "/projects/tea/")
    coder.get_by_role("link", name="Start Tea").click()
    expect(coder.locator("#progress-text")).to_contain_text("0 of 6")


def test_theme_switch_is_kept(sign_in, charlie, project):
    page = sign_in(charlie, "/projects/tea/")
    switch = page.locator("[data-theme-switch]")
    while page.locator("html").get_attribute("data-theme") != "dark":
        switch.click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
