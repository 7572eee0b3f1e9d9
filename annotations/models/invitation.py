"""Invitations to projects."""

from django.db import models
from django.db.models import Q

from annotations.models.project import Membership, Project
from annotations.models.user import User


class Invitation(models.Model):
    """A link for one person into one role. Its secret is shown once; only the digest of the secret is stored."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role)
    note = models.CharField(max_length=100, blank=True, help_text="For whom it is: a note for the managers.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what the link ends with")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=["manager", "adjudicator", "coder", "viewer"]), name="invitation_role_known"
            ),
            models.CheckConstraint(
                condition=Q(used_by__isnull=True, used_at__isnull=True)
                | Q(used_by__isnull=False, used_at__isnull=False),
                name="invitation_used_by_somebody_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} as {self.role}"
