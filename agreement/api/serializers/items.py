"""What the API gives for the items in which coders disagree, and which it takes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.measures import RELATIONS
from agreement.reports.items.items import AMBIGUITY, SORTS, VERDICTS


class ItemQuerySerializer(serializers.Serializer[Any]):
    """Which items, and in which order."""

    relation = serializers.ChoiceField(choices=RELATIONS, required=False, help_text="Some pair of coders.")
    level = serializers.CharField(required=False)
    category = serializers.CharField(required=False, help_text="Some coder gave it.")
    ambiguity = serializers.ChoiceField(choices=AMBIGUITY, required=False)
    text = serializers.CharField(required=False, help_text="The address of a text.")
    flag = serializers.ChoiceField(choices=["set"], required=False, help_text="For managers and adjudicators.")
    note = serializers.ChoiceField(choices=["set"], required=False, help_text="A coder wrote one.")
    unsure = serializers.ChoiceField(choices=["set"], required=False, help_text="A coder was.")
    sort = serializers.ChoiceField(choices=SORTS, required=False)


class GivenAnswerSerializer(serializers.Serializer[Any]):
    """What a coder answered. Of pyramids there are none: words are compared, which nobody answers on."""

    coder = serializers.CharField()
    category = serializers.CharField(allow_null=True, help_text="its key")
    category_label = serializers.CharField(allow_null=True)
    antecedents = serializers.ListField(
        child=serializers.CharField(),
        help_text="words, ' + ' between those that are meant together; or names of indices",
    )
    targets = serializers.ListField(child=serializers.CharField(), help_text="keys of the antecedents")
    unsure = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)


class ContextSerializer(serializers.Serializer[Any]):
    before = serializers.CharField(allow_blank=True)
    words = serializers.CharField()
    after = serializers.CharField(allow_blank=True)


class ItemSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    key = serializers.CharField()
    words = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    share = serializers.FloatField(help_text="of the observed disagreement; all shares sum to 1")
    observed = serializers.FloatField(help_text="what it adds to observed disagreement")
    n_coders = serializers.IntegerField()
    n_values = serializers.IntegerField()
    relations = serializers.DictField(child=serializers.IntegerField(), help_text="pairs of coders by relation")
    n_ambiguous = serializers.IntegerField(help_text="coders who marked several readings or indices")
    camps = serializers.BooleanField(help_text="four coders or more split into camps, and none marked any ambiguity")
    posterior = serializers.FloatField(
        allow_null=True,
        help_text="probability of two readings, by a model of coders; null where fewer than two gave one reading,"
        " and where more than 20,000 items are chosen",
    )
    verdict = serializers.ChoiceField(
        choices=["", *VERDICTS], help_text="what is likely where four coders or more differ"
    )
    title = serializers.CharField(help_text="of the text")
    in_context = ContextSerializer()
    n_pointers = serializers.IntegerField(help_text="pointers of all coders to it")
    chain_size = serializers.IntegerField(help_text="of its largest chain; 0 where all coders gave labels")
    flagged = serializers.BooleanField(allow_null=True, help_text="null for those who do not discuss items")
    answers = GivenAnswerSerializer(many=True)


class PairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    relation = serializers.CharField()
    distances = serializers.DictField(child=serializers.FloatField())


class ValueSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    category = serializers.CharField(allow_null=True, help_text="where the value is a label")
    chain = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="where it is a set: the keys of its markables; of several readings those of all",
    )
    labels = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="where it is a set of labels: their keys"
    )
    readings = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="where it is several readings: the keys of the markables of each",
    )


class ItemReportSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    key = serializers.CharField()
    values = ValueSerializer(many=True)
    answers = GivenAnswerSerializer(many=True)
    pairs = PairSerializer(many=True)
