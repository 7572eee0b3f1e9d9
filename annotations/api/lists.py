"""Lists of the API: in pages by cursor, filtered and ordered by what is allowed, and by nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from django import forms
from django.db import DataError
from django.db.models import QuerySet
from django_filters.fields import IsoDateTimeField
from django_filters.rest_framework import DjangoFilterBackend, IsoDateTimeFilter
from rest_framework import generics
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import Project
from annotations.permissions import Right, project_for

type Row = dict[str, Any]

ALWAYS = frozenset({"cursor", "page_size"})


class Cursor(CursorPagination):
    """Pages by an address that says where the next begins; one that is not ours leads to nothing."""

    offset_cutoff = 10**9  # rows that are equal in what they are ordered by are counted, however many there are

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, OverflowError, DataError):
            if self.cursor_query_param not in request.query_params:
                raise
            raise NotFound(self.invalid_cursor_message) from None


class Pages(Cursor):
    """A hundred rows, or as many as are asked for up to a thousand."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        """As asked for; rows that are equal in that stand by what is unique, so that none is shown twice or missed."""
        asked = OneOf().get_ordering(request, queryset, view) or ()
        return (*asked, *(name for name in view.ordering if name.lstrip("-") not in {one.lstrip("-") for one in asked}))


class Filters(DjangoFilterBackend):
    """What the view's `filterset_class` names; anything else is refused, so that nobody believes it had an effect."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:  # type: ignore[override]
        filterset = self.get_filterset_class(view, queryset)
        known = {*(filterset.base_filters if filterset else ()), *ALWAYS}
        if getattr(view, "ordering_fields", None):
            known.add(OneOf.ordering_param)
        for name in request.query_params:
            if name not in known:
                raise ValidationError({name: [f"This is no filter here; there are {', '.join(sorted(known))}."]})
        if filterset is None or not filterset.base_filters.keys() & request.query_params.keys():
            return queryset  # a form of every filter is much work for nothing
        return super().filter_queryset(request, queryset, view)


class MomentField(IsoDateTimeField):
    """A moment with its time zone, where it is one in UTC too: the last hours of the year 9999 are not everywhere."""

    def to_python(self, value: Any) -> Any:
        try:
            moment = super().to_python(value)
            return moment and moment.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("This is no moment of the years 1 to 9999 in UTC.", code="invalid") from None


class MomentFilter(IsoDateTimeFilter):
    field_class = MomentField


class OneOf(OrderingFilter):
    """The orders that the view's `ordering_fields` names."""

    ordering_param = "ordering"

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> Sequence[str] | None:
        given = request.query_params.get(self.ordering_param)
        allowed = dict(self.get_valid_fields(queryset, view, {"request": request})) if given else {}
        for name in given.split(",") if given else ():
            if name.strip().removeprefix("-") not in allowed:
                raise ValidationError(
                    {self.ordering_param: [f"Choose of {', '.join(allowed)}, with - for descending."]}
                )
        return super().get_ordering(request, queryset, view)


class Listed(generics.ListAPIView[Any]):
    """A list in pages: a view says of what, in which `ordering`, and what may be filtered and ordered by."""

    pagination_class = Pages
    filter_backends = [Filters]


class ListOfProject(Listed, ABC):
    """What a project has, for those who have the `right` in it. `queryset` is empty, for the schema alone."""

    right = Right.MANAGE

    def get_queryset(self) -> QuerySet[Any, Any]:
        if getattr(self, "swagger_fake_view", False):
            return super().get_queryset()
        return self.rows_of(project_for(self.request.user, self.kwargs["slug"], self.right))

    @abstractmethod
    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        """What is listed, before it is filtered."""


class FlatList(ListOfProject):
    """Rows as dictionaries, past the objects of the ORM."""

    right = Right.SEE_RESULTS

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002 - DRF's signature
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.shown(list(page or ())))

    def shown(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of a page as they are sent."""
        sent: Sequence[Row] = self.get_serializer(rows, many=True).data
        return sent
