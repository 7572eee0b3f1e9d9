"""The renderer of Markdown, of the manuals and of what users write."""

from typing import Any

from markdown_it import MarkdownIt


def make_markdown() -> MarkdownIt:
    """Return a renderer of Markdown with tables, which scroll where they are wider than their place.

    HTML in the source is shown as text; the library leaves links with schemes such as javascript: as text.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", _open_table)
    markdown.add_render_rule("table_close", _close_table)
    return markdown


def _open_table(*_: Any) -> str:
    return '<div class="table-scroll"><table>'


def _close_table(*_: Any) -> str:
    return "</table></div>"
