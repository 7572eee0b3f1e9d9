"""What an orchestrator asks: whether the process lives, and whether it can serve."""

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
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - nothing is asked
    """The process answers."""
    return JsonResponse({"alive": True})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - nothing is asked
    """Database, migrations and files are as the program needs them; 503 with what is not."""
    lacking = {name: why for name, check in CHECKS.items() if (why := check())}
    return JsonResponse({"ready": not lacking, "lacking": lacking}, status=503 if lacking else 200)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "the database does not answer"
    return ""


def _migrations() -> str:
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "the migrations cannot be read"
    return f"{len(waiting)} migrations are not applied" if waiting else ""


def _files() -> str:
    place = settings.MEDIA_ROOT if settings.MEDIA_ROOT.exists() else settings.MEDIA_ROOT.parent
    return "" if os.access(place, os.W_OK | os.X_OK) else "files cannot be written"


CHECKS = {"database": _database, "migrations": _migrations, "files": _files}
