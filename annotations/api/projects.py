"""The REST API of projects: their fields, archiving, copies and deletion."""

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint, etag_response, idempotent, require_match
from annotations.api.lists import BaseListView
from annotations.api.serializers.requests import ChoiceField, StrictSerializer, validated
from annotations.models import Project, User
from annotations.models.people.rights import Right
from annotations.models.project import DATASHEET_FIELDS, KEY_LENGTH, MAX_GUIDELINES, TITLE_LENGTH
from annotations.projects.creation import create_project
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project, set_archived
from annotations.projects.permissions import project_for
from annotations.projects.viewing import record_open_results
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.texts.cloning import clone_project

TITLE = OpenApiParameter("title", str, OpenApiParameter.QUERY, required=True, description="The title of the project.")


class ProjectSerializer(serializers.ModelSerializer[Project]):
    role = serializers.CharField(read_only=True, help_text="What you are in this project.")

    class Meta:
        model = Project
        fields = ["slug", "title", "answers", "guidelines", "results_open", "preset", "one_contributor"]
        fields += ["words_exclusive", "scores_shown", *DATASHEET_FIELDS, "archived_at", "role"]


class NewProjectSerializer(StrictSerializer):
    slug = serializers.SlugField(max_length=KEY_LENGTH)
    title = serializers.CharField(max_length=200)
    scheme = ChoiceField(list(SCHEMES), help_text="A ready-made scheme.")
    guidelines = serializers.CharField(allow_blank=True, default="", max_length=MAX_GUIDELINES, help_text="Markdown")
    coders_mark = serializers.BooleanField(default=False, help_text="Coders create markables.")


class ProjectChangesSerializer(StrictSerializer, serializers.ModelSerializer[Project]):
    guidelines = serializers.CharField(allow_blank=True, max_length=MAX_GUIDELINES, help_text="Markdown")

    class Meta:
        model = Project
        fields = ["title", "guidelines", "results_open", "one_contributor", "words_exclusive", "scores_shown"]
        fields += DATASHEET_FIELDS


class CloneSerializer(StrictSerializer):
    slug = serializers.SlugField(max_length=KEY_LENGTH)
    title = serializers.CharField(max_length=TITLE_LENGTH)
    texts = serializers.BooleanField(default=False, help_text="Copy the texts too, without what coders did.")


class ProjectFilters(filters.FilterSet):
    archived = filters.BooleanFilter(field_name="archived_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Project
        fields = ["answers"]


class ProjectList(BaseListView):
    """The projects in which you have a role."""

    serializer_class = ProjectSerializer
    filterset_class = ProjectFilters
    ordering = ["slug"]
    ordering_fields = ["slug", "title"]

    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.visible_to(self.request.user)

    @extend_schema(request=NewProjectSerializer, responses={201: ProjectSerializer})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Create a project from a ready-made scheme; you manage it."""
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You are not allowed to create projects.")
        fields = validated(NewProjectSerializer(data=request.data))
        scheme = SCHEMES[fields.pop("scheme")]
        project = create_project(**fields, scheme=scheme, manager=user)
        return Response(_project(request, project.slug), status=201)


def _project(request: Request, slug: str) -> dict[str, Any]:
    return dict(ProjectSerializer(project_for(request.user, slug, archived=True)).data)


class ProjectDetail(APIView):
    """One project."""

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return etag_response(_project(request, slug))

    @endpoint(Right.MANAGE, seen=True, request=ProjectChangesSerializer, responses=ProjectSerializer)
    def patch(self, request: Request, project: Project) -> HttpResponse:
        """Change the description and settings of the project, or open its results to coders."""
        lock_project(project.pk)
        project = project_for(request.user, project.slug, Right.MANAGE)
        require_match(request, _project(request, project.slug))
        serializer = ProjectChangesSerializer(project, data=request.data, partial=True)
        validated(serializer)
        record_open_results(project)
        record_guidelines(serializer.save(), cast(User, request.user))
        return etag_response(_project(request, project.slug))

    @endpoint(Right.MANAGE_WORK, archived=True, seen=True, parameters=[TITLE], responses={204: None})
    def delete(self, request: Request, project: Project) -> Response:
        """Delete the project with all its data, archived or not. Export its archive first: nothing restores it."""
        lock_project(project.pk, archived=True)
        require_match(request, _project(request, project.slug))
        if request.query_params.get(TITLE.name) != project.title:
            raise ValidationError({TITLE.name: ["Send the title of the project, so that no other one is deleted."]})
        delete_project(project, project_deletion_figures(project).tag)
        return Response(status=204)


class ProjectArchived(APIView):
    """The archived state of the project, which makes it read-only."""

    @endpoint(Right.MANAGE, archived=True, request=None, responses=ProjectSerializer)
    def put(self, request: Request, project: Project) -> HttpResponse:
        """Archive the project."""
        set_archived(project, archived=True)
        return etag_response(_project(request, project.slug))

    @endpoint(Right.MANAGE, archived=True, responses={200: ProjectSerializer})
    def delete(self, request: Request, project: Project) -> HttpResponse:
        """Unarchive the project."""
        set_archived(project, archived=False)
        return etag_response(_project(request, project.slug))


class CloneList(APIView):
    """Copies of the project."""

    @endpoint(Right.MANAGE, archived=True, once=True, request=CloneSerializer, responses={201: ProjectSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Create a project with the same scheme, guidelines and settings; you manage it."""
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You are not allowed to create projects.")
        clone = clone_project(project, **validated(CloneSerializer(data=request.data)), manager=user)
        return Response(_project(request, clone.slug), status=201)
