"""The REST API of imports and exports: ordered and checked by a POST, carried out by a second one.

What forms ask for on pages is asked for here, under the same names; an option of a format is `option-KEY`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import transfers
from annotations.listing import ListOfProject
from annotations.models import Project, Transfer, User
from annotations.permissions import Right, may, project_for, transfer_for
from annotations.problems import problem
from annotations.serializers import (
    ExportOrderSerializer,
    ImportOrderSerializer,
    RestoreOrderSerializer,
    TransferSerializer,
)
from annotations.throttles import Orders, Requests
from annotations.transfer_forms import ExportForm, ImportForm, RestoreForm


def _valid[Form: forms.Form](form: Form) -> Form:
    if not form.is_valid():
        raise ValidationError({name: [str(error) for error in errors] for name, errors in form.errors.items()})
    return form


def _sent(request: Request) -> Mapping[str, Any]:
    if not isinstance(request.data, Mapping):
        raise ValidationError("Send an object with the fields by name.")
    return request.data


def _ordered(made: Transfer) -> Response:
    return Response(TransferSerializer(made).data, status=status.HTTP_201_CREATED)


class TransferFilters(filters.FilterSet):
    class Meta:
        model = Transfer
        fields = ["kind", "format", "state"]


class TransferList(ListOfProject):
    """What came into a project and what left it, the latest first."""

    serializer_class = TransferSerializer
    filterset_class = TransferFilters
    ordering = ["-pk"]
    queryset = Transfer.objects.none()
    right = Right.SEE_RESULTS

    def rows_of(self, project: Project) -> QuerySet[Transfer]:
        return Transfer.objects.shown_in(project)

    def paginate_queryset(self, queryset: QuerySet[Transfer]) -> list[Transfer] | None:  # type: ignore[override]
        page = super().paginate_queryset(queryset)
        for one in page or ():
            transfers.settle(one)
        return page


class ImportFiles(APIView):
    """Check an import. Nothing is changed before it is carried out."""

    throttle_classes = [Requests, Orders]
    parser_classes = [MultiPartParser]

    @extend_schema(request=ImportOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_for(request.user, slug, Right.MANAGE)
        form = _valid(ImportForm(project, _sent(request), request.FILES))
        user, files = cast(User, request.user), form.cleaned_data["files"]
        return _ordered(transfers.order_import(project, user, files, form.chosen, form.choices))


class ExportFiles(APIView):
    """Check an export: what the format cannot hold. The file is made when it is carried out."""

    throttle_classes = [Requests, Orders]
    parser_classes = [JSONParser, MultiPartParser]

    @extend_schema(request=ExportOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_for(request.user, slug, Right.SEE_RESULTS)
        form = _valid(ExportForm(project, _sent(request), archives=may(project, Right.MANAGE)))
        return _ordered(transfers.order_export(project, cast(User, request.user), form.chosen, form.choices))


class RestoreArchive(APIView):
    """Check a project's archive, which becomes a project when it is carried out."""

    throttle_classes = [Requests, Orders]
    parser_classes = [MultiPartParser]

    @extend_schema(request=RestoreOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You may not make projects.")
        fields = _valid(RestoreForm(_sent(request), request.FILES)).cleaned_data
        return _ordered(transfers.order_restore(user, fields["file"], fields["slug"]))


class TransferDetail(APIView):
    """One import or export: its report, and how far it is."""

    @extend_schema(responses=TransferSerializer)
    def get(self, request: Request, pk: int) -> Response:
        found = transfer_for(request.user, pk)
        transfers.settle(found)
        return Response(TransferSerializer(found).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Forget it and its file; what it has done stays. 409 while it is being worked on."""
        if not transfers.discard(transfer_for(request.user, pk), cast(User, request.user)):
            return problem(409, "at_work", "This is being worked on; wait until it is done.")
        return Response(status=status.HTTP_204_NO_CONTENT)


class CarryOut(APIView):
    """Do what was checked. 409 where that is begun already, or was refused."""

    @extend_schema(request=None, responses=TransferSerializer)
    def post(self, request: Request, pk: int) -> Response:
        found = transfer_for(request.user, pk)
        if not transfers.carry_out(found, cast(User, request.user)):
            return problem(409, "not_checked", f"This is {found.get_state_display()}.")
        return Response(TransferSerializer(found).data)


class TransferFile(APIView):
    """The file that was uploaded or made, as an attachment."""

    @extend_schema(responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY)})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        return transfers.taken(transfer_for(request.user, pk))
