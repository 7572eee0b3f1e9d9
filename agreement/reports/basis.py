"""What every report rests on: the data that the parameters choose, its sums, the coefficient and its interval."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, cast

import numpy as np

from agreement.extract import Extract, Place, TextAnswers, category_data, reliability_data
from agreement.measures import (
    SET_DISTANCES,
    DocumentSums,
    ReliabilityData,
    alpha,
    alphas,
    bootstrap,
    bootstrap_sums,
    combine,
    documents_sums,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
)
from agreement.measures.comparisons import of_units
from agreement.measures.intervals import Interval
from agreement.measures.results import Result
from agreement.measures.values import Bools
from agreement.parameters import Parameters, WrongParameter

REPLICATES = 2000
KAPPAS: dict[str, Callable[..., Result]] = {
    "fleiss_kappa": fleiss_kappa,
    "multi_kappa": multi_kappa,
    "gwet_ac1": gwet_ac1,
}
# What is kept of one text or one extract at most; the oldest goes first.
KEPT = 64
KEPT_DATA = 4

_keeping = Lock()


def effective(extract: Extract, parameters: Parameters) -> Parameters:
    """The parameters as they work on this project. Raises WrongParameter where one cannot."""
    if extract.answers == "indices" and parameters.chains != "full":
        raise WrongParameter("chains", "coders of this project index instead of pointing: its values are whole chains.")
    if parameters.units and not extract.units:
        raise WrongParameter("units", "only pyramids are counted by words or spans; here a unit is a markable.")
    if extract.answers == "categories" and parameters.distance != "nominal":
        raise WrongParameter("distance", "a category has no parts, two are equal or not: the distance is nominal.")
    known = {
        "coders": extract.coders,
        "texts": [text.slug for text in extract.texts],
        "rounds": [text.round for text in extract.texts],
        "without": extract.categories,
    }
    for field, names in known.items():
        for name in sorted(parameters.selected(field).difference(names)):
            raise WrongParameter(field, f"there is no {name!r} in what is coded here.")
    return replace(parameters, unmarked=parameters.unmarked or extract.unmarked, units=extract.units)


def coders_of(extract: Extract, parameters: Parameters) -> tuple[str, ...]:
    """The coders that the parameters choose."""
    chosen = parameters.selected("coders")
    return tuple(coder for coder in extract.coders if not chosen or coder in chosen)


def texts_of(extract: Extract, parameters: Parameters) -> tuple[Place, ...]:
    """The texts that the parameters choose."""
    texts, rounds = parameters.selected("texts"), parameters.selected("rounds")
    return tuple(
        text for text in extract.texts if (not texts or text.slug in texts) and (not rounds or text.round in rounds)
    )


def kept[T](owner: Extract | TextAnswers, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """What was computed under the key of these answers, or is computed now."""
    there = owner.kept.get(key)
    if there is None:
        there = keep(owner, key, compute())
    value: T = there
    return value


def keep[T](owner: Extract | TextAnswers, key: tuple[Hashable, ...], value: T) -> T:
    """Keep what was computed of these answers; of what is large only little."""
    most = KEPT_DATA if isinstance(value, ReliabilityData) else KEPT
    with _keeping:
        alike = [one for one, there in owner.kept.items() if isinstance(there, ReliabilityData) == (most == KEPT_DATA)]
        for old in alike[: max(len(alike) + 1 - most, 0)]:
            owner.kept.pop(old, None)
        owner.kept[key] = value
    return value


def data_of(extract: Extract, parameters: Parameters, texts: Sequence[Place] | None = None) -> ReliabilityData:
    """The values of the chosen coders on the units of the chosen texts, or of these texts."""
    chosen = texts_of(extract, parameters) if texts is None else tuple(texts)
    names, p = tuple(text.pk for text in chosen), parameters
    key = ("data", p.chains, p.top, p.unmarked, coders_of(extract, p), extract.coders, p.without, names)
    owner = chosen[0].answers if len(chosen) == 1 else extract
    return kept(owner, key, lambda: _data(extract, parameters, chosen))


def categories_of(extract: Extract, parameters: Parameters, texts: Sequence[Place] | None = None) -> ReliabilityData:
    """The categories that the chosen coders gave the units of the chosen texts, or of these."""
    chosen = texts_of(extract, parameters) if texts is None else tuple(texts)
    key = ("categories", parameters.coders, parameters.without, tuple(text.pk for text in chosen))

    def compute() -> ReliabilityData:
        found, without = category_data(extract, chosen, coders_of(extract, parameters)), parameters.selected("without")
        if not without:
            return found
        return of_units(found, ~_given_mostly(category_data(extract, chosen, extract.coders), without))

    return kept(extract, key, compute)


def _data(extract: Extract, parameters: Parameters, texts: Sequence[Place]) -> ReliabilityData:
    coders, without = coders_of(extract, parameters), parameters.selected("without")
    found = reliability_data(
        extract,
        chains=parameters.chains,
        top=parameters.top,
        unmarked=parameters.unmarked,
        texts=texts,
        coders=coders,
    )
    if not without:
        return found
    return of_units(found, ~_given_mostly(category_data(extract, texts, extract.coders), without))


def _given_mostly(categories: ReliabilityData, names: frozenset[str]) -> Bools:
    """The units to which more than half of their coders give one and the same of these categories."""
    codes = categories.codes
    n_coders = (codes >= 0).sum(axis=1)
    most = np.zeros(len(codes), dtype=np.bool_)
    for number, label in enumerate(categories.labels):
        if label in names:
            most |= 2 * (codes == number).sum(axis=1) > n_coders
    return most


def sums_of(
    extract: Extract, parameters: Parameters, texts: Sequence[Place] | None = None
) -> dict[str, list[DocumentSums]]:
    """What each text adds to alpha, by distance. The sums of a text are computed once for its answers."""
    chosen = texts_of(extract, parameters) if texts is None else texts
    p = parameters
    # all coders of a project are more once somebody else has answered something, also in the texts that stay
    who = (coders_of(extract, p), extract.coders if p.without else ())
    key = ("sums", p.chains, p.top, p.unmarked, p.exclude_unit, p.empty, p.thirds, who, p.without)
    distances = SET_DISTANCES if extract.answers != "categories" else ("nominal",)
    there = {text.pk: text.answers.kept.get(key) for text in chosen}
    missing = [text for text in chosen if there[text.pk] is None]
    if missing:
        found = documents_sums(data_of(extract, parameters, missing), distances, **_conventions(parameters))
        for number, text in enumerate(missing):
            there[text.pk] = keep(text.answers, key, {name: of_texts[number] for name, of_texts in found.items()})
    return {name: [there[text.pk][name] for text in chosen] for name in distances}  # type: ignore[index]


def result_of(extract: Extract, parameters: Parameters, texts: Sequence[Place] | None = None) -> Result:
    """The coefficient over the chosen texts, or these."""
    if parameters.is_alpha:
        found = combine(sums_of(extract, parameters, texts)[parameters.distance])
        return replace(found, parameters=found.parameters or _named(parameters))
    return KAPPAS[parameters.coefficient](data_of(extract, parameters, texts), **_options(parameters))


def interval_of(extract: Extract, parameters: Parameters, texts: Sequence[Place] | None = None) -> Interval:
    """The coefficient with its bootstrap interval over texts, or over units where one text is used."""
    chosen = tuple(texts_of(extract, parameters) if texts is None else texts)
    distance, names = distance_of(parameters), tuple(text.pk for text in chosen)
    key = ("intervals", replace(parameters, distance="nominal"), coders_of(extract, parameters), extract.coders, names)
    # those of one text are kept with it: it outlives the extract
    owner = chosen[0].answers if len(chosen) == 1 else extract
    return kept(owner, key, lambda: _small(_intervals(extract, parameters, chosen)))[distance]


def _small(intervals: Mapping[str, Interval]) -> dict[str, Interval]:
    """Without the replicates, which nobody asks for: they are most of what an interval takes."""
    return {name: replace(one, replicates=one.replicates[:0]) for name, one in intervals.items()}


def _intervals(extract: Extract, parameters: Parameters, texts: tuple[Place, ...]) -> dict[str, Interval]:
    """By distance: to draw once for all of them costs little more than for one."""
    if parameters.is_alpha and len(texts) > 1:
        found = bootstrap_sums(sums_of(extract, parameters, texts), n=REPLICATES)
        if all(one.n_groups > 1 for one in found.values()):
            return found
    data = data_of(extract, parameters, texts)
    if parameters.is_alpha:
        distances = list(sums_of(extract, parameters, texts))
        several: Callable[..., Mapping[str, Result]] = partial(
            alphas, distances=distances, **cast(Any, _conventions(parameters))
        )
        # one text has nothing to draw from but its units, also where there are others in which nobody met
        return bootstrap(data, several, by="unit", n=REPLICATES)
    coefficient = coefficient_of(parameters)
    one = bootstrap(data, coefficient, n=REPLICATES)
    return {"nominal": one if one.n_groups > 1 else bootstrap(data, coefficient, by="unit", n=REPLICATES)}


def coefficient_of(parameters: Parameters) -> Callable[..., Result]:
    """The coefficient with its options, as a function of data."""
    if parameters.is_alpha:
        return partial(alpha, distance=parameters.distance, **cast(Any, _conventions(parameters)))
    return partial(KAPPAS[parameters.coefficient], **_options(parameters))


def distance_of(parameters: Parameters) -> str:
    """The distance by which two values are compared: that of a kappa is nominal."""
    return parameters.distance if parameters.is_alpha else "nominal"


def conventions_of(parameters: Parameters) -> dict[str, str]:
    """How two values are compared, besides the distance: a kappa compares whole values."""
    return _conventions(parameters) if parameters.is_alpha else {}


def _conventions(parameters: Parameters) -> dict[str, str]:
    return {"exclude_unit": parameters.exclude_unit, "empty": parameters.empty, "thirds": parameters.thirds}


def _options(parameters: Parameters) -> dict[str, str]:
    return {"missing": parameters.missing}


def _named(parameters: Parameters) -> dict[str, str]:
    return {"distance": parameters.distance, **_conventions(parameters)}
