"""Which documents of an import are written together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.formats.model.document import weigh
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import Documents

# So many documents at most, and so much of them as they weigh, are written in one transaction.
# On SQLite coders wait for it: it takes a second at most.
MOST_DOCUMENTS, MOST_WEIGHT = 1000, 40_000


@dataclass(frozen=True, slots=True)
class Batch:
    """The numbers of documents that are written in one transaction: files of it come in wholly or not at all.

    Where one file has more than one transaction should hold at once, its texts are checked and written part by part.
    """

    parts: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return sum(map(len, self.parts))


def plan_batches(documents: Documents) -> list[Batch]:
    """Return the batches of an import, in the order of the addresses of their texts.

    Documents of one file, and of one text, are in one batch.
    """
    index = _Index()
    for number, source in enumerate(documents):
        index.add(number, source.file, slugs_of_name(source.document.name), weigh(source.document))
    return list(index.batches())


class _Index:
    """What is known of each document by its number: its text, the first of those joined with it, and its weight.

    It holds a few numbers for each of a hundred thousand documents.
    """

    def __init__(self) -> None:
        self.text_of, self.group_of, self.weights = array("l"), array("l"), array("l")
        self.by_slug: dict[str, int] = {}
        self.by_file: dict[str, int] = {}

    def add(self, number: int, file: str, slugs: Sequence[str], weight: int) -> None:
        self.weights.append(weight)
        self.text_of.append(number)
        self.group_of.append(number)
        for slug in slugs:
            self._join(self.text_of, number, self.by_slug.setdefault(slug, number))
        self._join(self.group_of, number, self._first(self.text_of, number))
        self._join(self.group_of, number, self.by_file.setdefault(file, number))

    def batches(self) -> Iterator[Batch]:
        numbers = range(len(self.weights))
        places = self._places()
        for number in numbers:
            self._join(self.group_of, number, self._first(self.text_of, number))
        groups: dict[int, list[int]] = {}
        for number in sorted(numbers, key=lambda each: places[self._first(self.text_of, each)]):
            groups.setdefault(self._first(self.group_of, number), []).append(number)
        yield from self._fill(groups.values())

    def _fill(self, groups: Iterable[list[int]]) -> Iterator[Batch]:
        """Yield batches of several groups, and one of parts for each group that is too large."""
        for together in self._pack(groups):
            texts: dict[int, list[int]] = {}
            if self._fits(len(together), sum(self.weights[number] for number in together)):
                yield Batch([sorted(together)])
            else:
                for number in together:
                    texts.setdefault(self._first(self.text_of, number), []).append(number)
                yield Batch([sorted(part) for part in self._pack(texts.values())])

    def _pack(self, groups: Iterable[list[int]]) -> Iterator[list[int]]:
        """Yield as many groups together as fit; what does not fit alone is alone."""
        together, weight = list[int](), 0
        for group in groups:
            added = sum(self.weights[number] for number in group)
            if together and not self._fits(len(together) + len(group), weight + added):
                yield together
                together, weight = [], 0
            together += group
            weight += added
        if together:
            yield together

    @staticmethod
    def _fits(n_documents: int, weight: int) -> bool:
        return n_documents <= MOST_DOCUMENTS and weight <= MOST_WEIGHT

    def _places(self) -> array[int]:
        """Return the place of each text in the order of the addresses, under its first document."""
        places = array("l", bytes(len(self.weights) * self.weights.itemsize))
        for place, slug in enumerate(sorted(self.by_slug), start=1):
            text = self._first(self.text_of, self.by_slug[slug])
            places[text] = places[text] or place
        self.by_slug.clear()
        self.by_file.clear()
        return places

    @staticmethod
    def _first(joined: array[int], number: int) -> int:
        """Return the first of the documents that are joined with one."""
        while joined[number] != number:
            joined[number] = joined[joined[number]]
            number = joined[number]
        return number

    def _join(self, joined: array[int], one: int, other: int) -> None:
        one, other = self._first(joined, one), self._first(joined, other)
        joined[max(one, other)] = min(one, other)
