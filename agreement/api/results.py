"""The REST API of results: an endpoint for each page that has one, made of its class."""

from __future__ import annotations

from types import UnionType
from typing import Any, ClassVar, get_args, get_origin

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_view, inline_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers import AnalysisQuerySerializer, serializer_of
from agreement.reports.fields import as_json
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import parse_query
from agreement.results.computations import ResultPage, leave_long_reading
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, ReportPages, SequencePages


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
            with leave_long_reading():
                asked = page.asked(project, values, request.user.get_username(), address)
                if page.forms and form in page.forms:
                    file = page.forms[form]
                    answer = HttpResponse(file.write(asked), content_type=file.content_type)
                    name = f"{project.slug}-{page.name}.{file.suffix}"
                    answer["Content-Disposition"] = f'attachment; filename="{name}"'
                    return answer
                report = page.compute(asked)
                fields = as_json(page.fields(asked, report))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        if page.rows == "":
            pages = SequencePages()
            rows = pages.paginate_sequence(fields, request)
            return pages.get_paginated_response(as_json(page.describe_rows(asked, report, rows)))
        if page.rows is not None and page.rows in fields:
            fields = ReportPages().cut(fields, page.rows, request)
            fields[page.rows] = as_json(page.describe_rows(asked, report, fields[page.rows]))
        return Response(fields)


def endpoint(page: ResultPage[Any]) -> type[APIView]:
    """Return the view of a page, with what the schema of the API says of it."""
    parameters: list[Any] = [
        *([AnalysisQuerySerializer] if page.uses_answers else []),
        *([inline_serializer(f"{page.name}Query", dict(page.takes))] if page.takes else []),
        *([PageQuerySerializer] if page.rows else []),
    ]
    response = _describe_response(page.gives, page.rows)
    files = {(200, file.content_type.partition(";")[0]): OpenApiTypes.STR for file in page.forms.values()}
    responses = {**files, (200, "application/json"): response} if files else response
    schema = extend_schema(page.api_operation or None, parameters, responses=responses, description=page.api)
    pages = {"pagination_class": SequencePages} if page.rows == "" else {}
    view: type[APIView] = type(page.name.title(), (ResultView,), {"page": page, **pages})
    return extend_schema_view(get=schema)(view)


def _describe_response(report: Any, rows: str | None) -> Any:
    """Return what the schema has of a report, a list of reports, or one of several; `rows` come in pages."""
    if isinstance(report, UnionType):
        one_of = [_describe_response(one, rows if rows in one.__annotations__ else None) for one in get_args(report)]
        return PolymorphicProxySerializer(
            "Or".join(one.__name__ for one in get_args(report)).replace("ReportOr", "Or"), one_of, None
        )
    if get_origin(report) is list:
        return serializer_of(*get_args(report))(many=True)
    return serializer_of(report, in_pages=True) if rows else serializer_of(report)
