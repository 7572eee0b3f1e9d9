"""The weekly mail about open work."""

from datetime import UTC, datetime, timedelta

import pytest

from annotations.coding.status import reopen_coding, submit_coding
from annotations.mail.delivery import Delivery
from annotations.models import Mail, User
from annotations.planning.work import work_mails
from annotations.planning.work.work_mails import queue_digests
from annotations.projects.people.accounts import set_muted_mails
from annotations.projects.people.members import add_member
from tests.shared.projects import make_project

MONDAY = datetime(2026, 11, 23, 6, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def reachable(codings, mail_server, alice, bob, charlie):
    for user in (alice, bob, charlie):
        user.email = f"{user.username}@example.org"
        user.email_confirmed_at = MONDAY - timedelta(days=9)
        user.save()
    return mail_server


def sent_to(mailoutbox, name):
    return next((mail.body for mail in mailoutbox if mail.to == [f"{name}@example.org"]), None)


def send():
    Mail.objects.update(next_try_at=MONDAY - timedelta(days=400))
    return Delivery().send_due()


def test_coders_get_own_texts_and_managers_get_progress(mailoutbox, reachable, codings, alice, bob, charlie):
    submit_coding(codings["bob"], bob)
    submit_coding(codings["alice"], alice)
    reopen_coding(codings["alice"], charlie, "Look again")
    Mail.objects.all().delete()
    assert queue_digests(MONDAY) == 3
    assert send() == 2
    assert "Reopened, to be submitted again:\n- Tea" in sent_to(mailoutbox, "alice")
    assert "of 2 codings" not in sent_to(mailoutbox, "alice"), "a coder reads nothing of others"
    assert "1 of 2 codings are submitted" in sent_to(mailoutbox, "charlie")
    assert sent_to(mailoutbox, "bob") is None, "nothing to do"


def test_digest_is_queued_once_a_week_unless_muted(reachable, codings, alice, bob):
    set_muted_mails(bob, ["digest"])
    User.objects.filter(pk=alice.pk).update(email_confirmed_at=MONDAY + timedelta(hours=1))
    for hours in (0, 1, 48):
        queue_digests(MONDAY + timedelta(hours=hours))
    assert list(Mail.objects.values_list("user__username", flat=True)) == ["charlie"]
    queue_digests(MONDAY + timedelta(days=7))
    assert Mail.objects.count() == 3


def test_projects_without_open_work_do_not_fill_digest(mailoutbox, reachable, codings, charlie, monkeypatch):
    monkeypatch.setattr(work_mails, "MAX_PROJECTS", 1)
    add_member(make_project("aaa", "muc-ident", "[It](a) rains."), charlie, "manager")
    queue_digests(MONDAY)
    send()
    assert "0 of 2 codings are submitted" in sent_to(mailoutbox, "charlie")


@pytest.mark.parametrize("now", [MONDAY - timedelta(minutes=1), MONDAY + timedelta(days=4)])
def test_digest_is_queued_only_early_in_week(reachable, codings, now):
    assert queue_digests(now) == 0
