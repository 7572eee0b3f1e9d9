"""How often coders call something ambiguous: several readings or indices in one judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.values import Ints
from agreement.reports.request.basis import pick_texts, remembered, select_categories
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve


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


def summarize_ambiguity(extract: ProjectAnswers, parameters: Parameters) -> list[AmbiguityCounts]:
    """Return how often ambiguity is marked, in all, by category and by coder (Poesio & Artstein 2005, section 5.2).

    Of units that the parameters leave out nothing counts. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    return remembered(extract, ("ambiguity", parameters), lambda: _summarize(extract, parameters))


def _summarize(answers: ProjectAnswers, parameters: Parameters) -> list[AmbiguityCounts]:
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
