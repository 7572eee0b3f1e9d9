"""Queries that are asked with every request: the ORM puts them into SQL once, and not each time anew.

To build the SQL of a query takes the ORM several times as long as the database takes to answer it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Field, JSONField, QuerySet


@dataclass(frozen=True, slots=True)
class Several:
    """An argument of several values of the field, for `__in`."""

    field: Field[Any, Any]


class Given(Expression):
    """Stands in a prepared query for an argument, until that is known."""

    def __init__(self, position: int, of: Field[Any, Any] | Several) -> None:
        self.several = isinstance(of, Several)
        super().__init__(output_field=of.field if isinstance(of, Several) else of)
        self.position = position

    @property
    def place(self) -> str:
        """Where the SQL has it. How many values there are of several is not known before."""
        return f"(:{self.position}:)" if self.several else "%s"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ARG002 - Django's signature
        return self.place, (self,)

    def values(self, arguments: Sequence[Any], connection: Any) -> list[Any]:
        """The argument as the database takes it."""
        given = arguments[self.position]
        prepare = self.output_field.get_db_prep_value
        return [prepare(value, connection) for value in given] if self.several else [prepare(given, connection)]


def prepared[Row](
    *fields: Field[Any, Any] | Several,
) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """Make a function that builds a query of its arguments, which are values of the fields, one that gives its rows.

    The function is called once: only where the arguments stand for values in comparisons may they make a difference.
    None of them may be None, which SQL compares otherwise. Where one of several values has none, there are no rows.
    """

    def decorate(build: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        ready: list[_Ready[Row]] = []

        def rows(*arguments: Any) -> list[Row]:
            if not ready:
                ready.append(_Ready(build(*(Given(position, field) for position, field in enumerate(fields)))))
            return ready[0].rows(arguments)

        rows.__doc__, rows.__name__ = build.__doc__, build.__name__
        return rows

    return decorate


type Converters = Mapping[int, tuple[Sequence[Callable[..., Any]], Any]]


class _Ready[Row]:
    """A query with its SQL."""

    def __init__(self, queryset: QuerySet[Any, Row]) -> None:
        self.queryset = queryset
        self.compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        self.sql, self.parameters = self.compiler.as_sql()
        self.converters: Converters = self.compiler.get_converters([column for column, *_ in self.compiler.select])

    def rows(self, arguments: tuple[Any, ...]) -> list[Row]:
        # Django makes rows of what the database answers as it always does, but for what it need not find out again.
        connection = connections[DEFAULT_DB_ALIAS]
        given = [one.values(arguments, connection) if isinstance(one, Given) else [one] for one in self.parameters]
        if [] in given:
            return []
        sql = self.sql
        for one, values in zip(self.parameters, given, strict=True):
            if isinstance(one, Given) and one.several:
                sql = sql.replace(one.place, f"({', '.join(['%s'] * len(values))})", 1)
        compiler = copy.copy(self.compiler)
        compiler.connection = connection  # each thread has its own
        compiler.as_sql = lambda *_, **__: (sql, tuple(chain.from_iterable(given)))
        compiler.get_converters = lambda _: self.converters
        compiler.apply_converters = lambda rows, converters: _converted(rows, converters, connection)
        queryset = self.queryset.all()
        queryset.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return list(queryset)


def _converted(rows: Iterable[Sequence[Any]], converters: Converters, connection: Any) -> Iterable[tuple[Any, ...]]:
    """What the database answers as values of the fields: column by column, so that JSON is read once for each."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    for position, (steps, expression) in converters.items() if columns else ():
        values = columns[position]
        field = expression.output_field
        if type(field) is JSONField and field.decoder is None and None not in values:
            columns[position] = json.loads(f"[{','.join(values)}]")
            continue
        for step in steps:
            values = [step(value, expression, connection) for value in values]
        columns[position] = values
    return zip(*columns, strict=True)
