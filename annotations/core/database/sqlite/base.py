"""Refuse on SQLite the integers that PostgreSQL refuses: forms, API and archives ask the database for the bounds."""

from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.sqlite3 import base, operations


class DatabaseOperations(operations.DatabaseOperations):
    """Operations of SQLite. A smallint has 16 bits and an integer 32, although the file could hold 64 of either."""

    integer_field_range = BaseDatabaseOperations.integer_field_range


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
