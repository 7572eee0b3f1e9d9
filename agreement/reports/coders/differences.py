"""How two rounds, groups of coders, categories or projects differ; and all groups, within and with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.documents import original_of
from agreement.data.groups import Groups
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Comparison, ReliabilityData, Result, alpha, collapse, cross_alpha, difference
from agreement.measures import permutation_test as permute
from agreement.measures.data.components import merge_documents, name_pairable_documents
from agreement.reports.coefficients import COEFFICIENTS, CONVENTIONS
from agreement.reports.fields import Flat, GroupInterval, LeftOut, Low, OtherVersions, PageOnly, copy_fields
from agreement.reports.request.basis import (
    codes_with,
    coefficient_function,
    comparison_options,
    compute_interval,
    count_left_out,
    count_other_versions,
    effective_distance,
    interval_over_texts,
    pick_texts_to_draw,
    select_categories,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters, check_choice
from agreement.reports.request.resolution import resolve

KINDS = ("round", "group", "category", "project")
PERMUTATIONS = 2_000
# What a category is told apart from.
OTHERS = "all others"
NO_GROUPS: Groups = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceReport:
    """Two figures, the first less the second."""

    component: ClassVar = "Difference"

    by: Annotated[str, ChoiceField(KINDS)]
    parameters: Parameters
    names: Annotated[tuple[str, str], "The first and the second."]
    first: Annotated[float | None, "the coefficient of the first"]
    second: float | None
    difference: Annotated[float | None, "the first less the second"]
    low: Low
    high: float | None
    p_value: Annotated[float | None, "two-sided, of Student's t"]
    permutation_p_value: Annotated[float | None, "of 2,000 permutations of the texts"]
    paired: Annotated[bool, "whether both are of the same texts"]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions
    note: Annotated[str, "Why there is no interval."]
    n_units: PageOnly[tuple[int, int]]
    of_components: PageOnly[bool]
    is_permuted: PageOnly[bool]


def compare_parts(
    extract: ProjectAnswers,
    parameters: Parameters,
    by: str,
    first: str,
    second: str,
    answers_of: Callable[[str], ProjectAnswers] | None = None,
    groups: Groups = NO_GROUPS,
) -> DifferenceReport:
    """Return how two parts of the data, or two projects, differ. Raises InvalidParameter.

    by: one of KINDS. first and second: labels of rounds, names of coders or of their `groups` with commas between,
    categories, or addresses of projects, whose answers `answers_of` returns. All else is as the parameters say. The
    figure of a category is nominal alpha of that category against all others.
    """
    _check_names(by, first, second)
    extract, parameters = resolve(extract, parameters)
    wholes = [(extract, parameters)]
    if by == "project" and answers_of:  # what is chosen of one means nothing in another
        everything = replace(parameters, coders="", texts="", rounds="", without="")
        wholes = [resolve(answers_of(name), everything) for name in (first, second)]
    a = _select_part(*wholes[0], by, "first", first, groups)
    b = _select_part(*wholes[-1], by, "second", second, groups)
    left_out = Counter[str]()
    for whole in wholes:
        left_out.update(count_left_out(*whole))
    other_versions = [n for n in (count_other_versions(*whole) for whole in wholes) if n is not None]
    coefficient = partial(alpha, distance="nominal") if by == "category" else coefficient_function(parameters)
    found, permutation = difference(a, b, coefficient, original=original_of), _permute(a, b, coefficient)
    return copy_fields(
        DifferenceReport,
        found,
        by=by,
        parameters=parameters,
        names=(first, second),
        first=found.first.value,
        second=found.second.value,
        permutation_p_value=permutation.p_value if permutation else None,
        codings_left_out=dict(left_out),
        judgements_of_other_versions=sum(other_versions) if other_versions else None,
        n_units=(found.first.n_units, found.second.n_units),
        of_components=found.by == "component",
        is_permuted=permutation is not None,
    )


def check_parts(
    extract: ProjectAnswers, parameters: Parameters, by: str, first: str, second: str, groups: Groups = NO_GROUPS
) -> None:
    """Raise InvalidParameter unless the two parts are there."""
    _check_names(by, first, second)
    extract, parameters = resolve(extract, parameters)
    for field, name in (("first", first), ("second", second)):
        _select_part(extract, parameters, by, field, name, groups)


def _check_names(by: str, first: str, second: str) -> None:
    check_choice("by", by, KINDS)
    for field, name in (("first", first), ("second", second)):
        if not name.strip():
            raise InvalidParameter(field, "say which two are compared, first and second.")
    if first == second:
        raise InvalidParameter("second", "choose another one than the first.")


def _select_part(
    extract: ProjectAnswers, parameters: Parameters, by: str, field: str, name: str, groups: Groups
) -> ReliabilityData:
    """Return the data of a part. Raises InvalidParameter for the field where it is not there."""
    if by == "round":
        if name not in extract.rounds:
            raise InvalidParameter(field, f"there is no round {name!r}.")
        extract, parameters = resolve(extract, replace(parameters, rounds=name))
    elif by == "group":
        coders = _name_coders(name, groups, extract.coders)
        for coder in coders:
            if coder.strip() not in extract.coders:
                raise InvalidParameter(field, f"there is no {coder.strip()!r} in what is coded here.")
        extract, parameters = resolve(extract, replace(parameters, coders=",".join(coders)))
    texts = pick_texts_to_draw(extract, parameters)
    if by == "category":
        data = select_categories(extract, parameters, texts)
        with_it = codes_with(data.labels, name)
        if not with_it:
            raise InvalidParameter(field, f"nobody used a category {name!r}.")
        return collapse(data, {label: name if place in with_it else OTHERS for place, label in enumerate(data.labels)})
    data = select_data(extract, parameters, texts)
    if by == "project" and not len(data.units):
        raise InvalidParameter(field, f"there is nothing to compare in {name!r}.")
    return data


def _name_coders(names: str, groups: Groups, coders: Collection[str]) -> list[str]:
    """Return the names between commas, each group standing for its coders, unless a coder is called so."""
    expanded = []
    for name in names.split(","):
        members = [] if name.strip() in coders else [one for one in groups.get(name.strip(), ()) if one in coders]
        expanded += members or [name]
    return list(dict.fromkeys(expanded))


def _permute(first: ReliabilityData, second: ReliabilityData, coefficient: Callable[..., Result]) -> Comparison | None:
    """Return the permutation test; None where there are too few texts, of which each can only be dealt whole."""
    first, second = merge_documents(first, original_of), merge_documents(second, original_of)
    texts = [name_pairable_documents(data) for data in (first, second)]
    paired = set(texts[0]) == set(texts[1])
    if not all(texts) or (len(texts[0]) < 2 if paired else sum(map(len, texts)) < 3):
        return None
    return permute(first, second, coefficient, n=PERMUTATIONS)


# Of more groups only those with most coders are compared with each other.
MOST_GROUPS = 8


@dataclass(frozen=True, slots=True)
class CoderGroup:
    """A group of coders who have judgements, and how far they agree with each other."""

    name: str
    coders: tuple[str, ...]
    interval: Flat[GroupInterval]


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups: how far each agrees with the other, and how they differ."""

    first: str
    second: str
    between: Annotated[
        GroupInterval | None, "each coder of the one against each of the other; null for coefficients of labels"
    ]
    difference: Annotated[DifferenceReport | None, "of what they agree within; null where a group has a single coder"]


@dataclass(frozen=True, slots=True)
class GroupsReport:
    """Agreement within and between groups of coders."""

    component: ClassVar = "Groups"

    parameters: Parameters
    groups: Annotated[tuple[CoderGroup, ...], "what each agrees within"]
    pairs: tuple[GroupPair, ...]
    ungrouped: Annotated[tuple[str, ...], "coders who are in no group"]
    n_left_out: PageOnly[int]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions = None


def compare_groups(
    extract: ProjectAnswers, parameters: Parameters, groups: Groups, *, differences: bool = True
) -> GroupsReport:
    """Return agreement within and between the groups of those coders who are chosen. Raises InvalidParameter.

    Within a group it is the coefficient of the parameters, of a project that holds these coders alone; between two it
    is `cross_alpha` with the same distance. differences: also how the two differ, with a permutation test.
    """
    selected, parameters = resolve(extract, parameters)
    known = {name: tuple(one for one in coders if one in selected.coders) for name, coders in groups.items()}
    groups = {name: coders for name, coders in known.items() if coders}
    within = []
    for name, coders in groups.items():
        own = resolve(extract, replace(parameters, coders=",".join(coders)))
        within.append(CoderGroup(name, coders, GroupInterval.of(compute_interval(*own))))
    largest = sorted(groups, key=lambda name: -len(groups[name]))[:MOST_GROUPS]
    pairs = []
    for first, second in combinations([name for name in groups if name in largest], 2):
        between = measure_between(extract, parameters, groups[first], groups[second])
        several = differences and min(len(groups[first]), len(groups[second])) > 1
        apart = compare_parts(extract, parameters, "group", first, second, groups=groups) if several else None
        pairs.append(GroupPair(first, second, between, apart))
    return GroupsReport(
        parameters,
        tuple(within),
        tuple(pairs),
        tuple(coder for coder in selected.coders if not any(coder in coders for coders in groups.values())),
        len(groups) - len(largest),
        count_left_out(selected, parameters),
        count_other_versions(selected, parameters),
    )


def measure_between(
    extract: ProjectAnswers, parameters: Parameters, first: Sequence[str], second: Sequence[str]
) -> GroupInterval | None:
    """Return agreement between two groups, of a project that holds these coders alone."""
    if COEFFICIENTS[parameters.coefficient].of_labels:
        return None
    own = replace(
        parameters,
        coefficient="alpha",
        distance=effective_distance(parameters),
        coders=",".join([*first, *second]),
        **{name: value for name, value in comparison_options(parameters).items() if name in CONVENTIONS},
    )
    selected, own = resolve(extract, own)
    measure = partial(cross_alpha, distance=own.distance, **comparison_options(own))
    groups = [[coder for coder in coders if coder in selected.coders] for coders in (first, second)]
    return GroupInterval.of(interval_over_texts(select_data(selected, own), measure, *groups))
