"""What files are about, by their own names: levels, categories, attributes and relations, and how often they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from annotations.formats import Document, Place
from annotations.formats.model.answers import format_value

# So many names of a kind are listed, the commonest first.
MOST_NAMES = 200
MOST_VALUES = 10
LONGEST_VALUE = 50


def find_names(documents: Iterable[Document]) -> dict[str, Any]:
    """Return the names of what the documents have, as reports have them. A level without a name is left out.

    Levels say how many markables they have, and how many of them are coded or pointed at; other names how many answers
    have them, and attributes their commonest values. `n_unlisted` counts the names beyond MOST_NAMES of a kind.
    """
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
    found: dict[str, list[dict[str, Any]]] = {
        "levels": [
            {"name": name, "markables": count, "coded": coded[name], "pointed": pointed[name]}
            for name, count in markables.most_common()
            if name
        ],
        "categories": _with_answers(categories),
        "questions": [each | {"is_relation": True, "values": []} for each in _with_answers(relations)],
    }
    found["questions"] += [
        {"name": name, "answers": counts.total(), "is_relation": False, "values": _with_answers(counts, MOST_VALUES)}
        for name, counts in values.items()
    ]
    n_unlisted = sum(max(0, len(names) - MOST_NAMES) for names in found.values())
    return {**{kind: names[:MOST_NAMES] for kind, names in found.items()}, "n_unlisted": n_unlisted}


def _with_answers(counts: Counter[str], most: int | None = None) -> list[dict[str, Any]]:
    return [{"name": name, "answers": number} for name, number in counts.most_common(most)]
