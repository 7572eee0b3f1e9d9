"""Exports of codings: losses, files and choices."""

import io
import re
import zipfile

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Coding, Transfer
from annotations.transfers.exporting.dispatch import export_files
from tests.shared.coding import judge

URL = "/projects/tea/export/"


@pytest.fixture
def coded(codings, keys):
    """Submit Alice's coding, in which a pronoun points to either of two phrases; leave Bob's coding open."""
    alice, bob = codings["alice"], codings["bob"]
    judge(alice, keys["a"], "place")
    judge(alice, keys["b"], "place")
    judge(alice, keys["c"], "phrase", keys["a"], keys["b"], note="either")
    judge(bob, keys["a"], "place")
    submit_coding(alice, alice.coder)
    return codings


@pytest.fixture
def order(manager, coded):
    """Return a function that orders an export and returns the address of its page."""

    def order(**fields):
        answer = manager.post(URL, {"format": "jsonlines"} | fields)
        assert answer.status_code == 302, answer.content.decode()
        return answer.url

    return order


@pytest.fixture
def fetch(order, manager):
    """Return a function that orders, carries out and downloads an export, and returns its files by name."""

    def fetch(**fields):
        address = order(**fields)
        manager.post(f"{address}carry-out/")
        answer = manager.get(f"{address}file/")
        with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    return fetch


def test_preview_lists_losses_before_file_is_written(order, manager):
    address = order(format="muc")
    page = manager.get(address).content.decode()
    assert "To be exported: 1 coding of 1 text in 1 file." in page
    assert re.search(r'several antecedents of one markable.*?<td class="num">1</td><td>alice, tea: ', page, re.DOTALL)
    assert re.search(r'notes</th><td class="num">1</td>', page)
    assert not Transfer.objects.get().file
    assert manager.get(f"{address}file/").status_code == 404


def test_download_has_exported_files_and_list_of_losses(fetch, project):
    files = fetch(format="muc")
    out = io.BytesIO()
    export_files(project, "muc", out)
    with zipfile.ZipFile(out) as archive:
        assert files == {name: archive.read(name) for name in archive.namelist()}
    assert set(files) == {"alice/tea.sgm", "LOSSES.txt"}
    assert b"several antecedents" in files["LOSSES.txt"]


def test_file_is_sent_as_attachment(order, manager):
    address = order()
    manager.post(f"{address}carry-out/")
    answer = manager.get(f"{address}file/")
    assert answer["Content-Disposition"] == 'attachment; filename="tea-jsonlines.zip"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Type"] == "application/zip"
    assert answer["Cache-Control"] == "private, no-store"


def test_export_selects_coders_texts_and_unfinished_codings(fetch):
    assert "bob/documents.jsonlines" not in fetch()
    assert "bob/documents.jsonlines" in fetch(unfinished="on")
    assert [name for name in fetch(unfinished="on", coders=["bob"]) if "/" in name] == ["bob/documents.jsonlines"]
    assert [name for name in fetch(texts=["tea"]) if "/" in name] == ["alice/documents.jsonlines"]


def test_wrong_fields_order_no_export(manager, coded, people, signed_in):
    for fields in (
        *({"format": name} for name in ("", "plain", "ghost")),
        *({"coders": ["ghost"]}, {"coders": ["ali\0ce"]}, {"texts": ["ghost"]}),
        {"option-ghost": "x", "format": "ghost"},
    ):
        answer = manager.post(URL, {"format": "jsonlines"} | fields)
        assert (answer.status_code, 'class="errorlist"' in answer.content.decode()) == (400, True)
    assert not Transfer.objects.exists()
    assert "Project archive" in manager.get(URL).content.decode()
    assert "Project archive" not in signed_in(people["viewer"]).get(URL).content.decode()


def test_empty_export_counts_no_codings(order, manager):
    Coding.objects.of_people().update(status="open")
    page = manager.get(order()).content.decode()
    assert "0 codings of 0 texts in 0 files" in page
    assert "Nothing is lost" in page


def test_form_takes_fixed_number_of_queries(manager, coded, django_assert_max_num_queries):
    manager.get(URL)
    with django_assert_max_num_queries(8):
        manager.get(URL)
