"""The list of docsets, where managers make new ones, and the project's pages that differ where it is of pyramids."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Docset, Membership, Project, Segment, Text
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.annotations.docsets.test_creation import SINKING
from tests.annotations.transfers.test_pyramids import SANK, pyr
from tests.conftest import person
from tests.shared.pyramids import SUMMARIES, build, codings_of, docset, models_of, pyramid_project

URL = "/projects/ferry/docsets/"


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    return docset(project, alice, bob)


@pytest.fixture
def manager(charlie, signed_in):
    """Return the client of Charlie, who manages a project without docsets."""
    add_member(pyramid_project(), charlie, Membership.Role.MANAGER)
    return signed_in(charlie)


def pasted(*summaries: tuple[str, str], **fields: object) -> dict[str, object]:
    rows: dict[str, object] = {"rows-TOTAL_FORMS": len(summaries), "rows-INITIAL_FORMS": 0}
    for number, (name, content) in enumerate(summaries):
        rows |= {f"rows-{number}-name": name, f"rows-{number}-content": content}
    return {"title": "The sinking", "slug": "", "do": "save"} | rows | fields


def file(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_an_empty_project_says_what_to_do_next(manager):
    page = manager.get(URL).content.decode()
    assert "No docsets yet" in page
    assert page.count("<textarea") == 4
    assert "Import DUCView files" in page


def test_pasted_summaries_become_a_docset(manager):
    reply = manager.post(URL, pasted(("one", "A ferry\r\nsank."), ("", ""), ("", "It was dawn.")), follow=True)
    assert reply.redirect_chain == [("/projects/ferry/docsets/the-sinking/", 302)]
    assert "A ferry\nsank." in reply.content.decode()
    assert list(Segment.objects.values_list("label", flat=True)) == ["one", "summary 2"]


def test_another_field_is_added_and_nothing_typed_is_lost(manager):
    typed = [("", "First & <second>"), ("b", " second "), ("", "third"), ("", "fourth")]
    page = manager.post(URL, pasted(*typed, do="more")).content.decode()
    assert page.count("<textarea") == 5
    assert "First &amp; &lt;second&gt;" in page
    assert 'value="The sinking"' in page
    assert not Docset.objects.exists()


def test_another_field_is_added_while_a_summary_is_half_typed(manager):
    page = manager.post(URL, pasted(("only a name", ""), title="", do="more"))
    assert page.status_code == 200
    assert 'value="only a name"' in page.content.decode()
    assert "errorlist" not in page.content.decode()


def test_more_than_a_form_holds_is_refused_and_not_left_out(manager):
    rows = [("", f"Summary {number}.") for number in range(100)]
    reply = manager.post(URL, pasted(*rows, files=[file("a.txt", b"One more.")]))
    assert reply.status_code == 400
    assert "These are 101 summaries; at most 100 can be added at once." in reply.content.decode()
    assert manager.post(URL, pasted(*rows, ("", "One more."))).status_code == 400
    assert not Docset.objects.exists()


def test_files_are_shown_before_anything_is_made(manager):
    files = [file("d1.A.txt", "Ünder water\n".encode()), file("d1.B.txt", b"\xef\xbb\xbfIt sank.")]
    page = manager.post(URL, pasted(("c", "Pasted too."), files=files)).content.decode()
    assert not Docset.objects.exists()
    assert all(words in page for words in ('value="d1.A"', "Ünder water", "It sank.", "Pasted too."))
    reply = manager.post(URL, pasted(("d1.A", "Ünder water\n"), ("d1.B", "It sank.")))
    assert reply.status_code == 302


def test_a_pyramid_of_ducview_becomes_a_docset_with_its_very_text(manager):
    reply = manager.post(URL, pasted(title="", files=[file("D1.pyr", pyr(SANK))]), follow=True)
    assert reply.redirect_chain == [("/projects/ferry/docsets/d1/", 302)]
    text = Text.objects.get()
    assert text.content.startswith("--- one\nThe ferry sank.")
    assert not Coding.objects.exists()


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (pasted(("", "A ferry.")), "two or more model summaries"),
        (pasted(("a", "A ferry."), ("A", "It sank.")), "same name"),
        (pasted(("a", "A ferry."), ("b", "...")), "has no words"),
        (pasted(("a", "A ferry."), ("b", "")), "Paste the summary, or clear its name"),
        (pasted(("", "A ferry."), ("", "It sank."), title=""), "Enter the subject of the summaries"),
        (pasted(("", "A ferry."), ("", "It sank."), title="船"), "No address can be derived"),
        (pasted(("", "A ferry."), ("", "It sank."), slug="No Slug"), "valid “slug”"),
        (pasted(files=[file("a.txt", b"\xff\xfe")]), "a.txt:1:1: this is not UTF-8"),
        (pasted(files=[file("a.pyr", b"<pyramid/>")]), "a.pyr:1: &lt;text&gt; is expected once"),
        (pasted(files=[file("a.pyr", pyr()), file("b.txt", b"x")]), "choose it alone"),
        ({}, "ManagementForm data is missing"),
    ],
)
def test_what_cannot_be_a_docset_is_said_at_its_field_and_nothing_is_made(manager, sent, message):
    reply = manager.post(URL, sent)
    assert reply.status_code == 400
    assert message in reply.content.decode()
    assert not Docset.objects.exists()
    assert not Text.objects.exists()


def test_an_address_that_is_taken_is_said_at_its_field(signed_in, ferry, charlie):
    reply = signed_in(charlie).post(URL, pasted(("", "A ferry."), ("", "It sank."), title="Sinking"))
    assert reply.status_code == 400
    assert "A docset or text with this address already exists." in reply.content.decode()


def test_those_who_see_all_work_see_who_is_how_far(signed_in, ferry, charlie):
    build(codings_of(models_of(ferry))["alice"], SINKING)
    page = signed_in(charlie).get(URL).content.decode()
    assert 'alice: <span class="chip good">submitted</span>' in page
    assert "bob: not started" in page
    assert ">26</td>" in page  # the words of the summaries, without their headers


def test_a_coder_sees_only_what_they_code(signed_in, ferry, alice, bob):
    create_docset(ferry.project, "secret", "Secret thing", SUMMARIES)
    build(codings_of(models_of(ferry))["alice"], SINKING)
    page = signed_in(bob).get(URL).content.decode()
    assert "The sinking" in page
    assert not any(word in page for word in ("alice", "Secret", "submitted", "New docset", "Agreed"))


def test_a_coder_without_a_docset_is_told_so(signed_in, ferry, mallory):
    add_member(ferry.project, mallory, Membership.Role.CODER)
    assert "No assignments yet" in signed_in(mallory).get(URL).content.decode()
    assert "No assignments yet" in signed_in(mallory).get("/projects/ferry/").content.decode()


def test_a_project_that_is_not_of_pyramids_has_no_docsets(signed_in, project, charlie):
    assert signed_in(charlie).get("/projects/tea/docsets/").status_code == 404
    assert "Docsets" not in signed_in(charlie).get("/projects/tea/").content.decode()


def test_the_number_of_queries_does_not_grow_with_the_docsets(signed_in, ferry, charlie, alice):
    def queries(address: str) -> int:
        client = signed_in(charlie)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    few = {address: queries(address) for address in (URL, "/projects/ferry/")}
    build(codings_of(models_of(ferry))["alice"], SINKING)
    for number in range(3):
        made = create_docset(ferry.project, f"d{number}", f"D {number}", SUMMARIES)
        assign_texts(ferry.project, [models_of(made)], [alice])
        add_peer(made, f"p{number}", "Peer", "A ferry.")
    assert {address: queries(address) for address in few} == few
    assert few[URL] <= 9


def test_the_home_of_the_project_says_scus_and_no_decisions(signed_in, ferry, charlie, alice):
    build(codings_of(models_of(ferry))["alice"], SINKING, hand_in=False)
    page = signed_in(charlie).get("/projects/ferry/").content.decode()
    assert "3 SCUs, 8 contributors" in page
    assert "not started" in page
    assert " decided" not in page
    own = signed_in(alice).get("/projects/ferry/").content.decode()
    assert "Continue The sinking" in own
    assert "3 SCUs, 8 contributors" in own
    assert "bob" not in own


def test_several_codings_of_a_coder_and_text_stand_apart(signed_in, ferry, charlie, alice):
    add_member(ferry.project, eve := person("eve"), Membership.Role.ADJUDICATOR)
    assign_texts(ferry.project, [models_of(ferry)], [eve])
    start_agreed_pyramid(ferry, eve, build(codings_of(models_of(ferry))["alice"], SINKING))
    page = signed_in(charlie).get("/projects/ferry/").content.decode()
    assert ">Pyramid</th>" in page
    assert ">Agreed pyramid</th>" in page
    assert "/texts/sinking/agreed/code/" in signed_in(eve).get("/projects/ferry/").content.decode()


def test_the_home_of_an_empty_project_says_what_to_do_next(manager):
    page = manager.get("/projects/ferry/").content.decode()
    assert "No docsets yet" in page
    assert "New docset" in page


def test_assigning_is_done_docset_by_docset(manager):
    assert manager.get("/projects/ferry/assign/").url == URL
    assert "Assign texts" not in manager.get("/projects/ferry/").content.decode()


def test_a_new_project_of_pyramids_opens_on_its_overview(signed_in, db):
    from annotations.models import User

    root = User.objects.create(username="root", is_superuser=True, is_staff=True)
    fields = {"title": "Sea", "slug": "sea", "scheme": "pyramid", "guidelines": ""}
    reply = signed_in(root).post("/projects/new/", fields)
    assert reply.url == "/projects/sea/"


def test_the_options_of_pyramids_stand_on_the_page_of_the_scheme(manager):
    page = manager.get("/projects/ferry/scheme/").content.decode()
    assert "One contributor per summary and SCU" in page
    assert "Coders create markables of" not in page
    assert manager.post("/projects/ferry/scheme/", {"one_contributor": "on"}).status_code == 302
    project = Project.objects.get()
    assert (project.one_contributor, project.words_exclusive) == (True, False)
    assert project.levels.get(coded=True).coders_mark
