"""The REST API of gold: how far that of each text is, and drafts of it."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.adjudication.decisions.listing import DecisionFilters, describe_decisions, list_decisions
from annotations.adjudication.drafts import MAX_TEXTS, DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.hands import gold_coding, hand_on_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramid_queue import build_pyramid_queue
from annotations.adjudication.queue import build_queue
from annotations.adjudication.readiness import GoldIsEarly, describe_early
from annotations.api.codings import rows_by_name
from annotations.api.http.preconditions import etag_response
from annotations.api.http.problems import validation_error
from annotations.api.lists import PAGE_PARAMETERS, SequencePages
from annotations.api.serializers.gold import (
    DecisionOnGoldSerializer,
    DecisionQuerySerializer,
    DraftOrderSerializer,
    DraftReportSerializer,
    GoldStateSerializer,
    HandOnSerializer,
    QueueOptionsSerializer,
    QueueSerializer,
    TextBesideGoldSerializer,
    queue_state,
)
from annotations.api.serializers.problems import CONFLICT
from annotations.api.serializers.projects import validated
from annotations.api.serializers.training import GoldSerializer
from annotations.models import Project, Round, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.own_gold import codings_beside_gold, compare_with_gold
from annotations.projects.guidelines import guidelines_headings
from annotations.projects.letters import sees_names
from annotations.projects.permissions import CodingChoice, own_coding, project_for
from annotations.projects.rounds import find_round, rounds_of


class GoldStates(APIView):
    """The gold of texts, for who decides what it is."""

    pagination_class = SequencePages

    @extend_schema(
        parameters=[OpenApiParameter("round", OpenApiTypes.STR, description="Only of this round.")],
        responses=GoldStateSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the texts of each round with how far their gold is, and how many have submitted them, in pages."""
        project = project_for(request.user, slug, Right.ADJUDICATE)
        name = request.query_params.get("round", "")
        try:
            rounds = [find_round(project, name)] if name else rounds_of(project)
        except DjangoValidationError as error:
            raise validation_error(error) from None
        pages = self.pagination_class()
        rows: list[dict[str, Any]] = [
            {
                "text": one.text.slug,
                "round": one.round.name,
                "state": str(one.gold.state) if one.gold else None,
                "adjudicator": one.gold.coding.coder.get_username() if one.gold and one.gold.coding.coder_id else None,
                "method": one.gold.draft.method if one.gold and one.gold.draft else None,
                "contested": len(one.gold.contested) if one.gold else 0,
                "decided": one.gold.n_decided if one.gold else 0,
                "to_decide": one.gold.n_open if one.gold else 0,
                "submitted": one.submissions.submitted,
                "assigned": one.submissions.assigned,
                "changed": one.changed,
            }
            for one in pages.paginate_sequence(gold_of_rounds(project, rounds), request)
        ]
        return pages.get_paginated_response(rows)

    @extend_schema(request=DraftOrderSerializer, responses={200: DraftReportSerializer, **CONFLICT})
    def post(self, request: Request, slug: str) -> Response:
        """Draft the gold of texts, all or none; what has been begun stays, so sent twice it is once, unless `again`.

        Texts that some of their coders have not submitted are drafted only with `early`: 409 (`early`) says which.
        """
        project = project_for(request.user, slug, Right.ADJUDICATE)
        fields = validated(DraftOrderSerializer(data=request.data))
        order = DraftRequest(
            Method(fields["method"]),
            coder=fields["coder"],
            texts=tuple(fields["texts"]),
            round_name=fields["round"],
            adjudicator=fields["adjudicator"],
            again=fields["again"],
            early=fields["early"],
        )
        try:
            report = draft_gold(project, order, at_most=MAX_TEXTS)
        except GoldIsEarly as error:
            raise early_problem(project, error) from None
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response({"drafted": report.drafted, "begun": report.begun})


class EarlyGold(APIException):
    """Coders have yet to submit: send it again with `early`."""

    status_code = 409
    default_code = "early"


def early_problem(project: Project, error: GoldIsEarly) -> EarlyGold:
    """Return the refusal of gold that would begin before all have submitted, in the words of the page."""
    lines = " ".join(describe_early(error.texts, names=sees_names(project)))
    return EarlyGold(
        f"{lines} Send “early”: true to begin gold before all have submitted; it is asked once for a text."
    )


class HandOnGold(APIView):
    """In whose hands the gold of a text is."""

    @extend_schema(request=HandOnSerializer, responses=GoldSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Hand it on to a manager or adjudicator, or to whoever opens it first. Twice is once; the log says so."""
        project = project_for(request.user, slug, Right.ADJUDICATE)
        round_ = get_object_or_404(Round, project=project, name=name)
        fields = validated(HandOnSerializer(data=request.data))
        [text] = rows_by_name(project.texts.defer("content"), [fields["text"]], "slug", "text")
        try:
            gold = hand_on_gold(project, text, round_.name, cast(User, request.user), to=fields["adjudicator"] or "")
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(GoldSerializer(gold).data)


class Decisions(APIView):
    """What was decided of gold, item by item, for who decides what it is."""

    pagination_class = SequencePages

    @extend_schema(parameters=[DecisionQuerySerializer], responses=DecisionOnGoldSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the decisions in the order of rounds, texts and markables, in pages."""
        project = project_for(request.user, slug, Right.ADJUDICATE)
        _refuse_unknown(request, DecisionQuerySerializer)
        try:
            filters = DecisionFilters.from_query(project, request.query_params)
            found = list_decisions(project, request.query_params.get("round", ""))
        except DjangoValidationError as error:
            raise validation_error(error) from None
        pages = self.pagination_class()
        page = pages.paginate_sequence([one for one in found if filters.admits(one)], request)
        return pages.get_paginated_response([one.record() for one in describe_decisions(project, page)])


class TextPages(SequencePages):
    """Pages of 10 texts, or as many as requested, up to 100: each has all that differs in it."""

    page_size = 10
    max_page_size = 100


class OwnGold(APIView):
    """Gold beside your own answers, once the results are open."""

    pagination_class = TextPages

    @extend_schema(responses=TextBesideGoldSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the texts that you have submitted and whose gold is decided, with what differs and why, in pages."""
        project = project_for(request.user, slug, Right.COMPARE_WITH_GOLD)
        _refuse_unknown(request)
        pages = self.pagination_class()
        page = pages.paginate_sequence(list(codings_beside_gold(project, cast(User, request.user))), request)
        data = TextBesideGoldSerializer(compare_with_gold(project, page), many=True).data
        return pages.get_paginated_response(data)


def _refuse_unknown(request: Request, *serializers: type[DecisionQuerySerializer]) -> None:
    """Raise ValidationError for parameters that mean nothing here, lest they seem to have an effect."""
    known = {*PAGE_PARAMETERS, *(str(name) for one in serializers for name in one().fields)}
    if unknown := sorted({*map(str, request.query_params)} - known):
        raise ValidationError(
            {name: [f"This is no filter here; there are {', '.join(sorted(known))}."] for name in unknown}
        )


class GoldQueue(APIView):
    """What has to be decided of a text whose gold is drafted, or of an agreed pyramid, in order."""

    @extend_schema(parameters=[QueueOptionsSerializer], responses=QueueSerializer)
    def get(self, request: Request, slug: str, text: str, agreed: bool = False) -> HttpResponse:
        """Return the cards of the queue with what each coder says, and at the end a sample of what nobody contests.

        Answers are those that the draft rests on, whatever has changed since. Without a draft there are no cards.
        """
        project = project_for(request.user, slug, Right.ADJUDICATE)
        options = validated(QueueOptionsSerializer(data=request.query_params.dict()))
        choice = CodingChoice(options["round"], request.headers.get("X-Coding", ""))
        user = cast(User, request.user)
        if agreed:
            queue = build_pyramid_queue(
                project, own_coding(user, project, text, agreed=True, choice=choice), options["checks"]
            )
        else:
            queue = build_queue(project, gold_coding(user, project, text, choice=choice), options["checks"])
        names = may(project, Right.MANAGE_WORK)
        return etag_response(queue_state(queue, names=names, sections=guidelines_headings(project.guidelines)))
