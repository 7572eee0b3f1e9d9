"""What the chosen parameters come to for the answers at hand, or why they do not apply; and which of them matter."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from itertools import compress
from typing import Any, Concatenate

import numpy as np

from agreement.data.project_answers import CHAINED, ProjectAnswers
from agreement.measures.data.cells import MOST_READINGS
from agreement.reports.request.basis import cached, distances_of, pick_texts, remembered
from agreement.reports.request.parameters import (
    CHOICES,
    COEFFICIENTS,
    VERSIONS,
    InvalidParameter,
    Parameters,
    Preset,
    default_preset,
    distances_for,
    presets_for,
)


def resolve_choices(parameters: Parameters, kind: str, units: str, unmarked: str) -> Parameters:
    """Return the parameters with what they leave to the project. Raises InvalidParameter for what its answers exclude.

    kind and units: as in `ProjectAnswers`. unmarked: the project's own.
    """
    if kind == "indices" and parameters.chains != "full":
        raise InvalidParameter(
            "chains", "coders of this project index instead of pointing: its values are whole chains."
        )
    if parameters.units and not units:
        raise InvalidParameter("units", "only pyramids are counted by words or spans; here a unit is a markable.")
    if kind == "targets" and parameters.chains != "none":
        raise InvalidParameter("chains", "this relation makes no chains: its targets are compared, chains=none.")
    if parameters.distance not in distances_for(kind):
        raise InvalidParameter("distance", _why_no_distance(kind))
    if COEFFICIENTS[parameters.coefficient].of_labels and not _compares_labels(kind, parameters):
        raise InvalidParameter(
            "coefficient",
            "augmented kappa is of alternatives, not of chains: it needs categories, or pointers with chains=none.",
        )
    if kind == "numbers" and parameters.takes_distance and not parameters.is_alpha:
        raise InvalidParameter("coefficient", "the distances of numbers are those of alpha.")
    for name in ("unmarked", "unasked") if kind == "numbers" else ():
        if getattr(parameters, name) == "label":
            raise InvalidParameter(name, "numbers can only be compared with numbers: what has none is missing.")
    if parameters.question and parameters.unmarked == "singleton":
        raise InvalidParameter(
            "unmarked", "only chains have singletons: the answers to a question are label or missing."
        )
    return replace(parameters, unmarked=parameters.unmarked or unmarked, units=units)


def _why_no_distance(kind: str) -> str:
    if kind == "categories":
        return "a category has no parts, two are equal or not: the distance is nominal."
    if kind == "numbers":
        return f"numbers are no sets: the distance is one of {', '.join(distances_for(kind))}."
    return "values are no numbers: the distance is nominal or one between sets."


def _compares_labels(kind: str, parameters: Parameters) -> bool:
    return kind in ("categories", "targets") or (kind == "pointers" and parameters.chains == "none")


def allows_coefficient(extract: ProjectAnswers, parameters: Parameters) -> bool:
    """Return whether the data of the extract's coders in the chosen texts allow the coefficient of the parameters."""
    coefficient = COEFFICIENTS[parameters.coefficient]
    if coefficient.for_two and len(_coders_in(extract, parameters)) > 2:
        return False
    if extract.kind == "numbers" and coefficient.takes_distance and parameters.coefficient != "alpha":
        return False
    return not coefficient.of_labels or _compares_labels(extract.kind, parameters)


def _coders_in(extract: ProjectAnswers, parameters: Parameters) -> list[str]:
    texts = pick_texts(extract, parameters)
    if texts is extract.texts:
        return list(extract.coders)
    answered = extract.has_answered[extract.find_places(texts)].any(axis=0)
    return sorted(compress(extract.coders, answered.tolist()))


def resolve(extract: ProjectAnswers, parameters: Parameters) -> tuple[ProjectAnswers, Parameters]:
    """Return the answers that the parameters select, and the parameters as they work on them.

    Raises InvalidParameter where one cannot. Of answers that are selected by these parameters already, nothing changes.
    """
    asked = extract.question.key if extract.question else ""
    if parameters.question and parameters.question != asked:
        known_questions = ", ".join(one.key for one in extract.questions) or "none"
        raise InvalidParameter("question", f"{parameters.question!r} is not one of {known_questions}.")
    parameters = replace(parameters, question=asked)
    resolved = resolve_choices(parameters, extract.kind, extract.units, extract.unmarked)
    if resolved.distance == "ratio" and "ratio" not in distances_of(extract):
        raise InvalidParameter("distance", "ratio is of numbers from 0, and some are less.")
    if extract.units and parameters.units not in ("", extract.units):
        raise InvalidParameter("units", f"the answers were read by {extract.units}.")
    if parameters.scheme_versions not in (frozenset(), extract.versions):
        raise InvalidParameter(VERSIONS, "the answers were read of other versions of the scheme.")
    known: dict[str, Callable[[], Iterable[str]]] = {
        "coders": lambda: extract.known_coders,
        "texts": lambda: (text.slug for text in extract.texts),
        "rounds": lambda: extract.rounds,
        "without": lambda: extract.categories,
    }
    if extract.selected is not None:  # texts of a round that does not count are not there any more
        del known["rounds"]
    for field, names in known.items():
        chosen = parameters.selection(field)
        for name in sorted(chosen.difference(names())) if chosen else ():
            raise InvalidParameter(field, f"there is no {name!r} in this project.")
    selected = extract.select(resolved.selection("include"), resolved.selection("coders"))
    if resolved.readings == "matched":
        _check_number_of_readings(selected.restrict(pick_texts(selected, resolved)))
    if not allows_coefficient(selected, resolved):
        name, n = COEFFICIENTS[parameters.coefficient].name, len(_coders_in(selected, resolved))
        raise InvalidParameter(
            "coefficient", f"{name} is of two coders, and here are {n}: choose two, or beta or multi_kappa."
        )
    if COEFFICIENTS[parameters.coefficient].for_two and len(selected.coders) > 2:
        # of many coders two have coded what is chosen
        resolved = replace(resolved, coders=",".join(_coders_in(selected, resolved)))
        selected = extract.select(resolved.selection("include"), resolved.selection("coders"))
    return selected, resolved


type Report[**P, R] = Callable[Concatenate[ProjectAnswers, Parameters, P], R]


def cached_report[**P, R](compute: Report[P, R], keep: Callable[..., Any] = cached) -> Report[P, R]:
    """Let a report take answers and parameters as asked, and be computed once in a request. Raises InvalidParameter."""

    @wraps(compute)
    def report(answers: ProjectAnswers, parameters: Parameters, /, *args: P.args, **kwargs: P.kwargs) -> R:
        answers, parameters = resolve(answers, parameters)
        key = (f"{compute.__module__}.{compute.__qualname__}", parameters, *args, *kwargs.values())
        found: R = keep(answers, key, lambda: compute(answers, parameters, *args, **kwargs))
        return found

    return report


def remembered_report[**P, R](compute: Report[P, R]) -> Report[P, R]:
    """Let a report take answers and parameters as asked, and be remembered. Raises InvalidParameter."""
    return cached_report(compute, remembered)


def _check_number_of_readings(answers: ProjectAnswers) -> None:
    columns = answers.columns
    for mark in np.flatnonzero(columns.is_judgement & (columns.n_readings > MOST_READINGS))[:1].tolist():
        coding = columns.coding_of_mark[mark]
        coder = answers.names[columns.codings["coder"][coding]]
        text = answers.texts[columns.document_of_coding[coding]]
        raise InvalidParameter(
            "readings",
            f"{coder} gives {int(columns.n_readings[columns.coding_of_mark == coding].max())} readings of one unit in"
            f" {text.slug}, and {MOST_READINGS} at most are matched: choose union.",
        )


def relevant_settings(kind: str, parameters: Parameters) -> tuple[str, ...]:
    """Return the settings that can change the figure, in the order of CHOICES.

    kind: how values are made, as in `ProjectAnswers`. Parameters with units are of pyramids.
    """
    coefficient, question = COEFFICIENTS[parameters.coefficient], bool(parameters.question)
    options, is_number = coefficient.options, kind == "numbers"
    by_distance = len(distances_for(kind)) > 1 and coefficient.takes_distance
    is_relevant = {
        "coefficient": True,
        "distance": by_distance,
        "chains": kind == "pointers",
        "top": kind == "pointers",
        "readings": kind in (*CHAINED, "targets"),
        "exclude_unit": kind in CHAINED and "exclude_unit" in options,
        "empty": by_distance and "empty" in options and parameters.distance in ("passonneau", "masi-product"),
        "thirds": by_distance and "thirds" in options and parameters.distance in ("passonneau", "masi", "masi-product"),
        "missing": "missing" in options,
        "unmarked": not is_number,
        "units": bool(parameters.units),
        "unasked": question and not is_number,
        "primary_weight": question and coefficient.of_labels and kind == "categories",
    }
    return tuple(name for name in CHOICES if is_relevant[name])


def choices_of(name: str, kind: str, parameters: Parameters) -> tuple[str, ...]:
    """Return what a setting can be, for values that are made in this way."""
    if name == "distance":
        return distances_for(kind)
    if name == "unmarked" and parameters.question:
        return tuple(one for one in CHOICES[name] if one != "singleton")
    return CHOICES[name]


def differing_settings(kind: str, parameters: Parameters, convention: Parameters, unmarked: str) -> dict[str, str]:
    """Return the relevant settings that differ from a convention, with the value that each has there.

    unmarked: that of the project, which a convention leaves to it.
    """
    theirs = resolve_choices(convention, kind, parameters.units and (convention.units or "words"), unmarked)
    names = relevant_settings(kind, parameters)
    return {name: getattr(theirs, name) for name in names if getattr(parameters, name) != getattr(theirs, name)}


def find_preset(parameters: Parameters, preset: str, answers: str, kind: str, unmarked: str) -> Preset | None:
    """Return the preset whose figure the parameters give, the project's own before others; None: they are custom."""
    own = default_preset(preset, answers)
    for found in (own, *presets_for(answers)):
        if not differing_settings(kind, parameters, found.parameters, unmarked):
            return found
    return None
