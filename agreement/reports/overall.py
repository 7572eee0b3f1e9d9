"""Agreement over all texts and in each text, by every distance, with the usual thresholds; and its overview."""

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, Self

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ORDERED_DISTANCES, Interval, jackknife, jackknife_sums
from agreement.measures.data.components import find_pairable_documents
from agreement.measures.results import Result, pluralize
from agreement.reports import basis, wording
from agreement.reports.coreference import LinkKappaOfPair, compute_link_kappas
from agreement.reports.fields import Flat, LeftOut, OtherVersions, WhereThere, copy_fields
from agreement.reports.parameters import SETTINGS, Parameters
from agreement.reports.request import resolve
from annotations.planning.work.progress import CodingProgress

# Krippendorff's usual thresholds, 1980.
RELIABLE, TENTATIVE = 0.8, 0.667
CAUTION = "How much agreement is enough depends on the use of the data."
BANDS = (
    "Below .667, the threshold for tentative conclusions (Krippendorff)",
    "Between .667 and .8: tentative conclusions only (Krippendorff)",
    "At least .8: reliable by the usual threshold (Krippendorff)",
)
LIMITS, MARKS = (TENTATIVE, RELIABLE), (".667", ".8")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The coefficient over random samples of the texts, drawn with replacement."""

    value: float | None
    low: Annotated[float | None, "of the 95% interval: percentiles"]
    high: float | None
    standard_error: float | None
    replicates: int
    undefined: Annotated[int, "replicates without a value, which are left out"]
    drawn_from: Annotated[int, "how many there are to draw"]
    by: Annotated[str, "what is drawn: document, or unit where there is one"]
    seed: int
    note: str


@dataclass(frozen=True, slots=True)
class TextReport:
    """The coefficient in one document, and the shift of the overall coefficient without this document."""

    text: Document
    result: Result
    shift: float | None


@dataclass(frozen=True)
class AgreementReport:
    """Agreement over all texts and, on demand, in each text."""

    parameters: Parameters
    coders: tuple[str, ...]
    interval: Interval
    extract: ProjectAnswers = field(repr=False, compare=False)

    @cached_property
    def fingerprint(self) -> str:
        return basis.remembered(self.extract, ("fingerprint",), lambda: self.extract.fingerprint)

    @cached_property
    def texts(self) -> tuple[TextReport, ...]:
        """The report of each text, in the order of their slugs."""
        return tuple(map(self.of_text, basis.pick_texts(self.extract, self.parameters)))

    def of_text(self, text: Document) -> TextReport:
        result = basis.compute_result(self.extract, self.parameters, [text])
        return TextReport(text, result, self._shifts.get(text.pk))

    @cached_property
    def _shifts(self) -> dict[Any, float]:
        """The coefficient without each text minus the overall coefficient, by text."""
        extract, parameters = self.extract, self.parameters
        if parameters.is_alpha and parameters.distance not in ORDERED_DISTANCES:
            without = jackknife_sums(basis.compute_sums(extract, parameters)[parameters.distance])
        else:
            data = basis.select_data(extract, parameters)
            if len(find_pairable_documents(data)) < 2:
                return {}
            without = jackknife(data, basis.coefficient_function(parameters))
        whole, values = without.value, zip(without.groups, without.values, strict=True)
        return {} if whole is None else {text: value - whole for text, value in values if value is not None}

    @property
    def result(self) -> Result:
        return self.interval.result

    @property
    def codings_left_out(self) -> dict[str, int]:
        """The number of codings of the chosen texts and coders that do not count, by reason."""
        return basis.count_left_out(self.extract, self.parameters)

    @property
    def not_counted(self) -> str:
        """The codings that do not count, in words; empty if all count."""
        return wording.list_left_out(self.codings_left_out)

    @property
    def judgements_of_other_versions(self) -> int | None:
        """The number of missing judgements, given under unchosen scheme versions; None if all versions count."""
        return basis.count_other_versions(self.extract, self.parameters)

    @property
    def versions(self) -> str:
        """The scheme versions that count, and the number of other judgements, in words; empty if all versions count."""
        return wording.describe_versions(self.extract.versions, self.judgements_of_other_versions)

    @property
    def name(self) -> str:
        coefficient = SETTINGS["coefficient"].names[self.parameters.coefficient]
        if not self.parameters.takes_distance:
            return coefficient
        name, _, form = SETTINGS["distance"].choices[self.parameters.distance].partition(", ")
        return ", ".join(filter(None, [coefficient, f"{name} distance", form]))

    @property
    def judgements_left_out(self) -> dict[str, int] | None:
        """The numbers of judgements not asked the question, and without an answer to it; None if there is none."""
        counts = basis.count_unanswered(self.extract, self.parameters)
        return dict(zip(("not_asked", "not_answered"), counts, strict=True)) if self.extract.question else None


@dataclass(frozen=True, slots=True)
class ResultFigures:
    """A coefficient, and the counts of its data."""

    value: float | None
    observed: float | None
    expected: float | None
    n_units: int
    n_coders: int
    n_values: int
    n_judgements: int
    note: str
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """The method of an interval."""

    method: Annotated[str, "jackknife-log: the jackknife, on the logarithm of the disagreement"]
    by: Annotated[str, "What was left out in turn: document (a text) or component (of one text)."]
    n_groups: Annotated[int, "How many of them there are."]
    level: float
    note: Annotated[str, "Why there is no interval."]


@dataclass(frozen=True, slots=True)
class TextFigures:
    """The coefficient in one text."""

    slug: str
    title: str
    round: str
    occasion: Annotated[WhereThere[int | None], "where coders saw the text again within the round"]
    result: Flat[ResultFigures]
    shift: Annotated[float | None, "how far that of all texts moves without this one"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFigures:
    """Agreement over all texts and in each text."""

    parameters: Parameters
    fingerprint: Annotated[str, "Equal for equal answers."]
    coders: tuple[str, ...]
    codings_left_out: LeftOut
    judgements_left_out: Annotated[
        WhereThere[Mapping[str, int] | None],
        "with a question: judgements not asked it (not_asked), or without an answer to it (not_answered)",
    ]
    judgements_of_other_versions: OtherVersions
    links: Annotated[WhereThere[Sequence[LinkKappaOfPair] | None], "with a relation: of each two coders"]
    result: Flat[ResultFigures]
    z: Annotated[float | None, "The value in standard errors of agreement by chance, where there is a formula."] = None
    p_value: Annotated[float | None, "Of a z as far from 0, if coders agreed by chance only."] = None
    z_note: Annotated[str, "Why a kappa has no z."] = ""
    low: Annotated[float | None, "of the 95% interval"]
    high: float | None
    interval: IntervalMethod
    texts: Sequence[TextFigures]
    bootstrap: Annotated[WhereThere[Bootstrap | None], "with interval=bootstrap"] = None

    @classmethod
    def of(cls, report: AgreementReport, bootstrap: Bootstrap | None = None) -> Self:
        """Return the figures of a report, including the figures of each text."""
        return copy_fields(
            cls,
            report,
            report.interval,
            report.result,
            links=compute_link_kappas(report.extract, report.parameters) if report.extract.kind == "targets" else None,
            result=copy_fields(ResultFigures, report.result),
            interval=copy_fields(IntervalMethod, report.interval),
            texts=[
                TextFigures(
                    *(row.text.slug, row.text.title, row.text.round),
                    row.text.occasion if row.text.occasion > 1 else None,
                    copy_fields(ResultFigures, row.result),
                    row.shift,
                )
                for row in report.texts
            ],
            bootstrap=bootstrap,
        )


def compute_report(extract: ProjectAnswers, parameters: Parameters) -> AgreementReport:
    """Return the coefficient over all texts and for each text. Raises InvalidParameter."""
    # not cached with the answers, which the report holds: the cycle would delay freeing their memory
    extract, parameters = resolve(extract, parameters)
    return AgreementReport(parameters, extract.coders, basis.compute_interval(extract, parameters), extract)


def compare_distances(extract: ProjectAnswers, parameters: Parameters) -> list[tuple[Parameters, Interval]]:
    """Return alpha with each distance, other parameters unchanged: one pass over the data. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    cells = [replace(parameters, coefficient="alpha", distance=name) for name in basis.distances_of(extract)]
    return [(cell, basis.compute_interval(extract, cell)) for cell in cells]


def explain_distances(alphas: Mapping[str, float | None], chains: str = "chains") -> list[str]:
    """Return sentences that explain the differences between distances; `chains` is the noun for values."""
    nominal, jaccard, dice, masi = [alphas.get(name) for name in ("nominal", "jaccard", "dice", "masi")]
    if nominal is None or jaccard is None or dice is None or masi is None:
        return []
    return [
        f"Jaccard − nominal = {jaccard - nominal:+z.3f}: the effect of {chains} that overlap in part.",
        f"Dice − Jaccard = {dice - jaccard:+z.3f}: the effect of size. Dice counts shared members twice.",
        f"Jaccard − MASI = {jaccard - masi:+z.3f}: the effect of monotonicity. MASI weights overlap by 2/3 where one"
        " set contains the other, and by 1/3 where each has members of its own.",
    ]


@dataclass(frozen=True, slots=True)
class Overview:
    """A report with its verdict and notes; if `missing` has a reason, there is no figure to show."""

    report: AgreementReport
    verdict: str
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def build_overview(extract: ProjectAnswers, parameters: Parameters, progress: CodingProgress) -> Overview:
    """Return the overview of a project's agreement. Raises InvalidParameter."""
    report = compute_report(extract, parameters)
    text = "docset" if report.extract.units else "text"
    if report.result.value is None:
        return Overview(report, "", (_find_missing(report, progress, text),), ())
    return Overview(report, describe_reliability(report), (), tuple(_collect_notes(report, progress, text)))


def describe_reliability(report: AgreementReport) -> str:
    """Return the verdict on the figure, with the range of alpha over the distances if there are several."""
    words = verdict(report.interval)
    if not words or not report.parameters.takes_distance or len(basis.distances_of(report.extract)) == 1:
        return words
    intervals, names = compare_distances(report.extract, report.parameters), SETTINGS["distance"].choices
    by_value = [(interval.value, names[cell.distance]) for cell, interval in intervals if interval.value is not None]
    (low, of_low), (high, of_high) = min(by_value), max(by_value)
    if f"{low:z.3f}" == f"{high:z.3f}":
        return f"{words} By every distance alpha is {low:z.3f}." if len(by_value) > 1 else words
    return f"{words} Over the distances alpha is from {low:z.3f} ({of_low}) to {high:z.3f} ({of_high})."


def verdict(interval: Interval) -> str:
    """Return a sentence that compares the coefficient and its interval with the usual thresholds."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return ""
    band = bisect(LIMITS, value)
    if low is None or high is None:
        return f"{BANDS[band]}. There is no CI, so the precision is unknown."
    below = [f"below {MARKS[band - 1]}"] if bisect(LIMITS, low) < band else []
    beyond = [*below, f"above {MARKS[band]}"] if bisect(LIMITS, high) > band else below
    reach = f"its CI reaches {' and '.join(beyond)}" if beyond else "so is all of the CI"
    return f"{BANDS[band]}; {reach}."


def _find_missing(report: AgreementReport, progress: CodingProgress, text: str) -> str:
    extract, undefined = report.extract, f"The coefficient is undefined: {report.result.note}."
    if not progress.n_texts:
        return f"No {text}s yet."
    if not progress.n_codings:
        if progress.n_assigned:
            return f"Only {text}s of training and recheck rounds are assigned, which agreement is not computed of."
        return f"No {text} is taken from the pool yet." if progress.n_in_pools else f"No {text}s are assigned yet."
    if not extract.known_coders and not progress.n_submitted:
        return "No answers yet."
    if report.parameters.coders:  # the report does not cover other coders
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
    notes, extract, parameters = list[str](), report.extract, report.parameters
    nouns, key = wording.nouns_for(extract), ("texts of one coder", parameters)

    def count_texts_of_one_coder() -> tuple[int, int]:
        """Return the number of answered texts without a unit of two coders, and of all answered texts."""
        documents = basis.pick_texts(extract, parameters)
        n_units = basis.compute_sums(extract, parameters, documents)["nominal"].n_units.tolist()
        answered = extract.has_answered[extract.find_places(documents)].any(axis=1)
        texts = {text.text_pk for text in compress(documents, answered.tolist())}
        return len(texts - {text.text_pk for text in compress(documents, n_units)}), len(texts)

    n_alone, n_texts = basis.remembered(extract, key, count_texts_of_one_coder)
    if n_alone:
        of = f"{n_alone} of {pluralize(n_texts, text)} with codings that count"
        notes.append(f"{of} {'has' if n_alone == 1 else 'have'} no {nouns.unit} with answers of two coders.")
    if report.not_counted:
        notes.append(f"Not counted: {report.not_counted}.")
    if (n := progress.n_codings - progress.n_submitted) > 0:
        notes.append(f"{pluralize(n, 'coding')} of {progress.n_codings} {wording.be(n)} not submitted.")
    if rest := progress.n_texts - progress.n_assigned - progress.n_in_pools:
        notes.append(f"{pluralize(rest, text)} {wording.be(rest)} not assigned.")
    if waiting := progress.n_in_pools:
        notes.append(f"{pluralize(waiting, text)} of a pool {wording.be(waiting)} not taken yet.")
    if report.interval.by == "component" and report.interval.low is not None:
        only = f"Only one {text} is used: the CI is over {wording.name_components(extract)}"
        notes.append(f"{only} and says nothing of other {text}s.")
    left_out: Mapping[str, int] = report.result.left_out
    return notes + [f"{pluralize(count, nouns.unit)} left out: {reason}." for reason, count in left_out.items()]
