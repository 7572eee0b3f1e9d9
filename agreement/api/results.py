"""The REST API of results: an endpoint for each page that has one, made of its class."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema, extend_schema_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers.agreed import AgreedReportSerializer
from agreement.api.serializers.agreement import (
    AnalysisQuerySerializer,
    CoderPairSerializer,
    ComparisonQuerySerializer,
    CoreferenceSerializer,
    DifferenceSerializer,
    GridCellSerializer,
    GroupsSerializer,
    IntervalQuerySerializer,
    MatrixFormatSerializer,
    MatrixRowSerializer,
    RepeatsSerializer,
    ReportSerializer,
)
from agreement.api.serializers.datasheet import DatasheetFormSerializer, DatasheetSerializer
from agreement.api.serializers.gold import GoldReportSerializer
from agreement.api.serializers.items import ItemQuerySerializer, ItemReportSerializer, ItemSerializer
from agreement.api.serializers.models import ModelQuerySerializer, ModelReportSerializer
from agreement.api.serializers.planning import PlanningQuerySerializer, PlanningSerializer
from agreement.api.serializers.pyramids import (
    DocsetQuerySerializer,
    PairQuerySerializer,
    PeersSerializer,
    ScoresQuerySerializer,
    ScoresSerializer,
    ScusSerializer,
    StudyQuerySerializer,
    StudySerializer,
)
from agreement.api.tables import still_computing
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import parse_query
from agreement.results.content import StillComputing
from agreement.results.page import ResultPage
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, ReportPages, SequencePages

# What each gives, and what it takes besides the parameters of answers.
RESPONSES: dict[str, Any] = {
    "agreement": ReportSerializer,
    "coreference": CoreferenceSerializer,
    "data": {(200, "application/json"): MatrixRowSerializer(many=True), (200, "text/csv"): OpenApiTypes.STR},
    "datasheet": {(200, "application/json"): DatasheetSerializer, (200, "text/markdown"): OpenApiTypes.STR},
    "difference": DifferenceSerializer,
    "gold": PolymorphicProxySerializer(
        "GoldOrAgreedReport", [GoldReportSerializer, AgreedReportSerializer], resource_type_field_name=None
    ),
    "grid": GridCellSerializer(many=True),
    "groups": GroupsSerializer,
    "item": ItemReportSerializer,
    "items": ItemSerializer(many=True),
    "models": ModelReportSerializer,
    "peers": PeersSerializer,
    "planning": PlanningSerializer,
    "repeats": RepeatsSerializer,
    "scores": ScoresSerializer,
    "scus": ScusSerializer,
    "study": StudySerializer,
}
ROUND = OpenApiParameter("round", str, description="Of a text in several rounds this one, not the latest.")
QUERIES: dict[str, Any] = {
    "agreement": IntervalQuerySerializer,
    "coreference": CoderPairSerializer,
    "data": MatrixFormatSerializer,
    "datasheet": DatasheetFormSerializer,
    "difference": ComparisonQuerySerializer,
    "item": ROUND,
    "items": ItemQuerySerializer,
    "models": ModelQuerySerializer,
    "peers": DocsetQuerySerializer,
    "planning": PlanningQuerySerializer,
    "scores": ScoresQuerySerializer,
    "scus": PairQuerySerializer,
    "study": StudyQuerySerializer,
}
# Where the schema would name two alike.
OPERATIONS = {"models": "projects_agreement_models"}


class ResultView(APIView):
    """The report of a page, or the page of its rows that is asked for."""

    page: ClassVar[ResultPage[Any]]

    def get(self, request: Request, slug: str, **address: str) -> HttpResponse:
        page = self.page
        project = page.project_for(request.user, slug)
        left_out = {"form"} if page.forms else set()
        if page.rows is not None or not page.uses_answers:
            left_out |= PAGE_PARAMETERS
        values = {name: value for name, value in parse_query(request.query_params).items() if name not in left_out}
        form = request.query_params.get("form", "json")
        if page.forms and form != "json" and form not in page.forms:
            raise ValidationError({"form": [f"Choose one of {', '.join({'json': None, **page.forms})}."]})
        try:
            asked = page.asked(project, values, request.user.get_username(), address)
            if page.forms and form in page.forms:
                file = page.forms[form]
                answer = HttpResponse(file.write(asked), content_type=file.content_type)
                name = f"{project.slug}-{page.name}.{file.suffix}"
                answer["Content-Disposition"] = f'attachment; filename="{name}"'
                return answer
            report = page.compute(asked)
            fields = page.fields(asked, report)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        except StillComputing:
            return still_computing()
        if page.rows == "":
            pages = SequencePages()
            rows = pages.paginate_sequence(fields, request)
            return pages.get_paginated_response(page.describe_rows(asked, report, rows))
        if page.rows is not None and page.rows in fields:
            fields = ReportPages().cut(fields, page.rows, request)
            fields[page.rows] = page.describe_rows(asked, report, fields[page.rows])
        return Response(fields)


def endpoint(page: ResultPage[Any]) -> type[APIView]:
    """Return the view of a page, with what the schema of the API says of it."""
    parameters = [
        *([AnalysisQuerySerializer] if page.uses_answers else []),
        *([QUERIES[page.name]] if page.name in QUERIES else []),
        *([PageQuerySerializer] if page.rows else []),
    ]
    schema = extend_schema(OPERATIONS.get(page.name), parameters, responses=RESPONSES[page.name], description=page.api)
    pages = {"pagination_class": SequencePages} if page.rows == "" else {}
    view: type[APIView] = type(page.name.title(), (ResultView,), {"page": page, **pages})
    return extend_schema_view(get=schema)(view)
