"""Info buttons: what a number, a setting or a column means, at hand."""

from typing import Any

from django import template

from annotations.help.explanations import FILTER_PLACE, PLACES_OF_SETTINGS, address_of, explanation

register = template.Library()


@register.inclusion_tag("annotations/help/info_button.html")
def info_button(at: str, key: str, label: str) -> dict[str, Any]:
    """Return a button with this label that opens the panel of the same key at the same place of the page."""
    start, space, end = label.rpartition(" ")
    return {"id": f"info-{at}-{key}", "start": start + space, "end": end}


@register.inclusion_tag("annotations/help/info_panel.html")
def info_panel(at: str, key: str) -> dict[str, Any]:
    """Return what is said of the key, for the buttons at a place of the page, such as a table. Raises KeyError."""
    return {"id": f"info-{at}-{key}", "explanation": explanation(key)}


@register.inclusion_tag("annotations/help/info.html")
def info(key: str, label: str) -> dict[str, Any]:
    """Return a button with this label and its panel, where both may stand. Raises KeyError."""
    return {"key": key, "label": label}


@register.inclusion_tag("annotations/help/info_sign.html")
def info_sign(key: str, label: str) -> dict[str, Any]:
    """Return a button without words beside what is a link itself, and its panel. Raises KeyError."""
    return {"id": f"info-page-{key}", "key": key, "label": label}


@register.simple_tag
def setting_address(name: str) -> str:
    """Return where a manual tells more about a setting or filter."""
    return address_of(PLACES_OF_SETTINGS.get(name, FILTER_PLACE))
