"""Invitations by link: joining, expiry, limits and removal of members."""

import re
from functools import partial
from threading import Barrier, Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import connections
from django.test import Client
from django.utils import timezone

from annotations.models import Invitation, Membership, User
from annotations.projects.people import invitations
from annotations.projects.people.members import add_member, remove_membership
from config.monitoring.logs import RequestIdFilter
from tests.shared.projects import make_project

MEMBERS = "/projects/tea/members/"
NEW = {"username": "dora", "password1": "lavender-9-canoe", "password2": "lavender-9-canoe"}


@pytest.fixture
def link(project, charlie) -> str:
    """Return the address of an invitation for a coder."""
    _, secret = invitations.invite(project, "coder", charlie, days=7, note="Dora")
    return f"/invitations/{secret}/"


@pytest.fixture
def guest() -> Client:
    return Client()


def test_invitation_link_is_shown_once(manager, guest):
    page = manager.post(MEMBERS, {"invite": "1", "role": "viewer", "days": "1", "whom": "Eve"}).content.decode()
    [address] = re.findall(r'value="http://testserver(/invitations/[^"]+)"', page)
    assert "Eve" in page
    assert address not in manager.get(MEMBERS).content.decode()
    assert "viewer" in guest.get(address).content.decode()


def test_guest_makes_account_and_joins(link, guest, project):
    page = guest.get(link)
    assert page["Referrer-Policy"] == "strict-origin"
    assert "no-store" in page["Cache-Control"]
    reply = guest.post(link, NEW)
    assert reply["Location"] == "/projects/tea/"
    dora = User.objects.get(username="dora")
    assert project.memberships.get(user=dora).role == "coder"
    assert guest.get("/projects/tea/").status_code == 200
    assert Invitation.objects.get().used_by == dora


def test_signed_in_user_joins_with_own_account(link, guest, mallory, project):
    guest.force_login(mallory)
    assert "Join as mallory" in guest.get(link).content.decode()
    guest.post(link)
    assert project.memberships.get(user=mallory).role == "coder"


@pytest.mark.parametrize(
    "end",
    [
        invitations.accept,
        lambda invitation, user: Invitation.objects.update(expires_at=timezone.now()),
        lambda invitation, user: invitation.delete(),
        lambda invitation, user: User.objects.filter(pk=invitation.created_by_id).update(is_active=False),
    ],
    ids=["used", "ended", "withdrawn", "of a closed account"],
)
def test_ended_link_is_not_found(link, guest, mallory, end):
    end(Invitation.objects.get(), mallory)
    assert guest.get(link).status_code == 404
    assert guest.post(link, NEW).status_code == 404
    assert not User.objects.filter(username="dora").exists()


def test_member_keeps_role_and_does_not_use_up_invitation(project, charlie, guest, alice):
    _, secret = invitations.invite(project, "viewer", charlie, days=1)
    guest.force_login(alice)
    reply = guest.post(f"/invitations/{secret}/")
    assert (reply.status_code, "is already a member" in reply.content.decode()) == (400, True)
    assert project.memberships.get(user=alice).role == "coder"
    assert Invitation.objects.get().used_at is None


@pytest.mark.parametrize(
    ("field", "value"), [("username", "ALICE"), ("username", ""), ("password1", "short"), ("password2", "another")]
)
def test_refused_account_does_not_use_up_invitation(link, guest, alice, field, value):
    reply = guest.post(link, NEW | {field: value})
    assert "errorlist" in reply.content.decode()
    assert User.objects.filter(username__iexact="dora").count() == 0
    assert Invitation.objects.get().used_at is None


def run_concurrently(do, subjects):
    """Return the sorted outcomes of applying `do` to both subjects at the same time."""
    barrier, outcomes = Barrier(2), []

    def attempt(subject):
        barrier.wait()
        try:
            do(subject)
            outcomes.append("done")
        except ValidationError:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [Thread(target=attempt, args=[subject]) for subject in subjects]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(outcomes)


@pytest.mark.django_db(transaction=True)
def test_concurrent_guests_use_invitation_once(project, charlie, mallory):
    invitation, _ = invitations.invite(project, "coder", charlie, days=1)
    second = User.objects.create(username="eve")
    assert run_concurrently(partial(invitations.accept, invitation), [mallory, second]) == ["done", "refused"]
    assert project.memberships.filter(user__in=[mallory, second]).count() == 1


def test_manager_withdraws_links_of_own_project_only(manager, link, charlie):
    other = make_project("walk")
    foreign, _ = invitations.invite(other, "coder", charlie, days=1)
    assert manager.post(f"/projects/tea/invitations/{foreign.pk}/withdraw/").status_code == 404
    own = Invitation.objects.get(project__slug="tea")
    assert manager.post(f"/projects/tea/invitations/{own.pk}/withdraw/").status_code == 302
    assert list(Invitation.objects.all()) == [foreign]


def test_secret_of_link_is_not_stored(link):
    secret = link.split("/")[2]
    [row] = Invitation.objects.values()
    assert all(secret not in str(value) for value in row.values())


def test_removed_member_loses_access_and_coding_stays(manager, alice, project, codings):
    coder = Client()
    coder.force_login(alice)
    assert coder.get("/projects/tea/texts/tea/code/").status_code == 200
    membership = project.memberships.get(user=alice)
    question = manager.post(f"/projects/tea/members/{membership.pk}/remove/").content.decode()
    assert "Kept: 1 coding, 1 not submitted." in question
    assert coder.get("/projects/tea/").status_code == 200
    confirmed = {"confirmed": "1"}
    assert manager.post(f"/projects/tea/members/{membership.pk}/remove/", confirmed).status_code == 302
    for address in ("/projects/tea/", "/projects/tea/texts/tea/code/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert coder.get(address).status_code == 404
    codings["alice"].refresh_from_db()


def test_former_coder_returns_as_coder_only(project, alice, codings):
    remove_membership(project.memberships.get(user=alice))
    for role in ("manager", "adjudicator", "viewer"):
        with pytest.raises(ValidationError, match="stay blind"):
            add_member(project, alice, role)
    assert add_member(project, alice, "coder").role == "coder"


def test_last_manager_stays(manager, project, charlie, bob):
    own = project.memberships.get(user=charlie)
    page = manager.post(f"/projects/tea/members/{own.pk}/remove/", {"confirmed": "1"}, follow=True).content.decode()
    assert "only manager" in page
    add_member(project, User.objects.create(username="dora"), Membership.Role.MANAGER)
    assert manager.post(f"/projects/tea/members/{own.pk}/remove/", {"confirmed": "1"})["Location"] == "/"
    assert manager.get(MEMBERS).status_code == 404


def test_links_of_former_manager_end(link, project, charlie, guest):
    add_member(project, User.objects.create(username="dora"), Membership.Role.MANAGER)
    remove_membership(project.memberships.get(user=charlie))
    guest.force_login(charlie)
    assert guest.get(link).status_code == 404
    assert guest.post(link).status_code == 404
    assert not project.memberships.filter(user=charlie).exists()


@pytest.mark.parametrize("end", ["", "/"])
def test_log_of_requests_hides_invitation_links(link, guest, alice, caplog, end):
    caplog.handler.addFilter(RequestIdFilter())
    caplog.set_level("INFO", logger="coindex.requests")
    guest.get(link.rstrip("/") + end)
    guest.force_login(alice)
    guest.get(link.rstrip("/") + end)
    guest.post(link.rstrip("/") + end)
    assert len(caplog.records) >= 3
    assert any(getattr(record, "path", "") == f"/invitations/...{end}" for record in caplog.records)
    said = [(record.getMessage(), getattr(record, "path", "")) for record in caplog.records]
    assert link.split("/")[2] not in str(said)


@pytest.mark.django_db(transaction=True)
def test_concurrent_managers_do_not_remove_each_other(project, charlie, db):
    dora = User.objects.create(username="dora")
    add_member(project, dora, Membership.Role.MANAGER)
    memberships = [project.memberships.get(user=user) for user in (charlie, dora)]
    assert run_concurrently(remove_membership, memberships) == ["done", "refused"]


def test_each_name_gets_own_link(manager, project):
    sent = {"invite": "1", "role": "coder", "days": "7", "whom": "Nora\n\n  Ole \n"}
    page = manager.post(MEMBERS, sent).content.decode()
    links = re.findall(r'value="http://testserver(/invitations/[^"]+)"', page)
    assert len(set(links)) == 2
    assert list(project.invitations.order_by("pk").values_list("note", "max_uses")) == [("Nora", 1), ("Ole", 1)]
    assert all(Client().get(link).status_code == 200 for link in links)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"whom": "\n".join(f"Person {number}" for number in range(51))}, "51 names: create up to 50 links at once."),
        ({"whom": "x" * 101}, "has more than 100 characters."),
        ({"max_uses": "201"}, "less than or equal to 200"),
        ({"max_uses": "2", "role": "manager"}, "Several people can be invited as coders or viewers only."),
        ({"whom": "Nora\nOle", "max_uses": "2", "role": "adjudicator"}, "as coders or viewers only."),
    ],
)
def test_wrong_invitation_is_refused_with_reason(manager, project, fields, said):
    page = manager.post(MEMBERS, {"invite": "1", "role": "coder", "days": "7", "whom": ""} | fields).content.decode()
    assert said in page
    assert not project.invitations.exists()


def test_group_link_admits_stated_number_of_people(manager, project, charlie):
    invitation, secret = invitations.invite(project, "viewer", charlie, days=7, note="Course", max_uses=2)
    for number, name in enumerate(("nora", "ole"), start=1):
        reply = Client().post(f"/invitations/{secret}/", NEW | {"username": name})
        assert reply.status_code == 302
        invitation.refresh_from_db()
        assert (invitation.uses, invitation.used_at is None) == (number, number < 2)
        assert f"{number} of 2 joined" in manager.get(MEMBERS).content.decode()
    assert Client().post(f"/invitations/{secret}/", NEW | {"username": "pia"}).status_code == 404
    assert set(project.memberships.filter(role="viewer").values_list("user__username", flat=True)) == {"nora", "ole"}
