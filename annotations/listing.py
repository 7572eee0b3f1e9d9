"""Lists of the API: in pages by cursor, filtered and ordered by what is allowed, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ValidationError
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

ALWAYS = frozenset({"cursor", "page_size"})


class Pages(CursorPagination):
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
