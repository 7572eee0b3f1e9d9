"""What the API gives and takes for how many texts are enough."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.api.serializers.agreement import ParametersSerializer
from agreement.measures.uncertainty.forecasts import SAMPLES


class PlanningQuerySerializer(serializers.Serializer[Any]):
    margin = serializers.FloatField(required=False, help_text="Half the width of the interval that is to be reached.")
    bound = serializers.FloatField(required=False, help_text="What the whole interval is to be above, such as 0.667.")
    difference = serializers.FloatField(required=False, help_text="How far two rounds of other texts are to differ.")
    power = serializers.FloatField(required=False, help_text="In which share of cases both are to be seen.")
    sample = serializers.ChoiceField(
        choices=SAMPLES, required=False, help_text="groups: texts, by these coders; both: texts and coders like these."
    )


class TargetSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True, help_text="what is to be reached")
    texts = serializers.IntegerField(allow_null=True, help_text="the fewest that are enough; null: none up to 10,000")


class TargetsSerializer(serializers.Serializer[Any]):
    margin = TargetSerializer()
    bound = TargetSerializer()
    difference = TargetSerializer(help_text="texts of each of the two rounds")


class MarginSerializer(serializers.Serializer[Any]):
    margin = serializers.FloatField()
    texts = serializers.IntegerField(allow_null=True)


class SizeSerializer(serializers.Serializer[Any]):
    texts = serializers.IntegerField()
    low = serializers.FloatField(help_text="of the interval that so many texts would have")
    high = serializers.FloatField()
    margin = serializers.FloatField(help_text="half its width")
    power_above = serializers.FloatField(allow_null=True, help_text="how often it lies above the bound")
    power_of_difference = serializers.FloatField(
        allow_null=True, help_text="how often two rounds, each of so many texts, are told apart"
    )
    extrapolated = serializers.BooleanField(help_text="whether fewer texts are coded")


class CoderMarginsSerializer(serializers.Serializer[Any]):
    coders = serializers.IntegerField()
    margins = MarginSerializer(many=True)


class PlanningSerializer(serializers.Serializer[Any]):
    parameters = ParametersSerializer()
    sample = serializers.ChoiceField(choices=SAMPLES)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval of the texts that are coded")
    high = serializers.FloatField(allow_null=True)
    margin = serializers.FloatField(allow_null=True, help_text="half its width")
    n_texts = serializers.IntegerField()
    n_coders = serializers.IntegerField(help_text="how many stand for others; 0 where these are meant")
    targets = TargetsSerializer()
    power = serializers.FloatField()
    margins = MarginSerializer(many=True)
    sizes = SizeSerializer(many=True)
    coders = CoderMarginsSerializer(many=True, help_text="of coders that stand for others: the margin by their number")
    description = serializers.CharField(help_text="the same in words")
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )
    note = serializers.CharField(allow_blank=True, help_text="Why there is no forecast.")
