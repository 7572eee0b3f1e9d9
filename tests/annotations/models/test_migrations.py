"""Migrations that move more than tables."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.executor import MigrationExecutor
from django_tasks_db.models import DBTaskResult

from agreement.results.computations import compute
from annotations.core.database.migrations import make_single_executor
from annotations.models import Category, GuidelinesReading, GuidelinesVersion
from annotations.models.coding import pointing_categories
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES
from annotations.schemes.singletons import mark_singletons
from annotations.transfers.orders import run_transfer


@pytest.mark.django_db
def test_what_makes_a_new_database_makes_what_all_migrations_one_by_one_make():
    single = make_single_executor().loader
    new = MigrationExecutor(connection).loader
    assert MigrationAutodetector(single.project_state(), new.project_state()).changes(new.graph) == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("migration", "task", "before"),
    [
        ("annotations.migrations.0009_plain_names", run_transfer, "annotations.transfers.work"),
        ("agreement.migrations.0006_results", compute, "agreement.sections.computations.compute"),
    ],
)
def test_what_an_earlier_version_left_in_the_queue_is_found_by_the_worker(migration, task, before):
    others = {
        "priority": 0,
        "args_kwargs": {"args": [1], "kwargs": {}},
        "queue_name": "default",
        "backend_name": "default",
    }
    queued = DBTaskResult.objects.create(task_path=before, **others)
    import_module(migration).rename_tasks(apps, SimpleNamespace(connection=connection))
    queued.refresh_from_db()
    assert queued.task_path == task.module_path


@pytest.mark.django_db
def test_guidelines_become_version_1_which_the_members_have_read(alice):
    project = create_project("old", "Old", SCHEMES["muc-ident"], guidelines="*Read*.", manager=alice)
    create_project("empty", "Empty", SCHEMES["muc-ident"])
    GuidelinesVersion.objects.all().delete()
    GuidelinesReading.objects.all().delete()
    migration = import_module("annotations.migrations.0016_guidelines_and_questions")
    migration.make_first_versions(apps, SimpleNamespace(connection=connection))
    assert [(one.project, one.number, one.body) for one in GuidelinesVersion.objects.all()] == [(project, 1, "*Read*.")]
    assert [(one.user, one.number) for one in GuidelinesReading.objects.all()] == [(alice, 1)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("scheme", "preset", "singletons"),
    [
        ("passonneau-2004", "passonneau-2004", ["none"]),
        ("passonneau-2004", "passonneau-2004-nominal", ["none"]),
        ("clusters", "passonneau-2004", ["none"]),
        ("passonneau-2004", "masi", []),
        ("clusters", "masi", []),
        ("muc-ident", "passonneau-2004", []),
        ("pyramid", "passonneau-2004", []),
        ("sortal-classes", "passonneau-2004", []),
    ],
)
def test_answers_without_index_stay_singletons_in_projects_that_follow_passonneau(scheme, preset, singletons):
    project = create_project("old", "Old", SCHEMES[scheme])
    project.preset = preset
    project.save()
    Category.objects.update(singleton=False)
    mark_singletons(Category.objects.exclude(pk__in=pointing_categories().values("pk")))
    assert list(project.categories.filter(singleton=True).values_list("key", flat=True)) == singletons
