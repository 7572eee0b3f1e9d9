"""The REST API of what coders do."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import operations
from annotations.coding_state import coding_state, text_state
from annotations.models import Operation, Project, Text, User
from annotations.permissions import own_coding, project_for
from annotations.serializers import (
    ChangesSerializer,
    CodingStateSerializer,
    OperationSerializer,
    ProjectSerializer,
    TextSerializer,
    TextStateSerializer,
    VersionSerializer,
)


class BySlug(CursorPagination):
    page_size = 100
    ordering = "slug"


class BySequence(CursorPagination):
    page_size = 500
    ordering = "sequence"


class ProjectList(generics.ListAPIView[Project]):
    """The projects you are in."""

    serializer_class = ProjectSerializer
    pagination_class = BySlug

    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.visible_to(self.request.user)


class ProjectDetail(generics.GenericAPIView[Project]):
    """One project."""

    serializer_class = ProjectSerializer
    queryset = Project.objects.none()

    def get(self, request: Request, slug: str) -> Response:
        return Response(self.get_serializer(project_for(request.user, slug)).data)


class TextList(generics.ListAPIView[Text]):
    """The texts of a project: all of them, or for a coder those to code."""

    serializer_class = TextSerializer
    pagination_class = BySlug
    queryset = Text.objects.none()

    def get_queryset(self) -> QuerySet[Text]:
        if getattr(self, "swagger_fake_view", False):
            return Text.objects.none()
        project = project_for(self.request.user, self.kwargs["slug"])
        return Text.objects.visible_to(self.request.user).filter(project=project).defer("content")


class TextDetail(APIView):
    """One text with its content and segments. Offsets count Unicode code points."""

    @extend_schema(responses=TextStateSerializer)
    def get(self, request: Request, slug: str, text: str) -> Response:
        project = project_for(request.user, slug)
        found = get_object_or_404(Text.objects.visible_to(request.user), project=project, slug=text)
        return Response(text_state(found))


class OwnCoding(APIView):
    """Your own coding of a text: what the coding page starts from."""

    @extend_schema(responses=CodingStateSerializer)
    def get(self, request: Request, slug: str, text: str, agreed: bool = False) -> Response:
        project = project_for(request.user, slug)
        coding = own_coding(cast(User, request.user), project, text, agreed=agreed)
        return Response(coding_state(coding, project))


class OwnOperations(generics.GenericAPIView[Operation]):
    """The log of your own coding: read it from a version on, or add to it."""

    annotates = True  # what a key to annotate may write to
    serializer_class = OperationSerializer
    pagination_class = BySequence
    queryset = Operation.objects.none()

    @extend_schema(
        parameters=[OpenApiParameter("since", int, description="Only operations after this version.")],
        responses=OperationSerializer(many=True),
    )
    def get(self, request: Request, slug: str, text: str, agreed: bool = False) -> Response:
        coding = own_coding(cast(User, request.user), project_for(request.user, slug), text, agreed=agreed)
        since = VersionSerializer(data={"version": request.query_params.get("since", 0)})
        since.is_valid(raise_exception=True)
        log = coding.operations.filter(sequence__gt=since.validated_data["version"])
        page = self.paginate_queryset(log)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(request=ChangesSerializer, responses=VersionSerializer)
    def post(self, request: Request, slug: str, text: str, agreed: bool = False) -> Response:
        """Apply operations, all or none. A stale version gets 409 with what you missed; a uuid counts once."""
        user = cast(User, request.user)
        coding = own_coding(user, project_for(user, slug), text, agreed=agreed)
        changes = ChangesSerializer(data=request.data)
        changes.is_valid(raise_exception=True)
        fields: dict[str, Any] = changes.validated_data
        sent = [operations.Change(**change) for change in fields["operations"]]
        return Response({"version": operations.apply(coding, user, fields["version"], sent)})
