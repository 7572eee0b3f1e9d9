"""How many texts are enough, as tables and a chart."""

from __future__ import annotations

from agreement.reports.planning import DIFFERENCE, OPTIONS, POWER, PlanningReport, Size, Targets, plan_size
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.results.computations import count_judgements, register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import forecast_chart
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Table, format_value
from annotations.core.text import pluralize

ENOUGH = {"margin": "margin", "bound": "above the bound", "difference": "difference"}
HOPEFUL = (
    "With few texts the power for a bound is too hopeful: in simulations with ten texts .17 was foretold where .13 came"
    " true. Then take more texts than it says."
)
CODED, EXTRAPOLATED = "up to those coded", "extrapolated"
FIELDS = (
    ("margin", "95% CI of ±", "the next"),
    ("bound", "95% CI above", "0.667"),
    ("difference", "Difference", f"{DIFFERENCE:g}"),
    ("power", "Power", f"{POWER:g}"),
)
SAMPLE_LABELS = {"groups": "these coders", "both": "coders like these"}


@register
class Planning(ResultPage[PlanningReport]):
    """How many texts are enough: the interval that other numbers of texts would have, and what it can show."""

    name, title = "planning", "How much is enough"
    template = "agreement/overall/planning.html"
    position, tab = 140, 155
    options = OPTIONS
    api = "How many texts are enough: the interval of other numbers of texts, foretold from those that are coded."
    chooses_coders = True

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements there are, without each coder in turn where these are a sample."""
        return count_judgements(request) * (len(request.extract.coders) + 1 if self._sample(request) == "both" else 1)

    def compute(self, request: AnalysisRequest) -> PlanningReport:
        return plan_size(request.project_answers, request.parameters, Targets.from_options(request.options))

    def tables(self, request: AnalysisRequest, report: PlanningReport) -> list[Table]:
        tables = [_enough_table(report), _sizes_table(report)]
        return [*tables, _coders_table(report)] if report.coders else tables

    def charts(self, request: AnalysisRequest, report: PlanningReport) -> list[Chart]:
        if not report.sizes or report.targets.margin is None:
            return []
        here = report.forecast.n_documents
        figure = forecast_chart(
            [(size.n_texts, size.margin) for size in report.sizes if not size.extrapolated],
            [(size.n_texts, size.margin) for size in report.sizes if size.n_texts >= here],
            (CODED, EXTRAPOLATED),
            report.targets.margin,
            "texts",
            "half the width of the 95% CI",
        )
        last = report.sizes[-1]
        words = (
            f"{report.describe()} What is beyond {pluralize(here, 'text')} is extrapolated: dashed in the chart, up to"
            f" ±{format_value(last.margin, 'figure')} with {last.n_texts:,}."
        )
        return [Chart("sizes", "Width of the interval by number of texts", figure, words, "sizes")]

    def preface(self, report: PlanningReport) -> str:
        return "\n".join(filter(None, [report.describe(), super().preface(report)]))

    def show(self, request: AnalysisRequest) -> PageSections:
        Targets.from_options(request.options)
        left_out, sample = count_left_out(request.extract, request.parameters), self._sample(request)
        return self.sections(request).extended(
            fields=[(name, label, request.options.get(name, ""), hint) for name, label, hint in FIELDS],
            samples=[
                (label, request.address_with(sample=name), name == sample) for name, label in SAMPLE_LABELS.items()
            ],
            sample=sample,
            report_query=request.parameters.query(),
            not_counted=list_codings_left_out(left_out),
        )

    def _sample(self, request: AnalysisRequest) -> str:
        return request.options.get("sample") or "groups"


def _enough_table(report: PlanningReport) -> Table:
    here, targets = report.forecast.n_documents, report.targets
    chance = f", in {targets.power:.0%} of cases"
    rows: list[list[Cell]] = []
    has_power = _has_power(report)
    if report.margin is not None:
        rows += [[f"95% CI of ±{margin:g}", n, _more(n, here)] for margin, n in report.margins]
        if has_power:
            for name, what in (
                ("bound", f"95% CI above {targets.bound:g}{chance}"),
                ("difference", f"a difference of {targets.difference:g} between two rounds{chance}: in each"),
            ):
                n = report.texts_for[name]
                rows.append([what, n, None if name == "difference" else _more(n, here)])
    return Table(
        "enough",
        "How many texts are enough",
        [Column("what", "To reach"), Column("texts", "Texts", "count"), Column("more", "More to code", "count")],
        rows,
        (HOPEFUL if has_power else "") if rows else report.describe(),
    )


def _has_power(report: PlanningReport) -> bool:
    """Return whether power is foretold: not where coders stand for others, nor without an interval."""
    return report.margin is not None and not report.forecast.n_coders


def _more(n: int | None, here: int) -> int | None:
    return None if n is None else max(n - here, 0)


def _sizes_table(report: PlanningReport) -> Table:
    targets = report.targets
    power = [
        Column("power_above", "Power, bound", "percent"),
        Column("power_of_difference", "Power, difference", "percent"),
    ]
    shown = power if _has_power(report) else []

    def row(size: Size) -> list[Cell]:
        what = EXTRAPOLATED if size.extrapolated else "coded" if size.n_texts == report.forecast.n_documents else ""
        figures = [size.power_above, size.power_of_difference][: len(shown)]
        return [size.n_texts, size.margin, size.low, size.high, *figures, what, ", ".join(map(ENOUGH.get, size.enough))]  # type: ignore[arg-type]

    note = (
        f"Power: how often the 95% CI lies above {targets.bound:g}, and how often two rounds, each of so many other"
        f" texts, are told apart that differ by {targets.difference:g}."
        if shown
        else ""
    )
    return Table(
        "sizes",
        "Interval and power by number of texts",
        [
            Column("texts", "Texts", "count"),
            Column("margin", "±", "figure"),
            *ENDS,
            *shown,
            Column("known", "Known"),
            Column("enough", "Enough for"),
        ],
        [row(size) for size in report.sizes],
        note,
    )


def _coders_table(report: PlanningReport) -> Table:
    return Table(
        "coders",
        "Margin by number of coders",
        [
            Column("coders", "Coders", "count"),
            *(Column(f"texts_{n}", f"± with {n:,} texts", "figure", explanation="margin") for n in report.coder_sizes),
        ],
        [[n, *margins] for n, margins in report.coders],
        f"Coders are drawn from a population, of which there are {report.forecast.n_coders} here; all others are"
        " extrapolated. The part of the texts is that of as many coders as there are.",
    )
