"""Probes for orchestrators: whether the process lives, and whether it can serve."""

from __future__ import annotations

import os

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - the view needs none of it
    """Answer that the process is alive."""
    """The process answers."""
    return JsonResponse({"alive": True})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - the view needs none of it
    """Answer whether database, migrations and files are usable; 503 with the failed checks if not."""
    failed = {name: reason for name, check in CHECKS.items() if (reason := check())}
    return JsonResponse({"ready": not failed, "failed_checks": failed}, status=503 if failed else 200)


def _check_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "the database does not answer"
    return ""


def _check_migrations() -> str:
    try:
        executor = MigrationExecutor(connection)
        unapplied = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "the migrations cannot be read"
    return f"{len(unapplied)} migrations are not applied" if unapplied else ""


def _check_files() -> str:
    folder = settings.MEDIA_ROOT if settings.MEDIA_ROOT.exists() else settings.MEDIA_ROOT.parent
    return "" if os.access(folder, os.W_OK | os.X_OK) else "files cannot be written"


CHECKS = {"database": _check_database, "migrations": _check_migrations, "files": _check_files}
