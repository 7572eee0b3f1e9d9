"""The REST API of the tables of the pages: the same bytes as a page gives, for scripts that come with a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.serializers import AskedSerializer
from agreement.tables import FORMS
from agreement.views import categories, coders, course, explorer, items, pyramids, texts
from agreement.views.page import LIST
from annotations.models import Project
from annotations.permissions import Right, project_for
from annotations.problems import problem

type Page = Callable[..., HttpResponse]

OF_ALL: dict[str, Page] = {
    "agreement": explorer.agreement,
    "grid": explorer.grid,
    "compare": explorer.compare,
    "texts": texts.texts,
    "coders": coders.coders,
    "pair": coders.pair,
    "categories": categories.categories,
    "course": course.course,
    "items": items.items,
    "methods": explorer.methods,
    "allows": explorer.allows,
}
OF_PYRAMIDS: dict[str, Page] = {
    "scores": pyramids.scores,
    "study": pyramids.study,
    "scus": pyramids.scus,
    "peers": pyramids.peers,
}
# What stands in the address of the page, and here in the query.
IN_ADDRESS = {"pair": ("first", "second")}
FORM = OpenApiParameter("form", str, enum=list(FORMS), description="How the table is written; json where left out.")
OWN = OpenApiParameter(
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


def pages_of(project: Project) -> dict[str, Page]:
    return OF_ALL | (OF_PYRAMIDS if project.answers == Project.Answers.SCUS else {})


class PageList(APIView):
    """The pages of agreement that have tables."""

    @extend_schema(operation_id="projects_agreement_tables_pages", responses=PageSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        found = pages_of(project_for(request.user, slug, Right.SEE_RESULTS))
        return Response([{"page": name, "about": (page.__doc__ or "").splitlines()[0]} for name, page in found.items()])


class TableList(APIView):
    """The tables of a page, for what the query asks for."""

    @extend_schema(parameters=[AskedSerializer, OWN], responses=TableSerializer(many=True))
    def get(self, request: Request, slug: str, page: str) -> HttpResponse:
        return taken(request, slug, page, LIST)


class TableDetail(APIView):
    """A table of a page, with every digit, for what the query asks for. 503 with `Retry-After` while it is computed."""

    @extend_schema(
        parameters=[AskedSerializer, OWN, FORM],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "text/plain"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str, page: str, table: str) -> HttpResponse:
        form = request.query_params.get("form", "json")
        if form not in FORMS:
            raise ValidationError({"form": [f"Choose one of {', '.join(FORMS)}."]})
        return taken(request, slug, page, form, table)


def taken(request: Request, slug: str, name: str, form: str, table: str = "") -> HttpResponse:
    """What the page gives in that form; its errors as problems."""
    page = pages_of(project_for(request.user, slug, Right.SEE_RESULTS)).get(name)
    if page is None:
        raise Http404("There is no such page.")
    inner: HttpRequest = request._request
    query = inner.GET.copy()
    query.pop("form", None)
    address = {part: str((query.pop(part, None) or [""])[-1]) for part in IN_ADDRESS.get(name, ())}
    query["as"], query["table"] = form, table
    inner.GET = query  # type: ignore[assignment]
    answer = page(inner, slug, **address)
    if answer.status_code == 503:
        waiting = problem(503, "still_computing", answer.content.decode())
        waiting["Retry-After"] = answer["Retry-After"]
        return waiting
    if answer.status_code == 400:
        said = answer.content.decode()
        return problem(400, "invalid", said, errors={"non_field_errors": [said]})
    return answer
