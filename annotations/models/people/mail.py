"""Mails that wait to be sent, and those that were."""

from django.db import models
from django.db.models import Q

from annotations.models.people.user import User

# That of the address of an account.
ADDRESS_LENGTH = 254


class Mail(models.Model):
    """A mail: to a user, whose confirmed address is read when it is sent, or to an address.

    It has what its words are made from when it is sent, and no secret. `key` lets it be queued once. `next_try_at` is
    set before each try, so that two workers do not send it at the same time.
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
