"""Parts of queries that several querysets share, and contexts for queries."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Count, F, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Length, Replace, Trim

# White space other than the space, and two characters that no text has: a pair of them replaces a space.
WHITE_SPACE = "\t\n\v\f\r\x85\xa0\u2028\u2029\u3000"
OPEN, CLOSE = "\x01", "\x02"


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Let all queries of the block see one state: of the first query or the open transaction. Writers do not wait."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Django's transactions lock SQLite at once (IMMEDIATE), which a reading one does not need.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")


@contextmanager
def without_compilation() -> Iterator[None]:
    """Disable the JIT compiler of PostgreSQL in the block, within the open transaction or a new one.

    For queries with many subqueries over many rows: PostgreSQL takes ten times as long to compile them as to run them.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(savepoint=False):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL jit = off")
        yield


def sample_tables() -> None:
    """Let SQLite sample its tables to plan joins: without samples a query has taken two minutes."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA analysis_limit = 400")
            cursor.execute("ANALYZE")


def count_subquery(rows: models.QuerySet[Any]) -> Subquery:
    """Return a correlated count, which other joins do not multiply."""
    grouped: models.QuerySet[Any, Any] = rows.order_by().annotate(group=Value(1)).values("group")
    numbers: models.QuerySet[Any, Any] = grouped.annotate(number=Count("pk")).values_list("number")
    return Subquery(numbers, output_field=models.IntegerField())


def word_count(text: str) -> Combinable:
    """Return an expression for the number of words of a field, separated by white space."""
    spaced: Combinable | str = text
    for character in WHITE_SPACE:
        spaced = Replace(spaced, Value(character), Value(" "))
    # A run of spaces becomes a run of pairs, and then only its outer halves remain.
    paired = Replace(Trim(spaced), Value(" "), Value(OPEN + CLOSE))
    single = Replace(Replace(paired, Value(CLOSE + OPEN), Value("")), Value(OPEN + CLOSE), Value(OPEN))
    return Length(single) - Length(Replace(single, Value(OPEN), Value(""))) + Value(1)


def without_white_space(text: str) -> Combinable:
    """Return an expression for a field without its white space."""
    joined: Combinable = F(text)
    for character in f" {WHITE_SPACE}":
        joined = Replace(joined, Value(character), Value(""), output_field=models.TextField())
    return joined


def related_rows(model: type[models.Model], relation: str) -> models.QuerySet[Any]:
    """Return all rows of the model at the other end of a reverse relation."""
    related: Any = model._meta.get_field(relation).related_model
    rows: models.QuerySet[Any] = related.objects.all()
    return rows
