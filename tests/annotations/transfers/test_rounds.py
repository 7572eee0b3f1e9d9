"""Rounds in imports, exports and cloned projects."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Coding, Round
from annotations.models.people.rights import Right
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.permissions import project_for
from annotations.texts.cloning import clone_project
from annotations.transfers import orders
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.forms import ExportForm, ImportForm
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
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
def test_export_has_latest_coding_of_chosen_rounds(project, rounds, chosen, category, lost):
    categories, found = exported(project, chosen)
    assert categories == [category]
    assert {what: count for what, count in found.items() if what in (AGAIN, OTHERS)} == lost


def test_last_added_round_is_latest_if_positions_are_equal(project, rounds):
    Round.objects.update(position=0)
    assert exported(project)[0] == ["place"]


def test_export_form_accepts_only_rounds_of_project(project, rounds, charlie):
    project = project_for(charlie, "tea", Right.ADJUDICATE)
    form = ExportForm(project, {"format": "jsonlines", "rounds": ["again"]}, archives=True)
    assert form.is_valid()
    assert form.choices["rounds"] == ["again"]
    assert not ExportForm(project, {"format": "jsonlines", "rounds": ["ghost"]}, archives=True).is_valid()


def test_command_exports_round_and_refuses_unknown_round(project, rounds, tmp_path, capsys):
    call_command("export_codings", "jsonlines", str(tmp_path / "x.zip"), project="tea", round=["main"])
    assert "1 coding of 1 text" in capsys.readouterr().out
    with pytest.raises(Exception, match="There is no round 'ghost' in this project"):
        call_command("export_codings", "jsonlines", str(tmp_path / "y.zip"), project="tea", round=["ghost"])


def coded(name, coder, category="none"):
    document = plain.parse(f"#title: Cup\n[a cup](a={category}) and [it](b={category})\n", f"{name}.txt")
    return SourceDocument(document, coder)


def test_codings_are_imported_into_chosen_round(project, text, alice):
    main, pilot = project.rounds.get(), create_round(project, "pilot")
    import_documents(project, [coded("cup", "alice")], ImportOptions(round_name="pilot"))
    assert Coding.objects.of_people().get(text__slug="cup").round == pilot
    import_documents(project, [coded("cup", "alice", "place")], ImportOptions(round_name="main"))
    assert {coding.round for coding in Coding.objects.of_people().filter(text__slug="cup")} == {main, pilot}
    again = import_documents(project, [coded("cup", "alice")], ImportOptions(round_name="pilot"))
    assert (again.codings, again.unchanged) == (0, 1)
    change_round(pilot, closed=True)
    refused = import_documents(project, [coded("cup", "bob")])  # its latest round is closed
    assert "cup is in the round pilot, which is closed" in str(refused.failures[0])


def test_import_form_sets_round(project, charlie, alice):
    create_round(project, "pilot")
    file = SimpleUploadedFile("dog.conll", CONLL.encode())
    project = project_for(charlie, "tea", Right.MANAGE)
    form = ImportForm(project, {"format": "conll2012", "whose": "nobody", "round": "main"}, {"files": [file]})
    assert form.is_valid(), form.errors
    transfer = orders.order_import(project, charlie, [file], "conll2012", form.choices)
    assert orders.carry_out(transfer, charlie)
    assert {text.round_names[0] for text in project.texts.exclude(slug="tea")} == {"main"}


def test_cloned_project_has_open_rounds_that_have_not_begun(project, rounds, charlie):
    change_round(rounds["again"], closed=True)
    clone = clone_project(project, "copy", "Copy", charlie, texts=True)
    assert list(clone.rounds.values_list("name", "kind", "scheme_version", "closed_at")) == [
        ("main", "main", None, None),
        ("again", "main", None, None),
        ("practice", "training", None, None),
    ]
    assert clone.texts.get().round_names == ["main", "again", "practice"]
