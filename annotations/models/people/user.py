"""Users, their API keys, their mails, and stored responses to their requests."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

# The length of a mail address of an account.
ADDRESS_LENGTH = 254


class User(AbstractUser):
    """A person. Rights in a project depend on the role there; `email` is used once it is confirmed."""

    email_confirmed_at = models.DateTimeField(null=True, blank=True, editable=False)
    muted_mails = models.JSONField(default=list, blank=True, editable=False, help_text="The kinds of mails not wanted.")

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_username_unique_in_any_case",
                violation_error_message="This username is taken.",
            )
        ]


class Token(models.Model):
    """An API key. The key is shown once, when it is created; only its digest and first characters are stored."""

    class Scope(models.TextChoices):
        READ = "read", "read"
        ANNOTATE = "annotate", "read and annotate"
        MANAGE = "manage", "full access"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100, help_text="What the key is for, such as a notebook.")
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.READ)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key")
    prefix = models.CharField(max_length=16, help_text="The first characters of the key, by which its owner knows it.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the hour")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(scope__in=["read", "annotate", "manage"]), name="token_scope_known")
        ]

    def __str__(self) -> str:
        return self.name


class Mail(models.Model):
    """A mail to a user, whose confirmed address is read when it is sent, or to an address.

    `context` has the data for its text, and no secret. `key` prevents a second mail for the same reason. `next_try_at`
    is set before each try, so that two workers do not send the mail at the same time.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SENT = "sent", "sent"
        DROPPED = "dropped", "dropped"
        FAILED = "failed", "failed"

    kind = models.CharField(max_length=20)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    address = models.EmailField(max_length=ADDRESS_LENGTH, blank=True)
    context = models.JSONField(default=dict)
    key = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    next_try_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sent", "dropped", "failed"]), name="mail_state_known"
            ),
            models.CheckConstraint(condition=Q(user__isnull=False) | ~Q(address=""), name="mail_to_somebody"),
        ]
        indexes = [models.Index(fields=["next_try_at"], condition=Q(state="waiting"), name="mail_waiting")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class IdempotencyRecord(models.Model):
    """The response to a POST with an `Idempotency-Key`, stored for a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.UUIDField(help_text="which the sender chose")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was sent, and where")
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answered_once")]

    def __str__(self) -> str:
        return str(self.key)
