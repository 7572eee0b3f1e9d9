"""Write rows without model instances: for imports, where creating instances costs more than writing.

Only the constraints of the table check values, and no signals are sent.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection, models

# Skipping the check for circular references, which our values cannot have, saves a fifth of the time.
ENCODE = json.JSONEncoder(check_circular=False).encode
CONVERTED_FIELDS = (models.JSONField, models.UUIDField, models.DurationField, models.DateTimeField)
# SQLite accepts 32,766 values in a statement, PostgreSQL twice as many.
MAX_KEYS = 30_000


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values (keys for foreign keys) for the fields, which include all without a database default."""
    quote_name = connection.ops.quote_name
    columns: list[Any] = [model._meta.get_field(name) for name in fields]
    values = _convert_rows(rows, columns)
    into = f"{quote_name(model._meta.db_table)} ({', '.join(quote_name(field.column) for field in columns)})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY belongs to psycopg, so its errors are converted to Django's here.
            with connection.wrap_database_errors, cursor.cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
        else:
            cursor.executemany(f"INSERT INTO {into} VALUES ({', '.join(['%s'] * len(fields))})", list(values))  # noqa: S608 - names


def reserve_keys(model: type[models.Model], count: int) -> Sequence[int]:
    """Return unused primary keys for `count` new rows. Call it inside the transaction that inserts them."""
    if not count:
        return range(0)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
            sequence = cursor.fetchone()
            cursor.execute("SELECT nextval(%s::regclass) FROM generate_series(1, %s)", [*sequence, count])
            return [key for (key,) in cursor.fetchall()]
        # On SQLite no other transaction can write until this one ends.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        (last,) = cursor.fetchone() or (0,)
        return range(last + 1, last + 1 + count)


def _convert_rows(rows: Iterable[Sequence[Any]], fields: Sequence[models.Field[Any, Any]]) -> Iterator[Sequence[Any]]:
    """Yield the rows, with values converted for the database where the fields need it."""
    converters = [(i, _converter(field)) for i, field in enumerate(fields) if isinstance(field, CONVERTED_FIELDS)]
    for row in rows:
        values = list(row)
        for number, convert in converters:
            if values[number] is not None:
                values[number] = convert(values[number])
        yield values


def _converter(field: models.Field[Any, Any]) -> Callable[[Any], Any]:
    """Return the function that converts a value of the field for the database, with shortcuts for common values."""
    if isinstance(field, models.JSONField):
        # Most lists are empty, and returning "[]" is much faster than encoding.
        return lambda value: "[]" if value in ((), []) else ENCODE(value)
    if isinstance(field, models.DateTimeField):
        # Rows that are written together mostly have the same time.
        return lru_cache(maxsize=1)(lambda value: field.get_db_prep_save(value, connection))
    return lambda value: field.get_db_prep_save(value, connection)
