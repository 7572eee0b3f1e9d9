"""What the API gives of coders against agreed pyramids, for the schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.api.serializers.gold import AgreementBesideGoldSerializer
from agreement.data.pyramids.agreed_pyramids import REASONS_DOCSET_LEFT_OUT
from agreement.reports.pyramids.matching import KINDS
from annotations.api.lists import PartSerializer


class OverDocsetsSerializer(serializers.Serializer[Any]):
    """A figure with its interval over docsets."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval, over docsets")
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class MatchingSerializer(serializers.Serializer[Any]):
    agreed = serializers.IntegerField(help_text="of the agreed pyramids")
    own = serializers.IntegerField(help_text="of the coder")
    matched = serializers.IntegerField()
    recall = OverDocsetsSerializer(help_text="matched over agreed")
    precision = OverDocsetsSerializer(help_text="matched over own")
    f1 = OverDocsetsSerializer()


class AgainstAgreedSerializer(serializers.Serializer[Any]):
    """A coder or group against agreed pyramids."""

    name = serializers.CharField(help_text="of the coder or group; a letter for who does not see names")
    n_docsets = serializers.IntegerField()
    scus = MatchingSerializer(help_text="SCUs, matched one to one")
    words = MatchingSerializer(help_text="words, once for each SCU; matched are those in both of two SCUs that match")
    n_identical = serializers.IntegerField(help_text="of the matched SCUs those with the same words")
    n_drafted = serializers.IntegerField(
        allow_null=True,
        help_text="docsets whose agreed pyramid was drafted from this one alone; null for who does not see names",
    )
    differences = serializers.DictField(child=serializers.IntegerField(), help_text=f"by kind: {', '.join(KINDS)}")


class CoderInDocsetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    own = serializers.IntegerField(help_text="SCUs of the coder")
    matched = serializers.IntegerField()
    identical = serializers.IntegerField()
    f1 = serializers.FloatField()


class AgreedDocsetSerializer(serializers.Serializer[Any]):
    docset = serializers.CharField()
    round = serializers.CharField()
    n_scus = serializers.IntegerField(help_text="of the agreed pyramid")
    coders = CoderInDocsetSerializer(many=True)


class CoderInAgreedPeriodSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    scus_f1 = serializers.FloatField(allow_null=True)
    words_f1 = serializers.FloatField(allow_null=True)


class AgreedPeriodSerializer(serializers.Serializer[Any]):
    n_docsets = serializers.IntegerField()
    last = serializers.CharField(help_text="address of the docset that was worked on last of them")
    coders = CoderInAgreedPeriodSerializer(many=True)


class AgreedReportSerializer(PartSerializer):
    """Coders against the agreed pyramids of docsets."""

    parameters = serializers.DictField(child=serializers.CharField())
    fingerprint = serializers.CharField(help_text="equal for equal pyramids")
    n_docsets = serializers.IntegerField()
    n_scus = serializers.IntegerField(help_text="of the agreed pyramids")
    n_empty = serializers.IntegerField(help_text="SCUs without words: they are in no figure")
    coders = AgainstAgreedSerializer(many=True)
    groups = AgainstAgreedSerializer(many=True, help_text="none for who codes")
    agreement = AgreementBesideGoldSerializer(help_text="of the coders in the same docsets")
    docsets = AgreedDocsetSerializer(many=True)
    periods = AgreedPeriodSerializer(many=True, help_text="in order of the last work on each docset")
    n_drafted = serializers.IntegerField(help_text="docsets whose agreed pyramid was drafted from one coder's alone")
    methods = serializers.DictField(
        child=serializers.IntegerField(), help_text="agreed pyramids by the method of their draft; empty: without one"
    )
    docsets_left_out = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=f"by reason: {', '.join(REASONS_DOCSET_LEFT_OUT)}; empty for who codes",
    )
    codings_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="by reason")
    n_by_authors = serializers.IntegerField(help_text="pyramids left out: of who made the agreed one")
