"""The REST API of results: an endpoint and a schema for the class of each page, and the tables of all pages."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeAliasType, Union, get_args, get_origin

from django.http import Http404, HttpResponse, JsonResponse
from drf_spectacular import utils as schema
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, IntegerField
from rest_framework.views import APIView

from agreement.reports.fields import FLAT, WHERE_THERE, SchemeDocument, as_json, given_fields
from agreement.reports.parameters import (
    CHOICES,
    GROUPS,
    HELP,
    PRESETS,
    QUESTION,
    SELECTIONS,
    InvalidParameter,
    Parameters,
)
from agreement.reports.request import AnalysisRequest, parse_query
from agreement.reports.wording import LABELS
from agreement.results.computations import PageSections, ResultPage, StillComputing, leave_long_reading, write_table
from agreement.results.registry import pages_for
from agreement.results.tables import TABLE_FORMATS, list_tables
from annotations.api.http.problems import problem
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, PartSerializer, ReportPages, SequencePages
from annotations.api.schemes import SchemeDocumentSerializer
from annotations.projects.viewing import results_for

type Fields = dict[str, serializers.Field[Any, Any, Any, Any]]
TABLE_FORMAT = schema.OpenApiParameter(
    "form", str, enum=list(TABLE_FORMATS), description="How the table is written; json where left out."
)
FIRST = schema.OpenApiParameter(
    "first", str, description="Of the page pair, besides `second`. What other pages take is said in docs/dashboards.md."
)
PAGE = schema.inline_serializer("Page", {"page": CharField(), "about": CharField()}, many=True)
TABLE = {"key": CharField(), "caption": CharField(), "note": CharField(allow_blank=True)}
COLUMN: Fields = {"name": CharField(help_text="as in CSV and JSON"), "label": CharField(help_text="as people read it")}
COLUMNS = {"columns": schema.inline_serializer("Column", COLUMN, many=True)}
TABLES = schema.inline_serializer("Table", {**TABLE, **COLUMNS, "rows": IntegerField(help_text="how many")}, many=True)


class ParametersSerializer(serializers.Serializer[Any]):
    """The parameters of a figure."""

    def get_fields(self) -> Fields:
        choices = {
            name: serializers.ChoiceField(choices=choices, required=False, help_text=HELP[name])
            for name, choices in CHOICES.items()
        }
        names = (QUESTION, *SELECTIONS)
        return {**choices, **{name: serializers.CharField(required=False, help_text=HELP[name]) for name in names}}


class AnalysisQuerySerializer(ParametersSerializer):
    """The parameters of a query. They override those of the preset; the default is the project's own preset."""

    def get_fields(self) -> Fields:
        preset = serializers.ChoiceField(choices=list(PRESETS), required=False, help_text="A paper's convention.")
        groups = serializers.CharField(required=False, help_text=HELP[GROUPS])
        return {"preset": preset, **super().get_fields(), GROUPS: groups}


FIELDS: Mapping[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    date: serializers.DateField,
    Any: serializers.JSONField,
    Parameters: ParametersSerializer,
    SchemeDocument: SchemeDocumentSerializer,
}


@cache
def serializer_of(report: type, *, in_pages: bool = False) -> type[serializers.Serializer[Any]]:
    """Return the serializer of a report; `in_pages` if some of its rows are paginated."""
    base = PartSerializer if in_pages else serializers.Serializer
    name = LABELS["components"].get(report.__name__, report.__name__)
    return type(f"{name}Serializer", (base,), {**_fields_of(report), "__doc__": report.__doc__})


def _fields_of(report: Any) -> Fields:
    made: Fields = {}
    for field in given_fields(report):
        own = [mark for mark in field.marks if isinstance(mark, serializers.Field)]
        words = [mark for mark in field.marks if isinstance(mark, str)]
        options: dict[str, Any] = {"help_text": words[0]} if words else {}
        if FLAT in field.marks:
            made |= _fields_of(field.type)
        elif own:
            made[field.name] = own[0]
        elif WHERE_THERE in field.marks:
            made[field.name] = _field_of(field.type, nullable=False, required=False, **options)
        else:
            made[field.name] = _field_of(field.type, **options)
    return made


def _field_of(hint: Any, *, nullable: bool = True, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the serializer field of a type; a field that is omitted instead of null is not `nullable`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        [hint] = (part for part in parts if part is not NoneType)
        return _field_of(hint, **options, **({"allow_null": True} if nullable else {}))
    if hint in FIELDS:
        return FIELDS[hint](**options)
    if isinstance(hint, TypeAliasType):
        return _field_of(hint.__value__, **options)
    if is_dataclass(hint):
        return serializer_of(hint)(**options)  # type: ignore[arg-type]
    if issubclass(origin, Mapping):
        return serializers.DictField(child=_field_of(parts[1]), **options)
    if is_dataclass(parts[0]):
        return serializer_of(parts[0])(many=True, **options)  # type: ignore[arg-type]
    return serializers.ListField(child=_field_of(parts[0]), **options)


class ResultView(APIView):
    """The report of a page, with the requested page of its rows if they are paginated."""

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
                if file := page.forms.get(form):
                    name = f"{project.slug}-{page.name}.{file.suffix}"
                    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
                    return HttpResponse(file.write(asked), content_type=file.content_type, headers=headers)
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
    """Return the API view of a page, with its description for the schema."""
    parameters: list[Any] = [
        *([AnalysisQuerySerializer] if page.uses_answers else []),
        *([schema.inline_serializer(f"{page.name}Query", dict(page.takes))] if page.takes else []),
        *([PageQuerySerializer] if page.rows else []),
    ]
    response = _describe_response(page.gives, page.rows)
    files = {(200, file.content_type.partition(";")[0]): OpenApiTypes.STR for file in page.forms.values()}
    responses = {**files, (200, "application/json"): response} if files else response
    described = schema.extend_schema(page.api_operation or None, parameters, responses=responses, description=page.api)
    pages = {"pagination_class": SequencePages} if page.rows == "" else {}
    view: type[APIView] = type(page.name.title(), (ResultView,), {"page": page, **pages})
    return schema.extend_schema_view(get=described)(view)


def _describe_response(report: Any, rows: str | None) -> Any:
    """Return the schema of a report, a list of reports or a union of reports; the field `rows` is paginated."""
    if isinstance(report, UnionType):
        one_of = [_describe_response(part, rows if rows in part.__annotations__ else None) for part in get_args(report)]
        name = "Or".join(part.__name__ for part in get_args(report)).replace("ReportOr", "Or")
        return schema.PolymorphicProxySerializer(name, one_of, None)
    if get_origin(report) is list:
        return serializer_of(*get_args(report))(many=True)
    return serializer_of(report, in_pages=True) if rows else serializer_of(report)


class PageList(APIView):
    """The pages of agreement that have tables."""

    @schema.extend_schema(operation_id="projects_agreement_tables_pages", responses=PAGE)
    def get(self, request: Request, slug: str) -> Response:
        pages = pages_for(results_for(request.user, slug))
        return Response([{"page": name, "about": page.about} for name, page in pages.items()])


class PageView(APIView):
    """The base class of the views of a page's tables."""

    def build(self, request: Request, slug: str, name: str) -> tuple[AnalysisRequest, PageSections]:
        """Return the request and the sections of a page. Raises Http404."""
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

    def handle_exception(self, exc: Exception) -> Response:
        """Return a problem response for invalid parameters, or the default response to other errors."""
        if isinstance(exc, InvalidParameter):
            return problem(400, "invalid", str(exc), errors={"non_field_errors": [str(exc)]})
        return super().handle_exception(exc)


class TableList(PageView):
    """The tables of a page, with the parameters of the query."""

    @schema.extend_schema(parameters=[AnalysisQuerySerializer, FIRST], responses=TABLES)
    def get(self, request: Request, slug: str, page: str) -> HttpResponse:
        analysis, sections = self.build(request, slug, page)
        if sections.waiting:
            raise StillComputing
        if analysis.error:
            raise analysis.error
        return JsonResponse(list_tables(sections.tables), safe=False)


class TableDetail(PageView):
    """A table of a page, with every digit and the query's parameters. 503 with `Retry-After` while it is computed."""

    @schema.extend_schema(
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
        return write_table(analysis, sections, table_format, table)
