"""Mails about the dates of plans: to coders before a date and once it has passed, and then to managers what is open."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, F, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from annotations.core.text import one_line, pluralize
from annotations.mail.kinds import MailKind, Message, absolute, register_kind
from annotations.mail.queue import is_enabled, wants
from annotations.models import Coding, Mail, Membership, Plan, Project, User
from annotations.models.people.rights import MANAGING_ROLES, Right
from annotations.models.project import may
from annotations.projects.mails import names_of

KIND = "due"
SOON, OVERDUE, SUMMARY = "soon", "overdue", "summary"
# A day begins at this hour, in the time zone of the site.
HOUR = 6
# So long before the date coders are told, and so long after it still, where no worker ran on the day.
BEFORE = timedelta(days=3)
AFTER = timedelta(days=3)
BATCH = 500


def day_of(now: datetime) -> date:
    """Return the day whose mails are sent at a time."""
    return timezone.localdate(now - timedelta(hours=HOUR))


def queue_due_mails(now: datetime | None = None) -> int:
    """Queue the mails about dates that are near or have passed, each once a date; return how many were there to queue.

    Who has several texts open in a round gets one mail of it. Another date is told anew.
    """
    if not is_enabled():
        return 0
    now = now or timezone.now()
    today = day_of(now)
    rows = _open_codings().filter(
        round__plan__due_on__range=(today - AFTER, today + BEFORE),
        round__project__archived_at=None,
        coder__memberships__project=F("round__project"),
    )
    plans: dict[tuple[int, int, date], set[int]] = {}
    found = rows.order_by().values_list("round__plan", "round__project", "round__plan__due_on", "coder").distinct()
    for plan, project, due_on, coder in found:
        if due_on is not None:
            plans.setdefault((plan, project, due_on), set()).add(coder)
    late_projects = {project for _, project, due_on in plans if due_on < today}
    managers: dict[int, set[int]] = {}
    memberships = Membership.objects.filter(project__in=late_projects, role__in=MANAGING_ROLES)
    for project, user in memberships.values_list("project", "user"):
        managers.setdefault(project, set()).add(user)
    keys = set().union(*plans.values(), *managers.values())
    wanting = {user.pk for user in User.objects.filter(pk__in=keys) if wants(user, KIND)}
    mails = []
    for (plan, project, due_on), coders in sorted(plans.items()):
        stage = OVERDUE if due_on < today else SOON
        mails += [_mail(stage, plan, due_on, pk, now) for pk in sorted(coders & wanting)]
        if stage == OVERDUE:
            mails += [_mail(SUMMARY, plan, due_on, pk, now) for pk in sorted(managers.get(project, set()) & wanting)]
    Mail.objects.bulk_create(mails, batch_size=BATCH, ignore_conflicts=True)
    return len(mails)


def _open_codings() -> QuerySet[Coding]:
    """Return the codings that their coders have still to submit."""
    codings: QuerySet[Coding] = Coding.objects.of_people().filter(
        status=Coding.Status.OPEN, released_at=None, round__closed_at=None
    )
    return codings


def _mail(stage: str, plan: int, due_on: date, user: int, now: datetime) -> Mail:
    day = due_on.isoformat()
    context = {"stage": stage, "plan": plan, "due_on": day}
    return Mail(kind=KIND, user_id=user, key=f"{KIND}:{stage}:{plan}:{day}:{user}", context=context, next_try_at=now)


def compose_due(mail: Mail) -> Message | None:
    """Return what is open of a round whose date is near or has passed; None if that is nothing, or the date another."""
    user, context = mail.user, mail.context
    assert user is not None
    plans = Plan.objects.filter(pk=context["plan"], due_on=date.fromisoformat(context["due_on"]))
    plan = plans.filter(round__closed_at=None).select_related("round").first()
    if plan is None or plan.due_on is None:
        return None
    is_past = plan.due_on < day_of(timezone.now())
    if is_past != (context["stage"] != SOON):
        return None  # it waited until the date had passed, of which another mail tells
    project = Project.objects.visible_to(user).filter(pk=plan.round.project_id, archived_at=None).first()
    if project is None:
        return None
    codings = _open_codings().filter(round=plan.round_id)
    if context["stage"] == SUMMARY:
        return _summary(project, user, plan, codings.filter(occasion=1))
    own = codings.filter(coder=user).order_by("place", "text__position", "text__slug")
    texts = {coding.text_id: coding.text for coding in own.select_related("text").defer("text__content")}
    if not texts:
        return None
    when = "overdue since" if is_past else "due on"
    heading = f"{pluralize(len(texts), 'text')} {when} {_day(plan)} in “{one_line(project.title)}”"
    return _message(project, user, plan, heading, names_of(project, user, texts.values()))


def _summary(project: Project, user: User, plan: Plan, codings: QuerySet[Coding]) -> Message | None:
    if not may(project, Right.MANAGE_WORK):
        return None
    rows = codings.order_by().values_list("coder__username").annotate(number=Count("pk")).order_by("coder__username")
    open_codings = list(rows)
    if not open_codings:
        return None
    n = sum(number for _, number in open_codings)
    heading = f"{pluralize(n, 'coding')} overdue since {_day(plan)} in “{one_line(project.title)}”"
    lines = [f"{coder}: {pluralize(number, 'coding')} not submitted" for coder, number in open_codings]
    return _message(project, user, plan, heading, lines)


def _message(project: Project, user: User, plan: Plan, heading: str, lines: Iterable[str]) -> Message:
    content: dict[str, Any] = {
        "user": user,
        "heading": f"{heading}, round {plan.round.name}",
        "names": lines,
        "link": absolute(reverse("project", args=[project.slug])),
    }
    return Message.from_template("texts.txt", heading, content)


def _day(plan: Plan) -> str:
    assert plan.due_on is not None
    return date_format(plan.due_on, "j F Y")


def register_kinds() -> None:
    """Register the mails about dates."""
    register_kind(MailKind(KIND, compose_due, "Dates of texts to code"))
