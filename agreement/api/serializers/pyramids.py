"""What the API on pyramids gives, for the schema, and what it takes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.measures.pyramids import MEANS
from agreement.reports.pyramids.scus import KINDS
from annotations.api.lists import PartSerializer


class DocsetQuerySerializer(serializers.Serializer[Any]):
    docset = serializers.CharField(required=False, help_text="Only this docset, by its address.")


class ScoresQuerySerializer(DocsetQuerySerializer):
    mean = serializers.ChoiceField(
        choices=MEANS, required=False, help_text="What becomes of a mean number of SCUs that is not whole."
    )


class PairQuerySerializer(DocsetQuerySerializer):
    first = serializers.CharField(required=False, help_text="A coder.")
    second = serializers.CharField(required=False, help_text="Another coder.")


class StudyQuerySerializer(ScoresQuerySerializer, PairQuerySerializer):
    """Without coders: every two of them."""


class PeerScoreSerializer(serializers.Serializer[Any]):
    docset = serializers.CharField()
    peer = serializers.CharField()
    system = serializers.CharField(allow_blank=True)
    coder = serializers.CharField()
    against = serializers.ChoiceField(choices=["own", "agreed"], help_text="whose pyramid")
    handed_in = serializers.BooleanField()
    original = serializers.FloatField(allow_null=True)
    modified = serializers.FloatField(allow_null=True)
    coverage = serializers.FloatField(allow_null=True, help_text="another name of the modified score")
    comprehensive = serializers.FloatField(allow_null=True)
    found = serializers.FloatField(allow_null=True, help_text="the weight of the SCUs that the peer expresses")
    best_original = serializers.FloatField(allow_null=True, help_text="with as many SCUs as the peer has")
    best_modified = serializers.FloatField(allow_null=True, help_text="with the mean number of SCUs of the models")
    n_scus = serializers.IntegerField()
    outside = serializers.IntegerField(help_text="of these not in the pyramid")
    astray = serializers.IntegerField(help_text="marks of no SCU that the pyramid has: not counted")
    note = serializers.CharField(allow_blank=True)


class EstimateSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval over peers")
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(help_text="of how many peers, those that have the score")
    note = serializers.CharField(allow_blank=True)


class SystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(allow_blank=True)
    against = serializers.ChoiceField(choices=["own", "agreed"])
    n_peers = serializers.IntegerField()
    original = EstimateSerializer()
    modified = EstimateSerializer()
    comprehensive = EstimateSerializer()


class ScoresSerializer(PartSerializer):
    docset = serializers.CharField(allow_blank=True)
    mean = serializers.ChoiceField(choices=MEANS)
    peers = PeerScoreSerializer(many=True)
    systems = SystemSerializer(many=True)


class RankedSerializer(serializers.Serializer[Any]):
    docset = serializers.CharField()
    peer = serializers.CharField()
    system = serializers.CharField(allow_blank=True)
    first = serializers.FloatField()
    second = serializers.FloatField()
    rank_first = serializers.FloatField()
    rank_second = serializers.FloatField()
    change = serializers.FloatField()


class CorrelationSerializer(EstimateSerializer):
    p_value = serializers.FloatField(allow_null=True, help_text="two-sided, against no correlation")


class CorrelationsSerializer(serializers.Serializer[Any]):
    score = serializers.CharField()
    n = serializers.IntegerField()
    pearson = CorrelationSerializer()
    spearman = CorrelationSerializer()
    kendall = CorrelationSerializer()
    peers = RankedSerializer(many=True)


class StudyPairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    n_open = serializers.IntegerField(help_text="of their pyramids and peers, how many are not submitted")
    scores = CorrelationsSerializer(many=True)


class StudySerializer(serializers.Serializer[Any]):
    docset = serializers.CharField(allow_blank=True)
    mean = serializers.ChoiceField(choices=MEANS)
    coders = serializers.ListField(child=serializers.CharField())
    pairs = StudyPairSerializer(many=True)


class ScuSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    weight = serializers.IntegerField()


class ScuPairSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=KINDS)
    first = ScuSerializer(allow_null=True)
    second = ScuSerializer(allow_null=True)
    shared = serializers.IntegerField(help_text="words of both")
    only_first = serializers.IntegerField()
    only_second = serializers.IntegerField()
    distance = serializers.FloatField(help_text="Jaccard")


class OverlapSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    relation = serializers.CharField()
    shared = serializers.IntegerField()
    jaccard = serializers.FloatField()
    matched = serializers.BooleanField()


class SubsumedSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    larger = serializers.CharField(allow_blank=True, help_text="whose SCU has all words of the other; empty: both")
    summary = serializers.CharField()
    in_first = serializers.BooleanField()
    in_second = serializers.BooleanField()


class ScusSerializer(serializers.Serializer[Any]):
    docset = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="pairs by kind")
    pairs = ScuPairSerializer(many=True)
    overlaps = OverlapSerializer(many=True)
    subsumption = SubsumedSerializer(many=True)
    kappa = serializers.FloatField(allow_null=True, help_text="K of the subsumption table; it overstates")
    cohen_kappa = serializers.FloatField(allow_null=True)


class PeerKappaSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    observed = serializers.FloatField(allow_null=True)
    expected = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)


class PeerReliabilitySerializer(serializers.Serializer[Any]):
    docset = serializers.CharField(allow_blank=True)
    n_peers = serializers.IntegerField()
    coders = serializers.ListField(child=serializers.CharField())
    kappa = PeerKappaSerializer()
    cohen_kappa = PeerKappaSerializer(allow_null=True, help_text="of two coders")
    alpha_dice = PeerKappaSerializer()


class PeerItemSerializer(serializers.Serializer[Any]):
    docset = serializers.CharField()
    peer = serializers.CharField()
    scu = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    weight = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField(allow_null=True), help_text="by coder")
    share = serializers.FloatField(help_text="of the observed disagreement")


class PeersSerializer(PartSerializer):
    docset = serializers.CharField(allow_blank=True)
    coders = serializers.ListField(child=serializers.CharField())
    overall = PeerReliabilitySerializer()
    docsets = PeerReliabilitySerializer(many=True)
    items = PeerItemSerializer(many=True)
    n_alone = serializers.IntegerField(help_text="peers of one coder only")
    n_open = serializers.IntegerField(help_text="codings of peers that are begun and not submitted: they count nowhere")
    n_astray = serializers.IntegerField(help_text="marks of no SCU that the pyramid has")
