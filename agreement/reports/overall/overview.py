"""The first look at a project: how far it is, how reliable it is, and what to look at next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress

from agreement.data.activity import CodingProgress
from agreement.data.project_answers import ProjectAnswers
from agreement.measures.results import pluralize
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.overall.overall import DISTANCE_NAMES, AgreementReport, compare_distances, compute_report
from agreement.reports.request.basis import compute_sums, distances_of, pick_texts, remembered
from agreement.reports.request.parameters import Parameters
from agreement.reports.wording import name_components, nouns_for

# Krippendorff's usual marks, 1980.
RELIABLE, TENTATIVE = 0.8, 0.667
CAUTION = "How much agreement is enough depends on the use of the data."


@dataclass(frozen=True, slots=True)
class Overview:
    """The report, what it amounts to, and what is missing: where `missing` says anything there is no figure to show."""

    report: AgreementReport
    verdict: str
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def build_overview(extract: ProjectAnswers, parameters: Parameters, progress: CodingProgress) -> Overview:
    """Return the first look at a project. Raises InvalidParameter."""
    report = compute_report(extract, parameters)
    text = "docset" if report.extract.units else "text"
    if report.result.value is None:
        return Overview(report, "", (_find_missing(report, progress, text),), ())
    return Overview(report, describe_reliability(extract, report), (), tuple(_collect_notes(report, progress, text)))


def describe_reliability(extract: ProjectAnswers, report: AgreementReport) -> str:
    """Return the figure against the usual marks, and how far apart the distances are: no mark stands without them."""
    words = verdict(report.interval)
    if not words or not report.parameters.takes_distance or len(distances_of(extract)) == 1:
        return words
    by_value = sorted(
        (interval.value, DISTANCE_NAMES[cell.distance])
        for cell, interval in compare_distances(extract, report.parameters)
        if interval.value is not None
    )
    (low, of_low), (high, of_high) = by_value[0], by_value[-1]
    if f"{low:z.3f}" == f"{high:z.3f}":
        return f"{words} By every distance alpha is {low:z.3f}." if len(by_value) > 1 else words
    return f"{words} Over the distances alpha is from {low:z.3f} ({of_low}) to {high:z.3f} ({of_high})."


def verdict(interval: Interval) -> str:
    """Return the coefficient and its interval against the usual marks, in words."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return ""
    band = _band(value)
    if low is None or high is None:
        return f"{BANDS[band]}. There is no CI, so the precision is unknown."
    below = [f"below {MARKS[band - 1]}"] if _band(low) < band else []
    beyond = [*below, f"above {MARKS[band]}"] if _band(high) > band else below
    return (
        f"{BANDS[band]}; its CI reaches {' and '.join(beyond)}." if beyond else f"{BANDS[band]}; so is all of the CI."
    )


BANDS = (
    "Below .667, the threshold for tentative conclusions (Krippendorff)",
    "Between .667 and .8: tentative conclusions only (Krippendorff)",
    "At least .8: reliable by the usual threshold (Krippendorff)",
)
MARKS = (".667", ".8")


def _band(value: float) -> int:
    return (value >= TENTATIVE) + (value >= RELIABLE)


def _find_missing(report: AgreementReport, progress: CodingProgress, text: str) -> str:
    """Return what has to happen before there is a figure."""
    extract, undefined = report.extract, f"The coefficient is undefined: {report.result.note}."
    if not progress.n_texts:
        return f"No {text}s yet."
    if not progress.n_codings:
        if progress.n_assigned:
            return f"Only {text}s of training and recheck rounds are assigned, which agreement is not computed of."
        return f"No {text} is taken from the pool yet." if progress.n_in_pools else f"No {text}s are assigned yet."
    if not extract.known_coders and not progress.n_submitted:
        return "No answers yet."
    if report.parameters.coders:  # of the others it says nothing
        return undefined
    if not progress.n_submitted:
        if any(number for reason, number in report.codings_left_out.items() if reason != "open"):
            return f"No coding that counts is submitted yet. Not counted: {report.not_counted}."
        return "No coding is submitted yet. Only submitted codings count."
    if not extract.coders:
        return f"No submitted coding counts: {report.not_counted or 'none has an answer'}."
    if len(extract.coders) == 1:
        return f"Only {extract.coders[0]} has submitted a coding that counts: agreement needs two coders."
    if not (extract.has_answered.sum(axis=1) > 1).any():
        return f"No {text} has submitted answers of two coders, which agreement needs."
    return undefined


def _collect_notes(report: AgreementReport, progress: CodingProgress, text: str) -> list[str]:
    """Return what to mind when reading the figure."""
    notes, extract, parameters = list[str](), report.extract, report.parameters
    nouns, key = nouns_for(extract), ("texts of one coder", parameters)

    def count_texts_of_one_coder() -> tuple[int, int]:
        """Return how many texts have no unit with answers of two coders, and how many have answers at all."""
        documents = pick_texts(extract, parameters)
        n_units = compute_sums(extract, parameters, documents)["nominal"].n_units.tolist()
        answered = extract.has_answered[extract.find_places(documents)].any(axis=1)
        texts = {text.text_pk for text in compress(documents, answered.tolist())}
        return len(texts - {text.text_pk for text in compress(documents, n_units)}), len(texts)

    n_alone, n_texts = remembered(extract, key, count_texts_of_one_coder)
    if n_alone:
        of = f"{n_alone} of {pluralize(n_texts, text)} with codings that count"
        notes.append(f"{of} {'has' if n_alone == 1 else 'have'} no {nouns.unit} with answers of two coders.")
    if report.not_counted:
        notes.append(f"Not counted: {report.not_counted}.")
    if (n := progress.n_codings - progress.n_submitted) > 0:
        notes.append(f"{pluralize(n, 'coding')} of {progress.n_codings} {_be(n)} not submitted.")
    if rest := progress.n_texts - progress.n_assigned - progress.n_in_pools:
        notes.append(f"{pluralize(rest, text)} {_be(rest)} not assigned.")
    if waiting := progress.n_in_pools:
        notes.append(f"{pluralize(waiting, text)} of a pool {_be(waiting)} not taken yet.")
    if report.interval.by == "component" and report.interval.low is not None:
        only = f"Only one {text} is used: the CI is over {name_components(extract)}"
        notes.append(f"{only} and says nothing of other {text}s.")
    left_out: Mapping[str, int] = report.result.left_out
    return notes + [f"{pluralize(count, nouns.unit)} left out: {reason}." for reason, count in left_out.items()]


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
