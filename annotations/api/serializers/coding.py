"""Serializers of codings and texts. Lists of rows are built by querysets, not by nested serializers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotations.api.serializers.requests import ChoiceField, StringsField
from annotations.coding.log.payloads import PAYLOADS
from annotations.formats.model.scheme import AnswerKind, Subject
from annotations.models import Coding, Operation, Project, Text


class TextSerializer(serializers.ModelSerializer[Text]):
    round = serializers.SerializerMethodField(help_text="the latest of its rounds")
    rounds = serializers.ListField(
        source="round_names", child=serializers.CharField(), read_only=True, help_text="all of them, in their order"
    )
    docset = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True, allow_null=True)

    class Meta:
        model = Text
        fields = ["slug", "title", "language", "direction", "round", "rounds", "role", "docset"]

    def get_round(self, text: Text) -> str:
        """Return the name of the latest round of the text."""
        return (["", *text.round_names])[-1]


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


class TextDetailSerializer(TextStateSerializer, TextSerializer):
    """A text of the list, with its content and segments."""

    class Meta(TextSerializer.Meta):
        fields = [*TextSerializer.Meta.fields, "content", "segments"]


class ProjectNameSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()


class NamedStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


class HelpedStateSerializer(NamedStateSerializer):
    help = serializers.CharField(allow_blank=True)


RETIRED = "No longer offered; it stays where it was given."


class LevelStateSerializer(NamedStateSerializer):
    coded = serializers.BooleanField()
    coders_mark = serializers.BooleanField(help_text="Name a key of this level that is not there, and it is marked.")


class CategoryStateSerializer(NamedStateSerializer):
    points_to = serializers.CharField(allow_null=True)
    max_pointers = serializers.IntegerField(allow_null=True)
    allow_later = serializers.BooleanField()
    takes_index = serializers.BooleanField()
    takes_optional = serializers.BooleanField()
    singleton = serializers.BooleanField(
        help_text="Where coders index: a markable with this answer is a singleton; else the answer is a value."
    )
    level = serializers.CharField(allow_null=True, help_text="the only level that it is for; null: every coded level")
    help = serializers.CharField(allow_blank=True)
    colour = serializers.CharField(allow_blank=True)
    retired = serializers.BooleanField(help_text=RETIRED)


class ConditionSerializer(serializers.Serializer[Any]):
    """The condition of a question: another question has one of these values, or a relation is set."""

    question = serializers.CharField(required=False, help_text="`category`, or the key of an attribute")
    values = StringsField(required=False)
    relation = serializers.CharField(required=False)


class RelationStateSerializer(HelpedStateSerializer):
    from_levels = StringsField(help_text="none: every coded level")
    to_levels = StringsField(help_text="none: it is not offered")
    identity = serializers.BooleanField(help_text="Its targets are the `pointers` of its category, and make chains.")
    max_targets = serializers.IntegerField(allow_null=True)
    joint = serializers.BooleanField(help_text="Several targets may be meant together.")
    later = serializers.BooleanField()
    asked_if = ConditionSerializer(allow_null=True)
    retired = serializers.BooleanField(help_text=RETIRED)


class AttributeValueStateSerializer(HelpedStateSerializer):
    colour = serializers.CharField(allow_blank=True)
    retired = serializers.BooleanField(help_text=RETIRED)


class AttributeStateSerializer(HelpedStateSerializer):
    of = serializers.ChoiceField(choices=[subject.value for subject in Subject])
    relation = serializers.CharField(allow_null=True)
    levels = StringsField(help_text="none: every coded level")
    kind = serializers.ChoiceField(choices=[kind.value for kind in AnswerKind])
    required = serializers.BooleanField()  # type: ignore[assignment]
    asked_if = ConditionSerializer(allow_null=True)
    primary_of = serializers.CharField(allow_null=True, help_text="the attribute to which it is a second choice")
    values = AttributeValueStateSerializer(many=True)
    retired = serializers.BooleanField(help_text=RETIRED)


class SchemeStateSerializer(serializers.Serializer[Any]):
    answers = serializers.ChoiceField(choices=Project.Answers.choices)
    levels = LevelStateSerializer(many=True)
    categories = CategoryStateSerializer(many=True)
    relations = RelationStateSerializer(many=True)
    attributes = AttributeStateSerializer(many=True)
    constraints = serializers.DictField(help_text="What is allowed where, as the server checks it.")
    scheme_version = serializers.IntegerField(help_text="One more with each change of what may be answered.")


@extend_schema_field(
    {
        "type": "array",
        "items": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
    }
)
class ReadingsField(serializers.JSONField):
    """Keys of markables: alternatives, or lists of markables that are meant together."""


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {
            "oneOf": [{"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}]
        },
    }
)
class AttributesField(serializers.JSONField):
    """Answers by attribute key: the key of a value, a list of keys, a text or a number."""


class RelationsField(serializers.DictField):
    """Keys of markables by relation key."""

    child = ReadingsField()


class SpansField(serializers.ListField):
    """[[start, end], ...] in code points of the text."""

    child = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)


class MarkableStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    level = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    parts = SpansField()
    head = SpansField(help_text="the least words that stand for it (MIN); empty: all of it")
    own = serializers.BooleanField(help_text="You marked it; it did not come with the text.")


class DecisionSerializer(serializers.Serializer[Any]):
    markable = serializers.CharField()
    category = serializers.CharField(allow_null=True)
    pointers = ReadingsField(help_text="antecedents; those in one list are meant together")
    indices = StringsField()
    note = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True, help_text="what you call the chain that it is in")
    head = SpansField(help_text="your own MIN; empty: that of the markable")
    unsure = serializers.BooleanField()
    optional = serializers.BooleanField()
    relations = RelationsField(required=False, help_text="where a relation besides identity is set")
    attributes = AttributesField(required=False, help_text="where an attribute is answered")


class VersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=0)


class CodingVersionSerializer(VersionSerializer):
    status = serializers.ChoiceField(choices=Coding.Status.choices)
    seconds = serializers.IntegerField(help_text="time at work on this text so far")


class SCUStateSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="the index that its contributors carry")
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    comment = serializers.CharField(allow_blank=True)
    weight = serializers.IntegerField(help_text="how many model summaries contribute to it")
    contributors = StringsField(help_text="their words")


class DescriptionSerializer(serializers.Serializer[Any]):
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    comment = serializers.CharField(allow_blank=True)


class AgainstSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    handed_in = serializers.BooleanField()
    summaries = serializers.IntegerField(help_text="how many model summaries it is of")
    scus = SCUStateSerializer(many=True)


class PyramidStateSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Coding.Kind.choices)
    docset = serializers.CharField()
    one_contributor = serializers.BooleanField()
    words_exclusive = serializers.BooleanField()
    scores_shown = serializers.BooleanField(help_text="whether the page shows the scores of a peer as they change")
    words = SpansField(help_text="the words of the summaries")
    scus = serializers.DictField(child=DescriptionSerializer(), help_text="what you say of your SCUs, by their keys")
    numbers = serializers.DictField(
        child=serializers.IntegerField(), help_text="by the keys of SCUs: the number of each on every page, for good"
    )
    against = AgainstSerializer(allow_null=True, help_text="the pyramid that a peer summary is held against")


class CodingStateSerializer(serializers.Serializer[Any]):
    project = ProjectNameSerializer()
    user = serializers.CharField()
    text = TextStateSerializer()
    scheme = SchemeStateSerializer()
    markables = MarkableStateSerializer(many=True)
    coding = CodingVersionSerializer()
    judgements = serializers.DictField(child=DecisionSerializer())
    pyramid = PyramidStateSerializer(required=False, help_text="where the answers are content units of summaries")


CODER_KINDS = list(PAYLOADS)


class ChangeSerializer(serializers.Serializer[Any]):
    uuid = serializers.UUIDField()
    kind = ChoiceField(choices=CODER_KINDS)
    payload = serializers.DictField()
    made_at = serializers.DateTimeField(allow_null=True, default=None)
    step = serializers.UUIDField(
        allow_null=True, default=None, help_text="the same for operations that are undone together"
    )
    undoes = serializers.UUIDField(allow_null=True, default=None, help_text="the step that this one undoes")


class ChangesSerializer(VersionSerializer):
    operations = ChangeSerializer(many=True, allow_empty=False)


class OperationSerializer(serializers.ModelSerializer[Operation]):
    class Meta:
        model = Operation
        fields = ["sequence", "uuid", "kind", "payload", "step", "undoes", "made_at", "applied_at"]
