"""The REST API of comments, flags and mappings of categories, and of the tasks of workers."""

from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement import discussion
from agreement.models import NAME_LENGTH, Computation, Flag, Mapping, Remark
from annotations.api.http.endpoints import idempotent
from annotations.api.lists import ArrayPages, ProjectListView
from annotations.api.serializers.requests import StrictSerializer, validated
from annotations.models import Project, Transfer, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for

LATEST = 100


class RemarkSerializer(StrictSerializer, serializers.ModelSerializer[Remark]):
    author = serializers.CharField(source="author.username", read_only=True)

    class Meta:
        model = Remark
        fields = ["id", "author", "body", "created_at"]


class RemarkList(ProjectListView):
    """The comments on an item, the oldest first."""

    serializer_class = RemarkSerializer
    ordering = ["pk"]
    queryset = Remark.objects.none()
    right = Right.DISCUSS

    def rows_of(self, project: Project) -> QuerySet[Remark]:
        unit = discussion.get_item(project, self.kwargs["text"], self.kwargs["key"])
        return Remark.objects.filter(markable=unit).select_related("author")

    @extend_schema(responses={201: RemarkSerializer})
    @idempotent(Right.DISCUSS)
    def post(self, request: Request, slug: str, text: str, key: str) -> Response:
        """Add a comment to the item."""
        unit = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
        body = validated(RemarkSerializer(data=request.data))["body"]
        remark = discussion.add_remark(unit, cast(User, request.user), body)
        return Response(RemarkSerializer(remark).data, status=status.HTTP_201_CREATED)


class RemarkDetail(APIView):
    """Your own comment on an item."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, text: str, key: str, pk: int) -> Response:
        """Delete the comment."""
        unit = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
        discussion.withdraw_remark(unit, pk, cast(User, request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class FlagSerializer(serializers.Serializer[Any]):
    flagged = serializers.BooleanField(help_text="and not resolved")
    author = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    resolved_by = serializers.CharField(allow_null=True)
    resolved_at = serializers.DateTimeField(allow_null=True)


class FlagDetail(APIView):
    """The flag of an item that the guidelines should cover."""

    @extend_schema(responses=FlagSerializer)
    def get(self, request: Request, slug: str, text: str, key: str) -> Response:
        unit = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
        flag = Flag.objects.filter(markable=unit).select_related("author", "resolved_by").first()
        shown = {
            "flagged": flag is not None and flag.resolved_at is None,
            "author": flag.author.get_username() if flag else None,
            "reason": flag.reason if flag else "",
            "resolved_by": flag.resolved_by.get_username() if flag and flag.resolved_by else None,
            "resolved_at": flag.resolved_at if flag else None,
        }
        return Response(FlagSerializer(shown).data)

    @extend_schema(request=None, responses=FlagSerializer)
    def put(self, request: Request, slug: str, text: str, key: str) -> Response:
        """Flag the item, or reopen its resolved flag. An open flag stays as it is."""
        unit = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
        discussion.set_flag(unit, cast(User, request.user), on=True)
        return self.get(request, slug, text, key)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, text: str, key: str) -> Response:
        """Delete the flag of the item."""
        unit = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
        discussion.set_flag(unit, cast(User, request.user), on=False)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MappingSerializer(StrictSerializer):
    name = serializers.CharField(max_length=NAME_LENGTH)
    classes = serializers.DictField(
        child=serializers.CharField(max_length=NAME_LENGTH), allow_empty=False, help_text="{category: what it becomes}"
    )


class MappingList(APIView):
    """The saved mappings of categories, for the option `merge` of the page categories."""

    pagination_class = ArrayPages

    @extend_schema(responses=MappingSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        mappings = Mapping.objects.filter(project=project_for(request.user, slug, Right.SEE_RESULTS))
        pages = self.pagination_class()
        page = pages.paginate_sequence(mappings, request)
        return pages.get_paginated_response([{"name": mapping.name, "classes": mapping.classes} for mapping in page])

    @extend_schema(request=MappingSerializer, responses={201: MappingSerializer})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Save a mapping, in place of one with the same name."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields = validated(MappingSerializer(data=request.data))
        keys = set(project.categories.values_list("key", flat=True))
        for name in fields["classes"]:
            if name not in keys:
                raise ValidationError({"classes": [f"There is no category {name!r}."]})
        mapping = discussion.save_mapping(project, fields["name"], fields["classes"], cast(User, request.user))
        return Response({"name": mapping.name, "classes": mapping.classes}, status=status.HTTP_201_CREATED)


class TaskSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField(help_text="import, export, or the page whose tables are computed")
    state = serializers.ChoiceField([*Transfer.State.values, "waiting"])
    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="0 before a worker has begun")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class TaskList(APIView):
    """The tasks of workers for a project, the latest first: imports, exports and computations."""

    @extend_schema(responses=TaskSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(request.user, slug, Right.SEE_RESULTS)
        fields = ("pk", "kind", "done", "total", "created_at", "finished_at", "error")
        computed = Computation.objects.filter(project=project).order_by("-pk").values(*fields)[:LATEST]
        carried = Transfer.objects.shown_in(project).values(*fields, "state")[:LATEST]
        rows = [{**row, "state": _state_of(row)} for row in computed] + list(carried)
        rows.sort(key=lambda row: row["created_at"], reverse=True)
        return Response(TaskSerializer(rows[:LATEST], many=True).data)


def _state_of(computation: dict[str, Any]) -> str:
    if computation["error"]:
        return str(Transfer.State.FAILED)
    if computation["finished_at"]:
        return str(Transfer.State.DONE)
    return str(Transfer.State.RUNNING) if computation["total"] else "waiting"
