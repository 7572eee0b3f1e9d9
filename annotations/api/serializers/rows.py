"""Serializers of flat rows of codings, markables, judgements and operations, and of changes to codings and texts."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotations.api.serializers.choices import ChoiceField
from annotations.api.serializers.coding import (
    AttributesField,
    ReadingsField,
    RelationsField,
    SpansField,
    StrictSerializer,
)
from annotations.models import Coding, Operation, Text
from annotations.models.coding import REASON_LENGTH
from annotations.models.project import KEY_LENGTH
from annotations.planning.work.states import State

OCCASION = "1, and more where the coder was shown the text again within the round"


class CodingRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text__slug")
    coder = serializers.CharField(source="coder__username")
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    round = serializers.CharField(source="round__name")
    occasion = serializers.IntegerField(help_text=OCCASION)
    status = serializers.ChoiceField(choices=Coding.Status.choices)
    version = serializers.IntegerField(help_text="how many operations it has")
    to_decide = serializers.IntegerField(help_text="how many markables there are to judge")
    decided = serializers.IntegerField(help_text="how many of them have a complete answer")
    reopen_request = serializers.CharField(
        allow_blank=True, help_text="why its coder asks to have it reopened; empty: does not ask"
    )
    state = serializers.ChoiceField(
        choices=[str(state) for state in State], help_text="how far it is; `reopened` is by a manager"
    )
    due_on = serializers.DateField(allow_null=True, help_text="until when the plan of the round has it coded")
    overdue = serializers.BooleanField(help_text="whether the date has passed and it is not submitted")


class MarkableRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text__slug")
    key = serializers.CharField()
    level = serializers.CharField(source="level__key")
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    parts = SpansField()
    head = SpansField()
    words = serializers.CharField()
    predefined = serializers.BooleanField(help_text="It came with the text; else some coder marked it.")


class JudgementRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding__text__slug")
    coder = serializers.CharField(source="coding__coder__username")
    kind = serializers.ChoiceField(source="coding__kind", choices=Coding.Kind.choices)
    round = serializers.CharField(source="coding__round__name")
    occasion = serializers.IntegerField(source="coding__occasion", help_text=OCCASION)
    markable = serializers.CharField(source="markable__key")
    category = serializers.CharField(source="category__key", allow_null=True)
    pointers = ReadingsField(help_text="keys of markables; those in one list are meant together")
    indices = serializers.ListField(child=serializers.CharField())
    optional = serializers.BooleanField()
    unsure = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    head = SpansField()
    scheme_version = serializers.IntegerField(help_text="the version of the scheme under which it was last given")
    relations = RelationsField(required=False)
    attributes = AttributesField(required=False)


class OperationRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding__text__slug")
    coder = serializers.CharField(source="coding__coder__username")
    coding_kind = serializers.ChoiceField(source="coding__kind", choices=Coding.Kind.choices)
    round = serializers.CharField(source="coding__round__name")
    occasion = serializers.IntegerField(source="coding__occasion", help_text=OCCASION)
    user = serializers.CharField(source="user__username", help_text="who did it: a manager reopens codings")
    sequence = serializers.IntegerField()
    uuid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Operation.Kind.choices)
    payload = serializers.JSONField()
    scheme_version = serializers.IntegerField(help_text="the version of the scheme that it was made under")
    step = serializers.UUIDField(allow_null=True)
    undoes = serializers.UUIDField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True)
    applied_at = serializers.DateTimeField()


class NewCodingsSerializer(StrictSerializer):
    texts = serializers.ListField(child=serializers.CharField(), allow_empty=False, help_text="their addresses")
    coders = serializers.ListField(child=serializers.CharField(), allow_empty=False, help_text="their names")
    round = serializers.CharField(
        required=False, help_text="where they are coded; without it each text in the latest of its rounds that count"
    )


class CodingsMadeSerializer(serializers.Serializer[Any]):
    new = serializers.IntegerField(help_text="how many codings were not there before")


class StatusSerializer(StrictSerializer):
    status = ChoiceField(Coding.Status.choices)
    reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=REASON_LENGTH,
        help_text="why it is reopened; of a coder whose submission somebody has viewed: a request to managers",
    )


class NewCorrectionSerializer(StrictSerializer):
    content = serializers.CharField(trim_whitespace=False, help_text="the text as it is to be")
    preview = serializers.BooleanField(default=False, help_text="say what would happen, and change nothing")


class EditSerializer(serializers.Serializer[Any]):
    start = serializers.IntegerField(help_text="in the text before, in code points")
    old = serializers.CharField()
    new = serializers.CharField()


class WordChangeSerializer(serializers.Serializer[Any]):
    level = serializers.CharField()
    old = serializers.CharField()
    new = serializers.CharField()


class ObstacleSerializer(serializers.Serializer[Any]):
    noun = serializers.CharField(help_text="what it is: the level of a markable, a segment, a head")
    words = serializers.CharField()
    reason = serializers.CharField()


class CorrectionSerializer(serializers.Serializer[Any]):
    edits = EditSerializer(many=True)
    moved = serializers.IntegerField(help_text="markables that are elsewhere afterwards")
    changes = WordChangeSerializer(many=True, help_text="markables that get other words")
    obstacles = ObstacleSerializer(many=True, help_text="what would be deleted or cut: nothing is corrected")
    codings = serializers.IntegerField()
    submitted = serializers.IntegerField()


class TextChangesSerializer(StrictSerializer, serializers.ModelSerializer[Text]):
    round = serializers.SlugField(max_length=KEY_LENGTH, allow_blank=True, required=False, help_text="empty: main")
    position = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, help_text="its place in the order of the texts, from 1"
    )

    class Meta:
        model = Text
        fields = ["round", "position"]

    def validate(self, fields: Any) -> Any:
        """Refuse a change of nothing."""
        if not fields:
            raise serializers.ValidationError("Send a round or a position.")
        return fields
