"""SGML of corpora: tags in running text, scanned in one pass and in time that grows with the text alone.

A bare & is text, and so is a < without a name after it. Attributes come in any order, with quotes of either kind or
none. Comments, declarations and processing instructions are skipped.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from annotations.formats.model.findings import FormatError

MAX_SHOWN_LENGTH = 50
# A < without a name after it is text.
TAG = re.compile(r"<(?:(?P<closing>/)?(?P<name>[A-Za-z][\w.-]*+)(?=[\s/>]|\Z)|(?P<passed>!--|![A-Za-z]|\?))")
TAG_END = re.compile(r"\s*+/?>")
ATTRIBUTE = re.compile(
    r"\s*+(?P<key>[A-Za-z_][\w:.-]*+)"
    r"""(?:\s*+=\s*+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<unquoted>[^\s"'<>]++)))?"""
)
LINE_END = re.compile(r"\r\n?|\n")
ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
IN_TEXT = ("amp", "lt", "gt")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag. Its name and the names of its attributes are in capitals."""

    name: str
    closing: bool
    attributes: Mapping[str, str]
    line: int
    column: int


def scan(text: str, file: str) -> Iterator[Tag | str]:
    """Yield the tags and the text between them. Raises FormatError with line and column on a tag that does not end."""
    line_starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    position = 0
    while (match := TAG.search(text, position)) is not None:
        if match.start() > position:
            yield _decode_entities(text[position : match.start()])
        line = bisect_right(line_starts, match.start())
        column = match.start() - line_starts[line - 1] + 1
        if match["passed"]:
            closing = "-->" if match["passed"] == "!--" else ">"
            end = text.find(closing, match.end())
            if end < 0:
                raise FormatError(f"what begins here is never closed by {closing}", file, line, column)
            position = end + len(closing)
            continue
        try:
            attributes, position = _parse_attributes(text, match.end())
        except ValueError as error:
            raise FormatError(f"the tag {match.group()[:MAX_SHOWN_LENGTH]} {error}", file, line, column) from None
        yield Tag(match["name"].upper(), bool(match["closing"]), attributes, line, column)
    if position < len(text):
        yield _decode_entities(text[position:])


def _parse_attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes of a tag and its end. Raises ValueError with the fault of the tag."""
    attributes: dict[str, str] = {}
    if text.startswith(">", position):
        return attributes, position + 1
    while (end := TAG_END.match(text, position)) is None:
        match = ATTRIBUTE.match(text, position)
        if match is None:
            raise ValueError("is not closed by > (a plain < is written &lt;)")
        key = match["key"].upper()
        if key in attributes:
            raise ValueError(f"has the attribute {key[:MAX_SHOWN_LENGTH]} twice")
        value = match["double"] or match["single"] or match["unquoted"] or ""
        attributes[key] = ENTITY.sub(lambda entity: ENTITIES[entity[1]], value) if "&" in value else value
        position = match.end()
    return attributes, end.end()


def _decode_entities(text: str) -> str:
    if "&" not in text:
        return text
    return ENTITY.sub(lambda entity: ENTITIES[entity[1]] if entity[1] in IN_TEXT else entity[0], text)


def opening_tag(name: str, attributes: Mapping[str, str]) -> str:
    values = {key: escape(value, quote=False).replace('"', "&quot;") for key, value in attributes.items()}
    return f"<{name}{''.join(f' {key}="{value}"' for key, value in values.items())}>"
