"""The documents of docs/ that people read inside the application, and the renderer of Markdown."""

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

# The manuals by whom they are for, in the order in which they are read.
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
LISTED_LEVEL = 2  # the deepest headings that the table of contents of a page lists


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it up to the next one. `level` is that of the heading, from 1."""

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
    """Return a renderer of Markdown with tables that scroll where they are wide."""
    # HTML in the source is shown as text; the library leaves links with schemes such as javascript: as text.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div class="table-scroll"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown


def docs_folder() -> Path:
    return Path(settings.BASE_DIR, "docs")


@cache
def manual(name: str) -> Manual:
    """Return a manual. Raises KeyError."""
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
    place = NAMES.index(name)
    before = manual(NAMES[place - 1]) if place else None
    return before, manual(NAMES[place + 1]) if place + 1 < len(NAMES) else None


def _add_anchors(tokens: Sequence[Token]) -> list[Section]:
    """Give each heading an id, as links to it have it, and return the sections."""
    sections: list[Section] = []
    taken: dict[str, int] = {}
    parts: list[str] = []
    heading: tuple[str, str, int] | None = None
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            if heading:
                sections.append(Section(*heading, " ".join(parts)))
            title = plain_text(tokens[place + 1])
            anchor = slug_of_heading(title)
            taken[anchor] = taken.get(anchor, -1) + 1
            if taken[anchor]:
                anchor = f"{anchor}-{taken[anchor]}"
            token.attrSet("id", anchor)
            heading, parts = (anchor, title, int(token.tag[1])), []
        elif token.type in ("inline", "fence", "code_block") and tokens[place - 1].type != "heading_open":
            parts.append(plain_text(token))
    assert heading is not None
    return [*sections, Section(*heading, " ".join(parts))]


def plain_text(token: Token) -> str:
    """Return the words of a token without their markup; of pictures nothing."""
    if token.children is None:
        return token.content
    words = [child for child in token.children if child.type != "image"]
    return "".join(" " if child.type in ("softbreak", "hardbreak") else child.content for child in words)


def slug_of_heading(title: str) -> str:
    """Return the anchor of a heading: small letters and digits, a hyphen for each blank, without other signs."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def _rewrite_address(token: Token) -> None:
    """Let a link to another manual lead to its page, and a picture to its file; name other files without a link."""
    if token.type == "image":
        name = PurePosixPath(str(token.attrGet("src"))).name
        if not (docs_folder() / "images" / name).exists():  # not all are installed everywhere
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
