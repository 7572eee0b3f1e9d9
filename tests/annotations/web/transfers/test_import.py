"""Imports of texts and codings by upload."""

import html
import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings

from annotations.coding.judgements import judgements_of
from annotations.formats import FORMATS
from annotations.models import Coding, Markable, Membership, Text, Transfer, User
from annotations.projects.people.members import add_member
from tests.shared.projects import make_project

URL = "/projects/walk/import/"
CONLL = """\
#begin document (dog); part 000
d 0 0 Anna NNP - - - - - - (1)
d 0 1 took VBD - - - - - - -
d 0 2 her PRP - - - - - - (2)
d 0 3 dog NN - - - - - - -

#end document
"""
BY_BOB = CONLL.replace("(2)", "(1)")


@pytest.fixture
def walk(alice, bob, charlie):
    """Make a project that answers by indices, with coders Alice and Bob, manager Charlie and the text "tea"."""
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        add_member(project, coder, Membership.Role.CODER)
    return project


@pytest.fixture
def manager(signed_in, charlie, walk):
    return signed_in(charlie)


@pytest.fixture
def upload(manager):
    """Return a function that uploads files with the fields of the form."""

    def upload(*files, **fields):
        form = {"format": "conll2012", "whose": "nobody"} | fields
        sent = [SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode()) for name, data in files]
        return manager.post(URL, form | {"files": sent})

    return upload


@pytest.fixture
def import_files(upload, manager):
    """Return a function that uploads files, confirms the import and returns its page."""

    def import_files(*files, **fields):
        address = upload(*files, **fields).url
        assert manager.post(f"{address}carry-out/").url == address
        return manager.get(address).content.decode()

    return import_files


@pytest.fixture
def checked(upload, manager):
    """Return a function that uploads files and returns the address of the import and its preview."""

    def checked(*files, **fields):
        address = upload(*files, **fields).url
        return address, manager.get(address).content.decode()

    return checked


@pytest.fixture
def check_again(manager):
    """Return a function that checks an import again with other fields and returns its page."""

    def check_again(address, **fields):
        [pk] = re.findall(r'name="again" value="(\d+)"', manager.get(address).content.decode())
        assert manager.post(URL, {"again": pk, "change": "1"} | fields).url == address
        return manager.get(address).content.decode()

    return check_again


@pytest.fixture
def page_of(upload, manager):
    """Return a function that uploads files and returns the preview, or the form with its errors."""

    def page_of(*files, **fields):
        answer = upload(*files, **fields)
        return (manager.get(answer.url) if answer.status_code == 302 else answer).content.decode()

    return page_of


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def sizes():
    return [model.objects.count() for model in (Text, Markable, Coding, User)]


def test_import_changes_nothing_before_it_is_confirmed(checked, page_of, manager, walk):
    before = sizes()
    assert "zoe&#x27; is not a member" in page_of(("dog.conll", CONLL), whose="one", coder="zoe")
    address, page = checked(("dog.conll", CONLL), whose="one", coder="zoe", create="on")
    assert "To be imported: 1 new text, 2 new markables, 1 coding, 2 judgements." in page
    assert "<h2>New coders</h2>\n<p>zoe</p>" in page
    assert sizes() == before
    manager.post(f"{address}carry-out/")
    assert [now - then for now, then in zip(sizes(), before, strict=True)] == [1, 2, 1, 1]
    assert "Imported: 1 new text, 2 new markables, 1 coding, 2 judgements." in manager.get(address).content.decode()
    assert not User.objects.get(username="zoe").has_usable_password()


def test_texts_only_import_adds_shared_markables_once(import_files, walk):
    import_files(("dog.conll", CONLL))
    assert "Imported: 0 new texts" in import_files(("dog.conll", CONLL))
    text = walk.texts.exclude(slug="tea").get()
    assert text.content.split() == ["Anna", "took", "her", "dog"]
    assert list(text.markables.values_list("predefined", flat=True)) == [True, True]
    assert not Coding.objects.of_people().exists()


def test_zip_with_folder_per_coder_imports_their_codings(import_files, walk, charlie):
    import_files(("all.zip", zipped(**{"alice/dog.conll": CONLL, "bob/dog.conll": BY_BOB})), whose="parent")
    codings = {coding.coder.username: coding for coding in Coding.objects.of_people().select_related("coder")}
    assert {name: coding.status for name, coding in codings.items()} == {"alice": "submitted", "bob": "submitted"}
    indices = {
        name: [judgement["indices"] for judgement in judgements_of(coding).values()] for name, coding in codings.items()
    }
    assert indices == {"alice": [["1"], ["2"]], "bob": [["1"], ["1"]]}
    assert {op.user for coding in codings.values() for op in coding.operations.all()} == {charlie}


@pytest.mark.parametrize(
    ("files", "fields", "says"),
    [
        ([("dog.conll", CONLL.replace("(2)", "(2"))], {}, "dog.conll:"),
        ([("dog.conll", CONLL.replace("#begin", "# x"))], {}, "dog.conll:2"),
        ([("dog.conll", b"#begin document (d);\n\xff\n")], {}, "dog.conll:2:1"),
        ([("dog.conll", b"a\x00b")], {}, "dog.conll:1"),
        ([("dog.txt", "one\n[two")], {"format": "plain"}, "dog.txt:2:1"),
        ([("all.zip", b"PK no zip")], {}, "all.zip"),
        (
            [("all.zip", zipped(**{"alice/dog.conll": "y", "bob/dog.conll": "x"}))],
            {"whose": "parent"},
            "bob/dog.conll:1",
        ),
        ([("dog.conll", CONLL)], {"whose": "parent"}, "is in no folder"),
        ([("dog.conll", CONLL)], {"whose": "name"}, "has no coder in it"),
        ([("dog.conll", CONLL)], {"whose": "one"}, "Select the coder of these files"),
        ([("dog.conll", CONLL)], {"whose": "one", "coder": "charlie"}, "does not code"),
        ([("dog.conll", CONLL)], {"whose": "ghost"}, "not one of the available choices"),
        ([("dog.conll", CONLL)], {"format": "ghost"}, "not one of the available choices"),
        ([("dog.conll", CONLL), ("dog.conll", CONLL)], {}, "two files have this name"),
        ([("cat.conll", ""), ("dog.conll", "")], {}, "dog.conll:1"),
        ([], {}, "Choose at least one file"),
        ([("tea.txt", "[Other](a) words")], {"format": "plain"}, "tea"),
        # names in a zip that are no text
        (
            [("all.zip", zipped(**{"ä.conll": CONLL}).replace("ä".encode(), b"\xff\xff"))],
            {},
            "all.zip: this zip cannot be read",
        ),
    ],
)
def test_wrong_files_are_named_and_change_nothing(page_of, files, fields, says):
    before = sizes()
    assert says in page_of(*files, **fields)
    assert not Transfer.objects.exclude(state="failed").exists()
    assert sizes() == before


def test_bad_file_is_named_and_others_are_imported(import_files):
    page = import_files(("dog.alice.conll", CONLL), ("cat.bob.conll", "nonsense"), whose="name")
    assert "Imported: 1 new text, 2 new markables, 1 coding, 2 judgements, 1 file refused." in page
    assert "<h2>Refused files</h2>" in page
    assert "cat.bob.conll:1" in page
    assert list(Coding.objects.of_people().values_list("text__slug", "coder__username")) == [("dog", "alice")]


def test_warnings_name_every_place(import_files):
    page = html.unescape(import_files(("dog.conll", CONLL), whose="one", coder="alice"))
    assert "2 like this" in page
    for line, words in ((2, "Anna"), (4, "her")):
        assert f"dog.conll:{line}: “{words}” is alone in the entity" in page


def test_import_keeps_existing_coding(import_files, page_of):
    import_files(("dog.conll", CONLL), whose="one", coder="alice")
    before = sizes()
    assert "is kept" in page_of(("dog.conll", BY_BOB), whose="one", coder="alice")
    assert sizes() == before


def test_too_many_or_too_large_files_are_refused(page_of):
    with override_settings(IMPORT_MAX_FILES=1):
        assert "at most 1 file" in page_of(("a.conll", CONLL), ("b.conll", CONLL))
        assert "at most 1 are read" in page_of(("a.zip", zipped(**{"x/a.conll": CONLL, "y/a.conll": CONLL})))
    with override_settings(IMPORT_MAX_BYTES=100):
        assert "The limit is" in page_of(("a.conll", CONLL))
    with override_settings(IMPORT_MAX_BYTES=2000):
        assert "holds more than" in page_of(("a.zip", zipped(**{"x/a.conll": CONLL * 50})))
    assert Text.objects.count() == 1


def test_form_asks_for_options_of_format(manager):
    assert "option-" not in manager.get(URL).content.decode()
    page = manager.get(f"{URL}?format=brat").content.decode()
    asked = {option.key for option in FORMATS["brat"].options_read}
    assert {"level", "encoding", "types"} < asked
    assert set(re.findall(r'name="option-(\w+)"', page)) == asked
    part = manager.get(f"{URL}?format=brat", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert set(re.findall(r'name="option-(\w+)"', part)) == asked


def test_table_with_coders_needs_no_choice_of_coder(manager, import_files, walk):
    page = manager.get(f"{URL}?format=judgements-csv").content.decode()
    assert 'name="whose"' not in page
    table = "text,unit,coder,label,value\ntea,phrase:0-4,alice,refers,Anna\ntea,phrase:10-13,bob,refers,Anna|her\n"
    page = import_files(("walk.csv", table), format="judgements-csv", whose="")
    assert "Imported: 0 new texts, 0 new markables, 2 codings, 2 judgements." in page


def test_empty_annotation_file_imports_text_without_markables(import_files):
    page = import_files(("cat.ann", ""), ("cat.txt", "A cat."), format="brat")
    assert "Imported: 1 new text, 0 new markables" in page


def test_unknown_values_of_options_are_refused(upload):
    answer = upload(("a.ann", "T1\tX 0 1\ta"), ("a.txt", "a"), format="brat", **{"option-types": "ghost"})
    assert answer.status_code == 400
    assert "not one of the available choices" in answer.content.decode()


def test_import_applies_option_of_format(import_files, walk):
    files = ("a.ann", "T1\tX 0 4\tAnna\nT2\tX 10 13\ther\n*\tCoref T1 T2\n"), ("a.txt", "Anna took her dog")
    import_files(*files, format="brat", whose="one", coder="alice", **{"option-types": "none"})
    assert Coding.objects.of_people().get().text.slug == "a"


def test_option_maps_level_of_files_to_scheme(page_of):
    files = ("walk.zip", zipped(**{"zoe/walk.txt": "Anna ran", "zoe/walk.ann": "T1\tPER 0 4\tAnna\n"}))
    page = page_of(files, format="brat", create="on")
    assert "the scheme has no level &#x27;PER&#x27;" in page
    assert "only phrase; “Names in the files” says what it is; or say “Types of T lines: are categories”" in page
    assert "Refused files" not in page_of(files, format="brat", create="on", **{"option-level": "PER"})
    assert "say NAME:HERE" in page_of(files, format="brat", create="on", **{"option-level": "PER:nothing"})


def test_equal_refusals_are_grouped_and_counted(page_of):
    files = {f"zoe/walk{number}.txt": "[Anna" for number in range(30)} | {"zoe/other.txt": "a](=1)"}
    page = page_of(("walk.zip", zipped(**files)), format="plain", create="on")
    refused = page[page.index("Refused files") :]
    assert "<summary>30 like this</summary>" in refused
    assert refused.count("is never closed") == 31
    assert refused.count("closes nothing") == 1


def test_refusal_lists_expected_and_found_file_endings(page_of):
    page = page_of(("walk.zip", zipped(**{"zoe/walk.xmi": "x", "notes.md": "x"})), format="conll2012", create="on")
    assert (
        "No file ends in .conll or _conll, as those of CoNLL-2012 do; there are 1 × .md, 1 × .xmi (which may be xmi)"
        in page
    )
    assert "Nothing was changed" in page


def text_of(page):
    """Return the text of the page without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_texts_only_import_warns_of_omitted_chains(checked, check_again):
    address, page = checked(("dog.conll", BY_BOB))
    assert "The files say which 2 markables belong together. With Texts only that is left out." in text_of(page)
    page = check_again(address, whose="one", coder="alice")
    assert "To be imported: 1 new text, 2 new markables, 1 coding, 2 judgements." in page
    assert "With Texts only" not in text_of(page)


@pytest.mark.parametrize(
    ("file", "fields"),
    [
        (("dog.txt", "[Anna](A) took [her](B) dog"), {"format": "plain"}),
        (("dog.txt", "Anna took her dog"), {"format": "text"}),
        (("dog.conll", CONLL), {"whose": "one", "coder": "alice"}),
    ],
)
def test_import_without_omissions_shows_no_warning(page_of, file, fields):
    assert "belong together" not in page_of(file, **fields)


def test_texts_only_import_warns_of_omitted_categories(page_of):
    files = ("a.ann", "T1\tMention 0 4\tAnna\nA1\tCategory T1 none\n"), ("a.txt", "Anna took her dog")
    assert "The files say what 1 markable are" in page_of(*files, format="brat")


def test_refusal_offers_button_that_changes_option(checked, check_again):
    nothing = CONLL.replace("(1)", "-").replace("(2)", "-")
    address, page = checked(("dog.conll", nothing), whose="one", coder="alice")
    assert "empty=take" not in text_of(page)
    assert "--texts-only" not in text_of(page)
    button = '<button class="button" name="option-empty" value="take">'
    assert button in page
    assert page.index("Refused files") < page.index(button) < page.index("Change options")
    page = check_again(address, **{"option-empty": "take"})
    assert "To be imported: 1 new text, 0 new markables, 1 coding" in page


def test_texts_of_equal_words_offer_coder_from_file_name(checked, check_again):
    walks = {f"walk_{coder}.conll": CONLL for coder in ("alice", "ben")}
    address, page = checked(("walks.zip", zipped(**walks)), whose="one", coder="alice", create="on")
    assert "walk_alice and walk_ben have the same words" in text_of(page)
    assert "if their names have the coder: “Coder in the file name” with “Between text and coder" in text_of(page)
    for field, value in re.findall(r'<button class="button" name="(whose|option-separator)" value="(.+?)"', page):
        page = check_again(address, **{field: value})
    assert "To be imported: 1 new text, 2 new markables, 2 codings, 4 judgements." in page


def test_other_managers_see_no_button_to_change_options(upload, signed_in, mallory, walk):
    add_member(walk, mallory, Membership.Role.MANAGER)
    address = upload(("dog.txt", "Zoë".encode("cp1252")), format="plain").url
    page = signed_in(mallory).get(address).content.decode()
    assert "Encoding of the files: Windows-1252 (Western Europe)" in page
    assert 'name="option-encoding"' not in page


def test_preview_offers_another_encoding(checked, check_again):
    address, page = checked(("dog.txt", "Anna à la fenêtre".encode("cp1252")), format="plain")
    assert "“à la fenêtre”, which cp1250 makes “ŕ la fenętre”" in html.unescape(page)
    assert "Anna à la fenêtre" in check_again(address, **{"option-encoding": "cp1252"})


CONLLU = "# newdoc id = walk\n# sent_id = 1\n1\tAnna\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n"
SACR = '#title: A walk\n#textmetadata:x=y\n{Anna:EN="name" Anna} took {Anna:EN="poss" her} dog.\n'


@pytest.mark.parametrize(
    ("file", "format_", "says"),
    [
        (("walk.conll", CONLLU), "conll2012", "it looks like CorefUD / CoNLL-U: choose “Format: CorefUD / CoNLL-U”"),
        (("walk.conllu", CONLL), "conllu", "it looks like CoNLL-2012: choose “Format: CoNLL-2012”"),
        (("walk.txt", SACR), "plain", "it looks like SACR, which is not read: export CoNLL from it"),
        (("walk.txt", SACR), "", "walk.txt looks like SACR, which is not read: export CoNLL from it"),
        (("tasks.json", '[{"id": 1, "annotations": [{"completed_by": 3}]}]'), "", "looks like Label Studio"),
        (("walk.xml", '<TEI xmlns="http://www.tei-c.org/ns/1.0"/>'), "", "looks like TEI"),
        (("labels.csv", "item,anna,ben\n1,A,B\n"), "", "looks like a table of labels, which is not read"),
        (("walk.docx", "PK"), "", "looks like a document of a word processor"),
    ],
)
def test_refusal_names_likely_format(page_of, file, format_, says):
    page = page_of(file, format=format_)
    assert says in text_of(page)
    assert "project archive" not in page


def test_refusal_offers_likely_format(checked, check_again):
    address, page = checked(("walk.conll", CONLLU), whose="one", coder="alice")
    assert '<button class="button" name="format" value="conllu">Format: CorefUD / CoNLL-U</button>' in page
    assert "To be imported: 1 new text" in check_again(address, format="conllu")


def test_numbered_names_are_suggested_as_chains(page_of):
    words = " ".join(f"w{number}" for number in range(60))
    starts = [words.index(f"w{number}") for number in range(60)]
    ann = "".join(
        f"T{n}\tLondon-{n} {start} {start + 2}\t{words[start : start + 2]}\n" for n, start in enumerate(starts)
    )
    page = page_of(("a.ann", ann), ("a.txt", words), format="brat", whose="one", coder="alice")
    assert "60 names in the files are a word and a number, such as “London-0”" in page
    assert 'name="option-types" value="chains"' in page
    assert page.index("London-0”") < page.index("<summary>Names in the files")


def test_omitted_names_are_listed_by_frequency(page_of):
    spans = "".join(f"T{n}\tMention {n} {n + 1}\t{sign}\n" for n, sign in enumerate("abcd"))
    names = ["number"] * 1 + ["genus"] * 3
    attributes = "".join(f"A{n}\t{name} T{n} x\n" for n, name in enumerate(names))
    page = page_of(("a.ann", spans + attributes), ("a.txt", "abcd"), format="brat", whose="one", coder="alice")
    assert "a.ann: 3 answers to 'genus', which the scheme does not ask" in html.unescape(page)
    assert "– in all 3 × genus, 1 × number" in page
