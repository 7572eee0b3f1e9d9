"""API keys."""

from django.db import models
from django.db.models import Q

from annotations.models.people.user import User


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
            models.CheckConstraint(condition=Q(scope__in=["read", "annotate", "manage"]), name="token_scope_known"),
        ]

    def __str__(self) -> str:
        return self.name
