"""The accounts of people: their mail addresses and forgotten passwords.

A manager can make a link for a member to reset the password, which gives control of the account. So the account must
have been created for the manager's project, and have no use elsewhere; staff helps with all others.
"""

import logging
from functools import partial

from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotations.core.http.limits import Limit
from annotations.core.text import one_line
from annotations.mail.kinds import MailKind, Message, absolute, confirm_link, optional_kinds, register_kind
from annotations.mail.queue import is_enabled, is_flooded, queue
from annotations.models import AccountOrigin, Coding, Mail, Membership, Project, Token, User
from annotations.models.people.rights import MANAGING_ROLES

logger = logging.getLogger(__name__)

# Hourly limits: confirmation mails by user, reset mails by account, reset links by manager.
CONFIRMATIONS, MAX_CONFIRMATIONS = Limit("mail confirmations", seconds=3600), 5
RESETS, MAX_RESETS = Limit("password resets", seconds=3600), 3
RESET_LINKS, MAX_RESET_LINKS = Limit("reset links", seconds=3600), 30
NO_LINK = (
    "A link can be made only for an account that was made for this project and is used in no other. The site’s staff "
    "can set a password for all others."
)


def record_origin(project: Project, *users: User) -> None:
    """Record that these accounts were created for the project."""
    AccountOrigin.objects.bulk_create(AccountOrigin(user=user, project=project) for user in users)


def request_address(user: User, address: str) -> None:
    """Send a link to confirm the address. Raise ValidationError if the limits of mails are reached."""
    if CONFIRMATIONS.use(user.pk) > MAX_CONFIRMATIONS:
        raise ValidationError(f"At most {MAX_CONFIRMATIONS} links are sent per hour. Try again in the next hour.")
    if is_flooded(address):
        raise ValidationError("This address has been sent too many mails. Try again in the next hour.")
    queue("confirm", user=user, address=address)


def set_address(user: User, address: str) -> None:
    """Set the confirmed address of the user; "" for none."""
    user.email, user.email_confirmed_at = address, timezone.now() if address else None
    user.save(update_fields=["email", "email_confirmed_at"])


def change_address(user: User, address: str) -> None:
    """Set another address, or "" for none, and notify the old one: an address can reset the password."""
    previous = user.email if user.email_confirmed_at else ""
    set_address(user, address)
    if previous and previous.lower() != address.lower():
        queue("address-changed", user=user, address=previous, removed=not address)


def tell_of_password(user: User) -> None:
    """Notify the owner of the account that its password was changed."""
    if user.email_confirmed_at:
        queue("password-changed", user=user)


def finish_reset(user: User) -> None:
    """Delete the account's API keys after a reset by link, as somebody else may have created them."""
    Token.objects.filter(user=user).delete()
    tell_of_password(user)


def set_muted_mails(user: User, muted: list[str]) -> None:
    """Set the kinds of mails that the user does not want."""
    user.muted_mails = sorted({kind.key for kind in optional_kinds()}.intersection(muted))
    user.save(update_fields=["muted_mails"])


def request_password_reset(address: str) -> None:
    """Queue reset links for the address; the worker looks up accounts, so response time discloses nothing."""
    queue("forgotten", address=address)


def _compose_forgotten(mail: Mail) -> None:
    users = User.objects.filter(email__iexact=mail.address, email_confirmed_at__isnull=False, is_active=True)
    for user in users:
        if user.has_usable_password() and RESETS.use(user.pk) <= MAX_RESETS:
            queue("password", user=user)


class MemberTokenGenerator(PasswordResetTokenGenerator):
    """The tokens of links that managers make. They also expire when the project's managers change."""

    key_salt = "annotations.projects.people.accounts.MemberTokenGenerator"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        managers = Membership.objects.filter(
            project__in=_origins().filter(user=user).values("project"), user__is_active=True
        )
        keys = managers.filter(role__in=MANAGING_ROLES).order_by("user").values_list("user", flat=True)
        return f"{super()._make_hash_value(user, timestamp)}{list(keys)}"

    def check_token(self, user: User | None, token: str | None) -> bool:
        """Return whether the token is valid, and a link could still be made for the account."""
        return super().check_token(user, token) and _origins().filter(user=user).exists()


member_tokens = MemberTokenGenerator()


def _origins() -> QuerySet[AccountOrigin]:
    """Return the origins of accounts whose managers may make a reset link."""
    memberships = Membership.objects.filter(user=OuterRef("user"))
    codings = Coding.objects.filter(coder=OuterRef("user"))
    return AccountOrigin.objects.filter(
        Exists(memberships.filter(project=OuterRef("project"))),
        ~Exists(memberships.exclude(project=OuterRef("project"))),
        ~Exists(codings.exclude(text__project=OuterRef("project"))),
        ~Exists(memberships.filter(model__isnull=False)),  # a model has no password
        user__is_active=True,
        user__is_staff=False,
        user__is_superuser=False,
        user__groups=None,
        user__user_permissions=None,
        project__archived_at=None,
    )


def resettable_members(project: Project, by: User) -> set[int]:
    """Return the primary keys of the members for whom this manager may make a link. One query."""
    return set(_origins().filter(project=project).exclude(user=by.pk).values_list("user", flat=True))


def make_reset_link(membership: Membership, by: User) -> str:
    """Return the path of a page where the member can reset the password once, within a day.

    The member is notified by mail, if there is an address. Raise ValidationError if the manager may not make a link.
    """
    user = membership.user
    if user.pk not in resettable_members(membership.project, by):
        raise ValidationError(NO_LINK)
    if RESET_LINKS.use(by.pk) > MAX_RESET_LINKS:
        raise ValidationError(f"At most {MAX_RESET_LINKS} links are made per hour. Try again in the next hour.")
    logger.info("A link to reset the password of the user %s was made by the user %s.", user.pk, by.pk)
    if is_enabled() and user.email_confirmed_at:
        queue("reset-link", user=user, project=one_line(membership.project.title), by=by.get_username())
    return reverse("member-password", args=[_uid(user), member_tokens.make_token(user)])


def _uid(user: User) -> str:
    return urlsafe_base64_encode(force_bytes(user.pk))


def _owner(mail: Mail) -> User:
    assert mail.user is not None
    return mail.user


def _compose_confirmation(mail: Mail) -> Message | None:
    user = _owner(mail)
    if not user.is_active:
        return None
    context = {"user": user, "link": confirm_link(user, mail.address)}
    return Message.from_template("confirm.txt", "Confirm your e-mail address", context)


def _compose_password(mail: Mail) -> Message:
    user = _owner(mail)
    path = reverse("reset-password", args=[_uid(user), default_token_generator.make_token(user)])
    return Message.from_template("password.txt", "Set another password", {"user": user, "link": absolute(path)})


def _compose_news(template: str, subject: str, mail: Mail) -> Message:
    return Message.from_template(template, subject, {"user": _owner(mail), **mail.context})


def register_kinds() -> None:
    """Register the mails of accounts, which cannot be turned off."""
    register_kind(MailKind("confirm", _compose_confirmation))
    register_kind(MailKind("forgotten", _compose_forgotten))
    register_kind(MailKind("password", _compose_password))
    for key, template, subject in (
        ("address-changed", "address_changed.txt", "Your e-mail address was changed"),
        ("password-changed", "password_changed.txt", "Your password was changed"),
        ("reset-link", "reset_link.txt", "A link to set another password was made"),
    ):
        register_kind(MailKind(key, partial(_compose_news, template, subject)))
