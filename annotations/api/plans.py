"""The REST API of plans: assignments of a round, repeats, and the next text of a pool."""

from functools import partial
from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint
from annotations.api.lists import PageQuerySerializer, PartSerializer, ProjectListView, ReportPages
from annotations.api.serializers.requests import StrictSerializer, StringsField, from_form, validated
from annotations.coding.active_time import WorkedDay
from annotations.models import Plan, PlanCoder, Project, User
from annotations.models.people.rights import Right
from annotations.models.project import KEY_LENGTH, may
from annotations.planning.forms import RepeatForm
from annotations.planning.plans.designs.terms import LARGEST_WEIGHT, SMALLEST_WEIGHT, WEIGHT_UNIT
from annotations.planning.plans.forms import MAX_TEXTS, PlanForm
from annotations.planning.plans.plans import PlanRequest, apply_plan, view_plan
from annotations.planning.pool import pools_of, take_next_text
from annotations.planning.repeats import DAYS, RepeatRequest, apply_repeats, view_repeats
from annotations.planning.work.progress import HOURS_RULE, worked_days

DESIGNS = Plan.Design.choices
NAME_LENGTH = 150
plan_field, repeat_field = partial(from_form, PlanForm), partial(from_form, RepeatForm)


def _round_field(without: str, **options: Any) -> Any:
    help_text = f"without: {without}"
    return serializers.CharField(max_length=KEY_LENGTH, default="", allow_blank=True, help_text=help_text, **options)


class PlanCoderSerializer(serializers.ModelSerializer[PlanCoder]):
    coder = serializers.CharField(source="coder.username")
    weight = serializers.SerializerMethodField(help_text="the share of the work, beside the weights of the others")

    class Meta:
        model = PlanCoder
        fields = ["coder", "weight", "maximum"]

    def get_weight(self, row: PlanCoder) -> float:
        return row.weight / WEIGHT_UNIT


class PlanSerializer(serializers.ModelSerializer[Plan]):
    round = serializers.CharField(source="round.name")
    coders = PlanCoderSerializer(many=True, help_text="who takes part")

    class Meta:
        model = Plan
        fields = ["round", "design", "k", "share", "blocks", "calibration", "seed", "pool", "due_on", "coders"]


class NewPlanSerializer(StrictSerializer):
    design = plan_field("design", choices=DESIGNS)
    k = plan_field("k", default=2, allow_null=True, help_text="coders a text; null: all")
    share = plan_field("share", max_value=1, default=0.2, help_text="the part of the texts that k code")
    blocks = plan_field("blocks", default=None, allow_null=True, help_text="null: as many as coders")
    calibration = plan_field("calibration", default=0, help_text="how many texts, drawn at random, all code")
    seed = plan_field("seed", default=0)
    round = _round_field("the one that is open, else main", source="round_name")
    coders = serializers.ListField(
        child=serializers.CharField(max_length=NAME_LENGTH),
        default=list,
        help_text="who takes part; none: all but adjudicators",
    )
    weights = serializers.DictField(
        child=serializers.FloatField(min_value=SMALLEST_WEIGHT, max_value=LARGEST_WEIGHT),
        default=dict,
        help_text="shares of the work, by name; 1 where nothing is said",
    )
    maxima = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_TEXTS), default=dict, help_text="texts at most"
    )
    pool = plan_field("pool", default=False, help_text="coders take the next text themselves")
    move = plan_field("move", default=False, help_text="what nobody has begun may go to others")
    allow_unconnected = plan_field("allow_unconnected", default=False, help_text="groups of coders may share no texts")
    due_on = plan_field("due_on", default=None, allow_null=True)
    apply = serializers.BooleanField(default=False, help_text="assign the texts; without, nothing is written")


class PlannedTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="its address")
    coders = StringsField()


class LoadSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    texts = serializers.IntegerField()
    work = serializers.IntegerField(help_text="in markables or words")


class SharedTextsSerializer(serializers.Serializer[Any]):
    coders = StringsField(help_text="two")
    texts = serializers.IntegerField(help_text="how many texts both code")


class PlanViewSerializer(serializers.Serializer[Any]):
    """The result of a plan: the same for the same seed, before and after it is applied."""

    design = serializers.ChoiceField(DESIGNS)
    k = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    blocks = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField()
    round = serializers.CharField()
    pool = serializers.BooleanField()
    due_on = serializers.DateField(allow_null=True)
    calibration = StringsField(help_text="the texts that all code")
    assignments = PlannedTextSerializer(many=True)
    unit = serializers.ChoiceField(["markables", "words"], help_text="of what work is counted")
    loads = LoadSerializer(many=True)
    pairs = SharedTextsSerializer(many=True)
    connected = serializers.BooleanField(help_text="whether all who code are connected by texts that they share")


class PlanList(ProjectListView):
    """The plans of a project, at most one a round, in the order of rounds."""

    serializer_class = PlanSerializer
    ordering = ["round__position", "pk"]
    right = Right.MANAGE

    def rows_of(self, project: Project) -> QuerySet[Plan]:
        plans: QuerySet[Plan] = Plan.objects.filter(round__project=project)
        return plans.select_related("round").prefetch_related("coders__coder")

    @endpoint(Right.MANAGE, once=True, request=NewPlanSerializer, responses=PlanViewSerializer)
    def post(self, request: Request, project: Project) -> Response:
        """Preview a plan, or apply it. Applying it twice changes nothing; begun work stays with its coders."""
        fields = validated(NewPlanSerializer(data=request.data))
        carry_out = apply_plan if fields["apply"] else view_plan
        view = carry_out(project, PlanRequest.of(fields), blind=not may(project, Right.MANAGE_WORK))
        return Response(view.as_dict())


class WorkedDaySerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    round = serializers.CharField()
    text = serializers.CharField(help_text="its address")
    day = serializers.DateField(help_text="in the time zone of the site")
    active_seconds = serializers.SerializerMethodField()

    def get_active_seconds(self, row: WorkedDay) -> int:
        return round(row.seconds)


class HoursSerializer(PartSerializer):
    rule = serializers.CharField(help_text="how active time is found")
    days = WorkedDaySerializer(many=True)


class Hours(APIView):
    """The active time of coders."""

    @endpoint(
        Right.SEE_RESULTS,
        parameters=[OpenApiParameter("round", str, description="Of this round alone."), PageQuerySerializer],
        responses=HoursSerializer,
    )
    def get(self, request: Request, project: Project) -> Response:
        """Return the active seconds of each coder by round, text and day, in pages."""
        days = worked_days(project, request.query_params.get("round", ""))
        report = ReportPages().cut({"rule": HOURS_RULE, "days": days}, "days", request)
        return Response(HoursSerializer(report).data)


class NewRepeatsSerializer(StrictSerializer):
    share = repeat_field(
        "share", max_value=1, default=None, allow_null=True, help_text="the part of each coder's submitted texts"
    )
    number = repeat_field("number", default=None, allow_null=True, help_text="texts per coder, without a share")
    days = repeat_field("days", default=DAYS, help_text="since the last change of a text")
    seed = repeat_field("seed", default=0)
    round = _round_field("the one that is open", source="round_name")
    coders = serializers.ListField(
        child=serializers.CharField(max_length=NAME_LENGTH), default=list, help_text="none: all who code blind"
    )
    automatic = repeat_field(
        "automatic",
        default=True,
        help_text="once applied, what becomes due later is shown again without being asked for",
    )
    apply = serializers.BooleanField(default=False, help_text="show the texts again; without, nothing is written")


class CoderRepeatsSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    submitted = serializers.IntegerField(help_text="texts of the round that are submitted")
    eligible = serializers.IntegerField(help_text="those that may be shown again, or are already")
    repeated_before = StringsField(help_text="texts shown again already")
    submitted_again = serializers.IntegerField(help_text="how many of these are submitted again")
    new = StringsField(help_text="texts to show again")
    other_open_texts = serializers.IntegerField(help_text="among which they stand; with none they stand alone")


class RepeatViewSerializer(serializers.Serializer[Any]):
    """The texts to repeat, by coder; the same for the same seed."""

    round = serializers.CharField()
    share = serializers.FloatField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    days = serializers.IntegerField()
    seed = serializers.IntegerField()
    automatic = serializers.BooleanField(help_text="whether what becomes due later is shown again automatically")
    coders = CoderRepeatsSerializer(many=True)


class Repeats(APIView):
    """Texts that coders are shown again within a round, unmarked."""

    @endpoint(Right.MANAGE_WORK, once=True, request=NewRepeatsSerializer, responses=RepeatViewSerializer)
    def post(self, request: Request, project: Project) -> Response:
        """Preview the texts to repeat, or assign them. Applying it twice changes nothing."""
        fields = validated(NewRepeatsSerializer(data=request.data))
        carry_out = apply_repeats if fields.pop("apply") else view_repeats
        repeat_request = RepeatRequest(**{**fields, "coders": tuple(fields["coders"])})
        return Response(carry_out(project, repeat_request).as_dict())


class PoolSerializer(serializers.Serializer[Any]):
    round = serializers.CharField(source="round_.name")
    free = serializers.BooleanField(source="is_free", help_text="whether a text is left for you")


class TakeSerializer(StrictSerializer):
    round = _round_field("the first pool")


class TakenTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text.slug", help_text="its address")
    round = serializers.CharField(source="round.name")
    reserved_until = serializers.DateTimeField(help_text="when it goes back, if you have not begun it")


class Pool(APIView):
    """The pools from which you can take texts."""

    @endpoint(responses=PoolSerializer(many=True))
    def get(self, request: Request, project: Project) -> Response:
        """Return the pools in which you take part."""
        return Response(PoolSerializer(pools_of(project, cast(User, request.user)), many=True).data)

    @endpoint(once=True, request=TakeSerializer, responses={201: TakenTextSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Take the next text of a pool."""
        fields = validated(TakeSerializer(data=request.data))
        coding = take_next_text(project, cast(User, request.user), fields["round"])
        return Response(TakenTextSerializer(coding).data, 201)
