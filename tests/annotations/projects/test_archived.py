"""Archived projects, copies of projects, and deletion of projects."""

import json
from datetime import date

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command

from annotations.coding.status import submit_coding
from annotations.docsets.creation import add_peer, create_docset
from annotations.models import (
    Coding,
    Invitation,
    Markable,
    Membership,
    Plan,
    PlanText,
    Project,
    RepeatPlan,
    Text,
    Transfer,
    User,
)
from annotations.planning.plans.plans import apply_plan
from annotations.planning.repeats import RepeatRequest, apply_repeats
from annotations.projects.locks import ProjectArchived, set_archived
from annotations.projects.people.invitations import find_invitation, invite
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import scheme_state
from annotations.texts.changes import delete_project, delete_text, deletion_figures, project_deletion_figures
from annotations.texts.cloning import clone_project
from annotations.transfers import orders
from annotations.transfers.archiving import archive_project, restore_project
from tests.access.role_world import upload
from tests.shared.plans import CODERS, make_large_project, plan_request
from tests.shared.projects import person
from tests.shared.pyramids import SUMMARIES, pyramid_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def creator(charlie):
    """Return the manager with the permission to create projects."""
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    return User.objects.get(pk=charlie.pk)


@pytest.fixture
def archived(project, text, codings):
    set_archived(project, archived=True)
    project.refresh_from_db()
    return project


def judgement(keys):
    payload = {"markable": keys["a"], "category": "place", "pointers": []}
    uuid = "6f1b1b6e-7f5e-4d0b-9a53-0c1a3b6f5d11"
    return {"version": 0, "operations": [{"uuid": uuid, "kind": "judge", "payload": payload}]}


def test_members_read_archived_project_and_coders_see_notice(signed_in, alice, charlie, archived):
    coder = signed_in(alice)
    for address in ("/projects/tea/", "/projects/tea/scheme/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert coder.get(address).status_code == 200
    page = coder.get("/projects/tea/texts/tea/code/").content.decode()
    assert "This project is archived: it can only be read." in page
    assert '"status": "archived"' in page
    assert signed_in(charlie).get("/projects/tea/members/").status_code == 200


def test_pages_and_api_refuse_writes_to_archived_project(signed_in, alice, charlie, archived, keys):
    refused = signed_in(alice).post(
        "/api/v1/projects/tea/texts/tea/coding/operations/", json.dumps(judgement(keys)), "application/json"
    )
    assert (refused.status_code, refused.json()["code"]) == (423, "archived")
    manager = signed_in(charlie)
    for address in ("submit/", "edit/", "delete/"):
        who = signed_in(alice) if address == "submit/" else manager
        page = who.post(f"/projects/tea/texts/tea/{address}", {"title": "New"})
        assert page.status_code == 403
        assert "is archived: it can only be read" in page.content.decode()
    changes = {"title": "New"}
    assert manager.patch("/api/v1/projects/tea/", changes, "application/json").json()["code"] == "archived"
    assert Project.objects.get().title == "Tea"


def test_outsiders_do_not_learn_that_project_is_archived(signed_in, mallory, archived):
    assert signed_in(mallory).post("/projects/tea/settings/").status_code in (404, 405)
    assert signed_in(mallory).post("/projects/tea/archive/").status_code == 404


def test_functions_and_commands_refuse_archived_project(archived, text, charlie, mallory, tmp_path):
    figures = deletion_figures(Text.objects.all())
    for attempt in (lambda: add_member(archived, mallory, "coder"), lambda: delete_text(text, figures.tag)):
        with pytest.raises(ProjectArchived):
            attempt()
    file = tmp_path / "milk.txt"
    file.write_text("The [milk](a) is sour.")
    with pytest.raises(CommandError, match="is archived"):
        call_command("import_codings", "plain", str(file), "--project=tea", "--texts-only")
    assert Text.objects.count() == 1


def test_checked_import_fails_in_archived_project(project, charlie):
    bring = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
    order = orders.order_import(project, charlie, [upload()], "conll2012", bring)
    assert order.state == Transfer.State.CHECKED
    set_archived(project, archived=True)
    orders.carry_out(order, charlie)
    assert (order.state, "is archived" in order.error) == (Transfer.State.FAILED, True)
    assert not project.texts.filter(slug="dog").exists()


def test_archived_project_is_exported(signed_in, charlie, archived):
    manager = signed_in(charlie)
    page = manager.post("/projects/tea/export/", {"format": "project"})
    assert page.status_code == 302
    assert manager.post(f"{page['Location']}carry-out/").status_code == 302
    assert Transfer.objects.get().state == Transfer.State.DONE


def test_invitations_pause_while_project_is_archived(project, charlie):
    _, secret = invite(project, "coder", charlie, days=1)
    set_archived(project, archived=True)
    assert find_invitation(secret) is None
    set_archived(project, archived=False)
    assert find_invitation(secret) == Invitation.objects.get()


def test_manager_archives_project_after_confirmation_and_reopens_it(signed_in, alice, charlie, project, codings):
    manager = signed_in(charlie)
    assert "2 codings not submitted" in manager.post("/projects/tea/archive/").content.decode()
    assert Project.objects.get().archived_at is None
    manager.post("/projects/tea/archive/", {"confirmed": "1"})
    assert "/projects/tea/" not in signed_in(alice).get("/").content.decode()
    assert "/projects/tea/" in signed_in(alice).get("/?archived=1").content.decode()
    manager.post("/projects/tea/unarchive/")
    assert Project.objects.get().archived_at is None
    assert "/projects/tea/" in signed_in(alice).get("/").content.decode()


def test_api_archives_finds_and_reopens_project(signed_in, charlie, project):
    manager, url = signed_in(charlie), "/api/v1/projects/"
    assert manager.put(f"{url}tea/archived/").json()["archived_at"] is not None
    for asked, found in (("true", ["tea"]), ("false", [])):
        assert [row["slug"] for row in manager.get(f"{url}?archived={asked}").json()["results"]] == found
    assert manager.delete(f"{url}tea/archived/").json()["archived_at"] is None


def test_restored_project_stays_archived(tmp_path, archived, charlie):
    path = tmp_path / "tea.zip"
    with path.open("wb") as file:
        archive_project(archived, file)
    restored = restore_project(path.read_bytes(), slug="copy", by=charlie).project
    assert restored.archived_at == archived.archived_at


@pytest.mark.parametrize("texts", [False, True])
def test_copy_has_scheme_guidelines_settings_and_optional_texts(project, text, codings, keys, creator, texts):
    told = {"guidelines": "*Look.*", "unmarked": "missing", "licence": "CC0"}
    Project.objects.filter(pk=project.pk).update(results_open=True, **told)
    clone = clone_project(Project.objects.get(pk=project.pk), "copy", "Copy", creator, texts=texts)
    clone.refresh_from_db()
    assert ({name: getattr(clone, name) for name in told}, clone.results_open) == (told, False)
    assert [version.number for version in clone.guidelines_versions.all()] == [1]
    assert scheme_state(clone) == scheme_state(project)
    assert list(clone.memberships.values_list("user__username", "role")) == [("charlie", "manager")]
    assert not Coding.objects.of_people().filter(text__project=clone).exists()
    for rows, field in (
        (Text.objects.values_list("slug", "title", "content", "rounds__name", "position"), "project"),
        (Markable.objects.values_list("key", "level__key"), "text__project"),
    ):
        here, there = (list(rows.filter(**{field: of})) for of in (project, clone))
        assert there == (here if texts else [])
    assert {*Markable.objects.filter(text__project=clone).values_list("level__project", flat=True)} <= {clone.pk}


@pytest.mark.parametrize("texts", [True, False])
def test_copy_has_designs_of_plans_without_coders_and_dates(charlie, creator, signed_in, texts):
    large = make_large_project()
    apply_plan(large, plan_request(k=3, calibration=2, due_on=date(2026, 3, 1)))
    apply_repeats(large, RepeatRequest(share=0.5))
    copied = clone_project(large, "copy", "Copy", creator, texts=texts)
    plan = Plan.objects.get(round__project=copied)
    assert (plan.design, plan.k, plan.seed, plan.due_on, plan.coders.count()) == ("k", 3, 7, None, 0)
    calibration = set(PlanText.objects.filter(plan__round__project=large, calibration=True).values_list("text__slug"))
    assert set(plan.texts.filter(calibration=True).values_list("text__slug")) == (calibration if texts else set())
    assert not RepeatPlan.objects.filter(round__project=copied).exists()
    if texts:  # the page begins with a preview of the same design
        for name in CODERS:
            add_member(copied, person(name), Membership.Role.CODER)
        page = signed_in(creator).get("/projects/copy/assign/").content.decode()
        assert "38 new assignments" in page


def test_copy_of_pyramids_has_docsets_with_own_summaries(creator):
    project = pyramid_project("ferry")
    docset = create_docset(project, "sinking", "Sinking", SUMMARIES)
    add_peer(docset, "swimmers", "Swimmers", "The ferry sank.")
    clone = clone_project(project, "copy", "Copy", creator, texts=True)
    copied = clone.docsets.get()
    assert copied.pk != docset.pk
    assert list(copied.texts.values_list("slug", "role")) == list(docset.texts.values_list("slug", "role"))
    labels = [list(own.texts.get(role="models").segments.values_list("label", flat=True)) for own in (docset, copied)]
    assert labels[0] == labels[1] != []


@pytest.mark.parametrize("fields", [{"slug": "tea"}, {"slug": "new"}, {"slug": "a b"}, {"title": ""}])
def test_copy_with_wrong_title_or_address_is_refused(signed_in, project, creator, fields):
    page = signed_in(creator).post("/projects/tea/clone/", {"title": "Copy", "slug": "copy", **fields})
    assert page.status_code == 400
    assert Project.objects.count() == 1


def test_api_copies_project(signed_in, project, text, creator):
    sent = {"slug": "copy", "title": "Copy", "texts": True}
    answer = signed_in(creator).post("/api/v1/projects/tea/clones/", sent, "application/json")
    assert (answer.status_code, answer.json()["role"]) == (201, "manager")
    assert Project.objects.get(slug="copy").texts.count() == 1


def test_deletion_page_lists_content_and_requires_title(signed_in, charlie, alice, project, codings):
    submit_coding(codings["alice"], alice)
    manager = signed_in(charlie)
    page = manager.get("/projects/tea/delete/").content.decode()
    assert all(part in page for part in ("1 submitted coding", "1 empty assignment", "?format=project"))
    tag = project_deletion_figures(project).tag
    assert manager.post("/projects/tea/delete/", {"seen": tag, "title": "Milk"}).status_code == 400
    assert manager.post("/projects/tea/delete/", {"seen": "old", "title": "Tea"})["Location"] == "/projects/tea/delete/"
    assert Project.objects.exists()
    assert manager.post("/projects/tea/delete/", {"seen": tag, "title": "Tea"})["Location"] == "/"
    assert not any(model.objects.exists() for model in (Project, Text, Coding, Membership, Transfer))
    assert User.objects.filter(username="alice").exists()


def test_deletion_of_project_removes_its_files(project, charlie, codings, django_capture_on_commit_callbacks):
    order = orders.order_export(project, charlie, "project", {})
    orders.carry_out(order, charlie)
    order.refresh_from_db()
    storage, name = order.file.storage, order.file.name
    assert storage.exists(name)
    with django_capture_on_commit_callbacks(execute=True):
        delete_project(project, project_deletion_figures(project).tag)
    assert not storage.exists(name)


def test_archived_pyramid_project_is_deleted():
    project = pyramid_project("ferry")
    add_peer(create_docset(project, "sinking", "Sinking", SUMMARIES), "swimmers", "Swimmers", "The ferry sank.")
    set_archived(project, archived=True)
    delete_project(project, project_deletion_figures(project).tag)
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("query", "tag", "status"),
    [("", "*", 400), ("?title=Milk", "*", 400), ("?title=Tea", "", 428), ("?title=Tea", "*", 204)],
)
def test_api_deletes_project_by_title_and_tag(signed_in, charlie, project, codings, query, tag, status):
    headers = {"If-Match": tag} if tag else {}
    assert signed_in(charlie).delete(f"/api/v1/projects/tea/{query}", headers=headers).status_code == status
    assert Project.objects.exists() == (status != 204)
