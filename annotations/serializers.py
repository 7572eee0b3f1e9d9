"""What the API takes and gives. Lists of rows are built by querysets, not by nested serializers."""

from typing import Any

from rest_framework import serializers

from annotations.models import Coding, Operation, Project, Text


class ProjectSerializer(serializers.ModelSerializer[Project]):
    role = serializers.CharField(read_only=True, help_text="What you are in this project.")

    class Meta:
        model = Project
        fields = ["slug", "title", "answers", "guidelines", "role"]


class TextSerializer(serializers.ModelSerializer[Text]):
    class Meta:
        model = Text
        fields = ["slug", "title", "language", "direction"]


class SegmentStateSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    speaker = serializers.CharField(allow_blank=True)


class TextStateSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    content = serializers.CharField()
    language = serializers.CharField()
    direction = serializers.ChoiceField(choices=Text.Direction.choices)
    segments = SegmentStateSerializer(many=True)


class ProjectNameSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()


class LevelStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    coded = serializers.BooleanField()


class CategoryStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    points_to = serializers.CharField(allow_null=True)
    max_pointers = serializers.IntegerField(allow_null=True)
    allow_later = serializers.BooleanField()
    takes_index = serializers.BooleanField()


class SchemeStateSerializer(serializers.Serializer[Any]):
    answers = serializers.ChoiceField(choices=Project.Answers.choices)
    levels = LevelStateSerializer(many=True)
    categories = CategoryStateSerializer(many=True)


class MarkableStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    level = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    parts = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class DecisionSerializer(serializers.Serializer[Any]):
    markable = serializers.CharField()
    category = serializers.CharField(allow_null=True)
    pointers = serializers.ListField(child=serializers.CharField())
    indices = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(allow_blank=True)
    unsure = serializers.BooleanField()
    optional = serializers.BooleanField()


class VersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=0)


class CodingVersionSerializer(VersionSerializer):
    status = serializers.ChoiceField(choices=Coding.Status.choices)


class CodingStateSerializer(serializers.Serializer[Any]):
    project = ProjectNameSerializer()
    user = serializers.CharField()
    text = TextStateSerializer()
    scheme = SchemeStateSerializer()
    markables = MarkableStateSerializer(many=True)
    coding = CodingVersionSerializer()
    judgements = serializers.DictField(child=DecisionSerializer())


class ChangeSerializer(serializers.Serializer[Any]):
    uuid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=[Operation.Kind.JUDGE.value, Operation.Kind.CLEAR.value])
    payload = serializers.DictField()
    made_at = serializers.DateTimeField(required=False, allow_null=True, default=None)


class ChangesSerializer(VersionSerializer):
    operations = ChangeSerializer(many=True, allow_empty=False)


class OperationSerializer(serializers.ModelSerializer[Operation]):
    class Meta:
        model = Operation
        fields = ["sequence", "uuid", "kind", "payload", "made_at", "applied_at"]
