"""How far each coder agrees with themself: the two occasions of texts shown again within a round, unmarked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.data.answers import CoderAnswers, Extract, TextEntry
from agreement.measures import Interval, Result
from agreement.reports.basis import cached, compute_interval, compute_result, pick_texts, resolve
from agreement.reports.parameters import Parameters

# The two occasions stand where two coders stand in other figures.
OCCASIONS = ("first", "second")
NOT_SUBMITTED = "not submitted on both occasions"
EMPTY = "without judgements on one occasion"


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """A coder's agreement between two occasions.

    shown_again: how many texts the coder was shown again. `texts` are those that count, of which `interval` is;
    `left_out` are the others, by reason. between: the coefficient of all coders in the same texts, on the first
    occasion; None where nobody else coded them.
    """

    coder: str
    shown_again: int
    texts: int
    left_out: Mapping[str, int]
    interval: Interval | None
    between: Result | None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        one, result = self.interval, self.interval.result if self.interval else None
        return {
            "coder": self.coder,
            "shown_again": self.shown_again,
            "texts": self.texts,
            "texts_left_out": dict(self.left_out),
            "n_units": result.n_units if result else 0,
            "units_left_out": dict(result.left_out) if result else {},
            "value": one.value if one else None,
            "low": one.low if one else None,
            "high": one.high if one else None,
            "between": self.between.value if self.between else None,
            "note": self.note,
        }

    @property
    def note(self) -> str:
        """What is left out, and why there is no figure or interval."""
        parts = [f"{number} {reason}" for reason, number in self.left_out.items()]
        if self.interval:
            result = self.interval.result
            parts += [f"{number} units {reason}" for reason, number in result.left_out.items() if number]
            parts += [self.interval.note or result.note]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class RepeatsReport:
    """The agreement of coders with themselves, by name. `parameters` are those of every other figure of the page."""

    parameters: Parameters
    coders: tuple[SelfAgreement, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {"parameters": self.parameters.query(), "coders": [one.as_dict() for one in self.coders]}


def compare_occasions(extract: Extract, parameters: Parameters) -> RepeatsReport:
    """Return the coefficient of the parameters between the two occasions of each coder. Raises InvalidParameter.

    extract: all answers of the project. The first occasion and the second are compared as two coders are, who coded
    these texts alone, with the interval over texts. A text counts where both occasions are submitted, or open codings
    are included, and it was not practice; what an adjudicator coded counts where gold is included.
    """
    selected, parameters = resolve(extract, parameters)
    return cached(extract, ("occasions", parameters), lambda: _compare_occasions(extract, selected, parameters))


def _compare_occasions(extract: Extract, selected: Extract, parameters: Parameters) -> RepeatsReport:
    chosen = parameters.selection("coders")
    pairs = [one for one in _pairs(extract, parameters) if not chosen or one.coder in chosen]
    names = sorted({one.coder for one in pairs})
    return RepeatsReport(
        parameters,
        tuple(_compare(extract, selected, parameters, [one for one in pairs if one.coder == name]) for name in names),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """What a coder answered in a text on both occasions; the document is that of the first."""

    coder: str
    document: TextEntry
    first: CoderAnswers
    second: CoderAnswers

    def reason_left_out(self, included: frozenset[str]) -> str:
        if "open" not in included and not (self.first.submitted and self.second.submitted):
            return NOT_SUBMITTED
        return "" if len(self.first.unit) and len(self.second.unit) else EMPTY

    def as_document(self) -> TextEntry:
        """Return the document as two coders would have coded it, the one on each occasion."""
        both = zip(OCCASIONS, (self.first, self.second), strict=True)
        answers = tuple(replace(one, coder=name, reason="") for name, one in both)
        return replace(
            self.document, reason="", answers=replace(self.document.answers, coder_answers=answers, cache={})
        )


def _pairs(extract: Extract, parameters: Parameters) -> list[_Pair]:
    included = parameters.selection("include")
    texts = [text for text in pick_texts(extract, parameters) if text.reason != "practice" or "practice" in included]
    firsts = {(text.text_pk, text.round): text for text in texts if text.occasion == 1}
    pairs = []
    for text in texts:
        document = firsts.get((text.text_pk, text.round))
        if text.occasion != len(OCCASIONS) or document is None:
            continue
        of_first = {one.coder: one for one in document.answers.coder_answers}
        pairs += [
            _Pair(second.coder, document, of_first[second.coder], second)
            for second in text.answers.coder_answers
            if second.coder in of_first and (second.reason != "gold" or "gold" in included)
        ]
    return pairs


def _compare(extract: Extract, selected: Extract, parameters: Parameters, pairs: Sequence[_Pair]) -> SelfAgreement:
    reasons = [one.reason_left_out(parameters.selection("include")) for one in pairs]
    counted = [one for one, reason in zip(pairs, reasons, strict=True) if not reason]
    left_out = {reason: reasons.count(reason) for reason in (NOT_SUBMITTED, EMPTY) if reason in reasons}
    whole = pairs[0].coder, len(pairs), len(counted), left_out
    if not counted:
        return SelfAgreement(*whole, None, None)
    documents = tuple(one.as_document() for one in counted)
    of_two = replace(
        extract, texts=documents, coders=OCCASIONS, known_coders=OCCASIONS, left_out=(), managers=(), cache={}
    )
    everywhere = replace(parameters, coders="", texts="", rounds="", include="")
    keys = {one.pk for one in documents}
    others = [text for text in selected.texts if text.pk in keys]
    between = compute_result(selected, parameters, others) if others else None
    return SelfAgreement(*whole, compute_interval(of_two, everywhere, documents), between)
