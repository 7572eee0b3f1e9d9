"""Bringing texts and codings by upload."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings

from annotations import actions, operations
from annotations.models import Coding, Markable, Membership, Text, User
from tests.conftest import make_project

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
    """A project that answers by indices; Alice and Bob code, Charlie manages. It has the text "tea" already."""
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    return project


@pytest.fixture
def upload(signed_in, charlie, walk):
    client = signed_in(charlie)

    def upload(*files, **fields):
        form = {"format": "conll2012", "whose": "nobody"} | fields
        sent = [SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode()) for name, data in files]
        return client.post(URL, form | {"files": sent})

    return upload


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def sizes():
    return [model.objects.count() for model in (Text, Markable, Coding, User)]


def test_texts_of_nobody_bring_markables_that_all_see(upload, walk):
    assert upload(("dog.conll", CONLL)).url == "/projects/walk/"
    text = walk.texts.exclude(slug="tea").get()
    assert text.content.split() == ["Anna", "took", "her", "dog"]
    assert list(text.markables.values_list("predefined", flat=True)) == [True, True]
    assert not Coding.objects.exists()


def test_a_zip_with_a_folder_for_each_coder_brings_their_codings(upload, walk, charlie):
    answer = upload(("all.zip", zipped(**{"alice/dog.conll": CONLL, "bob/dog.conll": BY_BOB})), whose="parent")
    assert answer.status_code == 302
    codings = {coding.coder.username: coding for coding in Coding.objects.select_related("coder")}
    assert {name: coding.status for name, coding in codings.items()} == {"alice": "submitted", "bob": "submitted"}
    indices = {
        name: [judgement["indices"] for judgement in operations.judgements_of(coding).values()]
        for name, coding in codings.items()
    }
    assert indices == {"alice": [["1"], ["2"]], "bob": [["1"], ["1"]]}
    assert {op.user for coding in codings.values() for op in coding.operations.all()} == {charlie}


def test_the_page_then_tells_what_came(upload):
    answer = upload(("dog.conll", CONLL), whose="one", coder="alice")
    page = answer.client.get("/projects/walk/").content.decode()
    assert "Imported: 1 new text, 2 new markables, 1 coding, 2 judgements." in page


def test_the_coder_may_stand_in_the_name_of_the_file(upload):
    upload(("dog.alice.conll", CONLL), ("dog.bob.conll", BY_BOB), whose="name")
    assert set(Coding.objects.values_list("coder__username", flat=True)) == {"alice", "bob"}


def test_coders_that_lack_are_made_only_if_asked_for(upload, walk):
    before = sizes()
    answer = upload(("dog.conll", CONLL), whose="one", coder="zoe")
    assert (answer.status_code, sizes()) == (400, before)
    assert "nobody called" in answer.content.decode()
    assert upload(("dog.conll", CONLL), whose="one", coder="zoe", create="on").status_code == 302
    assert not User.objects.get(username="zoe").has_usable_password()


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
        ([("dog.conll", CONLL)], {"whose": "parent"}, "lies in no folder"),
        ([("dog.conll", CONLL)], {"whose": "name"}, "has no coder in it"),
        ([("dog.conll", CONLL)], {"whose": "one"}, "Say whose files these are"),
        ([("dog.conll", CONLL)], {"whose": "one", "coder": "charlie"}, "does not code"),
        ([("dog.conll", CONLL)], {"whose": "ghost"}, "not one of the available choices"),
        ([("dog.conll", CONLL)], {"format": "ghost"}, "not one of the available choices"),
        ([("dog.conll", CONLL), ("dog.conll", CONLL)], {}, "two files have this name"),
        ([("dog.conll", "")], {}, "empty"),
        ([], {}, "Choose at least one file"),
        ([("tea.txt", "[Other](a) words")], {"format": "plain"}, "tea"),
    ],
)
def test_wrong_files_are_named_and_leave_the_database_unchanged(upload, files, fields, says):
    before = sizes()
    answer = upload(*files, **fields)
    assert answer.status_code == 400
    assert says in answer.content.decode()
    assert sizes() == before


def test_the_same_texts_again_are_no_error(upload):
    assert upload(("dog.conll", CONLL)).status_code == 302
    assert upload(("dog.conll", CONLL)).status_code == 302


def test_one_bad_file_is_named_and_does_not_spoil_the_others(upload):
    answer = upload(("dog.alice.conll", CONLL), ("cat.bob.conll", "nonsense"), whose="name")
    assert answer.status_code == 302
    page = answer.client.get("/projects/walk/").content.decode()
    assert "Imported: 1 new text, 2 new markables, 1 coding, 2 judgements, 1 file refused." in page
    assert "Refused: cat.bob.conll:1" in page
    assert list(Coding.objects.values_list("text__slug", "coder__username")) == [("dog", "alice")]


def test_a_coding_that_is_there_is_not_overwritten(upload):
    upload(("dog.conll", CONLL), whose="one", coder="alice")
    before = sizes()
    answer = upload(("dog.conll", BY_BOB), whose="one", coder="alice")
    assert answer.status_code == 400
    assert "stays as it is" in answer.content.decode()
    assert sizes() == before


def test_too_many_or_too_large_files_are_refused(upload):
    with override_settings(IMPORT_MAX_FILES=1):
        assert "at most 1 file" in upload(("a.conll", CONLL), ("b.conll", CONLL)).content.decode()
    with override_settings(IMPORT_MAX_BYTES=100):
        assert upload(("a.conll", CONLL)).status_code == 400
        assert upload(("a.zip", zipped(**{"x/a.conll": CONLL * 50}))).status_code == 400
    assert Text.objects.count() == 1


def test_what_a_file_says_of_itself_is_escaped_in_the_message(upload):
    answer = upload(("<b>x.conll", "nonsense"))
    assert answer.status_code == 400
    assert "<b>x" not in answer.content.decode()


@pytest.mark.parametrize(
    ("role", "expected"),
    [("manager", 200), ("adjudicator", 403), ("viewer", 403), ("coder", 403), ("outsider", 404)],
)
def test_only_a_manager_imports(signed_in, people, role, expected):
    assert signed_in(people[role]).get("/projects/tea/import/").status_code == expected
    file = SimpleUploadedFile("dog.conll", CONLL.encode())
    form = {"format": "conll2012", "whose": "nobody", "files": [file]}
    assert signed_in(people[role]).post("/projects/tea/import/", form).status_code == (
        302 if expected == 200 else expected
    )
    assert Text.objects.count() == (2 if expected == 200 else 1)
