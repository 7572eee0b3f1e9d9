"""Change what is assigned in a round by hand: replace a coder, and release what nobody works on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Operation, Project, Round, User
from annotations.projects.locks import lock_project
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.rounds import refuse_closed

MOST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class Replacement:
    """How many texts moved to the other coder, and how many that the first one has begun the other codes, too."""

    moved: int
    added: int


@dataclass(frozen=True, slots=True)
class Release:
    """How many assignments were taken away, and how many texts are free for others while the work on them stays."""

    unassigned: int
    released: int


@transaction.atomic
def replace_coder(project: Project, round_: Round, coder: User, other: User) -> Replacement:
    """Give the open texts of a coder in the round to another one, where that one does not have them already.

    What has not begun moves. What has begun stays with its coder, whose work nobody else may have under their name:
    the other begins these texts anew. Raise ValidationError for somebody who does not code, and for a closed round.
    """
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    if coder == other:
        raise ValidationError("Choose two different people.")
    if not members_in_roles(project, CODING_ROLES).filter(pk=other.pk).exists():
        raise ValidationError(f"{other} is not a coder of {project.slug}.")
    of_round = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion=1)
    theirs = set(of_round.filter(coder=other).values_list("text_id", flat=True))
    rows = of_round.filter(coder=coder, status=Coding.Status.OPEN, released_at=None).exclude(text__in=theirs)
    open_codings = list(rows.select_for_update(of=("self",)).order_by("place", "pk"))
    place = of_round.filter(coder=other).aggregate(last=Max("place"))["last"] or 0
    new = [
        Coding(text_id=coding.text_id, coder=other, round=round_, place=place + number)
        for number, coding in enumerate(open_codings, 1)
    ]
    begun = [coding for coding in open_codings if coding.is_begun]
    Coding.objects.of_people().filter(pk__in=[coding.pk for coding in open_codings if not coding.is_begun]).delete()
    Coding.objects.of_people().filter(pk__in=[coding.pk for coding in begun]).update(released_at=timezone.now())
    Coding.objects.bulk_create(new)
    if new and is_enabled():
        notify(other, "assigned", project, project.texts.filter(pk__in=[coding.text_id for coding in new]))
    return Replacement(len(open_codings) - len(begun), len(begun))


@transaction.atomic
def release_idle(project: Project, round_: Round, days: int) -> Release:
    """Free the places of open codings of the round on which nobody has worked for so many days.

    What has not begun is unassigned. Work stays with its coder; the text has a place for somebody else. Raise
    ValidationError for a closed round, and a number of days that is none.
    """
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    if not 0 < days <= MOST_DAYS:
        raise ValidationError(f"Choose from 1 to {MOST_DAYS} days.")
    last = Operation.objects.filter(coding=OuterRef("pk")).order_by("-sequence").values("applied_at")[:1]
    idle = (
        Coding.objects.of_people()
        .filter(round=round_, kind=Coding.Kind.TEXT, occasion=1, status=Coding.Status.OPEN, released_at=None)
        .annotate(last=Coalesce(Subquery(last), "created_at"))
    )
    since = timezone.now() - timedelta(days=days)
    rows = list(idle.filter(last__lt=since).select_for_update(of=("self",)))
    begun = [coding.pk for coding in rows if coding.is_begun]
    unbegun = [coding.pk for coding in rows if not coding.is_begun]
    Coding.objects.of_people().filter(pk__in=begun).update(released_at=timezone.now())
    Coding.objects.of_people().filter(pk__in=unbegun).delete()
    return Release(len(unbegun), len(begun))
