"""Fields with a set of choices, whose errors list them: in serializers, and in forms and filters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from rest_framework import serializers

# Of names, of which a project may have any number.
MOST_LISTED = 50
LONGEST_VALUE = 100


def choices_message(value: object, choices: Iterable[object]) -> str:
    """Return the error of a value that is none of the choices."""
    listed = list(islice((text for one in choices if (text := str(one))), MOST_LISTED + 1))
    if not listed:
        return f"{repr(value)[:LONGEST_VALUE]} is none here: there are none yet."
    more = ", …" if len(listed) > MOST_LISTED else ""
    return f"{repr(value)[:LONGEST_VALUE]} is not one of {', '.join(listed[:MOST_LISTED])}{more}."


class ChoiceField(serializers.ChoiceField):
    """A field of a request with a set of choices, which its error lists."""

    def fail(self, key: str, **kwargs: Any) -> Any:
        """Raise ValidationError."""
        if key == "invalid_choice":
            raise serializers.ValidationError(choices_message(kwargs["input"], self.choices), code=key)
        super().fail(key, **kwargs)


def form_errors(form: forms.BaseForm) -> dict[str, list[str]]:
    """Return the messages of a form that is not valid by field, with the choices where there is none of that name."""
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
    """Return the values that a field takes: of rows what they are named by. None where there is no set of them."""
    if isinstance(field, forms.ModelChoiceField):
        rows = cast(QuerySet[Any, Any], field.queryset)
        name = field.to_field_name or "pk"
        return rows.order_by(name).values_list(name, flat=True)[: MOST_LISTED + 1]
    if isinstance(field, forms.ChoiceField):
        return [key for key, _ in field.choices]  # type: ignore[union-attr, misc]
    return None
