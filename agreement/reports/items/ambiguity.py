"""How often coders call something ambiguous, and which items are likely to be: a model of coders ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import UnitReadings, ambiguity
from agreement.measures.models.camps import LEAST_IN_CAMPS
from agreement.measures.results import pluralize
from agreement.measures.values import Ints
from agreement.reports.items.items import Items, RankedReadings
from agreement.reports.request.basis import cached, pick_texts, remembered, select_categories, select_data
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


# Of more items the model is not fitted for a page: of so many it takes about a second.
MOST_RANKED = 20_000


@dataclass(frozen=True, eq=False)
class ItemReadings:
    """What the model says of items: the readings of each unit, and `ranked` of each item in their order.

    `model` is the name of the model, and `note` what limits it.
    """

    units: Mapping[int, UnitReadings]
    ranked: RankedReadings
    model: str = ""
    note: str = ""

    def verdict(self, unit: int) -> str:
        """Return what is likely where coders differ, "ambiguous" or "slip", else nothing.

        Of fewer than four coders who differ nobody can tell.
        """
        return _verdict(self.units.get(unit))

    def posterior(self, unit: int) -> float | None:
        """Return the probability that the unit has two readings; None where fewer than two coders gave one."""
        one = self.units.get(unit)
        return one.posterior if one else None


def _verdict(one: UnitReadings | None) -> str:
    return one.verdict if one and sum(map(len, one.groups)) >= LEAST_IN_CAMPS else ""


def read_readings(extract: ProjectAnswers, parameters: Parameters, items: Items) -> ItemReadings:
    """Return the readings of the items of these parameters, unless there are too many. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    if len(items.unit) > MOST_RANKED:
        return _nothing(f"There are {len(items.unit):,} items: choose texts or rounds with {MOST_RANKED:,} at most.")
    if not len(items.unit):
        return _nothing("There are no items.")
    return cached(extract, ("readings", parameters), lambda: _fit(extract, parameters, items))


def _nothing(reason: str) -> ItemReadings:
    return ItemReadings({}, RankedReadings(np.zeros(0), np.zeros(0, dtype=np.str_), reason))


def _fit(extract: ProjectAnswers, parameters: Parameters, items: Items) -> ItemReadings:
    found = ambiguity(select_data(extract, parameters))
    units = {cast(int, one.unit): one for one in found.units}
    of_items = [units.get(unit) for unit in items.unit.tolist()]
    posteriors = np.array([-1.0 if one is None else one.posterior for one in of_items])
    ranked = RankedReadings(posteriors, np.array([_verdict(one) for one in of_items], dtype=np.str_))
    note = "" if found.converged else f"after {pluralize(found.rounds, 'round')} fitting had not come to an end"
    return ItemReadings(units, ranked, found.model, note)
