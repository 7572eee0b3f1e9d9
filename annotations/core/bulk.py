"""Rows written past the objects of the ORM: for imports and saving, where objects cost more than writing their rows.

Values are checked by the constraints of the table only, and no signals are sent.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import batched, chain
from typing import Any

from django.db import connection, models
from django.db.models import DateTimeField, JSONField, UUIDField

USUAL = gc.get_threshold()
SELDOM = (1_000_000, 50, 1000)
# Not looking for circles, which no value of ours has, it takes four fifths of the time.
ENCODE = json.JSONEncoder(check_circular=False).encode
# SQLite takes 32,766 values in a statement, PostgreSQL twice as many.
MOST_ROWS, MOST_KEYS = 1000, 30_000


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

    A foreign key is given as the key of its row.
    """
    ready = _prepared(model, fields, rows)
    into = f"{_table(model)} ({', '.join(_columns(model, fields))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY is psycopg's own, so its errors are made Django's here.
            with connection.wrap_database_errors, cursor.cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in ready:
                    copy.write_row(row)
        else:
            cursor.executemany(f"INSERT INTO {into} VALUES {_holes(len(fields))}", list(ready))  # noqa: S608 - names


def upsert(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]], *, unique: Sequence[str]
) -> dict[tuple[Any, ...], int]:
    """Insert rows as `insert` does, or change the row that has the same values in the `unique` fields.

    No two of the rows may have the same. The keys of all of them, by those values.
    """
    columns, given = _columns(model, fields), _columns(model, unique)
    changed = ", ".join(f"{column} = EXCLUDED.{column}" for column in columns if column not in given)
    into = f"INSERT INTO {_table(model)} ({', '.join(columns)}) VALUES"
    instead = f"ON CONFLICT ({', '.join(given)}) DO UPDATE SET {changed} RETURNING {', '.join(given)}, id"
    found = {}
    with connection.cursor() as cursor:
        for some in batched(_prepared(model, fields, rows), MOST_ROWS):
            holes = ", ".join([_holes(len(fields))] * len(some))
            cursor.execute(f"{into} {holes} {instead}", list(chain.from_iterable(some)))
            found.update({tuple(of): key for *of, key in cursor.fetchall()})
    return found


def update(model: type[models.Model], key: int, **values: int | str) -> None:
    """Change some columns of the row with that key."""
    changed = ", ".join(f"{column} = %s" for column in _columns(model, list(values)))
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_table(model)} SET {changed} WHERE id = %s", [*values.values(), key])  # noqa: S608


def delete(model: type[models.Model], field: str, keys: Collection[int]) -> None:
    """Delete the rows whose foreign key is one of these. Nothing may refer to the rows."""
    [column] = _columns(model, [field])
    with connection.cursor() as cursor:
        for some in batched(keys, MOST_KEYS):
            cursor.execute(f"DELETE FROM {_table(model)} WHERE {column} IN {_holes(len(some))}", some)  # noqa: S608


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


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _columns(model: type[models.Model], fields: Sequence[str]) -> list[str]:
    return [connection.ops.quote_name(_field(model, name).column) for name in fields]


def _field(model: type[models.Model], name: str) -> Any:
    return model._meta.get_field(name)


def _holes(count: int) -> str:
    return f"({', '.join(['%s'] * count)})"


def _prepared(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Iterable[Sequence[Any]]:
    """The rows with values that the database takes."""
    steps = [(number, one) for number, name in enumerate(fields) if (one := _step(_field(model, name))) is not None]
    return _stepped(rows, steps) if steps else rows


def _stepped(rows: Iterable[Sequence[Any]], steps: Sequence[tuple[int, Callable[[Any], Any]]]) -> Iterator[list[Any]]:
    for row in rows:
        values = list(row)
        for number, step in steps:
            values[number] = step(values[number])
        yield values


def _step(field: object) -> Callable[[Any], Any] | None:
    """How a value of the field is made one that the database takes; None: it is one already."""
    if isinstance(field, JSONField):
        # Most lists are empty, and to say so is much faster than to ask.
        return lambda value: "[]" if value in ((), []) else None if value is None else ENCODE(value)
    if isinstance(field, UUIDField):
        return None if connection.features.has_native_uuid_field else lambda value: value and value.hex
    if isinstance(field, DateTimeField):
        before: datetime | None = None
        ready: Any = None

        def moment(value: datetime | None) -> Any:
            nonlocal before, ready
            if value is not before:  # most rows that are written together have the same moment
                before, ready = value, field.get_db_prep_value(value, connection)
            return ready

        return moment
    return None
