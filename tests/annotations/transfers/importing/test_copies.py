"""Copies of one text by several coders, texts of equal words under several names, and the names of coders."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.formats import FORMATS, plain
from annotations.models import Coding, Project, Text, User
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.annotations.transfers.importing.test_corpora import chains_of, load

WALK = "[Anna](=1) took [[her](=1) dog](=2) for a long walk, and [they](=2) met nobody at all."
WORDS = "Anna took her dog for a long walk, and they met nobody at all."
BEGINNING = "[Anna](=1) took [[her](=1) dog](=2) for a long walk,"
APOSTROPHE = WALK.replace("nobody", "nobody’")


@pytest.mark.parametrize(
    ("anna", "ben", "cem"),
    [
        ("Anna took her dog", WALK, WALK),
        (BEGINNING, WALK, BEGINNING),
        (BEGINNING, "Anna took her dog", WALK),
        (WORDS.replace("long", "short"), WALK, BEGINNING),
    ],
)
def test_new_text_has_words_of_longest_coded_copy(tales, anna, ben, cem):
    files = {f"{coder}/walk.txt": copy for coder, copy in (("anna", anna), ("ben", ben), ("cem", cem))}
    report = load(tales, "plain", files)
    assert Text.objects.get().content == WORDS
    coded = {coder for coder, copy in (("anna", anna), ("ben", ben), ("cem", cem)) if "[" in copy}
    assert set(Coding.objects.of_people().values_list("coder__username", flat=True)) == coded
    assert {failure.file for failure in report.failures} == {f"{coder}/walk.txt" for coder in {"anna", "ben"} - coded}


def test_first_coded_copy_is_kept_if_copies_differ(tales):
    report = load(tales, "plain", {"anna/walk.txt": WALK, "ben/walk.txt": APOSTROPHE, "cem/walk.txt": APOSTROPHE})
    assert [failure.file for failure in report.failures] == ["ben/walk.txt", "cem/walk.txt"]
    assert Text.objects.get().content == WORDS


def test_copy_that_ends_early_is_reported(tales):
    load(tales, "plain", {"anna/walk.txt": WALK})
    report = load(tales, "plain", {"ben/walk.txt": BEGINNING})
    [told] = [finding for finding in report.findings if finding.code == "aligned-near"]
    assert told.message.startswith("the text differs from the text walk of the project: word 9 is the end here")
    assert told.message.endswith("it ends 22 characters earlier")
    assert (report.failures, report.codings) == ([], 1)
    assert chains_of("ben") == {frozenset({"Anna 0", "her 10"}), frozenset({"her dog 10"})}


def test_empty_copy_that_ends_early_is_refused_unless_accepted(tales):
    files = {"anna/walk.txt": WALK, "ben/walk.txt": "Anna took her dog"}
    [failure] = load(tales, "plain", files).failures
    assert "nothing is coded in it, of 0 markables (the text differs from anna/walk.txt" in failure.message
    assert load(tales, "plain", {"ben/walk.txt": files["ben/walk.txt"]}, empty="take").codings == 1


def test_option_leaves_out_markables_after_end_of_text(tales):
    load(tales, "plain", {"anna/walk.txt": BEGINNING})
    [failure] = load(tales, "plain", {"ben/walk.txt": WALK}).failures
    assert failure.message.endswith("22 characters later: align=near aligns the rest and leaves out 1 markable")
    report = load(tales, "plain", {"ben/walk.txt": WALK}, align="near")
    [left_out] = [finding for finding in report.findings if finding.left_out]
    assert left_out.message == "1 markable at characters that differ from the text walk of the project"
    assert chains_of("ben") == {frozenset({"Anna 0", "her 10"}), frozenset({"her dog 10"})}
    assert Text.objects.get().content == plain.parse(BEGINNING, "x.txt").content


def test_option_aligns_copies_that_differ_in_characters(tales):
    other = WALK.replace("her](=1) dog", "her](=1) dogs")
    files = {"anna/walk.txt": WALK, "ben/walk.txt": APOSTROPHE, "cem/walk.txt": other}
    report = load(tales, "plain", files)
    assert [failure.message.partition("; ")[2] for failure in report.failures] == [
        "1 of 49 characters differs: align=near aligns the rest",
        "1 of 49 characters differs: align=near aligns the rest and leaves out 1 markable",
    ]
    report = load(tales, "plain", files, align="near")
    assert (report.failures, report.texts, report.unchanged) == ([], 0, 1)
    assert chains_of("ben") == chains_of("anna")
    assert chains_of("cem") == {frozenset({"Anna 0", "her 10"}), frozenset({"they 39"})}
    assert load(tales, "plain", files, align="near").unchanged == 3


def test_command_aligns_near_copies(tales, tmp_path):
    for coder, copy in (("anna", WALK), ("ben", APOSTROPHE)):
        (tmp_path / coder).mkdir()
        (tmp_path / coder / "walk.txt").write_text(copy)
    arguments = ("import_codings", "plain", tmp_path, "--project=tales", "--coder-from=parent", "--create")
    with pytest.raises(CommandError, match="align=near aligns the rest"):
        call_command(*arguments)
    call_command(*arguments, "--option=align=near")
    assert Coding.objects.of_people().count() == 2


def test_only_formats_with_texts_offer_align():
    offered = {key for key, format_ in FORMATS.items() if "align" in {option.key for option in format_.options_read}}
    assert FORMATS.keys() - offered == {key for key, format_ in FORMATS.items() if format_.names_coders}


# Names.


@pytest.mark.parametrize("content", [WALK, WALK.replace(" ", "\n", 3), WALK.replace("long ", "long\u00a0 ")])
def test_text_of_project_with_same_words_is_reported(tales, content):
    load(tales, "plain", {"anna/walk_anna.txt": WALK, "anna/other.txt": "[Bob](=1) sat."})
    report = load(tales, "plain", {"ben/walk_ben.txt": content, "ben/new.txt": "[Bob](=1) stood."})
    [told] = [finding for finding in report.findings if finding.code == "same-words"]
    assert told.message == "walk_ben and the text walk_anna of the project have the same words"
    assert told.file == "ben/walk_ben.txt"


def test_text_is_not_reported_as_its_own_duplicate(tales):
    load(tales, "plain", {"anna/walk.txt": WALK})
    report = load(tales, "plain", {"ben/walk.txt": WALK, "ben/other.txt": "[Bob](=1) sat."})
    assert not [finding for finding in report.findings if finding.code == "same-words"]


def test_database_compares_words_in_fixed_number_of_queries(tales):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            load(tales, "plain", {"anna/new.txt": "[Bob](=1) sat."})
        Text.objects.filter(slug="new").delete()
        assert not any(WORDS in str(query) for query in captured)
        return len(captured)

    load(tales, "plain", {"anna/walk.txt": WALK})
    before = queries()
    Text.objects.bulk_create(
        Text(project=tales, slug=f"w{n}", title=f"w{n}", content=f"{WORDS} {n}") for n in range(50)
    )
    assert queries() == before


def test_annotations_named_after_text_and_coder_share_text(tales):
    ann = "T1\tMention 0 4\tAnna\nT2\tMention 10 13\ther\n*\tCoref T1 T2\n"
    files = {"walk.txt": WORDS, "walk_anna.ann": ann, "walk_ben.ann": ann}
    refused = load(tales, "brat", files, coder_from="name").failures
    assert {failure.message.rpartition(": ")[2] for failure in refused} == {"separator=_"}
    report = load(tales, "brat", files, coder_from="name", separator="_")
    assert (report.failures, report.texts, report.codings) == ([], 1, 2)
    assert chains_of("anna") == chains_of("ben") == {frozenset({"Anna 0", "her 10"})}


def test_other_spelling_of_account_is_reported(tales, alice):
    add_member(tales, alice, "coder")
    documents = [SourceDocument(plain.parse(WALK, f"{coder}/walk.txt"), coder) for coder in ("Alice", "ben")]
    for trial in (True, False):
        report = import_documents(tales, documents, ImportOptions(create=True, trial=trial))
        told = [str(finding) for finding in report.findings if finding.code == "other-spelling"]
        assert told == ["Alice/walk.txt: the coder Alice is called alice here"]
    assert User.objects.filter(username__iexact="alice").count() == 1


# Languages.


def test_option_sets_language_of_new_texts(tales):
    files = {"anna/walk.txt": WALK, "anna/gehen.txt": f"#language: de\n{WALK}."}
    load(tales, "plain", files, language="sv-SE")
    assert dict(Text.objects.values_list("slug", "language")) == {"walk": "sv-SE", "gehen": "de"}
    load(tales, "plain", {"anna/walk.txt": WALK, "anna/run.txt": f"{WALK} So."}, language="fr")
    assert dict(Text.objects.values_list("slug", "language")) == {"walk": "sv-SE", "gehen": "de", "run": "fr"}


def test_invalid_language_is_refused(tales, tmp_path):
    (tmp_path / "walk.txt").write_text(WALK)
    with pytest.raises(CommandError, match="language=not one: a language is called by its tag, such as de or pt-BR"):
        call_command(
            "import_codings", "plain", tmp_path, "--project=tales", "--texts-only", "--option=language=not one"
        )
    assert not Text.objects.exists()
    assert Project.objects.filter(slug="tales").exists()
