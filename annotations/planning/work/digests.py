"""The weekly mail: what one has to code, and for managers how far it all is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from annotations.core.text import one_line
from annotations.mail.kinds import MailKind, Message, absolute, register_kind
from annotations.mail.queue import is_enabled, wants
from annotations.models import Coding, Mail, Operation, Project, Text, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.mails import names_of

KIND = "digest"
# A week begins on Monday at this hour; who confirmed an address since gets the mail of the next one.
HOUR = 6
# After so much of the week nobody's mail is queued any more.
LATEST = timedelta(days=3)
MOST_PROJECTS = 50
BATCH = 500


def week_of(now: datetime) -> datetime:
    """Return when the week began, in the time zone of the site."""
    local = timezone.localtime(now) - timedelta(hours=HOUR)
    monday = local - timedelta(days=local.weekday())
    return monday.replace(hour=HOUR, minute=0, second=0, microsecond=0)


def queue_digests(now: datetime | None = None) -> int:
    """Queue the mails of this week for everybody who wants one, each once; return how many were there to queue."""
    if not is_enabled():
        return 0
    now = now or timezone.now()
    week = week_of(now)
    if now - week > LATEST:
        return 0
    users = User.objects.filter(email_confirmed_at__lt=week, is_active=True, memberships__project__archived_at=None)
    mails = [
        Mail(kind=KIND, user=user, key=f"{KIND}:{week:%Y-%m-%d}:{user.pk}", next_try_at=now)
        for user in users.distinct().iterator(chunk_size=BATCH)
        if wants(user, KIND)
    ]
    Mail.objects.bulk_create(mails, batch_size=BATCH, ignore_conflicts=True)
    return len(mails)


def compose_digest(mail: Mail) -> Message | None:
    """Return what is to be done in the user's projects; None if that is nothing."""
    user = mail.user
    assert user is not None
    # In which something is to be done, of what the user may know of; that of many projects is found so, too.
    # In a closed round nothing is.
    open_codings = (
        Coding.objects.of_coders()
        .visible_to(user)
        .filter(text__project=OuterRef("pk"), status=Coding.Status.OPEN, round__closed_at=None)
    )
    projects = (
        Project.objects.visible_to(user)
        .filter(Exists(open_codings), archived_at=None, memberships__user=user)
        .order_by("title")
    )
    parts = [part for project in projects[:MOST_PROJECTS] if (part := _part(project, user))]
    if not parts:
        return None
    return Message.from_template("digest.txt", "Your week in Coindex", {"user": user, "parts": parts})


def _part(project: Project, user: User) -> dict[str, Any]:
    """Return what is said of a project; nothing where nothing is to be done."""
    reopenings = Operation.objects.filter(coding=OuterRef("pk"), kind=Operation.Kind.REOPEN)
    own = Coding.objects.of_people().filter(
        text__project=project, coder=user, status=Coding.Status.OPEN, round__closed_at=None
    )
    codings = own.annotate(reopened=Exists(reopenings)).select_related("text").defer("text__content")
    assigned: list[Text] = []
    reopened: list[Text] = []
    for coding in codings:
        (reopened if coding.reopened else assigned).append(coding.text)  # type: ignore[attr-defined]
    part = {
        "assigned": names_of(project, user, assigned),
        "reopened": names_of(project, user, reopened),
    }
    progress = {"assigned": 0, "submitted": 0}
    if may(project, Right.MANAGE_WORK):
        progress = (
            Coding.objects.of_people()
            .filter(text__project=project, occasion=1)
            .aggregate(assigned=Count("pk"), submitted=Count("pk", filter=Q(status=Coding.Status.SUBMITTED)))
        )
    goes_on = progress["submitted"] < progress["assigned"]
    if not (assigned or reopened or goes_on):
        return {}
    link = absolute(reverse("project", args=[project.slug]))
    return {"title": one_line(project.title), "link": link, "progress": progress if goes_on else None, **part}


def register_kinds() -> None:
    """Register the weekly mail."""
    register_kind(MailKind(KIND, compose_digest, "Weekly summary"))
