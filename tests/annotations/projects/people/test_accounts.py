"""Confirmation of addresses, reset of passwords, and mailed invitations."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.mail.delivery import DELAYS, Delivery
from annotations.mail.queue import is_flooded
from annotations.models import Invitation, Mail, Membership, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.locks import set_archived
from annotations.projects.people.accounts import make_reset_link, record_origin, resettable_members, set_address
from annotations.projects.people.invitations import find_invitation, invite, invite_by_mail
from annotations.projects.people.members import add_member, get_or_create_coder
from annotations.projects.people.tokens import create_token
from tests.shared.projects import make_project

pytestmark = pytest.mark.django_db
PASSWORD = "lavender-9-canoe"
OLD = "correct horse battery"
NEW = {"new_password1": PASSWORD, "new_password2": PASSWORD}


def link_in(mail):
    return re.search(r"https://coindex.example(\S+)", mail.body)[1]


def with_password(user):
    user.set_password(OLD)
    user.save()
    return user


def send_invitation(client, **fields):
    """Return the page of members after a request to invite coders."""
    sent = {"invite": "1", "role": "coder", "days": "7", **fields}
    return client.post(reverse("members", args=["tea"]), sent).content.decode()


@pytest.fixture
def dora(project):
    """Return a coder whose account an import made for the project."""
    return get_or_create_coder(project, "dora", create=True)


def membership(user):
    return Membership.objects.select_related("user", "project").get(user=user)


def test_address_is_used_after_confirmation_by_owner(signed_in, alice, bob, mail_server, mailoutbox):
    page, sent = reverse("account-mail"), {"address": "a@example.org", "password": OLD}
    client = signed_in(with_password(alice))
    client.post(page, sent)
    alice.refresh_from_db()
    assert (alice.email, alice.email_confirmed_at) == ("", None)
    assert Delivery().send_due() == 1
    path = link_in(mailoutbox[0])
    assert signed_in(bob).post(path).status_code == 404
    assert client.get(path).status_code == 200
    alice.refresh_from_db()
    assert not alice.email, "mail programs look at links"
    assert client.post(path).status_code == 302
    alice.refresh_from_db()
    assert (alice.email, alice.email_confirmed_at is None) == ("a@example.org", False)
    assert client.post(path).status_code == 404, "used"
    client.post(page, {"kinds": "1", "assigned": "on"})
    client.post(page, {"remove": "1"})
    alice.refresh_from_db()
    assert (alice.email, alice.muted_mails) == ("", ["answered", "digest", "due", "reopened", "training"])


def test_number_of_confirmation_mails_is_limited(signed_in, alice, mail_server):
    client = signed_in(with_password(alice))
    sent = {"address": "eve@example.org", "password": OLD}
    answers = [client.post(reverse("account-mail"), sent) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [400] * 2
    assert Mail.objects.count() == 5


def test_forgotten_password_is_reset_by_mail(client, alice, mail_server, mailoutbox):
    set_address(with_password(alice), "a@example.org")
    unknown = client.post(reverse("forgotten-password"), {"address": "nobody@example.org"}, follow=True)
    known = client.post(reverse("forgotten-password"), {"address": "A@example.org"}, follow=True)
    for answer in (unknown, known):
        assert "If an account has this address" in answer.content.decode()
    assert [Delivery().send_due(), Delivery().send_due()] == [0, 1]
    assert mailoutbox[0].to == ["a@example.org"]
    page = client.get(link_in(mailoutbox[0]), follow=True)
    [(address, _)] = page.redirect_chain
    assert address.endswith("/set-password/"), "the secret is in no address of the form"
    assert client.post(address, NEW).status_code == 302
    assert client.login(username="alice", password=PASSWORD)
    assert "not valid" in client.get(link_in(mailoutbox[0])).content.decode()


def test_reset_requests_are_limited_for_account_and_address(client, alice, mail_server):
    set_address(with_password(alice), "a@example.org")
    answers = [client.post(reverse("forgotten-password"), {"address": "a@example.org"}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [302] * 20 + [429]
    Delivery().send_due()
    assert Mail.objects.count() == 3


def test_known_and_unknown_addresses_take_the_same_queries(client, alice, mail_server):
    set_address(with_password(alice), "a@example.org")
    page, statements = reverse("forgotten-password"), []
    for address in ("first@example.org", "nobody@example.org", "a@example.org"):  # the first makes the counts
        with CaptureQueriesContext(connection) as queries:
            client.post(page, {"address": address})
        statements.append([re.sub(r"'[^']*'|\d+", "?", query["sql"]) for query in queries])
    assert statements[1] == statements[2]
    Delivery().send_due()
    assert not Mail.objects.exclude(user=alice).exists(), "of an address that nobody has nothing is kept"


def test_new_address_requires_password_and_old_one_is_notified(signed_in, alice, mail_server, mailoutbox):
    set_address(with_password(alice), "a@example.org")
    client, page = signed_in(alice), reverse("account-mail")
    assert client.post(page, {"address": "eve@example.org"}).status_code == 400
    wrong = client.post(page, {"address": "eve@example.org", "password": "guess"})
    assert (wrong.status_code, "This is not your password." in wrong.content.decode()) == (400, True)
    assert not Mail.objects.exists()
    client.post(page, {"address": "b@example.org", "password": OLD})
    Delivery().send_due()
    client.post(link_in(mailoutbox[0]))
    client.post(page, {"remove": "1"})
    assert Delivery().send_due() == 2
    assert [mail.to for mail in mailoutbox[1:]] == [["a@example.org"], ["b@example.org"]]
    assert "another e-mail address was confirmed" in mailoutbox[1].body
    assert "was removed" in mailoutbox[2].body


def test_password_set_by_link_ends_keys_and_is_mailed(client, signed_in, charlie, dora, mail_server, mailoutbox):
    set_address(with_password(dora), "dora@example.org")
    _, secret = create_token(dora, "left behind", "manage", 365)
    changed = signed_in(dora).post(reverse("change-password"), {"old_password": OLD, **NEW}, follow=True)
    assert "Your API keys stay" in changed.content.decode()
    dora.refresh_from_db()
    bearer = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/projects/", headers=bearer).status_code == 200
    [(address, _)] = client.get(make_reset_link(membership(dora), charlie), follow=True).redirect_chain
    another = "marmalade-4-kayak"
    client.post(address, {"new_password1": another, "new_password2": another})
    assert client.get("/api/v1/projects/", headers=bearer).status_code == 401
    Delivery().send_due()
    assert [mail.subject for mail in mailoutbox].count("Your password was changed") == 2


@pytest.mark.parametrize("name", ["account-mail", "forgotten-password"])
def test_pages_do_not_mention_mails_without_mail_server(signed_in, charlie, project, name):
    client = signed_in(charlie)
    assert client.get(reverse(name)).status_code == 404
    for address in (reverse("account"), reverse("sign_in"), reverse("members", args=["tea"])):
        assert "mail" not in client.get(address).content.decode().lower()


def test_reset_link_of_manager_works_once(signed_in, client, charlie, dora, project):
    manager = signed_in(charlie)
    assert "Password link for dora" in manager.get(reverse("members", args=["tea"])).content.decode()
    page = manager.post(reverse("reset-link", args=["tea", membership(dora).pk])).content.decode()
    path = re.search(r'value="http://testserver([^"]+)"', page)[1]
    [(address, _)] = client.get(path, follow=True).redirect_chain
    assert client.post(address, NEW).status_code == 302
    assert client.login(username="dora", password=PASSWORD)
    assert "not valid" in client.get(path).content.decode()


@pytest.mark.parametrize(
    "because",
    ["elsewhere", "codes elsewhere", "staff", "superuser", "may start projects", "not made for it", "inactive", "self"],
)
def test_manager_gets_no_reset_link_for_independent_account(charlie, dora, project, because):
    good_path, by = make_reset_link(membership(dora), charlie), charlie
    match because:
        case "elsewhere":
            add_member(make_project("milk"), dora, "coder")
        case "codes elsewhere":
            other = make_project("milk")
            add_member(other, dora, "coder")
            assign_texts(other, other.texts.all(), [dora])
            other.memberships.filter(user=dora).delete()
        case "staff" | "superuser":
            User.objects.filter(pk=dora.pk).update(**{f"is_{because}": True})
        case "may start projects":
            dora.user_permissions.add(Permission.objects.get(codename="add_project"))
        case "not made for it":
            dora.origin.delete()
        case "inactive":
            User.objects.filter(pk=dora.pk).update(is_active=False)
        case "self":
            by = dora
    member = Membership.objects.select_related("user", "project").get(user=dora, project=project)
    assert dora.pk not in resettable_members(project, by)
    with pytest.raises(Exception, match="only for an account that was made for this project"):
        make_reset_link(member, by)
    if because != "self":
        assert "not valid" in Client().get(good_path).content.decode(), "nor by a link that was made before"


def test_reset_links_end_when_managers_change_or_project_is_archived(client, charlie, bob, dora, project):
    path = make_reset_link(membership(dora), charlie)
    assert client.get(path).status_code == 302
    set_archived(project, archived=True)
    assert client.get(path).status_code == 200
    set_archived(project, archived=False)
    add_member(project, User.objects.create(username="next"), "manager")
    assert client.get(path).status_code == 200


def test_reset_links_of_inactive_manager_end(client, charlie, bob, dora, project):
    add_member(project, User.objects.create(username="next"), "manager")
    path = make_reset_link(membership(dora), charlie)
    User.objects.filter(pk=charlie.pk).update(is_active=False)
    assert client.get(path).status_code == 200


def test_account_made_by_invitation_belongs_to_project(client, project, charlie, signed_in, mallory):
    _, secret = invite(project, "coder", charlie, days=1)
    client.post(reverse("invitation", args=[secret]), {"username": "eve", "password1": PASSWORD, "password2": PASSWORD})
    _, secret = invite(project, "coder", charlie, days=1)
    signed_in(mallory).post(reverse("invitation", args=[secret]))
    assert resettable_members(project, charlie) == {User.objects.get(username="eve").pk}


def test_member_is_mailed_about_reset_link(charlie, dora, project, mail_server, mailoutbox):
    set_address(dora, "dora@example.org")
    make_reset_link(membership(dora), charlie)
    Delivery().send_due()
    assert "charlie, a manager of “Tea”" in mailoutbox[0].body


def test_mailed_invitations_work_and_secrets_are_not_stored(
    signed_in, client, charlie, project, mail_server, mailoutbox
):
    page = send_invitation(signed_in(charlie), addresses="eve@example.org, ann@example.org\neve@example.org")
    assert "2 invitations will be sent" in page
    assert "invitation link" not in page
    assert [mail.context.keys() for mail in Mail.objects.all()] == [{"invitation"}] * 2
    assert Delivery().send_due() == 2
    path = link_in(mailoutbox[0])
    sent = {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(path, sent).status_code == 302
    assert User.objects.get(username="eve").memberships.get().role == "coder"


def test_invitation_sent_twice_has_same_link(charlie, project, mail_server, mailoutbox):
    [invitation] = invite_by_mail(project, "coder", charlie, ["eve@example.org"], days=1)
    Delivery().send_due()
    # The server took it, and the worker did not hear so.
    Mail.objects.update(state="waiting", next_try_at=timezone.now(), context={"invitation": invitation.pk})
    Delivery().send_due()
    links = [link_in(mail) for mail in mailoutbox]
    assert (len(links), len(set(links))) == (2, 1)
    assert find_invitation(links[0].split("/")[2]) == invitation


def test_number_of_mailed_invitations_is_limited(signed_in, charlie, project, mail_server):
    pages = [send_invitation(signed_in(charlie), addresses="eve@example.org") for _ in range(6)]
    assert ["too many mails" in page for page in pages] == [False] * 5 + [True]
    assert Mail.objects.count() == Invitation.objects.count() == 5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("address", [f"{'a' * 64}@{'.'.join(['b' * 61] * 3)}.org", '"a b"@example.org'])
def test_limit_of_mails_covers_odd_addresses(charlie, project, mail_server, address):
    assert is_flooded(address) is is_flooded(address.upper()) is False
    assert [is_flooded(address) for _ in range(4)] == [False, False, False, True]


def test_members_page_shows_failed_invitation_mail(signed_in, charlie, project, mail_server):
    invite_by_mail(project, "coder", charlie, ["eve@example.org"], days=1)
    page = reverse("members", args=["tea"])
    assert "could not be sent" not in signed_in(charlie).get(page).content.decode()
    Mail.objects.update(tries=len(DELAYS), next_try_at=timezone.now())
    Delivery().send_due()
    assert "could not be sent" in signed_in(charlie).get(page).content.decode()


@pytest.mark.parametrize("name", ["members", "account-mail", "forgotten-password"])
def test_too_long_address_is_refused(signed_in, charlie, project, mail_server, name):
    long = f"{'a' * 60}@{'.'.join(['b' * 60] * 4)}.org"
    assert len(long) > 254
    client = signed_in(with_password(charlie))
    if name == "members":
        send_invitation(client, addresses=long)
    else:
        client.post(reverse(name), {"address": long, "password": OLD})
    assert not Mail.objects.exists()


def test_revoked_invitation_is_not_sent(charlie, project, signed_in, mail_server, mailoutbox):
    send_invitation(signed_in(charlie), addresses="eve@example.org")
    Invitation.objects.all().delete()
    assert (Delivery().send_due(), mailoutbox) == (0, [])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"addresses": "eve@example.org\r\nBcc: ann@example.org"}, "“Bcc:” is not an e-mail address"),
        ({"addresses": " ".join(f"a{n}@example.org" for n in range(51))}, "up to 50 at once"),
        ({"addresses": "eve@example.org", "max_uses": "5"}, "for one person"),
    ],
)
def test_invitation_with_wrong_addresses_is_refused(signed_in, charlie, project, mail_server, more, says):
    assert says in send_invitation(signed_in(charlie), **more)
    assert not Mail.objects.exists()
    assert not Invitation.objects.exists()


def test_address_changed_in_admin_is_unconfirmed(client, mail_server, alice):
    root = User.objects.create_superuser("root")
    client.force_login(root)
    set_address(alice, "alice@example.org")
    fields = {"username": "alice", "email": "other@example.org", "is_active": "on"}
    fields |= {"date_joined_0": "2026-01-01", "date_joined_1": "10:00"}
    assert client.post(f"/admin/annotations/user/{alice.pk}/change/", fields).status_code == 302
    alice.refresh_from_db()
    assert (alice.email, alice.email_confirmed_at) == ("other@example.org", None)


def test_password_set_by_staff_ends_keys_and_is_mailed(client, mail_server, mailoutbox, alice):
    client.force_login(User.objects.create_superuser("root"))
    set_address(alice, "alice@example.org")
    create_token(alice, "left behind", "manage", 365)
    sent = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert client.post(f"/admin/annotations/user/{alice.pk}/password/", sent).status_code == 302
    assert not alice.tokens.exists()
    Delivery().send_due()
    assert [mail.subject for mail in mailoutbox] == ["Your password was changed"]


def test_origin_is_recorded_for_several_users(project, alice, bob, charlie):
    record_origin(project, alice, bob)
    assert resettable_members(project, charlie) == {alice.pk, bob.pk}


def test_api_sends_invitation_without_showing_link(signed_in, charlie, project, mail_server, mailoutbox):
    sent = {"role": "coder", "address": "eve@example.org"}
    answer = signed_in(charlie).post("/api/v1/projects/tea/invitations/", sent, "application/json")
    assert (answer.status_code, answer.json()["link"], answer.json()["whom"]) == (201, None, "eve@example.org")
    assert Delivery().send_due() == 1
    assert mailoutbox[0].to == ["eve@example.org"]


@pytest.mark.parametrize("field", ["addresses", "max_uses"])
def test_api_explains_refused_invitation(signed_in, charlie, project, request, field):
    if field == "max_uses":
        request.getfixturevalue("mail_server")
    sent = {"role": "coder", "address": "eve@example.org", "max_uses": 5 if field == "max_uses" else 1}
    answer = signed_in(charlie).post("/api/v1/projects/tea/invitations/", sent, "application/json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert not Invitation.objects.exists()
