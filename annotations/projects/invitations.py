"""Links that let somebody into a project: made, told again, and used once."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotations import actions
from annotations.models import Invitation, Membership, Project, User
from annotations.tokens import digest_of

LONGEST_DAYS = 30


def invite(project: Project, role: str, by: User, *, days: int, whom: str = "") -> tuple[Invitation, str]:
    """An invitation that ends after so many days, with what its link ends with. Raises ValidationError by field."""
    secret = secrets.token_urlsafe(32)
    invitation = Invitation(
        project=project,
        role=role,
        whom=whom,
        digest=digest_of(secret),
        created_by=by,
        expires_at=timezone.now() + timedelta(days=min(days, LONGEST_DAYS)),
    )
    invitation.full_clean()
    invitation.save()
    return invitation, secret


def invitation_of(secret: str) -> Invitation | None:
    """The invitation whose link ends so, where it is neither used nor ended and its maker still manages."""
    return _open().select_related("project").filter(digest=digest_of(secret)).first()


def _open() -> QuerySet[Invitation]:
    """Those that let somebody in. Who manages no more lets nobody in, not even back."""
    managing = Membership.objects.filter(
        project=OuterRef("project"), user=OuterRef("created_by"), role=Membership.Role.MANAGER
    )
    found = Invitation.objects.filter(Exists(managing) | Q(created_by__is_superuser=True))
    return found.filter(used_at=None, expires_at__gt=timezone.now())


@transaction.atomic
def accept(invitation: Invitation, user: User) -> Membership:
    """Let the user in. Raises ValidationError where the invitation is used by now, and for who is a member already."""
    found = Invitation.objects.select_for_update(of=("self",)).select_related("project")
    locked = found.filter(pk=invitation.pk).first()
    if locked is None or not _open().filter(pk=locked.pk).exists():
        raise ValidationError("This invitation has been used or has ended.")
    if Membership.objects.filter(project=locked.project, user=user).exists():
        raise ValidationError(f"{user} is a member of {locked.project} already; the invitation is not used up.")
    locked.used_by, locked.used_at = user, timezone.now()
    locked.save(update_fields=["used_by", "used_at"])
    return actions.add_member(locked.project, user, locked.role)


@transaction.atomic
def withdraw(project: Project, pk: int) -> bool:
    """Take back an invitation. False where there is none, or somebody has used it."""
    found = Invitation.objects.select_for_update().filter(project=project, pk=pk, used_at=None).first()
    if found is not None:
        found.delete()
    return found is not None
