"""Differences between parts of the data, agreement of groups of coders, and agreement of coders with themselves."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, groupby
from operator import attrgetter
from typing import Annotated, NamedTuple

import numpy as np
from rest_framework.serializers import ChoiceField

from agreement.data.coders import Groups
from agreement.data.documents import NEXT_DOCUMENT, Document, original_of
from agreement.data.project_answers import REASONS, ProjectAnswers
from agreement.measures import Comparison, ReliabilityData, Result, alpha, collapse, cross_alpha, difference
from agreement.measures import permutation_test as permute
from agreement.measures.data.components import merge_documents, name_pairable_documents
from agreement.measures.results import nonzero_counts, pluralize
from agreement.reports import basis
from agreement.reports.fields import Flat, GroupInterval, LeftOut, Low, OtherVersions, PageOnly, copy_fields
from agreement.reports.parameters import COEFFICIENTS, InvalidParameter, Parameters, check_choice
from agreement.reports.request import resolve

KINDS = ("round", "group", "category", "project")
PERMUTATIONS = 2_000
MAX_GROUPS = 8  # the largest groups, which are compared with each other
OTHERS = "all others"  # the contrast of a category


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceReport:
    """The difference of two figures: the first minus the second."""

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
    groups: Groups | None = None,
) -> DifferenceReport:
    """Return the difference of two parts of the data, or two projects; `by`: one of KINDS. Raises InvalidParameter.

    first and second: rounds, comma-separated coders or their `groups`, categories, or slugs of projects, whose answers
    `answers_of` returns. The figure of a category is nominal alpha of that category against all others.
    """
    _check_names(by, first, second)
    extract, parameters = resolve(extract, parameters)
    wholes = [(extract, parameters)]
    if by == "project" and answers_of:  # the selections of one project mean nothing in another
        everything = replace(parameters, coders="", texts="", rounds="", without="")
        wholes = [resolve(answers_of(name), everything) for name in (first, second)]
    a = _select_part(*wholes[0], by, "first", first, groups)
    b = _select_part(*wholes[-1], by, "second", second, groups)
    left_out = Counter[str]()
    for whole in wholes:
        left_out.update(basis.count_left_out(*whole))
    other_versions = [n for n in (basis.count_other_versions(*whole) for whole in wholes) if n is not None]
    coefficient = partial(alpha, distance="nominal") if by == "category" else basis.coefficient_function(parameters)
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
    extract: ProjectAnswers, parameters: Parameters, by: str, first: str, second: str, groups: Groups | None = None
) -> None:
    """Raise InvalidParameter unless both parts exist."""
    _check_names(by, first, second)
    extract, parameters = resolve(extract, parameters)
    _select_part(extract, parameters, by, "first", first, groups)
    _select_part(extract, parameters, by, "second", second, groups)


def _check_names(by: str, first: str, second: str) -> None:
    check_choice("by", by, KINDS)
    for part, name in (("first", first), ("second", second)):
        if not name.strip():
            raise InvalidParameter(part, "say which two are compared, first and second.")
    if first == second:
        raise InvalidParameter("second", "choose another one than the first.")


def _select_part(
    extract: ProjectAnswers, parameters: Parameters, by: str, part: str, name: str, groups: Groups | None
) -> ReliabilityData:
    """Return the data of a part. Raises InvalidParameter for the field `part` if the part does not exist."""
    if by == "round":
        if name not in extract.rounds:
            raise InvalidParameter(part, f"there is no round {name!r}.")
        extract, parameters = resolve(extract, replace(parameters, rounds=name))
    elif by == "group":
        coders = _name_coders(name, groups or {}, extract.coders)
        if unknown := [coder for coder in coders if coder not in extract.coders]:
            raise InvalidParameter(part, f"there is no {unknown[0]!r} in what is coded here.")
        extract, parameters = resolve(extract, replace(parameters, coders=",".join(coders)))
    texts = basis.pick_texts_to_draw(extract, parameters)
    if by == "category":
        data = basis.select_categories(extract, parameters, texts)
        with_it = basis.codes_with(data.labels, name)
        if not with_it:
            raise InvalidParameter(part, f"nobody used a category {name!r}.")
        return collapse(data, {label: name if place in with_it else OTHERS for place, label in enumerate(data.labels)})
    data = basis.select_data(extract, parameters, texts)
    if by == "project" and not len(data.units):
        raise InvalidParameter(part, f"there is nothing to compare in {name!r}.")
    return data


def _name_coders(names: str, groups: Groups, coders: Collection[str]) -> list[str]:
    """Return comma-separated names of coders, with groups replaced by their coders unless a coder has the same name."""
    expanded = list[str]()
    for name in map(str.strip, names.split(",")):
        members = [] if name in coders else [coder for coder in groups.get(name, ()) if coder in coders]
        expanded += members or [name]
    return list(dict.fromkeys(expanded))


def _permute(first: ReliabilityData, second: ReliabilityData, coefficient: Callable[..., Result]) -> Comparison | None:
    """Return the permutation test, which permutes whole texts; None if there are too few texts."""
    first, second = merge_documents(first, original_of), merge_documents(second, original_of)
    texts = [name_pairable_documents(data) for data in (first, second)]
    paired = set(texts[0]) == set(texts[1])
    if not all(texts) or (len(texts[0]) < 2 if paired else sum(map(len, texts)) < 3):
        return None
    return permute(first, second, coefficient, n=PERMUTATIONS)


@dataclass(frozen=True, slots=True)
class CoderGroup:
    """A group of coders with judgements, and their agreement with each other."""

    name: str
    coders: tuple[str, ...]
    interval: Flat[GroupInterval]


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups: the agreement between them, and their difference."""

    first: str
    second: str
    between: Annotated[
        GroupInterval | None, "each coder of the one against each of the other; null for coefficients of labels"
    ]
    difference: Annotated[DifferenceReport | None, "of what they agree within; null where a group has a single coder"]


@dataclass(frozen=True, slots=True)
class GroupsReport:
    """Agreement within and between groups of coders."""

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
    """Return agreement within groups of chosen coders, and between groups by `cross_alpha`. Raises InvalidParameter."""
    selected, parameters = resolve(extract, parameters)
    known = {name: tuple(coder for coder in coders if coder in selected.coders) for name, coders in groups.items()}
    groups = {name: coders for name, coders in known.items() if coders}
    within = []
    for name, coders in groups.items():
        own = resolve(extract, replace(parameters, coders=",".join(coders)))
        within.append(CoderGroup(name, coders, GroupInterval.of(basis.compute_interval(*own))))
    largest = sorted(groups, key=lambda name: -len(groups[name]))[:MAX_GROUPS]
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
        basis.count_left_out(selected, parameters),
        basis.count_other_versions(selected, parameters),
    )


def measure_between(
    extract: ProjectAnswers, parameters: Parameters, first: Sequence[str], second: Sequence[str]
) -> GroupInterval | None:
    """Return agreement between two groups, as if the project had no other coders; None for coefficients of labels."""
    if COEFFICIENTS[parameters.coefficient].of_labels:
        return None
    own = replace(
        parameters,
        coefficient="alpha",
        distance=basis.effective_distance(parameters),
        coders=",".join([*first, *second]),
    )
    selected, own = resolve(extract, own)
    measure = partial(cross_alpha, **basis.coefficient_options(own))
    groups = [[coder for coder in coders if coder in selected.coders] for coders in (first, second)]
    return GroupInterval.of(basis.interval_over_texts(basis.select_data(selected, own), measure, *groups))


UNMARKED, RECHECK = "unmarked", "recheck"  # how a text is coded again: shown within a round, or in a recheck
OCCASIONS = ("first", "second")  # they take the place of two coders in other figures
NOT_SUBMITTED = "not submitted on both occasions"
EMPTY = "without judgements on one occasion"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfAgreement:
    """The agreement of a coder, or of all coders, between two occasions."""

    coder: Annotated[str, "empty: all coders together, each with texts of their own"]
    shown_again: Annotated[int, "codings of texts that the coder was shown, or coded, again"]
    codings: Annotated[int, "how many of them count"]
    texts: Annotated[int, "of how many texts these are"]
    texts_left_out: Annotated[Mapping[str, int], "other codings, by reason"]
    n_units: int = 0
    units_left_out: Annotated[Mapping[str, int], "by reason"] = field(default_factory=dict)
    value: Annotated[float | None, "the first occasion against the second"] = None
    low: Annotated[float | None, "of its 95% interval over texts"] = None
    high: float | None = None
    between: Annotated[float | None, "of all coders in the same texts, on the first occasion"] = None
    note: Annotated[str, "What is left out, and why there is no figure."]
    coded_again: PageOnly[str]


class CodedAgain(NamedTuple):
    """The self-agreement of each coder, by name, and of all coders together, if several have a figure."""

    coders: tuple[SelfAgreement, ...] = ()
    # Each coder's text is a document with values and units of its own; chance is over all, the interval over texts.
    together: SelfAgreement | None = None


@dataclass(frozen=True, slots=True)
class RepeatsReport:
    """The agreement of coders with themselves. `parameters` are the parameters of all figures of the page.

    A recheck is compared with the latest earlier round that counts. Coders may see their earlier work.
    """

    parameters: Parameters
    coders: Annotated[tuple[SelfAgreement, ...], "in texts that they were shown again within a round"]
    all_coders: Annotated[SelfAgreement | None, "null where fewer than two have a figure"]
    rechecks: Annotated[tuple[SelfAgreement, ...], "in texts that they knowingly coded again in a recheck"]
    all_rechecks: Annotated[SelfAgreement | None, "null where fewer than two have a figure"]

    @property
    def parts(self) -> tuple[CodedAgain, CodedAgain]:
        """The self-agreement in texts shown again unmarked, and in texts coded again in rechecks."""
        return CodedAgain(self.coders, self.all_coders), CodedAgain(self.rechecks, self.all_rechecks)


class _Pair(NamedTuple):
    """A text that a coder coded on both occasions: the document of the first coding, and the positions of both."""

    coder: str
    document: Document
    first: int
    second: int


def compare_occasions(extract: ProjectAnswers, parameters: Parameters) -> RepeatsReport:
    """Return the coefficient between the two occasions of each coder, from all answers. Raises InvalidParameter.

    The occasions are compared like two coders who coded only these texts. A text counts if both codings are submitted,
    or open codings are included, and if it is no practice. Codings of adjudicators count if they are included.
    """
    selected, parameters = resolve(extract, parameters)

    def compare_all(pairs: list[_Pair], how: str) -> tuple[tuple[SelfAgreement, ...], SelfAgreement | None]:
        by_coder = groupby(sorted(pairs, key=attrgetter("coder")), attrgetter("coder"))
        coders = tuple(_compare(extract, selected, parameters, list(own), how, name) for name, own in by_coder)
        several = sum(coder.texts > 0 for coder in coders) > 1
        return coders, _compare(extract, selected, parameters, pairs, how) if several else None

    def compute() -> RepeatsReport:
        unmarked = compare_all(_pairs_within_rounds(extract, parameters), UNMARKED)
        return RepeatsReport(parameters, *unmarked, *compare_all(_pairs_with_rechecks(extract, parameters), RECHECK))

    return basis.remembered(extract, ("occasions", parameters), compute)


def _pairs_within_rounds(extract: ProjectAnswers, parameters: Parameters) -> list[_Pair]:
    practised = "practice" in parameters.selection("include")
    texts = [text for text in basis.pick_texts(extract, parameters) if text.reason != "practice" or practised]
    firsts = {(text.text_pk, text.round): text for text in texts if text.occasion == 1}
    pairs = []
    for text in texts:
        if text.occasion == len(OCCASIONS) and (first := firsts.get((text.text_pk, text.round))) is not None:
            pairs += _pairs_of(extract, first, text, parameters)
    return pairs


def _pairs_with_rechecks(extract: ProjectAnswers, parameters: Parameters) -> list[_Pair]:
    """Return the codings in rechecks, each paired with the latest earlier round that counts; either round is chosen."""
    rounds, chosen = parameters.selection("rounds"), basis.pick_texts(extract, replace(parameters, rounds=""))
    texts = [text for text in chosen if text.occasion == 1]
    earlier: dict[int, list[Document]] = {}
    for text in sorted(texts, key=lambda text: text.place, reverse=True):
        if not text.reason:
            earlier.setdefault(text.text_pk, []).append(text)
    pairs = []
    for text in texts:
        paired: set[str] = set()
        for first in earlier.get(text.text_pk, ()) if text.reason == "repeats" else ():
            if first.place < text.place:
                found = [pair for pair in _pairs_of(extract, first, text, parameters) if pair.coder not in paired]
                paired |= {pair.coder for pair in found}
                pairs += found if not rounds or rounds & {first.round, text.round} else []
    return pairs


def _pairs_of(answers: ProjectAnswers, document: Document, again: Document, parameters: Parameters) -> list[_Pair]:
    included, chosen = parameters.selection("include"), parameters.selection("coders")
    of_first = {coder: coding.place for _, coder, coding in answers.codings_in([document])}
    return [
        _Pair(coder, document, of_first[coder], second.place)
        for _, coder, second in answers.codings_in([again])
        if coder in of_first
        and (not chosen or coder in chosen)
        and (REASONS[second.coding["reason"]] != "adjudicators" or "adjudicators" in included)
    ]


def _compare(
    extract: ProjectAnswers,
    selected: ProjectAnswers,
    parameters: Parameters,
    pairs: Sequence[_Pair],
    how: str,
    coder: str = "",
) -> SelfAgreement:
    columns, includes_open = extract.columns, "open" in parameters.selection("include")
    left_out, counted = {NOT_SUBMITTED: 0, EMPTY: 0}, []
    for pair in sorted(pairs, key=lambda pair: (pair.document.text_pk, pair.document.place, pair.coder)):
        both = [pair.first, pair.second]
        if not includes_open and not columns.codings["submitted"][both].all():
            left_out[NOT_SUBMITTED] += 1
        elif not columns.is_answer[both].all():
            left_out[EMPTY] += 1
        else:
            counted.append(pair)
    left_out = nonzero_counts(left_out)
    notes, keys = [f"{number} {reason}" for reason, number in left_out.items()], {pair.document.pk for pair in counted}
    compared = SelfAgreement(
        coder=coder,
        shown_again=len(pairs),
        codings=len(counted),
        texts=len({pair.document.text_pk for pair in counted}),
        texts_left_out=left_out,
        coded_again=how,
        note="; ".join(notes),
    )
    if not counted:
        return compared
    others = [text for text in selected.texts if text.pk in keys]
    everywhere = replace(parameters, coders="", texts="", rounds="", include="")
    interval = basis.compute_interval(_as_two_coders(extract, counted), everywhere)
    result = interval.result
    notes += [f"{pluralize(number, 'unit')} {reason}" for reason, number in result.left_out.items() if number]
    return copy_fields(
        SelfAgreement,
        interval,
        compared,
        n_units=result.n_units,
        units_left_out=result.left_out,
        between=basis.compute_result(selected, parameters, others).value if others else None,
        note="; ".join(filter(None, [*notes, interval.note or result.note])),
    )


def _as_two_coders(answers: ProjectAnswers, pairs: Sequence[_Pair]) -> ProjectAnswers:
    """Return answers with the two occasions as coders, and each pair as a document with keys of its own."""
    documents = np.array([answers.places[pair.document.pk] for pair in pairs], dtype=np.int64)
    codings = np.array([place for pair in pairs for place in (pair.first, pair.second)], dtype=np.int64)
    columns = answers.columns.gather(documents, codings, np.full(len(pairs), len(OCCASIONS)))
    numbers, members = np.arange(1, len(pairs) + 1), columns.members.copy()
    members["key"] = members["key"] % NEXT_DOCUMENT + np.repeat(numbers, columns.n_members) * NEXT_DOCUMENT
    codings_of_two = columns.codings.copy()
    codings_of_two["coder"], codings_of_two["reason"] = np.tile([0, 1], len(pairs)), 0
    texts = tuple(
        replace(pair.document, pk=pair.document.text_pk + number * NEXT_DOCUMENT, reason="")
        for number, pair in enumerate(pairs, 1)
    )
    return replace(
        answers,
        texts=texts,
        columns=replace(columns, members=members, codings=codings_of_two),
        names=OCCASIONS,
        coders=OCCASIONS,
        known_coders=OCCASIONS,
        left_out=(),
        managers=(),
        state_name="",
        cache={},
    )
