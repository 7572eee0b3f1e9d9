"""The REST API of docsets: their summaries and peers, who codes them, and the agreed pyramid.

The SCUs of your own coding come with `texts/<text>/coding/`, and change by operations like everything you code.
"""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import ValidationError as Refusal
from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import docsets
from annotations.actions import ROLES_THAT_CODE
from annotations.coding_api import named
from annotations.coding_serializers import CodingsMadeSerializer
from annotations.decisions import Refused
from annotations.docset_forms import assign, people
from annotations.docset_progress import codings_seen, docsets_seen, overview_of, overviews
from annotations.docset_texts import peers_seen, summaries_seen
from annotations.idempotency import idempotent
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.models.pyramid import DOCSET_SLUG_LENGTH
from annotations.permissions import Right, may, project_for
from annotations.problems import invalid
from annotations.project_serializers import checked
from annotations.scus import PYRAMIDS, weighed
from annotations.serializers import SCUStateSerializer, StrictSerializer

MOST_SUMMARIES = 100


class WorkSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="the address of the text that is coded")
    coder = serializers.CharField()
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    handed_in = serializers.BooleanField()
    scus = serializers.IntegerField()
    contributors = serializers.IntegerField()


class DocsetSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    summaries = serializers.IntegerField(help_text="how many model summaries it has")
    words = serializers.IntegerField(help_text="how many words they have")
    peers = serializers.IntegerField()
    codings = WorkSerializer(many=True, source="works", help_text="those that you may see")


class SummarySerializer(StrictSerializer):
    name = serializers.CharField(max_length=50, allow_blank=True, default="")
    content = serializers.CharField(trim_whitespace=False)


class DocsetDetailSerializer(DocsetSerializer):
    model_summaries = SummarySerializer(many=True)


class NewDocsetSerializer(StrictSerializer):
    slug = serializers.SlugField(max_length=DOCSET_SLUG_LENGTH)
    title = serializers.CharField(max_length=200)
    summaries = SummarySerializer(many=True, help_text="the model summaries, at least two")


class PeerSerializer(StrictSerializer):
    slug = serializers.CharField(read_only=True)
    name = serializers.CharField(max_length=100)
    system = serializers.CharField(max_length=100, allow_blank=True, default="", help_text="what wrote it")
    content = serializers.CharField(trim_whitespace=False)


class NewPeersSerializer(StrictSerializer):
    peers = PeerSerializer(many=True, allow_empty=False)


class AssignmentSerializer(StrictSerializer):
    coders = serializers.ListField(child=serializers.CharField(), allow_empty=False)
    pyramid = serializers.BooleanField(default=False, help_text="each makes a pyramid of their own")
    peers = serializers.ListField(child=serializers.CharField(), default=list, help_text="addresses of peer summaries")
    against = serializers.ChoiceField(["own", "agreed"], default="own", help_text="what the peers are held against")


class AgreedSerializer(StrictSerializer):
    coder = serializers.CharField(help_text="with whose pyramid it begins")
    adjudicator = serializers.CharField(required=False, help_text="who makes it; yourself where you adjudicate")


class HandOnSerializer(StrictSerializer):
    adjudicator = serializers.CharField(help_text="who goes on with it")


def _pyramids(project: Project) -> Project:
    if project.answers != Project.Answers.SCUS:
        raise Http404("Docsets are of projects of pyramids; this one codes texts.")
    return project


def _docset(request: Request, project: Project, docset: str) -> Docset:
    seen = docsets_seen(_pyramids(project), request.user)
    return get_object_or_404(seen.select_related("project"), slug=docset)


class DocsetList(APIView):
    """The docsets of a project of pyramids: all of them, or for a coder those in which they code."""

    @extend_schema(responses=DocsetSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = _pyramids(project_for(request.user, slug))
        return Response(DocsetSerializer(overviews(project, request.user), many=True).data)

    @extend_schema(request=NewDocsetSerializer, responses={201: DocsetDetailSerializer})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str) -> Response:
        """Make a docset of model summaries."""
        project = _pyramids(project_for(request.user, slug, Right.MANAGE))
        fields = checked(NewDocsetSerializer(data=request.data))
        if len(fields["summaries"]) > MOST_SUMMARIES:
            raise ValidationError({"summaries": [f"At most {MOST_SUMMARIES} summaries make a docset."]})
        summaries = [(one["name"], one["content"]) for one in fields["summaries"]]
        try:
            docset = docsets.create_docset(project, fields["slug"], fields["title"], summaries)
        except Refusal as error:
            raise invalid(error) from None
        return Response(_detail(docset, project, request), status=status.HTTP_201_CREATED)


def _detail(docset: Docset, project: Project, request: Request) -> dict[str, Any]:
    told: dict[str, Any] = dict(DocsetSerializer(overview_of(docset, project, request.user)).data)
    summaries = summaries_seen(docset, request.user)
    return told | {"model_summaries": [{"name": one.name, "content": one.content} for one in summaries]}


class DocsetDetail(APIView):
    """One docset with its model summaries and the codings that you may see."""

    @extend_schema(responses=DocsetDetailSerializer)
    def get(self, request: Request, slug: str, docset: str) -> Response:
        project = project_for(request.user, slug)
        return Response(_detail(_docset(request, project, docset), project, request))


class PeerList(APIView):
    """The peer summaries of a docset: all of them, or for a coder those to code."""

    @extend_schema(responses=PeerSerializer(many=True))
    def get(self, request: Request, slug: str, docset: str) -> Response:
        project = project_for(request.user, slug)
        peers = peers_seen(_docset(request, project, docset), request.user)
        return Response(PeerSerializer(peers, many=True).data)

    @extend_schema(request=NewPeersSerializer, responses={201: PeerSerializer(many=True)})
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str, docset: str) -> Response:
        """Add peer summaries, all or none."""
        project = project_for(request.user, slug, Right.MANAGE)
        found = _docset(request, project, docset)
        fields = checked(NewPeersSerializer(data=request.data))
        try:
            with transaction.atomic():
                made = {
                    docsets.add_named_peer(found, one["name"], one["content"], one["system"]).slug
                    for one in fields["peers"]
                }
        except Refusal as error:
            raise invalid(error) from None
        new = [peer for peer in peers_seen(found, request.user) if peer.slug in made]
        return Response(PeerSerializer(new, many=True).data, status=status.HTTP_201_CREATED)


class Assignments(APIView):
    """Who makes a pyramid of a docset, and who holds which peers against what. What coders have stays."""

    @extend_schema(request=AssignmentSerializer, responses=CodingsMadeSerializer)
    @idempotent(Right.MANAGE)
    def post(self, request: Request, slug: str, docset: str) -> Response:
        project = project_for(request.user, slug, Right.MANAGE)
        found = _docset(request, project, docset)
        fields = checked(AssignmentSerializer(data=request.data))
        coders = named(people(project, ROLES_THAT_CODE), fields["coders"], "username", "coders")
        texts = found.texts.filter(role=Text.Role.PEER).defer("content")
        peers = named(texts, fields["peers"], "slug", "peers")
        try:
            new = assign(found, coders, pyramid=fields["pyramid"], peers=peers, agreed=fields["against"] == "agreed")
        except Refusal as error:
            raise invalid(error) from None
        return Response({"new": new})


class PyramidSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    handed_in = serializers.BooleanField()
    scus = SCUStateSerializer(many=True, help_text="the heaviest first")


class PyramidList(APIView):
    """The pyramids of a docset that you may see, with their SCUs: as a coder your own."""

    @extend_schema(responses=PyramidSerializer(many=True))
    def get(self, request: Request, slug: str, docset: str) -> Response:
        project = project_for(request.user, slug)
        found = codings_seen(project, request.user).filter(
            text__docset=_docset(request, project, docset), kind__in=PYRAMIDS
        )
        return Response(
            [
                {
                    "coder": coding.coder.get_username(),
                    "kind": coding.kind,
                    "handed_in": coding.status == Coding.Status.SUBMITTED,
                    "scus": [one.state() for one in weighed(coding)],
                }
                for coding in found.select_related("coder").order_by("kind", "coder__username")
            ]
        )


class AgreedPyramid(APIView):
    """The agreed pyramid of a docset: who makes it."""

    @extend_schema(request=AgreedSerializer, responses={201: WorkSerializer})
    @idempotent(Right.DISCUSS)
    def post(self, request: Request, slug: str, docset: str) -> Response:
        """Begin it with the pyramid of a coder: for yourself, or as manager for an adjudicator."""
        project = project_for(request.user, slug, Right.DISCUSS)
        found = _docset(request, project, docset)
        fields = checked(AgreedSerializer(data=request.data))
        codings = Coding.objects.filter(text__docset=found, kind=Coding.Kind.PYRAMID).select_related("coder", "text")
        [start] = named(codings, [fields["coder"]], "coder", "coder")
        adjudicator = cast(User, request.user)
        if may(project, Right.MANAGE):
            if "adjudicator" not in fields:
                raise ValidationError({"adjudicator": ["A manager names the adjudicator who makes it."]})
            adjudicator = self._adjudicator(project, fields["adjudicator"])
        try:
            docsets.start_agreed(found, adjudicator, start)
        except Refusal as error:
            raise invalid(error) from None
        except Refused as refused:
            raise ValidationError({"non_field_errors": [str(refused)]}) from None
        return self._shown(request, found, status.HTTP_201_CREATED)

    @extend_schema(request=HandOnSerializer, responses=WorkSerializer)
    def put(self, request: Request, slug: str, docset: str) -> Response:
        """Let another adjudicator go on with it, all of it with its log. Only a manager does."""
        project = project_for(request.user, slug, Right.MANAGE)
        found = _docset(request, project, docset)
        adjudicator = self._adjudicator(project, checked(HandOnSerializer(data=request.data))["adjudicator"])
        try:
            docsets.hand_agreed_to(found, adjudicator)
        except Refusal as error:
            raise invalid(error) from None
        return self._shown(request, found, status.HTTP_200_OK)

    def _adjudicator(self, project: Project, name: str) -> User:
        found: list[User] = named(people(project, (Membership.Role.ADJUDICATOR,)), [name], "username", "adjudicator")
        return found[0]

    def _shown(self, request: Request, docset: Docset, code: int) -> Response:
        agreed = overview_of(docset, docset.project, request.user).agreed
        return Response(WorkSerializer(agreed).data, status=code)
