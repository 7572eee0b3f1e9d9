"""The REST API of rounds."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import Http404, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.codings import rows_by_name
from annotations.api.http.idempotency import idempotent
from annotations.api.http.preconditions import IF_MATCH, etag_response, require_match
from annotations.api.lists import SequencePages
from annotations.api.serializers.projects import validated
from annotations.api.serializers.rounds import (
    NewRoundSerializer,
    RoundChangesSerializer,
    RoundRowSerializer,
    RoundSerializer,
    RoundTextsChangedSerializer,
    RoundTextsSerializer,
)
from annotations.models import Project, Round
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.rounds import (
    add_texts,
    change_round,
    create_round,
    delete_round,
    describe_rounds,
    refuse_own_training,
    refuse_pool,
    remove_texts,
)
from annotations.projects.locks import lock_project
from annotations.projects.permissions import project_for
from annotations.projects.rounds import find_round, rounds_of


def _data(project: Project, round_: Round) -> dict[str, Any]:
    """Return a round as the API has it.

    Under which versions somebody first worked in it says that somebody did: nothing for who is blind to the others.
    """
    data: dict[str, Any] = dict(RoundSerializer(round_).data)
    return data if may(project, Right.SEE_RESULTS) else data | {"guidelines_version": None, "scheme_version": None}


class RoundList(APIView):
    """The rounds of a project, in their order and in pages."""

    pagination_class = SequencePages

    @extend_schema(responses=RoundRowSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(request.user, slug, Right.READ_TEXTS)
        sees_work = may(project, Right.SEE_RESULTS)
        pages = self.pagination_class()
        rows = [
            {
                **_data(project, round_),
                "texts": figures.texts,
                "codings": {name: getattr(figures, name) for name in ("assigned", "begun", "submitted")}
                if sees_work
                else None,
            }
            for round_, figures in pages.paginate_sequence(describe_rounds(project), request)
        ]
        return pages.get_paginated_response(rows)

    @extend_schema(request=NewRoundSerializer, responses={201: RoundSerializer})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Make a round after all others, with the texts of another one if you like."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields: dict[str, Any] = dict(validated(NewRoundSerializer(data=request.data)))
        copied = fields.pop("copy_of", "")
        round_ = create_round(project, copied=find_round(project, copied) if copied else None, **fields)
        return Response(_data(project, round_), status=status.HTTP_201_CREATED)


def _round_of(project: Project, name: str) -> Round:
    """Return a round of the project. Raise Http404."""
    found = next((one for one in rounds_of(project) if one.name == name), None)
    if found is None:
        raise Http404("There is no such round.")
    return found


class RoundDetail(APIView):
    """A round: its kind, dates and versions. Its texts are at `texts/?round=`, its codings at `codings/?round=`."""

    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, slug: str, name: str) -> HttpResponse:
        project = project_for(request.user, slug, Right.READ_TEXTS)
        return etag_response(_data(project, _round_of(project, name)))

    @extend_schema(parameters=[IF_MATCH], request=RoundChangesSerializer, responses=RoundSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, name: str) -> HttpResponse:
        """Change its name, kind or dates, its place among the rounds; close it, or open it again."""
        project = project_for(request.user, slug, Right.MANAGE)
        lock_project(project.pk)
        round_ = _round_of(project, name)
        require_match(request, _data(project, round_))
        fields: dict[str, Any] = dict(validated(RoundChangesSerializer(data=request.data)))
        if fields.get("required_round") is not None:
            fields["required_round"] = find_round(project, fields["required_round"])
        refuse_own_training(project, round_, fields)
        round_ = change_round(round_, **fields)
        return etag_response(_data(project, round_))

    @extend_schema(parameters=[IF_MATCH], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete it with its gold, where it has no codings, and each of its texts is in another round, too."""
        project = project_for(request.user, slug, Right.MANAGE_WORK)
        lock_project(project.pk)
        round_ = _round_of(project, name)
        require_match(request, _data(project, round_))
        delete_round(round_)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RoundTexts(APIView):
    """Which texts are in a round."""

    @extend_schema(request=RoundTextsSerializer, responses=RoundTextsChangedSerializer)
    @transaction.atomic
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Let texts be in the round, too, or take them out where they are not coded in it; sent twice it is once."""
        project = project_for(request.user, slug, Right.MANAGE)
        round_ = _round_of(project, name)
        fields = validated(RoundTextsSerializer(data=request.data))
        texts = project.texts.defer("content")
        chosen = {field: rows_by_name(texts, fields[field], "slug", field) for field in ("add", "remove")}
        if not (fields["add"] or fields["remove"]):
            raise ValidationError({"add": ["Send texts to add, or to remove."]})
        if chosen["remove"]:
            refuse_pool(project, round_)
        added, removed = add_texts(round_, chosen["add"]), remove_texts(round_, chosen["remove"])
        return Response({"added": added, "removed": removed})
