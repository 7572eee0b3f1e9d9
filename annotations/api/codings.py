"""The REST API of codings, markables, judgements and operations, and of assignment."""

from collections.abc import Sequence
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint, etag_response, require_match
from annotations.api.lists import Row, RowListView, UTCDateTimeFilter
from annotations.api.serializers.coding import (
    AttributesField,
    CodingStateSerializer,
    ReadingsField,
    RelationsField,
    SpansField,
)
from annotations.api.serializers.requests import ChoiceField, StrictSerializer, StringsField, validated
from annotations.coding.judgements import links_of
from annotations.coding.state import coding_state
from annotations.coding.status import may_reopen_own, reopen_coding, reopen_own_coding, request_reopening, submit_coding
from annotations.models import Coding, Judgement, Markable, Operation, Project, Text, User
from annotations.models.coding import AGREED_KINDS, REASON_LENGTH
from annotations.models.people.rights import Right
from annotations.models.project import may, may_see_models
from annotations.planning.work.assignments import assign_texts, unassign
from annotations.planning.work.states import COLUMNS, State, is_overdue, state_of, with_states
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.people.peer_names import coded_slug, find_slug, hide_name, is_blind_to_peers
from annotations.projects.rounds import find_round
from annotations.projects.viewing import record_view
from annotations.revision.completeness import incomplete_judgements
from annotations.schemes.project_scheme import further_questions

OCCASION = "1, and more where the coder was shown the text again within the round"


class CodingRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text__slug")
    coder = serializers.CharField(source="coder__username")
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    round = serializers.CharField(source="round__name")
    occasion = serializers.IntegerField(help_text=OCCASION)
    status = serializers.ChoiceField(choices=Coding.Status.choices)
    version = serializers.IntegerField(help_text="how many operations it has")
    to_decide = serializers.IntegerField(help_text="how many markables there are to judge")
    decided = serializers.IntegerField(help_text="how many of them have a complete answer")
    reopen_request = serializers.CharField(
        allow_blank=True, help_text="why its coder asks to have it reopened; empty: does not ask"
    )
    state = serializers.ChoiceField(
        choices=[str(state) for state in State], help_text="how far it is; `reopened` is by a manager"
    )
    due_on = serializers.DateField(allow_null=True, help_text="until when the plan of the round has it coded")
    overdue = serializers.BooleanField(help_text="whether the date has passed and it is not submitted")


class MarkableRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text__slug")
    key = serializers.CharField()
    level = serializers.CharField(source="level__key")
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    parts = SpansField()
    head = SpansField()
    words = serializers.CharField()
    predefined = serializers.BooleanField(help_text="It came with the text; else some coder marked it.")


class JudgementRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding__text__slug")
    coder = serializers.CharField(source="coding__coder__username")
    kind = serializers.ChoiceField(source="coding__kind", choices=Coding.Kind.choices)
    round = serializers.CharField(source="coding__round__name")
    occasion = serializers.IntegerField(source="coding__occasion", help_text=OCCASION)
    markable = serializers.CharField(source="markable__key")
    category = serializers.CharField(source="category__key", allow_null=True)
    pointers = ReadingsField(help_text="keys of markables; those in one list are meant together")
    indices = StringsField()
    optional = serializers.BooleanField()
    unsure = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    head = SpansField()
    scheme_version = serializers.IntegerField(help_text="the version of the scheme under which it was last given")
    relations = RelationsField(required=False)
    attributes = AttributesField(required=False)


class OperationRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding__text__slug")
    coder = serializers.CharField(source="coding__coder__username")
    coding_kind = serializers.ChoiceField(source="coding__kind", choices=Coding.Kind.choices)
    round = serializers.CharField(source="coding__round__name")
    occasion = serializers.IntegerField(source="coding__occasion", help_text=OCCASION)
    user = serializers.CharField(source="user__username", help_text="who did it: a manager reopens codings")
    sequence = serializers.IntegerField()
    uuid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Operation.Kind.choices)
    payload = serializers.JSONField()
    scheme_version = serializers.IntegerField(help_text="the version of the scheme that it was made under")
    step = serializers.UUIDField(allow_null=True)
    undoes = serializers.UUIDField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True)
    applied_at = serializers.DateTimeField()


class NewCodingsSerializer(StrictSerializer):
    texts = StringsField(allow_empty=False, help_text="their addresses")
    coders = StringsField(allow_empty=False, help_text="their names")
    round = serializers.CharField(
        required=False, help_text="where they are coded; without it each text in the latest of its rounds that count"
    )


class CodingsMadeSerializer(serializers.Serializer[Any]):
    new = serializers.IntegerField(help_text="how many codings were not there before")


class StatusSerializer(StrictSerializer):
    status = ChoiceField(Coding.Status.choices)
    reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=REASON_LENGTH,
        help_text="why it is reopened; of a coder whose submission somebody has viewed: a request to managers",
    )


class CodingFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="text__slug")
    coder = filters.CharFilter(field_name="coder__username")
    round = filters.CharFilter(field_name="round__name")

    class Meta:
        model = Coding
        fields = ["kind", "status"]


class CodingList(RowListView):
    """The codings of a project that you may see, with their progress; coders see their own."""

    serializer_class = CodingRowSerializer
    filterset_class = CodingFilters
    ordering = ["text__slug", "coder__username", "kind", "round__position", "round_id", "occasion"]
    right = Right.VIEW_PROJECT
    computed = ("state", "overdue")

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        self.blind = is_blind_to_peers(project)
        self.hides_repeats = not may(project, Right.SEE_RESULTS)
        codings = Coding.objects.of_coders().visible_to(self.request.user).filter(text__project=project)
        columns = {*self.columns(), *COLUMNS, "text_id", "text__role"}
        return cast(QuerySet[Any, Any], with_states(codings)).values(*columns)

    def represent(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows with states and names as the user sees them; coders do not see which texts are repeats."""
        today = timezone.localdate()
        for row in rows:
            row["state"], row["overdue"] = str(state_of(row)), is_overdue(row, today)
        for row in rows if self.hides_repeats else ():
            row["occasion"] = 1
        for row in rows if self.blind else ():
            if row["text__role"] == Text.Role.PEER:
                row["text__slug"] = coded_slug(row["coder_id"], row["text_id"])
        return super().represent(rows)

    @endpoint(Right.MANAGE, once=True, request=NewCodingsSerializer, responses=CodingsMadeSerializer)
    def post(self, request: Request, project: Project) -> Response:
        """Assign texts to coders; existing codings stay. Summaries are assigned docset by docset."""
        if project.answers == Project.Answers.SCUS:
            raise ValidationError({"texts": ["Summaries are given out at `docsets/<docset>/assignments/`."]})
        fields = validated(NewCodingsSerializer(data=request.data))
        texts = rows_by_name(project.texts.defer("content"), fields["texts"], "slug", "texts")
        members = members_in_roles(project, CODING_ROLES, models=may_see_models(project))
        coders = rows_by_name(members, fields["coders"], "username", "coders")
        round_ = find_round(project, fields["round"]) if fields.get("round") else None
        return Response({"new": assign_texts(project, texts, coders, round_)})


def rows_by_name[Named](rows: QuerySet[Any, Named], names: list[str], attribute: str, field: str) -> list[Named]:
    """Return the rows with these names, which are values of `attribute`. Raise ValidationError on an unknown name."""
    rows_by_value = {str(getattr(row, attribute)): row for row in rows}
    for name in names:
        if name not in rows_by_value:
            raise ValidationError({field: [f"There is no {name!r} here."]})
    return [rows_by_value[name] for name in dict.fromkeys(names)]


OWN_ROUND = OpenApiParameter("round", str, description="Your coding in this round, not that of the latest one.")
WHICH = [
    OpenApiParameter("round", str, description="Of several codings that of this round, not of the latest one."),
    OpenApiParameter("occasion", int, description="Of several within a round this one, not the last."),
]


def which_of(request: Request) -> tuple[str, int | None]:
    """Return the round and occasion in the query of the address. Raise ValidationError."""
    occasion = request.query_params.get("occasion", "")
    if occasion and not (occasion.isascii() and occasion.isdigit() and len(occasion) < 5):
        raise ValidationError({"occasion": ["This is no number from 1."]})
    return request.query_params.get("round", ""), int(occasion) if occasion else None


class CodingDetail(APIView):
    """A coding of a text, as its coding page starts: your own, or another coder's if you may see it."""

    @endpoint(parameters=WHICH, responses=CodingStateSerializer)
    def get(self, request: Request, project: Project, text: str, coder: str, agreed: bool = False) -> HttpResponse:
        coding = self._coding(request, project, text, coder, agreed)
        record_view(Coding.objects.of_coders().filter(pk=coding.pk), request.user)
        return etag_response(coding_state(coding, project))

    @endpoint(Right.MANAGE_WORK, seen=True, parameters=WHICH, request=StatusSerializer, responses=CodingStateSerializer)
    def patch(self, request: Request, project: Project, text: str, coder: str, agreed: bool = False) -> HttpResponse:
        """Reopen the coding (`open`), with a `reason` for its coder, who alone submits at `texts/<text>/coding/`."""
        return change_status(request, project, self._coding(request, project, text, coder, agreed))

    @endpoint(Right.MANAGE_WORK, seen=True, parameters=WHICH, responses={204: None})
    def delete(self, request: Request, project: Project, text: str, coder: str, agreed: bool = False) -> Response:
        """Unassign the coding, if nobody has begun it."""
        coding = self._coding(request, project, text, coder, agreed)
        require_match(request, coding_state(coding, project))
        unassign(Text.objects.get(pk=coding.text_id), coder, coding.kind, coding.round)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _coding(self, request: Request, project: Project, text: str, coder: str, agreed: bool) -> Coding:
        user = cast(User, request.user)
        text = find_slug(project, user.pk, text)
        codings = (
            Coding.objects.of_coders().visible_to(user, models=True).filter(text__project=project, text__slug=text)
        )
        codings = codings.filter(kind__in=AGREED_KINDS) if agreed else codings.exclude(kind__in=AGREED_KINDS)
        round_name, occasion = which_of(request)
        if not may(project, Right.SEE_RESULTS):
            # Coders see one coding a round, and must not learn of further occasions.
            if occasion not in (None, 1):
                raise Http404("Coding not found.")
            occasion = None
        codings = codings.filter(coder__username=coder).latest_first(round_name, occasion)
        coding = codings.select_related("text__docset", "coder", "round").first()
        if coding is None:
            raise Http404("Coding not found.")
        if is_blind_to_peers(project):
            hide_name(coding.text, user.pk)
        return coding


def change_status(request: Request, project: Project, coding: Coding, *, own: bool = False) -> HttpResponse:
    """Submit or reopen a coding, if the sender has seen its current state. Call it in a transaction."""
    # If `own`, the coder submits, reopens until somebody has viewed the submission, or requests reopening.
    Coding.objects.select_for_update(of=("self",)).get(pk=coding.pk)
    coding.refresh_from_db(fields=["status", "version", "viewed_at", "active_time"])
    require_match(request, coding_state(coding, project))
    fields = validated(StatusSerializer(data=request.data))
    user, reason = cast(User, request.user), fields.get("reason", "")
    if fields["status"] == Coding.Status.SUBMITTED:
        if not own:
            raise PermissionDenied("Only its coder submits it.")
        submit_coding(coding, user)
    elif not own:
        reopen_coding(coding, user, reason)
    elif reason and not may_reopen_own(coding):
        request_reopening(coding, user, reason)
    else:
        reopen_own_coding(coding, user)
    coding.refresh_from_db(fields=["status", "version", "active_time"])
    return etag_response(coding_state(coding, project))


class MarkableFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="text__slug")
    level = filters.CharFilter(field_name="level__key")

    class Meta:
        model = Markable
        fields = ["predefined"]


class MarkableList(RowListView):
    """The markables of a project, predefined or marked by coders."""

    serializer_class = MarkableRowSerializer
    filterset_class = MarkableFilters
    ordering = ["pk"]
    computed = ("words",)

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        markables = Markable.objects.in_use().filter(text__project=project)
        return cast(QuerySet[Any, Any], markables.values(*self.columns(), "text_id"))

    def represent(self, rows: Sequence[Row]) -> Sequence[Row]:
        contents = dict(Text.objects.filter(pk__in={row["text_id"] for row in rows}).values_list("pk", "content"))
        for row in rows:
            row["words"] = " … ".join(contents[row["text_id"]][start:end] for start, end in row["parts"])
        return super().represent(rows)


class JudgementFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="coding__text__slug")
    coder = filters.CharFilter(field_name="coding__coder__username")
    kind = filters.ChoiceFilter(field_name="coding__kind", choices=Coding.Kind.choices)
    round = filters.CharFilter(field_name="coding__round__name")
    category = filters.CharFilter(field_name="category__key")
    level = filters.CharFilter(field_name="markable__level__key")
    judged_before = filters.NumberFilter(
        field_name="scheme_version", lookup_expr="lt", label="last given before this version of the scheme"
    )
    incomplete = filters.BooleanFilter(method="filter_incomplete", label="lacks what the scheme requires by now")

    class Meta:
        model = Judgement
        fields = ["unsure", "optional"]

    def filter_incomplete(self, rows: QuerySet[Any, Any], _: str, value: bool) -> QuerySet[Any, Any]:
        lacking = incomplete_judgements(Judgement.objects.all()).values("pk")
        return rows.filter(pk__in=lacking) if value else rows.exclude(pk__in=lacking)


class JudgementList(RowListView):
    """Every judgement of a project, with its pointers, indices, relations and attributes."""

    serializer_class = JudgementRowSerializer
    filterset_class = JudgementFilters
    ordering = ["pk"]
    computed = ("pointers", "indices", "relations", "attributes")

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        self.further = further_questions(project.pk)
        judgements = Judgement.objects.filter(coding__in=Coding.objects.of_people().filter(text__project=project))
        return cast(QuerySet[Any, Any], judgements.values(*self.columns()))

    def represent(self, rows: Sequence[Row]) -> Sequence[Row]:
        links = links_of(Judgement.objects.filter(pk__in=[row["pk"] for row in rows]), self.further)
        nothing: dict[str, Any] = {"pointers": [], "indices": []}
        return super().represent([row | links.get(row["pk"], nothing) for row in rows])


class OperationFilters(filters.FilterSet):
    text = filters.CharFilter(field_name="coding__text__slug")
    coder = filters.CharFilter(field_name="coding__coder__username")
    round = filters.CharFilter(field_name="coding__round__name")
    after = UTCDateTimeFilter(field_name="applied_at", lookup_expr="gt", label="applied after this moment")
    before = UTCDateTimeFilter(field_name="applied_at", lookup_expr="lt", label="applied before this moment")

    class Meta:
        model = Operation
        fields = ["kind"]


class OperationList(RowListView):
    """Every operation on every coding of a project, in chronological order."""

    serializer_class = OperationRowSerializer
    filterset_class = OperationFilters
    ordering = ["pk"]

    def rows_of(self, project: Project) -> QuerySet[Any, Any]:
        operations = Operation.objects.filter(coding__in=Coding.objects.of_people().filter(text__project=project))
        return cast(QuerySet[Any, Any], operations.values(*self.columns()))
