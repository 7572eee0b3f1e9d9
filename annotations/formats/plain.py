"""Plain text with markables in square brackets, and plain text.

    #title: A short walk
    [Anna](A=1) took [[her](C=1) dog](B=2) for a walk. [It](D=2|3) was \\[sic\\] fun.

Names, indices, escapes and the lines of the header are described in docs/formats.md.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Stretch
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import Bundle, Format, stem
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH

HEADER = re.compile(r"#(?P<key>[a-z]+):(?P<value>.*)")
HEADERS = ("title", "language", "direction", "turns")
TURN = re.compile(r"(?P<label>\S+)[ \t]+(?:(?P<speaker>\w[^\s:\[\]]{0,98}):[ \t]+)?")
NAME = re.compile(r"\((?P<label>[^()=|\s]{0,50})(?:(?P<coded>=)(?P<indices>[^()=\s]*))?\)")
# A bare index after a bracket, as papers write it.
BARE_INDEX = re.compile(r"_?\d")
MAX_DEPTH = 1000


def read(bundle: Bundle) -> list[Document]:
    """Return the one document of a file. Raises FormatError with file, line and column on bad input."""
    return [parse(decode(bundle.data, bundle.main), bundle.main)]


def read_words(bundle: Bundle) -> list[Document]:
    """Return the file as a document without markables; no character has a special meaning. Raises FormatError."""
    content = decode(bundle.data, bundle.main).rstrip()
    if not content:
        raise FormatError("there is no text in this file", bundle.main, 1)
    return [Document(stem(bundle.main), bundle.main, content, [])]


def parse(marked: str, file: str) -> Document:
    """Return the document of a marked text. Raises FormatError with file, line and column on bad input."""
    lines = marked.split("\n")
    header: dict[str, str] = {}
    first = 0
    while first < len(lines) and (match := HEADER.match(lines[first])):
        first += 1
        if match["key"] not in HEADERS:
            raise FormatError(f"unknown header {match['key']!r}; known are {', '.join(HEADERS)}", file, first, 1)
        if match["key"] in header:
            raise FormatError(f"the header {match['key']!r} is given twice", file, first, 1)
        value = match["value"].strip()
        if match["key"] == "direction" and value not in ("ltr", "rtl"):
            raise FormatError("direction is ltr or rtl", file, first, 1)
        header[match["key"]] = value
    draft = _Draft(file)
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines[first:], start=first + 1):
        if header.get("turns"):
            if line.strip():
                draft.turn(number, line, header["turns"])
        else:
            draft.words(number, line, 0)
            draft.put("\n")
    return draft.build(header)


class _OpenBracket(NamedTuple):
    start: int
    visible: int
    line: int
    column: int


@dataclass(slots=True)
class _Draft:
    """A text that is built line by line."""

    file: str
    content: list[str] = field(default_factory=list)
    length: int = 0
    visible: int = 0
    open: list[_OpenBracket] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    segments: list[Stretch] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    places: set[tuple[str, Parts]] = field(default_factory=set)
    bare_indices: list[int] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)

    def put(self, characters: str) -> None:
        self.content.append(characters)
        self.length += len(characters)
        self.visible += not characters.isspace()

    def turn(self, number: int, line: str, level: str) -> None:
        head = TURN.match(line)
        if head is None or head.end() == len(line):
            raise FormatError("a turn is 'LABEL SPEAKER: words' or 'LABEL words'", self.file, number, 1)
        if len(head["label"]) > MAX_LABEL_LENGTH:
            raise FormatError(f"a turn's label has more than {MAX_LABEL_LENGTH} characters", self.file, number, 1)
        start = self.length
        self.words(number, line, head.end())
        if self.open:
            raise FormatError("the bracket is not closed in its turn", self.file, number, self.open[-1].column)
        self.segments.append(Stretch("turn", start, self.length, head["label"], head["speaker"] or ""))
        self._mark(Mark(((start, self.length),), level=level, label=head["label"], line=number), 1)
        self.put("\n")

    def words(self, number: int, line: str, position: int) -> None:
        while position < len(line):
            character = line[position]
            if character == "\\" and line[position + 1 : position + 2] in ("[", "]", "(", "\\"):
                self.put(line[position + 1])
                position += 2
            elif character == "[":
                if len(self.open) == MAX_DEPTH:
                    raise FormatError(f"brackets nest deeper than {MAX_DEPTH}", self.file, number, position + 1)
                self.open.append(_OpenBracket(self.length, self.visible, number, position + 1))
                position += 1
            elif character == "]":
                position = self._close(number, line, position)
            else:
                self.put(character)
                position += 1

    def _close(self, number: int, line: str, position: int) -> int:
        if not self.open:
            raise FormatError("the bracket ] closes nothing", self.file, number, position + 1)
        opened = self.open.pop()
        if opened.visible == self.visible:
            raise FormatError("a markable without words", self.file, opened.line, opened.column)
        name = NAME.match(line, position + 1)
        unnamed = name is None or name.group() == "()"
        if unnamed and line[position + 1 : position + 2] == "(":
            message = "after ] comes a name such as (A), (A=1) or (=1|2); write \\( for a plain bracket"
            raise FormatError(message, self.file, number, position + 2)
        label = name["label"] if name else ""
        if BARE_INDEX.match(line, position + 1):
            self.bare_indices.append(number)
        if "://" in label:
            self.addresses.append(number)
        answer = None
        if name and name["coded"]:
            answer = Answer(indices=tuple(dict.fromkeys(index for index in name["indices"].split("|") if index)))
            if any(len(index) > MAX_INDEX_LENGTH for index in answer.indices):
                raise FormatError(
                    f"an index has at most {MAX_INDEX_LENGTH} characters", self.file, number, position + 2
                )
        self._mark(Mark(((opened.start, self.length),), label=label, answer=answer, line=opened.line), opened.column)
        return name.end() if name else position + 1

    def _mark(self, mark: Mark, column: int) -> None:
        if mark.label and mark.label in self.labels:
            raise FormatError(f"the name {mark.label} is given twice", self.file, mark.line, column)
        if (mark.level, mark.parts) in self.places:
            raise FormatError("two markables stand on the same words", self.file, mark.line, column)
        self.labels.add(mark.label)
        self.places.add((mark.level, mark.parts))
        self.marks.append(mark)

    def build(self, header: dict[str, str]) -> Document:
        if self.open:
            opened = self.open[0]
            raise FormatError("the bracket [ is never closed", self.file, opened.line, opened.column)
        content = "".join(self.content).removesuffix("\n")
        if not content.strip():
            raise FormatError("there is no text in this file", self.file, 1)
        marks = sorted(self.marks, key=lambda mark: (mark.parts[0][0], -mark.parts[-1][1]))
        links = Links.INDICES if any(mark.answer is not None for mark in marks) else Links.NONE
        findings = []
        if self.bare_indices:
            message = f"{len(self.bare_indices)} brackets have a number behind them, which stays in the text"
            findings.append(Finding("odd-brackets", message, self.file, self.bare_indices[0], "[Anna](=1) is an index"))
        if self.addresses:
            message = f"{len(self.addresses)} markables have an address as their name, as links of Markdown have"
            findings.append(Finding("odd-brackets", message, self.file, self.addresses[0], "the format is text"))
        name, segments = stem(self.file), self.segments
        title, language, direction = (header.get(key, "") for key in ("title", "language", "direction"))
        return Document(name, self.file, content, marks, segments, links, title, language, direction, findings)


FORMAT = Format("plain", "Plain text with [markables]", (".txt",), read, names_levels=True)
TEXT_FORMAT = Format("text", "Plain text", (".txt",), read_words, texts_only=True)
