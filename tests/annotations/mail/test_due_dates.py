"""Mails before and after the due dates of plans."""

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
def mails_at(monkeypatch, plan, mailoutbox):
    """Return a function that sends mails `days` after the due date and returns their subjects by user."""

    def run(days, hour=12):
        now = NOON.replace(hour=hour) + timedelta(days=days)
        monkeypatch.setattr("django.utils.timezone.now", lambda: now)
        del mailoutbox[:]
        queue_due_mails()
        Mail.objects.filter(state="waiting").update(created_at=now)
        Delivery().send_due()
        return {mail.to[0].partition("@")[0]: mail.subject for mail in mailoutbox}

    return run


def test_due_mails_are_sent_once_before_and_once_after_due_date(mails_at, codings, bob, mailoutbox):
    assert mails_at(-4) == {}
    soon = "1 text due on 20 November 2026 in “Tea”"
    assert mails_at(-3, hour=5) == {}, "the day has not begun"
    assert mails_at(-3) == {"alice": soon, "bob": soon}
    assert mails_at(-3, hour=13) == mails_at(0) == {}, "a restarted worker sends no second mail"
    submit_coding(codings["bob"], bob)
    late = "overdue since 20 November 2026 in “Tea”"
    assert mails_at(1) == {"alice": f"1 text {late}", "charlie": f"1 coding {late}"}
    bodies = {mail.to[0]: mail.body for mail in mailoutbox}
    assert "- Tea" in bodies["alice@example.org"]
    assert "bob" not in bodies["alice@example.org"]
    assert "- alice: 1 coding not submitted" in bodies["charlie@example.org"]
    assert mails_at(2) == {}


def test_changed_due_date_sends_new_mails(mails_at, plan):
    assert set(mails_at(0)) == {"alice", "bob"}
    Plan.objects.update(due_on=DUE + timedelta(days=5))
    assert mails_at(1) == {}
    assert set(mails_at(2)) == {"alice", "bob"}


@pytest.mark.parametrize("days", [0, 1])
def test_due_mails_skip_muted_and_finished_members(mails_at, codings, alice, bob, charlie, days):
    for user in (bob, charlie):
        set_muted_mails(user, ["due"])
    Coding.objects.of_people().filter(coder=alice).update(released_at=NOON)
    assert mails_at(days) == {}
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
def test_due_mails_of_changed_plans_are_not_sent(mails_at, plan, change):
    queue_due_mails(NOON - timedelta(days=1))
    assert Mail.objects.filter(kind="due").count() == 2
    change(plan)
    mails_at(-1)
    assert not Mail.objects.filter(state="sent", key__contains=DUE.isoformat()).exists()


def test_coding_manager_gets_no_mail_on_overdue_coders(mails_at, plan, charlie):
    plan.round.project.memberships.filter(user=charlie).update(role="manager-coder")
    assert "charlie" not in mails_at(1)
