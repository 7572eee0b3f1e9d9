"""How often coders call something ambiguous: several readings or indices in one judgement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.data.extract.extract import Extract
from agreement.measures.values import Bools
from agreement.reports.request.basis import cached, pick_texts, select_categories
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


def summarize_ambiguity(extract: Extract, parameters: Parameters) -> list[AmbiguityCounts]:
    """Return how often ambiguity is marked, in all, by category and by coder (Poesio & Artstein 2005, section 5.2).

    Of units that the parameters leave out nothing counts. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("ambiguity", parameters), lambda: _summarize(extract, parameters))


def _summarize(extract: Extract, parameters: Parameters) -> list[AmbiguityCounts]:
    number = {coder: place for place, coder in enumerate(extract.coders)}
    parts = [
        (np.array(text.answers.units, dtype=np.int64)[one.unit], one, np.full(len(one.unit), number[one.coder]))
        for text in pick_texts(extract, parameters)
        for one in text.answers.coder_answers
    ]
    empty = np.zeros(0, dtype=np.int64)
    unit = np.concatenate([empty, *(units for units, _, _ in parts)])
    category = np.concatenate([empty, *(one.category for _, one, _ in parts)])
    coder = np.concatenate([empty, *(column for _, _, column in parts)])
    ambiguous = np.concatenate([empty.astype(np.bool_), *(one.is_ambiguous for _, one, _ in parts)])
    used = np.isin(unit, np.array(select_categories(extract, parameters).units, dtype=np.int64))
    unit, category, coder, ambiguous = unit[used], category[used], coder[used], ambiguous[used]

    def count(kind: str, name: str, chosen: Bools) -> AmbiguityCounts:
        marked = chosen & ambiguous
        return AmbiguityCounts(
            kind,
            name,
            len(np.unique(unit[marked])),
            len(np.unique(unit[chosen])),
            int(marked.sum()),
            int(chosen.sum()),
        )

    return [
        count("all", "", np.ones(len(unit), dtype=np.bool_)),
        *(count("category", name, category == place) for place, name in enumerate(extract.categories)),
        *(count("coder", name, coder == place) for name, place in number.items()),
    ]
