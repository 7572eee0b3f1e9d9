"""The list of docsets, new docsets, and the other pages of pyramid projects."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.models import Coding, Docset, Membership, Project, Segment, Text
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.people.members import add_member
from tests.annotations.docsets.test_creation import SINKING
from tests.annotations.transfers.test_pyramids import SANK, pyr
from tests.shared.projects import person
from tests.shared.pyramids import SUMMARIES, build, codings_of, docset, models_of, pyramid_project

HOME = "/projects/ferry/"
URL = f"{HOME}docsets/"


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


def test_pasted_summaries_become_a_docset(manager):
    reply = manager.post(URL, pasted(("one", "A ferry\r\nsank."), ("", ""), ("", "It was dawn.")), follow=True)
    assert reply.redirect_chain == [("/projects/ferry/docsets/the-sinking/", 302)]
    assert "A ferry\nsank." in reply.content.decode()
    assert list(Segment.objects.values_list("label", flat=True)) == ["one", "summary 2"]


def test_added_field_keeps_typed_summaries(manager):
    typed = [("", "First & <second>"), ("b", " second "), ("", "third"), ("", "fourth")]
    page = manager.post(URL, pasted(*typed, do="more")).content.decode()
    assert page.count("<textarea") == 5
    assert "First &amp; &lt;second&gt;" in page
    assert 'value="The sinking"' in page
    half = manager.post(URL, pasted(("only a name", ""), title="", do="more"))
    assert (half.status_code, 'value="only a name"' in half.content.decode()) == (200, True)
    assert "errorlist" not in half.content.decode()
    assert not Docset.objects.exists()


def test_too_many_summaries_are_refused(manager):
    rows = [("", f"Summary {number}.") for number in range(100)]
    reply = manager.post(URL, pasted(*rows, files=[file("a.txt", b"One more.")]))
    assert reply.status_code == 400
    assert "These are 101 summaries; at most 100 can be added at once." in reply.content.decode()
    assert manager.post(URL, pasted(*rows, ("", "One more."))).status_code == 400
    assert not Docset.objects.exists()


def test_uploaded_summaries_are_previewed(manager):
    files = [file("d1.A.txt", "Ünder water\n".encode()), file("d1.B.txt", b"\xef\xbb\xbfIt sank.")]
    page = manager.post(URL, pasted(("c", "Pasted too."), files=files)).content.decode()
    assert not Docset.objects.exists()
    assert all(words in page for words in ('value="d1.A"', "Ünder water", "It sank.", "Pasted too."))
    reply = manager.post(URL, pasted(("d1.A", "Ünder water\n"), ("d1.B", "It sank.")))
    assert reply.status_code == 302


def test_ducview_pyramid_becomes_docset_with_its_text(manager):
    reply = manager.post(URL, pasted(title="", files=[file("D1.pyr", pyr(SANK))]), follow=True)
    assert reply.redirect_chain == [("/projects/ferry/docsets/d1/", 302)]
    text = Text.objects.get()
    assert text.content.startswith("--- one\nThe ferry sank.")
    assert not Coding.objects.of_people().exists()


def test_wrong_fields_create_no_docset(manager):
    for sent, message in (
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
    ):
        reply = manager.post(URL, sent)
        assert (reply.status_code, message in reply.content.decode()) == (400, True), message
    assert not Docset.objects.exists()
    assert not Text.objects.exists()
    create_docset(Project.objects.get(), "sinking", "Sinking", SUMMARIES)
    reply = manager.post(URL, pasted(("", "A ferry."), ("", "It sank."), title="Sinking"))
    assert (reply.status_code, "docset or text with this address already" in reply.content.decode()) == (400, True)


def test_manager_sees_progress_of_all_coders(signed_in, ferry, charlie):
    build(codings_of(models_of(ferry))["alice"], SINKING)
    page = signed_in(charlie).get(URL).content.decode()
    assert 'alice: <span class="chip good">submitted</span>' in page
    assert "bob: not started" in page
    assert ">26</td>" in page  # the words of the summaries, without their headers


def test_coder_sees_only_own_docsets(signed_in, ferry, alice, bob):
    create_docset(ferry.project, "secret", "Secret thing", SUMMARIES)
    build(codings_of(models_of(ferry))["alice"], SINKING)
    page = signed_in(bob).get(URL).content.decode()
    assert "The sinking" in page
    assert not any(word in page for word in ("alice", "Secret", "submitted", "New docset", "Agreed"))


def test_project_without_pyramids_has_no_docsets(signed_in, project, charlie):
    assert signed_in(charlie).get("/projects/tea/docsets/").status_code == 404
    assert "Docsets" not in signed_in(charlie).get("/projects/tea/").content.decode()


def test_pages_take_fixed_number_of_queries(signed_in, ferry, charlie, alice):
    def queries(address: str) -> int:
        client = signed_in(charlie)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    few = {address: queries(address) for address in (URL, HOME)}
    build(codings_of(models_of(ferry))["alice"], SINKING)
    for number in range(3):
        made = create_docset(ferry.project, f"d{number}", f"D {number}", SUMMARIES)
        assign_texts(ferry.project, [models_of(made)], [alice])
        add_peer(made, f"p{number}", "Peer", "A ferry.")
    assert {address: queries(address) for address in few} == few
    assert few[URL] <= 9


def test_overview_counts_scus_instead_of_decisions(signed_in, ferry, charlie, alice):
    build(codings_of(models_of(ferry))["alice"], SINKING, hand_in=False)
    page = signed_in(charlie).get("/projects/ferry/").content.decode()
    assert "3 SCUs, 8 contributors" in page
    assert "not started" in page
    assert " decided" not in page
    own = signed_in(alice).get("/projects/ferry/").content.decode()
    assert "Continue The sinking" in own
    assert "3 SCUs, 8 contributors" in own
    assert "bob" not in own


def test_overview_separates_pyramid_and_agreed_pyramid(signed_in, ferry, charlie, alice):
    add_member(ferry.project, eve := person("eve"), Membership.Role.ADJUDICATOR)
    assign_texts(ferry.project, [models_of(ferry)], [eve])
    start_agreed_pyramid(ferry, eve, build(codings_of(models_of(ferry))["alice"], SINKING))
    page = signed_in(charlie).get("/projects/ferry/").content.decode()
    assert ">Pyramid</th>" in page
    assert ">Agreed pyramid</th>" in page
    assert "/texts/sinking/agreed/code/" in signed_in(eve).get("/projects/ferry/").content.decode()


def test_pyramid_project_has_options_and_no_plan(manager):
    assert manager.get(f"{HOME}assign/").url == URL
    assert "Assign texts" not in manager.get(HOME).content.decode()
    page = manager.get(f"{HOME}scheme/").content.decode()
    assert "One contributor per summary and SCU" in page
    assert "Coders create markables of" not in page
    assert manager.post("/projects/ferry/scheme/", {"one_contributor": "on"}).status_code == 302
    project = Project.objects.get()
    assert (project.one_contributor, project.words_exclusive) == (True, False)
    assert project.levels.get(coded=True).coders_mark


@pytest.fixture
def scored(ferry, alice, bob) -> Docset:
    """Assign five peers to Alice, and the first peer to Bob."""
    peers = [add_peer(ferry, f"p{number}", f"System {number}", "A ferry sank.") for number in range(5)]
    assign_peers(ferry, peers, [alice], agreed=False)
    assign_peers(ferry, peers[:1], [bob], agreed=False)
    return ferry


ROW = re.compile(r'<tr><th scope="row">([^<]*)</th>')


@pytest.mark.parametrize("address", [HOME, f"{URL}sinking/"])
def test_tasks_have_pages_and_search(signed_in, scored, charlie, monkeypatch, address):
    manager = signed_in(charlie)

    def shown(query: str = "") -> list[str]:
        return ROW.findall(manager.get(f"{address}?{query}").content.decode())

    tasks = ["Pyramid", *(f"System {number}" for number in range(5))]
    assert shown() == tasks
    assert 'role="search"' not in manager.get(address).content.decode()
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 2)
    assert [shown(f"page={number}") for number in (1, 2, 3)] == [tasks[:2], tasks[2:4], tasks[4:]]
    assert shown("q=SYSTEM+3") == ["System 3"]
    page = manager.get(f"{address}?q=ghost&page=2").content.decode()
    assert ROW.findall(page) == []
    assert "matches. <a href" in page
    assert "No docsets yet" not in page
    assert "No assignments yet" not in page
    assert 'value="ghost"' in page
    assert "<b>" not in manager.get(f"{address}?q=<b>").content.decode()


def test_columns_of_coders_have_pages(signed_in, scored, charlie, monkeypatch):
    monkeypatch.setattr("annotations.web.views.docsets.CODERS_ON_A_PAGE", 1)
    client = signed_in(charlie)
    first, second = (client.get(f"{HOME}?coders={number}").content.decode() for number in (1, 2))
    assert [name in first for name in ('<th scope="col">alice', '<th scope="col">bob')] == [True, False]
    assert [name in second for name in ('<th scope="col">alice', '<th scope="col">bob')] == [False, True]


@pytest.mark.parametrize("address", [HOME, f"{URL}sinking/"])
def test_coder_searches_own_tasks_by_displayed_names(signed_in, scored, alice, monkeypatch, address):
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 4)
    client = signed_in(alice)
    pages = [client.get(f"{address}?own={number}").content.decode() for number in (1, 2)]
    own = [sorted(set(re.findall(r">(Pyramid|Peer [A-Z0-9]+)</a>", page))) for page in pages]
    assert [len(names) for names in own] == [4, 2]
    assert "Start The sinking" in client.get(f"{HOME}?q=ghost").content.decode()  # what is next is no part of the list
    name = own[1][0]
    found = client.get(f"{address}?q={name.replace(' ', '+')}").content.decode()
    assert re.findall(r">(Peer [A-Z0-9]+)</a>", found) == [name]
    assert "No docset or summary" in client.get(f"{HOME}?q=System+3").content.decode()  # the name that others see


def test_peers_and_unstarted_assignments_have_pages(signed_in, scored, charlie, monkeypatch):
    monkeypatch.setattr("annotations.web.views.docsets.PEERS_ON_A_PAGE", 2)
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 3)
    client = signed_in(charlie)
    first, last = (client.get(f"{URL}sinking/?peers={n}&unassign={n}").content.decode() for n in (1, 3))
    assert [page.count('class="reading"') for page in (first, last)] == [3 + 2, 3 + 1]
    assert [page.count(">Unassign</button>") for page in (first, last)] == [3, 2]


def test_list_of_docsets_names_first_coders(signed_in, ferry, charlie, monkeypatch):
    monkeypatch.setattr("annotations.docsets.progress.MAX_PYRAMIDS", 1)
    page = signed_in(charlie).get(URL).content.decode()
    assert "alice: not started" in page
    assert "bob:" not in page
    assert "and 1 more" in page


def test_long_lists_of_coders_and_peers_are_typed(signed_in, scored, charlie, alice, bob, monkeypatch):
    client, address = signed_in(charlie), f"{URL}sinking/assign/"
    assert "All peer summaries" not in client.get(address).content.decode()
    monkeypatch.setattr("annotations.core.http.fields.MAX_CHOICES", 1)
    page = client.get(address).content.decode()
    assert re.search(r'<textarea name="coders"[^>]*placeholder="2 to choose from', page)
    assert re.search(r'<textarea name="peers"[^>]*placeholder="5 to choose from', page)
    sent = {"coders": "bob", "against": "own"}
    refused = client.post(address, {**sent, "peers": "p1 ghost"})
    assert refused.status_code == 400
    assert "ghost is not one of the available choices" in refused.content.decode()
    assert "1 assignment created." in client.post(address, {**sent, "peers": "p1, p0"}, follow=True).content.decode()
    page = client.post(address, {**sent, "coders": "alice\r\nbob", "all_peers": "on"}, follow=True).content.decode()
    assert "3 assignments created." in page
    assert Coding.objects.of_people().filter(kind="peer", coder=bob).count() == 5
