"""What the domain refuses (ValidationError), shown on pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest


@contextmanager
def refused_at(form: forms.BaseForm, field: str | None = None) -> Iterator[None]:
    """Show what the block refuses at the fields of the form, else at this one or above, and go on after the block."""
    try:
        yield
    except ValidationError as error:
        if hasattr(error, "error_dict"):
            for name, texts in error.message_dict.items():
                form.add_error(name if name in form.fields else field, texts)
        else:
            form.add_error(field, error.messages)


@contextmanager
def refused_to(request: HttpRequest) -> Iterator[None]:
    """Show what the block refuses as a message on the next page, and go on after the block."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
