"""Probes for orchestrators: whether the process is alive, and whether it is ready."""

from __future__ import annotations

from tempfile import TemporaryFile

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import caches
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.core.database.migrations import DatabaseTooOld, read_migration_state

# The free space to check for: a full disk has no block of this size.
ROOM = 64 * 1024
SECONDS_TO_REMEMBER = 1


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - the view needs none of it
    return JsonResponse({"alive": True})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - the view needs none of it
    """Answer whether database, migrations and files are usable, cached for a second; 503 with the failures."""
    failed = caches["process"].get_or_set("readyz", _failed_checks, timeout=SECONDS_TO_REMEMBER)
    return JsonResponse({"ready": not failed, "failed_checks": failed}, status=503 if failed else 200)


def _failed_checks() -> dict[str, str]:
    return {name: reason for name, check in CHECKS.items() if (reason := check())}


def _check_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "the database does not answer"
    return ""


def _check_migrations() -> str:
    try:
        unapplied = read_migration_state().unapplied
    except DatabaseTooOld:
        return "the database is of a version before 0.2.0"
    except DatabaseError:
        return "the migrations cannot be read"
    return f"{len(unapplied)} migrations are not applied" if unapplied else ""


def _check_files() -> str:
    folder = settings.MEDIA_ROOT if settings.MEDIA_ROOT.exists() else settings.MEDIA_ROOT.parent
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
            file.flush()
    except OSError as error:
        return f"files cannot be written: {error.strerror}"
    return ""


CHECKS = {"database": _check_database, "migrations": _check_migrations, "files": _check_files}
