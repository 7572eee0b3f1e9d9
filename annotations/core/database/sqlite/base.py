"""Limit integers on SQLite as on PostgreSQL: forms, API and archives read the limits from the database."""

from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.sqlite3 import base, operations


class DatabaseOperations(operations.DatabaseOperations):
    """The operations of SQLite, with 16 bits for a smallint and 32 for an integer, although SQLite could store 64."""

    integer_field_range = BaseDatabaseOperations.integer_field_range


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
