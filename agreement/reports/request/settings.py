"""Which settings matter when, and how those of a page differ from a preset.

A setting is one of CHOICES. Controls, chips, sensitivity and the name of a preset all ask here.
"""

from __future__ import annotations

from agreement.data.project_answers import CHAINED
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.request.parameters import (
    CHOICES,
    Parameters,
    Preset,
    default_preset,
    distances_for,
    presets_for,
)
from agreement.reports.request.resolution import resolve_choices

# Distances with the steps 1/3 and 2/3, and those by which a subset is nearer than a disjoint set.
WITH_THIRDS = ("passonneau", "masi", "masi-product")
WITH_SUBSETS = ("passonneau", "masi-product")


def relevant_settings(kind: str, parameters: Parameters) -> tuple[str, ...]:
    """Return the settings that can change the figure, in the order of CHOICES.

    kind: how values are made, as in `ProjectAnswers`. Parameters with units are of pyramids.
    """
    options = COEFFICIENTS[parameters.coefficient].options
    names = {"coefficient"} | ({"unmarked"} if kind != "numbers" else set())
    if parameters.question and kind != "numbers":
        names.add("unasked")
    if COEFFICIENTS[parameters.coefficient].of_labels and parameters.question and kind == "categories":
        names.add("primary_weight")
    if "missing" in options:
        names.add("missing")
    if kind == "pointers":
        names |= {"chains", "top"}
    if kind in (*CHAINED, "targets"):
        names.add("readings")
    if kind in CHAINED and "exclude_unit" in options:
        names.add("exclude_unit")
    if len(distances_for(kind)) > 1 and "distance" in options:
        names.add("distance")
        names |= {"thirds"} if "thirds" in options and parameters.distance in WITH_THIRDS else set()
        names |= {"empty"} if "empty" in options and parameters.distance in WITH_SUBSETS else set()
    if parameters.units:
        names.add("units")
    return tuple(name for name in CHOICES if name in names)


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
    return next(
        (
            found
            for found in (own, *presets_for(answers))
            if not differing_settings(kind, parameters, found.parameters, unmarked)
        ),
        None,
    )
