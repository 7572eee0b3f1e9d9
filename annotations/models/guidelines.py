"""The versions of a project's guidelines, and which of them its members have read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotations.models.people.user import User
from annotations.models.project import Project

# So many characters are saved; what is longer from before stays.
MAX_GUIDELINES = 200_000


class GuidelinesVersion(models.Model):
    """The text of the guidelines from one save on. Versions count from 1; the last one is the text of the project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines_versions", db_index=False)
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who saved it; empty for what was written before there were versions, or by the server.",
    )
    body = models.TextField(blank=True, help_text="Markdown")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guidelines_version_once_in_project"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_version_counts_from_1"),
        ]

    def __str__(self) -> str:
        return f"Version {self.number}"


class GuidelinesReading(models.Model):
    """The latest version of the guidelines that a member has read."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines_readings", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="guidelines_reading_one_a_person"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_reading_of_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: version {self.number}"
