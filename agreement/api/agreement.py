"""The REST API of what managers learn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.asked import given_in
from agreement.extract import Extract, extract
from agreement.parameters import Parameters, WrongParameter, asked_for
from agreement.reports import items, overall
from agreement.reports.basis import effective
from agreement.reports.matrix import matrix
from agreement.serializers import (
    AskedSerializer,
    GridCellSerializer,
    ItemReportSerializer,
    ItemSerializer,
    MatrixFormSerializer,
    MatrixRowSerializer,
    ReportSerializer,
)
from agreement.words import Words, words_of_units
from annotations.formats.matrix import Matrix, write_csv, write_json
from annotations.models import Project
from annotations.permissions import Right, project_for


class AgreementView(APIView):
    """What the agreement views share: who may look, and what is asked for."""

    def asked(self, request: Request, slug: str, own: Collection[str] = ()) -> tuple[Project, Extract, Parameters]:
        """What is asked for, but for parameters that are the view's own."""
        project = project_for(request.user, slug, Right.SEE_RESULTS)
        given = {name: value for name, value in given_in(request.query_params).items() if name not in own}
        try:
            parameters = asked_for(given, project.preset, project.answers)
            extracted = extract(project, parameters.units)
            return project, extracted, effective(extracted, parameters)
        except WrongParameter as wrong:
            raise ValidationError({wrong.field: [wrong.message]}) from wrong


class Agreement(AgreementView):
    """The agreement of a project, over all texts and in each, computed now."""

    @extend_schema(parameters=[AskedSerializer], responses=ReportSerializer)
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.asked(request, slug)
        return Response(overall.report(extracted, parameters).as_dict())


# How the matrix is written, its type, and its file's ending.
MATRICES: dict[str, tuple[Callable[[Matrix], bytes], str, str]] = {
    "json": (write_json, "application/json", "json"),
    "csv": (write_csv, "text/csv; charset=utf-8", "csv"),
    "raw": (partial(write_csv, raw=True), "text/csv; charset=utf-8", "csv"),
}


class Data(AgreementView):
    """The reliability data with which the agreement is computed: a row a unit, a value for each coder.

    Values are labels or sets of units, as the parameters ask for. CSV is read by `ReliabilityData.from_matrix`; in
    csv an apostrophe keeps spreadsheets from computing cells, in raw it does not.
    """

    @extend_schema(
        parameters=[AskedSerializer, MatrixFormSerializer],
        responses={
            (200, "application/json"): MatrixRowSerializer(many=True),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        project, extracted, parameters = self.asked(request, slug, ["form"])
        form = MATRICES.get(request.query_params.get("form", "json"))
        if form is None:
            raise ValidationError({"form": [f"Choose one of {', '.join(MATRICES)}."]})
        write, content_type, suffix = form
        answer = HttpResponse(write(matrix(extracted, parameters)), content_type=content_type)
        answer["Content-Disposition"] = f'attachment; filename="{project.slug}-data.{suffix}"'
        return answer


class Grid(AgreementView):
    """Alpha for every distance x chain construction, and K for each construction."""

    @extend_schema(parameters=[AskedSerializer], responses=GridCellSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.asked(request, slug)
        cells = [
            {
                "construction": label,
                "parameters": cell.parameters.query(),
                "value": cell.result.value,
                "note": cell.result.note,
            }
            for label, row in overall.grid(extracted, parameters)
            for cell in row
        ]
        return Response(cells)


class Items(AgreementView):
    """The units by their share of the observed disagreement, the largest first."""

    @extend_schema(parameters=[AskedSerializer], responses=ItemSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.asked(request, slug)
        found = items.items(extracted, parameters)
        words = words_of_units(found.unit.tolist())
        return Response([_item(found, row, words) for row in found.chosen(items.Filters()).tolist()])


class Item(AgreementView):
    """One unit: what every coder answered, and the relation of every pair of coders."""

    @extend_schema(parameters=[AskedSerializer], responses=ItemReportSerializer)
    def get(self, request: Request, slug: str, text: str, key: str) -> Response:
        _, extracted, parameters = self.asked(request, slug)
        found = items.item(extracted, parameters, text, key)
        if found is None:
            raise Http404("There is no such unit.")
        answers = found.text.answers
        keys = dict(zip((*answers.units, *answers.others), answers.keys, strict=True))
        return Response(
            {
                "text": text,
                "key": key,
                "values": [_value(coder, value, keys) for coder, value in found.values.items() if value is not None],
                "pairs": [asdict(pair) for pair in found.pairs],
            }
        )


def _item(found: items.Items, row: int, words: Mapping[int, Words]) -> dict[str, Any]:
    one = words[int(found.unit[row])]
    return {
        "text": found.texts[found.text[row]].slug,
        "key": one.key,
        "words": one.words,
        "label": one.label,
        "share": float(found.share[row]),
        "observed": float(found.observed[row]),
        "n_coders": int(found.n_coders[row]),
        "n_values": int(found.n_values[row]),
        "relations": items.counted(found.relations[row].tolist()),
        "n_ambiguous": int(found.explicit[row]),
        "camps": bool(found.camps[row]),
    }


def _value(coder: str, value: object, keys: dict[int, str]) -> dict[str, Any]:
    if isinstance(value, frozenset):
        chain = [key for unit, key in keys.items() if unit in value]
        return {"coder": coder, "category": None, "chain": chain}
    return {"coder": coder, "category": value, "chain": None}
