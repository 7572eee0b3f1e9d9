"""Parts of queries that several querysets share."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Count, Subquery, Value


def count_subquery(rows: models.QuerySet[Any]) -> Subquery:
    """Return a correlated count, which other joins do not multiply."""
    counts = rows.order_by().annotate(group=Value(1)).values("group").annotate(number=Count("pk")).values("number")
    return Subquery(counts, output_field=models.IntegerField())


def related_rows(model: type[models.Model], relation: str) -> models.QuerySet[Any]:
    """Return all rows of the model at the other end of a reverse relation."""
    related: Any = model._meta.get_field(relation).related_model
    rows: models.QuerySet[Any] = related._default_manager.all()
    return rows
