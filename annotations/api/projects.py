"""The REST API of projects: their fields, schemes, members and invitations."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.idempotency import idempotent
from annotations.api.http.preconditions import IF_MATCH, etag_response, require_match
from annotations.api.http.problems import validation_error
from annotations.api.lists import BaseListView, ProjectListView
from annotations.api.serializers.coding import ProjectSerializer
from annotations.api.serializers.projects import (
    CloneSerializer,
    InvitationMadeSerializer,
    InvitationSerializer,
    MemberSerializer,
    NewInvitationSerializer,
    NewMemberSerializer,
    NewProjectSerializer,
    ProjectChangesSerializer,
    RoleSerializer,
    validated,
)
from annotations.models import Invitation, Membership, Project, User
from annotations.models.people.rights import Right
from annotations.projects.creation import create_project
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project
from annotations.projects.people import invitations
from annotations.projects.people.members import add_member, find_person, members_shown, remove_membership, set_group
from annotations.projects.permissions import project_for
from annotations.projects.state import set_archived
from annotations.projects.viewing import record_open_results
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.texts.cloning import clone_project

# Of a project that is to be deleted.
TITLE = OpenApiParameter("title", str, OpenApiParameter.QUERY, required=True, description="The title of the project.")


class ProjectFilters(filters.FilterSet):
    archived = filters.BooleanFilter(field_name="archived_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Project
        fields = ["answers"]


class ProjectList(BaseListView):
    """The projects you are in."""

    serializer_class = ProjectSerializer
    filterset_class = ProjectFilters
    ordering = ["slug"]
    ordering_fields = ["slug", "title"]

    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.visible_to(self.request.user)

    @extend_schema(request=NewProjectSerializer, responses={201: ProjectSerializer})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Start a project from a ready-made scheme; you manage it."""
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You are not allowed to create projects.")
        fields = validated(NewProjectSerializer(data=request.data))
        scheme = SCHEMES[fields.pop("scheme")]
        try:
            project = create_project(fields.pop("slug"), fields.pop("title"), scheme, manager=user, **fields)
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(_project(request, project.slug), status=status.HTTP_201_CREATED)


def _project(request: Request, slug: str) -> dict[str, Any]:
    return dict(ProjectSerializer(project_for(request.user, slug, archived=True)).data)


class ProjectDetail(APIView):
    """One project."""

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return etag_response(_project(request, slug))

    @extend_schema(parameters=[IF_MATCH], request=ProjectChangesSerializer, responses=ProjectSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str) -> HttpResponse:
        """Change what is said of it, or open its results to its coders."""
        lock_project(project_for(request.user, slug, Right.MANAGE).pk)
        project = project_for(request.user, slug, Right.MANAGE)
        require_match(request, _project(request, slug))
        serializer = ProjectChangesSerializer(project, data=request.data, partial=True)
        validated(serializer)
        record_open_results(project)
        record_guidelines(serializer.save(), cast(User, request.user))
        return etag_response(_project(request, slug))

    @extend_schema(parameters=[IF_MATCH, TITLE], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str) -> Response:
        """Delete it with everything in it, archived or not. Export its archive first: nothing brings it back."""
        project = project_for(request.user, slug, Right.MANAGE_WORK, archived=True)
        lock_project(project.pk, archived=True)
        require_match(request, _project(request, slug))
        if request.query_params.get(TITLE.name) != project.title:
            raise ValidationError({TITLE.name: ["Send the title of the project, so that no other one is deleted."]})
        try:
            delete_project(project, project_deletion_figures(project).tag)
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(status=status.HTTP_204_NO_CONTENT)


class ProjectArchived(APIView):
    """Whether the project is archived: then it is read only."""

    @extend_schema(request=None, responses=ProjectSerializer)
    def put(self, request: Request, slug: str) -> HttpResponse:
        """Archive it."""
        return self._set(request, slug, archived=True)

    @extend_schema(responses={200: ProjectSerializer})
    def delete(self, request: Request, slug: str) -> HttpResponse:
        """Open it again."""
        return self._set(request, slug, archived=False)

    def _set(self, request: Request, slug: str, *, archived: bool) -> HttpResponse:
        set_archived(project_for(request.user, slug, Right.MANAGE, archived=True), archived=archived)
        return etag_response(_project(request, slug))


class CloneList(APIView):
    """Copies of the project."""

    @extend_schema(request=CloneSerializer, responses={201: ProjectSerializer})
    @idempotent(Right.MANAGE, archived=True)
    def post(self, request: Request, slug: str) -> Response:
        """Start a project with the same scheme, guidelines and settings; you manage it."""
        project = project_for(request.user, slug, Right.MANAGE, archived=True)
        user = cast(User, request.user)
        if not user.has_perm("annotations.add_project"):
            raise PermissionDenied("You are not allowed to create projects.")
        fields = validated(CloneSerializer(data=request.data))
        try:
            clone = clone_project(project, fields["slug"], fields["title"], user, texts=fields["texts"])
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(_project(request, clone.slug), status=status.HTTP_201_CREATED)


class MemberFilters(filters.FilterSet):
    class Meta:
        model = Membership
        fields = ["role", "group"]


class MemberList(ProjectListView):
    """Members of the project, in which role."""

    serializer_class = MemberSerializer
    filterset_class = MemberFilters
    ordering = ["pk"]
    queryset = Membership.objects.none()

    def rows_of(self, project: Project) -> QuerySet[Membership]:
        return members_shown(project)

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Let somebody in who has an account. Who is in already keeps their role: change it at their own address."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields = validated(NewMemberSerializer(data=request.data))
        user = find_person(fields["username"])
        if user is None:
            raise ValidationError({"username": ["No user has this username."]})
        with transaction.atomic():
            lock_project(project.pk)
            if Membership.objects.filter(project=project, user=user).exists():
                raise ValidationError({"username": [f"{user} is a member already."]})
            try:
                membership = add_member(project, user, fields["role"])
            except DjangoValidationError as error:
                raise validation_error(error) from None
            set_group(project, [membership.pk], fields["group"])
            membership.refresh_from_db()
        return Response(MemberSerializer(membership).data, status=status.HTTP_201_CREATED)


class MemberDetail(APIView):
    """One member of a project."""

    @extend_schema(responses=MemberSerializer)
    def get(self, request: Request, slug: str, username: str) -> HttpResponse:
        return etag_response(MemberSerializer(self._member(request, slug, username)).data)

    @extend_schema(parameters=[IF_MATCH], request=RoleSerializer, responses=MemberSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, username: str) -> HttpResponse:
        """Give them another role, put them into a group of coders, or both."""
        member = self._locked_member(request, slug, username)
        fields = validated(RoleSerializer(data=request.data))
        try:
            changed = add_member(member.project, member.user, fields.get("role", member.role))
        except DjangoValidationError as error:
            raise validation_error(error) from None
        if "group" in fields:
            set_group(changed.project, [changed.pk], fields["group"])
            changed.refresh_from_db()
        return etag_response(MemberSerializer(changed).data)

    @extend_schema(parameters=[IF_MATCH], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """End their access from the next request on; what they coded stays."""
        try:
            remove_membership(self._locked_member(request, slug, username))
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _member(self, request: Request, slug: str, username: str) -> Membership:
        project = project_for(request.user, slug, Right.MANAGE)
        member = members_shown(project).filter(user__username=username).select_related("project").first()
        if member is None:
            raise Http404("There is no such member.")
        return member

    def _locked_member(self, request: Request, slug: str, username: str) -> Membership:
        """Lock the project and return the member. Raise if the sender has not seen the member's present state."""
        lock_project(project_for(request.user, slug, Right.MANAGE).pk)
        member = self._member(request, slug, username)
        require_match(request, MemberSerializer(member).data)
        return member


class InvitationList(ProjectListView):
    """Who is invited."""

    serializer_class = InvitationSerializer
    ordering = ["-pk"]
    queryset = Invitation.objects.none()

    def rows_of(self, project: Project) -> QuerySet[Invitation]:
        return Invitation.objects.filter(project=project).select_related("created_by", "used_by")

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationMadeSerializer})
    @idempotent(Right.MANAGE, secret_fields=("link",))
    def post(self, request: Request, slug: str) -> Response:
        """Create a link that lets one person in, or as many as it says. It is shown this once."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields = validated(NewInvitationSerializer(data=request.data))
        if fields["address"]:
            return self._send(request, project, fields)
        try:
            invitation, secret = invitations.invite(
                project,
                fields["role"],
                cast(User, request.user),
                days=fields["days"],
                note=fields["whom"],
                max_uses=fields["max_uses"],
            )
        except DjangoValidationError as error:
            raise validation_error(error) from None
        link = request.build_absolute_uri(reverse("invitation", args=[secret]))
        data = InvitationSerializer(invitation).data | {"link": link}
        return Response(data, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})

    def _send(self, request: Request, project: Project, fields: dict[str, Any]) -> Response:
        """Send the invitation by mail; the answer has no link."""
        if fields["max_uses"] > 1:
            raise ValidationError({"max_uses": ["A link that is sent by e-mail is for one person."]})
        by, addresses = cast(User, request.user), [fields["address"]]
        try:
            [invitation] = invitations.invite_by_mail(project, fields["role"], by, addresses, days=fields["days"])
        except DjangoValidationError as error:
            raise validation_error(error) from None
        return Response(InvitationSerializer(invitation).data | {"link": None}, status=status.HTTP_201_CREATED)


class InvitationDetail(APIView):
    """An invitation that nobody has used."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take it back."""
        project = project_for(request.user, slug, Right.MANAGE)
        if not invitations.withdraw(project, pk):
            raise Http404
        return Response(status=status.HTTP_204_NO_CONTENT)
