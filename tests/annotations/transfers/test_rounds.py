"""Rounds in what enters and leaves: imports, exports, archives and copies."""

import io
import json
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotations.coding.judgements import decisions_of
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.formats.model.findings import FormatError
from annotations.models import Coding, Round
from annotations.models.people.rights import Right
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.permissions import project_for
from annotations.texts.cloning import clone_project
from annotations.transfers import orders
from annotations.transfers.archiving import archive_project, restore_project
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.forms import ExportForm, ImportForm
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.annotations.formats.test_project import files, rezipped
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.coding import judge
from tests.shared.exports import documents_of

# What Alice answers in each round: the category of one markable.
ANSWERS = {"main": "none", "again": "place", "practice": "phrase"}


@pytest.fixture
def rounds(project, text, alice, keys) -> dict[str, Round]:
    """Let Alice code a text in three rounds, and again in the first of them."""
    main = project.rounds.get()
    made = {"main": main, "again": create_round(project, "again", copied=main)}
    made["practice"] = create_round(project, "practice", copied=main, kind="training")
    for name, round_ in made.items():
        assign_texts(project, [text], [alice], round_)
        coding = Coding.objects.of_people().get(coder=alice, round=round_)
        judge(coding, keys["c"], ANSWERS[name], *([keys["a"]] if ANSWERS[name] == "phrase" else []))
        submit_coding(coding, alice)
    repeat = Coding.objects.create(text=text, coder=alice, round=main, occasion=2)
    judge(repeat, keys["c"], "place")
    submit_coding(repeat, alice)
    return made


def exported(project, rounds=()):
    """Return the categories of the only coding in an export, and what the export says to have left out."""
    [(_, document)] = documents_of(project, rounds=rounds)
    categories = [mark.answer.category for mark in document.marks if mark.answer]
    report = export_files(project, "jsonlines", None, rounds=rounds)
    assert report.codings == 1
    return categories, {loss.what: loss.count for loss in report.losses}


AGAIN = "codings that the coder made again in a later round"
OTHERS = "codings of training and rechecks, and repeats within a round"


@pytest.mark.parametrize(
    ("chosen", "category", "lost"),
    [
        ([], "place", {AGAIN: 1, OTHERS: 2}),
        (["main"], "none", {}),
        (["practice"], "phrase", {}),
        (["main", "practice"], "phrase", {AGAIN: 1}),
    ],
)
def test_an_export_has_the_latest_coding_of_the_rounds_that_count_or_are_chosen(
    project, rounds, chosen, category, lost
):
    categories, found = exported(project, chosen)
    assert categories == [category]
    assert {what: count for what, count in found.items() if what in (AGAIN, OTHERS)} == lost


def test_where_rounds_have_equal_places_the_later_one_is_the_latest(project, rounds):
    Round.objects.update(position=0)
    assert exported(project)[0] == ["place"]


def test_the_form_of_an_export_offers_rounds_where_there_are_several(project, rounds, charlie):
    project = project_for(charlie, "tea", Right.ADJUDICATE)
    form = ExportForm(project, {"format": "jsonlines", "rounds": ["again"]}, archives=True)
    assert form.is_valid()
    assert form.choices["rounds"] == ["again"]
    assert not ExportForm(project, {"format": "jsonlines", "rounds": ["ghost"]}, archives=True).is_valid()


def test_the_command_exports_a_round_and_refuses_one_that_is_not_there(project, rounds, tmp_path, capsys):
    call_command("export_codings", "jsonlines", str(tmp_path / "x.zip"), project="tea", round=["main"])
    assert "1 coding of 1 text" in capsys.readouterr().out
    with pytest.raises(Exception, match="There is no round 'ghost' in this project"):
        call_command("export_codings", "jsonlines", str(tmp_path / "y.zip"), project="tea", round=["ghost"])


def coded(name, coder, category="none"):
    document = plain.parse(f"#title: Cup\n[a cup](a={category}) and [it](b={category})\n", f"{name}.txt")
    return SourceDocument(document, coder)


def test_codings_come_into_the_round_that_is_chosen(project, text, alice):
    main, pilot = project.rounds.get(), create_round(project, "pilot")
    import_documents(project, [coded("cup", "alice")], ImportOptions(round_name="pilot"))
    assert Coding.objects.of_people().get(text__slug="cup").round == pilot
    import_documents(project, [coded("cup", "alice", "place")], ImportOptions(round_name="main"))
    assert {one.round for one in Coding.objects.of_people().filter(text__slug="cup")} == {main, pilot}
    again = import_documents(project, [coded("cup", "alice")], ImportOptions(round_name="pilot"))
    assert (again.codings, again.unchanged) == (0, 1)
    change_round(pilot, closed=True)
    refused = import_documents(project, [coded("cup", "bob")])  # its latest round is closed
    assert "cup is in the round pilot, which is closed" in str(refused.failures[0])


def test_the_order_of_an_import_names_a_round(project, charlie, alice):
    create_round(project, "pilot")
    file = SimpleUploadedFile("dog.conll", CONLL.encode())
    project = project_for(charlie, "tea", Right.MANAGE)
    form = ImportForm(project, {"format": "conll2012", "whose": "nobody", "round": "main"}, {"files": [file]})
    assert form.is_valid(), form.errors
    transfer = orders.order_import(project, charlie, [file], "conll2012", form.choices)
    assert orders.carry_out(transfer, charlie)
    assert {one.round_names[0] for one in project.texts.exclude(slug="tea")} == {"main"}


def archived(project):
    out = io.BytesIO()
    archive_project(project, out)
    return out.getvalue()


def test_an_archive_keeps_rounds_texts_codings_and_occasions(project, rounds):
    change_round(rounds["again"], closed=True, place=1, starts_on=date(2026, 3, 1), ends_on=date(2026, 3, 31))
    data = archived(project)
    copy = restore_project(data, slug="copy").project
    fields = ("name", "position", "kind", "starts_on", "ends_on", "guidelines_version", "scheme_version", "closed_at")
    assert list(copy.rounds.values_list(*fields)) == list(project.rounds.values_list(*fields))
    columns = ("round__name", "occasion", "coder__username", "version", "status")
    codings = [Coding.objects.of_people().filter(text__project=one).values_list(*columns) for one in (project, copy)]
    assert list(codings[0]) == list(codings[1])
    assert copy.texts.get().round_names == project.texts.get().round_names


@pytest.mark.parametrize(
    ("table", "row", "fields", "message"),
    [
        ("codings", 0, {"round": 3}, "codings.jsonl:1: its text is not in the round of line 3"),
        ("codings", 0, {"occasion": 0}, "occasion"),
        ("codings", 0, {"round": 9}, "codings.jsonl:1: round is line 9 of rounds"),
        ("rounds", 0, {"starts_on": "2026-02-30"}, "starts_on is not a day"),
        ("rounds", 0, {"starts_on": "2026-03-02", "ends_on": "2026-03-01"}, "it ends before it starts"),
        ("rounds", 0, {"scheme_version": 7}, "scheme_version is 7; the scheme has 1"),
        ("rounds", 0, {"guidelines_version": 3}, "guidelines_version is 3"),
        ("rounds", 0, {"kind": "ghost"}, "kind"),
        ("rounds", 1, {"name": "main"}, "has the same name"),
    ],
)
def test_an_archive_with_rounds_that_no_project_has_is_refused(project, text, rounds, table, row, fields, message):
    lone = create_round(project, "lone")
    change_round(lone, place=3)
    of = files(archived(project))
    lines = [json.loads(line) for line in of[f"{table}.jsonl"].splitlines()]
    lines[row] |= fields
    of[f"{table}.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with pytest.raises(FormatError, match=message):
        restore_project(rezipped(of), slug="copy")


def test_a_copy_has_the_rounds_open_and_not_begun(project, rounds, charlie):
    change_round(rounds["again"], closed=True)
    clone = clone_project(project, "copy", "Copy", charlie, texts=True)
    assert list(clone.rounds.values_list("name", "kind", "scheme_version", "closed_at")) == [
        ("main", "main", None, None),
        ("again", "main", None, None),
        ("practice", "training", None, None),
    ]
    assert clone.texts.get().round_names == ["main", "again", "practice"]


def test_the_log_of_each_coding_is_its_own(project, rounds, alice, keys):
    for round_ in rounds.values():
        coding = Coding.objects.of_people().get(coder=alice, round=round_, occasion=1)
        assert [one.category for one in decisions_of(coding)] == [ANSWERS[round_.name]]
    call_command("verify_log")
