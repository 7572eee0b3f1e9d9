"""The REST API of the tables of the pages: the same bytes as a page gives, for scripts that come with a key."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers import AnalysisQuerySerializer
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import leave_long_reading
from agreement.results.content import PageSections, StillComputing, write_table
from agreement.results.registry import pages_for
from agreement.results.tables import TABLE_FORMATS, list_tables
from annotations.api.http.problems import problem
from annotations.projects.viewing import results_for

TABLE_FORMAT = OpenApiParameter(
    "form", str, enum=list(TABLE_FORMATS), description="How the table is written; json where left out."
)
FIRST = OpenApiParameter(
    "first", str, description="Of the page pair, besides `second`. What other pages take is said in docs/dashboards.md."
)


class PageSerializer(serializers.Serializer[Any]):
    page = serializers.CharField()
    about = serializers.CharField()


class ColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="as in CSV and JSON")
    label = serializers.CharField(help_text="as people read it")  # type: ignore[assignment]


class TableSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    caption = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    columns = ColumnSerializer(many=True)
    rows = serializers.IntegerField(help_text="how many")


class PageList(APIView):
    """The pages of agreement that have tables."""

    @extend_schema(operation_id="projects_agreement_tables_pages", responses=PageSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        pages = pages_for(results_for(request.user, slug))
        return Response([{"page": name, "about": page.about} for name, page in pages.items()])


class PageView(APIView):
    """What the views of a page's tables share."""

    def build(self, request: Request, slug: str, name: str) -> tuple[AnalysisRequest, PageSections]:
        """Return what the query asks of the page, and all that the page shows. Raises Http404."""
        project = results_for(request.user, slug)
        page = pages_for(project).get(name)
        if page is None:
            raise Http404("There is no such page.")
        query = request.query_params.copy()
        query.pop("form", None)
        address = {part: str((query.pop(part, None) or [""])[-1]) for part in page.address}
        with leave_long_reading():
            analysis = page.request(project, query, request.user.get_username(), address, whole_tables=True)
            return analysis, page.shown(analysis)


class TableList(PageView):
    """The tables of a page, for what the query asks for."""

    @extend_schema(parameters=[AnalysisQuerySerializer, FIRST], responses=TableSerializer(many=True))
    def get(self, request: Request, slug: str, page: str) -> HttpResponse:
        analysis, sections = self.build(request, slug, page)
        if sections.waiting:
            raise StillComputing
        if analysis.error:
            return invalid(analysis.error)
        return JsonResponse(list_tables(sections.tables), safe=False)


class TableDetail(PageView):
    """A table of a page, with every digit, for what the query asks for. 503 with `Retry-After` while it is computed."""

    @extend_schema(
        parameters=[AnalysisQuerySerializer, FIRST, TABLE_FORMAT],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "text/plain"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str, page: str, table: str) -> HttpResponse:
        table_format = request.query_params.get("form", "json")
        if table_format not in TABLE_FORMATS:
            raise ValidationError({"form": [f"Choose one of {', '.join(TABLE_FORMATS)}."]})
        analysis, sections = self.build(request, slug, page)
        try:
            return write_table(analysis, sections, table_format, table)
        except InvalidParameter as error:
            return invalid(error)


def invalid(error: InvalidParameter) -> HttpResponse:
    """Return the problem of a query that the page refuses."""
    return problem(400, "invalid", str(error), errors={"non_field_errors": [str(error)]})
