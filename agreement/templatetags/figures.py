"""How figures are shown: rounded for the eye, whole for the machine."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def figure(value: float | None) -> SafeString:
    """A coefficient with four decimals; the <data> element carries every digit. None is undefined."""
    if value is None:
        return format_html('<span class="{}">undefined</span>', "quiet")
    return format_html('<data value="{}">{}</data>', repr(value), f"{value:.4f}".replace("-", "\N{MINUS SIGN}"))


@register.filter
def percent(share: float) -> SafeString:
    """A share from 0 to 1 as whole percent, with one decimal below ten."""
    hundredths = share * 100
    text = f"{hundredths:.1f}%" if 0 < hundredths < 9.95 else f"{hundredths:.0f}%"
    return format_html('<data value="{}">{}</data>', repr(share), text)


@register.filter
def readable(name: str) -> str:
    """An option's name in words."""
    return name.replace("_", " ")
