"""Mails about work: weekly digests, and mails before and after the due dates of plans."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from annotations.core.text import one_line, pluralize
from annotations.mail.kinds import MailKind, Message, absolute, register_kind
from annotations.mail.queue import is_enabled, wants
from annotations.models import Coding, Mail, Membership, Operation, Plan, Project, Text, User
from annotations.models.people.rights import MANAGING_ROLES, Right
from annotations.models.project import may
from annotations.projects.mails import names_of

DIGEST, DUE = "digest", "due"
SOON, OVERDUE, SUMMARY = "soon", "overdue", "summary"
HOUR = 6  # days, and the week on Monday, begin at this hour in the time zone of the site
LATEST_DIGEST = timedelta(days=3)  # later in the week no digest is queued
# Coders are told this long before the date, or until this long after it if no worker ran on the day.
BEFORE_DUE = AFTER_DUE = timedelta(days=3)
MAX_PROJECTS = 50
BATCH = 500


def week_of(now: datetime) -> datetime:
    """Return the beginning of the week, in the time zone of the site."""
    local = timezone.localtime(now) - timedelta(hours=HOUR)
    monday = local - timedelta(days=local.weekday())
    return monday.replace(hour=HOUR, minute=0, second=0, microsecond=0)


def queue_digests(now: datetime | None = None) -> int:
    """Queue this week's digest for each user who wants it, once; return the number of mails."""
    if not is_enabled():
        return 0
    now = now or timezone.now()
    week = week_of(now)
    if now - week > LATEST_DIGEST:
        return 0
    users = User.objects.filter(email_confirmed_at__lt=week, is_active=True, memberships__project__archived_at=None)
    mails = [
        Mail(kind=DIGEST, user=user, key=f"{DIGEST}:{week:%Y-%m-%d}:{user.pk}", next_try_at=now)
        for user in users.distinct().iterator(chunk_size=BATCH)
        if wants(user, DIGEST)
    ]
    Mail.objects.bulk_create(mails, batch_size=BATCH, ignore_conflicts=True)
    return len(mails)


def compose_digest(mail: Mail) -> Message | None:
    """Return the mail about work to do in the user's projects; None if there is none."""
    user = mail.user
    assert user is not None
    # Filter by work to do before the limit of projects; a closed round has none.
    codings = Coding.objects.of_coders().visible_to(user).filter(text__project=OuterRef("pk"))
    to_do = Exists(codings.filter(status=Coding.Status.OPEN, round__closed_at=None))
    projects = Project.objects.visible_to(user).filter(to_do, archived_at=None, memberships__user=user)
    parts = [part for project in projects.order_by("title")[:MAX_PROJECTS] if (part := _part(project, user))]
    if not parts:
        return None
    return Message.from_template("digest.txt", "Your week in Coindex", {"user": user, "parts": parts})


def _part(project: Project, user: User) -> dict[str, Any]:
    """Return the context of a project; empty if nothing is to be done."""
    reopenings = Operation.objects.filter(coding=OuterRef("pk"), kind=Operation.Kind.REOPEN)
    own = Coding.objects.of_people().filter(
        text__project=project, coder=user, status=Coding.Status.OPEN, round__closed_at=None
    )
    codings = own.annotate(reopened=Exists(reopenings)).select_related("text").defer("text__content")
    assigned: list[Text] = []
    reopened: list[Text] = []
    for coding in codings:
        (reopened if coding.reopened else assigned).append(coding.text)  # type: ignore[attr-defined]
    part = {"assigned": names_of(project, user, assigned), "reopened": names_of(project, user, reopened)}
    progress = {"assigned": 0, "submitted": 0}
    if may(project, Right.MANAGE_WORK):
        counted = Coding.objects.of_people().filter(text__project=project, occasion=1)
        submitted = Count("pk", filter=Q(status=Coding.Status.SUBMITTED))
        progress = counted.aggregate(assigned=Count("pk"), submitted=submitted)
    is_unfinished = progress["submitted"] < progress["assigned"]
    if not (assigned or reopened or is_unfinished):
        return {}
    link = absolute(reverse("project", args=[project.slug]))
    return {"title": one_line(project.title), "link": link, "progress": progress if is_unfinished else None, **part}


def day_of(now: datetime) -> date:
    """Return the date whose mails are due at a time."""
    return timezone.localdate(now - timedelta(hours=HOUR))


def queue_due_mails(now: datetime | None = None) -> int:
    """Queue the mails about due dates that are near or past, one for each round and date; return their number."""
    if not is_enabled():
        return 0
    now = now or timezone.now()
    today = day_of(now)
    rows = _open_codings().filter(
        round__plan__due_on__range=(today - AFTER_DUE, today + BEFORE_DUE),
        round__project__archived_at=None,
        coder__memberships__project=F("round__project"),
    )
    plans: dict[tuple[int, int, date], set[int]] = defaultdict(set)
    owed = rows.order_by().values_list("round__plan", "round__project", "round__plan__due_on", "coder").distinct()
    for plan, project, due_on, coder in owed:
        if due_on is not None:
            plans[plan, project, due_on].add(coder)
    late_projects = {project for _, project, due_on in plans if due_on < today}
    managers: dict[int, set[int]] = defaultdict(set)
    memberships = Membership.objects.filter(project__in=late_projects, role__in=MANAGING_ROLES)
    for project, user in memberships.values_list("project", "user"):
        managers[project].add(user)
    keys = set().union(*plans.values(), *managers.values())
    wanting = {user.pk for user in User.objects.filter(pk__in=keys) if wants(user, DUE)}
    mails = []
    for (plan, project, due_on), coders in sorted(plans.items()):
        stage = OVERDUE if due_on < today else SOON
        mails += [_due_mail(stage, plan, due_on, pk, now) for pk in sorted(coders & wanting)]
        if stage == OVERDUE:
            mails += [_due_mail(SUMMARY, plan, due_on, pk, now) for pk in sorted(managers[project] & wanting)]
    Mail.objects.bulk_create(mails, batch_size=BATCH, ignore_conflicts=True)
    return len(mails)


def _open_codings() -> QuerySet[Coding]:
    """Return the codings that their coders have yet to submit."""
    codings: QuerySet[Coding] = Coding.objects.of_people().filter(
        status=Coding.Status.OPEN, released_at=None, round__closed_at=None
    )
    return codings


def _due_mail(stage: str, plan: int, due_on: date, user: int, now: datetime) -> Mail:
    day = due_on.isoformat()
    context = {"stage": stage, "plan": plan, "due_on": day}
    return Mail(kind=DUE, user_id=user, key=f"{DUE}:{stage}:{plan}:{day}:{user}", context=context, next_try_at=now)


def compose_due(mail: Mail) -> Message | None:
    """Return the mail about a near or past due date; None if no work is open or the date has changed."""
    user, context = mail.user, mail.context
    assert user is not None
    plans = Plan.objects.filter(pk=context["plan"], due_on=date.fromisoformat(context["due_on"]))
    plan = plans.filter(round__closed_at=None).select_related("round").first()
    if plan is None or plan.due_on is None:
        return None
    is_past = plan.due_on < day_of(timezone.now())
    if is_past != (context["stage"] != SOON):
        return None  # it waited until the date had passed, and another mail follows
    project = Project.objects.visible_to(user).filter(pk=plan.round.project_id, archived_at=None).first()
    if project is None:
        return None
    codings, day = _open_codings().filter(round=plan.round_id), date_format(plan.due_on, "j F Y")
    if context["stage"] == SUMMARY:
        return _summary(project, user, plan, day, codings.filter(occasion=1))
    own = codings.filter(coder=user).order_by("place", "text__position", "text__slug")
    texts = {coding.text_id: coding.text for coding in own.select_related("text").defer("text__content")}
    if not texts:
        return None
    when = "overdue since" if is_past else "due on"
    heading = f"{pluralize(len(texts), 'text')} {when} {day} in “{one_line(project.title)}”"
    return _message(project, user, plan, heading, names_of(project, user, texts.values()))


def _summary(project: Project, user: User, plan: Plan, day: str, codings: QuerySet[Coding]) -> Message | None:
    if not may(project, Right.MANAGE_WORK):
        return None
    rows = codings.order_by().values_list("coder__username").annotate(number=Count("pk")).order_by("coder__username")
    open_codings = list(rows)
    if not open_codings:
        return None
    n = sum(number for _, number in open_codings)
    heading = f"{pluralize(n, 'coding')} overdue since {day} in “{one_line(project.title)}”"
    lines = [f"{coder}: {pluralize(number, 'coding')} not submitted" for coder, number in open_codings]
    return _message(project, user, plan, heading, lines)


def _message(project: Project, user: User, plan: Plan, heading: str, lines: Iterable[str]) -> Message:
    link = absolute(reverse("project", args=[project.slug]))
    content = {"user": user, "heading": f"{heading}, round {plan.round.name}", "names": lines, "link": link}
    return Message.from_template("texts.txt", heading, content)


def register_kinds() -> None:
    register_kind(MailKind(DIGEST, compose_digest, "Weekly summary"))
    register_kind(MailKind(DUE, compose_due, "Dates of texts to code"))
