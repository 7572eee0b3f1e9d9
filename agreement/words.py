"""The words of markables: read for what a page shows, not kept with the answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotations.models import Markable, Text


@dataclass(frozen=True, slots=True)
class Words:
    """A markable for people to read."""

    pk: int
    key: str
    label: str
    words: str


def words_of_units(units: Collection[int]) -> dict[int, Words]:
    """The markables with these keys of rows. Two queries."""
    markables = Markable.objects.filter(pk__in=units).values_list("pk", "key", "label", "parts", "text_id")
    found = list(markables)
    contents = dict(Text.objects.filter(pk__in={row[-1] for row in found}).values_list("pk", "content"))
    return {pk: Words(pk, key, label, words_of(contents[text], parts)) for pk, key, label, parts, text in found}


def words_of(content: str, parts: Sequence[Sequence[int]]) -> str:
    """The words of a markable, its parts joined by an ellipsis."""
    return " … ".join(" ".join(content[start:end].split()) for start, end in parts)
