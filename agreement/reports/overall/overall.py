"""Agreement over all texts and in each, under one convention and under all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question
from agreement.measures import jackknife, jackknife_sums
from agreement.measures.data.components import find_pairable_documents
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.results import Result
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.links.relations import LinkKappa, compute_link_kappas
from agreement.reports.request.basis import (
    cached,
    coefficient_function,
    compute_interval,
    compute_result,
    compute_sums,
    count_left_out,
    count_other_versions,
    distances_of,
    other_versions_field,
    pick_texts,
    remembered,
    select_data,
)
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from agreement.reports.wording import describe_versions, list_codings_left_out
from annotations.core.processes.progress import Progress

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
    "labels": (("sets of labels", {}),),
    "numbers": (("numbers", {}),),
    "targets": (("targets", {}),),
}

DISTANCE_NAMES = {
    "nominal": "nominal",
    "passonneau": "Passonneau",
    "jaccard": "Jaccard",
    "dice": "Dice",
    "masi": "MASI",
    "masi-product": "MASI, product form",
    "ordinal": "ordinal",
    "interval": "interval",
    "ratio": "ratio",
}


@dataclass(frozen=True, slots=True)
class TextReport:
    """The coefficient in one document, and how far that of all texts moves when this one is left out."""

    text: Document
    result: Result
    shift: float | None


@dataclass(frozen=True)
class AgreementReport:
    """Agreement over all texts and, when that is asked for, in each."""

    parameters: Parameters
    fingerprint: str
    coders: tuple[str, ...]
    interval: Interval
    extract: ProjectAnswers = field(repr=False, compare=False)

    @cached_property
    def texts(self) -> tuple[TextReport, ...]:
        """Each text, in the order of their addresses."""
        return tuple(map(self.of_text, pick_texts(self.extract, self.parameters)))

    def of_text(self, text: Document) -> TextReport:
        """Return one of the texts."""
        result = compute_result(self.extract, self.parameters, [text])
        return TextReport(text, result, self._shifts.get(text.pk))

    @cached_property
    def _shifts(self) -> dict[Any, float]:
        return _compute_shifts(self.extract, self.parameters)

    @property
    def result(self) -> Result:
        return self.interval.result

    @property
    def codings_left_out(self) -> dict[str, int]:
        """How many codings of the chosen texts by the chosen coders do not count, by reason."""
        return count_left_out(self.extract, self.parameters)

    @property
    def not_counted(self) -> str:
        """The codings that do not count, in words; empty where all do."""
        return list_codings_left_out(self.codings_left_out)

    @property
    def n_of_other_versions(self) -> int | None:
        """How many judgements are missing as of versions of the scheme that were not chosen; None where all count."""
        return count_other_versions(self.extract, self.parameters)

    @property
    def versions(self) -> str:
        """Of which versions of the scheme judgements count, and how many do not; empty where all do."""
        return describe_versions(self.extract.versions, self.n_of_other_versions)

    @property
    def name(self) -> str:
        """What the figure is, for people."""
        coefficient = COEFFICIENTS[self.parameters.coefficient].name
        if not self.parameters.takes_distance:
            return coefficient
        name, _, form = DISTANCE_NAMES[self.parameters.distance].partition(", ")
        return ", ".join(filter(None, [coefficient, f"{name} distance", form]))

    @property
    def question(self) -> Question | None:
        """The question whose answers are compared, where it is not the category."""
        return self.extract.question

    @property
    def links(self) -> list[LinkKappa]:
        """The kappa of links of each two coders, where the answers are to a relation."""
        return compute_link_kappas(self.extract, self.parameters)

    @property
    def unanswered(self) -> dict[str, int]:
        """Of how many judgements the question was not asked, and how many have no answer to it."""
        if self.question is None:
            return {}
        return dict(zip(("not_asked", "not_answered"), count_unanswered(self.extract, self.parameters), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "coders": list(self.coders),
            "codings_left_out": self.codings_left_out,
            **({"judgements_left_out": self.unanswered} if self.question else {}),
            **other_versions_field(self.n_of_other_versions),
            **({"links": [one.as_dict() for one in self.links]} if self.extract.kind == "targets" else {}),
            **result_fields(self.result),
            "z": getattr(self.result, "z", None),
            "p_value": getattr(self.result, "p_value", None),
            "z_note": getattr(self.result, "z_note", ""),
            "low": self.interval.low,
            "high": self.interval.high,
            "interval": interval_fields(self.interval),
            "texts": [
                {"slug": one.text.slug, "title": one.text.title, "round": one.text.round}
                | ({"occasion": one.text.occasion} if one.text.occasion > 1 else {})
                | {**result_fields(one.result), "shift": one.shift}
                for one in self.texts
            ],
        }


@dataclass(frozen=True, slots=True)
class GridCell:
    """A value of the grid and how it was computed."""

    parameters: Parameters
    result: Result


def count_unanswered(extract: ProjectAnswers, parameters: Parameters) -> tuple[int, int]:
    """Return of how many judgements in the chosen texts the question was not asked, and how many do not answer it."""
    if extract.question is None:
        return 0, 0
    codings = extract.restrict(pick_texts(extract, parameters)).columns.codings
    return int(codings["unasked"].sum()), int(codings["unanswered"].sum())


def compute_report(extract: ProjectAnswers, parameters: Parameters) -> AgreementReport:
    """Return the coefficient over all texts and for each text. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("report", parameters), lambda: _build_report(extract, parameters))


def _build_report(extract: ProjectAnswers, parameters: Parameters) -> AgreementReport:
    interval = compute_interval(extract, parameters)
    fingerprint = remembered(extract, ("fingerprint",), lambda: extract.fingerprint)
    return AgreementReport(parameters, fingerprint, extract.coders, interval, extract)


def _compute_shifts(extract: ProjectAnswers, parameters: Parameters) -> dict[Any, float]:
    """Return by text the coefficient without it less that of all texts."""
    if parameters.is_alpha and parameters.distance not in ORDERED_DISTANCES:
        without = jackknife_sums(compute_sums(extract, parameters)[parameters.distance])
    else:
        data = select_data(extract, parameters)
        if len(find_pairable_documents(data)) < 2:
            return {}
        without = jackknife(data, coefficient_function(parameters))
    if without.value is None:
        return {}
    return {
        text: value - without.value
        for text, value in zip(without.groups, without.values, strict=True)
        if value is not None
    }


def compare_distances(extract: ProjectAnswers, parameters: Parameters) -> list[tuple[Parameters, Interval]]:
    """Return alpha with each distance, all else as asked: one pass over the data. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return [(cell, compute_interval(extract, cell)) for cell in _with_each_distance(extract, parameters)]


def _with_each_distance(extract: ProjectAnswers, parameters: Parameters) -> list[Parameters]:
    parameters = replace(parameters, coefficient="alpha")
    return [replace(parameters, distance=name) for name in distances_of(extract)]


def compute_grid(
    extract: ProjectAnswers, parameters: Parameters, progress: Progress | None = None
) -> list[tuple[str, list[GridCell]]]:
    """Return alpha for every distance x chain construction, and K; other parameters stay. Rows are constructions."""
    rows = []
    constructions = CONSTRUCTIONS[extract.kind]
    for done, (label, construction) in enumerate(constructions):
        if progress:
            progress(done, len(constructions))
        selected, chosen = resolve(extract, replace(parameters, coefficient="alpha", **construction))
        k = replace(chosen, coefficient="fleiss_kappa", distance="nominal")
        cells = [*_with_each_distance(selected, chosen), k]
        rows.append((label, [GridCell(cell, compute_result(selected, cell)) for cell in cells]))
    return rows


def compare_antecedents(extract: ProjectAnswers, parameters: Parameters) -> list[GridCell]:
    """Return K beside alpha on antecedents alone (Poesio & Artstein 2005, Table 3): K gives no part of an agreement."""
    changed = replace(parameters, chains="none", top="category", exclude_unit="none")
    extract, chosen = resolve(extract, changed)
    cells = [
        replace(chosen, coefficient="fleiss_kappa", distance="nominal"),
        replace(chosen, coefficient="alpha", distance="passonneau"),
    ]
    return [GridCell(cell, compute_result(extract, cell)) for cell in cells]


def explain_distances(alphas: Mapping[str, float | None], chains: str = "chains") -> list[str]:
    """Return what the differences between the distances mean; `chains` is what values are called."""
    nominal, jaccard, dice, masi = (alphas.get(name) for name in ("nominal", "jaccard", "dice", "masi"))
    if nominal is None or jaccard is None or dice is None or masi is None:
        return []
    return [
        f"Jaccard − nominal = {jaccard - nominal:+.3f}: the effect of {chains} that overlap in part.",
        f"Dice − Jaccard = {dice - jaccard:+.3f}: the effect of size. Dice counts shared members twice.",
        f"Jaccard − MASI = {jaccard - masi:+.3f}: the effect of monotonicity. MASI weights overlap by 2/3 where one set"
        " contains the other, and by 1/3 where each has members of its own.",
    ]


def interval_fields(interval: Interval) -> dict[str, Any]:
    """Return how an interval was made, as the API gives it."""
    return {name: getattr(interval, name) for name in ("method", "by", "n_groups", "level", "note")}


def result_fields(result: Result) -> dict[str, Any]:
    """Return a result as the API gives it."""
    names = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")
    return {name: getattr(result, name) for name in names} | {"left_out": dict(result.left_out)}
