"""Many rows at once, past the objects of the ORM: for imports, where objects cost more than writing their rows."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, models
from django.db.models import DateTimeField, JSONField, UUIDField

USUAL = gc.get_threshold()
SELDOM = (1_000_000, 50, 1000)
# Not looking for circles, which no value of ours has, it takes four fifths of the time.
ENCODE = json.JSONEncoder(check_circular=False).encode


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for garbage in cycles less often: in vain among a million objects, it takes a third of an export's time."""
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*USUAL)


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values for those fields, which are all that have no default in the database.

    A foreign key is given as the key of its row. Values are checked by the constraints of the table only.
    """
    columns = [model._meta.get_field(name) for name in fields]
    names = [column.column for column in columns if isinstance(column, models.Field) and column.column]
    prepare = [(number, one) for number, column in enumerate(columns) if (one := _prepared(column)) is not None]
    ready = _prepare(rows, prepare) if prepare else rows
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(map(quote, names))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY is psycopg's own, so its errors are made Django's here.
            with connection.wrap_database_errors, cursor.cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in ready:
                    copy.write_row(row)
        else:
            holes = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {into} VALUES ({holes})", list(ready))  # noqa: S608 - names of columns


def reserve(model: type[models.Model], count: int) -> Sequence[int]:
    """Keys for so many new rows, which no other row will get. Call it inside the transaction that inserts them."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
            sequence = cursor.fetchone()
            cursor.execute("SELECT nextval(%s::regclass) FROM generate_series(1, %s)", [*sequence, count])
            return [key for (key,) in cursor.fetchall()]
        # SQLite lets nobody else write until this transaction ends.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        (last,) = cursor.fetchone() or (0,)
        return range(last + 1, last + 1 + count)


type Prepare = Callable[[Any], Any]


def _prepared(column: object) -> Prepare | None:
    """How a value of the column is made one that the database takes; None: it is one already."""
    if isinstance(column, JSONField):
        # Most lists are empty, and to say so is much faster than to ask.
        return lambda value: "[]" if value in ((), []) else None if value is None else ENCODE(value)
    if isinstance(column, DateTimeField | UUIDField):
        return lambda value: column.get_db_prep_value(value, connection)
    return None


def _prepare(rows: Iterable[Sequence[Any]], prepare: Sequence[tuple[int, Prepare]]) -> Iterable[list[Any]]:
    for row in rows:
        values = list(row)
        for number, prepared in prepare:
            values[number] = prepared(values[number])
        yield values
