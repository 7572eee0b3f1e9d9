"""The REST API of rounds."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.codings import rows_by_name
from annotations.api.http.idempotency import idempotent
from annotations.api.http.preconditions import IF_MATCH, etag_response, require_match
from annotations.api.lists import SequencePages
from annotations.api.serializers.choices import from_form
from annotations.api.serializers.coding import StrictSerializer
from annotations.api.serializers.projects import validated
from annotations.models import Project, Round
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.forms import RoundForm
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
from annotations.projects.rounds import find_round, round_for

NOT_BEGUN = "null: it has not, or you do not see the work of others"


class RoundSerializer(serializers.ModelSerializer[Round]):
    required_round: Any = serializers.SlugRelatedField(
        slug_field="name", read_only=True, allow_null=True, help_text="the training round that coders pass before it"
    )

    class Meta:
        model = Round
        fields = [
            *("name", "kind", "starts_on", "ends_on", "guidelines_version", "scheme_version", "closed_at"),
            *("pass_measure", "pass_mark", "attempts", "feedback", "required_round"),
        ]
        extra_kwargs = {
            "guidelines_version": {"help_text": f"that of the guidelines when the round began; {NOT_BEGUN}"},
            "scheme_version": {"help_text": f"that of the scheme when the round began; {NOT_BEGUN}"},
        }


class CodingsOfRoundSerializer(serializers.Serializer[Any]):
    assigned = serializers.IntegerField(help_text="not begun")
    begun = serializers.IntegerField(help_text="begun and not submitted")
    submitted = serializers.IntegerField()


class RoundRowSerializer(RoundSerializer):
    texts = serializers.IntegerField(help_text="how many there are")
    codings = CodingsOfRoundSerializer(allow_null=True, help_text="null to those who do not see the work of others")

    class Meta(RoundSerializer.Meta):
        fields = [*RoundSerializer.Meta.fields, "texts", "codings"]


class RoundChangesSerializer(StrictSerializer):
    name = from_form(RoundForm, "name", required=False)
    kind = from_form(RoundForm, "kind", required=False)
    starts_on = from_form(RoundForm, "starts_on", required=False, allow_null=True)
    ends_on = from_form(RoundForm, "ends_on", required=False, allow_null=True)
    pass_measure = from_form(
        RoundForm,
        "pass_measure",
        choices=Round.PassMeasure.choices,
        required=False,
        allow_blank=True,
        help_text="of a training round; empty: no pass rule",
    )
    pass_mark = from_form(
        RoundForm, "pass_mark", required=False, allow_null=True, help_text="who reaches it in one text has passed"
    )
    attempts = from_form(
        RoundForm, "attempts", required=False, allow_null=True, help_text="how many texts count; null: all"
    )
    feedback = from_form(
        RoundForm, "feedback", required=False, help_text="when coders of a training round see the gold"
    )
    required_round = serializers.CharField(
        required=False, allow_null=True, help_text="the name of the training round that coders pass before it"
    )
    place = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, help_text="its place among the rounds, from 1"
    )
    closed = serializers.BooleanField(required=False, help_text="true: no work is done in it until it is opened again")

    def validate(self, fields: Any) -> Any:
        """Refuse a change of nothing."""
        if not fields:
            raise serializers.ValidationError("Send what is to be changed.")
        return fields


class NewRoundSerializer(StrictSerializer):
    name = from_form(RoundForm, "name")
    kind = from_form(RoundForm, "kind", required=False, help_text="main, or that of the copied round")
    starts_on = from_form(RoundForm, "starts_on", required=False, allow_null=True)
    ends_on = from_form(RoundForm, "ends_on", required=False, allow_null=True)
    copy_of = serializers.CharField(required=False, help_text="the round whose texts it gets, without their codings")


class RoundTextsSerializer(StrictSerializer):
    add = serializers.ListField(child=serializers.CharField(), default=list, help_text="addresses of texts")
    remove = serializers.ListField(child=serializers.CharField(), default=list)


class RoundTextsChangedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField(help_text="how many were not there before")
    removed = serializers.IntegerField(help_text="how many were there")


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
        fields = validated(NewRoundSerializer(data=request.data))
        copied = fields.pop("copy_of", "")
        round_ = create_round(project, copied=find_round(project, copied) if copied else None, **fields)
        return Response(_data(project, round_), status=201)


class RoundDetail(APIView):
    """A round: its kind, dates and versions. Its texts are at `texts/?round=`, its codings at `codings/?round=`."""

    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, slug: str, name: str) -> HttpResponse:
        project = project_for(request.user, slug, Right.READ_TEXTS)
        return etag_response(_data(project, round_for(project, name)))

    @extend_schema(parameters=[IF_MATCH], request=RoundChangesSerializer, responses=RoundSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, name: str) -> HttpResponse:
        """Change its name, kind or dates, its place among the rounds; close it, or open it again."""
        project = project_for(request.user, slug, Right.MANAGE)
        lock_project(project.pk)
        round_ = round_for(project, name)
        require_match(request, _data(project, round_))
        fields = validated(RoundChangesSerializer(data=request.data))
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
        round_ = round_for(project, name)
        require_match(request, _data(project, round_))
        delete_round(round_)
        return Response(status=204)


class RoundTexts(APIView):
    """Which texts are in a round."""

    @extend_schema(request=RoundTextsSerializer, responses=RoundTextsChangedSerializer)
    @transaction.atomic
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Let texts be in the round, too, or take them out where they are not coded in it; sent twice it is once."""
        project = project_for(request.user, slug, Right.MANAGE)
        round_ = round_for(project, name)
        fields = validated(RoundTextsSerializer(data=request.data))
        texts = project.texts.defer("content")
        chosen = {field: rows_by_name(texts, fields[field], "slug", field) for field in ("add", "remove")}
        if not (fields["add"] or fields["remove"]):
            raise ValidationError({"add": ["Send texts to add, or to remove."]})
        if chosen["remove"]:
            refuse_pool(project, round_)
        added, removed = add_texts(round_, chosen["add"]), remove_texts(round_, chosen["remove"])
        return Response({"added": added, "removed": removed})
