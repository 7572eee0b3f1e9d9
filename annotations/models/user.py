"""Users."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """A person. What they may do in a project depends on their role in it."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_username_unique_in_any_case",
                violation_error_message="This username is taken.",
            )
        ]
