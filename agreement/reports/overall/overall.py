"""Agreement over all texts and in each, under one convention and under all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar

from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question
from agreement.measures import Interval, bootstrap, bootstrap_sums, jackknife, jackknife_sums
from agreement.measures.data.components import find_pairable_documents, merge_documents
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.results import Result
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.fields import Flat, LeftOut, OtherVersions, WhereThere, copy_fields
from agreement.reports.links.coreference import LinkKappaOfPair, compute_link_kappas
from agreement.reports.request.basis import (
    cached,
    coefficient_function,
    compute_interval,
    compute_result,
    compute_sums,
    count_left_out,
    count_other_versions,
    count_texts,
    distances_of,
    pick_texts,
    pick_texts_to_draw,
    remembered,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve
from agreement.reports.wording import describe_versions, list_codings_left_out
from annotations.core.processes.progress import Progress

# The option of page and API, and what it can be.
OPTION, BOOTSTRAP = "interval", "bootstrap"
REPLICATES, SEED = 2000, 0


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


def asks_for_bootstrap(value: str) -> bool:
    """Return whether the bootstrap is asked for. Raises InvalidParameter for what is no interval."""
    if value not in ("", BOOTSTRAP):
        raise InvalidParameter(OPTION, f"{value!r} is not {BOOTSTRAP}; without it intervals are by the jackknife.")
    return value == BOOTSTRAP


def compute_bootstrap(extract: ProjectAnswers, parameters: Parameters, progress: Progress | None = None) -> Bootstrap:
    """Return the percentiles of replicates of the texts; where one is used, of its units."""
    try:
        drawn = _draw(extract, parameters, progress)
    except ValueError as error:  # the values of one text cannot be drawn for each coefficient
        return Bootstrap(None, None, None, None, 0, 0, 0, "", SEED, str(error))
    counts = drawn.n, drawn.n_undefined, drawn.n_groups, drawn.by, drawn.seed
    return Bootstrap(drawn.value, drawn.low, drawn.high, drawn.standard_error, *counts, drawn.note)


def _draw(extract: ProjectAnswers, parameters: Parameters, progress: Progress | None) -> Interval:
    extract, parameters = resolve(extract, parameters)
    texts = pick_texts_to_draw(extract, parameters)
    if parameters.is_alpha:
        sums = compute_sums(extract, parameters, texts)[parameters.distance]
        if int((sums.n_units > 0).sum()) == count_texts(sums) != 1:
            return bootstrap_sums(sums, n=REPLICATES, seed=SEED, report=progress)
    data = merge_documents(select_data(extract, parameters, texts), original_of)
    return bootstrap(data, coefficient_function(parameters), n=REPLICATES, seed=SEED, report=progress)


# The conditions of Poesio & Artstein 2005, Table 4, and their like for the other kinds of scheme.
CONSTRUCTIONS: dict[str, tuple[tuple[str, dict[str, str]], ...]] = {
    "pointers": tuple(
        (label, {"chains": chains, "top": top, "exclude_unit": exclude_unit})
        for label, chains, top, exclude_unit in (
            ("no chain", "none", "category", "none"),
            ("partial chain", "partial", "category", "none"),
            ("inclusive, -top", "full", "category", "none"),
            ("exclusive, -top", "full", "category", "observed"),
            ("inclusive, +top", "full", "chain", "none"),
            ("exclusive, +top", "full", "chain", "observed"),
        )
    ),
    "indices": (
        ("inclusive", {"chains": "full", "exclude_unit": "none"}),
        ("exclusive in observed", {"chains": "full", "exclude_unit": "observed"}),
        ("exclusive in both", {"chains": "full", "exclude_unit": "both"}),
    ),
    "categories": (("categories", {}),),
    "labels": (("sets of labels", {}),),
    "numbers": (("numbers", {}),),
    "targets": (("targets", {}),),
}
DISTANCE_NAMES = {
    "nominal": "nominal",
    "passonneau": "Passonneau",
    "jaccard": "Jaccard",
    "dice": "Dice",
    "masi": "MASI",
    "masi-product": "MASI, product form",
    "ordinal": "ordinal",
    "interval": "interval",
    "ratio": "ratio",
}


@dataclass(frozen=True, slots=True)
class TextReport:
    """The coefficient in one document, and how far that of all texts moves when this one is left out."""

    text: Document
    result: Result
    shift: float | None


@dataclass(frozen=True)
class AgreementReport:
    """Agreement over all texts and, when that is asked for, in each."""

    parameters: Parameters
    fingerprint: str
    coders: tuple[str, ...]
    interval: Interval
    extract: ProjectAnswers = field(repr=False, compare=False)

    @cached_property
    def texts(self) -> tuple[TextReport, ...]:
        """Each text, in the order of their addresses."""
        return tuple(map(self.of_text, pick_texts(self.extract, self.parameters)))

    def of_text(self, text: Document) -> TextReport:
        """Return one of the texts."""
        result = compute_result(self.extract, self.parameters, [text])
        return TextReport(text, result, self._shifts.get(text.pk))

    @cached_property
    def _shifts(self) -> dict[Any, float]:
        """By text the coefficient without it less that of all texts."""
        extract, parameters = self.extract, self.parameters
        if parameters.is_alpha and parameters.distance not in ORDERED_DISTANCES:
            without = jackknife_sums(compute_sums(extract, parameters)[parameters.distance])
        else:
            data = select_data(extract, parameters)
            if len(find_pairable_documents(data)) < 2:
                return {}
            without = jackknife(data, coefficient_function(parameters))
        whole, values = without.value, zip(without.groups, without.values, strict=True)
        return {} if whole is None else {text: value - whole for text, value in values if value is not None}

    @property
    def result(self) -> Result:
        return self.interval.result

    @property
    def codings_left_out(self) -> dict[str, int]:
        """How many codings of the chosen texts by the chosen coders do not count, by reason."""
        return count_left_out(self.extract, self.parameters)

    @property
    def not_counted(self) -> str:
        """The codings that do not count, in words; empty where all do."""
        return list_codings_left_out(self.codings_left_out)

    @property
    def n_of_other_versions(self) -> int | None:
        """How many judgements are missing as of versions of the scheme that were not chosen; None where all count."""
        return count_other_versions(self.extract, self.parameters)

    @property
    def versions(self) -> str:
        """Of which versions of the scheme judgements count, and how many do not; empty where all do."""
        return describe_versions(self.extract.versions, self.n_of_other_versions)

    @property
    def name(self) -> str:
        """What the figure is, for people."""
        coefficient = COEFFICIENTS[self.parameters.coefficient].name
        if not self.parameters.takes_distance:
            return coefficient
        name, _, form = DISTANCE_NAMES[self.parameters.distance].partition(", ")
        return ", ".join(filter(None, [coefficient, f"{name} distance", form]))

    @property
    def question(self) -> Question | None:
        """The question whose answers are compared, where it is not the category."""
        return self.extract.question

    @property
    def links(self) -> list[LinkKappaOfPair]:
        """The kappa of links of each two coders, where the answers are to a relation."""
        return compute_link_kappas(self.extract, self.parameters)

    @property
    def unanswered(self) -> dict[str, int]:
        """Of how many judgements the question was not asked, and how many have no answer to it."""
        not_asked, not_answered = count_unanswered(self.extract, self.parameters)
        return {"not_asked": not_asked, "not_answered": not_answered} if self.question else {}


@dataclass(frozen=True, slots=True)
class ResultFigures:
    """A coefficient, and what it is computed from."""

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
    """How an interval was made."""

    component: ClassVar = "Interval"

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
    """Agreement over all texts and in each."""

    component: ClassVar = "Report"

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
    def of(cls, report: AgreementReport, bootstrap: Bootstrap | None = None) -> AgreementFigures:
        """Return the figures of a report, each text computed."""
        return copy_fields(
            cls,
            report,
            report.interval,
            report.result,
            judgements_left_out=report.unanswered if report.question else None,
            judgements_of_other_versions=report.n_of_other_versions,
            links=report.links if report.extract.kind == "targets" else None,
            result=copy_fields(ResultFigures, report.result),
            interval=copy_fields(IntervalMethod, report.interval),
            texts=[
                TextFigures(
                    *(one.text.slug, one.text.title, one.text.round),
                    one.text.occasion if one.text.occasion > 1 else None,
                    copy_fields(ResultFigures, one.result),
                    one.shift,
                )
                for one in report.texts
            ],
            bootstrap=bootstrap,
        )


@dataclass(frozen=True, slots=True)
class GridCell:
    """A value of the grid and how it was computed."""

    construction: str
    parameters: Parameters
    value: float | None
    note: str

    @classmethod
    def of(cls, construction: str, extract: ProjectAnswers, parameters: Parameters) -> GridCell:
        """Return the coefficient of these parameters."""
        result = compute_result(extract, parameters)
        return cls(construction, parameters, result.value, result.note)


def count_unanswered(extract: ProjectAnswers, parameters: Parameters) -> tuple[int, int]:
    """Return of how many judgements in the chosen texts the question was not asked, and how many do not answer it."""
    if extract.question is None:
        return 0, 0
    codings = extract.restrict(pick_texts(extract, parameters)).columns.codings
    return int(codings["unasked"].sum()), int(codings["unanswered"].sum())


def compute_report(extract: ProjectAnswers, parameters: Parameters) -> AgreementReport:
    """Return the coefficient over all texts and for each text. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)

    def compute() -> AgreementReport:
        interval = compute_interval(extract, parameters)
        fingerprint = remembered(extract, ("fingerprint",), lambda: extract.fingerprint)
        return AgreementReport(parameters, fingerprint, extract.coders, interval, extract)

    return cached(extract, ("report", parameters), compute)


def compare_distances(extract: ProjectAnswers, parameters: Parameters) -> list[tuple[Parameters, Interval]]:
    """Return alpha with each distance, all else as asked: one pass over the data. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    cells = [replace(parameters, coefficient="alpha", distance=name) for name in distances_of(extract)]
    return [(cell, compute_interval(extract, cell)) for cell in cells]


def compute_grid(
    extract: ProjectAnswers, parameters: Parameters, progress: Progress | None = None
) -> list[tuple[str, list[GridCell]]]:
    """Return alpha for every distance x chain construction, and K; other parameters stay. Rows are constructions."""
    rows = []
    constructions = CONSTRUCTIONS[extract.kind]
    for done, (label, construction) in enumerate(constructions):
        if progress:
            progress(done, len(constructions))
        selected, chosen = resolve(extract, replace(parameters, coefficient="alpha", **construction))
        cells = [replace(chosen, distance=name) for name in distances_of(selected)]
        cells.append(replace(chosen, coefficient="fleiss_kappa", distance="nominal"))
        rows.append((label, [GridCell.of(label, selected, cell) for cell in cells]))
    return rows


def compare_antecedents(extract: ProjectAnswers, parameters: Parameters) -> list[GridCell]:
    """Return K beside alpha on antecedents alone (Poesio & Artstein 2005, Table 3): K gives no part of an agreement."""
    changed = replace(parameters, chains="none", top="category", exclude_unit="none")
    extract, chosen = resolve(extract, changed)
    ways = ("fleiss_kappa", "nominal"), ("alpha", "passonneau")
    cells = [replace(chosen, coefficient=coefficient, distance=distance) for coefficient, distance in ways]
    return [GridCell.of("", extract, cell) for cell in cells]


def explain_distances(alphas: Mapping[str, float | None], chains: str = "chains") -> list[str]:
    """Return what the differences between the distances mean; `chains` is what values are called."""
    nominal, jaccard, dice, masi = (alphas.get(name) for name in ("nominal", "jaccard", "dice", "masi"))
    if nominal is None or jaccard is None or dice is None or masi is None:
        return []
    return [
        f"Jaccard − nominal = {jaccard - nominal:+.3f}: the effect of {chains} that overlap in part.",
        f"Dice − Jaccard = {dice - jaccard:+.3f}: the effect of size. Dice counts shared members twice.",
        f"Jaccard − MASI = {jaccard - masi:+.3f}: the effect of monotonicity. MASI weights overlap by 2/3 where one set"
        " contains the other, and by 1/3 where each has members of its own.",
    ]
