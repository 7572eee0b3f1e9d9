"""The failures to sign in of a name from an address, which django-axes counts in the database."""

from __future__ import annotations

from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone


class FailureHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Count no failure that lies further ahead than a lock lasts: the clock was wrong when it was written."""

    def get_user_attempts(self, request: HttpRequest, credentials: Any = None) -> list[QuerySet[AccessAttempt]]:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        return [rows.filter(attempt_time__lte=latest) for rows in super().get_user_attempts(request, credentials)]

    def clean_expired_user_attempts(self, request: HttpRequest | None = None, credentials: Any = None) -> int:
        latest = timezone.now() + settings.AXES_COOLOFF_TIME
        count: int = AccessAttempt.objects.filter(attempt_time__gt=latest).delete()[0]
        expired: int = super().clean_expired_user_attempts(request, credentials)
        return count + expired
