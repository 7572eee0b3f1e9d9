"""Many rows at once, past the objects of the ORM: for imports, where objects cost more than writing their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models
from django.db.models import JSONField


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values for those fields, which are all that have no default in the database.

    A foreign key is given as the key of its row. Values are checked by the constraints of the table only.
    """
    columns = [model._meta.get_field(name) for name in fields]
    names = [column.column for column in columns if isinstance(column, models.Field) and column.column]
    in_json = [number for number, column in enumerate(columns) if isinstance(column, JSONField)]
    ready = _with_json(rows, in_json) if in_json else rows
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(map(quote, names))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in ready:
                    copy.write_row(row)
        else:
            holes = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {into} VALUES ({holes})", list(ready))  # noqa: S608 - names of columns


def _with_json(rows: Iterable[Sequence[Any]], in_json: Sequence[int]) -> Iterable[list[Any]]:
    for row in rows:
        values = list(row)
        for number in in_json:
            values[number] = json.dumps(values[number]) if values[number] else "[]"
        yield values
