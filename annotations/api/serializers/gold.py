"""Serializers of gold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State
from annotations.api.serializers.coding import StrictSerializer


class GoldStateSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    state = serializers.ChoiceField(
        [str(state) for state in State], allow_null=True, help_text="null: there is no gold yet"
    )
    adjudicator = serializers.CharField(allow_null=True, help_text="who works on it; null: not assigned")
    method = serializers.ChoiceField(
        [str(method) for method in Method], allow_null=True, help_text="of its draft; null: it was not drafted"
    )
    contested = serializers.IntegerField(help_text="how many answers coders disagreed on when it was drafted")
    decided = serializers.IntegerField(help_text="how many of these have been decided since")
    submitted = serializers.IntegerField(help_text="how many coders have submitted the text")
    assigned = serializers.IntegerField(help_text="how many coders have it")


class DraftOrderSerializer(StrictSerializer):
    method = serializers.ChoiceField([str(method) for method in Method])
    coder = serializers.CharField(required=False, default="", help_text="whose answers, with the method coder")
    texts = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="addresses; none: all with a submitted coding"
    )
    round = serializers.CharField(
        required=False, default="", help_text="without it, of each text the latest that somebody has submitted it in"
    )
    adjudicator = serializers.CharField(
        required=False, default="", help_text="who works on it; without: whoever opens it first"
    )


class DraftReportSerializer(serializers.Serializer[Any]):
    drafted = serializers.ListField(child=serializers.CharField())
    begun = serializers.ListField(
        child=serializers.CharField(), help_text="texts left out, as their gold has been begun"
    )
