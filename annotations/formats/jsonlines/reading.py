"""Reading JSON lines."""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotations.formats.jsonlines.clusters import LineMarks
from annotations.formats.jsonlines.dialects import (
    BOOKCOREF,
    NAMES,
    Layout,
    count_unread,
    find_layout,
    named_clusters,
    show_unread,
    spans_in,
    to_offset,
)
from annotations.formats.jsonlines.lines import Line, read_objects
from annotations.formats.jsonlines.offsets import Evidence
from annotations.formats.jsonlines.text import LineText
from annotations.formats.model.document import LONGEST_INDEX, Document, Finding, FormatError, Links
from annotations.formats.model.format import Bundle, stem
from annotations.formats.model.slips import LEAVE_OUT

# Keys that hold lists and are read, or looked at, wherever they stand.
READ = ("text", "sent_id", "plurals", "includes", "mentions", "attributes")


def read(bundle: Bundle, offsets: str = "", clusters: str = "", slips: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not such JSON."""
    return list(read_each(bundle.main, io.BytesIO(bundle.data), offsets, clusters, slips))


def read_each(
    file: str, data: Iterable[bytes], offsets: str = "", clusters: str = "", slips: str = ""
) -> Iterator[Document]:
    """Yield the documents of a file, as `read` returns them. data: its lines, each with its end."""
    yield from _Reader(file, offsets, clusters, slips == LEAVE_OUT).read(data)


@dataclass(slots=True)
class _Reader:
    """The lines of a file while they are read. names: the line of each document. told: what is said once."""

    file: str
    offsets: str
    clusters: str
    keeps_going: bool
    names: dict[str, int] = field(default_factory=dict)
    refused: list[FormatError] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def read(self, data: Iterable[bytes]) -> Iterator[Document]:
        last: tuple[Document, list[Finding]] | None = None
        for number, record in read_objects(self.file, data, self._refuse):
            line = Line(self.file, number, record, self.keeps_going)
            try:
                document = self._build(line)
            except FormatError as error:
                self._refuse(error)
                continue
            if last is not None:
                yield last[0]
            last = document, line.findings
        if last is None:
            raise self.refused[0] if self.refused else FormatError("there is no text in this file", self.file, 1)
        # What all lines say is told with the last one.
        document, findings = last
        findings += [
            Finding("slips", error.message, self.file, error.line, "its document is left out", left_out=True)
            for error in self.refused
        ]
        findings += [
            Finding("offsets", message, self.file, None, fix, left_out)
            for evidence in self.evidence.values()
            for message, fix, left_out in evidence.doubts()
        ]
        yield document

    def _refuse(self, error: FormatError) -> None:
        if not self.keeps_going:
            raise error
        self.refused.append(error)

    def _build(self, line: Line) -> Document:
        layout = find_layout(line, self.offsets, self.clusters)
        name, key = self._name(line)
        wanted = name
        while name in self.names:
            name = f"{name}-{line.number}"
        if name != wanted:
            line.report("same-name", f"{key} {wanted} is in line {self.names[wanted]} too", f"called {name}")
        text = LineText(line, layout)
        line_marks = LineMarks(text)
        marks = line_marks.read()
        if layout.reason and layout.reason not in self.told:
            self.told.add(layout.reason)
            line.report("dialect", layout.reason, f"read with offsets={layout.convention}")
        if text.is_elsewhere:
            message = "the line has no 'text': that of the project is taken"
            line.report("text-elsewhere", message, "the words of mentions are not compared with it")
        elif not layout.is_certain or self.offsets:
            has_text = bool(layout.words) and line.record.get("text") is not None
            evidence = self.evidence.setdefault(layout.convention, Evidence(layout.convention))
            evidence.add(text.mentions, text.counted, has_text=has_text)
        unread = self._report_unread(line, layout, text, line_marks)
        line.report_slips()
        segments = text.segments()
        self.names[name] = line.number
        return Document(
            name,
            self.file,
            text.content,
            marks,
            segments,
            Links.INDICES if layout.clusters else Links.NONE,
            findings=line.findings,
            without_text=text.is_elsewhere,
            is_uncoded=not layout.clusters and not unread and not marks,
        )

    def _name(self, line: Line) -> tuple[str, str]:
        """Return the document's name, a slug, or else the file's with the number of the line; and the key of it."""
        key = next((key for key in NAMES if line.record.get(key) is not None), NAMES[0])
        value = line.record.get(key)
        name = str(value) if type(value) is int and key != NAMES[0] else "" if value is None else value
        if not isinstance(name, str):
            raise line.error(f"{key} is not a string")
        if len(name) > LONGEST_INDEX:
            raise line.error(f"{key} has more than {LONGEST_INDEX} characters")
        return re.sub(r"[^\w-]+", "-", name).strip("-") or f"{stem(self.file)}-{line.number}", key

    def _report_unread(self, line: Line, layout: Layout, text: LineText, marks: LineMarks) -> bool:
        """Report the keys that hold spans and are not read; return whether there are any."""
        read = {*READ, layout.words, layout.clusters, f"{layout.clusters}_strings", *_keys_beside(line, layout)}
        unread = count_unread(line.record, read)
        if not marks.listed and (mentions := _count_unlinked(line, layout, text)):
            unread = sorted([*unread, ("mentions", mentions)], key=lambda each: -each[1])
        if not unread:
            return False
        if layout.clusters:
            line.report("unread", f"not read: {show_unread(unread)}", "left out", left_out=True)
        else:
            message = f'no "{self.clusters or "clusters"}"; there are {show_unread(unread)}'
            line.report("unread", message, "left out; clusters=KEY says which are read", left_out=True)
        return True


def _keys_beside(line: Line, layout: Layout) -> Iterator[str]:
    """Yield the keys that are read where others stand beside them."""
    if named_clusters(line.record):
        yield BOOKCOREF
    if "attributes" in line.record:
        yield "relations"
    if layout.words:
        yield from ("speakers", "speaker")


def _count_unlinked(line: Line, layout: Layout, text: LineText) -> int:
    """Return how many of the `mentions` no cluster holds."""
    linked = {(mention.first, mention.last) for mention in text.mentions}
    ends = slice(1, 3) if layout.by_sentence else slice(2)
    mentions = (each for each in spans_in(line.record.get("mentions")) if isinstance(each, list))
    return sum(tuple(to_offset(offset) for offset in each[ends]) not in linked for each in mentions)
