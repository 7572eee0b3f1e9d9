"""Write rows without model instances: for imports, where creating instances costs more than writing.

Values are checked by the constraints of the table only, and no signals are sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models
from django.db.models import DateTimeField, DurationField, JSONField, UUIDField

# Without the check for circular references, which our values never have, encoding takes four fifths of the time.
ENCODE = json.JSONEncoder(check_circular=False).encode
# SQLite accepts 32,766 values in a statement, PostgreSQL twice as many.
MAX_KEYS = 30_000


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values for those fields, which must include all that have no default in the database.

    The value of a foreign key is a primary key.
    """
    quote_name = connection.ops.quote_name
    columns: list[Any] = [model._meta.get_field(name) for name in fields]
    values = _convert_rows(rows, columns)
    into = f"{quote_name(model._meta.db_table)} ({', '.join(quote_name(field.column) for field in columns)})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY belongs to psycopg, so its errors are turned into Django's here.
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


def _convert_rows(rows: Iterable[Sequence[Any]], fields: Sequence[object]) -> Iterator[Sequence[Any]]:
    """Yield the rows with values converted for the database."""
    steps = [(number, step) for number, field in enumerate(fields) if (step := _converter(field)) is not None]
    for row in rows:
        if not steps:
            yield row
            continue
        values = list(row)
        for number, step in steps:
            values[number] = step(values[number])
        yield values


def _converter(field: object) -> Callable[[Any], Any] | None:
    """Return the function that converts a value of the field for the database; None if no conversion is needed."""
    if isinstance(field, JSONField):
        # Most lists are empty, and returning "[]" is much faster than encoding.
        return lambda value: "[]" if value in ((), []) else None if value is None else ENCODE(value)
    if isinstance(field, UUIDField):
        return None if connection.features.has_native_uuid_field else lambda value: value and value.hex
    if isinstance(field, DurationField):
        return lambda value: field.get_db_prep_value(value, connection)
    if isinstance(field, DateTimeField):
        last_value: datetime | None = None
        converted: Any = None

        def convert_time(value: datetime | None) -> Any:
            nonlocal last_value, converted
            if value is not last_value:  # most rows that are written together have the same time
                last_value, converted = value, field.get_db_prep_value(value, connection)
            return converted

        return convert_time
    return None
