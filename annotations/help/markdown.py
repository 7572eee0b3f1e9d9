"""The renderer of Markdown, of the manuals and of what users write."""

from markdown_it import MarkdownIt


def make_markdown() -> MarkdownIt:
    """Return a renderer of Markdown with tables, which scroll where they are wider than their place.

    HTML in the source is shown as text; the library leaves links with schemes such as javascript: as text.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div class="table-scroll"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown
