"""What the API gives of a model beside people, for the schema, and what it takes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.api.serializers.agreement import GroupIntervalSerializer, ParametersSerializer
from annotations.api.lists import PartSerializer


class ModelQuerySerializer(serializers.Serializer[Any]):
    candidate = serializers.CharField(required=False, help_text="The model; without it the first that has answers.")
    epsilon = serializers.FloatField(required=False, help_text="How much worse its score may be: 0.1 where left out.")
    q = serializers.FloatField(required=False, help_text="The level of the tests: 0.05 where left out.")


class AgreementWithPeopleSerializer(GroupIntervalSerializer):
    coder = serializers.CharField(allow_blank=True, help_text="empty: of all people with each other")


class LeftOutHumanSerializer(serializers.Serializer[Any]):
    human = serializers.CharField()
    n_units = serializers.IntegerField()
    n_texts = serializers.IntegerField()
    candidate_score = serializers.FloatField(allow_null=True)
    human_score = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="of the scores, the mean over texts")
    low = serializers.FloatField(allow_null=True, help_text="of its 95% interval over texts")
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True, help_text="over texts")
    adjusted = serializers.FloatField(allow_null=True, help_text="for several people")
    won = serializers.BooleanField()
    advantage_probability = serializers.FloatField(allow_null=True)
    advantage_low = serializers.FloatField(allow_null=True, help_text="of its 95% interval over texts")
    advantage_high = serializers.FloatField(allow_null=True)
    published_p_value = serializers.FloatField(allow_null=True, help_text="of the published test, over items")
    published_adjusted = serializers.FloatField(allow_null=True)
    published_won = serializers.BooleanField()


class AltTestSerializer(serializers.Serializer[Any]):
    """The alternative annotator test over texts, and the published one of items."""

    rows = LeftOutHumanSerializer(many=True)
    winning_rate = serializers.FloatField(allow_null=True, help_text="the share of people it may replace")
    passed = serializers.BooleanField(allow_null=True, help_text="whether that is a half or more")
    published_winning_rate = serializers.FloatField(allow_null=True)
    published_passed = serializers.BooleanField(allow_null=True)
    advantage_probability = serializers.FloatField(allow_null=True)
    epsilon = serializers.FloatField()
    q = serializers.FloatField()
    n_units = serializers.IntegerField()
    n_texts = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="whether all signs were tried")
    resamples = serializers.IntegerField()
    seed = serializers.IntegerField()
    left_out = serializers.DictField(child=serializers.IntegerField(), help_text="items, by reason")
    note = serializers.CharField(allow_blank=True)


class CategoryOfModelSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True, help_text="what most people say; empty: no answer is that of most")
    n_items = serializers.IntegerField()
    n_texts = serializers.IntegerField()
    candidate_score = serializers.FloatField()
    people_score = serializers.FloatField()
    difference = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class MissedItemSerializer(serializers.Serializer[Any]):
    """An item on which all people agree, and the model does not."""

    text = serializers.CharField()
    round = serializers.CharField()
    key = serializers.CharField()
    words = serializers.CharField()
    people = serializers.CharField(allow_blank=True, help_text="what they say, in words")
    model = serializers.CharField(allow_blank=True, help_text="what it says, in words")
    distance = serializers.FloatField(help_text="of its value from those of people, the mean")
    n_people = serializers.IntegerField()


class ModelReportSerializer(PartSerializer):
    parameters = ParametersSerializer()
    candidate = serializers.CharField()
    models = serializers.ListField(child=serializers.CharField(), help_text="those that have answers")
    people = serializers.ListField(child=serializers.CharField())
    among_people = AgreementWithPeopleSerializer()
    agreements = AgreementWithPeopleSerializer(
        many=True, help_text="of the model with people, and of each person with the others; of many the first 30"
    )
    alt_test = AltTestSerializer()
    categories = CategoryOfModelSerializer(many=True, help_text="the one in which it is farthest behind first")
    items = MissedItemSerializer(many=True, help_text="in pages, the farthest first")
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
