"""The REST API of imports and exports: one POST orders and checks, a second carries out.

Requests have the fields of the forms of the pages, under the same names; an option of a format is `option-KEY`.
"""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.access import RequestThrottle, TransferThrottle
from annotations.api.http.endpoints import endpoint
from annotations.api.http.problems import problem
from annotations.api.lists import ProjectListView
from annotations.api.serializers.problems import CONFLICT
from annotations.api.serializers.requests import StringsField, form_errors
from annotations.models import Project, Transfer, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import may_archive, transfer_for
from annotations.transfers import orders
from annotations.transfers.forms import ExportForm, ImportForm, RestoreForm


class TransferSerializer(serializers.ModelSerializer[Transfer]):
    project = serializers.SlugField(source="project.slug", allow_null=True, read_only=True, default=None)
    user = serializers.CharField(source="user.username", read_only=True)
    report = serializers.JSONField(
        read_only=True, help_text="What would come in or be lost, or what was; null until it is checked."
    )

    class Meta:
        model = Transfer
        fields = ["id", "project", "user", "kind", "format", "choices", "state", "done", "total", "report"]
        fields += ["error", "created_at", "finished_at"]


# The fields of the forms in transfers/forms.py, for the schema only.


class ImportOrderSerializer(serializers.Serializer[Any]):
    format = serializers.CharField(
        required=False, help_text="The key of a format that is read; detected from the files where it is not given."
    )
    files = serializers.ListField(child=serializers.FileField())
    whose = serializers.ChoiceField(
        ["parent", "name", "one", "nobody"], required=False, help_text="Needed where the format names no coders."
    )
    coder = serializers.CharField(required=False, help_text="Required for one coder’s work.")
    predefined = serializers.BooleanField(required=False)
    create = serializers.BooleanField(required=False)  # type: ignore[assignment]
    round = serializers.CharField(
        required=False, help_text="where texts come into; without it the latest of each, of new ones the open one"
    )
    gold = serializers.BooleanField(
        required=False, help_text="They are gold, of a manager or adjudicator; notes are the explanations."
    )
    new_scheme = serializers.BooleanField(
        required=False, help_text="Make the scheme from the files: in a project without texts, by its managers."
    )


class ExportOrderSerializer(serializers.Serializer[Any]):
    format = serializers.CharField(help_text="The key of a format that is written, or `project` for an archive.")
    coders = StringsField(required=False)
    texts = StringsField(required=False)
    unfinished = serializers.BooleanField(required=False)
    rounds = StringsField(required=False, help_text="none: all but training and rechecks")
    gold = serializers.ChoiceField(
        ["", "gold", "silver"],
        required=False,
        help_text="Instead of codings the gold of texts, or drafts that are not decided yet; for who decides gold.",
    )


class RestoreOrderSerializer(serializers.Serializer[Any]):
    file = serializers.FileField()
    slug = serializers.CharField(required=False)


def _validated_form[Form: forms.Form](form: Form) -> Form:
    if not form.is_valid():
        raise ValidationError(form_errors(form))
    return form


def _sent_fields(request: Request) -> Mapping[str, Any]:
    if not isinstance(request.data, Mapping):
        raise ValidationError("Send an object with the fields by name.")
    return request.data


def _order_response(transfer: Transfer) -> Response:
    return Response(TransferSerializer(transfer).data, status=status.HTTP_201_CREATED)


class TransferList(ProjectListView):
    """The imports and exports of a project, the latest first."""

    serializer_class = TransferSerializer
    filterset_fields = ["kind", "format", "state"]
    ordering = ["-pk"]
    right = Right.SEE_RESULTS

    def rows_of(self, project: Project) -> QuerySet[Transfer]:
        return Transfer.objects.shown_in(project)

    def paginate_queryset(self, queryset: QuerySet[Transfer]) -> list[Transfer] | None:  # type: ignore[override]
        page = super().paginate_queryset(queryset)
        for transfer in page or ():
            orders.mark_if_lost(transfer)
        return page


class ImportFiles(APIView):
    """Check an import. Nothing is changed before it is carried out."""

    throttle_classes = [RequestThrottle, TransferThrottle]
    parser_classes = [MultiPartParser]

    @endpoint(Right.MANAGE_WORK, request=ImportOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request, project: Project) -> Response:
        form = _validated_form(ImportForm(project, _sent_fields(request), request.FILES))
        user, files = cast(User, request.user), form.cleaned_data["files"]
        return _order_response(orders.order_import(project, user, files, form.format_key, form.choices))


class ExportFiles(APIView):
    """Check an export for losses of the format. The file is written when it is carried out."""

    throttle_classes = [RequestThrottle, TransferThrottle]
    parser_classes = [JSONParser, MultiPartParser]

    @endpoint(Right.SEE_RESULTS, archived=True, request=ExportOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request, project: Project) -> Response:
        form = _validated_form(ExportForm(project, _sent_fields(request), archives=may_archive(project)))
        return _order_response(orders.order_export(project, cast(User, request.user), form.format_key, form.choices))


class RestoreArchive(APIView):
    """Check a project archive, which becomes a project when it is carried out."""

    throttle_classes = [RequestThrottle, TransferThrottle]
    parser_classes = [MultiPartParser]

    @extend_schema(request=RestoreOrderSerializer, responses={201: TransferSerializer})
    def post(self, request: Request) -> Response:
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You are not allowed to create projects.")
        fields = _validated_form(RestoreForm(_sent_fields(request), request.FILES)).cleaned_data
        return _order_response(orders.order_restore(user, fields["file"], fields["slug"]))


class TransferDetail(APIView):
    """An import or export with its report and progress."""

    @extend_schema(responses=TransferSerializer)
    def get(self, request: Request, pk: int) -> Response:
        transfer = transfer_for(request.user, pk)
        orders.mark_if_lost(transfer)
        return Response(TransferSerializer(transfer).data)

    @extend_schema(responses={204: None, **CONFLICT})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete the transfer and its file; its effects stay. The answer is 409 while it is in progress."""
        if not orders.discard(transfer_for(request.user, pk), cast(User, request.user)):
            return problem(409, "at_work", "This is in progress. Cancel it, or wait until it is done.")
        return Response(status=status.HTTP_204_NO_CONTENT)


class CarryOut(APIView):
    """Carry out a checked transfer. The answer is 409 if it has begun already or was refused."""

    @extend_schema(request=None, responses={200: TransferSerializer, **CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        transfer = transfer_for(request.user, pk)
        if not orders.carry_out(transfer, cast(User, request.user)):
            return problem(409, "not_checked", f"This is {transfer.get_state_display()}.")
        return Response(TransferSerializer(transfer).data)


class Cancel(APIView):
    """Cancel a queued or running transfer and its effects. The answer is 409 if it is too late."""

    @extend_schema(request=None, responses={200: TransferSerializer, **CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        transfer = transfer_for(request.user, pk)
        if not orders.cancel(transfer, cast(User, request.user)):
            return problem(409, "not_at_work", f"This is {transfer.get_state_display()}.")
        return Response(TransferSerializer(transfer).data)


class TransferFile(APIView):
    """The uploaded or exported file, as an attachment."""

    @extend_schema(responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY)})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        return orders.download_response(transfer_for(request.user, pk))
