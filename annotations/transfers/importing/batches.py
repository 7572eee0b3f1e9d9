"""Which documents of an import are written together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotations.formats.model.document import weigh
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import SourceDocument

# So many documents, and so much of them as they weigh, are written in one transaction, unless one file has more.
# On SQLite coders wait for it: it takes a second at most.
MAX_DOCUMENTS, MAX_WEIGHT = 1000, 40_000


def plan_batches(documents: Sequence[SourceDocument]) -> list[Sequence[int]]:
    """Return the numbers of the documents of each batch, in the order of the addresses of their texts.

    Documents of one file, and of one text, are in one batch.
    """
    batches: list[Sequence[int]] = []
    together, weight = list[int](), 0
    for group in _groups(documents):
        added = sum(weigh(documents[number].document) for number in group)
        if together and (len(together) + len(group) > MAX_DOCUMENTS or weight + added > MAX_WEIGHT):
            batches.append(sorted(together))
            together, weight = [], 0
        together += group
        weight += added
    return [*batches, sorted(together)]


def _groups(documents: Sequence[SourceDocument]) -> Iterator[list[int]]:
    """Yield the numbers of the documents that files and texts join, by the first addresses of their texts."""
    keys: list[list[tuple[str, str]]] = []
    numbers_by_key: dict[tuple[str, str], list[int]] = {}
    for number, source in enumerate(documents):
        slugs = slugs_of_name(source.document.name)
        keys.append([*(("slug", slug) for slug in slugs), ("file", source.file)])
        for key in keys[-1]:
            numbers_by_key.setdefault(key, []).append(number)
    for first in sorted(key for key in numbers_by_key if key[0] == "slug"):
        group, left = set[int](), [first]
        while left:
            for number in numbers_by_key.pop(left.pop(), ()):
                if number not in group:
                    group.add(number)
                    left += keys[number]
        if group:
            yield sorted(group)
