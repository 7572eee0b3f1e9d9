"""Agreement over all texts and in each, under one convention and under all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from agreement.extract import Extract
from agreement.measures import SET_DISTANCES, jackknife_sums
from agreement.measures.intervals import Interval
from agreement.measures.results import Result
from agreement.parameters import Parameters
from agreement.reports.basis import (
    coders_of,
    effective,
    interval_of,
    kept,
    result_of,
    sums_of,
    texts_of,
)
from annotations.progress import Progress

# The conditions of Poesio & Artstein 2005, Table 4, and their like for the other kinds of scheme.
CONSTRUCTIONS: dict[str, tuple[tuple[str, dict[str, str]], ...]] = {
    "pointers": (
        ("no chain", {"chains": "none", "top": "category", "exclude_unit": "none"}),
        ("partial chain", {"chains": "partial", "top": "category", "exclude_unit": "none"}),
        ("inclusive, -top", {"chains": "full", "top": "category", "exclude_unit": "none"}),
        ("exclusive, -top", {"chains": "full", "top": "category", "exclude_unit": "observed"}),
        ("inclusive, +top", {"chains": "full", "top": "chain", "exclude_unit": "none"}),
        ("exclusive, +top", {"chains": "full", "top": "chain", "exclude_unit": "observed"}),
    ),
    "indices": (
        ("inclusive", {"chains": "full", "exclude_unit": "none"}),
        ("exclusive in observed", {"chains": "full", "exclude_unit": "observed"}),
        ("exclusive in both", {"chains": "full", "exclude_unit": "both"}),
    ),
    "categories": (("categories", {}),),
}

DISTANCE_NAMES = {
    "nominal": "nominal",
    "passonneau": "Passonneau",
    "jaccard": "Jaccard",
    "dice": "Dice",
    "masi": "MASI",
    "masi-product": "MASI product",
}
KAPPA_NAMES = {
    "fleiss_kappa": "K of Siegel & Castellan",
    "multi_kappa": "Multi-kappa of Davies & Fleiss",
    "gwet_ac1": "Gwet’s AC1",
}


@dataclass(frozen=True, slots=True)
class TextReport:
    """The coefficient in one text, and how far that of all texts moves when this one is left out."""

    slug: str
    title: str
    round: str
    result: Result
    shift: float | None


@dataclass(frozen=True)
class Report:
    """Agreement over all texts and, when that is asked for, in each."""

    parameters: Parameters
    fingerprint: str
    coders: tuple[str, ...]
    interval: Interval
    extract: Extract = field(repr=False, compare=False)

    @cached_property
    def texts(self) -> tuple[TextReport, ...]:
        """Each text, in the order of their addresses."""
        shifts = _shifts(self.extract, self.parameters)
        key = ("result", self.parameters, self.coders, self.extract.coders)
        found = []
        for text in texts_of(self.extract, self.parameters):
            result = kept(text.answers, key, partial(result_of, self.extract, self.parameters, [text]))
            found.append(TextReport(text.slug, text.title, text.round, result, shifts.get(text.pk)))
        return tuple(found)

    @property
    def result(self) -> Result:
        return self.interval.result

    @property
    def name(self) -> str:
        """What the figure is, for people."""
        if self.parameters.is_alpha:
            return f"Krippendorff’s alpha, {DISTANCE_NAMES[self.parameters.distance]} distance"
        return KAPPA_NAMES[self.parameters.coefficient]

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        return {
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "coders": list(self.coders),
            **figures(self.result),
            "low": self.interval.low,
            "high": self.interval.high,
            "texts": [
                {"slug": text.slug, "title": text.title, "round": text.round, **figures(text.result)}
                | {"shift": text.shift}
                for text in self.texts
            ],
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of the grid and how it was computed."""

    parameters: Parameters
    result: Result


def report(extract: Extract, parameters: Parameters) -> Report:
    """The coefficient over all texts and for each text. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return kept(extract, ("report", parameters), lambda: _report(extract, parameters))


def _report(extract: Extract, parameters: Parameters) -> Report:
    interval = interval_of(extract, parameters)
    return Report(parameters, extract.fingerprint, coders_of(extract, parameters), interval, extract)


def _shifts(extract: Extract, parameters: Parameters) -> dict[Any, float]:
    """By text, the coefficient without it less that of all texts."""
    if not parameters.is_alpha:
        return {}
    found = jackknife_sums(sums_of(extract, parameters)[parameters.distance])
    if found.value is None:
        return {}
    return {
        text: value - found.value for text, value in zip(found.groups, found.values, strict=True) if value is not None
    }


def distances(extract: Extract, parameters: Parameters) -> list[tuple[Parameters, Interval]]:
    """Alpha with each distance, all else as asked: one pass over the data. Raises WrongParameter."""
    return [(cell, interval_of(extract, cell)) for cell in _every_distance(extract, parameters)]


def _every_distance(extract: Extract, parameters: Parameters) -> list[Parameters]:
    parameters = replace(effective(extract, parameters), coefficient="alpha")
    names = SET_DISTANCES if extract.answers != "categories" else ("nominal",)
    return [replace(parameters, distance=name) for name in names]


def grid(extract: Extract, parameters: Parameters, progress: Progress | None = None) -> list[tuple[str, list[Cell]]]:
    """Alpha for every distance x chain construction, and K; other parameters stay. Rows are constructions."""
    rows = []
    constructions = CONSTRUCTIONS[extract.answers]
    for done, (label, construction) in enumerate(constructions):
        if progress:
            progress(done, len(constructions))
        chosen = effective(extract, replace(parameters, coefficient="alpha", **construction))
        k = replace(chosen, coefficient="fleiss_kappa", distance="nominal")
        cells = [*_every_distance(extract, chosen), k]
        rows.append((label, [Cell(cell, result_of(extract, cell)) for cell in cells]))
    return rows


def antecedents(extract: Extract, parameters: Parameters) -> list[Cell]:
    """K beside alpha on the antecedents alone (Poesio & Artstein 2005, Table 3): K gives no part of an agreement."""
    chosen = effective(extract, replace(parameters, chains="none", top="category", exclude_unit="none"))
    cells = [
        replace(chosen, coefficient="fleiss_kappa", distance="nominal"),
        replace(chosen, coefficient="alpha", distance="passonneau"),
    ]
    return [Cell(cell, result_of(extract, cell)) for cell in cells]


def meaning(alphas: Mapping[str, float | None], chains: str = "chains") -> list[str]:
    """What the differences between the distances are made of; `chains` is what values are called."""
    nominal, jaccard, dice, masi = (alphas.get(name) for name in ("nominal", "jaccard", "dice", "masi"))
    if nominal is None or jaccard is None or dice is None or masi is None:
        return []
    return [
        f"Jaccard less nominal: {jaccard - nominal:+.3f}, what is made of {chains} that differ and still share"
        " members.",
        f"Dice less Jaccard: {dice - jaccard:+.3f}, what is made of size: Dice counts shared members twice, so that a"
        " few members more or less weigh less.",
        f"Jaccard less MASI: {jaccard - masi:+.3f}, what is made of monotonicity: MASI takes a third off what sets"
        " share where one contains the other, and two thirds where each has members of its own.",
    ]


def figures(result: Result) -> dict[str, Any]:
    """A result as the API gives it."""
    names = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")
    return {name: getattr(result, name) for name in names} | {"left_out": dict(result.left_out)}
