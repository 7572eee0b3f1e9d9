"""The REST API of what managers learn from pyramids."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers.pyramids import (
    DocsetQuerySerializer,
    PairQuerySerializer,
    PeersSerializer,
    ScoresQuerySerializer,
    ScoresSerializer,
    ScusSerializer,
    StudyQuerySerializer,
    StudySerializer,
)
from agreement.data.pyramids.pyramids import require_pyramids
from agreement.reports.pyramids import dispatch as reports
from agreement.reports.request.parameters import InvalidParameter
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, ReportPages
from annotations.projects.viewing import results_for


class PyramidView(APIView):
    """What the views on pyramids share: who may look, and what is asked for."""

    name: str
    rows: str | None = None  # what of the report comes in pages

    def answer(self, request: Request, slug: str) -> Response:
        """Return the report of this name by the parameters of the query."""
        project = results_for(request.user, slug)
        require_pyramids(project)
        try:
            report = reports.report_as_dict(self.name, project, _without_page(request))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        if report is None:
            raise Http404("No docset has two pyramids.")
        return Response(ReportPages().cut(report, self.rows, request) if self.rows else report)


def _without_page(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.query_params.dict().items() if name not in PAGE_PARAMETERS}


class Scores(PyramidView):
    """The scores of peer summaries by the pyramids that coders held them against. `peers` come in pages."""

    name = "scores"
    rows = "peers"

    @extend_schema(parameters=[ScoresQuerySerializer, PageQuerySerializer], responses=ScoresSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Study(PyramidView):
    """How alike the own pyramids of two coders score the same peers."""

    name = "study"

    @extend_schema(parameters=[StudyQuerySerializer], responses=StudySerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Scus(PyramidView):
    """The SCUs of two coders of a docset, matched and related; 404 where no docset has two pyramids."""

    name = "scus"

    @extend_schema(parameters=[PairQuerySerializer], responses=ScusSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Peers(PyramidView):
    """Whether coders found the same SCUs in the same peers against the agreed pyramid. `items` come in pages."""

    name = "peers"
    rows = "items"

    @extend_schema(parameters=[DocsetQuerySerializer, PageQuerySerializer], responses=PeersSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)
