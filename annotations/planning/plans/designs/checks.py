"""Refuse what no plan can be made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from annotations.planning.plans.designs.terms import (
    LARGEST_SEED,
    LARGEST_WEIGHT,
    MOST_CODERS,
    MOST_PLACES,
    SMALLEST_WEIGHT,
    Design,
    PlanCoder,
    PlanParameters,
    PlanRefused,
    PlanText,
)


def check(texts: Sequence[PlanText], coders: Sequence[PlanCoder], parameters: PlanParameters) -> None:
    """Raise PlanRefused where there is nothing to plan, and for numbers that mean nothing."""
    if not texts:
        raise PlanRefused("There are no texts to plan. Import texts, put some into the round, or choose another round.")
    if not coders:
        raise PlanRefused("This project has no coders. Add members with the role of coder first.")
    for kind, rows in (("texts", [text.name for text in texts]), ("coders", [coder.name for coder in coders])):
        if double := [name for name, number in Counter(rows).items() if number > 1]:
            raise PlanRefused(f"These {kind} are named twice: {', '.join(double)}.")
    _check_coders(coders)
    _check_numbers(len(texts), len(coders), parameters)


def _check_coders(coders: Sequence[PlanCoder]) -> None:
    for coder in coders:
        if not SMALLEST_WEIGHT <= coder.weight <= LARGEST_WEIGHT:
            raise PlanRefused(
                f"The weight of {coder.name} is {coder.weight:g}: weights lie between {SMALLEST_WEIGHT} and "
                f"{LARGEST_WEIGHT}. Leave out who takes no part."
            )
        if coder.maximum is not None and coder.maximum < 0:
            raise PlanRefused(f"The maximum of {coder.name} is {coder.maximum}: it cannot be negative.")


def _check_numbers(n_texts: int, n_coders: int, parameters: PlanParameters) -> None:
    design, k, blocks = parameters.design, parameters.k, parameters.blocks
    if abs(parameters.seed) > LARGEST_SEED:
        raise PlanRefused(f"The seed is {parameters.seed}: it has 18 digits at most.")
    if design != Design.ALL and k is not None and not 1 <= k <= n_coders:
        people = "one person codes" if n_coders == 1 else f"{n_coders} people code"
        way_out = "each text needs one coder at least" if k < 1 else f"{people} here. Add coders, or choose a smaller k"
        raise PlanRefused(f"k is {k}, but {way_out}.")
    if design == Design.SHARE and not 0 <= parameters.share <= 1:
        raise PlanRefused(f"The share is {parameters.share:g}: it lies between 0 and 1.")
    if not 0 <= parameters.calibration <= n_texts:
        raise PlanRefused(
            f"The calibration set has {parameters.calibration} texts, but there are {n_texts}. Choose fewer."
        )
    if design == Design.BLOCKS and blocks is not None and not 1 <= blocks <= n_texts:
        raise PlanRefused(f"{blocks} blocks cannot be made of {n_texts} texts: choose from 1 to {n_texts}.")
    if n_coders > MOST_CODERS or n_texts * (n_coders if design == Design.ALL or k is None else k) > MOST_PLACES:
        raise PlanRefused(
            f"This plan is too large: {n_texts} texts by {n_coders} coders. Plan the texts in several rounds: a plan "
            f"has up to {MOST_CODERS} coders and {MOST_PLACES:,} assignments."
        )
