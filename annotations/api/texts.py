"""The REST API of texts and of the user's own codings."""

import json
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, cast
from urllib.parse import unquote

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.adjudication.ownership import gold_coding
from annotations.api.codings import OWN_ROUND, StatusSerializer, change_status
from annotations.api.http.endpoints import IF_MATCH, endpoint, etag_response, require_match
from annotations.api.http.problems import rejection_problem
from annotations.api.lists import Row, RowListView, SafeCursorPagination
from annotations.api.serializers.coding import (
    ChangesSerializer,
    CodingStateSerializer,
    OperationSerializer,
    TextDetailSerializer,
    TextSerializer,
    VersionSerializer,
)
from annotations.api.serializers.problems import CONFLICT
from annotations.api.serializers.requests import StrictSerializer, validated
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.state import coding_state, text_state
from annotations.models import Coding, Operation, Project, Text, User
from annotations.models.people.rights import Right
from annotations.models.project import KEY_LENGTH, may
from annotations.planning.rounds import move_to_round
from annotations.planning.training import refuse_untrained
from annotations.projects.locks import lock_project
from annotations.projects.people.peer_names import coded_slug, coded_title, find_slug, hide_name, is_blind_to_peers
from annotations.projects.permissions import CodingChoice, own_coding, project_for
from annotations.projects.rounds import round_names_by_text
from annotations.texts.changes import delete_text, deletion_figures, place_text
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction


class SequencePagination(SafeCursorPagination):
    """Pages of a log, which are shorter if operations are long."""

    page_size = 500
    ordering = "sequence"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        page: list[Operation] = list(super().paginate_queryset(queryset, request, view) or [])
        sizes = accumulate(len(json.dumps(operation.payload)) for operation in page)
        fits = max(1, sum(size <= operations.MAX_MISSED_BYTES for size in sizes))
        if fits < len(page) and not (self.cursor and self.cursor.reverse):
            self.has_next, self.next_position = True, str(page[fits].sequence)
            self.page = page = page[:fits]
        return page


class NewCorrectionSerializer(StrictSerializer):
    content = serializers.CharField(trim_whitespace=False, help_text="the text as it is to be")
    preview = serializers.BooleanField(default=False, help_text="say what would happen, and change nothing")


class EditSerializer(serializers.Serializer[Any]):
    start = serializers.IntegerField(help_text="in the text before, in code points")
    old = serializers.CharField()
    new = serializers.CharField()


class WordChangeSerializer(serializers.Serializer[Any]):
    level = serializers.CharField()
    old = serializers.CharField()
    new = serializers.CharField()


class ObstacleSerializer(serializers.Serializer[Any]):
    noun = serializers.CharField(help_text="what it is: the level of a markable, a segment, a head")
    words = serializers.CharField()
    reason = serializers.CharField()


class CorrectionSerializer(serializers.Serializer[Any]):
    edits = EditSerializer(many=True)
    moved = serializers.IntegerField(help_text="markables that are elsewhere afterwards")
    changes = WordChangeSerializer(many=True, help_text="markables that get other words")
    obstacles = ObstacleSerializer(many=True, help_text="what would be deleted or cut: nothing is corrected")
    codings = serializers.IntegerField()
    submitted = serializers.IntegerField()


class TextChangesSerializer(StrictSerializer, serializers.ModelSerializer[Text]):
    round = serializers.SlugField(max_length=KEY_LENGTH, allow_blank=True, required=False, help_text="empty: main")
    position = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, help_text="its place in the order of the texts, from 1"
    )

    class Meta:
        model = Text
        fields = ["round", "position"]

    def validate(self, fields: Any) -> Any:
        """Refuse an empty change."""
        if not fields:
            raise serializers.ValidationError("Send a round or a position.")
        return fields


TEXT_COLUMNS = [name for name in TextSerializer.Meta.fields if name not in ("docset", "round", "rounds")]


class TextFilters(filters.FilterSet):
    docset = filters.CharFilter(field_name="docset__slug")
    round = filters.CharFilter(field_name="rounds__name", label="only texts of this round")

    class Meta:
        model = Text
        fields = ["language", "role"]


class TextList(RowListView):
    """The texts of a project; coders see only texts assigned to them."""

    serializer_class = TextSerializer
    filterset_class = TextFilters
    ordering = ["slug"]
    ordering_fields = ["slug", "title", "round"]
    ordering_columns = {"round": "round_place"}
    right = Right.VIEW_PROJECT

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        self.blind = is_blind_to_peers(project)
        texts: Any = Text.objects.visible_in(project, self.request.user)
        rows: QuerySet[Any, Any] = texts.values(*TEXT_COLUMNS, "docset__slug", "pk")
        if "round" in self.request.query_params.get("ordering", ""):
            rows = rows.with_round()  # type: ignore[attr-defined]
        return rows

    def represent(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows as valid JSON without a serializer, which would take most of the time."""
        user = cast(User, self.request.user)
        rounds = round_names_by_text([row["pk"] for row in rows])
        represented = []
        for row in rows:
            pk, docset = row["pk"], row["docset__slug"]
            names = rounds[pk]
            shown = {name: row[name] for name in TEXT_COLUMNS} | {"round": (names or [""])[-1], "rounds": names}
            if self.blind and row["role"] == Text.Role.PEER:
                shown |= {"slug": coded_slug(user.pk, pk), "title": coded_title(user.pk, pk)}
            represented.append({"docset": docset, **shown})
        return represented


class TextDetail(APIView):
    """One text with its content and segments. Offsets count Unicode code points."""

    @endpoint(responses=TextDetailSerializer)
    def get(self, request: Request, project: Project, text: str) -> HttpResponse:
        return etag_response(_representation(self._text(request, project, text)))

    @endpoint(Right.MANAGE, seen=True, request=TextChangesSerializer, responses=TextDetailSerializer)
    def patch(self, request: Request, project: Project, text: str) -> HttpResponse:
        """Move the text with its codings to a round, created if missing, and to a position among the texts.

        An empty name of a round stands for `main`. A text in several rounds is moved at `rounds/<round>/texts/`.
        """
        lock_project(project.pk)
        text_row = self._text(request, project, text)
        require_match(request, _representation(text_row))
        fields = validated(TextChangesSerializer(data=request.data))
        if "round" in fields:
            try:
                move_to_round(project, [text_row], fields["round"])
            except DjangoValidationError as error:
                raise ValidationError({"round": error.messages}) from None
        if "position" in fields:
            place_text(text_row, fields["position"])
        return etag_response(_representation(self._text(request, project, text)))

    @endpoint(
        Right.MANAGE_WORK,
        parameters=[
            IF_MATCH,
            OpenApiParameter("begun", int, description="How many codings have begun, where some have: they go too."),
        ],
        responses={204: None},
    )
    def delete(self, request: Request, project: Project, text: str) -> Response:
        """Delete the text with its codings and their log. Model summaries are deleted with their docset."""
        row = self._text(request, project, text)
        require_match(request, _representation(row))
        sees_gold = may(project, Right.ADJUDICATE)
        figures = deletion_figures(Text.objects.filter(pk=row.pk), gold=sees_gold)
        if request.query_params.get("begun", "0") != str(figures.begun):
            raise ValidationError(
                {"begun": [f"Codings that have begun: {figures.begun}. Send this number to confirm."]}
            )
        delete_text(row, figures.tag, gold=sees_gold)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _text(self, request: Request, project: Project, text: str) -> Text:
        texts = Text.objects.visible_to(request.user).select_related("docset").defer("content")
        user = cast(User, request.user)
        text_row = get_object_or_404(texts, project=project, slug=find_slug(project, user.pk, text))
        if is_blind_to_peers(project):
            hide_name(text_row, user.pk)
        return text_row


def _representation(text: Text) -> dict[str, Any]:
    return {**TextSerializer(text).data, **text_state(text)}


class Corrections(APIView):
    """Corrections of the words of a text."""

    @endpoint(Right.MANAGE_WORK, parameters=[IF_MATCH], request=NewCorrectionSerializer, responses=CorrectionSerializer)
    def post(self, request: Request, project: Project, text: str) -> Response:
        """Replace the content of the text; markables move along, answers stay. `preview` only reports the effects."""
        row = get_object_or_404(project.texts.select_related("docset"), slug=text)
        require_match(request, _representation(row))
        fields = validated(NewCorrectionSerializer(data=request.data))
        plan = plan_correction(row, fields["content"])
        if not fields["preview"]:
            plan = correct_text(row, fields["content"], cast(User, request.user), plan.tag)
        return Response(CorrectionSerializer(plan).data)


def _coding_of(
    request: Request, slug: str, text: str, *, agreed: bool, gold: bool, content: bool = True
) -> tuple[Project, Coding]:
    """Return the user's own coding or gold; the page names it by a token in a header."""
    project = project_for(request.user, slug, Right.ADJUDICATE if gold else Right.VIEW_PROJECT)
    choice = CodingChoice(request.query_params.get("round", ""), request.headers.get("X-Coding", ""))
    user = cast(User, request.user)
    if gold:
        return project, gold_coding(user, project, text, choice=choice)
    return project, own_coding(user, project, text, agreed=agreed, content=content, choice=choice)


class OwnCoding(APIView):
    """Your own coding of a text, as the coding page starts; of several codings, the one of the latest round."""

    annotates = True

    @extend_schema(parameters=[OWN_ROUND], responses=CodingStateSerializer)
    def get(self, request: Request, slug: str, text: str, agreed: bool = False, gold: bool = False) -> HttpResponse:
        project, coding = _coding_of(request, slug, text, agreed=agreed, gold=gold)
        refuse_untrained(coding)
        return etag_response(coding_state(coding, project))

    @extend_schema(parameters=[IF_MATCH, OWN_ROUND], request=StatusSerializer, responses=CodingStateSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, text: str, agreed: bool = False, gold: bool = False) -> HttpResponse:
        """Submit the coding (`submitted`), or reopen it (`open`) until somebody has viewed the submission.

        After that, `open` with a `reason` asks the managers to reopen it.
        """
        project, coding = _coding_of(request, slug, text, agreed=agreed, gold=gold)
        refuse_untrained(coding)
        return change_status(request, project, coding, own=True)


class OwnOperations(generics.GenericAPIView[Operation]):
    """The log of your own coding: read it from a version on, or append to it."""

    annotates = True  # keys with the scope annotate may write to it
    serializer_class = OperationSerializer
    pagination_class = SequencePagination
    queryset = Operation.objects.none()

    def coder(self, request: Request) -> User:
        """Return the user. Raise PermissionDenied if the page belongs to another user, who was signed in before."""
        user = cast(User, request.user)
        name = unquote(request.headers.get("X-Coder", ""))
        if name and name != user.username:
            raise PermissionDenied("Somebody else has signed in here since.", code="other_person")
        return user

    @extend_schema(
        parameters=[OWN_ROUND, OpenApiParameter("since", int, description="Only operations after this version.")],
        responses=OperationSerializer(many=True),
    )
    def get(self, request: Request, slug: str, text: str, agreed: bool = False, gold: bool = False) -> Response:
        self.coder(request)
        _, coding = _coding_of(request, slug, text, agreed=agreed, gold=gold, content=False)
        since = validated(VersionSerializer(data={"version": request.query_params.get("since", 0)}))
        page = self.paginate_queryset(coding.operations.filter(sequence__gt=since["version"]))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(parameters=[OWN_ROUND], request=ChangesSerializer, responses={200: VersionSerializer, **CONFLICT})
    def post(self, request: Request, slug: str, text: str, agreed: bool = False, gold: bool = False) -> Response:
        """Apply operations, all or none. A stale version gets 409 with the missed operations; a uuid counts once."""
        user = self.coder(request)
        _, coding = _coding_of(request, slug, text, agreed=agreed, gold=gold, content=False)
        refuse_untrained(coding)
        fields = validated(ChangesSerializer(data=request.data))
        operation_list = [operations.Change(**change) for change in fields["operations"]]
        try:
            version = operations.apply(coding, user, fields["version"], operation_list)
        except OperationRejected as rejection:
            # A page with an earlier scheme version sees it by this, and reloads before it discards anything.
            now = Project.objects.values_list("scheme_version", flat=True).get(pk=coding.text.project_id)
            return rejection_problem(rejection, scheme_version=now)
        return Response({"version": version})
