"""Shared parts of the pages on pyramids: form fields, options of the API, and names of scores."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.utils.http import urlencode
from rest_framework.serializers import CharField, ChoiceField

from agreement.data.pyramids import Pyramids, read_pyramids, require_pyramids
from agreement.measures.pyramids import MEANS
from agreement.reports.parameters import InvalidParameter
from agreement.reports.request import AnalysisRequest
from agreement.results.computations import NOTHING, PageSections, ResultPage
from agreement.results.tables import Column, Kind
from annotations.models import Project
from annotations.projects.navigation import PYRAMIDS

SCORE_LABELS = {"original": "Original", "modified": "Modified", "comprehensive": "Comprehensive"}
MEAN_CHOICES = (("", "rounded half up"), ("interpolate", "interpolated"))
SCORE_CHOICES = (("original", "original"), ("", "modified, or coverage"), ("comprehensive", "comprehensive"))

# Options of the API.
DOCSET = {"docset": CharField(required=False, help_text="Only this docset, by its address.")}
MEAN = {
    "mean": ChoiceField(MEANS, required=False, help_text="What becomes of a mean number of SCUs that is not whole.")
}
PAIR = {
    "first": CharField(required=False, help_text="A coder."),
    "second": CharField(required=False, help_text="Another coder."),
}

# The label and the choices of each field of a page's form, by name.
type Fields = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


class PyramidPage[R](ResultPage[R]):
    """A page on the pyramids of all docsets, or of the docset in the options."""

    answers = PYRAMIDS
    uses_answers = False

    def asked(
        self, project: Project, values: Mapping[str, str], reader: str = "", address: Mapping[str, str] = NOTHING
    ) -> AnalysisRequest:
        """Return the request of the API or the command, without parameters of answers. Raises InvalidParameter."""
        require_pyramids(project)
        for name in values:
            if name not in self.api_names:
                message = f"unknown parameter; available: {', '.join(self.api_names)}."
                raise InvalidParameter(name.replace("\x00", ""), message)
        request = self.begin(project, reader, address)
        request.options = {name: value for name, value in values.items() if value}
        return request

    def arrange(
        self, request: AnalysisRequest, pyramids: Pyramids, fields: Fields, sections: PageSections, **context: Any
    ) -> PageSections:
        """Return the sections with the context of the form: its fields, hidden values and the query of the API."""
        options = request.options.items()
        return sections.extended(
            fields=fields,
            hidden=request.parameters.query() | {name: value for name, value in options if name not in fields},
            api_query=urlencode({name: value for name, value in options if name in self.api_names}),
            pyramids=pyramids,
            **context,
        )


def read_chosen(request: AnalysisRequest) -> Pyramids:
    """Return the pyramids of the docset in the options, or of all docsets."""
    return read_pyramids(request.project, *request.asked("docset"))


def docset_field(pyramids: Pyramids) -> tuple[str, list[tuple[str, str]]]:
    """Return the form field that selects a docset or all docsets."""
    choices = [(docset.slug, docset.title) for docset in pyramids.docsets]
    return "Docset", [("", "all docsets"), *choices] if len(choices) > 1 else choices


def check_docset(pyramids: Pyramids, docset: str) -> None:
    """Raise InvalidParameter for an unknown docset."""
    if docset and docset not in {known.slug for known in pyramids.docsets}:
        raise InvalidParameter("docset", f"there is no docset {docset!r} in this project.")


def check_pair(first: str, second: str, known: Collection[str], lacks: str) -> None:
    """Raise InvalidParameter for an unknown coder, with `lacks` as the reason, or for one coder named twice."""
    for field, name in (("first", first), ("second", second)):
        if name and name not in known:
            raise InvalidParameter(field, f"{name!r} has {lacks}.")
    if first and first == second:
        raise InvalidParameter("second", "select two coders.")


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are defined."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def whole_column(name: str, label: str, kind: Kind = "count", explanation: str = "") -> Column:
    """Return a column of numbers in which whole numbers have no decimals."""

    def read(row: object) -> float | None:
        value: float | None = getattr(row, name)
        return int(value) if value is not None and value == int(value) else value

    return Column(name, label, kind, explanation=explanation, cell=read)
