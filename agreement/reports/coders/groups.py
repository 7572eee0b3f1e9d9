"""Groups of coders: how far each agrees within itself and with each other one, and whether they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from agreement.data.groups import Groups
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Interval, cross_alpha
from agreement.reports.coders.differences import DifferenceReport, compare_parts
from agreement.reports.coefficients import COEFFICIENTS, CONVENTIONS
from agreement.reports.request.basis import (
    cached,
    comparison_options,
    compute_interval,
    count_left_out,
    count_other_versions,
    effective_distance,
    interval_over_texts,
    other_versions_field,
    select_data,
)
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# Of more groups only those with most coders are compared with each other.
MOST_GROUPS = 8


@dataclass(frozen=True, slots=True)
class CoderGroup:
    """A group of coders who have judgements, and how far they agree with each other."""

    name: str
    coders: tuple[str, ...]
    interval: Interval


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups: how far each agrees with the other (None: a coefficient of labels alone), and how they differ.

    `difference` is that of what they agree within; None where a group has a single coder, or nobody asked.
    """

    first: str
    second: str
    between: Interval | None
    difference: DifferenceReport | None


@dataclass(frozen=True, slots=True)
class GroupsReport:
    """Agreement within and between groups of coders. `ungrouped` have judgements and are in no group.

    `n_left_out` groups are compared with no other one, because there are too many.
    """

    parameters: Parameters
    groups: tuple[CoderGroup, ...]
    pairs: tuple[GroupPair, ...]
    ungrouped: tuple[str, ...]
    n_left_out: int
    codings_left_out: Mapping[str, int]
    other_versions: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "parameters": self.parameters.query(),
            "groups": [
                {"name": one.name, "coders": list(one.coders), **_interval_fields(one.interval)} for one in self.groups
            ],
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "between": _interval_fields(pair.between) if pair.between else None,
                    "difference": pair.difference.as_dict() if pair.difference else None,
                }
                for pair in self.pairs
            ],
            "ungrouped": list(self.ungrouped),
            "codings_left_out": dict(self.codings_left_out),
            **other_versions_field(self.other_versions),
        }


def _interval_fields(one: Interval) -> dict[str, Any]:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n_units": one.result.n_units,
        "note": one.note or one.result.note,
    }


def compare_groups(
    extract: ProjectAnswers, parameters: Parameters, groups: Groups, *, differences: bool = True
) -> GroupsReport:
    """Return agreement within and between the groups of those coders who are chosen. Raises InvalidParameter.

    Within a group it is the coefficient of the parameters, of a project that holds these coders alone; between two it
    is `cross_alpha` with the same distance. differences: also how the two differ, with a permutation test.
    """
    selected, parameters = resolve(extract, parameters)
    known = {name: tuple(one for one in coders if one in selected.coders) for name, coders in groups.items()}
    known = {name: coders for name, coders in known.items() if coders}
    key = ("groups", parameters, tuple(known.items()), differences)
    return cached(selected, key, lambda: _compare_groups(extract, selected, parameters, known, differences=differences))


def _compare_groups(
    extract: ProjectAnswers, selected: ProjectAnswers, parameters: Parameters, groups: Groups, *, differences: bool
) -> GroupsReport:
    within = tuple(
        CoderGroup(name, coders, compute_interval(*resolve(extract, _of_coders(parameters, coders))))
        for name, coders in groups.items()
    )
    compared = sorted(within, key=lambda one: -len(one.coders))[:MOST_GROUPS]
    names = [one.name for one in within if one in compared]
    pairs = tuple(
        GroupPair(
            first,
            second,
            measure_between(extract, parameters, groups[first], groups[second]),
            _compare_within(extract, parameters, first, second, groups) if differences else None,
        )
        for first, second in combinations(names, 2)
    )
    grouped = {coder for coders in groups.values() for coder in coders}
    return GroupsReport(
        parameters,
        within,
        pairs,
        tuple(coder for coder in selected.coders if coder not in grouped),
        len(within) - len(names),
        count_left_out(selected, parameters),
        count_other_versions(selected, parameters),
    )


def _of_coders(parameters: Parameters, coders: Sequence[str]) -> Parameters:
    return replace(parameters, coders=",".join(coders))


def measure_between(
    extract: ProjectAnswers, parameters: Parameters, first: Sequence[str], second: Sequence[str]
) -> Interval | None:
    """Return agreement between two groups, of a project that holds these coders alone."""
    if COEFFICIENTS[parameters.coefficient].of_labels:
        return None
    own = replace(
        parameters,
        coefficient="alpha",
        distance=effective_distance(parameters),
        **{name: value for name, value in comparison_options(parameters).items() if name in CONVENTIONS},
    )
    selected, own = resolve(extract, _of_coders(own, [*first, *second]))
    measure = partial(cross_alpha, distance=own.distance, **comparison_options(own))
    groups = [[coder for coder in coders if coder in selected.coders] for coders in (first, second)]
    return interval_over_texts(select_data(selected, own), measure, *groups)


def _compare_within(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, groups: Groups
) -> DifferenceReport | None:
    if min(len(groups[first]), len(groups[second])) < 2:
        return None
    return compare_parts(extract, parameters, "group", first, second, groups=groups)
