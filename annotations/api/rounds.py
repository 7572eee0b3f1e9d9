"""The REST API of rounds and of training: results, decisions, and feedback for coders."""

from functools import partial
from typing import Any, cast

from django.db import transaction
from django.http import Http404, HttpResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.codings import OWN_ROUND, rows_by_name
from annotations.api.http.endpoints import endpoint, etag_response, require_match
from annotations.api.lists import SequencePages
from annotations.api.serializers.requests import StrictSerializer, StringsField, from_form, validated
from annotations.models import Coding, Project, Round, TrainingDecision, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.forms import DecisionForm, RoundForm
from annotations.planning.rounds import (
    add_texts,
    change_round,
    create_round,
    delete_round,
    describe_rounds,
    refuse_own_training,
    refuse_pool,
    remove_texts,
)
from annotations.planning.training import decide_on_coder, feedback_on, take_next_attempt, training_results
from annotations.projects.locks import lock_project
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.permissions import CodingChoice, own_coding
from annotations.projects.rounds import TRAINING_KINDS, find_round, round_for
from annotations.projects.viewing import record_view

round_field = partial(from_form, RoundForm)
NOT_BEGUN = "null: it has not, or you do not see the work of others"


class RoundSerializer(serializers.ModelSerializer[Round]):
    required_round: Any = serializers.SlugRelatedField(
        slug_field="name", read_only=True, allow_null=True, help_text="the training round that coders pass before it"
    )

    class Meta:
        model = Round
        fields = [
            *("name", "kind", "starts_on", "ends_on", "guidelines_version", "scheme_version", "closed_at"),
            *("pass_measure", "pass_mark", "attempts", "feedback", "required_round"),
        ]
        extra_kwargs = {
            "guidelines_version": {"help_text": f"that of the guidelines when the round began; {NOT_BEGUN}"},
            "scheme_version": {"help_text": f"that of the scheme when the round began; {NOT_BEGUN}"},
        }


class CodingsOfRoundSerializer(serializers.Serializer[Any]):
    assigned = serializers.IntegerField(help_text="not begun")
    begun = serializers.IntegerField(help_text="begun and not submitted")
    submitted = serializers.IntegerField()


class RoundRowSerializer(RoundSerializer):
    texts = serializers.IntegerField(help_text="how many there are")
    codings = CodingsOfRoundSerializer(allow_null=True, help_text="null to those who do not see the work of others")

    class Meta(RoundSerializer.Meta):
        fields = [*RoundSerializer.Meta.fields, "texts", "codings"]


class RoundChangesSerializer(StrictSerializer):
    name = round_field("name", required=False)
    kind = round_field("kind", required=False)
    starts_on = round_field("starts_on", required=False, allow_null=True)
    ends_on = round_field("ends_on", required=False, allow_null=True)
    pass_measure = round_field(
        "pass_measure",
        choices=Round.PassMeasure.choices,
        required=False,
        allow_blank=True,
        help_text="of a training round; empty: no pass rule",
    )
    pass_mark = round_field(
        "pass_mark", required=False, allow_null=True, help_text="who reaches it in one text has passed"
    )
    attempts = round_field("attempts", required=False, allow_null=True, help_text="how many texts count; null: all")
    feedback = round_field("feedback", required=False, help_text="when coders of a training round see the gold")
    required_round = serializers.CharField(
        required=False, allow_null=True, help_text="the name of the training round that coders pass before it"
    )
    place = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, help_text="its place among the rounds, from 1"
    )
    closed = serializers.BooleanField(required=False, help_text="true: no work is done in it until it is opened again")

    def validate(self, fields: Any) -> Any:
        """Refuse an empty change."""
        if not fields:
            raise serializers.ValidationError("Send what is to be changed.")
        return fields


class NewRoundSerializer(StrictSerializer):
    name = round_field("name")
    kind = round_field("kind", required=False, help_text="main, or that of the copied round")
    starts_on = round_field("starts_on", required=False, allow_null=True)
    ends_on = round_field("ends_on", required=False, allow_null=True)
    copy_of = serializers.CharField(required=False, help_text="the round whose texts it gets, without their codings")


class RoundTextsSerializer(StrictSerializer):
    add = StringsField(default=list, help_text="addresses of texts")
    remove = StringsField(default=list)


class RoundTextsChangedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField(help_text="how many were not there before")
    removed = serializers.IntegerField(help_text="how many were there")


class ShareOfGoldSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(help_text="`category`, `category.chain`, or the key of an attribute or relation")
    label = serializers.CharField()  # type: ignore[assignment]
    equal = serializers.IntegerField(help_text="how many answers are those of the gold")
    total = serializers.IntegerField()


class AttemptSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding.text.slug", help_text="its address")
    number = serializers.IntegerField(help_text="which of the coder's it is, from 1")
    status = serializers.ChoiceField(Coding.Status.choices, source="coding.status")
    has_gold = serializers.SerializerMethodField(help_text="whether it is submitted and compared with gold")
    score = serializers.FloatField(allow_null=True, help_text="from 0 to 1, of three digits; null: none yet")
    shares = ShareOfGoldSerializer(many=True)
    passed = serializers.BooleanField()
    counts = serializers.BooleanField(help_text="whether it is among as many as the round allows")

    def get_has_gold(self, attempt: Any) -> bool:
        return bool(attempt.has_gold and attempt.coding.status == Coding.Status.SUBMITTED)


class TrainingDecisionSerializer(serializers.ModelSerializer[TrainingDecision]):
    coder: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    decided_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)

    class Meta:
        model = TrainingDecision
        fields = ["coder", "outcome", "reason", "decided_by", "decided_at"]


class NewTrainingDecisionSerializer(StrictSerializer):
    coder = serializers.CharField(max_length=150)
    outcome = from_form(DecisionForm, "outcome")
    reason = from_form(DecisionForm, "reason", help_text="The coder reads it.")


class TrainingResultSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField(source="coder.username")
    passed = serializers.BooleanField()
    best = serializers.FloatField(allow_null=True, help_text="the highest score that counts")
    may_try = serializers.BooleanField(read_only=True, help_text="whether the coder may take a further text")
    next_step = serializers.CharField(
        read_only=True,
        help_text="`code` a text, `wait` for gold, `try` another text, `ask` a manager, `passed`, or `failed`",
    )
    attempts = AttemptSerializer(many=True)
    decisions = TrainingDecisionSerializer(many=True, help_text="of managers, the latest at last: it holds")


class NextAttemptSerializer(serializers.Serializer[Any]):
    round = serializers.CharField(source="round.name")
    text = serializers.CharField(source="text.slug", help_text="its address")


class ComparedAnswerSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    own = serializers.CharField(allow_blank=True)
    gold = serializers.CharField(allow_blank=True)
    is_equal = serializers.BooleanField()


class ComparedItemSerializer(serializers.Serializer[Any]):
    markable = serializers.CharField()
    words = serializers.CharField(allow_blank=True)
    is_judged = serializers.BooleanField(help_text="whether the gold says anything of it")
    is_as_gold = serializers.BooleanField(help_text="whether all answers are those of the gold")
    category = serializers.CharField(allow_null=True, help_text="the label of yours")
    gold_category = serializers.CharField(allow_null=True)
    chain = StringsField(help_text="the words of each member of your chain")
    gold_chain = StringsField()
    answers = ComparedAnswerSerializer(many=True, help_text="to attributes and relations")
    explanation = serializers.CharField(allow_blank=True)
    score = serializers.FloatField(help_text="from 0 to 1")


class FeedbackSerializer(serializers.Serializer[Any]):
    is_whole = serializers.BooleanField(help_text="false: these are what you have compared so far")
    items = ComparedItemSerializer(many=True)


def _data(project: Project, round_: Round) -> dict[str, Any]:
    """Return a round for the API, without versions for the blind: these would reveal that work has begun."""
    data: dict[str, Any] = dict(RoundSerializer(round_).data)
    return data if may(project, Right.SEE_RESULTS) else data | {"guidelines_version": None, "scheme_version": None}


class RoundList(APIView):
    """The rounds of a project, in their order and in pages."""

    pagination_class = SequencePages

    @endpoint(Right.READ_TEXTS, responses=RoundRowSerializer(many=True))
    def get(self, request: Request, project: Project) -> Response:
        sees_work = may(project, Right.SEE_RESULTS)
        pages = self.pagination_class()
        rows = [
            {
                **_data(project, round_),
                "texts": figures.texts,
                "codings": {name: getattr(figures, name) for name in ("assigned", "begun", "submitted")}
                if sees_work
                else None,
            }
            for round_, figures in pages.paginate_sequence(describe_rounds(project), request)
        ]
        return pages.get_paginated_response(rows)

    @endpoint(Right.MANAGE, once=True, request=NewRoundSerializer, responses={201: RoundSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Create a round after all others, optionally with the texts of another round."""
        fields = validated(NewRoundSerializer(data=request.data))
        copied = fields.pop("copy_of", "")
        round_ = create_round(project, copied=find_round(project, copied) if copied else None, **fields)
        return Response(_data(project, round_), status=201)


class RoundDetail(APIView):
    """A round: its kind, dates and versions. Its texts are at `texts/?round=`, its codings at `codings/?round=`."""

    @endpoint(Right.READ_TEXTS, responses=RoundSerializer)
    def get(self, _: Request, project: Project, name: str) -> HttpResponse:
        return etag_response(_data(project, round_for(project, name)))

    @endpoint(Right.MANAGE, seen=True, request=RoundChangesSerializer, responses=RoundSerializer)
    def patch(self, request: Request, project: Project, name: str) -> HttpResponse:
        """Change the name, kind, dates or position of the round; close or reopen it."""
        lock_project(project.pk)
        round_ = round_for(project, name)
        require_match(request, _data(project, round_))
        fields = validated(RoundChangesSerializer(data=request.data))
        if fields.get("required_round") is not None:
            fields["required_round"] = find_round(project, fields["required_round"])
        refuse_own_training(project, round_, fields)
        round_ = change_round(round_, **fields)
        return etag_response(_data(project, round_))

    @endpoint(Right.MANAGE_WORK, seen=True, responses={204: None})
    def delete(self, request: Request, project: Project, name: str) -> Response:
        """Delete the round with its gold, if it has no codings and each of its texts is also in another round."""
        lock_project(project.pk)
        round_ = round_for(project, name)
        require_match(request, _data(project, round_))
        delete_round(round_)
        return Response(status=204)


class RoundTexts(APIView):
    """The texts of a round."""

    @endpoint(Right.MANAGE, request=RoundTextsSerializer, responses=RoundTextsChangedSerializer)
    @transaction.atomic
    def post(self, request: Request, project: Project, name: str) -> Response:
        """Add texts to the round, or remove texts without codings in it. Repeating the request is harmless."""
        round_ = round_for(project, name)
        fields = validated(RoundTextsSerializer(data=request.data))
        texts = project.texts.defer("content")
        chosen = {field: rows_by_name(texts, fields[field], "slug", field) for field in ("add", "remove")}
        if not (fields["add"] or fields["remove"]):
            raise ValidationError({"add": ["Send texts to add, or to remove."]})
        if chosen["remove"]:
            refuse_pool(project, round_)
        added, removed = add_texts(round_, chosen["add"]), remove_texts(round_, chosen["remove"])
        return Response({"added": added, "removed": removed})


class TrainingResults(APIView):
    """The results of a training round, in pages: yours, or of all coders if you decide gold."""

    pagination_class = SequencePages

    @endpoint(responses=TrainingResultSerializer(many=True))
    def get(self, request: Request, project: Project, name: str) -> Response:
        """Return scores, attempts and decisions, sorted by coder."""
        round_ = round_for(project, name, TRAINING_KINDS)
        sees_all = may(project, Right.ADJUDICATE)
        results = training_results(round_, None if sees_all else [cast(User, request.user).pk])
        if not (results or sees_all):
            raise Http404("There is no such round.")
        pages = self.pagination_class()
        page = pages.paginate_sequence(results, request)
        return pages.get_paginated_response(TrainingResultSerializer(page, many=True).data)


class TrainingDecisions(APIView):
    """The decisions of managers on coders in a training round."""

    @endpoint(
        Right.DECIDE_TRAINING,
        once=True,
        request=NewTrainingDecisionSerializer,
        responses={201: TrainingDecisionSerializer},
    )
    def post(self, request: Request, project: Project, name: str) -> Response:
        """Decide that a coder has passed or not, regardless of scores, or restore the pass rule (`rule`)."""
        round_ = round_for(project, name, TRAINING_KINDS)
        fields = validated(NewTrainingDecisionSerializer(data=request.data))
        [coder] = rows_by_name(members_in_roles(project, CODING_ROLES), [fields["coder"]], "username", "coder")
        decision = decide_on_coder(round_, coder, fields["outcome"], fields["reason"], cast(User, request.user))
        return Response(TrainingDecisionSerializer(decision).data, status=201)


class NextAttempt(APIView):
    """A further text of a training round."""

    annotates = True

    @endpoint(request=None, responses={201: NextAttemptSerializer})
    def post(self, request: Request, project: Project, name: str) -> Response:
        """Take the next text with gold, if you have submitted all your texts and not passed."""
        coding = take_next_attempt(round_for(project, name, TRAINING_KINDS), cast(User, request.user))
        return Response(NextAttemptSerializer(coding).data, status=201)


class OwnFeedback(APIView):
    """The comparison of your training answers with gold."""

    annotates = True

    @endpoint(parameters=[OWN_ROUND], responses=FeedbackSerializer)
    def get(self, request: Request, project: Project, text: str) -> Response:
        """Return all judgements of the gold after you submit; before, only judgements that you have compared.

        The settings of the round decide when gold is shown. The answer is 404 if there is nothing to show.
        """
        choice = CodingChoice(request.query_params.get("round", ""), request.headers.get("X-Coding", ""))
        coding = own_coding(cast(User, request.user), project, text, choice=choice)
        coding.round.project = project
        feedback = feedback_on(coding)
        if feedback is None:
            raise Http404("There is no gold to see beside this coding.")
        record_view(Coding.objects.of_coders().filter(pk=coding.pk))
        return Response(FeedbackSerializer(feedback).data)
