"""Sample size: forecasts of the interval for other numbers of texts and coders, as tables and a chart."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from rest_framework.serializers import ChoiceField, FloatField

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Forecast, forecast, forecast_interval
from agreement.measures.data.components import merge_documents
from agreement.measures.uncertainty.forecasts import FEWEST, MOST, SAMPLES
from agreement.reports import basis
from agreement.reports.fields import LeftOut, OtherVersions, PageOnly, copy_fields
from agreement.reports.overall import RELIABLE, TENTATIVE
from agreement.reports.parameters import InvalidParameter, Parameters, check_choice
from agreement.reports.request import AnalysisRequest, cached_report
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, forecast_chart
from agreement.results.tables import ENDS, Cell, Column, Table, columns_of, format_value
from annotations.core.text import pluralize

POWER, DIFFERENCE = 0.8, 0.1
# Margins of the table; the default target is the first that is not reached yet.
MARGINS = (0.2, 0.15, 0.1, 0.08, 0.05, 0.04, 0.03, 0.02, 0.01)
# Rows by number of texts, beside the present and the sufficient numbers, and rows by number of added coders.
SIZES = (3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 5000, MOST)
MORE_CODERS = (1, 2, 3, 5, 10)
# Rows of SIZES end at this multiple of the texts, or at up to twice that if more texts are needed.
FARTHEST = 6
ENOUGH = {"margin": "margin", "bound": "above the bound", "difference": "difference"}
HOPEFUL = (
    "With few texts the power for a bound is too hopeful: in simulations with ten texts .17 was foretold where .13 came"
    " true. Then take more texts than it says."
)
CODED, EXTRAPOLATED = "up to those coded", "extrapolated"
# The label, hint, minimum and maximum of each form field.
FIELDS = {
    "margin": ("95% CI of ±", "the next", 0.001, 2),
    "bound": ("95% CI above", "0.667", -1, 0.999),
    "difference": ("Difference", f"{DIFFERENCE:g}", 0.001, 2),
    "power": ("Power", f"{POWER:g}", 0.5, 0.999),
}
SAMPLE_LABELS = {"groups": "these coders", "both": "coders like these"}


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of the forecast; None takes a default from the data. `sample` is "both" if coders are a sample."""

    margin: float | None = None
    bound: float | None = None
    difference: float = DIFFERENCE
    power: float = POWER
    sample: str = SAMPLES[0]

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Self:
        """Return the targets in the options of a URL or a command. Raises InvalidParameter."""
        sample = options.get("sample") or SAMPLES[0]
        check_choice("sample", sample, SAMPLES)
        given = dict[str, float]()
        for name, (*_, low, high) in FIELDS.items():
            if text := options.get(name, "").strip():
                try:
                    given[name] = float(text)
                except ValueError:
                    given[name] = float("nan")
                if not low <= given[name] <= high:
                    raise InvalidParameter(name, f"give a number from {low:g} to {high:g}, such as 0.05.")
        return cls(**given, sample=sample)


@dataclass(frozen=True, slots=True)
class Target:
    """A target, and the number of texts that is enough for it."""

    value: Annotated[float | None, "what is to be reached"]
    texts: Annotated[int | None, "the fewest that are enough; null: none up to 10,000"]


@dataclass(frozen=True, slots=True)
class TargetsWithTexts:
    """The targets, each with the number of texts that is enough for it."""

    margin: Target
    bound: Target
    difference: Annotated[Target, "texts of each of the two rounds"]


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin, and the number of texts that is enough for it."""

    margin: float
    texts: int | None


@dataclass(frozen=True, slots=True)
class Size:
    """The forecast for a number of texts; `enough` names the targets that it is the first to reach."""

    texts: int
    low: Annotated[float, "of the interval that so many texts would have"]
    high: float
    margin: Annotated[float, "half its width"]
    power_above: Annotated[float | None, "how often it lies above the bound"]
    power_of_difference: Annotated[float | None, "how often two rounds, each of so many texts, are told apart"]
    extrapolated: Annotated[bool, "whether fewer texts are coded"]
    enough: PageOnly[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CoderMargins:
    """The margins for a number of coders, by number of texts."""

    coders: int
    margins: tuple[Margin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningReport:
    """The forecast of the number of texts that is enough for the targets."""

    parameters: Parameters
    sample: Annotated[str, ChoiceField(SAMPLES)]
    value: float | None
    low: Annotated[float | None, "of the 95% interval of the texts that are coded"]
    high: float | None
    margin: Annotated[float | None, "half its width"]
    n_texts: int
    n_coders: Annotated[int, "how many stand for others; 0 where these are meant"]
    targets: TargetsWithTexts
    power: float
    margins: tuple[Margin, ...] = ()
    sizes: tuple[Size, ...] = ()
    coders: Annotated[tuple[CoderMargins, ...], "of coders that stand for others: the margin by their number"] = ()
    description: Annotated[str, "the same in words"]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions = None
    note: Annotated[str, "Why there is no forecast."]


@cached_report
def plan_size(extract: ProjectAnswers, parameters: Parameters, targets: Targets) -> PlanningReport:
    """Forecast the number of texts that is enough from the coded texts. Raises InvalidParameter."""
    if targets.sample == SAMPLES[0]:  # for these coders, from the interval on pages
        found = forecast_interval(basis.compute_interval(extract, parameters))
    else:
        slugs: dict[Hashable, str] = {text.pk: text.slug for text in extract.texts}  # notes name texts by slug
        data = merge_documents(basis.select_data(extract, parameters), slugs.__getitem__)
        found = forecast(data, basis.coefficient_function(parameters), sample=targets.sample)
    margin = None if found.low is None or found.high is None else (found.high - found.low) / 2
    texts_for: dict[str, int | None] = {}
    rows: dict[str, Any] = {}
    if not found.note and margin is not None and found.value is not None:
        # defaults: the next smaller margin, and the highest bound below the value
        wanted, bound, value = targets.margin, targets.bound, found.value
        if wanted is None:
            wanted = next((size for size in MARGINS if size <= 0.9 * margin), MARGINS[-1])
        if bound is None:
            bound = next((limit for limit in (RELIABLE, TENTATIVE) if limit < value), TENTATIVE)
        targets = replace(targets, margin=wanted, bound=bound)
        texts_for = {
            "margin": found.documents_for_margin(wanted),
            "bound": found.documents_above(bound, targets.power),
            "difference": found.documents_for_difference(targets.difference, targets.power),
        }
        margins = sorted({*MARGINS, wanted}, reverse=True)
        rows = {
            "margins": tuple(Margin(margin, found.documents_for_margin(margin)) for margin in margins),
            "sizes": tuple(_list_sizes(found, bound, targets.difference, texts_for)),
            "coders": tuple(_vary_coders(found)),
        }
    reached = (Target(getattr(targets, name), texts_for.get(name)) for name in ("margin", "bound", "difference"))
    return copy_fields(
        PlanningReport,
        found,
        targets,
        parameters=parameters,
        margin=margin,
        n_texts=found.n_documents,
        targets=TargetsWithTexts(*reached),
        **rows,
        description=_describe(found, margin, targets, texts_for),
        codings_left_out=basis.count_left_out(extract, parameters),
        judgements_of_other_versions=basis.count_other_versions(extract, parameters),
    )


def _describe(found: Forecast, margin: float | None, targets: Targets, texts_for: Mapping[str, int | None]) -> str:
    if margin is None or targets.margin is None:
        note = found.note.replace("document", "text")
        return f"{note[:1].upper()}{note[1:]}."

    def describe_target(name: str, what: str) -> str:
        n, chance = texts_for[name], "" if name == "margin" else f" in {targets.power:.0%} of cases"
        if n is None:
            return f"no number of texts up to {MOST:,} is enough for {what}{chance}"
        each = " in each of two rounds" if name == "difference" else ""
        already = "already " if name == "margin" and n <= found.n_documents else "about "
        return f"{already}{pluralize(n, 'text')}{each} for {what}{chance}"

    coders = f" and {pluralize(found.n_coders, 'coder')}, who stand for others" if found.n_coders else ""
    now = f"{margin:.3f}".removeprefix("0")
    parts = [
        f"95% CI is ±{now} with {pluralize(found.n_documents, 'text')}{coders}",
        describe_target("margin", f"±{_shorten(targets.margin)}"),
    ]
    if targets.bound is not None and found.value is not None and not found.n_coders:
        bound = _shorten(targets.bound)
        if found.value > targets.bound:
            parts.append(describe_target("bound", f"an interval above {bound}"))
        else:
            parts.append(f"the value is not above {bound}, so that no number of texts shows it")
        parts.append(describe_target("difference", f"a difference of {_shorten(targets.difference)}"))
    return f"{'; '.join(parts)}."


def _list_sizes(
    found: Forecast, bound: float, difference: float, texts_for: Mapping[str, int | None]
) -> Iterator[Size]:
    here = found.n_documents
    enough = {n for n in texts_for.values() if n is not None}
    farthest = max(FARTHEST * here, min(max(enough, default=0), 2 * FARTHEST * here))
    for n in sorted({here, *enough, *(n for n in SIZES if FEWEST <= n <= farthest)}):
        low, high = found.bounds(n) or (0.0, 0.0)
        if n == here and found.low is not None and found.high is not None:
            low, high = found.low, found.high
        powers = found.power_above(bound, n), found.power_of_difference(difference, n)
        reached = tuple(name for name, number in texts_for.items() if number == n)
        yield Size(n, low, high, (high - low) / 2, *powers, n > here, reached)


def _vary_coders(found: Forecast) -> Iterator[CoderMargins]:
    sizes = [found.n_documents * times for times in (1, 2, 4)]
    for n_coders in [found.n_coders + more for more in (0, *MORE_CODERS)] if found.n_coders else ():
        yield CoderMargins(n_coders, tuple(Margin(found.margin(n, n_coders) or 0.0, n) for n in sizes))


def _shorten(number: float) -> str:
    """Return a number without the zero before the point, such as .052, as papers print it."""
    text = f"{number:g}"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "\N{MINUS SIGN}.")


@register
class Planning(ResultPage[PlanningReport]):
    """The number of texts that is enough: forecasts of interval and power for other numbers of texts."""

    name, title = "planning", "How much is enough"
    template = "agreement/overall/planning.html"
    position, tab = 140, 155
    gives = PlanningReport
    takes = {
        "margin": FloatField(required=False, help_text="Half the width of the interval that is to be reached."),
        "bound": FloatField(required=False, help_text="What the whole interval is to be above, such as 0.667."),
        "difference": FloatField(required=False, help_text="How far two rounds of other texts are to differ."),
        "power": FloatField(required=False, help_text="In which share of cases both are to be seen."),
        "sample": ChoiceField(
            SAMPLES, required=False, help_text="groups: texts, by these coders; both: texts and coders like these."
        ),
    }
    api = "How many texts are enough: the interval of other numbers of texts, foretold from those that are coded."
    chooses_coders = True

    def cost(self, request: AnalysisRequest) -> int:
        """Return the judgements processed; if coders are a sample, each is left out in turn."""
        is_sample = request.options.get("sample") == "both"
        return count_judgements(request) * (len(request.extract.coders) + 1 if is_sample else 1)

    def compute(self, request: AnalysisRequest) -> PlanningReport:
        return plan_size(request.project_answers, request.parameters, Targets.from_options(request.options))

    def tables(self, request: AnalysisRequest, report: PlanningReport) -> list[Table]:
        tables = [_enough_table(report), _sizes_table(report)]
        return [*tables, _coders_table(report)] if report.coders else tables

    def charts(self, request: AnalysisRequest, report: PlanningReport) -> list[Chart]:
        target, here = report.targets.margin.value, report.n_texts
        if not report.sizes or target is None:
            return []
        coded = [(size.texts, size.margin) for size in report.sizes if not size.extrapolated]
        foretold, last = [(size.texts, size.margin) for size in report.sizes if size.texts >= here], report.sizes[-1]
        axes = "texts", "half the width of the 95% CI"
        figure = forecast_chart(coded, foretold, (CODED, EXTRAPOLATED), target, *axes)
        words = (
            f"{report.description} What is beyond {pluralize(here, 'text')} is extrapolated: dashed in the chart, up to"
            f" ±{format_value(last.margin, 'figure')} with {last.texts:,}."
        )
        return [Chart("sizes", "Width of the interval by number of texts", figure, words, "sizes")]

    def preface(self, report: PlanningReport) -> str:
        return "\n".join(filter(None, [report.description, super().preface(report)]))

    def show(self, request: AnalysisRequest) -> PageSections:
        Targets.from_options(request.options)
        sample = request.options.get("sample") or SAMPLES[0]
        return self.sections(request).extended(
            fields=[(name, label, request.options.get(name, ""), hint) for name, (label, hint, *_) in FIELDS.items()],
            samples=[(label, request.address_with(sample=key), key == sample) for key, label in SAMPLE_LABELS.items()],
            sample=sample,
        )


def _enough_table(report: PlanningReport) -> Table:
    here, bound, difference = report.n_texts, report.targets.bound, report.targets.difference
    reached = [(f"95% CI of ±{row.margin:g}", row.texts) for row in report.margins]
    chance, has_power = f", in {report.power:.0%} of cases", report.margin is not None and not report.n_coders
    if has_power:
        reached.append((f"95% CI above {bound.value:g}{chance}", bound.texts))
    rows: list[list[Cell]] = [[what, n, None if n is None else max(n - here, 0)] for what, n in reached]
    if has_power:
        what = f"a difference of {difference.value:g} between two rounds{chance}: in each"
        rows.append([what, difference.texts, None])
    columns = [Column("what", "To reach"), Column("texts", "Texts", "count"), Column("more", "More to code", "count")]
    note = report.description if not rows else HOPEFUL if has_power else ""
    return Table("enough", "How many texts are enough", columns, rows, note)


def _sizes_table(report: PlanningReport) -> Table:
    power, note = [], ""
    if report.margin is not None and not report.n_coders:  # no power is forecast if coders are a sample
        power = columns_of("percent", power_above="Power, bound", power_of_difference="Power, difference")
        note = (
            f"Power: how often the 95% CI lies above {report.targets.bound.value:g}, and how often two rounds, each of"
            f" so many other texts, are told apart that differ by {report.targets.difference.value:g}."
        )

    def describe(size: Size) -> str:
        return EXTRAPOLATED if size.extrapolated else "coded" if size.texts == report.n_texts else ""

    columns = [
        Column("texts", "Texts", "count"),
        Column("margin", "±", "figure"),
        *ENDS,
        *power,
        Column("known", "Known", cell=describe),
        Column("enough", "Enough for", cell=lambda size: ", ".join(ENOUGH[name] for name in size.enough)),
    ]
    return Table.of("sizes", "Interval and power by number of texts", columns, report.sizes, note)


def _coders_table(report: PlanningReport) -> Table:
    sizes = [margin.texts for margin in report.coders[0].margins]
    columns = [Column(f"texts_{n}", f"± with {n:,} texts", "figure", explanation="margin") for n in sizes]
    rows: list[list[Cell]] = [[row.coders, *(margin.margin for margin in row.margins)] for row in report.coders]
    note = (
        f"Coders are drawn from a population, of which there are {report.n_coders} here; all others are"
        " extrapolated. The part of the texts is that of as many coders as there are."
    )
    return Table("coders", "Margin by number of coders", [Column("coders", "Coders", "count"), *columns], rows, note)
