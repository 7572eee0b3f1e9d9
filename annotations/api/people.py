"""The REST API of the people and models of a project: members, invitations, models and their API keys."""

from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint, etag_response, idempotent, require_match
from annotations.api.lists import ProjectListView
from annotations.api.serializers.requests import StrictSerializer, from_form, validated
from annotations.models import Invitation, Membership, ModelCoder, Project, User
from annotations.models.people.rights import Right
from annotations.models.people.user import ADDRESS_LENGTH
from annotations.models.project import NOTE_LENGTH, check_group
from annotations.projects.locks import lock_project
from annotations.projects.people import invitations
from annotations.projects.people.forms import GroupForm, InvitationForm, MemberForm, ModelForm
from annotations.projects.people.members import add_member, find_person, members_shown, remove_membership, set_group
from annotations.projects.people.model_coders import GROUP, add_model, find_model, make_key, models_of, withdraw_keys
from annotations.projects.people.tokens import MAX_DAYS
from annotations.projects.permissions import project_for, project_with_models


def _group_field(**options: Any) -> Any:
    text = "The group of coders, such as expert, naive, crowd or model: results are compared by it. Empty: none."
    return from_form(GroupForm, "group", allow_blank=True, help_text=text, validators=[check_group], **options)


class MemberSerializer(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username", read_only=True)
    is_model = serializers.BooleanField(read_only=True, help_text="It is a model and no person: see `models/`.")

    class Meta:
        model = Membership
        fields = ["username", "role", "group", "is_model"]


class NewMemberSerializer(StrictSerializer):
    username = from_form(MemberForm, "username")
    role = from_form(MemberForm, "role")
    group = _group_field(default="")


class RoleSerializer(StrictSerializer):
    role = from_form(MemberForm, "role", required=False)
    group = _group_field(required=False)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        if not fields:
            raise serializers.ValidationError({"role": ["Say the role, the group or both."]})
        return fields


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    whom = serializers.CharField(source="note", read_only=True)
    created_by = serializers.CharField(source="created_by.username", read_only=True)
    used_by = serializers.CharField(source="used_by.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = Invitation
        fields = ["id", "role", "whom", "created_by", "created_at", "expires_at", "max_uses", "uses"]
        fields += ["used_by", "used_at"]


class NewInvitationSerializer(StrictSerializer):
    role = from_form(InvitationForm, "role")
    days = serializers.IntegerField(
        min_value=1, max_value=invitations.MAX_DAYS, default=7, help_text="after which it ends"
    )
    whom = serializers.CharField(
        max_length=NOTE_LENGTH, allow_blank=True, default="", help_text="a note for the managers"
    )
    max_uses = from_form(
        InvitationForm, "max_uses", default=1, help_text="more than 1 for a group of coders or viewers"
    )
    address = serializers.EmailField(
        max_length=ADDRESS_LENGTH, allow_blank=True, default="", help_text="the link is sent there, and not shown"
    )


class InvitationMadeSerializer(InvitationSerializer):
    link = serializers.CharField(allow_null=True, help_text="Shown this once: null where the request is sent again.")

    class Meta(InvitationSerializer.Meta):
        fields = [*InvitationSerializer.Meta.fields, "link"]


class ModelSerializer(serializers.ModelSerializer[ModelCoder]):
    name = serializers.CharField(source="membership.user.username", read_only=True)
    group = serializers.CharField(source="membership.group", read_only=True)

    class Meta:
        model = ModelCoder
        fields = ["name", "version", "hash", "date", "group"]


class NewModelSerializer(StrictSerializer):
    name = from_form(ModelForm, "name", help_text="A name that no account has.")
    version = from_form(ModelForm, "version", allow_blank=True, default="")
    hash = from_form(
        ModelForm, "hash", allow_blank=True, default="", help_text="A digest of its prompt or of its weights."
    )
    date = from_form(ModelForm, "date", allow_null=True, default=None, help_text="When it was called or trained.")
    group = _group_field(default=GROUP)


class NewModelKeySerializer(StrictSerializer):
    days = serializers.IntegerField(min_value=1, max_value=MAX_DAYS, default=90, help_text="Until it expires.")


class ModelKeySerializer(serializers.Serializer[None]):
    key = serializers.CharField(
        read_only=True,
        allow_null=True,
        help_text="Its API key, which is shown this once: with it a client reads and codes as the model.",
    )
    expires_at = serializers.DateTimeField(read_only=True)


class MemberList(ProjectListView):
    """The members of the project with their roles."""

    serializer_class = MemberSerializer
    filterset_fields = ["role", "group"]
    ordering = ["pk"]

    def rows_of(self, project: Project) -> QuerySet[Membership]:
        return members_shown(project)

    @endpoint(Right.MANAGE, once=True, request=NewMemberSerializer, responses={201: MemberSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Add a user as member. Existing members keep their role: change it at the member's own address."""
        fields = validated(NewMemberSerializer(data=request.data))
        user = find_person(fields["username"])
        if user is None:
            raise ValidationError({"username": ["No user has this username."]})
        with transaction.atomic():
            lock_project(project.pk)
            if Membership.objects.filter(project=project, user=user).exists():
                raise ValidationError({"username": [f"{user} is a member already."]})
            membership = add_member(project, user, fields["role"])
            set_group(project, [membership.pk], fields["group"])
            membership.refresh_from_db()
        return Response(MemberSerializer(membership).data, status=201)


class MemberDetail(APIView):
    """One member of a project."""

    @endpoint(Right.MANAGE, responses=MemberSerializer)
    def get(self, _: Request, project: Project, username: str) -> HttpResponse:
        return etag_response(MemberSerializer(self._member(project, username)).data)

    @endpoint(Right.MANAGE, seen=True, request=RoleSerializer, responses=MemberSerializer)
    def patch(self, request: Request, project: Project, username: str) -> HttpResponse:
        """Change the role of a member, the group of coders, or both."""
        member = self._locked_member(request, project, username)
        fields = validated(RoleSerializer(data=request.data))
        changed = add_member(member.project, member.user, fields.get("role", member.role))
        if "group" in fields:
            set_group(changed.project, [changed.pk], fields["group"])
            changed.refresh_from_db()
        return etag_response(MemberSerializer(changed).data)

    @endpoint(Right.MANAGE, seen=True, responses={204: None})
    def delete(self, request: Request, project: Project, username: str) -> Response:
        """End the member's access from the next request on; codings stay."""
        remove_membership(self._locked_member(request, project, username))
        return Response(status=204)

    def _member(self, project: Project, username: str) -> Membership:
        member = members_shown(project).filter(user__username=username).select_related("project").first()
        if member is None:
            raise Http404("There is no such member.")
        return member

    def _locked_member(self, request: Request, project: Project, username: str) -> Membership:
        """Lock the project and return the member. Raise if the sender has not seen the member's current state."""
        lock_project(project.pk)
        # The sender may have lost the right meanwhile.
        member = self._member(project_for(request.user, project.slug, Right.MANAGE), username)
        require_match(request, MemberSerializer(member).data)
        return member


class InvitationList(ProjectListView):
    """The invitations to the project."""

    serializer_class = InvitationSerializer
    ordering = ["-pk"]

    def rows_of(self, project: Project) -> QuerySet[Invitation]:
        return Invitation.objects.filter(project=project).select_related("created_by", "used_by")

    @endpoint(
        Right.MANAGE,
        once=True,
        secret_fields=("link",),
        request=NewInvitationSerializer,
        responses={201: InvitationMadeSerializer},
    )
    def post(self, request: Request, project: Project) -> Response:
        """Create a link that admits one person, or up to `max_uses`. It is shown only in this response."""
        fields = validated(NewInvitationSerializer(data=request.data))
        by, link, headers = cast(User, request.user), None, None
        days, note, max_uses = fields["days"], fields["whom"], fields["max_uses"]
        if fields["address"]:
            if max_uses > 1:
                raise ValidationError({"max_uses": ["A link that is sent by e-mail is for one person."]})
            [invitation] = invitations.invite_by_mail(project, fields["role"], by, [fields["address"]], days=days)
        else:
            invitation, secret = invitations.invite(
                project, fields["role"], by, days=days, note=note, max_uses=max_uses
            )
            link = request.build_absolute_uri(reverse("invitation", args=[secret]))
            headers = {"Cache-Control": "no-store"}
        return Response(InvitationSerializer(invitation).data | {"link": link}, status=201, headers=headers)


class InvitationDetail(APIView):
    """An unused invitation."""

    @endpoint(Right.MANAGE, responses={204: None})
    def delete(self, _: Request, project: Project, pk: int) -> Response:
        """Withdraw the invitation."""
        if not invitations.withdraw(project, pk):
            raise Http404
        return Response(status=204)


class ModelList(ProjectListView):
    """The models that code in the project; users who code do not see them."""

    serializer_class = ModelSerializer
    ordering = ["pk"]
    right = Right.MANAGE_WORK

    def find_project(self) -> Project:
        return project_with_models(self.request.user, self.kwargs["slug"])

    def rows_of(self, project: Project) -> QuerySet[ModelCoder]:
        return models_of(project)

    @extend_schema(request=NewModelSerializer, responses={201: ModelSerializer})
    @idempotent(Right.MANAGE_WORK)
    def post(self, request: Request, slug: str) -> Response:
        """Add a model as coder, with an account that cannot sign in. It codes with a key, or by imports."""
        project = project_with_models(request.user, slug)
        fields = validated(NewModelSerializer(data=request.data))
        return Response(ModelSerializer(add_model(project, **fields)).data, status=201)


class ModelDetail(APIView):
    """A model that codes."""

    @extend_schema(responses=ModelSerializer)
    def get(self, request: Request, slug: str, username: str) -> HttpResponse:
        return etag_response(ModelSerializer(find_model(project_with_models(request.user, slug), username)).data)


class ModelKey(APIView):
    """The API key of a model."""

    @extend_schema(request=NewModelKeySerializer, responses={201: ModelKeySerializer})
    @idempotent(Right.MANAGE_WORK, secret_fields=("key",))
    def post(self, request: Request, slug: str, username: str) -> Response:
        """Replace the key of the model. The new key is shown only in this response."""
        model = find_model(project_with_models(request.user, slug), username)
        token, secret = make_key(model, validated(NewModelKeySerializer(data=request.data))["days"])
        data = {"key": secret, "expires_at": token.expires_at.isoformat()}
        return Response(data, status=201, headers={"Cache-Control": "no-store"})

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """Revoke the key: the model cannot code until it has a new one."""
        withdraw_keys(find_model(project_with_models(request.user, slug), username))
        return Response(status=204)
