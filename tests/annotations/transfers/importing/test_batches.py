"""Imports and exports in batches."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Sequence

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from annotations.formats import FORMATS, FormatError, plain
from annotations.formats.model.encodings import decode, decode_lines
from annotations.models import Coding, Index, Markable, Membership, Project, Transfer
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers import orders
from annotations.transfers.exporting import codings as exporting
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing import documents as documents_module
from annotations.transfers.importing.documents import import_documents, import_sources, plan_batches
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import Source, StoredFile
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed, Report
from config.settings import TASKS
from tests.annotations.transfers.importing.test_corpora import odd_codings

pytestmark = pytest.mark.slow

CODERS = ("anna", "ben", "cem")


@pytest.fixture
def small_batches(monkeypatch) -> None:
    """Lower the batch size to three documents."""
    monkeypatch.setattr(documents_module, "MAX_DOCUMENTS", 3)
    monkeypatch.setattr(exporting, "TEXTS_AT_ONCE", 2)


def make(slug: str) -> Project:
    return create_project(slug, slug, SCHEMES["clusters"])


def of_file(file: str, *names: str, coder: str = "anna") -> list[SourceDocument]:
    return [SourceDocument(plain.parse("[Anna](a) left.", f"{name}.txt"), coder, file) for name in names]


def rows(project: Project) -> object:
    """Return what an import has written, without keys of the database."""
    return (
        sorted(project.texts.values_list("slug", "title", "content", "position")),
        sorted(Markable.objects.filter(text__project=project).values_list("text__slug", "key", "predefined")),
        sorted(
            Coding.objects.of_people()
            .filter(text__project=project)
            .values_list("text__slug", "coder__username", "status")
        ),
        sorted(
            Index.objects.filter(judgement__coding__text__project=project).values_list(
                "judgement__coding__text__slug",
                "judgement__coding__coder__username",
                "judgement__markable__key",
                "entity",
            )
        ),
    )


def figures(report: Report) -> object:
    return (
        str(report),
        report.new_coders,
        sorted(map(str, report.failures)),
        sorted(map(str, report.findings)),
        [preview.slug for preview in report.previews],
    )


def joined(documents: list[SourceDocument], numbers: Sequence[int]) -> set[int]:
    """Return the numbers of the documents that files and texts join with the first document."""
    names_of = {number: {source.file, source.document.name} for number, source in zip(numbers, documents, strict=True)}
    names, found = names_of[numbers[0]], set[int]()
    while (joining := {number for number in names_of if names_of[number] & names}) != found:
        found = joining
        names = names.union(*(names_of[number] for number in found))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_batches_keep_documents_of_file_and_text_together(small_batches, seed):
    draw = random.Random(seed)
    documents = [
        source
        for number in range(12)
        for source in of_file(f"{number}.x", *{f"text {draw.randrange(15)}" for _ in range(draw.choice([1, 1, 1, 2]))})
    ]
    planned = plan_batches(documents)
    assert sorted(number for batch in planned for number in batch) == [*range(len(documents))]
    of_file_, of_text = Counter[str](), Counter[str]()
    for batch in planned:
        of_file_.update({documents[number].file for number in batch})
        of_text.update({documents[number].document.name for number in batch})
    assert set(of_file_.values()) == set(of_text.values()) == {1}
    for batch in planned:
        assert len(batch) <= 3 or set(batch) == joined([documents[number] for number in batch], batch)
    firsts = [min(slugs_of_name(documents[number].document.name)[0] for number in batch) for batch in planned]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("trial", [False, True])
def test_import_in_batches_equals_import_at_once(db, monkeypatch, trial):
    documents = odd_codings(random.Random(5))
    documents += of_file("bad.x", "text 2", coder="ben")  # it differs from the text of the others
    documents += of_file("empty.x", "text 9", coder="cem")
    documents[-1] = SourceDocument(plain.parse("Nothing here.", "text 9.txt"), "cem", "empty.x")
    at_once = import_documents(first := make("one"), documents, ImportOptions(create=True, trial=trial))
    monkeypatch.setattr(documents_module, "MAX_DOCUMENTS", 3)
    assert len(plan_batches(documents)) > 3
    in_batches = import_documents(other := make("other"), documents, ImportOptions(create=True, join=True, trial=trial))
    assert rows(other) == rows(first)
    assert at_once.failures
    found, expected = figures(in_batches), figures(at_once)
    assert [found[0], *found[2:]] == [expected[0], *expected[2:]]
    again = import_documents(other, documents, ImportOptions(create=True, trial=trial))
    assert (again.texts, again.codings, again.unchanged) == ((0, 0, 12) if not trial else (4, 12, 0))


@pytest.mark.parametrize("format_key", [key for key, format_ in FORMATS.items() if format_.write is not None])
def test_export_bytes_do_not_depend_on_batch_size(db, monkeypatch, format_key):
    import_documents(project := make("one"), odd_codings(random.Random(7)), ImportOptions(create=True))

    def export() -> tuple[bytes, str, list[str]]:
        out = io.BytesIO()
        report = export_files(project, format_key, out)
        return out.getvalue(), str(report), list(map(str, report.losses))

    at_once = export()
    monkeypatch.setattr(exporting, "TEXTS_AT_ONCE", 1)
    assert export() == at_once


def lines(*names: str, bad: str = "") -> bytes:
    """Return a file of JSON lines; the chain of one text has words that it lacks."""
    return "".join(
        json.dumps({"doc_key": name, "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1 + (name == bad) * 5]]]})
        + "\n"
        for name in names
    ).encode()


def test_file_of_many_texts_is_imported_wholly_or_not_at_all(db, small_batches):
    names = [f"t{number}" for number in range(8)]
    project = make("one")
    other = plain.parse("Other words.", "t6.txt")
    import_documents(project, [SourceDocument(other, None)])
    sources = [Source("all.jsonl", lines(*names)), Source("more.jsonl", lines(*(f"u{name}" for name in names)))]
    report = import_sources(project, "jsonlines", sources, "=anna", ImportOptions(create=True))
    assert [failure.file for failure in report.failures] == ["all.jsonl"]
    assert (report.texts, report.codings) == (8, 8)
    assert set(project.texts.values_list("slug", flat=True)) == {"t6", *(f"ut{number}" for number in range(8))}


def test_empty_document_of_coded_file_is_imported_as_coding(db, small_batches):
    last = json.dumps({"doc_key": "t9", "sentences": [["a", "b"]], "clusters": []}).encode()
    source = Source("all.jsonl", lines(*(f"t{number}" for number in range(8))) + last)
    report = import_sources(make("one"), "jsonlines", [source], "=anna", ImportOptions(create=True))
    assert (report.failures, report.texts, report.codings) == ([], 9, 9)
    assert "nothing-coded" in {finding.code for finding in report.findings}


def test_file_with_unreadable_end_is_not_imported(db, small_batches):
    sources = [Source("bad.jsonl", lines("a", "b") + b"{"), Source("good.jsonl", lines("c", "d"))]
    project = make("one")
    report = import_sources(project, "jsonlines", sources, "=anna", ImportOptions(create=True))
    assert [failure.file for failure in report.failures] == ["bad.jsonl"]
    assert list(project.texts.values_list("slug", flat=True)) == ["c", "d"]


def test_interrupted_import_continues_where_it_stopped(db, small_batches):
    project = make("one")
    sources = [Source(f"anna/t{number}.jsonl", lines(f"t{number}"), in_folder=True) for number in range(10)]

    def stop(number: int) -> None:
        if number > 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_sources(project, "jsonlines", sources, "parent", ImportOptions(create=True), written=stop)
    assert project.texts.count() == 6
    report = import_sources(project, "jsonlines", sources, "parent", ImportOptions(create=True))
    assert (report.texts, report.unchanged) == (4, 6)
    assert project.texts.count() == Coding.objects.of_people().filter(text__project=project, version=2).count() == 10


def test_continued_import_keeps_scheme_from_files(db, small_batches):
    project = make("one")
    ann = b"T1\tThing 0 1\ta\nT2\tThing 2 3\tb\n*\tCoreference T1 T2\n"
    sources = [
        Source(f"anna/t{number}.{suffix}", data, in_folder=True)
        for number in range(10)
        for suffix, data in (("txt", b"a b"), ("ann", ann))
    ]

    def stop(number: int) -> None:
        if number > 6:
            raise KeyboardInterrupt

    options = ImportOptions(create=True, new_scheme=True)
    with pytest.raises(KeyboardInterrupt):
        import_sources(project, "brat", sources, "parent", options, written=stop)
    project = Project.objects.get(pk=project.pk)
    assert project.texts.count() == 6
    report = import_sources(project, "brat", sources, "parent", options)
    assert (report.texts, report.unchanged, report.failures) == (4, 6, [])
    assert [level.key for level in project.levels.all()] == ["Thing"]


def test_failed_import_reports_kept_part_and_can_continue(db, small_batches, settings, charlie, monkeypatch):
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "_is_quick", lambda _: False)
    project = make("one")
    Membership.objects.create(project=project, user=charlie, role=Membership.Role.MANAGER)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(10):
            archive.writestr(f"t{number}.txt", f"Text {number}.")
    choices = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
    made = orders.order_import(project, charlie, [SimpleUploadedFile("all.zip", out.getvalue())], "text", choices)
    orders.run_transfer.call(made.pk)
    made.refresh_from_db()
    assert (made.state, made.report["texts"]) == (Transfer.State.CHECKED, 10)
    assert orders.carry_out(made, charlie)
    adding = Report.add

    def stop_after(self: Report, other: Report) -> None:
        adding(self, other)
        if project.texts.count() == 6:
            raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Report, "add", stop_after)
        with pytest.raises(OSError, match="the disk is full"):
            orders.run_transfer.call(made.pk)
    made.refresh_from_db()
    assert (made.state, made.written) == (Transfer.State.FAILED, 6)
    assert made.error.endswith(orders.GOES_ON)
    assert orders.check_again(made, charlie, "text", choices)
    for _ in range(2):
        orders.run_transfer.call(made.pk)
        made.refresh_from_db()
        orders.carry_out(made, charlie)
    made.refresh_from_db()
    assert (made.state, made.error, made.report["texts"]) == (Transfer.State.DONE, "", 4)
    assert project.texts.count() == 10


def test_command_continues_where_it_stopped(transactional_db, small_batches, tmp_path, monkeypatch):
    for number in range(10):
        (tmp_path / f"t{number}.txt").write_text(f"Text {number}.")
    arguments = ["import_codings", "text", str(tmp_path), "--project", "one", "--texts-only", "--create"]
    lock, locked = documents_module.lock_project, list[int]()

    def refuse_third(key: int) -> object:
        locked.append(key)
        if len(locked) == 3:
            raise ImportFailed("Somebody has archived the project.")
        return lock(key)

    with monkeypatch.context() as patched:
        patched.setattr(documents_module, "lock_project", refuse_third)
        with pytest.raises(CommandError, match=r"stays: 6 documents\. Run it again"):
            call_command(*arguments)
    assert Project.objects.get(slug="one").texts.count() == 6
    call_command(*arguments)
    assert Project.objects.get(slug="one").texts.count() == 10


def coded(number: int) -> SourceDocument:
    return SourceDocument(plain.parse("[Anna](=a) left.", f"t{number}.txt"), "anna", f"{number}.x")


def test_batch_is_checked_again_if_project_changed(db, small_batches, monkeypatch):
    documents = [coded(number) for number in range(8)]
    import_documents(project := make("one"), documents[3:5], ImportOptions(create=True))
    lock, locked = documents_module.lock_project, list[int]()

    def delete_first(key: int) -> object:
        locked.append(key)
        if len(locked) == 2:  # the texts of the second batch were there when it was checked
            project.texts.filter(slug="t3").delete()
        return lock(key)

    monkeypatch.setattr(documents_module, "lock_project", delete_first)
    report = import_documents(project, documents, ImportOptions(create=True))
    assert (report.failures, len(locked)) == ([], len(plan_batches(documents)) + 1)
    assert sorted(project.texts.values_list("slug", flat=True)) == [f"t{number}" for number in range(8)]
    assert Coding.objects.of_people().filter(text__project=project, version=2).count() == 8


def test_only_imported_documents_count_as_written(db, small_batches):
    documents = [coded(number) for number in range(6)]
    documents[1] = SourceDocument(plain.parse("Nothing here.", "t1.txt"), "anna", "1.x")
    counts = list[int]()
    report = import_documents(make("one"), documents, ImportOptions(create=True), written=counts.append)
    assert (counts, report.documents, len(report.failures)) == ([2, 5], 5, 1)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n",
        b"a\rb\r\nc\r\r\nd\n\ne",
        b"a\r",
        b"a\nbc\xff\n",
        b"a\r\n\xef\xbb\xbf\xff\n",
        b"a\rb\xff",
        b"a\n\rb\0c",
        "ä\u2028ö\x85ü\n".encode(),
    ],
)
def test_lines_of_stream_equal_lines_of_file(data):
    def read(lines) -> object:
        try:
            return [line for line in lines() if line]
        except FormatError as error:
            return error.line, error.column, error.message

    at_once = read(lambda: decode(data, "a").split("\n"))
    assert read(lambda: decode_lines(io.BytesIO(data), "a")) == at_once


def test_reading_short_lines_takes_little_memory(tmp_path):
    (tmp_path / "short.txt").write_bytes(b"ab\n" * 500_000)
    stored = StoredFile(tmp_path / "short.txt", 1_500_000)
    tracemalloc.start()
    assert len(stored.read()) == stored.size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * stored.size
