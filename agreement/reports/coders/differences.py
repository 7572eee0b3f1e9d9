"""How two rounds, groups of coders, categories or projects differ: two figures, and their difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from agreement.data.documents import original_of
from agreement.data.groups import Groups
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Comparison, Difference, ReliabilityData, Result, alpha, collapse, difference
from agreement.measures import permutation_test as permute
from agreement.measures.data.components import merge_documents, name_pairable_documents
from agreement.reports.request.basis import (
    cached,
    codes_with,
    coefficient_function,
    count_left_out,
    count_other_versions,
    other_versions_field,
    pick_texts_to_draw,
    select_categories,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve

KINDS = ("round", "group", "category", "project")
PERMUTATIONS = 2_000
# What a category is told apart from.
OTHERS = "all others"
NO_GROUPS: Groups = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DifferenceReport:
    """Two figures, the first less the second, with interval and p; `permutation` is None where texts are too few."""

    by: str
    first: str
    second: str
    parameters: Parameters
    difference: Difference
    permutation: Comparison | None
    codings_left_out: Mapping[str, int]
    other_versions: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        found, permutation = self.difference, self.permutation
        return {
            "by": self.by,
            "parameters": self.parameters.query(),
            "names": [self.first, self.second],
            "first": found.first.value,
            "second": found.second.value,
            "difference": found.difference,
            "low": found.low,
            "high": found.high,
            "p_value": found.p_value,
            "permutation_p_value": permutation.p_value if permutation else None,
            "paired": found.paired,
            "codings_left_out": dict(self.codings_left_out),
            **other_versions_field(self.other_versions),
            "note": found.note,
        }


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
    if by == "project":
        return _compare(extract, parameters, by, first, second, answers_of, groups)
    members = tuple(name_coders(name, groups, extract.coders) for name in (first, second)) if by == "group" else ()
    key = ("difference", parameters, by, first, second, members)
    return cached(extract, key, lambda: _compare(extract, parameters, by, first, second, answers_of, groups))


def check_parts(
    extract: ProjectAnswers, parameters: Parameters, by: str, first: str, second: str, groups: Groups = NO_GROUPS
) -> None:
    """Raise InvalidParameter unless the two parts are there."""
    _check_names(by, first, second)
    extract, parameters = resolve(extract, parameters)
    for field, name in (("first", first), ("second", second)):
        _SELECTIONS[by](extract, parameters, field, _expand(by, name, groups, extract))


def name_coders(names: str, groups: Groups, coders: Collection[str]) -> str:
    """Return names with commas between in which each group stands for its coders who answered anything.

    A coder who is called as a group is the coder.
    """
    expanded = []
    for name in names.split(","):
        members = [] if name.strip() in coders else [one for one in groups.get(name.strip(), ()) if one in coders]
        expanded += members or [name]
    return ",".join(dict.fromkeys(expanded))


def _expand(by: str, name: str, groups: Groups, extract: ProjectAnswers) -> str:
    return name_coders(name, groups, extract.coders) if by == "group" else name


def _check_names(by: str, first: str, second: str) -> None:
    if by not in KINDS:
        raise InvalidParameter("by", f"{by!r} is not one of {', '.join(KINDS)}.")
    for field, name in (("first", first), ("second", second)):
        if not name.strip():
            raise InvalidParameter(field, "say which two are compared, first and second.")
    if first == second:
        raise InvalidParameter("second", "choose another one than the first.")


def _compare(
    extract: ProjectAnswers,
    parameters: Parameters,
    by: str,
    first: str,
    second: str,
    answers_of: Callable[[str], ProjectAnswers] | None,
    groups: Groups,
) -> DifferenceReport:
    select = _SELECTIONS[by]
    if by == "project" and answers_of:
        extracts = [_select_answers(answers_of(name), parameters) for name in (first, second)]
    else:
        extracts = [(extract, parameters)] * 2
    a, b = (
        select(*of_part, field, _expand(by, name, groups, of_part[0]))
        for of_part, field, name in zip(extracts, ("first", "second"), (first, second), strict=True)
    )
    left_out = Counter[str]()
    other_versions = None
    for one, chosen in extracts if by == "project" else extracts[:1]:
        left_out.update(count_left_out(one, chosen))
        n = count_other_versions(one, chosen)
        other_versions = n if other_versions is None else other_versions + (n or 0)
    coefficient = partial(alpha, distance="nominal") if by == "category" else coefficient_function(parameters)
    return DifferenceReport(
        by,
        first,
        second,
        parameters,
        difference(a, b, coefficient, original=original_of),
        _permute(a, b, coefficient),
        dict(left_out),
        other_versions,
    )


def _permute(first: ReliabilityData, second: ReliabilityData, coefficient: Callable[..., Result]) -> Comparison | None:
    """Return the permutation test; None where there are too few texts, of which each can only be dealt whole."""
    first, second = merge_documents(first, original_of), merge_documents(second, original_of)
    texts = [name_pairable_documents(data) for data in (first, second)]
    paired = set(texts[0]) == set(texts[1])
    if not all(texts) or (len(texts[0]) < 2 if paired else sum(map(len, texts)) < 3):
        return None
    return permute(first, second, coefficient, n=PERMUTATIONS)


def _select_round(extract: ProjectAnswers, parameters: Parameters, field: str, name: str) -> ReliabilityData:
    if name not in extract.rounds:
        raise InvalidParameter(field, f"there is no round {name!r}.")
    return _select_in_drawn_order(*resolve(extract, replace(parameters, rounds=name)))


def _select_group(extract: ProjectAnswers, parameters: Parameters, field: str, names: str) -> ReliabilityData:
    for name in names.split(","):
        if name.strip() not in extract.coders:
            raise InvalidParameter(field, f"there is no {name.strip()!r} in what is coded here.")
    return _select_in_drawn_order(*resolve(extract, replace(parameters, coders=names)))


def _select_in_drawn_order(extract: ProjectAnswers, parameters: Parameters) -> ReliabilityData:
    return select_data(extract, parameters, pick_texts_to_draw(extract, parameters))


def _select_category(extract: ProjectAnswers, parameters: Parameters, field: str, name: str) -> ReliabilityData:
    data = select_categories(extract, parameters, pick_texts_to_draw(extract, parameters))
    with_it = codes_with(data.labels, name)
    if not with_it:
        raise InvalidParameter(field, f"nobody used a category {name!r}.")
    return collapse(data, {label: name if place in with_it else OTHERS for place, label in enumerate(data.labels)})


def _select_answers(extract: ProjectAnswers, parameters: Parameters) -> tuple[ProjectAnswers, Parameters]:
    """Return the answers of a whole project: what is chosen of one means nothing in another."""
    return resolve(extract, replace(parameters, coders="", texts="", rounds="", without=""))


def _select_project(extract: ProjectAnswers, parameters: Parameters, field: str, name: str) -> ReliabilityData:
    data = _select_in_drawn_order(extract, parameters)
    if not len(data.units):
        raise InvalidParameter(field, f"there is nothing to compare in {name!r}.")
    return data


_SELECTIONS: Mapping[str, Callable[[ProjectAnswers, Parameters, str, str], ReliabilityData]] = {
    "round": _select_round,
    "group": _select_group,
    "category": _select_category,
    "project": _select_project,
}
