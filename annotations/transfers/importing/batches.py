"""Which documents of an import are written together."""

from __future__ import annotations

from collections.abc import Sequence

from annotations.formats.model.document import weigh
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import Documents

# So many documents, and so much of them as they weigh, are written in one transaction, unless one file has more.
# On SQLite coders wait for it: it takes a second at most.
MAX_DOCUMENTS, MAX_WEIGHT = 1000, 40_000


def plan_batches(documents: Documents) -> list[Sequence[int]]:
    """Return the numbers of the documents of each batch, in the order of the addresses of their texts.

    Documents of one file, and of one text, are in one batch.
    """
    weights: list[int] = []
    groups = _Groups()
    for number, source in enumerate(documents):
        weights.append(weigh(source.document))
        groups.add(number, source.file, slugs_of_name(source.document.name))
    batches: list[Sequence[int]] = []
    together, weight = list[int](), 0
    for group in groups.in_order():
        added = sum(weights[number] for number in group)
        if together and (len(together) + len(group) > MAX_DOCUMENTS or weight + added > MAX_WEIGHT):
            batches.append(sorted(together))
            together, weight = [], 0
        together += group
        weight += added
    return [*batches, sorted(together)]


class _Groups:
    """Numbers of documents in groups: documents of one file or one text are in the same group."""

    def __init__(self) -> None:
        self._leader: list[int] = []
        self._of_file: dict[str, int] = {}
        self._of_slug: dict[str, int] = {}

    def add(self, number: int, file: str, slugs: Sequence[str]) -> None:
        self._leader.append(number)
        others = [self._of_file.setdefault(file, number), *(self._of_slug.setdefault(slug, number) for slug in slugs)]
        for other in others:
            first, second = self._find(number), self._find(other)
            self._leader[max(first, second)] = min(first, second)

    def in_order(self) -> list[list[int]]:
        """Return the groups in the order of their first addresses."""
        groups: dict[int, list[int]] = {}
        for slug in sorted(self._of_slug):
            groups.setdefault(self._find(self._of_slug[slug]), [])
        for number in range(len(self._leader)):
            groups[self._find(number)].append(number)
        return list(groups.values())

    def _find(self, number: int) -> int:
        while self._leader[number] != number:
            self._leader[number] = self._leader[self._leader[number]]
            number = self._leader[number]
        return number
