"""The admin: staff follow the rules of the pages, grant no rights and change no work of coders."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client

from annotations import admin
from annotations.models import Coding, Membership, Operation, Project, User
from annotations.schemes.project_scheme import read_scheme, scheme_state, set_coder_marked_levels
from tests.shared.coding import judge

RIGHTS = {"is_staff": "on", "is_superuser": "on"}


@pytest.fixture
def root(db) -> User:
    root: User = User.objects.create_superuser("root")
    return root


@pytest.fixture
def stan(db) -> User:
    """Make a member of staff with every permission but without superuser status."""
    stan: User = User.objects.create_user("stan", is_staff=True)
    stan.user_permissions.set(Permission.objects.filter(content_type__app_label__in=("annotations", "auth")))
    return stan


def account(user: User, **fields: Any) -> dict[str, Any]:
    """Return the form of an account as the page sends it."""
    times = {"last_login_0": "", "last_login_1": "", "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    return {"username": user.username, "is_active": "on"} | times | fields


def change(client: Client, user: User, **fields: Any) -> int:
    return client.post(f"/admin/annotations/user/{user.pk}/change/", account(user, **fields)).status_code


def members_form(project: Project, roles: dict[User, str], deleted: tuple[User, ...] = ()) -> dict[str, Any]:
    """Return the project form that sets these roles, adds new members and deletes some."""
    own = {"title": project.title, "slug": project.slug, "unmarked": project.unmarked, "guidelines": "", "preset": ""}
    present = {membership.user: membership for membership in project.memberships.select_related("user")}
    form: dict[str, Any] = own | {
        "memberships-TOTAL_FORMS": len(present) + len(roles.keys() - present.keys()),
        "memberships-INITIAL_FORMS": len(present),
    }
    for number, user in enumerate([*present, *(user for user in roles if user not in present)]):
        row = {"user": user.pk, "project": project.pk, "role": roles.get(user) or present[user].role}
        if user in present:
            row["id"] = present[user].pk
        if user in deleted:
            row["DELETE"] = "on"
        form |= {f"memberships-{number}-{name}": value for name, value in row.items()}
    for prefix in ("levels", "categories", "relations"):
        count = getattr(project, prefix).count()
        form |= {f"{prefix}-TOTAL_FORMS": count, f"{prefix}-INITIAL_FORMS": count}
        form |= {f"{prefix}-{number}-id": row.pk for number, row in enumerate(getattr(project, prefix).all())}
    return form


def save_members(client: Client, project: Project, *arguments: Any) -> str:
    """Send the form and return its errors, or "" if it is accepted."""
    reply = client.post(f"/admin/annotations/project/{project.pk}/change/", members_form(project, *arguments))
    if reply.status_code == 302:
        return ""
    formsets = [inline.formset for inline in reply.context["inline_admin_formsets"]]
    assert not any(error for formset in formsets for error in formset.errors)
    [errors, *others] = [formset.non_form_errors() for formset in formsets]
    assert errors
    assert not any(others)
    return " ".join(errors)


def test_saving_members_keeps_concurrent_scheme_change(staff, project, monkeypatch):
    saved = admin.record_open_results

    def change_meanwhile(row: Project) -> None:
        Project.objects.filter(pk=row.pk).update(scheme_version=7)
        set_coder_marked_levels(Project.objects.get(pk=row.pk), project.levels.filter(coded=True))
        saved(row)

    monkeypatch.setattr(admin, "record_open_results", change_meanwhile)
    assert save_members(staff, project, {}) == ""
    assert Project.objects.get(pk=project.pk).scheme_version == 7
    assert any(level.coders_mark for level in read_scheme(project.pk).levels)


def roles_in(project: Project) -> dict[str, str]:
    return dict(Membership.objects.filter(project=project).values_list("user__username", "role"))


@pytest.fixture(params=["root", "stan"])
def staff(request, signed_in) -> Client:
    """Return the client of a superuser, and of staff with all permissions."""
    client: Client = signed_in(request.getfixturevalue(request.param))
    return client


def test_members_with_answers_can_only_be_coders(staff, project, codings, alice, mallory, keys):
    judge(codings["alice"], keys["a"], "place")
    before = roles_in(project)
    assert save_members(staff, project, {alice: "viewer"}) == (
        "alice codes texts of this project and must stay blind to the others: the role cannot change."
    )
    assert "stay blind" in save_members(staff, project, {mallory: "viewer", alice: "viewer"})
    assert roles_in(project) == before  # of several changes all or none are made
    assert save_members(staff, project, {}, (alice,)) == ""
    assert "stay blind" in save_members(staff, project, {alice: "manager"})
    assert save_members(staff, project, {alice: "coder"}) == ""
    assert roles_in(project) == before


def test_last_manager_cannot_be_removed(staff, project, charlie, mallory):
    only = "charlie is the only manager. Make somebody else a manager first."
    assert save_members(staff, project, {charlie: "viewer"}) == only
    assert save_members(staff, project, {}, (charlie,)) == only
    assert roles_in(project)["charlie"] == "manager"
    assert save_members(staff, project, {charlie: "viewer", mallory: "manager"}) == ""
    assert (roles_in(project)["charlie"], roles_in(project)["mallory"]) == ("viewer", "manager")


def test_membership_cannot_change_its_user(staff, project, codings, alice, mallory):
    form = members_form(project, {})
    [row] = [name for name, value in form.items() if name.endswith("-user") and value == alice.pk]
    staff.post(f"/admin/annotations/project/{project.pk}/change/", form | {row: mallory.pk})
    assert "mallory" not in roles_in(project)


def test_staff_cannot_grant_rights(signed_in, stan, alice):
    client, group = signed_in(stan), Group.objects.create(name="all")
    all_rights = RIGHTS | {
        "groups": [group.pk],
        "user_permissions": list(Permission.objects.values_list("pk", flat=True)),
    }
    for user in (stan, alice):
        before = user.get_all_permissions()
        assert change(client, user, first_name="F", **all_rights) == 302
        user = User.objects.get(pk=user.pk)
        assert (user.first_name, user.is_superuser, user.is_staff) == ("F", False, user == stan)
        assert (user.get_all_permissions(), user.groups.count()) == (before, 0)


def test_staff_cannot_change_accounts_with_more_rights(signed_in, stan, root, alice):
    other = User.objects.create_user("other", is_staff=True)
    other.user_permissions.set(Permission.objects.all())
    client, new = (
        signed_in(stan),
        {"password1": "lavender-9-canoe", "password2": "lavender-9-canoe", "usable_password": "true"},
    )
    for user in (root, other):
        address = f"/admin/annotations/user/{user.pk}/"
        assert change(client, user, username="mine") in (302, 403)
        assert client.post(f"{address}password/", new).status_code in (302, 403, 404)
        assert client.post(f"{address}delete/", {"post": "yes"}).status_code in (302, 403, 404)
        client.post(
            "/admin/annotations/user/", {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
        )
        user.refresh_from_db()
        assert not user.has_usable_password() or not user.check_password("lavender-9-canoe")
        assert user.username in ("root", "other")
    assert "root" not in client.get("/admin/annotations/user/").content.decode().split("<tbody>")[1]
    address = f"/admin/annotations/user/{alice.pk}/password/"
    assert client.post(address, new).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("lavender-9-canoe")


def test_only_superusers_change_groups_and_rights(signed_in, stan, root, alice):
    group = Group.objects.create(name="all")
    stan.groups.add(group)
    permission = Permission.objects.exclude(content_type__app_label__in=("annotations", "auth"))[0]
    form = {"name": "all", "permissions": [permission.pk]}
    assert signed_in(stan).post(f"/admin/auth/group/{group.pk}/change/", form).status_code == 403
    assert signed_in(stan).post("/admin/auth/group/add/", form | {"name": "more"}).status_code == 403
    assert signed_in(root).post(f"/admin/auth/group/{group.pk}/change/", form).status_code == 302
    assert group.permissions.get() == permission
    assert change(signed_in(root), alice, **RIGHTS) == 302
    alice.refresh_from_db()
    assert (alice.is_staff, alice.is_superuser) == (True, True)


def test_codings_are_read_only_and_protect_their_project(staff, project, codings, keys):
    judge(codings["alice"], keys["a"], "place")
    coding, text = codings["alice"], project.texts.get()
    changed = {"text": text.pk, "coder": coding.coder_id, "kind": "text", "status": "submitted", "version": "9"}
    assert staff.get(f"/admin/annotations/coding/{coding.pk}/change/").status_code == 200
    assert staff.post(f"/admin/annotations/coding/{coding.pk}/change/", changed).status_code == 403
    assert staff.post("/admin/annotations/coding/add/", changed).status_code == 403
    for kind, row in (("coding", coding), ("text", text), ("project", project)):
        reply = staff.post(f"/admin/annotations/{kind}/{row.pk}/delete/", {"post": "yes"})
        assert reply.status_code in (200, 403), kind  # the page says what is in the way
        assert type(row).objects.filter(pk=row.pk).exists()
    for kind in ("judgement", "operation", "pointer", "markable"):
        assert staff.get(f"/admin/annotations/{kind}/").status_code == 404
    assert Coding.objects.of_people().get(pk=coding.pk).version == 1
    assert Operation.objects.count() == 1


def test_staff_cannot_change_content_or_project_of_text(staff, project, codings):
    text = project.texts.get()
    form = {"title": "New", "slug": text.slug, "language": "en", "direction": "ltr", "system": "", "position": 0}
    moved = {"project": "0", "role": "peer", "content": "x"}
    assert staff.post(f"/admin/annotations/text/{text.pk}/change/", form | moved).status_code == 302
    now = project.texts.get()
    assert (now.title, now.content, now.role) == ("New", text.content, "source")


def test_deleting_coder_anonymizes_account(staff, project, codings, alice, mallory, keys):
    judge(codings["alice"], keys["a"], "place")
    selected = {"action": "delete_selected", "_selected_action": [alice.pk, mallory.pk]}
    page = staff.post("/admin/annotations/user/", selected).content.decode()
    assert f"alice: The account is now person-{alice.pk}" in page
    assert "mallory: Account deleted" in page
    assert User.objects.filter(username__in=("alice", "mallory")).count() == 2
    assert staff.post("/admin/annotations/user/", selected | {"post": "yes"}).status_code == 302
    assert not User.objects.filter(username__in=("alice", "mallory")).exists()
    assert Coding.objects.of_people().get(pk=codings["alice"].pk).coder.username == f"person-{alice.pk}"
    assert Operation.objects.count() == 1
    told = " ".join(f"{entry.object_repr} {entry.change_message}" for entry in LogEntry.objects.all())
    assert f"person-{alice.pk}" in told
    assert "alice" not in told


def test_only_manager_cannot_be_deleted(staff, project, charlie):
    page = staff.post(f"/admin/annotations/user/{charlie.pk}/delete/", {"post": "yes"})
    assert (page.status_code, "only manager" in page.content.decode()) == (200, True)
    assert User.objects.filter(username="charlie").exists()


def test_scheme_is_read_only_and_links_to_scheme_page(staff, project):
    address, before = f"/admin/annotations/project/{project.pk}/change/", scheme_state(project)
    page = staff.get(address).content.decode()
    assert f'<a href="/projects/{project.slug}/scheme/">Change it on the page Scheme</a>' in page
    category = project.categories.get(key="phrase")
    assert "phrase" in page
    assert 'name="categories-0-key"' not in page
    rows = {"categories-TOTAL_FORMS": 2, "categories-INITIAL_FORMS": 1, "categories-0-id": category.pk}
    rows |= {"categories-0-project": project.pk, "categories-0-key": "np", "categories-0-DELETE": "on"}
    rows |= {"categories-1-project": project.pk, "categories-1-key": "more", "categories-1-label": "More"}
    rows |= {"relations-TOTAL_FORMS": 1, "relations-INITIAL_FORMS": 0, "relations-0-asked_if": '["anything"]'}
    rows |= {"relations-0-project": project.pk, "relations-0-key": "new", "relations-0-label": "New"}
    assert staff.post(address, members_form(project, {}) | {"title": "New title"} | rows).status_code == 302
    project.refresh_from_db()
    assert (project.title, scheme_state(project)) == ("New title", before)
