"""Serializers of requests: strict about unknown fields, derived from forms, with errors that list the choices."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from rest_framework import serializers

# Limits of error messages: a project may have any number of names.
MAX_LISTED = 50
MAX_VALUE_LENGTH = 100


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields, so that nobody believes that they had an effect."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            names = [name for name, field in self.fields.items() if not field.read_only]
            unknown = [str(name) for name in data if name not in names]
            if unknown:
                message = f"This is no field here; there are {', '.join(names)}."
                raise serializers.ValidationError({name: [message] for name in unknown})
        return super().to_internal_value(data)


def validated(serializer: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    """Return the validated fields. Raise ValidationError by field."""
    serializer.is_valid(raise_exception=True)
    return cast(dict[str, Any], serializer.validated_data)


def choices_message(value: object, choices: Iterable[object]) -> str:
    """Return the error message for a value that is not among the choices."""
    listed = list(islice((text for choice in choices if (text := str(choice))), MAX_LISTED + 1))
    if not listed:
        return f"{repr(value)[:MAX_VALUE_LENGTH]} is none here: there are none yet."
    more = ", …" if len(listed) > MAX_LISTED else ""
    return f"{repr(value)[:MAX_VALUE_LENGTH]} is not one of {', '.join(listed[:MAX_LISTED])}{more}."


class StringsField(serializers.ListField):
    """A list of names, keys or words."""

    child = serializers.CharField()


class ChoiceField(serializers.ChoiceField):
    """A field of a request with a set of choices, which its error lists."""

    def fail(self, key: str, **kwargs: Any) -> Any:
        """Raise ValidationError."""
        if key == "invalid_choice":
            raise serializers.ValidationError(choices_message(kwargs["input"], self.choices), code=key)
        super().fail(key, **kwargs)


# The serializer field for each form field, and the attributes that both have.
KINDS: Mapping[type[forms.Field], type[serializers.Field[Any, Any, Any, Any]]] = {
    forms.BooleanField: serializers.BooleanField,
    forms.CharField: serializers.CharField,
    forms.ChoiceField: ChoiceField,
    forms.DateField: serializers.DateField,
    forms.EmailField: serializers.EmailField,
    forms.FloatField: serializers.FloatField,
    forms.IntegerField: serializers.IntegerField,
    forms.SlugField: serializers.SlugField,
}
BOUNDS = ("choices", "max_length", "min_value", "max_value")


def from_form(form: type[forms.Form | forms.ModelForm[Any]], name: str, **options: Any) -> Any:
    """Return the serializer field for a form field: of the same kind, with its choices, length and bounds.

    `options` are arguments of the serializer field and override those of the form.
    """
    field = form.base_fields[name]
    kind = next(KINDS[base] for base in type(field).__mro__ if base in KINDS)
    bounds = {bound: value for bound in BOUNDS if (value := getattr(field, bound, None)) is not None}
    return kind(**{**bounds, **options})


def form_errors(form: forms.BaseForm) -> dict[str, list[str]]:
    """Return the messages of an invalid form by field, with the choices if the value is not one of them."""
    return {
        name: [message for error in errors for message in _messages(form.fields.get(name), error)]
        for name, errors in form.errors.as_data().items()
    }


def _messages(field: forms.Field | None, error: Any) -> list[str]:
    choices = _choices_of(field) if error.code in ("invalid_choice", "invalid_pk_value") else None
    if choices is None:
        return [str(message) for message in error.messages]
    params = error.params or {}
    return [choices_message(params.get("value", params.get("pk", "")), choices)]


def _choices_of(field: forms.Field | None) -> Iterable[object] | None:
    """Return the values that a field admits (for rows, their names); None if the field has no fixed choices."""
    if isinstance(field, forms.ModelChoiceField):
        rows = cast(QuerySet[Any, Any], field.queryset)
        name = field.to_field_name or "pk"
        return rows.order_by(name).values_list(name, flat=True)[: MAX_LISTED + 1]
    if isinstance(field, forms.ChoiceField):
        return [key for key, _ in field.choices]  # type: ignore[union-attr, misc]
    return None
