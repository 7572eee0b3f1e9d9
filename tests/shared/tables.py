"""The tables of a database, to compare two."""

from __future__ import annotations

from django.db import connection


def describe_tables() -> dict[str, list[str]]:
    """Return the columns of each table and what it asks of them, sorted; without names of constraints and indexes."""
    introspection = connection.introspection
    tables = {}
    with connection.cursor() as cursor:
        for table in introspection.table_names(cursor):
            columns = [
                (column.name, column.type_code, column.null_ok, column.internal_size, column.default)
                for column in introspection.get_table_description(cursor, table)
            ]
            constraints = [
                {name: value for name, value in sorted(constraint.items()) if name != "definition"}
                for constraint in introspection.get_constraints(cursor, table).values()
            ]
            tables[table] = sorted(map(repr, [*columns, *constraints]))
    return tables
