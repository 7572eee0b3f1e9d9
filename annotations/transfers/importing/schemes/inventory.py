"""What files are about, by their own names: levels, categories, attributes and relations, and how often they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotations.formats import Document, Place
from annotations.formats.model.answers import format_value

# So many names of a kind are listed, the commonest first.
MOST_NAMES = 200
MOST_VALUES = 10
LONGEST_VALUE = 50


@dataclass(frozen=True, slots=True)
class FoundLevel:
    """A level of the files: how many markables it has, and how many of them are coded or pointed at."""

    name: str
    markables: int
    coded: int
    pointed: int


@dataclass(frozen=True, slots=True)
class FoundName:
    """A category, attribute or relation of the files, and how many answers have it."""

    name: str
    answers: int


@dataclass(frozen=True, slots=True)
class FoundQuestion(FoundName):
    """An attribute or relation. values: those of an attribute, the commonest first, as far as they are shown."""

    is_relation: bool = False
    values: tuple[FoundName, ...] = ()


@dataclass(slots=True)
class Found:
    """The names that files have. `n_unlisted` counts those beyond MOST_NAMES of a kind."""

    levels: list[FoundLevel] = field(default_factory=list)
    categories: list[FoundName] = field(default_factory=list)
    questions: list[FoundQuestion] = field(default_factory=list)
    n_unlisted: int = 0


def find_names(documents: Iterable[Document]) -> Found:
    """Return the names of what the documents have. A level without a name is left out."""
    markables, coded, pointed = Counter[str](), Counter[str](), Counter[str]()
    categories, relations = Counter[str](), Counter[str]()
    values: dict[str, Counter[str]] = {}
    for document in documents:
        targets = set[Place]()
        for mark in document.marks:
            markables[mark.level] += 1
            answer = mark.answer
            if answer is None:
                continue
            coded[mark.level] += 1
            if answer.category:
                categories[answer.category] += 1
            targets.update(answer.targets())
            for name, value in answer.attributes:
                values.setdefault(name, Counter())[format_value(value)[:LONGEST_VALUE]] += 1
            for name, _ in answer.relations:
                relations[name] += 1
        pointed.update(place.level for place in targets)
    levels = [FoundLevel(name, count, coded[name], pointed[name]) for name, count in markables.most_common() if name]
    names = [FoundName(name, count) for name, count in categories.most_common()]
    questions = [FoundQuestion(name, count, is_relation=True) for name, count in relations.most_common()]
    questions += [
        FoundQuestion(name, counts.total(), values=tuple(FoundName(*each) for each in counts.most_common(MOST_VALUES)))
        for name, counts in values.items()
    ]
    n_unlisted = sum(max(0, len(each) - MOST_NAMES) for each in (levels, names, questions))
    return Found(levels[:MOST_NAMES], names[:MOST_NAMES], questions[:MOST_NAMES], n_unlisted)
