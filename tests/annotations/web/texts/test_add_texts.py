"""Adding texts: upload, paste and preview."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.models import Coding, Text, Transfer
from annotations.transfers.importing import writing
from tests.annotations.web.transfers.test_import import zipped
from tests.shared.projects import make_project

URL = "/projects/tea/add-texts/"


@pytest.fixture
def client(signed_in, charlie, project):
    project.texts.all().delete()
    return signed_in(charlie)


@pytest.fixture
def send(client):
    """Return a function that uploads files, each a name and a content, and returns the page that follows."""

    def send(*files, **fields):
        sent = [SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode()) for name, data in files]
        form = {"upload": "1", "upload-files": sent} | {f"upload-{name}": value for name, value in fields.items()}
        return client.post(URL, form, follow=True)

    return send


def carry_out(client):
    client.post(f"/transfers/{Transfer.objects.get().pk}/carry-out/")


def rows(page):
    table = page.partition('aria-label="Texts of the import"')[2].partition("</table>")[0]
    found = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr>.*?</tr>", table, re.DOTALL)]
    return [[" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in row] for row in found[1:]]


def test_plain_files_are_detected_and_keep_brackets(send, client, project):
    page = send(("01-flood.txt", "The flood [3] came.\n\nIt went."), ("02.txt", "Second text")).content.decode()
    assert rows(page) == [["01-flood", "6", "0", "The flood [3] came. It went."], ["02", "2", "0", "Second text"]]
    assert not Text.objects.exists()
    carry_out(client)
    assert Text.objects.get(slug="01-flood").content == "The flood [3] came.\n\nIt went."
    assert not Coding.objects.of_people().exists()


def test_marked_files_are_detected_unless_format_is_chosen(send, client):
    marked = ("walk.txt", "#title: A walk\n[Anna](a) took [her](b) dog.")
    assert rows(send(marked).content.decode()) == [["A walk", "4", "2", "Anna took her dog."]]
    assert rows(send(marked, format="text").content.decode())[0][2] == "0"


def test_preview_shows_first_texts_of_zip(send, monkeypatch):
    corpus = ("corpus.zip", zipped(**{f"texts/{number}.txt": f"Text {number}" for number in range(3)}))
    page = send(corpus).content.decode()
    assert [row[0] for row in rows(page)] == ["0", "1", "2"]
    assert "Plain text" in page
    monkeypatch.setattr(writing, "MAX_PREVIEWS", 2)
    page = send(corpus).content.decode()
    assert [row[0] for row in rows(page)] == ["0", "1"]
    assert "3 new texts" in page


def test_preview_marks_existing_texts(send, client, project):
    make_project("other")
    Text.objects.create(project=project, slug="walk", title="Walk", content="Anna")
    assert rows(send(("walk.txt", "Anna")).content.decode())[0][0] == "Walk in the project"


def test_pasted_text_keeps_words_and_may_have_markables(client):
    form = {"paste": "1", "paste-title": "Ferry/Train", "paste-content": "One [2]\r\nthree"}
    assert rows(client.post(URL, form, follow=True).content.decode()) == [["Ferry-Train", "3", "0", "One [2] three"]]
    carry_out(client)
    assert Text.objects.get().content == "One [2]\nthree"
    form = {"paste": "1", "paste-title": "Walk", "paste-content": "[Anna] walks.", "paste-marked": "on"}
    assert rows(client.post(URL, form, follow=True).content.decode()) == [["Walk", "2", "1", "Anna walks."]]


def test_missing_fields_are_refused_in_open_form(client):
    pasted = ({"title": "", "content": "x"}, {"title": "x", "content": " \n"}, {"title": "x" * 61, "content": "x"})
    forms = [{"paste": "1"} | {f"paste-{name}": value for name, value in fields.items()} for fields in pasted]
    for form in (*forms, {"upload": "1"}, {}):
        reply = client.post(URL, form)
        assert (reply.status_code, "errorlist" in reply.content.decode()) == (400, True)
        assert '<details class="texts-add" id="add" open>' in reply.content.decode()
    assert not Transfer.objects.exists()


def test_failed_upload_keeps_its_files(send, client):
    page = send(("notes.md", "Anna took [her] dog.")).content.decode()
    assert "The format of the files could not be detected" in page
    failed = Transfer.objects.get()
    assert failed.state == "failed"
    address = f"/projects/tea/import/?again={failed.pk}"
    assert address in page
    form = client.get(address).content.decode()
    assert "Uploaded: notes.md." in form
    again = {"again": failed.pk, "format": "text", "whose": "nobody"}
    page = client.post("/projects/tea/import/", again, follow=True).content.decode()
    assert rows(page) == [["notes", "4", "0", "Anna took [her] dog."]]
    page = client.post("/projects/tea/import/", again | {"format": "plain"}, follow=True).content.decode()
    assert rows(page) == [["notes", "4", "1", "Anna took her dog."]]
    assert Transfer.objects.count() == 1
    carry_out(client)
    assert Text.objects.get().markables.count() == 1


def test_finished_imports_and_imports_of_others_stay_unchanged(send, client, signed_in, people, project):
    send(("a.txt", "Anna"))
    carry_out(client)
    done = Transfer.objects.get()
    assert "Uploaded:" not in client.get(f"/projects/tea/import/?again={done.pk}").content.decode()
    reply = client.post("/projects/tea/import/", {"again": done.pk, "format": "text"})
    assert reply.status_code == 400
    assert "Choose at least one file." in reply.content.decode()
    done.refresh_from_db()
    assert done.state == "done"
    Transfer.objects.update(state="checked", user=people["adjudicator"])
    assert "Uploaded:" not in client.get(f"/projects/tea/import/?again={done.pk}").content.decode()
    for wrong in ("x", "0", "9" * 30, "-1"):
        assert client.get(f"/projects/tea/import/?again={wrong}").status_code == 200


def test_first_import_defaults_to_texts_only(client, project):
    assert re.search(r'value="nobody"[^>]*checked', client.get("/projects/tea/import/").content.decode())
    Text.objects.create(project=project, slug="walk", title="Walk", content="Anna")
    assert re.search(r'value="parent"[^>]*checked', client.get("/projects/tea/import/").content.decode())
