"""Serializers of models that code."""

from __future__ import annotations

from rest_framework import serializers

from annotations.api.serializers.coding import StrictSerializer
from annotations.api.serializers.projects import GROUP, validate_group
from annotations.models import Membership, ModelCoder
from annotations.models.people.model_coder import HASH_LENGTH, VERSION_LENGTH
from annotations.projects.people import model_coders
from annotations.projects.people.tokens import MAX_DAYS

KEY_HELP = "Its API key, which is shown this once: with it a client reads and codes as the model."


class ModelSerializer(serializers.ModelSerializer[ModelCoder]):
    name = serializers.CharField(source="membership.user.username", read_only=True)
    group = serializers.CharField(source="membership.group", read_only=True)

    class Meta:
        model = ModelCoder
        fields = ["name", "version", "hash", "date", "group"]


class NewModelSerializer(StrictSerializer):
    name = serializers.CharField(max_length=150, help_text="A name that no account has.")
    version = serializers.CharField(max_length=VERSION_LENGTH, allow_blank=True, default="")
    hash = serializers.CharField(
        max_length=HASH_LENGTH, allow_blank=True, default="", help_text="A digest of its prompt or of its weights."
    )
    date = serializers.DateField(allow_null=True, default=None, help_text="When it was called or trained.")
    group = serializers.CharField(
        max_length=Membership.GROUP_LENGTH, allow_blank=True, default=model_coders.GROUP, help_text=GROUP
    )

    def validate_group(self, group: str) -> str:
        return validate_group(group)


class NewModelKeySerializer(StrictSerializer):
    days = serializers.IntegerField(min_value=1, max_value=MAX_DAYS, default=90, help_text="Until it expires.")


class ModelKeySerializer(serializers.Serializer[None]):
    key = serializers.CharField(read_only=True, allow_null=True, help_text=KEY_HELP)
    expires_at = serializers.DateTimeField(read_only=True)
