"""How far the database is migrated, the models that it has until then, and a way to an earlier state and back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.apps import apps
from django.apps.registry import Apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# The app and the name of a migration.
type Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MigrationState:
    """The migrations that the database has, of these those unknown to the program, and those that it lacks."""

    applied: list[Name]
    unknown: list[Name]
    unapplied: list[Name]


def applied_migrations() -> list[Name]:
    """Return the migrations that the database has, sorted."""
    return sorted((app, name) for app, name in MigrationRecorder(connection).applied_migrations())


def all_migrations() -> Collection[Name]:
    """Return the migrations of the program, those that replace others and those that are replaced among them."""
    return set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def make_single_executor() -> MigrationExecutor:
    """Return an executor by which the database takes each migration as it was written, and none that replaces others.

    A new database is made by the latter, which takes a quarter of the time; a database has no state within them.
    """
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    for name, migration in executor.loader.replacements.items():
        executor.loader.graph.remove_replacement_node(name, migration.replaces)
        executor.loader.applied_migrations.pop(name, None)
    return executor


def read_migration_state() -> MigrationState:
    """Ask the database. Raise DatabaseError where it does not answer."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    applied = applied_migrations()
    return MigrationState(
        applied=applied,
        unknown=[name for name in applied if name not in executor.loader.disk_migrations],
        unapplied=[(one.app_label, one.name) for one, _ in executor.migration_plan(graph.leaf_nodes())],
    )


def models_of_database() -> Apps:
    """Return the models whose tables the database has: the program's own, or if it has to be migrated former ones."""
    loader = MigrationLoader(connection)
    applied = [name for name in loader.applied_migrations if name in loader.graph.nodes]
    if len(applied) == len(loader.graph.nodes):
        return apps
    return loader.project_state(applied).apps


@contextmanager
def migrated_as(names: Collection[Name]) -> Iterator[Apps]:
    """Let the database have these migrations of the program alone, and yield its models; then migrate it.

    Not within a transaction. The database has to be empty: what is taken back loses what only later versions can hold.
    """
    executor = make_single_executor()
    nodes = executor.loader.graph.node_map
    singles = set(names).intersection(nodes)
    if singles == set(executor.loader.applied_migrations):
        yield models_of_database()
        return
    last = [
        name
        for name in sorted(singles)
        if not any(child.key[0] == name[0] and child.key in singles for child in nodes[name].children)
    ]
    without = executor.loader.migrated_apps - {app for app, _ in singles}
    executor.migrate([*last, *((app, None) for app in sorted(without))])
    try:
        yield models_of_database()
    finally:
        call_command("migrate", verbosity=0)
