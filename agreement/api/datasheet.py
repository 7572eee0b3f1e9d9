"""The REST API of the datasheet of a project."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from agreement.api.agreement import AgreementView
from agreement.api.serializers.agreement import AnalysisQuerySerializer
from agreement.api.serializers.datasheet import FORMS, DatasheetFormSerializer, DatasheetSerializer
from agreement.reports.datasheet.report import describe_project
from agreement.reports.request.parameters import InvalidParameter
from agreement.sections.datasheet.document import as_file
from annotations.models.people.rights import Right
from annotations.models.project import may


class DatasheetDetail(AgreementView):
    """What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named.

    Training and adjudication are null for those who do not decide what is gold. Parameters are those of the
    coefficient; coders cannot be chosen.
    """

    @extend_schema(
        parameters=[AnalysisQuerySerializer, DatasheetFormSerializer],
        responses={(200, "application/json"): DatasheetSerializer, (200, "text/markdown"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        project, answers, parameters = self.parsed(request, slug, ["form"])
        form = request.query_params.get("form", FORMS[0])
        if form not in FORMS:
            raise ValidationError({"form": [f"Choose one of {', '.join(FORMS)}."]})
        try:
            sheet = describe_project(project, answers, parameters, sees_gold=may(project, Right.ADJUDICATE))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        if form == "json":
            return Response(sheet.as_dict())
        answer = HttpResponse(as_file(sheet), content_type="text/markdown; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="{project.slug}-datasheet.md"'
        return answer
