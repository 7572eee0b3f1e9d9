"""Parameters -> report. Pages, API and command show what is computed here, and compute nothing themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from agreement.extract import Extract, TextAnswers, Unit, reliability_data, values_of
from agreement.measures import (
    RELATIONS,
    SET_DISTANCES,
    ReliabilityData,
    alpha,
    contributions,
    distance,
    fleiss_kappa,
    relation,
)
from agreement.measures.results import Result
from agreement.measures.values import Value, without
from agreement.parameters import Parameters, WrongParameter

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


@dataclass(frozen=True, slots=True)
class TextReport:
    slug: str
    title: str
    result: Result


@dataclass(frozen=True, slots=True)
class Report:
    """Agreement over all texts and in each."""

    parameters: Parameters
    fingerprint: str
    coders: tuple[str, ...]
    result: Result
    texts: tuple[TextReport, ...]

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        return {
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "coders": list(self.coders),
            **_figures(self.result),
            "texts": [{"slug": text.slug, "title": text.title, **_figures(text.result)} for text in self.texts],
        }


@dataclass(frozen=True, slots=True)
class Item:
    """A unit with its share of the observed disagreement. `relations` counts its pairs of coders."""

    text: str
    key: str
    words: str
    label: str
    share: float
    observed: float
    n_coders: int
    n_values: int
    relations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two coders on one unit."""

    first: str
    second: str
    relation: str
    distances: dict[str, float]


@dataclass(frozen=True, slots=True)
class ItemReport:
    """One unit: every coder's value, and every pair of coders."""

    text: TextAnswers
    unit: Unit
    values: dict[str, Value | None]
    pairs: tuple[Pair, ...]


def report(extract: Extract, parameters: Parameters) -> Report:
    """The coefficient over all texts and for each text. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    texts = tuple(
        TextReport(text.slug, text.title, _coefficient(_data(extract, [text], parameters), parameters))
        for text in extract.texts
    )
    overall = _coefficient(_data(extract, extract.texts, parameters), parameters)
    return Report(parameters, extract.fingerprint, extract.coders, overall, texts)


def grid(extract: Extract, parameters: Parameters) -> list[tuple[str, list[tuple[Parameters, Result]]]]:
    """Alpha for every distance x chain construction, and K; other parameters stay. Rows are constructions."""
    rows = []
    for label, construction in CONSTRUCTIONS[extract.answers]:
        chosen = effective(extract, replace(parameters, coefficient="alpha", **construction))
        data = _data(extract, extract.texts, chosen)
        distances = ("nominal",) if extract.answers == "categories" else SET_DISTANCES
        cells = [
            *(replace(chosen, distance=name) for name in distances),
            replace(chosen, coefficient="fleiss_kappa", distance="nominal"),
        ]
        rows.append((label, [(cell, _coefficient(data, cell)) for cell in cells]))
    return rows


def items(extract: Extract, parameters: Parameters, contents: Mapping[int, str]) -> list[Item]:
    """The units that two coders or more judged, those with the largest share of disagreement first.

    `contents` gives the content of each text, for the words. Raises WrongParameter.
    """
    parameters = effective(extract, parameters)
    data = _data(extract, extract.texts, parameters)
    places = {unit.pk: (text, unit) for text in extract.texts for unit in text.coded_units}
    rows = {unit: row for row, unit in enumerate(data.units)}
    found = []
    for contribution in contributions(data, _distance(parameters), **_options(parameters)):
        text, unit = places[contribution.unit]  # type: ignore[index]
        values = [data.value(int(code)) for code in data.codes[rows[contribution.unit]] if code >= 0]
        found.append(
            Item(
                text=text.slug,
                key=unit.key,
                words=words_of(contents[text.pk], unit),
                label=unit.label,
                share=contribution.share,
                observed=contribution.observed,
                n_coders=len(values),
                n_values=len(set(values)),
                relations=_relations(values, unit.pk),
            )
        )
    return sorted(found, key=lambda item: -item.share)


def item(extract: Extract, parameters: Parameters, text_slug: str, key: str) -> ItemReport | None:
    """One unit with every coder's value; None where the text or the unit is not there. Raises WrongParameter.

    The relation of two values and, unless `exclude_unit` is "none", their distances are without the unit.
    """
    parameters = effective(extract, parameters)
    text = next((text for text in extract.texts if text.slug == text_slug), None)
    unit = next((unit for unit in text.coded_units if unit.key == key), None) if text else None
    if text is None or unit is None:
        return None
    options = {"chains": parameters.chains, "top": parameters.top, "unmarked": parameters.unmarked}
    values = {coder: values_of(text, coder, extract.answers, **options).get(unit.pk) for coder in sorted(text.answers)}
    judged = [(coder, value) for coder, value in values.items() if value is not None]
    pairs = tuple(
        Pair(first, second, relation(a, b, unit.pk), _distances(a, b, unit.pk, parameters))
        for (first, a), (second, b) in combinations(judged, 2)
    )
    return ItemReport(text, unit, values, pairs)


def _relations(values: list[Value], unit: int) -> dict[str, int]:
    """How many pairs of values stand in each relation, the closest relation first."""
    counted = Counter(relation(a, b, unit) for a, b in combinations(values, 2))
    return {name: counted[name] for name in RELATIONS if counted[name]}


def _distances(a: Value, b: Value, unit: int, parameters: Parameters) -> dict[str, float]:
    if parameters.exclude_unit != "none":
        a, b = without(a, unit), without(b, unit)
    return {name: distance(a, b, name, empty=parameters.empty, thirds=parameters.thirds) for name in SET_DISTANCES}


def words_of(content: str, unit: Unit) -> str:
    """The words of a markable, its parts joined by an ellipsis."""
    return " … ".join(" ".join(content[start:end].split()) for start, end in unit.parts)


def effective(extract: Extract, parameters: Parameters) -> Parameters:
    """The parameters as they work on this project. Raises WrongParameter where one cannot."""
    if extract.answers == "indices" and parameters.chains != "full":
        raise WrongParameter("chains", "coders of this project index instead of pointing: its values are whole chains.")
    return replace(parameters, unmarked=parameters.unmarked or extract.unmarked)


def _data(extract: Extract, texts: Iterable[TextAnswers], parameters: Parameters) -> ReliabilityData:
    return reliability_data(
        texts,
        extract.coders,
        extract.answers,
        chains=parameters.chains,
        top=parameters.top,
        unmarked=parameters.unmarked,
    )


def _coefficient(data: ReliabilityData, parameters: Parameters) -> Result:
    if parameters.coefficient == "fleiss_kappa":
        return fleiss_kappa(data, missing=parameters.missing)
    return alpha(data, _distance(parameters), **_options(parameters))


def _distance(parameters: Parameters) -> str:
    return "nominal" if parameters.coefficient == "fleiss_kappa" else parameters.distance


def _options(parameters: Parameters) -> dict[str, str]:
    if parameters.coefficient == "fleiss_kappa":  # nominal, and of whole values
        return {}
    return {"exclude_unit": parameters.exclude_unit, "empty": parameters.empty, "thirds": parameters.thirds}


def _figures(result: Result) -> dict[str, Any]:
    names = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")
    return {name: getattr(result, name) for name in names} | {"left_out": dict(result.left_out)}
