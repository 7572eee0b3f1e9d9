"""How far coders agree with themselves: in texts shown again within a round, unmarked, and in rechecks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.project_answers import REASONS, ProjectAnswers
from agreement.measures.results import nonzero_counts, pluralize
from agreement.reports.fields import PageOnly
from agreement.reports.request.basis import compute_interval, compute_result, pick_texts, remembered
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# How a text is coded again: shown within a round, or in a recheck.
UNMARKED, RECHECK = "unmarked", "recheck"
# The two occasions stand where two coders stand in other figures.
OCCASIONS = ("first", "second")
NOT_SUBMITTED = "not submitted on both occasions"
EMPTY = "without judgements on one occasion"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfAgreement:
    """A coder's agreement between two occasions, or that of all coders."""

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


@dataclass(frozen=True, slots=True)
class CodedAgain:
    """The agreement of coders with themselves, by name, and of all pairs of occasions at once; None of fewer than two.

    Together each coder's text is a document of its own, with values and units that are nobody else's; chance is of all.
    The interval leaves out text by text.
    """

    coders: tuple[SelfAgreement, ...] = ()
    together: SelfAgreement | None = None


@dataclass(frozen=True, slots=True)
class RepeatsReport:
    """The agreement of coders with themselves. `parameters` are those of every other figure of the page.

    A recheck is compared with a latest round before it that counts: coders may see what they coded before.
    """

    component: ClassVar = "Repeats"

    parameters: Parameters
    coders: Annotated[tuple[SelfAgreement, ...], "in texts that they were shown again within a round"]
    all_coders: Annotated[SelfAgreement | None, "null where fewer than two have a figure"]
    rechecks: Annotated[tuple[SelfAgreement, ...], "in texts that they knowingly coded again in a recheck"]
    all_rechecks: Annotated[SelfAgreement | None, "null where fewer than two have a figure"]

    @property
    def parts(self) -> tuple[CodedAgain, CodedAgain]:
        """What coders were shown again, unmarked, and what they coded again in rechecks."""
        return CodedAgain(self.coders, self.all_coders), CodedAgain(self.rechecks, self.all_rechecks)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A text that a coder coded on both occasions: the places of the codings, and the document of the first."""

    coder: str
    document: Document
    first: int
    second: int


def compare_occasions(extract: ProjectAnswers, parameters: Parameters) -> RepeatsReport:
    """Return the coefficient of the parameters between the two occasions of each coder. Raises InvalidParameter.

    extract: all answers of the project. The first occasion and the second are compared as two coders are, who coded
    these texts alone, with the interval over texts. A text counts where both occasions are submitted, or open codings
    are included, and it was not practice; what an adjudicator coded counts where that is included.
    """
    selected, parameters = resolve(extract, parameters)

    def compare_all(pairs: list[_Pair], how: str) -> tuple[tuple[SelfAgreement, ...], SelfAgreement | None]:
        by_coder: dict[str, list[_Pair]] = {name: [] for name in sorted({pair.coder for pair in pairs})}
        for pair in pairs:
            by_coder[pair.coder].append(pair)
        coders = tuple(_compare(extract, selected, parameters, own, how, name) for name, own in by_coder.items())
        several = sum(one.texts > 0 for one in coders) > 1
        return coders, _compare(extract, selected, parameters, pairs, how) if several else None

    def compute() -> RepeatsReport:
        unmarked = compare_all(_pairs_within_rounds(extract, parameters), UNMARKED)
        rechecks = compare_all(_pairs_with_rechecks(extract, parameters), RECHECK)
        return RepeatsReport(parameters, *unmarked, *rechecks)

    return remembered(extract, ("occasions", parameters), compute)


def _pairs_within_rounds(extract: ProjectAnswers, parameters: Parameters) -> list[_Pair]:
    practised = "practice" in parameters.selection("include")
    texts = [text for text in pick_texts(extract, parameters) if text.reason != "practice" or practised]
    firsts = {(text.text_pk, text.round): text for text in texts if text.occasion == 1}
    pairs = []
    for text in texts:
        if text.occasion == len(OCCASIONS) and (first := firsts.get((text.text_pk, text.round))) is not None:
            pairs += _pairs_of(extract, first, text, parameters)
    return pairs


def _pairs_with_rechecks(extract: ProjectAnswers, parameters: Parameters) -> list[_Pair]:
    """Return what coders coded in rechecks, each with the latest round before it that counts; one of them is chosen."""
    rounds, chosen = parameters.selection("rounds"), pick_texts(extract, replace(parameters, rounds=""))
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
    of_first = {coder: one.place for _, coder, one in answers.codings_in([document])}
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
    notes = [f"{number} {reason}" for reason, number in left_out.items()]
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
    keys = {pair.document.pk for pair in counted}
    others = [text for text in selected.texts if text.pk in keys]
    everywhere = replace(parameters, coders="", texts="", rounds="", include="")
    interval = compute_interval(_as_two_coders(extract, counted), everywhere)
    result = interval.result
    notes += [f"{pluralize(number, 'unit')} {reason}" for reason, number in result.left_out.items() if number]
    return replace(
        compared,
        n_units=result.n_units,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        units_left_out=result.left_out,
        between=compute_result(selected, parameters, others).value if others else None,
        note="; ".join(filter(None, [*notes, interval.note or result.note])),
    )


def _as_two_coders(answers: ProjectAnswers, pairs: Sequence[_Pair]) -> ProjectAnswers:
    """Return the documents as two coders would have coded them, each pair as a document with keys of its own."""
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
