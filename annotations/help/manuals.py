"""The documents of docs/ that the application shows, and the Markdown renderer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# The manuals by audience, in reading order.
GROUPS = (
    ("First steps", ("first-steps",)),
    ("Coding", ("coding", "pyramids")),
    (
        "Managing a project",
        ("managing", "own-scheme", "dashboards", "docsets", "formats", "coming-from-mmax2-brat-inception"),
    ),
    ("Research", ("from-csv-to-paragraph", "corpora", "measures", "comparison", "tools", "api", "client", "r")),
    ("Running a server", ("deploy", "scale", "security")),
    ("Reference", ("design", "glossary")),
)
NAMES = tuple(name for _, names in GROUPS for name in names)
LISTED_LEVEL = 2  # the deepest heading level in the table of contents of a page


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text up to the next heading; `level` is 1 for the top heading."""

    anchor: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Manual:
    name: str
    title: str
    html: SafeString
    sections: Sequence[Section]

    @property
    def contents(self) -> list[Section]:
        return [section for section in self.sections if 1 < section.level <= LISTED_LEVEL]


def make_markdown() -> MarkdownIt:
    """Return a Markdown renderer whose wide tables scroll."""
    # HTML in the source is shown as text; the library does not link schemes such as javascript:.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div class="table-scroll"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown


def docs_folder() -> Path:
    return Path(settings.BASE_DIR, "docs")


@cache
def manual(name: str) -> Manual:
    """Return a manual by its name. Raise KeyError."""
    if name not in NAMES:
        raise KeyError(name)
    markdown = make_markdown()
    tokens = markdown.parse((docs_folder() / f"{name}.md").read_text(encoding="utf-8"))
    sections = _add_anchors(tokens)
    for token in tokens:
        for child in token.children or ():
            _rewrite_address(child)
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return Manual(name, sections[0].title, mark_safe(html), sections)  # noqa: S308


def neighbours(name: str) -> tuple[Manual | None, Manual | None]:
    index = NAMES.index(name)
    before = manual(NAMES[index - 1]) if index else None
    return before, manual(NAMES[index + 1]) if index + 1 < len(NAMES) else None


def _add_anchors(tokens: Sequence[Token]) -> list[Section]:
    """Give each heading the id that links to it use, and return the sections."""
    sections: list[Section] = []
    taken: dict[str, int] = {}
    parts: list[str] = []
    heading: tuple[str, str, int] | None = None
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            if heading:
                sections.append(Section(*heading, " ".join(parts)))
            title = plain_text(tokens[index + 1])
            anchor = slug_of_heading(title)
            taken[anchor] = taken.get(anchor, -1) + 1
            if taken[anchor]:
                anchor = f"{anchor}-{taken[anchor]}"
            token.attrSet("id", anchor)
            heading, parts = (anchor, title, int(token.tag[1])), []
        elif token.type in ("inline", "fence", "code_block") and tokens[index - 1].type != "heading_open":
            parts.append(plain_text(token))
    assert heading is not None
    return [*sections, Section(*heading, " ".join(parts))]


def plain_text(token: Token) -> str:
    """Return the words of a token without markup and pictures."""
    if token.children is None:
        return token.content
    words = [child for child in token.children if child.type != "image"]
    return "".join(" " if child.type in ("softbreak", "hardbreak") else child.content for child in words)


def slug_of_heading(title: str) -> str:
    """Return the anchor of a heading: lower-case letters and digits, hyphens for blanks, no other characters."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def _rewrite_address(token: Token) -> None:
    """Point a link to a manual at its page, and a picture at its URL; turn links to other files into text."""
    if token.type == "image":
        name = PurePosixPath(str(token.attrGet("src"))).name
        if not (docs_folder() / "images" / name).exists():  # some installations lack pictures
            token.type, token.content = "text", f"(A picture that is not installed here: {token.content})"
            return
        token.attrSet("src", reverse("help-image", args=[name]))
        token.attrSet("loading", "lazy")
    elif token.type == "link_open":
        path, _, anchor = str(token.attrGet("href")).partition("#")
        name = path.removesuffix(".md")
        if path and "://" not in path:
            if name not in NAMES:
                token.attrs.pop("href")
            else:
                token.attrSet("href", reverse("help-manual", args=[name]) + (f"#{anchor}" if anchor else ""))
