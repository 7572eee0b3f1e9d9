"""Docsets: create, add peers, assign."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.models import Docset, Membership, Text
from annotations.projects.people.members import add_member
from tests.shared.pyramids import pyramid_project


def test_manager_creates_docset_adds_peers_and_assigns_them(sign_in, charlie, alice):
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    add_member(project, alice, Membership.Role.CODER)
    page = sign_in(charlie, "/projects/ferry/")
    page.get_by_role("link", name="New docset").click()
    page.get_by_label("Title").fill("The sinking")
    for number, summary in enumerate(("The ferry sank.", "A ferry went down.", "It sank.", "Down it went.")):
        page.get_by_label("Summary", exact=True).nth(number).fill(summary)
    page.get_by_role("button", name="Add another summary").click()
    expect(page.get_by_role("group", name="Model summary 5")).to_be_visible()
    page.get_by_label("Summary", exact=True).nth(4).fill("A fifth, at dawn.")
    page.get_by_role("button", name="Create docset").click()
    expect(page.get_by_role("heading", name="The sinking")).to_be_visible()
    expect(page.get_by_text("A fifth, at dawn.")).to_be_visible()
    page.get_by_role("link", name="Add peers").first.click()
    file = {"name": "d1.17.txt", "mimeType": "text/plain", "buffer": b"Prices rose."}
    page.get_by_label("Files").set_input_files(file)
    page.get_by_role("button", name="Preview files").click()
    expect(page.get_by_label("System", exact=True).first).to_have_value("17")
    page.get_by_role("button", name="Add peers").click()
    page.get_by_role("link", name="Assign", exact=True).first.click()
    for label in ("alice", "d1.17"):
        page.get_by_label(label).check()
    page.get_by_role("button", name="Assign").click()
    expect(page.get_by_text("2 assignments created.")).to_be_visible()
    assert Text.objects.get(role=Text.Role.PEER).codings.of_people().get().kind == "peer"
    assert Docset.objects.get().texts.count() == 2
