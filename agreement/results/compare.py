"""What each single choice does to the number, and what the conventions of papers make of it."""

from __future__ import annotations

from django.utils.http import urlencode

from agreement.data.project_answers import ProjectAnswers
from agreement.reports.methods import methods
from agreement.reports.overall import overall
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import compute_interval, pick_texts
from agreement.reports.request.parameters import Parameters, presets_for
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.request.resolution import resolve
from agreement.results.computations import count_judgements, register
from agreement.results.content import TablesAndCharts
from agreement.results.figures.charts import dots_chart
from agreement.results.figures.plots import Dot
from agreement.results.labels.labels import choice_label, field_label
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Column, Linked, Table, with_ends


@register
class Compare(ResultPage[TablesAndCharts]):
    """What each single choice does to the number, and what the conventions of the papers make of it."""

    name, report_name = "compare", "choices"
    template = "agreement/overall/compare.html"
    position = 30

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements the constructions have, with a share for columns of coders and texts left out."""
        constructions = len(overall.CONSTRUCTIONS[request.extract.kind])
        of_coders = len(pick_texts(request.extract, request.parameters)) * len(request.extract.coders) ** 2
        return count_judgements(request) * constructions * 2 + of_coders // 100

    def compute(self, request: AnalysisRequest) -> TablesAndCharts:
        def extract_of(parameters: Parameters) -> ProjectAnswers:
            own = request.parameters
            same = parameters.units in ("", request.extract.units) and parameters.unasked == own.unasked
            return request.extract if same else read_asked(request.project, parameters)

        changes = methods.vary_choices(request.extract, request.parameters, request.progress, extract_of)
        labels = [_variation_label(change.name, change.choice, bool(request.extract.units)) for change in changes]
        presets = [
            (preset, chosen, compute_interval(*resolve(extract_of(chosen), chosen)))
            for preset in presets_for(request.extract.answers)
            for chosen in [request.parameters.with_convention(preset.parameters)]
        ]
        figures = [Column("value", "Value", "figure"), *ENDS]
        tables = [
            Table(
                "compare",
                "One setting changed at a time",
                [Column("choice", "Setting"), *figures, Column("moved", "Change", "figure", explanation="change")],
                [
                    (Linked(label, f"../?{urlencode(one.parameters.query())}"), *with_ends(one.interval), one.moved)
                    for label, one in zip(labels, changes, strict=True)
                ],
            ),
            Table(
                "presets",
                "Presets from the literature",
                [
                    Column("convention", "Preset"),
                    *figures,
                    Column("published", "Published"),
                    Column("where", "for the paper’s own data"),
                ],
                [
                    (
                        Linked(preset.label, f"../?{urlencode(chosen.query())}"),
                        *with_ends(one),
                        preset.published,
                        preset.where,
                    )
                    for preset, chosen, one in presets
                ],
            ),
        ]
        rows = [Dot(label, *with_ends(one.interval)) for label, one in zip(labels, changes, strict=True)]
        title = "The value under each setting, with 95% CI"
        return TablesAndCharts(tables, [dots_chart("compare", title, rows, "value", (TENTATIVE, RELIABLE))])


def _variation_label(name: str, choice: str, pyramids: bool) -> str:
    return f"{field_label(name, pyramids=pyramids)}: {choice_label(name, choice)}" if name else "current"
