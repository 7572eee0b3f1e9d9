"""Compile hot ORM queries once.

The ORM needs several times as long to build the SQL of a query as the database needs to answer it. Queries that every
request of a coder makes are compiled at their first call; with the setting COMPILED_QUERIES off, the ORM builds them at
each call. The module depends on internals of Django's SQL compiler (pinned to one minor version in pyproject.toml).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Expression, Field, Func, JSONField, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable


@dataclass(frozen=True, slots=True)
class ListParameter:
    """A parameter that takes a list of values of the field, for `__in`."""

    field: Field[Any, Any]


class Placeholder(Expression):
    """The place of an argument in a query that is being compiled."""

    def __init__(self, position: int, parameter: Field[Any, Any] | ListParameter) -> None:
        self.is_list = isinstance(parameter, ListParameter)
        super().__init__(output_field=parameter.field if isinstance(parameter, ListParameter) else parameter)
        self.position = position

    @property
    def sql(self) -> str:
        """The SQL of the placeholder. The number of values of a list is known only when the query is called."""
        return f"(:{self.position}:)" if self.is_list else "%s"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ARG002 - Django's signature
        return self.sql, (self,)

    def values(self, arguments: Sequence[Any], connection: Any) -> list[Any]:
        """Return the values of the placeholder's argument, converted for the database."""
        argument = arguments[self.position]
        prepare = self.output_field.get_db_prep_value
        return [prepare(value, connection) for value in argument] if self.is_list else [prepare(argument, connection)]


def compiled_query[Row](
    *parameters: Field[Any, Any] | ListParameter,
) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """Turn a function that returns a queryset for its arguments into one that returns a list of rows.

    `parameters` are the fields whose values the arguments are. The function is called once, with placeholders as
    arguments, so it may only use them as values in comparisons. An argument must not be None, which SQL compares
    differently. If a list is empty, no rows are returned.
    """

    def decorate(build: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        compiled: list[_CompiledQuery[Row]] = []

        def rows(*arguments: Any) -> list[Row]:
            if not settings.COMPILED_QUERIES:
                return list(build(*arguments))
            if not compiled:
                placeholders = (Placeholder(position, parameter) for position, parameter in enumerate(parameters))
                compiled.append(_CompiledQuery(build(*placeholders)))
            return compiled[0].rows(arguments)

        rows.__doc__, rows.__name__ = build.__doc__, build.__name__
        return rows

    return decorate


def compiled_subquery(
    *parameters: Field[Any, Any], output_field: Field[Any, Any]
) -> Callable[[Callable[..., QuerySet[Any, Any]]], Callable[..., Combinable]]:
    """Turn a function that returns a queryset of one value into one that returns it as an expression of other queries.

    The arguments of the latter are names of fields of the outer query. The function is called once, with placeholders
    as arguments, as for `compiled_query`. It must not read from the tables of the outer query, unless in a subquery of
    its own that names no argument.
    """

    def decorate(build: Callable[..., QuerySet[Any, Any]]) -> Callable[..., Combinable]:
        compiled: list[tuple[str, Sequence[Any]]] = []

        def expression(*names: str) -> Combinable:
            if not settings.COMPILED_QUERIES:
                return Subquery(build(*map(OuterRef, names)), output_field=output_field)
            if not compiled:
                placeholders = (Placeholder(position, parameter) for position, parameter in enumerate(parameters))
                compiled.append(build(*placeholders).query.get_compiler(DEFAULT_DB_ALIAS).as_sql())
            return CompiledSubquery(names, *compiled[0], output_field)

        expression.__doc__, expression.__name__ = build.__doc__, build.__name__
        return expression

    return decorate


class CompiledSubquery(Func):
    """A subquery with its compiled SQL; its arguments are fields of the outer query."""

    def __init__(
        self, names: Sequence[str], sql: str, parameters: Sequence[Any], output_field: Field[Any, Any]
    ) -> None:
        super().__init__(*names, output_field=output_field)
        self.sql, self.parameters = sql, parameters

    def as_sql(self, compiler: Any, connection: Any, *_: Any, **__: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ARG002
        """Return the SQL with the columns of the outer query in the places of the arguments."""
        columns = [compiler.compile(source) for source in self.get_source_expressions()]
        first, *pieces = self.sql.split("%s")
        sql, parameters = [first], list[Any]()
        for parameter, piece in zip(self.parameters, pieces, strict=True):
            is_argument = isinstance(parameter, Placeholder)
            place, values = columns[parameter.position] if is_argument else ("%s", [parameter])
            sql += [place, piece]
            parameters += values
        return f"({''.join(sql)})", tuple(parameters)


type Converters = Mapping[int, tuple[Sequence[Callable[..., Any]], Any]]


class _CompiledQuery[Row]:
    """A query with its compiled SQL."""

    def __init__(self, queryset: QuerySet[Any, Row]) -> None:
        self.queryset = queryset
        self.compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        self.sql, self.parameters = self.compiler.as_sql()
        self.converters: Converters = self.compiler.get_converters([column for column, *_ in self.compiler.select])

    def rows(self, arguments: tuple[Any, ...]) -> list[Row]:
        """Return the rows for these arguments."""
        # Django builds the rows from the results as usual, with SQL, converters and compiler that are known already.
        connection = connections[DEFAULT_DB_ALIAS]
        values = [
            parameter.values(arguments, connection) if isinstance(parameter, Placeholder) else [parameter]
            for parameter in self.parameters
        ]
        if [] in values:
            return []
        sql = self.sql
        for parameter, parameter_values in zip(self.parameters, values, strict=True):
            if isinstance(parameter, Placeholder) and parameter.is_list:
                sql = sql.replace(parameter.sql, f"({', '.join(['%s'] * len(parameter_values))})", 1)
        compiler = copy.copy(self.compiler)
        compiler.connection = connection  # each thread has its own
        compiler.as_sql = lambda *_, **__: (sql, tuple(chain.from_iterable(values)))
        compiler.get_converters = lambda _: self.converters
        compiler.apply_converters = lambda rows, converters: _convert(rows, converters, connection)
        queryset = self.queryset.all()
        queryset.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return list(queryset)


def _convert(rows: Iterable[Sequence[Any]], converters: Converters, connection: Any) -> Iterable[tuple[Any, ...]]:
    """Convert the results to values of the fields, column by column: JSON is parsed once for a whole column."""
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
