"""An archived project is read and not written, by whatever path; it is copied, and deleted by its title."""

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
def maker(charlie):
    """Return the manager, who may start projects."""
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


def test_members_read_it_and_coders_see_why_they_cannot_go_on(signed_in, alice, charlie, archived):
    coder = signed_in(alice)
    for address in ("/projects/tea/", "/projects/tea/scheme/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert coder.get(address).status_code == 200
    page = coder.get("/projects/tea/texts/tea/code/").content.decode()
    assert "This project is archived: it can only be read." in page
    assert '"status": "archived"' in page
    assert signed_in(charlie).get("/projects/tea/members/").status_code == 200


def test_no_page_and_no_request_of_the_api_writes_to_it(signed_in, alice, charlie, archived, keys):
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


def test_who_is_no_member_does_not_hear_that_it_is_archived(signed_in, mallory, archived):
    assert signed_in(mallory).post("/projects/tea/settings/").status_code in (404, 405)
    assert signed_in(mallory).post("/projects/tea/archive/").status_code == 404


def test_functions_and_commands_refuse_it_too(archived, text, charlie, mallory, tmp_path):
    figures = deletion_figures(Text.objects.all())
    for attempt in (lambda: add_member(archived, mallory, "coder"), lambda: delete_text(text, figures.tag)):
        with pytest.raises(ProjectArchived):
            attempt()
    file = tmp_path / "milk.txt"
    file.write_text("The [milk](a) is sour.")
    with pytest.raises(CommandError, match="is archived"):
        call_command("import_codings", "plain", str(file), "--project=tea", "--texts-only")
    assert Text.objects.count() == 1


def test_an_import_that_was_checked_before_is_not_carried_out(project, charlie):
    bring = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
    order = orders.order_import(project, charlie, [upload()], "conll2012", bring)
    assert order.state == Transfer.State.CHECKED
    set_archived(project, archived=True)
    orders.carry_out(order, charlie)
    assert (order.state, "is archived" in order.error) == (Transfer.State.FAILED, True)
    assert not project.texts.filter(slug="dog").exists()


def test_it_is_exported_all_the_same(signed_in, charlie, archived):
    manager = signed_in(charlie)
    page = manager.post("/projects/tea/export/", {"format": "project"})
    assert page.status_code == 302
    assert manager.post(f"{page['Location']}carry-out/").status_code == 302
    assert Transfer.objects.get().state == Transfer.State.DONE


def test_its_invitations_wait_until_it_is_open_again(project, charlie):
    _, secret = invite(project, "coder", charlie, days=1)
    set_archived(project, archived=True)
    assert find_invitation(secret) is None
    set_archived(project, archived=False)
    assert find_invitation(secret) == Invitation.objects.get()


def test_a_manager_archives_it_after_a_question_and_opens_it_again(signed_in, alice, charlie, project, codings):
    manager = signed_in(charlie)
    assert "2 codings not submitted" in manager.post("/projects/tea/archive/").content.decode()
    assert Project.objects.get().archived_at is None
    manager.post("/projects/tea/archive/", {"confirmed": "1"})
    assert "/projects/tea/" not in signed_in(alice).get("/").content.decode()
    assert "/projects/tea/" in signed_in(alice).get("/?archived=1").content.decode()
    manager.post("/projects/tea/unarchive/")
    assert Project.objects.get().archived_at is None
    assert "/projects/tea/" in signed_in(alice).get("/").content.decode()


def test_by_the_api_it_is_archived_found_and_opened(signed_in, charlie, project):
    manager, url = signed_in(charlie), "/api/v1/projects/"
    assert manager.put(f"{url}tea/archived/").json()["archived_at"] is not None
    for asked, found in (("true", ["tea"]), ("false", [])):
        assert [one["slug"] for one in manager.get(f"{url}?archived={asked}").json()["results"]] == found
    assert manager.delete(f"{url}tea/archived/").json()["archived_at"] is None


def test_an_archive_of_it_is_archived_again(tmp_path, archived, charlie):
    path = tmp_path / "tea.zip"
    with path.open("wb") as file:
        archive_project(archived, file)
    restored = restore_project(path.read_bytes(), slug="copy", by=charlie).project
    assert restored.archived_at == archived.archived_at


@pytest.mark.parametrize("texts", [False, True])
def test_a_copy_has_scheme_guidelines_settings_and_texts_if_wanted(project, text, codings, keys, maker, texts):
    told = {"guidelines": "*Look.*", "unmarked": "missing", "licence": "CC0"}
    Project.objects.filter(pk=project.pk).update(results_open=True, **told)
    clone = clone_project(Project.objects.get(pk=project.pk), "copy", "Copy", maker, texts=texts)
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
def test_a_copy_has_the_designs_of_plans_without_their_coders_and_dates(charlie, maker, signed_in, texts):
    large = make_large_project()
    apply_plan(large, plan_request(k=3, calibration=2, due_on=date(2026, 3, 1)))
    apply_repeats(large, RepeatRequest(share=0.5))
    copied = clone_project(large, "copy", "Copy", maker, texts=texts)
    plan = Plan.objects.get(round__project=copied)
    assert (plan.design, plan.k, plan.seed, plan.due_on, plan.coders.count()) == ("k", 3, 7, None, 0)
    calibration = set(PlanText.objects.filter(plan__round__project=large, calibration=True).values_list("text__slug"))
    assert set(plan.texts.filter(calibration=True).values_list("text__slug")) == (calibration if texts else set())
    assert not RepeatPlan.objects.filter(round__project=copied).exists()
    if texts:  # the page begins with a preview of the same design
        for name in CODERS:
            add_member(copied, person(name), Membership.Role.CODER)
        page = signed_in(maker).get("/projects/copy/assign/").content.decode()
        assert "38 new assignments" in page


def test_a_copy_of_pyramids_has_docsets_with_their_own_summaries(maker):
    project = pyramid_project("ferry")
    docset = create_docset(project, "sinking", "Sinking", SUMMARIES)
    add_peer(docset, "swimmers", "Swimmers", "The ferry sank.")
    clone = clone_project(project, "copy", "Copy", maker, texts=True)
    copied = clone.docsets.get()
    assert copied.pk != docset.pk
    assert list(copied.texts.values_list("slug", "role")) == list(docset.texts.values_list("slug", "role"))
    labels = [list(one.texts.get(role="models").segments.values_list("label", flat=True)) for one in (docset, copied)]
    assert labels[0] == labels[1] != []


@pytest.mark.parametrize("fields", [{"slug": "tea"}, {"slug": "new"}, {"slug": "a b"}, {"title": ""}])
def test_a_copy_with_a_wrong_title_or_address_is_refused(signed_in, project, maker, fields):
    page = signed_in(maker).post("/projects/tea/clone/", {"title": "Copy", "slug": "copy", **fields})
    assert page.status_code == 400
    assert Project.objects.count() == 1


def test_a_copy_is_made_by_the_api(signed_in, project, text, maker):
    sent = {"slug": "copy", "title": "Copy", "texts": True}
    answer = signed_in(maker).post("/api/v1/projects/tea/clones/", sent, "application/json")
    assert (answer.status_code, answer.json()["role"]) == (201, "manager")
    assert Project.objects.get(slug="copy").texts.count() == 1


def test_the_page_of_the_deletion_says_what_goes_and_takes_the_title_alone(signed_in, charlie, alice, project, codings):
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


def test_files_of_a_deleted_project_go_with_it(project, charlie, codings, django_capture_on_commit_callbacks):
    order = orders.order_export(project, charlie, "project", {})
    orders.carry_out(order, charlie)
    order.refresh_from_db()
    storage, name = order.file.storage, order.file.name
    assert storage.exists(name)
    with django_capture_on_commit_callbacks(execute=True):
        delete_project(project, project_deletion_figures(project).tag)
    assert not storage.exists(name)


def test_pyramids_and_archived_projects_can_be_deleted():
    project = pyramid_project("ferry")
    add_peer(create_docset(project, "sinking", "Sinking", SUMMARIES), "swimmers", "Swimmers", "The ferry sank.")
    set_archived(project, archived=True)
    delete_project(project, project_deletion_figures(project).tag)
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("query", "tag", "status"),
    [("", "*", 400), ("?title=Milk", "*", 400), ("?title=Tea", "", 428), ("?title=Tea", "*", 204)],
)
def test_the_api_deletes_it_by_title_and_tag(signed_in, charlie, project, codings, query, tag, status):
    headers = {"If-Match": tag} if tag else {}
    assert signed_in(charlie).delete(f"/api/v1/projects/tea/{query}", headers=headers).status_code == status
    assert Project.objects.exists() == (status != 204)
