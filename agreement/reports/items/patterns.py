"""The categories of all units by text and pattern, of which a table keeps those of each text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import NO_NAME, TextRecords
from agreement.measures.data.arrays import run_starts
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

    found = _from_records(read_rows(extract, parameters, TextRecords, ["patterns of categories"], texts, compute))
    return found.with_labels(sorted(found.labels, key=place_in_scheme))


def _to_records(patterns: LabelPatterns) -> TextRecords:
    """Return a record for each entry of a pattern, and one for a pattern of units that nobody labelled."""
    nobody = np.flatnonzero(patterns.n_coders == 0)
    pattern = np.concatenate((patterns.pattern, nobody))
    order = np.argsort(pattern, kind="stable")
    pattern = pattern[order]
    nothing = np.zeros_like(nobody)
    text = patterns.text[pattern]
    first = np.searchsorted(patterns.text, np.arange(len(patterns.documents)))
    return TextRecords.of(
        patterns.documents,
        np.bincount(text, minlength=len(patterns.documents)),
        patterns.labels,
        name=np.concatenate((patterns.label, nothing + NO_NAME))[order],
        count=np.concatenate((patterns.count, nothing))[order],
        pattern=pattern - first[text],
        n_units=patterns.n_units[pattern],
    )


def _from_records(found: TextRecords) -> LabelPatterns:
    text, number, count, name = found.text, found["pattern"], found["count"], found["name"]
    begins = run_starts(text * (int(number.max(initial=0)) + 1) + number)
    pattern = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(text)))
    labelled = name != NO_NAME
    # a label that no unit of these texts has any longer is none of theirs
    places, label = np.unique(name[labelled], return_inverse=True)
    return LabelPatterns(
        found.documents,
        tuple(found.names[place] for place in places.tolist()),
        text[begins],
        found["n_units"][begins],
        np.bincount(pattern, weights=count, minlength=len(begins)).astype(np.int64),
        pattern[labelled],
        label,
        count[labelled],
    )
