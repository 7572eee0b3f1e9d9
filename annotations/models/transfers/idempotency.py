"""Answers to requests with an idempotency key, so that a request sent again gets the same answer."""

from django.db import models

from annotations.models.people.user import User


class IdempotencyRecord(models.Model):
    """The answer to a POST with an `Idempotency-Key`, stored for a day."""

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
