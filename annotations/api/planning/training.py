"""The REST API of training: results of a round, decisions, gold, and what a coder sees of it."""

from __future__ import annotations

from typing import cast

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.adjudication.hands import open_gold
from annotations.adjudication.readiness import GoldIsEarly
from annotations.api.codings import rows_by_name
from annotations.api.gold import early_problem
from annotations.api.http.idempotency import idempotent
from annotations.api.lists import SequencePages
from annotations.api.serializers.problems import CONFLICT
from annotations.api.serializers.projects import validated
from annotations.api.serializers.training import (
    FeedbackSerializer,
    GoldSerializer,
    NewGoldSerializer,
    NewTrainingDecisionSerializer,
    NextAttemptSerializer,
    TrainingDecisionSerializer,
    TrainingResultSerializer,
)
from annotations.models import Coding, Round, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.training import decide_on_coder, feedback_on, take_next_attempt, training_results
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.permissions import CodingChoice, own_coding, project_for
from annotations.projects.rounds import TRAINING_KINDS, round_for
from annotations.projects.viewing import record_view


class TrainingResults(APIView):
    """The results of a training round, in pages: yours, or of all coders to who decides gold."""

    pagination_class = SequencePages

    @extend_schema(responses=TrainingResultSerializer(many=True))
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Return scores, attempts and decisions by the names of coders."""
        project = project_for(request.user, slug)
        round_ = round_for(project, name, TRAINING_KINDS)
        sees_all = may(project, Right.ADJUDICATE)
        results = training_results(round_, None if sees_all else [cast(User, request.user).pk])
        if not (results or sees_all):
            raise Http404("There is no such round.")
        pages = self.pagination_class()
        page = pages.paginate_sequence(results, request)
        return pages.get_paginated_response(TrainingResultSerializer(page, many=True, context={"round": round_}).data)


class TrainingDecisions(APIView):
    """What managers decide about coders in a training round."""

    @extend_schema(request=NewTrainingDecisionSerializer, responses={201: TrainingDecisionSerializer})
    @idempotent(Right.DECIDE_TRAINING)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Say that a coder has passed, or not, whatever the scores say; or that the pass rule holds again (`rule`)."""
        project = project_for(request.user, slug, Right.DECIDE_TRAINING)
        round_ = round_for(project, name, TRAINING_KINDS)
        fields = validated(NewTrainingDecisionSerializer(data=request.data))
        [coder] = rows_by_name(members_in_roles(project, CODING_ROLES), [fields["coder"]], "username", "coder")
        decision = decide_on_coder(round_, coder, fields["outcome"], fields["reason"], cast(User, request.user))
        return Response(TrainingDecisionSerializer(decision).data, status=201)


class NextAttempt(APIView):
    """A further text of a training round."""

    annotates = True

    @extend_schema(request=None, responses={201: NextAttemptSerializer})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Take the next text that has gold, where you have submitted all that you have and not passed."""
        project = project_for(request.user, slug)
        coding = take_next_attempt(round_for(project, name, TRAINING_KINDS), cast(User, request.user))
        return Response(NextAttemptSerializer(coding).data, status=201)


class GoldOfRound(APIView):
    """The gold of a text in a round."""

    @extend_schema(request=NewGoldSerializer, responses={201: GoldSerializer, **CONFLICT})
    @idempotent(Right.ADJUDICATE)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Open the gold of a text for you to work on at `texts/<text>/gold/coding/`, made where there is none.

        Before all coders have submitted it is made only with `early`: 409 (`early`) says how many have.
        """
        project = project_for(request.user, slug, Right.ADJUDICATE)
        round_ = get_object_or_404(Round, project=project, name=name)
        fields = validated(NewGoldSerializer(data=request.data))
        [text] = rows_by_name(project.texts.defer("content"), [fields["text"]], "slug", "text")
        try:
            gold = open_gold(project, text, round_.name, cast(User, request.user), early=fields["early"])
        except GoldIsEarly as error:
            raise early_problem(project, error) from None
        return Response(GoldSerializer(gold).data, status=201)


class OwnFeedback(APIView):
    """Your answers in training beside the gold."""

    annotates = True

    @extend_schema(
        parameters=[
            OpenApiParameter("round", str, description="Your coding in this round, not that of the latest one.")
        ],
        responses=FeedbackSerializer,
    )
    def get(self, request: Request, slug: str, text: str) -> Response:
        """Return all judgements of the gold once you have submitted; before, those that you have compared.

        Which of the two the round says. 404 where there is nothing to see.
        """
        project = project_for(request.user, slug)
        choice = CodingChoice(request.query_params.get("round", ""), request.headers.get("X-Coding", ""))
        coding = own_coding(cast(User, request.user), project, text, choice=choice)
        coding.round.project = project
        feedback = feedback_on(coding)
        if feedback is None:
            raise Http404("There is no gold to see beside this coding.")
        record_view(Coding.with_models.filter(pk=coding.pk))
        return Response(FeedbackSerializer(feedback).data)
