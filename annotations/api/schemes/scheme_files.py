"""The REST API of schemes as files: written in one kind, read in any."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.serializers.projects import SchemeDocumentSerializer, validated
from annotations.formats import FormatError
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.formats.schemes import read_scheme
from annotations.formats.schemes.scheme_file import MOST_UNPACKED_BYTES
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.transfers.scheme_files import WRITTEN, export_scheme


class SchemeFileSerializer(serializers.Serializer[object]):
    file = serializers.FileField(
        help_text="JSON, XML of MMAX2, annotation.conf of brat, layers of INCEpTION, or a zip."
    )


class ReadSchemeSerializer(serializers.Serializer[object]):
    scheme = SchemeDocumentSerializer(help_text="What `PUT scheme/` and `POST scheme/preview/` take.")
    losses = serializers.ListField(
        child=serializers.CharField(), help_text="What the file says besides that a scheme here cannot say."
    )


class ExportScheme(APIView):
    """The scheme of a project as a file."""

    @extend_schema(
        parameters=[OpenApiParameter("format", enum=list(WRITTEN), description="json, where it is not given.")],
        responses={
            (200, "application/json"): OpenApiResponse(OpenApiTypes.BINARY, description="Of the format json."),
            (200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, description="Of the format mmax2."),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        project = project_for(request.user, slug, Right.VIEW_PROJECT)
        try:
            download = export_scheme(project, request.query_params.get("format", "json"))
        except FormatError as error:
            raise ValidationError({"format": [error.message]}) from None
        headers = {"Content-Disposition": f'attachment; filename="{download.name}"'}
        return HttpResponse(download.data, content_type=download.content_type, headers=headers)


class ReadScheme(APIView):
    """The scheme of a file. Nothing is changed: it is for `PUT scheme/`."""

    parser_classes = [MultiPartParser]

    @extend_schema(request=SchemeFileSerializer, responses=ReadSchemeSerializer)
    def post(self, request: Request, slug: str) -> Response:
        project_for(request.user, slug, Right.MANAGE)
        file = validated(SchemeFileSerializer(data=request.data))["file"]
        if file.size > MOST_UNPACKED_BYTES:
            raise ValidationError({"file": [f"The limit is {MOST_UNPACKED_BYTES // 1_000_000} MB."]})
        try:
            read = read_scheme(file.read(), file.name)
        except FormatError as error:
            raise ValidationError({"file": [str(error)]}) from None
        scheme = scheme_to_json(read.spec.with_pointing(), read.answers)
        return Response({"scheme": scheme, "losses": [str(loss) for loss in read.losses]})
