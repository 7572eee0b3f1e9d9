"""Markdown written by users, rendered as safe HTML."""

from importlib import import_module

from django.utils.safestring import SafeString, mark_safe

from annotations.help.manuals import make_markdown

# The parser pads short rows of tables: without a limit a few lines would become a page of megabytes.
MAX_ADDED_CELLS = 1000
vars(import_module("markdown_it.rules_block.table"))["MAX_AUTOCOMPLETED_CELLS"] = MAX_ADDED_CELLS

_MARKDOWN = make_markdown().disable("image")


def render(source: str) -> SafeString:
    html: str = _MARKDOWN.render(source)
    return mark_safe(html)  # noqa: S308
