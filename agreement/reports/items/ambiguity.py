"""How often coders call something ambiguous, and which items are likely to be: a model of coders ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ambiguity
from agreement.measures.results import pluralize
from agreement.measures.values import Ints
from agreement.reports.items.items import ItemReadings, Items
from agreement.reports.request.basis import pick_texts, select_categories, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import cached_report, remembered_report


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


@remembered_report
def summarize_ambiguity(answers: ProjectAnswers, parameters: Parameters) -> list[AmbiguityCounts]:
    """Return how often ambiguity is marked, in all, by category and by coder (Poesio & Artstein 2005, section 5.2)."""
    units = np.array(select_categories(answers, parameters).units, dtype=np.int64)
    chosen = answers.restrict(pick_texts(answers, parameters))
    columns = chosen.columns
    coder = chosen.column_of_coding[columns.coding_of_mark]
    is_counted = columns.is_judgement & (coder >= 0)
    is_counted &= np.isin(columns.units["key"], units)[columns.unit_of_mark]
    unit, is_ambiguous = columns.unit_of_mark[is_counted], columns.n_readings[is_counted] > 1

    def count(kind: str, names: Sequence[str], group: Ints) -> list[AmbiguityCounts]:
        key = group * (len(columns.units) + 1) + unit
        of_units = [np.unique(one) // (len(columns.units) + 1) for one in (key[is_ambiguous], key)]
        counts = [np.bincount(one, minlength=len(names)) for one in (*of_units, group[is_ambiguous], group)]
        return [AmbiguityCounts(kind, name, *row) for name, row in zip(names, np.array(counts).T.tolist(), strict=True)]

    return [
        *count("all", [""], np.zeros_like(unit)),
        *count("category", answers.categories, columns.marks["category"][is_counted].astype(np.int64)),
        *count("coder", answers.coders, coder[is_counted]),
    ]


# Of more items the model is not fitted for a page: of so many it takes about a second.
MOST_RANKED = 20_000


@cached_report
def read_readings(answers: ProjectAnswers, parameters: Parameters, items: Items) -> ItemReadings:
    """Return the readings of the items of these parameters, unless there are too many."""
    n_items = len(items.unit)
    if n_items > MOST_RANKED:
        return ItemReadings(reason=f"There are {n_items:,} items: choose texts or rounds with {MOST_RANKED:,} at most.")
    if not n_items:
        return ItemReadings(reason="There are no items.")
    found = ambiguity(select_data(answers, parameters))
    note = "" if found.converged else f"after {pluralize(found.rounds, 'round')} fitting had not come to an end"
    return ItemReadings({cast(int, one.unit): one for one in found.units}, found.model, note)
