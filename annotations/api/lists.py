"""Lists of the API: pages by cursor, with filters and orderings by declared fields only."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC
from typing import Any, cast

from django import forms
from django.db import DataError
from django.db.models import QuerySet
from django_filters.fields import IsoDateTimeField
from django_filters.rest_framework import DjangoFilterBackend, IsoDateTimeFilter
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.serializers.requests import form_errors
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.projects.viewing import results_for

type Row = dict[str, Any]

PAGE_PARAMETERS = frozenset({"cursor", "page_size"})


class SafeCursorPagination(CursorPagination):
    """Pages by cursor; an invalid cursor answers 404."""

    offset_cutoff = 10**9  # count all rows with equal ordering values, however many

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, OverflowError, DataError):
            if self.cursor_query_param not in request.query_params:
                raise
            raise NotFound(self.invalid_cursor_message) from None


class CursorPages(SafeCursorPagination):
    """Pages of 100 rows, or as many as requested, up to 1000."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        """Return the requested ordering, extended to a unique one, so that no row is repeated or missed."""
        requested = StrictOrderingFilter().get_ordering(request, queryset, view) or ()
        columns: dict[str, str] = getattr(view, "ordering_columns", {})  # fields ordered by another column
        requested = [
            f"{'-' * name.startswith('-')}{columns.get(name.removeprefix('-'), name.removeprefix('-'))}"
            for name in requested
        ]
        return (
            *requested,
            *(name for name in view.ordering if name.lstrip("-") not in {field.lstrip("-") for field in requested}),
        )


class SequencePages(CursorPages):
    """Pages of a sorted sequence, such as figures, instead of a table; their size is that of `CursorPages`."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = self.size = self.total = 0

    def paginate_sequence[T](self, rows: Sequence[T] | QuerySet[Any, T], request: Request) -> Sequence[T]:
        """Return the rows of the requested page without reading others. Raise NotFound for an invalid cursor."""
        self.request = request
        self.base_url = request.build_absolute_uri()
        cursor = self.decode_cursor(request)
        self.offset = cursor.offset if cursor else 0
        self.size = self.get_page_size(request) or self.page_size
        self.total = rows.count() if isinstance(rows, QuerySet) else len(rows)
        return list(rows[self.offset : self.offset + self.size])

    def get_next_link(self) -> str | None:
        return self._link(self.offset + self.size) if self.offset + self.size < self.total else None

    def get_previous_link(self) -> str | None:
        return self._link(max(self.offset - self.size, 0)) if self.offset else None

    def _link(self, offset: int) -> str:
        return self.encode_cursor(Cursor(offset=offset, reverse=False, position=None))


class ArrayPages(SequencePages):
    """Pages that are plain arrays of up to 1,000 rows, for old clients; the header `Link` has the next page."""

    page_size = CursorPages.max_page_size

    def get_paginated_response(self, data: Any) -> Response:
        """Return the rows alone, with the addresses of the adjacent pages in the header `Link` (RFC 8288)."""
        pages = {"next": self.get_next_link(), "prev": self.get_previous_link()}
        links = ", ".join(f'<{address}>; rel="{name}"' for name, address in pages.items() if address)
        return Response(data, headers={"Link": links} if links else None)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return schema


class PageQuerySerializer(serializers.Serializer[Any]):
    """The parameters of a report with a list in pages."""

    cursor = serializers.CharField(required=False, help_text="Of another page: that of `next` or `previous`.")
    page_size = serializers.IntegerField(
        required=False, min_value=1, max_value=CursorPages.max_page_size, help_text="Without: as many as may be."
    )


class PartSerializer(serializers.Serializer[Any]):
    """The addresses of the adjacent pages of a list within a report."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class ReportPages(SequencePages):
    """Pages of a list within a report: as many rows as allowed, unless fewer are requested."""

    page_size = CursorPages.max_page_size

    def cut(self, report: Mapping[str, Any], name: str, request: Request) -> dict[str, Any]:
        """Return the report with one page of the list `name`, and the addresses of the adjacent pages."""
        rows = self.paginate_sequence(report[name], request)
        return {**report, name: rows, "next": self.get_next_link(), "previous": self.get_previous_link()}


class StrictFilterBackend(DjangoFilterBackend):
    """The filters of the view's `filterset_class` or `filterset_fields`. Other parameters are refused."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:  # type: ignore[override]
        filterset = self.get_filterset_class(view, queryset)
        allowed = {*(filterset.base_filters if filterset else ()), *PAGE_PARAMETERS}
        if getattr(view, "ordering_fields", None):
            allowed.add(StrictOrderingFilter.ordering_param)
        for name in request.query_params:
            if name not in allowed:
                raise ValidationError({name: [f"This is no filter here; there are {', '.join(sorted(allowed))}."]})
        if filterset is None or not filterset.base_filters.keys() & request.query_params.keys():
            return queryset  # avoid building a form with every filter
        chosen = self.get_filterset(request, queryset, view)
        assert chosen is not None
        if not chosen.is_valid():
            raise ValidationError(form_errors(chosen.form))
        return chosen.qs


class UTCDateTimeField(IsoDateTimeField):
    """A time with its time zone that UTC can represent; a few of the year 9999 in other zones cannot be."""

    def to_python(self, value: Any) -> Any:
        try:
            time = super().to_python(value)
            return time and time.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("This is no moment of the years 1 to 9999 in UTC.", code="invalid") from None


class UTCDateTimeFilter(IsoDateTimeFilter):
    field_class = UTCDateTimeField


class StrictOrderingFilter(OrderingFilter):
    """The orderings by the view's `ordering_fields`; others are refused."""

    ordering_param = "ordering"

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> Sequence[str] | None:
        requested = request.query_params.get(self.ordering_param)
        allowed = dict(self.get_valid_fields(queryset, view, {"request": request})) if requested else {}
        for name in requested.split(",") if requested else ():
            if name.strip().removeprefix("-") not in allowed:
                raise ValidationError(
                    {self.ordering_param: [f"Choose of {', '.join(allowed)}, with - for descending."]}
                )
        return super().get_ordering(request, queryset, view)


class BaseListView(generics.ListAPIView[Any]):
    """A list in pages. Subclasses define the queryset, the `ordering`, filters and `ordering_fields`."""

    pagination_class = CursorPages
    filter_backends = [StrictFilterBackend]


class ProjectListView(BaseListView, ABC):
    """A list of rows of a project, for members with the `right`; filters or serializer give the model."""

    right = Right.MANAGE

    def get_queryset(self) -> QuerySet[Any, Any]:
        if getattr(self, "swagger_fake_view", False):
            described: Any = getattr(self, "filterset_class", self.serializer_class)
            return cast(QuerySet[Any, Any], described.Meta.model.objects.none())
        return self.rows_of(self.find_project())

    def find_project(self) -> Project:
        """Return the project, if the user has the right."""
        return project_for(self.request.user, self.kwargs["slug"], self.right)

    @abstractmethod
    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        """Return the rows of the project, before filtering."""


class RowListView(ProjectListView):
    """A list of rows as dictionaries, without model instances; `represent` adds the fields that are `computed`."""

    right = Right.SEE_RESULTS
    computed: Collection[str] = ()

    def columns(self) -> list[str]:
        """Return the columns that the serializer reads, and the primary key."""
        serializer = self.get_serializer()
        assert isinstance(serializer, serializers.Serializer)
        return ["pk", *(str(field.source) for name, field in serializer.fields.items() if name not in self.computed)]

    def find_project(self) -> Project:
        """Return the project; for lists of answers, record that its submissions were viewed."""
        if self.right is Right.SEE_RESULTS:
            return results_for(self.request.user, self.kwargs["slug"])
        return super().find_project()

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002 - DRF's signature
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.represent(list(page or ())))

    def represent(self, rows: Sequence[Row]) -> Sequence[Row]:
        return cast(Sequence[Row], self.get_serializer(rows, many=True).data)
