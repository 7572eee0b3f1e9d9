"""Form fields."""

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotations.core.text import is_storable

# Longer lists of choices would let a page grow with the project.
MAX_CHOICES = 100
MAX_NAMED = 5
# Names typed at once, as databases limit the size of a query.
MAX_NAMES = 5_000


class ModelCheckboxField(forms.ModelMultipleChoiceField[Any]):
    """A field to choose several rows, each with a checkbox."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        error = forms.ValidationError("No such row.", code="invalid_choice")
        if isinstance(value, list) and not all(is_storable(str(entry)) for entry in value):
            raise error
        _refuse_too_many(value or ())
        try:
            return super().clean(value)
        except OverflowError:
            raise error from None


def field_of[F: forms.Field](form: forms.BaseForm, name: str, kind: type[F]) -> F:
    """Return the field of a form, checked to be of this type."""
    field = form.fields[name]
    assert isinstance(field, kind)
    return field


def are_many(choices: Sized) -> bool:
    """Return whether the choices are too many for a list on a page."""
    return len(choices) > MAX_CHOICES


class BoundedSelect(forms.Select):
    """A list to choose from; with more than MAX_CHOICES a text field that suggests the first ones.

    Values are names that people know from elsewhere, such as the addresses of texts.
    """

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        value = super().value_from_datadict(data, files, name)
        return value.strip() if isinstance(value, str) else value

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        choices = list(self.choices)
        if not are_many(choices):
            return super().render(name, value, attrs, renderer)
        options = [choice for choice in choices if choice[0] not in ("", None)]
        return render_suggestions(name, value, options, {**self.attrs, **(attrs or {})})


def render_suggestions(
    name: str, value: Any, options: Sequence[Any], attrs: Mapping[str, Any], everything: str = ""
) -> SafeString:
    """Return a text field that suggests the first of many options, which are pairs of value and label.

    `everything` is the meaning of an empty value.
    """
    list_id = f"{attrs.get('id') or name}-choices"
    return format_html(
        '<input type="text" name="{}" value="{}" list="{}" autocomplete="off" placeholder="{}"{}>'
        '<datalist id="{}">{}</datalist>',
        name,
        "" if value is None else value,
        list_id,
        f"{everything}, or one of {len(options)}" if everything else f"one of {len(options)} names",
        flatatt(dict(attrs)),
        list_id,
        format_html_join("", '<option value="{}">{}</option>', options[:MAX_CHOICES]),
    )


class BoundedCheckboxes(forms.CheckboxSelectMultiple):
    """A checkbox for each choice; with more than MAX_CHOICES a field for names, separated by spaces or lines."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        if len(self.choices) <= MAX_CHOICES:  # type: ignore[arg-type]
            return super().render(name, value, attrs, renderer)
        return format_html(
            '<textarea name="{}" rows="3" aria-label="Names" placeholder="{}"{}>{}</textarea>',
            name,
            f"{len(self.choices)} to choose from: names, with spaces or lines between",  # type: ignore[arg-type]
            flatatt({**self.attrs, **(attrs or {})}),
            "\n".join(map(str, value or ())),
        )

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        values = super().value_from_datadict(data, files, name)
        return split_names(values) if isinstance(values, list) else values


class _BoundedChoice(forms.ModelChoiceField[Any]):
    """A choice of rows; of more than MAX_CHOICES, by names that are values of the field `names`."""

    many: type[forms.Widget]
    is_bounded = False

    def __init__(self, names: str, **kwargs: Any) -> None:
        super().__init__(None, **kwargs)
        self.names = names

    def choose_from(self, rows: QuerySet[Any]) -> None:
        """Set the rows to choose from. One query."""
        listed = list(rows[: MAX_CHOICES + 1])
        self.is_bounded = len(listed) > MAX_CHOICES
        if self.is_bounded:
            self.to_field_name, self.widget = self.names, self.many()
        self.queryset = rows
        if not self.is_bounded:
            nothing = [] if self.empty_label is None else [("", self.empty_label)]
            self.choices = [*nothing, *((self.prepare_value(row), self.label_from_instance(row)) for row in listed)]


class BoundedModelField(_BoundedChoice):
    """A field to choose a row from a list; with many rows, by name."""

    many = BoundedSelect


class BoundedModelCheckboxes(_BoundedChoice, ModelCheckboxField):
    """A field to choose several rows by checkboxes; with many rows, by name."""

    many = BoundedCheckboxes


class NamesField(forms.CharField):
    """Rows by their slugs, separated by spaces, commas or lines; the value is a list of rows."""

    widget = forms.Textarea({"rows": 3})

    def __init__(self, queryset: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.queryset = queryset

    def clean(self, value: Any) -> list[Any]:
        names = split_names([super().clean(value)])
        _refuse_too_many(names)
        by_slug = {row.slug: row for row in self.queryset.filter(slug__in=names)}
        if missing := [name for name in names if name not in by_slug]:
            more = f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
            raise forms.ValidationError(
                f"There is no {', '.join(missing[:MAX_NAMED])}{more}: see their addresses in the list.",
                code="invalid_choice",
            )
        return [by_slug[name] for name in names]


def split_names(values: Iterable[str]) -> list[str]:
    """Return the distinct names in values that may each contain several, separated by white space or commas."""
    return list(dict.fromkeys(name for value in values for name in re.split(r"[\s,]+", str(value)) if name))


def _refuse_too_many(names: Sized) -> None:
    if len(names) > MAX_NAMES:
        raise forms.ValidationError(f"Name at most {MAX_NAMES:,} at once: these are {len(names):,}.")
