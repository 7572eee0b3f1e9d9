"""Serializers of rounds."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotations.api.serializers.choices import ChoiceField
from annotations.api.serializers.coding import StrictSerializer
from annotations.models import Round
from annotations.models.project import KEY_LENGTH

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
    name = serializers.SlugField(max_length=KEY_LENGTH, required=False)
    kind = ChoiceField(Round.Kind.choices, required=False)
    starts_on = serializers.DateField(required=False, allow_null=True)
    ends_on = serializers.DateField(required=False, allow_null=True)
    pass_measure = ChoiceField(
        Round.PassMeasure.choices,
        required=False,
        allow_blank=True,
        help_text="of a training round; empty: no pass rule",
    )
    pass_mark = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True, help_text="who reaches it in one text has passed"
    )
    attempts = serializers.IntegerField(
        min_value=1, max_value=1000, required=False, allow_null=True, help_text="how many texts count; null: all"
    )
    feedback = ChoiceField(
        Round.Feedback.choices,
        required=False,
        help_text="when coders of a training round see the gold",
    )
    required_round = serializers.CharField(
        required=False, allow_null=True, help_text="the name of the training round that coders pass before it"
    )
    place = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, help_text="its place among the rounds, from 1"
    )
    closed = serializers.BooleanField(required=False, help_text="true: no work is done in it until it is opened again")

    def validate(self, fields: Any) -> Any:
        """Refuse a change of nothing."""
        if not fields:
            raise serializers.ValidationError("Send what is to be changed.")
        return fields


class NewRoundSerializer(StrictSerializer):
    name = serializers.SlugField(max_length=KEY_LENGTH)
    kind = ChoiceField(Round.Kind.choices, required=False, help_text="main, or that of the copied round")
    starts_on = serializers.DateField(required=False, allow_null=True)
    ends_on = serializers.DateField(required=False, allow_null=True)
    copy_of = serializers.CharField(required=False, help_text="the round whose texts it gets, without their codings")


class RoundTextsSerializer(StrictSerializer):
    add = serializers.ListField(child=serializers.CharField(), default=list, help_text="addresses of texts")
    remove = serializers.ListField(child=serializers.CharField(), default=list)


class RoundTextsChangedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField(help_text="how many were not there before")
    removed = serializers.IntegerField(help_text="how many were there")
