"""Actions that users repeat, or take while somebody else changes the same data."""

from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotations.docsets.agreed_pyramid import reassign_agreed_pyramid, start_agreed_pyramid
from annotations.models import Coding, Invitation, Membership, Project, Transfer, User
from annotations.models.coding import CodingQuerySet
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people import invitations
from annotations.projects.people.forms import JoinForm
from annotations.projects.people.members import add_member, remove_membership
from annotations.transfers import orders
from annotations.web.forms.projects import ProjectForm
from annotations.web.views import assignments as assignment_pages
from annotations.web.views import coding as coding_pages
from tests.shared import pyramids
from tests.shared.coding import in_another_connection
from tests.shared.projects import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]
SCHEME, ASSIGN = "/projects/tea/scheme/", "/projects/tea/assign/"


def signed_in(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def dana(project):
    dana = person("dana")
    add_member(project, dana, Membership.Role.MANAGER)
    return dana


@pytest.fixture
def meanwhile(monkeypatch) -> Callable[..., list]:
    """Return a function that runs an action in another connection at the first call of a given function."""

    def arrange(owner: object, name: str, do: Callable[[], object], *, before: bool = False) -> list:
        usual, found = getattr(owner, name), []

        def happen() -> int:
            found.append(do())
            return 1

        def asked(*args: object, **kwargs: object) -> object:
            monkeypatch.setattr(owner, name, usual)
            if before:
                in_another_connection(happen)
            result = usual(*args, **kwargs)
            if not before:
                in_another_connection(happen)
            return result

        monkeypatch.setattr(owner, name, asked)
        return found

    return arrange


def status_of(client: Client, address: str, sent: dict | None = None) -> int:
    return client.post(address, sent or {}).status_code


# ---- the form of another manager


def fields(client: Client, form: str) -> dict:
    found = client.get(SCHEME).context[form]
    return {name: found[name].value() or "" for name in found.fields}


def test_outdated_form_overwrites_changes_only_if_sent_again(project, charlie, dana):
    old = fields(signed_in(charlie), "about_form") | {"about": "1"}
    assert status_of(signed_in(dana), SCHEME, old | {"guidelines": "Two hours of work."}) == 302
    answer = signed_in(charlie).post(SCHEME, old | {"title": "Tea again"})
    assert "Somebody else has changed this since you opened it" in answer.content.decode()
    assert "<title>Scheme and guidelines · Tea · Coindex</title>" in answer.content.decode()
    project.refresh_from_db()
    assert (project.title, project.guidelines) == ("Tea", "Two hours of work.")
    again = answer.context["about_form"]["seen"].value()
    assert status_of(signed_in(charlie), SCHEME, old | {"title": "Tea again", "seen": again}) == 302
    project.refresh_from_db()
    assert (project.title, project.guidelines) == ("Tea again", old["guidelines"])


def test_outdated_form_does_not_reopen_closed_results(project, charlie, dana):
    Project.objects.update(results_open=True)
    old = fields(signed_in(charlie), "about_form") | {"about": "1", "results_open": "on"}
    closed = {name: value for name, value in old.items() if name != "results_open"}
    assert status_of(signed_in(dana), SCHEME, closed) == 302
    signed_in(charlie).post(SCHEME, old | {"title": "Tea again"})
    project.refresh_from_db()
    assert (project.title, project.results_open) == ("Tea", False)


# ---- members, invitations and projects


def test_outdated_removal_keeps_only_manager(project, charlie):
    dana = person("dana")
    stale = add_member(project, dana, Membership.Role.ADJUDICATOR)
    add_member(project, dana, Membership.Role.MANAGER)
    remove_membership(Membership.objects.get(project=project, user=charlie))
    stale.role = Membership.Role.ADJUDICATOR
    with pytest.raises(ValidationError, match="only manager"):
        remove_membership(stale)


def test_removing_member_twice_succeeds(project, charlie, alice):
    found = [Membership.objects.get(project=project, user=alice) for _ in range(2)]
    for membership in found:
        remove_membership(membership)
    assert not Membership.objects.filter(user=alice).exists()


def test_second_click_on_join_suggests_to_sign_in(project, charlie, meanwhile):
    _, secret = invitations.invite(project, Membership.Role.CODER, charlie, days=7)
    new = {"username": "dora", "password1": "lavender-9-canoe", "password2": "lavender-9-canoe"}
    address = f"/invitations/{secret}/"
    first = meanwhile(JoinForm, "is_valid", lambda: status_of(signed_in(), address, new))
    answer = signed_in().post(address, new)
    assert (first, answer.status_code) == ([302], 400)
    assert "If it is yours, sign in." in answer.content.decode()


def test_invitation_withdrawn_meanwhile_lets_nobody_in(project, charlie, mallory, meanwhile):
    made, secret = invitations.invite(project, Membership.Role.CODER, charlie, days=7)
    withdrawal = f"/projects/tea/invitations/{made.pk}/withdraw/"
    withdrawn = meanwhile(invitations, "find_invitation", lambda: status_of(signed_in(charlie), withdrawal))
    answer = signed_in(mallory).post(f"/invitations/{secret}/")
    assert (withdrawn, answer.status_code) == ([302], 400)
    assert not Membership.objects.filter(user=mallory).exists()


def test_invitation_used_meanwhile_cannot_be_withdrawn(project, charlie, mallory, meanwhile):
    made, secret = invitations.invite(project, Membership.Role.CODER, charlie, days=7)
    joined = meanwhile(
        invitations, "withdraw", lambda: status_of(signed_in(mallory), f"/invitations/{secret}/"), before=True
    )
    assert status_of(signed_in(charlie), f"/projects/tea/invitations/{made.pk}/withdraw/") == 404
    assert joined == [302]
    assert Invitation.objects.get().used_by == mallory


def test_second_click_creates_no_second_project(charlie, meanwhile):
    charlie.user_permissions.add(Permission.objects.get(codename="add_project"))
    sent = {"title": "Coffee", "slug": "coffee", "scheme": "clusters", "guidelines": ""}
    first = meanwhile(ProjectForm, "is_valid", lambda: status_of(signed_in(charlie), "/projects/new/", sent))
    answer = signed_in(charlie).post("/projects/new/", sent)
    assert first == [302]
    assert "already exists" in answer.content.decode()
    assert Project.objects.filter(slug="coffee").count() == 1


# ---- work


def test_member_removed_meanwhile_gets_no_assignments(project, charlie, meanwhile):
    fred = person("fred")
    member = add_member(project, fred, Membership.Role.CODER)
    meanwhile(assignment_pages, "assign_texts", lambda: remove_membership(member), before=True)
    sent = {"texts": [project.texts.get().pk], "coders": [fred.pk]}
    answer = signed_in(charlie).post(ASSIGN, sent)
    assert answer.status_code == 200
    assert not Coding.objects.of_people().filter(coder=fred).exists()


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="one writes after the other")
def test_coder_with_new_assignment_cannot_become_viewer(project, charlie, monkeypatch):
    """The change of the role waits for the assignment, and then is refused."""
    fred, said = person("fred"), []
    add_member(project, fred, Membership.Role.CODER)
    usual = CodingQuerySet.bulk_create

    def change() -> None:
        try:
            add_member(Project.objects.get(pk=project.pk), User.objects.get(pk=fred.pk), Membership.Role.VIEWER)
        except ValidationError as error:
            said.extend(error.messages)
        finally:
            connection.close()

    other = Thread(target=change)

    def slow(*args, **kwargs):
        other.start()
        other.join(0.5)
        return usual(*args, **kwargs)

    monkeypatch.setattr(CodingQuerySet, "bulk_create", slow)
    assign_texts(project, project.texts.all(), [fred])
    other.join()
    assert Membership.objects.get(user=fred).role == Membership.Role.CODER
    assert "stay blind" in said[0]


def test_outdated_start_keeps_owner_of_agreed_pyramid(alice, bob, charlie, dana):
    project = pyramids.pyramid_project()
    docset = pyramids.docset(project, alice, bob)
    for manager in (charlie, dana):
        add_member(project, manager, Membership.Role.MANAGER)
    adam, eve = person("adam"), person("eve")
    for adjudicator in (adam, eve):
        add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    codings = pyramids.codings_of(pyramids.models_of(docset))
    for name in ("alice", "bob"):
        pyramids.build(codings[name], {"a": ["ferry"]})
    address = f"/projects/ferry/docsets/{docset.slug}/agreed/"
    assert status_of(signed_in(dana), address, {"start": codings["bob"].pk, "adjudicator": eve.pk}) == 302
    sent = {"start": codings["alice"].pk, "adjudicator": adam.pk}
    answer = signed_in(charlie).post(address, sent, follow=True)
    assert "eve has started the agreed pyramid in the meantime. Nothing was changed." in answer.content.decode()
    assert Coding.objects.of_people().get(kind=Coding.Kind.AGREED).coder == eve


def test_reassigned_pyramid_is_not_submitted_by_former_owner(alice, bob, meanwhile):
    project = pyramids.pyramid_project()
    docset = pyramids.docset(project, alice, bob)
    adam, eve = person("adam"), person("eve")
    for adjudicator in (adam, eve):
        add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    codings = pyramids.codings_of(pyramids.models_of(docset))
    pyramids.build(codings["alice"], {"a": ["ferry"]})
    agreed = start_agreed_pyramid(docset, adam, codings["alice"])
    meanwhile(coding_pages, "own_coding", lambda: reassign_agreed_pyramid(docset, eve))
    address = f"/projects/ferry/texts/{agreed.text.slug}/agreed/submit/"
    answer = signed_in(adam).post(address, follow=True)
    assert "This coding was reassigned to somebody else." in answer.content.decode()
    agreed = Coding.objects.of_people().get(pk=agreed.pk)
    assert (agreed.coder, agreed.status) == (eve, Coding.Status.OPEN)


# ---- transfers


@pytest.fixture
def export(project, charlie):
    assert status_of(signed_in(charlie), "/projects/tea/export/", {"format": "project"}) == 302
    return Transfer.objects.get()


def discarded(user: User, pk: int) -> Callable[[], int]:
    return lambda: status_of(signed_in(user), f"/transfers/{pk}/discard/")


def test_export_discarded_meanwhile_answers_not_found(export, charlie, meanwhile):
    done = meanwhile(type(orders.run_transfer), "call", discarded(charlie, export.pk))
    answer = signed_in(charlie).post(f"/transfers/{export.pk}/carry-out/", follow=True)
    assert (done, answer.status_code) == ([302], 404)


def test_list_opens_though_transfers_are_deleted_meanwhile(export, charlie, meanwhile):
    Transfer.objects.update(state="running", heartbeat_at=timezone.now() - timedelta(days=1), total=1)
    meanwhile(orders, "is_abandoned", lambda: Transfer.objects.all().delete())
    assert signed_in(charlie).get("/projects/tea/transfers/").status_code == 200
