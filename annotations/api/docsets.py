"""The REST API of docsets: summaries, peers, assignments and the agreed pyramid; operations change the SCUs."""

from typing import Any, cast

from django.db import transaction
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.codings import CodingsMadeSerializer, rows_by_name
from annotations.api.http.endpoints import endpoint
from annotations.api.lists import ArrayPages
from annotations.api.serializers.coding import SCUStateSerializer
from annotations.api.serializers.requests import ChoiceField, StrictSerializer, StringsField, from_form, validated
from annotations.coding.decisions import OperationRejected
from annotations.coding.pyramids.scus import PYRAMID_KINDS, weighted_scus
from annotations.docsets.agreed_pyramid import reassign_agreed_pyramid, start_agreed_pyramid
from annotations.docsets.creation import MAX_SUMMARIES, add_named_peer, create_docset
from annotations.docsets.forms import DocsetForm, PeerForm, SummaryForm
from annotations.docsets.progress import (
    docset_overview,
    docset_overviews,
    find_docset,
    find_peers,
    read_peers,
    refuse_other_projects,
    visible_codings,
    visible_docsets,
    visible_summaries,
)
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.models.people.rights import Right
from annotations.models.project import may, may_see_models
from annotations.planning.work.assignments import assign_docset
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.people.peer_names import is_blind_to_peers
from annotations.projects.viewing import record_view


class CodingProgressSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="the address of the text that is coded")
    coder = serializers.CharField()
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    handed_in = serializers.BooleanField(source="is_submitted")
    scus = serializers.IntegerField()
    contributors = serializers.IntegerField()


class DocsetSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    summaries = serializers.IntegerField(help_text="how many model summaries it has")
    words = serializers.IntegerField(help_text="how many words they have")
    peers = serializers.IntegerField()
    codings = CodingProgressSerializer(many=True, help_text="those that you may see")


class SummarySerializer(StrictSerializer):
    name = from_form(SummaryForm, "name", allow_blank=True, default="")
    content = from_form(SummaryForm, "content", trim_whitespace=False)


class DocsetDetailSerializer(DocsetSerializer):
    model_summaries = SummarySerializer(many=True)


class NewDocsetSerializer(StrictSerializer):
    slug = from_form(DocsetForm, "slug")
    title = from_form(DocsetForm, "title")
    summaries = SummarySerializer(many=True, help_text="the model summaries, at least two")


class PeerSerializer(StrictSerializer):
    slug = serializers.CharField(read_only=True)
    name = serializers.CharField(max_length=100)
    system = from_form(PeerForm, "system", allow_blank=True, default="", help_text="what wrote it")
    content = from_form(PeerForm, "content", trim_whitespace=False)


class NewPeersSerializer(StrictSerializer):
    peers = PeerSerializer(many=True, allow_empty=False)


class AssignmentSerializer(StrictSerializer):
    coders = StringsField(allow_empty=False)
    pyramid = serializers.BooleanField(default=False, help_text="each makes a pyramid of their own")
    peers = StringsField(default=list, help_text="addresses of peer summaries")
    against = ChoiceField(["own", "agreed"], default="own", help_text="what the peers are held against")


class AgreedSerializer(StrictSerializer):
    coder = serializers.CharField(help_text="with whose pyramid it begins")
    adjudicator = serializers.CharField(required=False, help_text="who makes it; yourself where you adjudicate")


class ReassignSerializer(StrictSerializer):
    adjudicator = serializers.CharField(help_text="who goes on with it")


class DocsetList(APIView):
    """The docsets of a pyramid project; coders see only docsets with texts assigned to them."""

    pagination_class = ArrayPages

    @endpoint(responses=DocsetSerializer(many=True))
    def get(self, request: Request, project: Project) -> Response:
        refuse_other_projects(project)
        pages = self.pagination_class()
        page = pages.paginate_sequence(visible_docsets(project, request.user), request)
        overviews = docset_overviews(project, request.user, page)
        return pages.get_paginated_response(DocsetSerializer(overviews, many=True).data)

    @endpoint(Right.MANAGE, once=True, request=NewDocsetSerializer, responses={201: DocsetDetailSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Create a docset of model summaries."""
        refuse_other_projects(project)
        fields = validated(NewDocsetSerializer(data=request.data))
        if len(fields["summaries"]) > MAX_SUMMARIES:
            raise ValidationError({"summaries": [f"At most {MAX_SUMMARIES} summaries make a docset."]})
        summaries = [(summary["name"], summary["content"]) for summary in fields["summaries"]]
        docset = create_docset(project, fields["slug"], fields["title"], summaries)
        return Response(_detail(docset, project, request), status=status.HTTP_201_CREATED)


def _detail(docset: Docset, project: Project, request: Request) -> dict[str, Any]:
    data: dict[str, Any] = dict(DocsetSerializer(docset_overview(docset, project, request.user)).data)
    summaries = visible_summaries(docset, request.user)
    return data | {"model_summaries": [{"name": summary.name, "content": summary.content} for summary in summaries]}


class DocsetDetail(APIView):
    """A docset with its model summaries and the codings that you may see."""

    @endpoint(responses=DocsetDetailSerializer)
    def get(self, request: Request, project: Project, docset: str) -> Response:
        return Response(_detail(find_docset(project, request.user, docset), project, request))


class PeerList(APIView):
    """The peer summaries of a docset; coders see only summaries assigned to them."""

    @endpoint(responses=PeerSerializer(many=True))
    def get(self, request: Request, project: Project, docset: str) -> Response:
        docset_row = find_docset(project, request.user, docset)
        peers = read_peers(find_peers(docset_row, cast(User, request.user), blind=is_blind_to_peers(project)))
        return Response(PeerSerializer(peers, many=True).data)

    @endpoint(Right.MANAGE, once=True, request=NewPeersSerializer, responses={201: PeerSerializer(many=True)})
    def post(self, request: Request, project: Project, docset: str) -> Response:
        """Add peer summaries, all or none."""
        docset_row = find_docset(project, request.user, docset)
        fields = validated(NewPeersSerializer(data=request.data))
        with transaction.atomic():
            added = [add_named_peer(docset_row, row["name"], row["content"], row["system"]) for row in fields["peers"]]
        peers = read_peers(sorted(added, key=lambda peer: (peer.title, peer.slug)))
        return Response(PeerSerializer(peers, many=True).data, status=status.HTTP_201_CREATED)


class Assignments(APIView):
    """Assign the pyramid and the peers of a docset to coders. Existing codings stay."""

    @endpoint(Right.MANAGE, once=True, request=AssignmentSerializer, responses=CodingsMadeSerializer)
    def post(self, request: Request, project: Project, docset: str) -> Response:
        docset_row = find_docset(project, request.user, docset)
        fields = validated(AssignmentSerializer(data=request.data))
        members = members_in_roles(project, CODING_ROLES, models=may_see_models(project))
        coders = rows_by_name(members, fields["coders"], "username", "coders")
        texts = docset_row.texts.filter(role=Text.Role.PEER).defer("content")
        peers = rows_by_name(texts, fields["peers"], "slug", "peers")
        new = assign_docset(
            docset_row, coders, pyramid=fields["pyramid"], peers=peers, agreed=fields["against"] == "agreed"
        )
        return Response({"new": new})


class PyramidSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    handed_in = serializers.BooleanField()
    scus = SCUStateSerializer(many=True, help_text="the heaviest first")


class PyramidList(APIView):
    """The pyramids of a docset that you may see, with their SCUs; coders see their own."""

    @endpoint(responses=PyramidSerializer(many=True))
    def get(self, request: Request, project: Project, docset: str) -> Response:
        codings = visible_codings(project, request.user).filter(
            text__docset=find_docset(project, request.user, docset), kind__in=PYRAMID_KINDS
        )
        record_view(codings, request.user)
        pyramids = [
            {
                "coder": coding.coder.get_username(),
                "kind": coding.kind,
                "handed_in": coding.status == Coding.Status.SUBMITTED,
                "scus": [scu.state() for scu in weighted_scus(coding)],
            }
            for coding in codings.select_related("coder").order_by("kind", "coder__username")
        ]
        return Response(pyramids)


class AgreedPyramid(APIView):
    """The agreed pyramid of a docset and its adjudicator."""

    @endpoint(Right.DISCUSS, once=True, request=AgreedSerializer, responses={201: CodingProgressSerializer})
    def post(self, request: Request, project: Project, docset: str) -> Response:
        """Start the agreed pyramid from a coder's pyramid: for yourself, or as manager for an adjudicator."""
        docset_row = find_docset(project, request.user, docset)
        fields = validated(AgreedSerializer(data=request.data))
        pyramids = Coding.objects.of_people().filter(text__docset=docset_row, kind=Coding.Kind.PYRAMID)
        [start] = rows_by_name(pyramids.select_related("coder", "text"), [fields["coder"]], "coder", "coder")
        adjudicator = cast(User, request.user)
        if may(project, Right.MANAGE):
            if "adjudicator" not in fields:
                raise ValidationError({"adjudicator": ["A manager names the adjudicator who makes it."]})
            adjudicator = _adjudicator(project, fields["adjudicator"])
        try:
            start_agreed_pyramid(docset_row, adjudicator, start)
        except OperationRejected as rejection:
            raise ValidationError({"non_field_errors": [str(rejection)]}) from None
        agreed = docset_overview(docset_row, project, request.user).agreed
        return Response(CodingProgressSerializer(agreed).data, status=status.HTTP_201_CREATED)

    @endpoint(Right.MANAGE, request=ReassignSerializer, responses=CodingProgressSerializer)
    def put(self, request: Request, project: Project, docset: str) -> Response:
        """Reassign the agreed pyramid with its log to another adjudicator."""
        docset_row = find_docset(project, request.user, docset)
        name = validated(ReassignSerializer(data=request.data))["adjudicator"]
        reassign_agreed_pyramid(docset_row, _adjudicator(project, name))
        return Response(CodingProgressSerializer(docset_overview(docset_row, project, request.user).agreed).data)


def _adjudicator(project: Project, name: str) -> User:
    adjudicators = members_in_roles(project, (Membership.Role.ADJUDICATOR,))
    return cast(User, rows_by_name(adjudicators, [name], "username", "adjudicator")[0])
