"""Create, find, accept and withdraw invitations."""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotations.core.http.limits import Limit
from annotations.mail.queue import is_enabled, is_flooded, queue
from annotations.models import Invitation, Mail, Membership, Project, User
from annotations.models.people.rights import MANAGING_ROLES
from annotations.models.project import NOTE_LENGTH
from annotations.projects.people.members import add_member
from annotations.projects.people.tokens import digest_of

MAX_DAYS = 30
MAX_AT_ONCE = 50
# The hourly limit of invitations by mail, by manager.
MAILS, MAX_MAILS = Limit("invitation mails", seconds=3600), 200
MAIL_KIND = "invitation"
GROUP_ROLES = (Membership.Role.CODER, Membership.Role.VIEWER)


def invite(
    project: Project, role: str, by: User, *, days: int, note: str = "", max_uses: int = 1
) -> tuple[Invitation, str]:
    """Create an invitation and its secret; a group becomes coders or viewers only. Raise ValidationError by field."""
    if max_uses > 1 and role not in GROUP_ROLES:
        raise ValidationError({"max_uses": "Several people can be invited as coders or viewers only."})
    secret = secrets.token_urlsafe(32)
    invitation = Invitation(
        project=project,
        role=role,
        note=note,
        max_uses=max_uses,
        digest=digest_of(secret),
        created_by=by,
        expires_at=timezone.now() + timedelta(days=min(days, MAX_DAYS)),
    )
    invitation.full_clean()
    invitation.save()
    return invitation, secret


def invite_by_mail(project: Project, role: str, by: User, addresses: Sequence[str], *, days: int) -> list[Invitation]:
    """Send an invitation for one person to each address. Raise ValidationError if the limits of mails are reached."""
    if not is_enabled():
        raise ValidationError({"addresses": "This site sends no e-mail."})
    if MAILS.use(by.pk, len(addresses)) > MAX_MAILS:
        raise ValidationError({"addresses": f"At most {MAX_MAILS} invitations are sent per hour."})
    if flooded := [address for address in addresses if is_flooded(address)]:
        raise ValidationError({"addresses": f"{flooded[0]} has been sent too many mails. Try again in the next hour."})
    rows = [invite(project, role, by, days=days, note=address[:NOTE_LENGTH])[0] for address in addresses]
    for invitation, address in zip(rows, addresses, strict=True):
        queue(MAIL_KIND, address=address, invitation=invitation.pk)
    return rows


def set_secret_of_mail(pk: int, key: str) -> tuple[Invitation, str] | None:
    """Set and return the secret of an open invitation for the mail with this key; None if it is used or expired.

    The secret is not stored, and equal at each try, as mail programs may show either of two copies of a mail.
    """
    invitation = _open_invitations().select_related("project", "created_by").filter(pk=pk).first()
    if invitation is None:
        return None
    digest = salted_hmac("annotations.projects.people.invitations", f"{pk}:{key}", algorithm="sha256").digest()
    secret = urlsafe_b64encode(digest).rstrip(b"=").decode()
    invitation.digest = digest_of(secret)
    invitation.save(update_fields=["digest"])
    return invitation, secret


def undelivered(invitations: Iterable[Invitation]) -> set[int]:
    """Return the primary keys of the invitations whose mails were given up. One query."""
    mails = Mail.objects.filter(kind=MAIL_KIND, state=Mail.State.FAILED)
    failed = set(mails.values_list("context__invitation", flat=True))
    return {invitation.pk for invitation in invitations if invitation.pk in failed}


def find_invitation(secret: str) -> Invitation | None:
    """Return the invitation with this secret if it can be accepted; not while its project is archived."""
    return _open_invitations().select_related("project").filter(digest=digest_of(secret)).first()


def _open_invitations() -> QuerySet[Invitation]:
    """Return the invitations that can be accepted: not those of former managers or closed accounts.

    A former manager's invitation does not even work for that person.
    """
    by_manager = Membership.objects.filter(
        project=OuterRef("project"), user=OuterRef("created_by"), role__in=MANAGING_ROLES
    )
    invitations = Invitation.objects.filter(
        Exists(by_manager) | Q(created_by__is_superuser=True), created_by__is_active=True
    )
    return invitations.filter(used_at=None, expires_at__gt=timezone.now(), project__archived_at=None)


@transaction.atomic
def accept(invitation: Invitation, user: User) -> Membership:
    """Make the user a member. Raise ValidationError if the invitation is used or the user is a member already."""
    invitations = Invitation.objects.select_for_update(of=("self",)).select_related("project")
    locked = invitations.filter(pk=invitation.pk).first()
    if locked is None or not _open_invitations().filter(pk=locked.pk).exists():
        raise ValidationError("This invitation has been used or has expired.")
    if Membership.objects.filter(project=locked.project, user=user).exists():
        raise ValidationError(f"{user} is already a member of {locked.project}. The invitation is still valid.")
    locked.uses += 1
    if locked.uses == locked.max_uses:
        locked.used_by, locked.used_at = user, timezone.now()
    locked.save(update_fields=["uses", "used_by", "used_at"])
    return add_member(locked.project, user, locked.role)


@transaction.atomic
def withdraw(project: Project, pk: int) -> bool:
    """Delete an invitation. Return False if there is none, or it is used up."""
    invitation = Invitation.objects.select_for_update().filter(project=project, pk=pk, used_at=None).first()
    if invitation is not None:
        invitation.delete()
    return invitation is not None
