"""Serializers of projects, their schemes, members and invitations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotations.api.serializers.coding import SchemeStateSerializer
from annotations.api.serializers.requests import ChoiceField, StrictSerializer
from annotations.models import Project, SchemeVersion
from annotations.models.guidelines import MAX_GUIDELINES
from annotations.models.project import DATASHEET_FIELDS, KEY_LENGTH, TITLE_LENGTH
from annotations.schemes.ready_made import SCHEMES


class NewProjectSerializer(StrictSerializer):
    slug = serializers.SlugField(max_length=KEY_LENGTH)
    title = serializers.CharField(max_length=200)
    scheme = ChoiceField(list(SCHEMES), help_text="A ready-made scheme.")
    guidelines = serializers.CharField(allow_blank=True, default="", max_length=MAX_GUIDELINES, help_text="Markdown")
    coders_mark = serializers.BooleanField(default=False, help_text="Coders create markables.")


class ProjectChangesSerializer(StrictSerializer, serializers.ModelSerializer[Project]):
    guidelines = serializers.CharField(allow_blank=True, max_length=MAX_GUIDELINES, help_text="Markdown")

    class Meta:
        model = Project
        fields = ["title", "guidelines", "results_open", "one_contributor", "words_exclusive", "scores_shown"]
        fields += DATASHEET_FIELDS


class CloneSerializer(StrictSerializer):
    slug = serializers.SlugField(max_length=KEY_LENGTH)
    title = serializers.CharField(max_length=TITLE_LENGTH)
    texts = serializers.BooleanField(default=False, help_text="Copy the texts too, without what coders did.")


class SchemeChangesSerializer(StrictSerializer):
    coders_mark = serializers.ListField(
        child=serializers.CharField(), help_text="The coded levels whose markables coders mark themselves: all of them."
    )


class SchemeSerializer(SchemeStateSerializer):
    pass


class MergeSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(help_text="`category`, or the key of an attribute")
    value = serializers.CharField(help_text="the value or category that is left out or retired")
    into = serializers.CharField(help_text="the one that its judgements get")


class SchemeDocumentSerializer(serializers.Serializer[Any]):
    """A scheme as a file has it, which is a response without `constraints`, and what is merged by the change."""

    answers = serializers.ChoiceField(choices=Project.Answers.choices)
    levels = serializers.ListField(child=serializers.DictField())
    categories = serializers.ListField(child=serializers.DictField())
    relations = serializers.ListField(child=serializers.DictField(), required=False)
    attributes = serializers.ListField(child=serializers.DictField(), required=False)
    merges = MergeSerializer(many=True, required=False)


class SchemeProblemSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField(allow_blank=True, help_text="level, category, relation, attribute, answers or merge")
    question = serializers.CharField(allow_blank=True, help_text="its key")
    path = serializers.CharField(allow_blank=True, help_text="where it is in the JSON, such as `attributes[2]`")
    message = serializers.CharField()


class SchemeEffectSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    question = serializers.CharField()
    change = serializers.CharField(help_text="a sentence")
    judgements = serializers.IntegerField()
    texts = serializers.IntegerField()
    coders = serializers.IntegerField()


class SchemeViolationSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    question = serializers.CharField()
    text = serializers.CharField(help_text="the address of a text")
    title = serializers.CharField(help_text="its title")
    judgements = serializers.IntegerField()
    coders = serializers.IntegerField()


class SchemePreviewSerializer(serializers.Serializer[Any]):
    problems = SchemeProblemSerializer(many=True, help_text="With one of them the scheme is refused.")
    effects = SchemeEffectSerializer(many=True, help_text="What is merged or retired, and how often it was given.")
    violations = SchemeViolationSerializer(many=True, help_text="Texts with answers that would not be allowed.")
    changes = serializers.BooleanField(help_text="It differs from the present scheme.")
    asks_otherwise = serializers.BooleanField(help_text="It differs in more than words and order.")


class SchemeVersionSerializer(serializers.ModelSerializer[SchemeVersion]):
    author = serializers.CharField(source="author.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = SchemeVersion
        fields = ["number", "author", "created_at"]
