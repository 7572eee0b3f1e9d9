"""Invitations to projects."""

from django.db import models
from django.db.models import F, Q

from annotations.models.people.user import User
from annotations.models.project import Membership, Project

MAX_USES = 200
NOTE_LENGTH = 100


class Invitation(models.Model):
    """A link into one role, for one person or for `max_uses`. Its secret is shown once; only its digest is stored.

    `used_by` and `used_at` are of the use after which there is no further one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=16, choices=Membership.Role)
    note = models.CharField(max_length=NOTE_LENGTH, blank=True, help_text="For whom it is: a note for the managers.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what the link ends with")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    max_uses = models.PositiveSmallIntegerField(default=1, help_text="How many people may use it.")
    uses = models.PositiveSmallIntegerField(default=0, help_text="How many people have used it.")
    used_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=["manager", "adjudicator", "coder", "viewer", "manager-coder"]),
                name="invitation_role_known",
            ),
            models.CheckConstraint(
                condition=Q(used_by__isnull=True, used_at__isnull=True)
                | Q(used_by__isnull=False, used_at__isnull=False),
                name="invitation_used_by_somebody_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(max_uses__gte=1, max_uses__lte=MAX_USES, uses__lte=F("max_uses")),
                name="invitation_used_as_often_as_it_may",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} as {self.role}"
