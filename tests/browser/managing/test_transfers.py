"""Imports and exports, by mouse and by keyboard."""

from __future__ import annotations

import zipfile

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from annotations.coding.status import submit_coding
from annotations.models import Membership, Project, Text
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers import orders
from config.settings import TASKS
from tests.annotations.transfers.importing.test_corpora import zipped
from tests.annotations.transfers.importing.test_mapping import corpus
from tests.annotations.web.transfers.test_import import CONLL
from tests.browser.conftest import DelayedAnswer, assert_fits
from tests.shared.coding import judge

DOG = {"name": "dog.conll", "mimeType": "text/plain", "buffer": CONLL.encode()}


@pytest.fixture
def manager(charlie, project):
    add_member(project, charlie, Membership.Role.MANAGER)
    return charlie


@pytest.fixture
def tales(manager, alice) -> Project:
    """Return a project of clusters without a text, in which Alice codes."""
    tales = create_project("tales", "Tales", SCHEMES["clusters"], manager=manager)
    add_member(tales, alice, Membership.Role.CODER)
    return tales


def test_export_preview_lists_losses(sign_in, manager, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"], keys["b"], note="either of them")
    submit_coding(codings["alice"], codings["alice"].coder)
    page = sign_in(manager, "/projects/tea/")
    page.get_by_role("link", name="Import and export").click()
    page.get_by_role("link", name="Export", exact=True).click()
    page.get_by_label("Format").select_option("muc")
    page.get_by_role("button", name="Preview").click()
    row = page.get_by_role("row").filter(has_text="several antecedents of one markable")
    expect(row).to_contain_text("alice, tea: “it” (31-33)")
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "tea-muc.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        assert set(archive.namelist()) == {"alice/tea.sgm", "LOSSES.txt"}
    page.get_by_role("link", name="Import and export").first.click()
    expect(page.get_by_role("link", name="Download")).to_be_visible()


def test_manager_imports_by_keyboard(sign_in, manager, project):
    page = sign_in(manager, "/projects/tea/import/")
    page.get_by_label("Files", exact=True).set_input_files(DOG)
    page.get_by_label("Format").focus()
    page.keyboard.type("CoNLL-2012")
    expect(page.get_by_label("Format")).to_have_value("conll2012")
    page.get_by_label("A folder per coder").focus()
    page.keyboard.press("ArrowUp")  # round to the last: texts only
    expect(page.get_by_label("Texts only")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_contain_text("To be imported: 1 new text")
    page.get_by_role("button", name="Import", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_contain_text("Imported: 1 new text")
    assert Text.objects.filter(project=project, slug="dog").exists()


def order_corpus(page, slug: str) -> None:
    page.goto(f"/projects/{slug}/import/?format=mmax2")
    corpus_file = {"name": "corpus.zip", "mimeType": "application/zip", "buffer": zipped(corpus())}
    page.get_by_label("Files", exact=True).set_input_files(corpus_file)
    page.get_by_label("One coder’s work").check()
    page.get_by_label("Coder", exact=True).fill("alice")
    page.get_by_role("button", name="Preview").click()


def test_import_maps_and_remembers_names_of_corpus(sign_in, manager, tales):
    page = sign_in(manager)
    order_corpus(page, "tales")
    expect(page.get_by_role("alert")).to_contain_text("None of the files can be imported")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="coref", exact=True))
    expect(row).to_contain_text("5")
    page.get_by_label("coref", exact=True).select_option("mention")
    page.get_by_role("button", name="Preview with these names").click()
    expect(page.locator("#summary")).to_contain_text("To be imported: 1 new text, 5 new markables")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#summary")).to_contain_text("Imported: 1 new text, 5 new markables")
    order_corpus(page, "tales")
    expect(page.locator("#summary")).to_contain_text("1 coding already imported")


def test_import_previews_scheme_of_corpus(sign_in, manager, tales):
    page = sign_in(manager)
    order_corpus(page, "tales")
    page.get_by_role("button", name="Create the scheme from the files").click()
    expect(page.get_by_role("table", name="The project gets this scheme")).to_contain_text("coref")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("table", name="The project has this scheme now")).to_contain_text("coref")
    page.goto("/projects/tales/scheme/")
    expect(page.get_by_role("table", name="Levels of markables")).to_contain_text("coref")
    with page.expect_download() as download:
        page.get_by_role("link", name="MMAX2 (zip)").click()
    assert download.value.suggested_filename == "tales-scheme-mmax2.zip"
    page.get_by_role("link", name="Import a scheme").click()
    page.get_by_label("Scheme", exact=True).set_input_files(download.value.path())
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("table", name="Scheme of the file")).to_contain_text("coref")


def test_format_change_keeps_files_and_coder(sign_in, manager):
    page = sign_in(manager, "/projects/tea/import/")
    page.get_by_label("Files", exact=True).set_input_files(DOG)
    page.get_by_label("Format").select_option("brat")
    expect(page.locator("#of-format select").first).to_be_visible()
    expect(page.locator("#of-format [name$=word]")).to_have_count(0)
    page.get_by_label("Format").select_option("conll2012")
    expect(page.locator("#of-format [name$=word]")).to_be_visible()
    files = page.get_by_label("Files", exact=True).evaluate("field => [...field.files].map((file) => file.name)")
    assert files == ["dog.conll"]
    page.get_by_label("One coder’s work").check()
    page.get_by_label("Coder", exact=True).fill("alice")
    page.get_by_label("Format").select_option("brat")
    expect(page.locator("#of-format [name$=word]")).to_have_count(0)
    expect(page.locator("#of-format select").first).to_be_visible()
    expect(page.get_by_label("One coder’s work")).to_be_checked()
    expect(page.get_by_label("Coder", exact=True)).to_have_value("alice")


def test_choice_during_format_change_keeps_value_and_focus(sign_in, manager, project):
    page = sign_in(manager)
    answer = DelayedAnswer(page, "**/import/?format=brat")
    page.goto("/projects/tea/import/")
    page.get_by_label("Format").select_option("brat")
    page.get_by_label("A folder per coder").focus()
    page.keyboard.press("ArrowUp")
    nobodys = page.get_by_label("Texts only")
    expect(nobodys).to_be_checked()
    answer.release()
    expect(page.locator("#of-format select").first).to_be_visible()
    expect(nobodys).to_be_checked()
    expect(nobodys).to_be_focused()


def test_export_format_change_keeps_coders_and_archive_has_none(sign_in, manager, codings):
    page = sign_in(manager, "/projects/tea/export/?format=conll2012")
    page.get_by_label("alice").check()
    page.get_by_label("Format").select_option("jsonlines")
    expect(page.locator("#of-format select").first).to_be_visible()
    expect(page.get_by_label("alice")).to_be_checked()
    page.get_by_label("Format").select_option("project")
    expect(page.get_by_label("alice")).to_have_count(0)


def test_long_import_shows_progress_until_worker_finishes(sign_in, manager, settings, monkeypatch):
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "QUICK_BYTES", 0)
    page = sign_in(manager, "/projects/tea/import/")
    page.get_by_label("Format").select_option("conll2012")
    expect(page.locator("#of-format [name$=word]")).to_be_visible()
    page.get_by_label("Files", exact=True).set_input_files(DOG)
    page.get_by_label("Texts only").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_text("nothing changes yet")).to_be_visible()
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("In progress. You can leave")).to_be_visible()
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    expect(page.locator("#summary")).to_contain_text("Imported: 1 new text")


def test_project_is_restored_from_archive(sign_in, manager, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    manager.is_superuser = True
    manager.save()
    page = sign_in(manager, "/projects/tea/export/?format=project")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    page.goto("/projects/new/")
    page.get_by_role("link", name="from its archive").click()
    archive = {"name": "tea.zip", "mimeType": "application/zip", "buffer": download.value.path().read_bytes()}
    for address in ("tea", "tea-again"):
        page.get_by_label("Archive").set_input_files(archive)
        page.get_by_label("Address").fill(address)
        page.get_by_role("button", name="Preview").click()
        if address == "tea":
            expect(page.get_by_role("alert")).to_contain_text("tea")
            page.goto("/projects/new/archive/")
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("link", name="Open the project").click()
    expect(page).to_have_url("/projects/tea-again/")
    expect(page.get_by_role("row").filter(has_text="Tea")).to_contain_text("1")


def test_import_offers_links_of_texts_as_one_coders_work(sign_in, manager, tales):
    page = sign_in(manager, "/projects/tales/import/")
    expect(page.get_by_label("Texts only")).to_be_checked()
    page.get_by_label("Files", exact=True).set_input_files({**DOG, "buffer": CONLL.replace("(2)", "(1)").encode()})
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#left-out-answers")).to_contain_text("The files say which 2 markables belong together.")
    page.get_by_label("If it is one coder’s work, whose?").fill("alice")
    page.get_by_role("button", name="Preview as one coder’s work").click()
    expect(page.locator("#summary")).to_contain_text("2 new markables, 1 coding, 2 judgements")
    expect(page.locator("#left-out-answers")).to_have_count(0)


def test_refusal_of_near_copy_offers_alignment(sign_in, manager, bob, tales):
    add_member(tales, bob, Membership.Role.CODER)
    walk = "[Anna](=1) took [her](=1) dog for a walk, and they met nobody."
    page = sign_in(manager, "/projects/tales/import/?format=plain")
    copies = {"alice/walk.txt": walk, "bob/walk.txt": walk.replace("nobody", "nobody’")}
    walks = {"name": "walks.zip", "mimeType": "application/zip", "buffer": zipped(copies)}
    page.get_by_label("Files", exact=True).set_input_files(walks)
    page.get_by_label("A folder per coder").check()
    page.get_by_label("Language of new texts that name none").fill("de")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#summary")).to_contain_text(
        "1 new text, 2 new markables, 1 coding, 2 judgements, 1 file refused"
    )
    control = "A copy of a text with other characters: is aligned if few differ"
    expect(page.get_by_text(f"1 of 40 characters differs: “{control}")).to_be_visible()
    page.get_by_role("button", name=control).click()
    expect(page.locator("#summary")).to_contain_text("1 new text, 2 new markables, 2 codings, 4 judgements")
    expect(page.get_by_text("the text differs from alice/walk.txt: word 11 is")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#summary")).to_contain_text("Imported: 1 new text")
    assert Text.objects.get(project=tales).language == "de"


def litbank() -> dict[str, str]:
    """Return a text with spans whose types are names of entities, sixty of them."""
    words = [f"name{number}" for number in range(60)]
    text = " ".join(words)
    spans = [
        f"T{number}\tThe_Old_House_at_the_End_of_the_Long_Road-{number} {text.index(word)} "
        f"{text.index(word) + len(word)}\t{word}\n"
        for number, word in enumerate(words)
    ]
    return {"alice/house.txt": text, "alice/house.ann": "".join(spans)}


def test_preview_shows_first_words_on_phone(sign_in, manager, project):
    page = sign_in(manager, "/projects/tea/import/?format=conll2012")
    page.set_viewport_size({"width": 390, "height": 900})
    page.get_by_label("Files", exact=True).set_input_files(DOG | {"name": "a_long_walk_with_the_dog.conll"})
    page.get_by_label("Texts only").check()
    page.get_by_role("button", name="Preview").click()
    cell = page.get_by_role("cell", name="Anna took her dog")
    assert cell.evaluate("cell => cell.clientWidth") >= 200


def test_refusal_shows_reason_before_choices(sign_in, manager, tales):
    page = sign_in(manager, "/projects/tales/import/?format=brat")
    house = {"name": "house.zip", "mimeType": "application/zip", "buffer": zipped(litbank())}
    page.get_by_label("Files", exact=True).set_input_files(house)
    page.get_by_label("A folder per coder").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_contain_text("None of the files can be imported")
    reason = page.get_by_text("60 names in the files are a word and a number")
    control = page.get_by_role("button", name="Types of T lines: with a number (London-1) are entities")
    table = page.get_by_role("region", name="Levels of the files")
    for width in (1280, 390):
        assert_fits(page, width)
        tops = [part.bounding_box()["y"] for part in (page.get_by_role("alert"), reason, control, table)]
        assert tops == sorted(tops)
        assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
        assert table.evaluate("box => box.clientHeight <= innerHeight")
        table.scroll_into_view_if_needed()
        expect(table.get_by_role("combobox").first).to_be_in_viewport(ratio=1)
    control.click()
    expect(page.locator("#summary")).to_contain_text("To be imported: 1 new text, 60 new markables, 1 coding")
