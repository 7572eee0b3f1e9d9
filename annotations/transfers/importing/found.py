"""What files are about, by their own names: the levels and categories that they have, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotations.formats import Document, Place

# So many names of a kind are listed, the commonest first.
MOST_NAMES = 200


@dataclass(frozen=True, slots=True)
class FoundLevel:
    """A level of the files: how many markables it has, and how many of them are coded or pointed at."""

    name: str
    markables: int
    coded: int
    pointed: int


@dataclass(frozen=True, slots=True)
class FoundName:
    """A category of the files, and how many answers have it."""

    name: str
    answers: int


@dataclass(slots=True)
class Found:
    """The names that files have. `n_unlisted` counts those beyond MOST_NAMES of a kind."""

    levels: list[FoundLevel] = field(default_factory=list)
    categories: list[FoundName] = field(default_factory=list)
    n_unlisted: int = 0


def find_names(documents: Iterable[Document]) -> Found:
    """Return the names of levels and categories in the documents. Names of nothing are left out."""
    markables, coded, pointed = Counter[str](), Counter[str](), Counter[str]()
    categories = Counter[str]()
    for document in documents:
        targets = set[Place]()
        for mark in document.marks:
            markables[mark.level] += 1
            answer = mark.answer
            if answer is not None:
                coded[mark.level] += 1
                if answer.category:
                    categories[answer.category] += 1
                targets.update(answer.pointers)
        pointed.update(place.level for place in targets)
    levels = [FoundLevel(name, count, coded[name], pointed[name]) for name, count in markables.most_common() if name]
    names = [FoundName(name, count) for name, count in categories.most_common()]
    n_unlisted = max(0, len(levels) - MOST_NAMES) + max(0, len(names) - MOST_NAMES)
    return Found(levels[:MOST_NAMES], names[:MOST_NAMES], n_unlisted)
