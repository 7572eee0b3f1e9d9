"""Users."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """A person. What they may do in a project depends on their role in it.

    `email` is used once its owner has confirmed it.
    """

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
