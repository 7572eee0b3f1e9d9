"""Export and import of tables of judgements and matrices."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotations.coding.judgements import judgements_of
from annotations.formats import Answer, Document, Links, Mark, Place, Stretch
from annotations.formats.model.features import Feature
from annotations.models import Coding, Markable, Project, Text, User
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import Source, read_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import Report
from tests.annotations.transfers.importing.test_importing import all_rows
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.imports import import_result

TABLES = ["judgements-csv", "judgements-json", "matrix-csv", "matrix-json"]
WHOLE = TABLES[:2]
every_table = pytest.mark.parametrize("key", TABLES)
LINKING = ["poesio-artstein-2005", "passonneau-2004", "clusters", "muc-ident", "sortal-classes"]
HEADER = "text,unit,coder,label,value\n"


def files_of(project: Project, key: str, **which) -> dict[str, bytes]:
    out = io.BytesIO()
    export_files(project, key, out, **which)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "LOSSES.txt"}


def load(project: Project, key: str, files: dict[str, bytes], create: bool = True, **options: str) -> Report:
    sources = [Source(name, data) for name, data in files.items()]
    return import_result(project, read_sources(key, sources, "", options), ImportOptions(create=create, join=True))


def refused(project: Project, key: str, table: str) -> str:
    """Return the error of the only file, and assert that the file changes nothing."""
    before = all_rows()
    report = load(project, key, {"data/t.csv": table.encode()})
    assert all_rows() == before
    [failure] = report.failures
    return str(failure)


def judgements(project: Project) -> dict[tuple[str, str], dict[str, dict[str, object]]]:
    codings = Coding.objects.of_people().filter(text__project=project).select_related("coder", "text")
    return {
        (coding.text.slug, coding.coder.username): {
            key: said for key, said in judgements_of(coding).items() if said["category"] is not None
        }
        for coding in codings
    }


@pytest.fixture
def tea(db) -> Project:
    """Make a project of pointers with a text and two codings that use every feature."""
    project = create_project("tea", "Tea", SCHEMES["poesio-artstein-2005"])
    anna, her, it = (Place("phrase", (span,)) for span in ((0, 4), (10, 13), (22, 24)))
    both, turn = Place("phrase", ((0, 4), (14, 17))), Place("turn", ((0, 17),))
    marks = [
        Mark(turn.parts, "turn", "1"),
        Mark(both.parts, "phrase", answer=Answer(category="place", unsure=True)),
        Mark(anna.parts, "phrase", answer=Answer(category="none", name="=Anna")),
        Mark(
            her.parts,
            "phrase",
            head=((10, 12),),
            answer=Answer(category="phrase", pointers=(both, anna), note='which, "or"\nnone?'),
        ),
        Mark(it.parts, "phrase", answer=Answer(category="segment", pointers=(turn,))),
    ]
    others = [Mark(anna.parts, "phrase", answer=Answer(category="place")), Mark(it.parts, "phrase")]
    turns = [Stretch("turn", 0, 17, "1", "M"), Stretch("turn", 18, 24, "2", "S")]
    content = "Anna took her dog and it"
    documents = [Document("walk", "walk", content, said, turns, Links.POINTERS, "A walk") for said in (marks, others)]
    report = import_documents(
        project, list(map(SourceDocument, documents, ["anna", "+bea"])), ImportOptions(create=True)
    )
    assert report.failures == []
    return project


def with_texts_of(project: Project, scheme: str) -> Project:
    """Make a project with the same texts, in which nobody has coded yet."""
    other = create_project("other", "Other", SCHEMES[scheme])
    for text in project.texts.all():
        Text.objects.create(project=other, slug=text.slug, title=text.title, content=text.content)
    return other


@every_table
@pytest.mark.parametrize("scheme", LINKING)
def test_exported_table_is_imported_into_project_with_same_texts(db, key, scheme):
    User.objects.create(username="charlie")
    project = answer(coded_project("walk", scheme, WALK, WALK + ".", coders=("alice", "bob")))
    files = files_of(project, key, unfinished=True)
    other = with_texts_of(project, scheme)
    report = load(other, key, files)
    assert (report.failures, report.texts, report.codings) == ([], 0, 4)
    assert judgements(other) == judgements(project)
    assert files_of(other, key) == files
    before = all_rows()
    again = load(other, key, files)
    assert (again.failures, again.unchanged) == ([], 4)
    assert all_rows() == before


@pytest.mark.parametrize("key", WHOLE)
def test_table_of_judgements_keeps_all_answers(tea, key):
    other = with_texts_of(tea, "poesio-artstein-2005")
    files = files_of(tea, key)
    assert load(other, key, files).failures == []
    assert judgements(other) == judgements(tea)
    assert judgements(other)["walk", "anna"]["phrase:10-13"]["head"] == [[10, 12]]
    beas = Coding.objects.of_people().get(text__project=other, coder__username="+bea")
    seen = {markable.key for markable in Markable.objects.seen_in(beas.pk, beas.text_id)}
    assert seen == {"phrase:0-4", "phrase:22-24", "turn:0-17"}


def test_matrix_keeps_values_and_reports_losses(tea):
    files = files_of(tea, "matrix-csv")
    assert files["matrix.csv"].decode() == (
        "text,unit,'+bea,anna\n"
        'walk,"phrase:0-4,14-17",,place\n'
        "walk,phrase:0-4,place,none\n"
        'walk,phrase:10-13,,"{phrase:0-4|phrase:0-4,14-17}"\n'
        "walk,phrase:22-24,,{turn:0-17}\n"
    )
    report = export_files(tea, "matrix-csv", None)
    assert {loss.feature: loss.count for loss in report.losses} == {
        Feature.UNCODED: 2,
        Feature.HEADS: 1,
        Feature.UNSURE: 1,
        Feature.NOTES: 1,
        Feature.NAMES: 1,
        Feature.LABELS: 1,
        Feature.SEGMENTS: 4,
        Feature.SPEAKERS: 4,
        Feature.TITLE: 6,
    }
    assert (report.texts, report.codings, report.files) == (1, 2, 1)
    other = with_texts_of(tea, "poesio-artstein-2005")
    assert load(other, "matrix-csv", files).failures == []
    said = judgements(other)["walk", "anna"]["phrase:10-13"]
    assert (said["category"], said["pointers"]) == ("phrase", ["phrase:0-4,14-17", "phrase:0-4"])


@every_table
def test_table_is_one_file_of_all_coders_and_texts(db, key):
    User.objects.create(username="charlie")
    project = answer(coded_project("walk", "clusters", WALK, WALK, WALK, coders=("alice", "bob", "carol")))
    files = files_of(project, key, unfinished=True)
    name, _, suffix = key.partition("-")
    assert list(files) == [f"{name}.{suffix}"]
    [some] = files_of(project, key, unfinished=True, coders=["bob"], texts=["text-2"]).values()
    assert b"bob" in some
    assert b"alice" not in some
    assert b"text-1" not in some


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("judgements-csv", b"\nwalk,turn:0-17,cem,,"),
        ("judgements-json", b'"turn:0-17", "coder": "cem", "label": ""}'),
        ("matrix-csv", b"\nwalk,,,,{}\n"),
        ("matrix-json", b'"unit": "", "values": {"+bea": null, "anna": null, "cem": []}}'),
    ],
)
def test_table_keeps_coding_without_markables(tea, key, row):
    nothing = SourceDocument(Document("walk", "w", "Anna took her dog and it", []), "cem")
    import_documents(tea, [nothing], ImportOptions(create=True, of_format={"empty": "take"}))
    files = files_of(tea, key)
    other = with_texts_of(tea, "poesio-artstein-2005")
    assert row in next(iter(files.values()))
    load(other, key, files)
    coding = Coding.objects.of_people().get(text__project=other, coder__username="cem")
    assert (coding.status, coding.judgements.count()) == ("submitted", 0)
    assert judgements(other).keys() == judgements(tea).keys()
    assert files_of(other, key, coders=["cem"]) == files_of(tea, key, coders=["cem"])


def test_row_without_unit_submits_empty_coding(tea):
    report = load(tea, "judgements-csv", {"t.csv": f"{HEADER}walk,,cem,,\n".encode()})
    assert (report.failures, report.codings, report.judgements) == ([], 1, 0)
    assert [str(finding) for finding in report.findings] == ["t.csv: no markable is coded in walk"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "walk,phrase:0-4,cem,none,\nrun,phrase:0-4,cem,none,\n",
            "data/t.csv:3: the project has no text 'run'; import it first",
        ),
        (
            "walk,phrase:0-4,cem,none,\nwalk,phrase:20-25,cem,none,\n",
            "data/t.csv:3: The text has 24 characters; the markable ends at 25.",
        ),
        ("!!!,phrase:0-4,cem,none,\n", "data/t.csv:2: the project has no text '!!!'; import it first"),
        ("walk,ghost:0-4,cem,none,\n", "data/t.csv:2: the scheme has no level 'ghost'"),
        ("walk,phrase:0-4,cem,ghost,\n", "data/t.csv:2: the scheme has no category 'ghost', only phrase"),
        ("walk,phrase:10-13,cem,phrase,phrase:10-13\n", "data/t.csv:2: 'phrase:10-13' cannot be its own antecedent."),
        ("walk,phrase:0-4,cem,none\n", "data/t.csv:2: this row has 4 cells, the header has 5"),
        (
            "walk,phrase:0-4,cem,none,\nwalk,phrase:0-4,dan,none,\nwalk,phrase:4-0,cem,none,\n",
            "data/t.csv:4: column 'unit' holds no key",
        ),
    ],
)
def test_invalid_row_is_named_and_refuses_its_file(tea, rows, message):
    assert refused(tea, "judgements-csv", HEADER + rows).startswith(message)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("walk,phrase:20-25,none", "The text has 24 characters; the markable ends at 25."),
        ("run,phrase:0-4,none", "the project has no text 'run'; import it first"),
    ],
)
def test_invalid_row_of_matrix_is_named(tea, row, message):
    table = f"text,unit,cem\nwalk,phrase:0-4,none\n{row}\n"
    assert refused(tea, "matrix-csv", table).startswith(f"data/t.csv:3: {message}")


def test_entities_become_antecedents_in_project_of_pointers(tea):
    rows = "walk,phrase:0-4,cem,,A\nwalk,phrase:10-13,cem,,A|B\n"
    assert load(tea, "judgements-csv", {"t.csv": (HEADER + rows).encode()}).failures == []
    said = judgements(tea)["walk", "cem"]
    assert {key: (answer["category"], answer["pointers"]) for key, answer in said.items()} == {
        "phrase:0-4": ("none", []),
        "phrase:10-13": ("phrase", ["phrase:0-4"]),
    }


@pytest.mark.parametrize("key", ["judgements-csv", "matrix-csv"])
def test_raw_cells_are_written_and_read_unchanged(tea, key):
    [raw] = files_of(tea, key, options={"cells": "raw"}).values()
    assert b"'" not in raw
    other = with_texts_of(tea, "poesio-artstein-2005")
    assert load(other, key, {"t.csv": raw}, cells="raw").failures == []
    assert {coder for _, coder in judgements(other)} == {"anna", "+bea"}


# The commands.


def run(*arguments: str | Path) -> None:
    call_command("import_codings", *map(str, arguments))


def test_commands_export_and_import_tables(tea, tmp_path, capsys):
    call_command("export_codings", "judgements-csv", str(tmp_path / "tea.zip"), "--project", "tea")
    with zipfile.ZipFile(tmp_path / "tea.zip") as archive:
        archive.extract("judgements.csv", tmp_path)
    other = with_texts_of(tea, "poesio-artstein-2005")
    run("judgements-csv", tmp_path / "judgements.csv", "--project", "other", "--create")
    assert capsys.readouterr().out.endswith("other: 0 new texts, 5 new markables, 2 codings, 5 judgements\n")
    assert judgements(other) == judgements(tea)


@pytest.mark.parametrize("whose", [["--coder-from", "parent"], ["--coder", "anna"], ["--texts-only"]])
def test_command_refuses_coder_options_for_tables(tea, tmp_path, whose):
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}walk,phrase:0-4,anna,none,\n")
    with pytest.raises(CommandError, match=r"name their coders themselves; leave out --coder-from"):
        run("judgements-csv", path, "--project", "tea", *whose)
