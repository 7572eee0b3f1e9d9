"""Markdown written by users, rendered as safe HTML."""

from django.utils.safestring import SafeString, mark_safe

from annotations.help.markdown import make_markdown

_MARKDOWN = make_markdown().disable("image")


def render(source: str) -> SafeString:
    """Return the HTML of a Markdown text."""
    html: str = _MARKDOWN.render(source)
    return mark_safe(html)  # noqa: S308
