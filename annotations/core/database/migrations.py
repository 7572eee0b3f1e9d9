"""The state of migrations, the models of the database at that state, and a way to an earlier state and back."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.apps import apps
from django.apps.registry import Apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

type Name = tuple[str, str]

# A squash of 0001 to 0041 between two releases, which is recorded in databases of that time.
FORMER_SQUASH = ("annotations", "0001_squashed_0041_model_coders")


class DatabaseTooOld(CommandError):
    """A database or backup has some but not all migrations of 0.2.0; the message says what to do."""


@dataclass(frozen=True, slots=True)
class MigrationState:
    """The applied migrations, the unknown ones among them, and the missing ones."""

    applied: list[Name]
    unknown: list[Name]
    unapplied: list[Name]


def applied_migrations() -> list[Name]:
    """Return the applied migrations, sorted."""
    return sorted((app, name) for app, name in MigrationRecorder(connection).applied_migrations())


def known_migrations() -> set[Name]:
    """Return the names of all migrations of the program and of those that they replace."""
    migrations = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    replaced = {name for migration in migrations.values() for name in migration.replaces}
    return {*migrations, *replaced, FORMER_SQUASH}


def check_age(source: str, applied: Collection[Name]) -> None:
    """Raise DatabaseTooOld if a squashed migration is only partly applied."""
    for migration in MigrationLoader(None, ignore_no_migrations=True).replacements.values():
        if 0 < len(set(migration.replaces).intersection(applied)) < len(migration.replaces):
            raise DatabaseTooOld(f"{source} is of a version before 0.2.0: upgrade it with version 0.2.0 first.")


def read_migration_state() -> MigrationState:
    """Return the state of the database. Raise DatabaseError if it cannot be reached, and DatabaseTooOld."""
    applied = applied_migrations()
    check_age("The database", applied)
    executor = MigrationExecutor(connection)
    unknown = set(applied) - known_migrations()
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return MigrationState(applied, sorted(unknown), [(migration.app_label, migration.name) for migration, _ in plan])


def models_of_database() -> Apps:
    """Return the models that match the tables: the current models, or former ones before a migration."""
    check_age("The database", applied_migrations())
    loader = MigrationLoader(connection)
    applied = [name for name in loader.applied_migrations if name in loader.graph.nodes]
    if len(applied) == len(loader.graph.nodes):
        return apps
    return loader.project_state(applied).apps


@contextmanager
def migrated_as(names: Collection[Name]) -> Iterator[Apps]:
    """Migrate an empty database to these migrations, yield its models, then migrate fully. Not in a transaction.

    Raise DatabaseTooOld if the migrations belong to a version before 0.2.0.
    """
    check_age("The backup", names)
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    held = {name for name, migration in graph.nodes.items() if set(migration.replaces or [name]).issubset(names)}
    if held == graph.nodes.keys() & executor.loader.applied_migrations.keys():
        yield models_of_database()
        return
    last = [
        name
        for name in sorted(held)
        if not any(child.key[0] == name[0] and child.key in held for child in graph.node_map[name].children)
    ]
    without = executor.loader.migrated_apps - {app for app, _ in held}
    executor.migrate([*last, *((app, None) for app in sorted(without))])
    try:
        yield models_of_database()
    finally:
        call_command("migrate", verbosity=0)
