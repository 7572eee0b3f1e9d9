"""The REST API of projects: made and changed, their schemes, who is in them and who is invited."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as Refusal
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import actions, invitations
from annotations.coding_state import scheme_state
from annotations.conditional import IF_MATCH, require_match, tagged
from annotations.idempotency import idempotent
from annotations.listing import Listed, ListOfProject
from annotations.models import Invitation, Membership, Project, User
from annotations.permissions import Right, project_for
from annotations.problems import invalid
from annotations.project_serializers import (
    InvitationMadeSerializer,
    InvitationSerializer,
    MemberSerializer,
    NewInvitationSerializer,
    NewMemberSerializer,
    NewProjectSerializer,
    ProjectChangesSerializer,
    RoleSerializer,
    SchemeChangesSerializer,
    SchemeSerializer,
    checked,
)
from annotations.schemes import SCHEMES
from annotations.serializers import ProjectSerializer


def locked(project: Project) -> None:
    """Until the transaction ends nobody else changes the project, its scheme or its people."""
    Project.objects.select_for_update(of=("self",), no_key=True).get(pk=project.pk)


class ProjectFilters(filters.FilterSet):
    class Meta:
        model = Project
        fields = ["answers"]


class ProjectList(Listed):
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
            raise PermissionDenied("You may not make projects.")
        fields = checked(NewProjectSerializer(data=request.data))
        scheme = SCHEMES[fields.pop("scheme")]
        try:
            made = actions.create_project(fields.pop("slug"), fields.pop("title"), scheme, manager=user, **fields)
        except Refusal as error:
            raise invalid(error) from None
        return Response(_project(request, made.slug), status=status.HTTP_201_CREATED)


def _project(request: Request, slug: str) -> dict[str, Any]:
    return dict(ProjectSerializer(project_for(request.user, slug)).data)


class ProjectDetail(APIView):
    """One project."""

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return tagged(_project(request, slug))

    @extend_schema(parameters=[IF_MATCH], request=ProjectChangesSerializer, responses=ProjectSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str) -> HttpResponse:
        """Change what is said of it, or open its results to its coders."""
        locked(project_for(request.user, slug, Right.MANAGE))
        project = project_for(request.user, slug, Right.MANAGE)
        require_match(request, _project(request, slug))
        serializer = ProjectChangesSerializer(project, data=request.data, partial=True)
        checked(serializer)
        serializer.save()
        return tagged(_project(request, slug))


class SchemeDetail(APIView):
    """What coders are asked: levels and categories."""

    @extend_schema(responses=SchemeSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return tagged(scheme_state(project_for(request.user, slug)))

    @extend_schema(parameters=[IF_MATCH], request=SchemeChangesSerializer, responses=SchemeSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str) -> HttpResponse:
        """Say which levels coders mark themselves. What they marked already stays."""
        project = project_for(request.user, slug, Right.MANAGE)
        locked(project)
        require_match(request, scheme_state(project))
        names = checked(SchemeChangesSerializer(data=request.data))["coders_mark"]
        levels = {level.key: level for level in project.levels.filter(coded=True)}
        for name in names:
            if name not in levels:
                raise ValidationError({"coders_mark": [f"There is no coded level {name!r}."]})
        actions.let_coders_mark(project, [levels[name] for name in names])
        return tagged(scheme_state(project))


class MemberFilters(filters.FilterSet):
    class Meta:
        model = Membership
        fields = ["role"]


class MemberList(ListOfProject):
    """Who is in the project, in which role."""

    serializer_class = MemberSerializer
    filterset_class = MemberFilters
    ordering = ["pk"]
    queryset = Membership.objects.none()

    def rows_of(self, project: Project) -> QuerySet[Membership]:
        return Membership.objects.filter(project=project).select_related("user")

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Let somebody in who has an account. Who is in already keeps their role: change it at their own address."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields = checked(NewMemberSerializer(data=request.data))
        user = User.objects.filter(username__iexact=fields["username"]).first()
        if user is None:
            raise ValidationError({"username": ["There is nobody with this name."]})
        with transaction.atomic():
            locked(project)
            if Membership.objects.filter(project=project, user=user).exists():
                raise ValidationError({"username": [f"{user} is a member already."]})
            try:
                made = actions.add_member(project, user, fields["role"])
            except Refusal as error:
                raise invalid(error) from None
        return Response(MemberSerializer(made).data, status=status.HTTP_201_CREATED)


class MemberDetail(APIView):
    """One member of a project."""

    @extend_schema(responses=MemberSerializer)
    def get(self, request: Request, slug: str, username: str) -> HttpResponse:
        return tagged(MemberSerializer(self._member(request, slug, username)).data)

    @extend_schema(parameters=[IF_MATCH], request=RoleSerializer, responses=MemberSerializer)
    @transaction.atomic
    def patch(self, request: Request, slug: str, username: str) -> HttpResponse:
        """Give them another role."""
        member = self._seen(request, slug, username)
        role = checked(RoleSerializer(data=request.data))["role"]
        try:
            changed = actions.add_member(member.project, member.user, role)
        except Refusal as error:
            raise invalid(error) from None
        return tagged(MemberSerializer(changed).data)

    @extend_schema(parameters=[IF_MATCH], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """End their access from the next request on; what they coded stays."""
        try:
            actions.remove_member(self._seen(request, slug, username))
        except Refusal as error:
            raise invalid(error) from None
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _member(self, request: Request, slug: str, username: str) -> Membership:
        project = project_for(request.user, slug, Right.MANAGE)
        # Not sought in the database: PostgreSQL takes no NUL, which an address may hold.
        for member in Membership.objects.filter(project=project).select_related("user", "project"):
            if member.user.get_username() == username:
                return member
        raise Http404("There is no such member.")

    def _seen(self, request: Request, slug: str, username: str) -> Membership:
        """The member as the sender has seen them, who stays so until the transaction ends."""
        locked(project_for(request.user, slug, Right.MANAGE))
        member = self._member(request, slug, username)
        require_match(request, MemberSerializer(member).data)
        return member


class InvitationList(ListOfProject):
    """Who is invited."""

    serializer_class = InvitationSerializer
    ordering = ["-pk"]
    queryset = Invitation.objects.none()

    def rows_of(self, project: Project) -> QuerySet[Invitation]:
        return Invitation.objects.filter(project=project).select_related("created_by", "used_by")

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationMadeSerializer})
    @idempotent(Right.MANAGE, but=("link",))
    def post(self, request: Request, slug: str) -> Response:
        """Make a link that lets one person in, once. It is shown this once."""
        project = project_for(request.user, slug, Right.MANAGE)
        fields = checked(NewInvitationSerializer(data=request.data))
        made, secret = invitations.invite(
            project, fields["role"], cast(User, request.user), days=fields["days"], whom=fields["whom"]
        )
        link = request.build_absolute_uri(reverse("invitation", args=[secret]))
        shown = InvitationSerializer(made).data | {"link": link}
        return Response(shown, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})


class InvitationDetail(APIView):
    """An invitation that nobody has used."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take it back."""
        project = project_for(request.user, slug, Right.MANAGE)
        if not invitations.withdraw(project, pk):
            raise Http404
        return Response(status=status.HTTP_204_NO_CONTENT)
