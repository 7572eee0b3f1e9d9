"""Frequent queries whose SQL is built once: the ORM takes longer than the database (decision 0022)."""

import copy
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Field, QuerySet


class Placeholder(Expression):
    """The placeholder of an argument while a query is built."""

    def __init__(self, position: int, field: Field[Any, Any]) -> None:
        super().__init__(output_field=field)
        self.position = position

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ARG002 - Django's signature
        return "%s", (self,)


def compiled_query[Row](
    *fields: Field[Any, Any],
) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """Turn a function from arguments of these fields to a queryset into a function that returns a list of rows.

    The decorated function runs once, with placeholders: it may use its arguments only in comparisons, and none is None.
    """

    def decorate(build: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        @cache
        def compiled() -> tuple[QuerySet[Any, Row], Any, str, tuple[Any, ...]]:
            queryset = build(*(Placeholder(position, field) for position, field in enumerate(fields)))
            compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
            return queryset, compiler, *compiler.as_sql()

        @wraps(build)
        def rows(*arguments: Any) -> list[Row]:
            queryset, compiler, sql, parameters = compiled()
            connection = connections[DEFAULT_DB_ALIAS]
            values = tuple(
                parameter.output_field.get_db_prep_value(arguments[parameter.position], connection)
                if isinstance(parameter, Placeholder)
                else parameter
                for parameter in parameters
            )
            # Django builds the results as usual, with a compiler that knows its SQL.
            own, queryset = copy.copy(compiler), queryset.all()
            own.connection, own.as_sql = connection, lambda *_, **__: (sql, values)
            queryset.query.get_compiler = lambda *_, **__: own  # type: ignore[method-assign]
            return list(queryset)

        return rows

    return decorate
