"""What the API gives for coders against gold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.api.serializers.agreement import ParametersSerializer, ScoreSerializer


class ShareSerializer(serializers.Serializer[Any]):
    """A share of items with its interval over texts."""

    found = serializers.IntegerField()
    total = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval, over texts")
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class NamedShareSerializer(ShareSerializer):
    name = serializers.CharField(help_text="of the coder, or a letter")


class AgainstGoldSerializer(serializers.Serializer[Any]):
    """A coder or group against gold, which is the key of the scores."""

    name = serializers.CharField(help_text="of the coder or group; a letter for who does not see names")
    n_texts = serializers.IntegerField()
    accuracy = ShareSerializer(help_text="of the items that both answered, those with the answer of gold")
    missed = serializers.IntegerField(help_text="items that gold alone answers, in texts that the coder has coded")
    extra = serializers.IntegerField(help_text="items that the coder alone answers")
    overruled = ShareSerializer(help_text="of the contested items, those in which gold has another value")
    scores = serializers.DictField(child=ScoreSerializer(), help_text="by name; none where coders make no chains")


class QuestionAccuracySerializer(serializers.Serializer[Any]):
    question = serializers.CharField(help_text="key of an attribute or relation")
    coders = NamedShareSerializer(many=True)


class AgreementBesideGoldSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)


class CoderInPeriodSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    accuracy = serializers.FloatField(allow_null=True)
    conll_f1 = serializers.FloatField(allow_null=True)


class GoldPeriodSerializer(serializers.Serializer[Any]):
    n_texts = serializers.IntegerField()
    last = serializers.CharField(help_text="address of the text that was worked on last of them")
    coders = CoderInPeriodSerializer(many=True)


class GoldReportSerializer(serializers.Serializer[Any]):
    """Coders against gold."""

    parameters = ParametersSerializer()
    fingerprint = serializers.CharField(help_text="Equal for equal answers and gold.")
    n_texts = serializers.IntegerField()
    n_items = serializers.IntegerField(help_text="that gold answers")
    n_contested = serializers.IntegerField(
        help_text="items in which not all coders have the same value, whether or not gold answers them"
    )
    matched_by_muc6 = serializers.BooleanField()
    n_in_several = serializers.IntegerField(
        help_text="mentions with several indices or readings, each of which is scored by one"
    )
    coders = AgainstGoldSerializer(many=True)
    groups = AgainstGoldSerializer(many=True)
    questions = QuestionAccuracySerializer(many=True)
    agreement = AgreementBesideGoldSerializer(help_text="of the coders, without gold, in the same texts")
    periods = GoldPeriodSerializer(many=True)
    gold_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="texts, by reason")
    codings_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="by reason")
