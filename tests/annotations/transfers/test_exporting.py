"""Export of codings, and its command."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.judgements import judgements_of
from annotations.coding.status import reopen_coding
from annotations.core.files import write_whole
from annotations.formats import Answer, Document, Links, Mark, Place, Stretch, plain
from annotations.formats.model.features import Feature
from annotations.models import Coding, Project
from annotations.projects.creation import create_project
from annotations.projects.people.members import get_or_create_coder
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.exporting import codings
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import Source, open_sources, read_sources
from annotations.transfers.importing.options import ImportOptions
from tests.shared.coding import in_another_connection, judge
from tests.shared.documents import plain_of, words
from tests.shared.exports import documents_of
from tests.shared.imports import import_result
from tests.shared.projects import make_project

WALK = "[Anna](=1) took [[her](=1) dog](=2) for a walk."


@pytest.fixture
def tales(db) -> Project:
    project = create_project("tales", "Tales", SCHEMES["clusters"])
    coded = [SourceDocument(plain.parse(WALK, "walk.txt"), coder) for coder in ("anna", "bea")]
    import_documents(project, coded, ImportOptions(create=True))
    return project


@pytest.mark.parametrize(("format_", "said"), [("conll2012", 2), ("conllu", 2), ("jsonlines", 2), ("mmax2", 0)])
def test_export_counts_mentions_in_several_chains(db, format_, said):
    project = create_project("tales", "Tales", SCHEMES["clusters"])
    walk = plain.parse("[Anna](=1|2) took [her](=1) [dog](=2).", "walk.txt")
    import_documents(project, [SourceDocument(walk, coder) for coder in ("anna", "bea")], ImportOptions(create=True))
    losses = export_files(project, format_, io.BytesIO()).losses
    assert sum(loss.count for loss in losses if "mentions in several chains" in str(loss)) == said


@pytest.fixture
def tea(db) -> tuple[Project, Document]:
    """Make a project of pointers with a coding that uses every feature; return it with its document."""
    project = create_project("tea", "Tea", SCHEMES["poesio-artstein-2005"])
    anna, her, it = (Place("phrase", (span,)) for span in ((0, 4), (10, 13), (22, 24)))
    both = Place("phrase", ((0, 4), (14, 17)))
    turn = Place("turn", ((0, 17),))
    marks = [
        Mark(turn.parts, "turn", "1"),
        Mark(both.parts, "phrase", answer=Answer(category="place", unsure=True)),
        Mark(anna.parts, "phrase", answer=Answer(category="none", name="Anna")),
        Mark(
            her.parts,
            "phrase",
            head=((10, 12),),
            answer=Answer(category="phrase", pointers=(both, anna), note="which?"),
        ),
        Mark(it.parts, "phrase", answer=Answer(category="segment", pointers=(turn,), optional=True)),
    ]
    segments = [Stretch("turn", 0, 17, "1", "M"), Stretch("turn", 18, 24, "2", "S")]
    document = Document(
        "walk", "x/walk.x", "Anna took her dog and it", marks, segments, Links.POINTERS, "A walk", "en", "ltr"
    )
    import_documents(project, [SourceDocument(document, "anna")], ImportOptions(create=True))
    return project, document


def names(archive: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return opened.namelist()


def zipped(project: Project, format_key: str, **which) -> tuple[bytes, object]:
    out = io.BytesIO()
    report = export_files(project, format_key, out, **which)
    return out.getvalue(), report


def test_exported_document_equals_imported_document(tea):
    project, document = tea
    [(coder, exported)] = documents_of(project)
    assert coder == "anna"
    assert plain_of(exported) == plain_of(document)
    assert (exported.file, exported.name) == ("anna/walk", document.name)
    assert exported.scheme is not None
    assert [category.key for category in exported.scheme.categories] == ["phrase", "segment", "place", "none"]


def test_document_of_coder_has_only_markables_they_see(tales):
    own = SourceDocument(plain.parse("Anna [took](=9) her dog for a walk.", "walk.txt"), "cem")
    given = SourceDocument(plain.parse("Anna took her dog for a [walk].", "walk.txt"), None)
    import_documents(tales, [own, given], ImportOptions(create=True))
    seen = {
        coder: {words(document, mark): mark.answer is not None for mark in document.marks}
        for coder, document in documents_of(tales)
    }
    of_anna = {"Anna": True, "her dog": True, "her": True, "walk": False}
    assert seen == {"anna": of_anna, "bea": of_anna, "cem": {"took": True, "walk": False}}


@pytest.mark.parametrize("more", [{}, {"note": "which?"}])
def test_export_keeps_order_of_entities(tales, more):
    marks = [Mark(((0, 4),), answer=Answer(indices=("b", "a", "c"), **more)), Mark(((10, 13),), answer=Answer())]
    document = Document("run", "x/run.x", "Anna took her dog", marks, links=Links.INDICES)
    import_documents(tales, [SourceDocument(document, "anna")])
    [(_, found)] = documents_of(tales, texts=["run"])
    assert [mark.answer.indices for mark in found.marks] == [("b", "a", "c"), ()]
    assert found.marks[0].answer.note == more.get("note", "")


def test_unfinished_codings_are_exported_only_if_asked(tales):
    coding = Coding.objects.of_people().get(coder__username="bea")
    reopen_coding(coding, coding.coder)
    assert [coder for coder, _ in documents_of(tales)] == ["anna"]
    assert [coder for coder, _ in documents_of(tales, unfinished=True)] == ["anna", "bea"]


def test_export_selects_coders_and_texts(tales):
    import_documents(tales, [SourceDocument(plain.parse(WALK, "run.txt"), "bea")])

    def found(**which):
        return [(coder, document.name) for coder, document in documents_of(tales, **which)]

    assert found() == [("bea", "run"), ("anna", "walk"), ("bea", "walk")]
    assert found(coders=["bea"]) == [("bea", "run"), ("bea", "walk")]
    assert found(texts=["run"]) == [("bea", "run")]


def test_zip_has_folder_per_coder_and_is_imported_equal(tales):
    data, report = zipped(tales, "conll2012")
    assert data == zipped(tales, "conll2012")[0]
    assert names(data) == ["anna/walk.conll", "bea/walk.conll", "LOSSES.txt"]
    assert str(report) == "2 codings of 1 text in 2 files"
    other = create_project("other", "Other", SCHEMES["clusters"])
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        sources = [Source(name, opened.read(name), in_folder=True) for name in opened.namelist()]
    brought = import_result(other, read_sources("conll2012", sources, "parent"), ImportOptions(create=True, join=True))
    assert brought.failures == []
    assert brought.left_out == ["LOSSES.txt"]
    for coder in ("anna", "bea"):
        before, after = (
            Coding.objects.of_people().get(text__project=project, coder__username=coder) for project in (tales, other)
        )
        assert judgements_of(before) == judgements_of(after)


@pytest.mark.django_db(transaction=True)
def test_export_ignores_markables_made_meanwhile(monkeypatch):
    """Answers on markables made after the markables were read are left out too."""
    project = make_project()
    set_coder_marked_levels(project, project.levels.filter(key="phrase"))
    coder = get_or_create_coder(project, "anna", create=True)
    text = project.texts.get()
    coding = Coding.objects.create(text=text, coder=coder, round=text.rounds.get())
    [given] = project.texts.get().markables.filter(label="a")
    read = codings.links_as_named

    def marked_meanwhile(*args, **options):
        in_another_connection(lambda: judge(coding, "phrase:31-37", "phrase", given.key))
        return read(*args, **options)

    monkeypatch.setattr(codings, "links_as_named", marked_meanwhile)
    [(_, document)] = documents_of(project, unfinished=True)
    assert all(mark.answer is None for mark in document.marks)
    monkeypatch.undo()
    [(_, document)] = documents_of(project, unfinished=True)
    assert [mark.parts for mark in document.marks if mark.answer] == [((31, 37),)]


def test_losses_are_reported_and_listed_in_zip(tea):
    project, _ = tea
    data, report = zipped(project, "conll2012")
    lost = {loss.feature: loss for loss in report.losses}
    assert lost[Feature.NOTES].count == 1
    assert lost[Feature.NOTES].examples == ("anna, walk: “her” (10-13)",)
    assert {Feature.LEVELS, Feature.POINTERS, Feature.DISCONTINUOUS, Feature.UNSURE, Feature.HEADS} <= set(lost)
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        said = opened.read("LOSSES.txt").decode()
    assert said == "".join(f"{loss}\n" for loss in report.losses)


def test_trial_gives_same_report_as_export(tea):
    project, _ = tea
    assert export_files(project, "conll2012", None) == zipped(project, "conll2012")[1]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("...", "%2E.%2E"),
        (".anna", "%2Eanna"),
        ("anna.", "anna%2E"),
        ("CON", "%43ON"),
        ("nul", "%6Eul"),
        ("com1.x", "%63om1.x"),
        ("contra", "contra"),
        ("a.b", "a.b"),
        ("_.anna", "_.anna"),
    ],
)
def test_folders_of_coders_are_valid_everywhere_and_read_back(tales, name, folder):
    coder = Coding.objects.of_people().get(coder__username="anna").coder
    coder.username = name
    coder.save()
    exported, _ = zipped(tales, "conll2012")
    assert f"{folder}/walk.conll" in names(exported)
    brought = read_sources("conll2012", open_sources([("walk.zip", exported)]), "parent")
    assert (brought.failures, {source.coder for source in brought.documents}) == ([], {name, "bea"})


@pytest.mark.parametrize("folder", ["%61nna", "%43", "100%25", "%E9", "%"])
def test_folder_that_no_export_writes_is_read_literally(folder):
    [found] = read_sources("plain", [Source(f"{folder}/walk.txt", WALK.encode())], "parent").documents
    assert found.coder == folder


def test_number_and_length_of_queries_do_not_grow_with_texts(tales):
    def queries() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as captured:
            zipped(tales, "conll2012")
        return len(captured), max(len(query["sql"]) for query in captured)

    number, longest = queries()
    import_documents(tales, [SourceDocument(plain.parse(WALK, f"w{n}.txt"), "anna") for n in range(20)])
    assert queries() == (number, longest)  # nor do they name texts or codings: a statement takes so many values only


def test_failed_export_keeps_previous_file(tales, tmp_path, monkeypatch):
    path = tmp_path / "tales.zip"
    write_whole(path, lambda out: export_files(tales, "conll2012", out))
    before = path.read_bytes()
    assert before == zipped(tales, "conll2012")[0]

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotations.transfers.exporting.codings.add_file", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, lambda out: export_files(tales, "conll2012", out))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["tales.zip"]


def run(*arguments: str | Path) -> None:
    call_command("export_codings", *map(str, arguments))


def test_command_writes_zip_and_prints_losses(tea, tmp_path, capsys):
    run("conll2012", tmp_path / "tea.zip", "--project", "tea", "--trial")
    assert capsys.readouterr().out == "would write 1 coding of 1 text in 1 file\n"
    assert list(tmp_path.iterdir()) == []
    run("conll2012", tmp_path / "tea.zip", "--project", "tea")
    said = capsys.readouterr()
    assert said.out == "1 coding of 1 text in 1 file\n"
    assert "not kept: 1 × notes: anna, walk: “her” (10-13)" in said.err
    assert names((tmp_path / "tea.zip").read_bytes()) == ["anna/walk.conll", "LOSSES.txt"]
    with pytest.raises(CommandError, match=r"No such file or directory\. Nothing was written\.$"):
        run("conll2012", tmp_path / "nowhere" / "tea.zip", "--project", "tea")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--project", "tee"], "There is no project 'tee'."),
        (["--project", "tea", "--coder", "zoe"], "There is no coder 'zoe' in this project."),
        (["--project", "tea", "--text", "run"], "There is no text 'run' in this project."),
        (["--project", "tea", "--option", "x=1"], "--option x=1: CoNLL-2012 has these: none."),
    ],
)
def test_command_names_unknown_arguments(tea, tmp_path, arguments, message):
    with pytest.raises(CommandError) as caught:
        run("conll2012", tmp_path / "tea.zip", *arguments)
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []
