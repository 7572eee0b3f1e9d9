"""SGML as corpora have it: tags in running text, scanned in one pass and in time that grows with the text alone.

A bare & stands for itself, and so does a < where no name follows it. Attributes come in any order, with quotes of
either kind or without. Comments, declarations and processing instructions are passed over.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotations.formats.document import FormatError

LONGEST_SHOWN = 50
TAG = re.compile(r"<(?:(?P<closing>/)?(?P<name>[A-Za-z][\w.-]*+)(?=[\s/>]|\Z)|(?P<passed>!--|![A-Za-z]|\?))")
TAG_END = re.compile(r"\s*+/?>")
ATTRIBUTE = re.compile(
    r"\s*+(?P<key>[A-Za-z_][\w:.-]*+)"
    r"""(?:\s*+=\s*+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'<>]++)))?"""
)
LINE_END = re.compile(r"\r\n?|\n")
ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
IN_TEXT = ("amp", "lt", "gt")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag; its name and the names of its attributes in capitals."""

    name: str
    closing: bool
    attributes: Mapping[str, str]
    line: int
    column: int


def scanned(text: str, file: str) -> Iterator[Tag | str]:
    """The tags and the text between them. Raises FormatError with line and column on a tag that does not end."""
    line_starts = [0, *(found.end() for found in LINE_END.finditer(text))]
    position = 0
    while (found := TAG.search(text, position)) is not None:
        if found.start() > position:
            yield _decoded(text[position : found.start()])
        line = bisect_right(line_starts, found.start())
        column = found.start() - line_starts[line - 1] + 1
        if found["passed"]:
            closing = "-->" if found["passed"] == "!--" else ">"
            end = text.find(closing, found.end())
            if end < 0:
                raise FormatError(f"what begins here is never closed by {closing}", file, line, column)
            position = end + len(closing)
            continue
        try:
            attributes, position = _attributes(text, found.end())
        except ValueError as error:
            raise FormatError(f"the tag {found.group()[:LONGEST_SHOWN]} {error}", file, line, column) from None
        yield Tag(found["name"].upper(), bool(found["closing"]), attributes, line, column)
    if position < len(text):
        yield _decoded(text[position:])


def _attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag and where it ends. Raises ValueError saying what is wrong with the tag."""
    attributes: dict[str, str] = {}
    if text.startswith(">", position):
        return attributes, position + 1
    while (end := TAG_END.match(text, position)) is None:
        found = ATTRIBUTE.match(text, position)
        if found is None:
            raise ValueError("is not closed by > (a plain < is written &lt;)")
        key = found["key"].upper()
        if key in attributes:
            raise ValueError(f"has the attribute {key[:LONGEST_SHOWN]} twice")
        value = found["double"] or found["single"] or found["bare"] or ""
        attributes[key] = ENTITY.sub(lambda entity: ENTITIES[entity[1]], value) if "&" in value else value
        position = found.end()
    return attributes, end.end()


def _decoded(text: str) -> str:
    if "&" not in text:
        return text
    return ENTITY.sub(lambda entity: ENTITIES[entity[1]] if entity[1] in IN_TEXT else entity[0], text)


def escaped(text: str) -> str:
    """Text as it is written between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def opening(name: str, attributes: Mapping[str, str]) -> str:
    """The tag that opens an element."""
    values = {key: escaped(value).replace('"', "&quot;") for key, value in attributes.items()}
    return f"<{name}{''.join(f' {key}="{value}"' for key, value in values.items())}>"
