"""Migrations of data."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django_tasks_db.models import DBTaskResult

from agreement.results.computations import compute


@pytest.mark.django_db
def test_migration_renames_computations_queued_by_0_2_0():
    others = {
        "priority": 0,
        "args_kwargs": {"args": [1], "kwargs": {}},
        "queue_name": "default",
        "backend_name": "default",
    }
    queued = DBTaskResult.objects.create(task_path="agreement.sections.computations.compute", **others)
    import_module("agreement.migrations.0006_results").rename_tasks(apps, SimpleNamespace(connection=connection))
    queued.refresh_from_db()
    assert queued.task_path == compute.module_path
