"""The categories of all units by text and pattern, of which a table keeps those of each text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import TextRecords
from agreement.measures.sums.patterns import LabelPatterns
from agreement.measures.values import Label
from agreement.reports.request.basis import cached, names_of, pick_texts, read_rows, select_categories
from agreement.reports.request.parameters import Parameters


def read_patterns(extract: Extract, parameters: Parameters) -> LabelPatterns:
    """Return how many coders gave each unit of the chosen texts which category, of `select_categories`.

    extract and parameters: as `resolve` returns them. The documents are the keys of all chosen texts, in their order.
    """
    of_categories = restrict_to_categories(parameters)
    texts = pick_texts(extract, parameters)
    key = ("patterns", of_categories, None if texts is extract.texts else tuple(text.pk for text in texts))
    return cached(extract, key, lambda: _read_patterns(extract, of_categories, texts))


def restrict_to_categories(parameters: Parameters) -> Parameters:
    """Return the parameters on which the categories of a text depend; all others are those of the program."""
    p = parameters
    return Parameters(
        without=p.without, question=p.question, unasked=p.unasked, include=p.include, coders=p.coders, units=p.units
    )


def _read_patterns(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> LabelPatterns:
    place = {name: number for number, name in enumerate(extract.categories)}

    def place_in_scheme(label: Label) -> tuple[int, list[str]]:
        return place.get(str(label), len(place)), sorted(names_of(label))

    def compute(some: Sequence[TextEntry]) -> TextRecords:
        data = select_categories(extract, parameters, some)
        # in one order, whatever texts are read together, so that figures have the same digits
        return _to_records(LabelPatterns.from_data(data, sorted(data.labels, key=place_in_scheme)))

    found = read_rows(extract, parameters, TextRecords, ["patterns of categories"], texts, compute)
    return _from_records(found, place_in_scheme)


def _to_records(patterns: LabelPatterns) -> TextRecords:
    """Return a record for each pattern of a text: its name has the labels, with how many coders gave each."""
    names = [tuple((patterns.labels[label], count) for label, count in of_one) for of_one in patterns.to_counts()]
    return TextRecords.of(
        patterns.documents,
        np.bincount(patterns.text, minlength=len(patterns.documents)),
        names,
        name=patterns.text_pattern,
        n_units=patterns.text_units,
    )


def _from_records(found: TextRecords, place_in_scheme: Callable[[Label], tuple[int, list[str]]]) -> LabelPatterns:
    """Return the patterns in the order of their labels, whatever was read before.

    Labels and patterns that no unit of these texts has any longer are none of theirs.
    """
    name = found["name"]
    used = np.flatnonzero(np.bincount(name, minlength=len(found.names))).tolist()
    pairs: dict[int, Any] = {place: found.names[place] for place in used}
    labels = sorted({label for of_one in pairs.values() for label, _ in of_one}, key=place_in_scheme)
    number = {label: place for place, label in enumerate(labels)}
    counts = {place: sorted((number[label], count) for label, count in of_one) for place, of_one in pairs.items()}
    order = sorted(counts, key=counts.__getitem__)
    new_place = np.zeros(len(found.names), dtype=np.int64)
    new_place[order] = np.arange(len(order))
    rows = found.text, new_place[name], found["n_units"]
    return LabelPatterns.from_counts(found.documents, labels, [counts[place] for place in order], rows)
