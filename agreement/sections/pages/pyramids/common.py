"""What the pages on pyramids share: the names of the scores, the fields of their forms, and how numbers are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.http import urlencode

from agreement.data.pyramids.pyramids import Pyramids, read_pyramids
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections, TablesAndCharts

SCORE_LABELS = {"original": "Original", "modified": "Modified", "comprehensive": "Comprehensive"}
MEAN_CHOICES = (("", "rounded half up"), ("interpolate", "interpolated"))
SCORE_CHOICES = (("original", "original"), ("", "modified, or coverage"), ("comprehensive", "comprehensive"))

# Options that the API takes, too.
API_OPTIONS = ("docset", "mean", "first", "second")

# By name the label and the choices of each field of a page's form.
type Fields = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


def read_chosen(request: AnalysisRequest, options: Mapping[str, str]) -> Pyramids:
    """Return the pyramids of the docset that the options choose, or of all."""
    return read_pyramids(request.project, options.get("docset", ""))


def build_sections(
    request: AnalysisRequest, pyramids: Pyramids, content: TablesAndCharts, fields: Fields, **context: Any
) -> PageSections:
    """Return the content of a page on pyramids with what its form needs: the fields, and what it hands on."""
    options = request.options
    return PageSections(
        content.tables,
        content.charts,
        context={
            "fields": fields,
            "hidden": request.parameters.query()
            | {name: value for name, value in options.items() if name not in fields},
            "api_query": urlencode({name: value for name, value in options.items() if name in API_OPTIONS}),
            "n_docsets": len(pyramids.docsets),
            "n_peers": pyramids.n_peers,
            **context,
        },
    )


def docset_field(pyramids: Pyramids, everything: str = "all docsets") -> tuple[str, list[tuple[str, str]]]:
    """Return the field that chooses a docset; `everything` is the label of the choice of all."""
    choices = [(one.slug, one.title) for one in pyramids.docsets]
    return "Docset", [("", everything), *choices] if everything and len(choices) > 1 else choices


def drop_zero_decimals(value: float) -> float:
    """Return a whole number without its decimals."""
    return int(value) if value == int(value) else value
