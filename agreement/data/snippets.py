"""The words of markables: read for what a page shows, not kept with the answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import batched

from annotations import bulk
from annotations.models import Markable, Text

# Characters of a text that are shown on either side of a word.
AROUND = 24


@dataclass(frozen=True, slots=True)
class Words:
    """A markable for people to read, and what stands around it."""

    pk: int
    key: str
    label: str
    words: str
    context: str


def words_of_units(units: Collection[int]) -> dict[int, Words]:
    """The markables with these keys of rows. Two queries, where a database takes so many keys at once."""
    found = [
        row
        for some in batched(units, bulk.MOST_KEYS)
        for row in Markable.objects.filter(pk__in=some).values_list("pk", "key", "label", "parts", "text_id")
    ]
    contents = dict(Text.objects.filter(pk__in={row[-1] for row in found}).values_list("pk", "content"))
    return {
        pk: Words(pk, key, label, words_of(contents[text], parts), context_of(contents[text], parts))
        for pk, key, label, parts, text in found
    }


def context_of(content: str, parts: Sequence[Sequence[int]]) -> str:
    """The words of a markable and a few around it, cut at white space."""
    start, end = parts[0][0], parts[-1][1]
    first, last = max(start - AROUND, 0), min(end + AROUND, len(content))
    before = content[first:start].partition(" ")[2] if first else content[:start]
    after = content[end:last].rpartition(" ")[0] if last < len(content) else content[end:]
    before = before.rpartition("\n")[2]  # not the summary or turn before
    after = after.partition("\n")[0]
    return " ".join(f"{before}{content[start:end]}{after}".split())


def words_of(content: str, parts: Sequence[Sequence[int]]) -> str:
    """The words of a markable, its parts joined by an ellipsis."""
    return " … ".join(" ".join(content[start:end].split()) for start, end in parts)
