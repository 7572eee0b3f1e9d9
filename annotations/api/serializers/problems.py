"""Serializers of problems, for the schema: `annotations/api/http/problems.py` writes them."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema_field
from rest_framework import serializers

from annotations.api.http.problems import CONTENT_TYPE, TITLES
from annotations.api.serializers.coding import OperationSerializer


@extend_schema_field(
    {"type": "object", "additionalProperties": {"anyOf": [{"type": "array", "items": {}}, {"type": "object"}]}}
)
class ErrorsField(serializers.JSONField):
    """Messages by field name; in nested fields, by the name or number of the part."""


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem (RFC 9457). Its `code` is stable, its words are not."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()


class SchemeProblemSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField(allow_blank=True, help_text="level, category, relation, attribute, answers or merge")
    question = serializers.CharField(allow_blank=True, help_text="its key")
    path = serializers.CharField(allow_blank=True, help_text="where it is in the JSON, such as `attributes[2]`")
    message = serializers.CharField()


class SchemeViolationSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    question = serializers.CharField()
    text = serializers.CharField(help_text="the address of a text")
    title = serializers.CharField(help_text="its title")
    judgements = serializers.IntegerField()
    coders = serializers.IntegerField()


class InvalidSerializer(ProblemSerializer):
    """An invalid request."""

    errors: Any = ErrorsField(required=False, help_text="with the code `invalid`: sentences by the names of fields")
    operation = serializers.IntegerField(
        required=False, allow_null=True, help_text="which operation of a batch was refused, from 0; null: all of it"
    )
    scheme_version = serializers.IntegerField(required=False, help_text="the present one, where operations are refused")
    problems = SchemeProblemSerializer(many=True, required=False, help_text="with the code `invalid_scheme`")
    violations = SchemeViolationSerializer(many=True, required=False, help_text="texts with answers that do not fit")


class ConflictSerializer(ProblemSerializer):
    """A conflict; with the code `stale`, others have changed the coding since."""

    version = serializers.IntegerField(required=False, help_text="how many operations the coding has")
    missed = OperationSerializer(many=True, required=False, help_text="those after the version that was sent")


CONFLICT: dict[Any, Any] = {(409, CONTENT_TYPE): OpenApiResponse(ConflictSerializer, TITLES[409])}
