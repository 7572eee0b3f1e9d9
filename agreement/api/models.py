"""The REST API of a model beside people."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers.agreement import AnalysisQuerySerializer
from agreement.api.serializers.models import ModelQuerySerializer, ModelReportSerializer
from agreement.data.codings.model_codings import read_model_names
from agreement.data.extract.extract import Extract
from agreement.data.texts.snippets import read_snippets_and_texts
from agreement.reports.coders.models import OPTIONS, ModelReport, compare_model
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import include_models, parse_asked, parse_query
from agreement.sections.pages.items.items import given_answers
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, ReportPages
from annotations.projects.viewing import results_with_models_for


class Models(APIView):
    """One model beside the people who are chosen: agreement, the alternative annotator test, what it wins and loses.

    `items` are those on which all people agree and it does not, in pages. For who codes there is no such address.
    """

    @extend_schema(
        operation_id="projects_agreement_models",
        parameters=[AnalysisQuerySerializer, ModelQuerySerializer, PageQuerySerializer],
        responses=ModelReportSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = results_with_models_for(request.user, slug)
        values = parse_query(request.query_params)
        options = {name: values.pop(name, "") for name in OPTIONS}
        values = {name: value for name, value in values.items() if name not in PAGE_PARAMETERS}
        values["include"] = include_models(values.get("include", ""))
        models = read_model_names(project)
        try:
            answers, parameters = parse_asked(project, values)
            report = compare_model(answers, parameters, models, options)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        counted = answers.select(parameters.selection("include"))
        fields = {
            **report.as_dict(),
            "models": [name for name in counted.coders if name in models],
            "items": report.items.missed.tolist(),
        }
        answer = ReportPages().cut(fields, "items", request)
        return Response({**answer, "items": _list_items(counted, report, answer["items"])})


def _list_items(answers: Extract, report: ModelReport, rows: list[int]) -> list[dict[str, Any]]:
    items = report.items
    units = [int(items.unit[row]) for row in rows]
    snippets, contents = read_snippets_and_texts(units)
    given = given_answers(
        answers.select(report.parameters.selection("include"), (*report.people, report.candidate)), units, contents
    )
    listed = []
    for row, unit in zip(rows, units, strict=True):
        said = {one.coder: str(one) for one in given.get(unit, ())}
        text, model = items.texts[items.text[row]], said.pop(report.candidate, "")
        listed.append(
            {
                "text": text.slug,
                "round": text.round,
                "key": snippets[unit].key,
                "words": snippets[unit].words,
                "people": "; ".join(f"{coder}: {words}" for coder, words in said.items()),
                "model": model,
                "distance": 1 - float(items.candidate[row]),
                "n_people": int(items.n_people[row]),
            }
        )
    return listed
