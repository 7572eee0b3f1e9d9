"""Managers who code are blind to the work of others until results are open."""

import pytest
from django.core.exceptions import ValidationError

from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Coding, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.anonymization import forget_person
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.archiving import archive_project, restore_project
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.shared.coding import judge
from tests.shared.projects import DIALOGUE, person
from tests.shared.pyramids import pyramid_project

HOME = "/projects/tea/"
WHY = "until the results are open to coders you see nothing of the others’ work"


@pytest.fixture
def maya(project, codings, keys):
    """Let Maya manage the project and code its text; Alice has coded it and made a mark."""
    maya = person("maya")
    add_member(project, maya, "manager-coder")
    assign_texts(project, project.texts.all(), [maya])
    judge(codings["alice"], keys["a"], "place", note="Her secret")
    level = project.levels.get(key="phrase")
    mark = codings["alice"].text.markables.create(
        level=level, key="phrase:0-1", parts=[[0, 1]], start=0, end=1, predefined=False
    )
    codings["alice"].judgements.create(markable=mark)
    submit_coding(codings["alice"], codings["alice"].coder)
    Coding.objects.of_people().filter(coder__username="alice").update(reopen_request="Her reason")
    return maya


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


MANAGING = ["", "texts/", "texts/tea/", "texts/tea/edit/", "members/", "assign/", "scheme/", "texts/tea/code/"]
CLOSED = [f"agreement/{page}" for page in ("", "headline/", "items/", "flags/")]
CLOSED += ["texts/tea/delete/", "transfers/", "import/", "export/"]


@pytest.mark.parametrize("rest", MANAGING)
def test_management_pages_hide_work_of_others(signed_in, maya, rest):
    shown = page(signed_in(maya), HOME + rest)
    assert "Her secret" not in shown
    assert "Her reason" not in shown
    assert ">submitted" not in shown


@pytest.mark.parametrize("rest", CLOSED)
def test_revealing_pages_are_refused_until_results_are_open(signed_in, maya, rest):
    client = signed_in(maya)
    answer = client.get(HOME + rest)
    assert answer.status_code == 403
    assert WHY in answer.content.decode()
    Project.objects.update(results_open=True)
    assert client.get(HOME + rest).status_code == 200


def test_list_of_texts_counts_no_marks_or_submissions_of_others(signed_in, charlie, maya):
    assert ">7</td>" in page(signed_in(charlie), f"{HOME}texts/").replace("\n", "")
    own = page(signed_in(maya), f"{HOME}texts/").replace("\n", "")
    assert ">6</td>" in own
    assert "alice" not in own.partition("<table")[2]


def test_blind_manager_may_not_reopen_or_unassign(signed_in, maya, codings):
    client = signed_in(maya)
    for rest in ("reopen/", "unassign/"):
        assert client.post(f"{HOME}texts/tea/codings/alice/{rest}", {"confirmed": "1"}).status_code == 403
    codings["alice"].refresh_from_db()
    assert codings["alice"].status == "submitted"


def test_blind_manager_manages_texts_people_assignments_and_scheme(signed_in, maya, project, alice):
    client = signed_in(maya)
    pasted = {"paste": "1", "paste-title": "New", "paste-content": "Rain."}
    order = client.post(f"{HOME}add-texts/", pasted)
    assert client.get(order.url).status_code == 200
    client.post(f"{order.url}carry-out/")
    new = project.texts.get(title="New")
    for coder in (alice, maya):
        client.post(f"{HOME}rounds/main/cell/", {"text": new.slug, "coder": coder.username, "on": "1"})
    assert set(new.codings.of_people().values_list("coder__username", flat=True)) == {"alice", "maya"}
    client.post(f"{HOME}members/", {"username": person("fred").username, "role": "coder"})
    assert project.memberships.get(user__username="fred").role == "coder"
    level = project.levels.get(key="phrase")
    scheme = scheme_to_json(read_scheme(project.pk).spec, project.answers)
    address, headers = f"/api/v1{HOME}scheme/", {"If-Match": "*"}
    scheme["levels"][0]["coders_mark"] = True
    assert client.put(address, scheme, "application/json", headers=headers).status_code == 200
    level.refresh_from_db()
    assert level.coders_mark
    # Whether another category can be left out, and how many answers have it, tells of answers.
    scheme["categories"].pop()
    for method, rest in ((client.put, ""), (client.post, "preview/")):
        assert method(f"{address}{rest}", scheme, "application/json", headers=headers).status_code == 403


def test_upload_does_not_reveal_marks_of_coders(project, maya):
    """The upload contains a markable that only Alice marked; the report counts it as new."""
    marked = DIALOGUE.replace("put [the kettle]", "[p](z)ut [the kettle]")
    assert marked != DIALOGUE
    source = SourceDocument(plain.parse(marked, "tea.txt"), None)
    known = import_documents(project, [source], ImportOptions(trial=True))
    project.texts.get().markables.filter(key="phrase:0-1").delete()
    unknown = import_documents(project, [source], ImportOptions(trial=True))
    assert known.markables == unknown.markables == 1
    assert (str(known), known.previews) == (str(unknown), unknown.previews)


def test_members_who_code_change_only_between_blind_roles(project, maya, alice):
    for role in ("manager", "adjudicator", "viewer"):
        for member in (maya, alice):
            with pytest.raises(ValidationError, match="stay blind"):
                add_member(project, member, role)
    assert add_member(project, alice, "manager-coder").role == "manager-coder"
    assert add_member(project, alice, "coder").role == "coder"
    assert add_member(project, maya, "coder").role == "coder"


def test_manager_who_codes_counts_as_last_manager(project, charlie, maya):
    add_member(project, charlie, "viewer")
    with pytest.raises(ValidationError, match="only manager"):
        add_member(project, maya, "coder")
    with pytest.raises(ValidationError, match="only manager"):
        forget_person(maya)
    add_member(project, charlie, "manager")
    forget_person(maya)
    assert project.memberships.get(user=maya).role == "coder"


def test_pyramid_project_refuses_role_manager_coder(db):
    with pytest.raises(ValidationError, match="do not know their names"):
        add_member(pyramid_project("ferry"), person("maya"), "manager-coder")


def test_methods_text_states_that_manager_coded(signed_in, charlie, maya, keys):
    coding = Coding.objects.of_people().select_related("coder", "text").get(coder=maya)
    assert "managed the project" not in page(signed_in(charlie), f"{HOME}agreement/methods/")
    judge(coding, keys["a"], "place")
    submit_coding(coding, maya)
    shown = page(signed_in(charlie), f"{HOME}agreement/methods/")
    assert "1 of the coders also managed the project, blind to the work of the others." in shown


def test_archive_keeps_role_manager_coder(project, maya, tmp_path):
    with (tmp_path / "tea.zip").open("wb") as out:
        archive_project(project, out)
    restored = restore_project((tmp_path / "tea.zip").read_bytes(), slug="again").project
    assert restored is not None
    assert Membership.objects.get(project=restored, user=maya).role == "manager-coder"
