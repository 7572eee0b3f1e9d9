"""Databases of which a migration is not applied."""

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def unapply_last(app: str) -> str:
    """Delete the record of the last migration of the app, and return its name."""
    [(_, name)] = MigrationLoader(connection).graph.leaf_nodes(app)
    MigrationRecorder(connection).record_unapplied(app, name)
    return name
