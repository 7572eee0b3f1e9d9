"""Queries that are asked with every request: the ORM puts them into SQL once, and not each time anew.

To build the SQL of a query takes the ORM several times as long as the database takes to answer it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Field, QuerySet


class Given(Expression):
    """Stands in a prepared query for an argument, until that is known."""

    def __init__(self, position: int, output_field: Field[Any, Any]) -> None:
        super().__init__(output_field=output_field)
        self.position = position

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ARG002 - Django's signature
        return "%s", (self,)


def prepared[Row](*fields: Field[Any, Any]) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """Make a function that builds a query of its arguments, which are values of the fields, one that gives its rows.

    The function is called once: only where the arguments stand for values in comparisons may they make a difference.
    None of them may be None, which SQL compares otherwise.
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


class _Ready[Row]:
    """A query with its SQL."""

    def __init__(self, queryset: QuerySet[Any, Row]) -> None:
        self.queryset = queryset
        self.compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        self.sql, self.parameters = self.compiler.as_sql()

    def rows(self, arguments: tuple[Any, ...]) -> list[Row]:
        # Django makes rows of what the database answers as it always does; all that it is spared is to build the SQL.
        connection = connections[DEFAULT_DB_ALIAS]
        values = tuple(
            one.output_field.get_db_prep_value(arguments[one.position], connection) if isinstance(one, Given) else one
            for one in self.parameters
        )
        compiler = copy.copy(self.compiler)
        compiler.connection = connection  # each thread has its own
        compiler.as_sql = lambda *_, **__: (self.sql, values)
        queryset = self.queryset.all()
        queryset.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return list(queryset)
