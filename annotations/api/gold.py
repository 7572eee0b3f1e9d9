"""The REST API of gold: how far that of each text is, and drafts of it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.adjudication.drafts import MAX_TEXTS, DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.proposal import Method
from annotations.api.http.problems import validation_error
from annotations.api.serializers.gold import DraftOrderSerializer, DraftReportSerializer, GoldStateSerializer
from annotations.api.serializers.projects import validated
from annotations.models.rights import Right
from annotations.projects.permissions import project_for
from annotations.projects.rounds import find_round, rounds_of


class GoldStates(APIView):
    """The gold of texts, for who decides what it is."""

    @extend_schema(
        parameters=[OpenApiParameter("round", OpenApiTypes.STR, description="Only of this round.")],
        responses=GoldStateSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the texts of each round with how far their gold is, and how many coders have submitted them."""
        project = project_for(request.user, slug, Right.ADJUDICATE)
        name = request.query_params.get("round", "")
        try:
            rounds = [find_round(project, name)] if name else rounds_of(project)
        except DjangoValidationError as error:
            raise validation_error(error) from None
        rows: list[dict[str, Any]] = [
            {
                "text": one.text.slug,
                "round": one.round.name,
                "state": str(one.gold.state) if one.gold else None,
                "adjudicator": one.gold.coding.coder.get_username() if one.gold and one.gold.coding.coder_id else None,
                "method": one.gold.draft.method if one.gold and one.gold.draft else None,
                "contested": len(one.gold.contested) if one.gold else 0,
                "decided": len(one.gold.contested) - one.gold.n_open if one.gold else 0,
                "submitted": one.submitted,
                "assigned": one.assigned,
            }
            for one in gold_of_rounds(project, rounds)
        ]
        return Response(rows)

    @extend_schema(request=DraftOrderSerializer, responses=DraftReportSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Draft the gold of texts, all of them or none; what has been begun stays, so sent twice it is once."""
        project = project_for(request.user, slug, Right.ADJUDICATE)
        fields = validated(DraftOrderSerializer(data=request.data))
        order = DraftRequest(
            Method(fields["method"]),
            coder=fields["coder"],
            texts=tuple(fields["texts"]),
            round_name=fields["round"],
            adjudicator=fields["adjudicator"],
        )
        try:
            report = draft_gold(project, order, at_most=MAX_TEXTS)
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response({"drafted": report.drafted, "begun": report.begun})
