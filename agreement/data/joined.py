"""Columns of many rows of the database as one text: long strings are faster to read than many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import StringAgg, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from agreement.measures.values import Ints


def joined(column: str | Combinable) -> StringAgg:
    """Return the values of a column in a group, between blanks. Those of two columns come in the same order."""
    return StringAgg(Cast(column, TextField()), Value(" "), output_field=TextField())


def count_numbers(columns: Sequence[str]) -> Ints:
    """Return how many numbers each column has, at least one."""
    return np.array([text.count(" ") + 1 for text in columns], dtype=np.int64)


def parse_numbers(columns: Sequence[str]) -> Ints:
    """Return the numbers of all columns, one after the other."""
    return np.fromstring(" ".join(columns), dtype=np.int64, sep=" ")
