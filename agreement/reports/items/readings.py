"""Which items are likely to be ambiguous, and on which somebody slipped: a model of coders ranks them.

It ranks ambiguous items above others better than the rule of camps does (docs/benchmarks-models.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import UnitReadings, ambiguity
from agreement.measures.models.camps import LEAST_IN_CAMPS
from agreement.measures.results import pluralize
from agreement.reports.items.items import Items, RankedReadings
from agreement.reports.request.basis import cached, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

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
