"""Markdown written by users, rendered as safe HTML."""

from importlib import import_module

from django.utils.safestring import SafeString, mark_safe

from annotations.help.manuals import make_markdown

# A table whose rows have fewer cells than its head is filled up: a few lines would make a page of megabytes.
MOST_ADDED_CELLS = 1000
vars(import_module("markdown_it.rules_block.table"))["MAX_AUTOCOMPLETED_CELLS"] = MOST_ADDED_CELLS

_MARKDOWN = make_markdown().disable("image")


def render(source: str) -> SafeString:
    html: str = _MARKDOWN.render(source)
    return mark_safe(html)  # noqa: S308
