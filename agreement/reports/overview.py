"""The first look at a project: how far it is, how reliable it is, and what to look at next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agreement.extract import Extract
from agreement.measures.intervals import Interval
from agreement.measures.results import counted_as
from agreement.parameters import Parameters
from agreement.reports.basis import sums_of
from agreement.reports.overall import Report, report
from agreement.wording import nouns_of

# Krippendorff's usual marks, 1980.
RELIABLE, TENTATIVE = 0.8, 0.667
CAUTION = "There is no set answer to what is enough: it depends on what the data are for."


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the codings of a project are."""

    n_texts: int
    n_assigned: int
    n_codings: int
    n_submitted: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The report, what it amounts to, and what is missing: where `missing` says anything there is no figure to show."""

    report: Report
    verdict: str
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def overview(extract: Extract, parameters: Parameters, progress: Progress) -> Overview:
    """Raises WrongParameter."""
    found = report(extract, parameters)
    return Overview(
        found,
        verdict(found.interval),
        tuple(_missing(extract, found, progress)),
        tuple(_notes(extract, found, progress)),
    )


def verdict(interval: Interval) -> str:
    """The coefficient and its interval against the usual marks, in words."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return ""
    said = BANDS[_band(value)]
    if low is None or high is None:
        return f"{said}. There is no interval, so nobody knows how far from it other texts would be."
    beyond = [f"below {MARKS[_band(value) - 1]}" for _ in range(_band(low) < _band(value))]
    beyond += [f"above {MARKS[_band(value)]}" for _ in range(_band(high) > _band(value))]
    return f"{said}; its interval reaches {' and '.join(beyond)}." if beyond else f"{said}, all of its interval, too."


BANDS = (
    "Below .667, the usual mark for tentative conclusions",
    "Good for tentative conclusions, between .667 and .8",
    "Reliable by the usual mark of .8",
)
MARKS = (".667", ".8")


def _band(value: float) -> int:
    return (value >= TENTATIVE) + (value >= RELIABLE)


def _missing(extract: Extract, found: Report, progress: Progress) -> list[str]:
    """What has to happen before there is a figure."""
    if found.result.value is not None:
        return []
    if not progress.n_texts:
        return ["There are no texts yet."]
    if not progress.n_codings:
        return ["No text is given to a coder yet."]
    if not extract.coders:
        return ["Nobody has answered anything yet."]
    if len(extract.coders) == 1:
        return [f"Only {extract.coders[0]} has answered anything: agreement needs two coders."]
    shared = [text for text in extract.texts if sum(bool(len(work.unit)) for work in text.answers.work) > 1]
    if not shared:
        return ["No text has answers of two coders: give the same text to two."]
    return [f"The coefficient is undefined: {found.result.note}."]


def _notes(extract: Extract, found: Report, progress: Progress) -> list[str]:
    """What to mind when reading the figure."""
    if found.result.value is None:
        return []
    notes, nouns, text = [], nouns_of(extract.units), "docset" if extract.units else "text"
    sums = sums_of(extract, found.parameters)["nominal"]
    single = [text for text in sums if not text.n_units]
    if single:
        have = "has" if len(single) == 1 else "have"
        notes.append(f"{counted_as(len(single), 'text')} of {len(sums)} {have} no answers of two coders.")
    if progress.n_submitted < progress.n_codings:
        open_ = progress.n_codings - progress.n_submitted
        notes.append(
            f"{counted_as(open_, 'coding')} of {progress.n_codings} {'is' if open_ == 1 else 'are'} not handed in."
        )
    if progress.n_assigned < progress.n_texts:
        rest = progress.n_texts - progress.n_assigned
        notes.append(f"{counted_as(rest, 'text')} {'is' if rest == 1 else 'are'} not given to anybody.")
    if found.interval.by == "unit":
        notes.append(f"One {text} is used: its interval is over {nouns.units}, and says nothing of other {text}s.")
    left_out: Mapping[str, int] = found.result.left_out
    for reason, count in left_out.items():
        notes.append(f"{counted_as(count, nouns.unit)} left out: {reason}.")
    return notes
