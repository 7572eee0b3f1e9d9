"""How often coders call something ambiguous: several readings or indices in one judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import NO_NAME, TextRecords
from agreement.measures.values import Bools, Ints
from agreement.reports.items.patterns import restrict_to_categories
from agreement.reports.request.basis import cached, pick_texts, read_rows, select_categories
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# The counts of a record, in the order of those of AmbiguityCounts.
_COUNTS = ("n_ambiguous_units", "n_units", "n_ambiguous_judgements", "n_judgements")


@dataclass(frozen=True, slots=True)
class AmbiguityCounts:
    """Of `n_units` units and `n_judgements` judgements, how many are marked as ambiguous.

    `n_ambiguous_units` are those that at least one coder marked. `kind` is "all", "category" (the units to which some
    coder gave the category `name`) or "coder" (the units that `name` judged).
    """

    kind: str
    name: str
    n_ambiguous_units: int
    n_units: int
    n_ambiguous_judgements: int
    n_judgements: int

    @property
    def share_of_units(self) -> float | None:
        return self.n_ambiguous_units / self.n_units if self.n_units else None

    @property
    def share_of_judgements(self) -> float | None:
        return self.n_ambiguous_judgements / self.n_judgements if self.n_judgements else None


def summarize_ambiguity(extract: Extract, parameters: Parameters) -> list[AmbiguityCounts]:
    """Return how often ambiguity is marked, in all, by category and by coder (Poesio & Artstein 2005, section 5.2).

    Of units that the parameters leave out nothing counts. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("ambiguity", parameters), lambda: _summarize(extract, parameters))


def _summarize(extract: Extract, parameters: Parameters) -> list[AmbiguityCounts]:
    texts, of_categories = pick_texts(extract, parameters), restrict_to_categories(parameters)

    def compute(some: Sequence[TextEntry]) -> TextRecords:
        return _count_marked(extract, of_categories, some)

    found = read_rows(extract, of_categories, TextRecords, ["ambiguity"], texts, compute)
    names = list(found.names)

    def count(kind: str, name: str, chosen: Bools) -> AmbiguityCounts:
        return AmbiguityCounts(kind, name, *(int(found[field][chosen].sum()) for field in _COUNTS))

    by_all = found["name"] == NO_NAME
    return [
        count("all", "", by_all & (found["category"] == NO_NAME)),
        *(count("category", name, found["category"] == place) for place, name in enumerate(extract.categories)),
        *(
            count("coder", name, found["name"] == (names.index(name) if name in names else len(names)))
            for name in extract.coders
        ),
    ]


def _count_marked(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> TextRecords:
    """Return a record for each text, for each category given there, and for each coder who judged anything there."""
    number = {coder: place for place, coder in enumerate(extract.coders)}
    parts = [
        (
            place,
            np.array(text.answers.units, dtype=np.int64)[one.unit],
            one,
            np.full(len(one.unit), number[one.coder]),
        )
        for place, text in enumerate(texts)
        for one in text.answers.coder_answers
        if one.coder in number  # who has begun since the versions were read counts at the next look
    ]
    empty = np.zeros(0, dtype=np.int64)
    text = np.concatenate([empty, *(np.full(len(units), place) for place, units, _, _ in parts)])
    unit = np.concatenate([empty, *(units for _, units, _, _ in parts)])
    category = np.concatenate([empty, *(one.category for _, _, one, _ in parts)])
    coder = np.concatenate([empty, *(column for *_, column in parts)])
    ambiguous = np.concatenate([empty.astype(np.bool_), *(one.is_ambiguous for _, _, one, _ in parts)])
    used = np.isin(unit, np.array(select_categories(extract, parameters, texts).units, dtype=np.int64))
    text, unit, category, coder = (one[used] for one in (text, unit, category, coder))
    ambiguous = ambiguous[used]
    everybody = np.full(len(text), NO_NAME)
    groups = [(everybody, everybody), (everybody, category), (coder, everybody)]
    rows = np.concatenate([_count_groups(text, *group, unit, ambiguous) for group in groups])
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    fields = dict(zip(("name", "category", *_COUNTS), rows[:, 1:].T, strict=True))
    sizes = np.bincount(rows[:, 0], minlength=len(texts))
    return TextRecords.of([one.pk for one in texts], sizes, extract.coders, **fields)


def _count_groups(text: Ints, name: Ints, category: Ints, unit: Ints, ambiguous: Bools) -> Ints:
    """Return text, name, category and the counts of `_COUNTS` of the judgements of each group, a row for each."""
    order = np.lexsort((unit, category, name, text))
    text, name, category, unit = (one[order] for one in (text, name, category, unit))
    ambiguous = ambiguous[order]
    changes = np.ones(len(text), dtype=np.bool_)
    changes[1:] = (np.diff(text) != 0) | (np.diff(name) != 0) | (np.diff(category) != 0)
    of_unit = changes.copy()
    of_unit[1:] |= np.diff(unit) != 0
    group, first, of_group = np.cumsum(changes) - 1, np.flatnonzero(changes), np.cumsum(of_unit) - 1
    n, marked = len(first), np.flatnonzero(of_unit)
    units_marked = np.bincount(of_group, weights=ambiguous, minlength=len(marked)) > 0
    counts = [
        np.bincount(group[marked], weights=units_marked, minlength=n),
        np.bincount(group[marked], minlength=n),
        np.bincount(group, weights=ambiguous, minlength=n),
        np.bincount(group, minlength=n),
    ]
    return np.column_stack([text[first], name[first], category[first], *counts]).astype(np.int64)
