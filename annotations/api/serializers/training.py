"""Serializers of training: results, decisions, and answers beside the gold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotations.api.serializers.requests import StrictSerializer, from_form
from annotations.models import Coding, TrainingDecision
from annotations.planning.forms import DecisionForm


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
    may_try = serializers.SerializerMethodField(help_text="whether the coder may take a further text")
    next_step = serializers.SerializerMethodField(
        help_text="`code` a text, `wait` for gold, `try` another text, `ask` a manager, `passed`, or `failed`"
    )
    attempts = AttemptSerializer(many=True)
    decisions = TrainingDecisionSerializer(many=True, help_text="of managers, the latest at last: it holds")

    def get_may_try(self, result: Any) -> bool:
        return bool(result.may_try(self.context["round"]))

    def get_next_step(self, result: Any) -> str:
        return str(result.next_step(self.context["round"]))


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
    chain = serializers.ListField(child=serializers.CharField(), help_text="the words of each member of your chain")
    gold_chain = serializers.ListField(child=serializers.CharField())
    answers = ComparedAnswerSerializer(many=True, help_text="to attributes and relations")
    explanation = serializers.CharField(allow_blank=True)
    score = serializers.FloatField(help_text="from 0 to 1")


class FeedbackSerializer(serializers.Serializer[Any]):
    is_whole = serializers.BooleanField(help_text="false: these are what you have compared so far")
    items = ComparedItemSerializer(many=True)


class GoldSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text.slug", help_text="its address")
    status = serializers.ChoiceField(Coding.Status.choices)
    coder = serializers.CharField(
        source="coder.username",
        allow_null=True,
        default=None,
        help_text="who works on it; null: whoever opens it first",
    )


class NewGoldSerializer(StrictSerializer):
    text = serializers.CharField(help_text="its address")
    early = serializers.BooleanField(default=False, help_text="also before all coders have submitted")
