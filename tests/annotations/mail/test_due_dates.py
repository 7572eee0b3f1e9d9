"""The mails about dates of plans: once before a date, once after it, to whom it concerns."""

from datetime import UTC, date, datetime, timedelta

import pytest

from annotations.coding.status import submit_coding
from annotations.mail.delivery import Delivery
from annotations.models import Coding, Mail, Plan
from annotations.planning.work.work_mails import queue_due_mails
from annotations.projects.people.accounts import set_muted_mails

DUE = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(codings, mail_server, alice, bob, charlie):
    """Return a plan with a date; all have an address."""
    for user in (alice, bob, charlie):
        user.email = f"{user.username}@example.org"
        user.email_confirmed_at = NOON - timedelta(days=30)
        user.save()
    return Plan.objects.create(round=codings["alice"].round, design="all", due_on=DUE)


@pytest.fixture
def at(monkeypatch, plan, mailoutbox):
    """Return a function that lets the worker do its round so many days after the date, and says who is told what."""

    def run(days, hour=12):
        now = NOON.replace(hour=hour) + timedelta(days=days)
        monkeypatch.setattr("django.utils.timezone.now", lambda: now)
        del mailoutbox[:]
        queue_due_mails()
        Mail.objects.filter(state="waiting").update(created_at=now)
        Delivery().send_due()
        return {mail.to[0].partition("@")[0]: mail.subject for mail in mailoutbox}

    return run


def test_due_mails_go_once_before_and_once_after_the_date(at, codings, bob, mailoutbox):
    assert at(-4) == {}
    soon = "1 text due on 20 November 2026 in “Tea”"
    assert at(-3, hour=5) == {}, "the day has not begun"
    assert at(-3) == {"alice": soon, "bob": soon}
    assert at(-3, hour=13) == at(0) == {}, "each is told once, also by a worker that starts anew"
    submit_coding(codings["bob"], bob)
    late = "overdue since 20 November 2026 in “Tea”"
    assert at(1) == {"alice": f"1 text {late}", "charlie": f"1 coding {late}"}
    bodies = {mail.to[0]: mail.body for mail in mailoutbox}
    assert "- Tea" in bodies["alice@example.org"]
    assert "bob" not in bodies["alice@example.org"]
    assert "- alice: 1 coding not submitted" in bodies["charlie@example.org"]
    assert at(2) == {}


def test_another_date_is_told_anew(at, plan):
    assert set(at(0)) == {"alice", "bob"}
    Plan.objects.update(due_on=DUE + timedelta(days=5))
    assert at(1) == {}
    assert set(at(2)) == {"alice", "bob"}


@pytest.mark.parametrize("days", [0, 1])
def test_who_does_not_want_them_and_who_has_nothing_open_is_not_told(at, codings, alice, bob, charlie, days):
    for user in (bob, charlie):
        set_muted_mails(user, ["due"])
    Coding.objects.of_people().filter(coder=alice).update(released_at=NOON)
    assert at(days) == {}
    assert not Mail.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: Plan.objects.update(due_on=DUE + timedelta(days=1)),
        lambda plan: type(plan.round).objects.update(closed_at=NOON),
        lambda plan: type(plan.round.project).objects.update(archived_at=NOON),
        lambda plan: plan.round.project.memberships.all().delete(),
        lambda plan: Coding.objects.of_people().update(status="submitted"),
    ],
    ids=["another date", "closed", "archived", "not a member", "submitted"],
)
def test_what_has_changed_before_a_mail_is_sent_is_not_told(at, plan, change):
    queue_due_mails(NOON - timedelta(days=1))
    assert Mail.objects.filter(kind="due").count() == 2
    change(plan)
    at(-1)
    assert not Mail.objects.filter(state="sent", key__contains=DUE.isoformat()).exists()


def test_a_manager_who_codes_reads_nothing_of_the_others(at, plan, charlie):
    plan.round.project.memberships.filter(user=charlie).update(role="manager-coder")
    assert "charlie" not in at(1)
