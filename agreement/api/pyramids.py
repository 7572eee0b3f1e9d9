"""The REST API of what managers learn from pyramids."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.parameters import WrongParameter
from agreement.pyramid_serializers import (
    OfDocsetSerializer,
    PairAskedSerializer,
    PeersSerializer,
    ScoresAskedSerializer,
    ScoresSerializer,
    ScusSerializer,
    StudyAskedSerializer,
    StudySerializer,
)
from agreement.pyramids import require_pyramids
from agreement.reports import pyramids as reports
from annotations.permissions import Right, project_for


class PyramidView(APIView):
    """What the views on pyramids share: who may look, and what is asked for."""

    name: str

    def answer(self, request: Request, slug: str) -> Response:
        """The report by its name, of what the address asks for."""
        project = project_for(request.user, slug, Right.SEE_RESULTS)
        require_pyramids(project)
        try:
            found = reports.as_dict(self.name, project, request.query_params.dict())
        except WrongParameter as wrong:
            raise ValidationError({wrong.field: [wrong.message]}) from wrong
        if found is None:
            raise Http404("No docset has two pyramids.")
        return Response(found)


class Scores(PyramidView):
    """The scores of peer summaries by the pyramids that coders held them against."""

    name = "scores"

    @extend_schema(parameters=[ScoresAskedSerializer], responses=ScoresSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Study(PyramidView):
    """How alike the own pyramids of two coders score the same peers."""

    name = "study"

    @extend_schema(parameters=[StudyAskedSerializer], responses=StudySerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Scus(PyramidView):
    """The SCUs of two coders of a docset, matched and related; 404 where no docset has two pyramids."""

    name = "scus"

    @extend_schema(parameters=[PairAskedSerializer], responses=ScusSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)


class Peers(PyramidView):
    """Whether coders found the same SCUs in the same peers against the agreed pyramid."""

    name = "peers"

    @extend_schema(parameters=[OfDocsetSerializer], responses=PeersSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(request, slug)
