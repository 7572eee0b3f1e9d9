"""What the pages on pyramids share: the names of the scores, the fields of their forms, and how numbers are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.http import urlencode
from rest_framework.serializers import CharField, ChoiceField

from agreement.data.pyramids.pyramids import Pyramids, read_pyramids, require_pyramids
from agreement.measures.pyramids import MEANS
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import NOTHING
from agreement.results.content import PageSections, TablesAndCharts
from agreement.results.page import ResultPage
from annotations.models import Project
from annotations.projects.navigation import PYRAMIDS

SCORE_LABELS = {"original": "Original", "modified": "Modified", "comprehensive": "Comprehensive"}
MEAN_CHOICES = (("", "rounded half up"), ("interpolate", "interpolated"))
SCORE_CHOICES = (("original", "original"), ("", "modified, or coverage"), ("comprehensive", "comprehensive"))

# What the addresses of the API take.
DOCSET = {"docset": CharField(required=False, help_text="Only this docset, by its address.")}
MEAN = {
    "mean": ChoiceField(MEANS, required=False, help_text="What becomes of a mean number of SCUs that is not whole.")
}
PAIR = {
    "first": CharField(required=False, help_text="A coder."),
    "second": CharField(required=False, help_text="Another coder."),
}

# By name the label and the choices of each field of a page's form.
type Fields = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


class PyramidPage[R](ResultPage[R]):
    """A page on pyramids: of all docsets, or of the one that the options name."""

    answers = PYRAMIDS
    uses_answers = False

    def asked(
        self, project: Project, values: Mapping[str, str], reader: str = "", address: Mapping[str, str] = NOTHING
    ) -> AnalysisRequest:
        """Return what API or command are asked: no parameters of answers. Raises InvalidParameter."""
        require_pyramids(project)
        for field in values:
            if field not in self.api_names:
                raise InvalidParameter(
                    field.replace("\x00", ""), f"unknown parameter; available: {', '.join(self.api_names)}."
                )
        request = self.begin(project, reader, address)
        request.options = {name: value for name, value in values.items() if value}
        return request

    def arrange(
        self, request: AnalysisRequest, pyramids: Pyramids, content: TablesAndCharts, fields: Fields, **context: Any
    ) -> PageSections:
        """Return the content with what the form of the page needs: the fields, and what it hands on."""
        options = request.options
        return PageSections(
            content.tables,
            content.charts,
            context={
                "fields": fields,
                "hidden": request.parameters.query()
                | {name: value for name, value in options.items() if name not in fields},
                "api_query": urlencode({name: value for name, value in options.items() if name in self.api_names}),
                "n_docsets": len(pyramids.docsets),
                "n_peers": pyramids.n_peers,
                **context,
            },
        )


def read_chosen(request: AnalysisRequest) -> Pyramids:
    """Return the pyramids of the docset that the options choose, or of all."""
    return read_pyramids(request.project, request.options.get("docset", ""))


def docset_field(pyramids: Pyramids, everything: str = "all docsets") -> tuple[str, list[tuple[str, str]]]:
    """Return the field that chooses a docset; `everything` is the label of the choice of all."""
    choices = [(one.slug, one.title) for one in pyramids.docsets]
    return "Docset", [("", everything), *choices] if everything and len(choices) > 1 else choices


def drop_zero_decimals(value: float) -> float:
    """Return a whole number without its decimals."""
    return int(value) if value == int(value) else value
