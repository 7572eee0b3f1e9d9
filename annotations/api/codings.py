"""The REST API of all codings of a project as flat rows, for those who see results, and of who codes what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as Refusal
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import actions
from annotations.coding_serializers import (
    CodingRowSerializer,
    CodingsMadeSerializer,
    JudgementRowSerializer,
    MarkableRowSerializer,
    NewCodingsSerializer,
    OperationRowSerializer,
    StatusSerializer,
)
from annotations.coding_state import coding_state
from annotations.conditional import IF_MATCH, require_match, tagged
from annotations.docset_forms import people
from annotations.idempotency import idempotent
from annotations.listing import FlatList, MomentFilter, Row
from annotations.models import Coding, Index, Judgement, Markable, Operation, Pointer, Project, Text, User
from annotations.models.coding import KINDS_OF_AGREED
from annotations.permissions import Right, project_for
from annotations.problems import invalid
from annotations.project_serializers import checked
from annotations.serializers import CodingStateSerializer


class CodingFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="text__slug")
    coder = filters.CharFilter(field_name="coder__username")

    class Meta:
        model = Coding
        fields = ["kind", "status"]


class CodingList(FlatList):
    """The codings of a project that you may see, with how far they are: as a coder your own."""

    queryset = Coding.objects.none()
    serializer_class = CodingRowSerializer
    filterset_class = CodingFilters
    ordering = ["text__slug", "coder__username", "kind"]
    right = Right.BE_HERE

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        codings = Coding.objects.visible_to(self.request.user).filter(text__project=project)
        return cast(QuerySet[Any, Any], codings.with_progress()).values(
            "text__slug", "coder__username", "kind", "status", "version", "to_decide", "decided"
        )

    @extend_schema(request=NewCodingsSerializer, responses=CodingsMadeSerializer)
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Give coders texts to code. What they have stays. Summaries are given out docset by docset."""
        project = project_for(request.user, slug, Right.MANAGE)
        if project.answers == Project.Answers.SCUS:
            raise ValidationError({"texts": ["Summaries are given out at `docsets/<docset>/assignments/`."]})
        fields = checked(NewCodingsSerializer(data=request.data))
        texts = named(project.texts.defer("content"), fields["texts"], "slug", "texts")
        coders = named(people(project, actions.ROLES_THAT_CODE), fields["coders"], "username", "coders")
        try:
            return Response({"new": actions.assign(project, texts, coders)})
        except Refusal as error:
            raise invalid(error) from None


def named[One](rows: QuerySet[Any, One], names: list[str], by: str, field: str) -> list[One]:
    """The rows of these names. Raises ValidationError on a name that none has."""
    known = {str(getattr(row, by)): row for row in rows}
    for name in names:
        if name not in known:
            raise ValidationError({field: [f"There is no {name!r} here."]})
    return [known[name] for name in dict.fromkeys(names)]


class CodingDetail(APIView):
    """Somebody's coding of a text, as their page starts from it: your own, or of those whose work you see."""

    @extend_schema(responses=CodingStateSerializer)
    def get(self, request: Request, slug: str, text: str, coder: str, agreed: bool = False) -> HttpResponse:
        project = project_for(request.user, slug)
        return tagged(coding_state(self._coding(request, project, text, coder, agreed), project))

    @extend_schema(parameters=[IF_MATCH], request=StatusSerializer, responses=CodingStateSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, text: str, coder: str, agreed: bool = False) -> HttpResponse:
        """Give it back to its coder (`open`). Only its coder hands it in, at `texts/<text>/coding/`."""
        project = project_for(request.user, slug, Right.MANAGE)
        coding = self._coding(request, project, text, coder, agreed)
        return changed_status(request, project, coding, {Coding.Status.OPEN})

    def _coding(self, request: Request, project: Project, text: str, coder: str, agreed: bool) -> Coding:
        codings = Coding.objects.visible_to(request.user).filter(text__project=project, text__slug=text)
        codings = codings.filter(kind__in=KINDS_OF_AGREED) if agreed else codings.exclude(kind__in=KINDS_OF_AGREED)
        # Not sought in the database: PostgreSQL takes no NUL, which an address may hold.
        for coding in codings.select_related("text__docset", "coder"):
            if coding.coder.get_username() == coder:
                return coding
        raise Http404("There is no such coding.")


def changed_status(request: Request, project: Project, coding: Coding, may_become: set[Coding.Status]) -> HttpResponse:
    """Hand a coding in or give it back, where the sender has seen it as it is. Call it in a transaction."""
    Coding.objects.select_for_update(of=("self",)).get(pk=coding.pk)
    coding.refresh_from_db(fields=["status", "version"])
    require_match(request, coding_state(coding, project))
    new = Coding.Status(checked(StatusSerializer(data=request.data))["status"])
    if new not in may_become:
        who = "its coder hands it in" if new == Coding.Status.SUBMITTED else "a manager gives it back"
        raise PermissionDenied(f"Only {who}.")
    change = actions.submit if new == Coding.Status.SUBMITTED else actions.reopen
    change(coding, cast(User, request.user))
    coding.refresh_from_db(fields=["status", "version"])
    return tagged(coding_state(coding, project))


class MarkableFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="text__slug")
    level = filters.CharFilter(field_name="level__key")

    class Meta:
        model = Markable
        fields = ["predefined"]


class MarkableList(FlatList):
    """The markables of a project: those that came with the texts, and those that some coder has marked."""

    queryset = Markable.objects.none()
    serializer_class = MarkableRowSerializer
    filterset_class = MarkableFilters
    ordering = ["pk"]

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        fields = ("pk", "text", "text__slug", "key", "level__key", "label", "parts", "head", "predefined")
        rows: QuerySet[Any, Any] = Markable.objects.in_use().filter(text__project=project).values(*fields)
        return rows

    def shown(self, rows: Sequence[Row]) -> Sequence[Row]:
        contents = dict(Text.objects.filter(pk__in={row["text"] for row in rows}).values_list("pk", "content"))
        for row in rows:
            row["words"] = " … ".join(contents[row["text"]][start:end] for start, end in row["parts"])
        return super().shown(rows)


class JudgementFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="coding__text__slug")
    coder = filters.CharFilter(field_name="coding__coder__username")
    kind = filters.ChoiceFilter(field_name="coding__kind", choices=Coding.Kind.choices)
    category = filters.CharFilter(field_name="category__key")
    level = filters.CharFilter(field_name="markable__level__key")

    class Meta:
        model = Judgement
        fields = ["unsure", "optional"]


class JudgementList(FlatList):
    """Every judgement of a project, with its pointers and indices."""

    queryset = Judgement.objects.none()
    serializer_class = JudgementRowSerializer
    filterset_class = JudgementFilters
    ordering = ["pk"]

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        own = ("pk", "optional", "unsure", "note", "name", "head")
        others = ("coding__text__slug", "coding__coder__username", "coding__kind", "markable__key", "category__key")
        rows: QuerySet[Any, Any] = Judgement.objects.filter(coding__text__project=project).values(*own, *others)
        return rows

    def shown(self, rows: Sequence[Row]) -> Sequence[Row]:
        pks = [row["pk"] for row in rows]
        pointers: dict[int, list[str]] = defaultdict(list)
        found = Pointer.objects.filter(judgement__in=pks).order_by("target__start", "-target__end", "pk")
        for judgement, target in found.values_list("judgement", "target__key"):
            pointers[judgement].append(target)
        indices: dict[int, list[str]] = defaultdict(list)
        for judgement, entity in (
            Index.objects.filter(judgement__in=pks).order_by("pk").values_list("judgement", "entity")
        ):
            indices[judgement].append(entity)
        return super().shown([row | {"pointers": pointers[row["pk"]], "indices": indices[row["pk"]]} for row in rows])


class OperationFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="coding__text__slug")
    coder = filters.CharFilter(field_name="coding__coder__username")
    after = MomentFilter(field_name="applied_at", lookup_expr="gt", label="applied after this moment")
    before = MomentFilter(field_name="applied_at", lookup_expr="lt", label="applied before this moment")

    class Meta:
        model = Operation
        fields = ["kind"]


class OperationList(FlatList):
    """Every change to every coding of a project, in the order in which they were made."""

    queryset = Operation.objects.none()
    serializer_class = OperationRowSerializer
    filterset_class = OperationFilters
    ordering = ["pk"]

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        own = ("pk", "sequence", "uuid", "kind", "payload", "step", "undoes", "made_at", "applied_at", "user__username")
        of_coding = ("coding__text__slug", "coding__coder__username", "coding__kind")
        rows: QuerySet[Any, Any] = Operation.objects.filter(coding__text__project=project).values(*own, *of_coding)
        return rows
