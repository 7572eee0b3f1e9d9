"""Serializers for the schema of the API, made of the dataclasses of reports."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAliasType, Union, get_args, get_origin

from rest_framework import serializers

from agreement.reports.fields import FLAT, WHERE_THERE, SchemeDocument, given_fields
from agreement.reports.request.parameters import CHOICES, GROUPS, HELP, PRESETS, QUESTION, SELECTIONS, Parameters
from annotations.api.lists import PartSerializer
from annotations.api.schemes import SchemeDocumentSerializer

type Fields = dict[str, serializers.Field[Any, Any, Any, Any]]


class ParametersSerializer(serializers.Serializer[Any]):
    """How a figure was computed."""

    def get_fields(self) -> Fields:
        choices = {
            name: serializers.ChoiceField(choices=choices, required=False, help_text=HELP[name])
            for name, choices in CHOICES.items()
        }
        names = (QUESTION, *SELECTIONS)
        return {**choices, **{name: serializers.CharField(required=False, help_text=HELP[name]) for name in names}}


class AnalysisQuerySerializer(ParametersSerializer):
    """Without a parameter: as the project's pages open. What is named takes the place of its convention's."""

    def get_fields(self) -> Fields:
        preset = serializers.ChoiceField(choices=list(PRESETS), required=False, help_text="A paper's convention.")
        groups = serializers.CharField(required=False, help_text=HELP[GROUPS])
        return {"preset": preset, **super().get_fields(), GROUPS: groups}


FIELDS: Mapping[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    date: serializers.DateField,
    Any: serializers.JSONField,
    Parameters: ParametersSerializer,
    SchemeDocument: SchemeDocumentSerializer,
}


@cache
def serializer_of(report: type, *, in_pages: bool = False) -> type[serializers.Serializer[Any]]:
    """Return the serializer of a report; `in_pages`: of which some rows come in pages."""
    base = PartSerializer if in_pages else serializers.Serializer
    name = getattr(report, "component", report.__name__)
    own = {**_fields_of(report), "__doc__": report.__doc__}
    made: type[serializers.Serializer[Any]] = type(f"{name}Serializer", (base,), own)
    return made


def _fields_of(report: Any) -> Fields:
    made: Fields = {}
    for field in given_fields(report):
        own = [mark for mark in field.marks if isinstance(mark, serializers.Field)]
        words = [mark for mark in field.marks if isinstance(mark, str)]
        options: dict[str, Any] = {"help_text": words[0]} if words else {}
        if field.is_marked(FLAT):
            made |= _fields_of(field.type)
        elif own:
            made[field.name] = own[0]
        elif field.is_marked(WHERE_THERE):
            made[field.name] = _field_of(field.type, nullable=False, required=False, **options)
        else:
            made[field.name] = _field_of(field.type, **options)
    return made


def _field_of(hint: Any, *, nullable: bool = True, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field of a type; what is left out where it is None is not `nullable`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        [hint] = (one for one in parts if one is not NoneType)
        return _field_of(hint, **options, **({"allow_null": True} if nullable else {}))
    if hint in FIELDS:
        return FIELDS[hint](**options)
    if isinstance(hint, TypeAliasType):
        return _field_of(hint.__value__, **options)
    if is_dataclass(hint):
        return serializer_of(hint)(**options)  # type: ignore[arg-type]
    if issubclass(origin, Mapping):
        return serializers.DictField(child=_field_of(parts[1]), **options)
    if is_dataclass(parts[0]):
        return serializer_of(parts[0])(many=True, **options)  # type: ignore[arg-type]
    return serializers.ListField(child=_field_of(parts[0]), **options)
