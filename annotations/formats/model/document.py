"""What a reader makes of files and a writer makes files of."""

import codecs
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypedDict

from annotations.formats.model import judgement
from annotations.formats.model.encodings import guess_utf_16, suggest_encoding
from annotations.formats.model.judgement import targets_of as targets_of
from annotations.formats.model.scheme import SchemeSpec

# Longer names are refused: those of entities, of markables and turns, of speakers.
LONGEST_INDEX = 200
LONGEST_LABEL = 50
LONGEST_SPEAKER = 100

Parts = tuple[tuple[int, int], ...]


class Place(NamedTuple):
    """Where a markable stands, which names it in its document: no two have equal level and parts."""

    level: str
    parts: Parts


type Readings = judgement.Readings[Place]


class Links(StrEnum):
    """How the answers of a document say what goes together."""

    NONE = "none"  # they do not: categories alone, or no answers at all
    INDICES = "indices"  # equal names of entities
    POINTERS = "pointers"  # each names its antecedents


class FormatError(ValueError):
    """Bad input, with the file and, where there is one, the line and column (both from 1)."""

    def __init__(self, message: str, file: str, line: int | None = None, column: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}")
        self.message = message
        self.file = file
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Finding:
    """Something odd in a file that does not keep it from being read."""

    code: str
    message: str
    file: str
    line: int | None = None
    fix: str = ""  # what was or can be done
    left_out: bool = False  # whether something that its coder has said was not read

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}{f' ({self.fix})' if self.fix else ''}"


@dataclass(slots=True)
class Findings:
    """What is odd in a file. most: how many findings are listed. code: of findings that name none."""

    file: str
    _: KW_ONLY
    most: int = 500
    code: str = "more-findings"
    noun: str = "findings"
    findings: list[Finding] = field(default_factory=list)
    n_unlisted: int = 0

    def add(
        self,
        message: str,
        line: int | None = None,
        fix: str = "",
        *,
        code: str = "",
        file: str = "",
        left_out: bool = False,
    ) -> None:
        """Add a finding, or count it where there are too many."""
        if len(self.findings) < self.most:
            self.findings.append(Finding(code or self.code, message, file or self.file, line, fix, left_out))
        else:
            self.n_unlisted += 1

    def listed(self) -> tuple[Finding, ...]:
        """Return the findings, with a last one that counts those that are not listed."""
        more = Finding(self.code, f"{self.n_unlisted} more {self.noun} are not listed", self.file)
        return (*self.findings, *([more] if self.n_unlisted else []))


# Nothing changes a stretch or mark: as judgements, they are not frozen for speed.
@dataclass(slots=True, unsafe_hash=True)
class Stretch:
    """A stretch `[start, end)` of the content that is shown as such: a turn, sentence, paragraph, header."""

    kind: str
    start: int
    end: int
    label: str = ""
    speaker: str = ""


@dataclass(slots=True, unsafe_hash=True, kw_only=True)
class Answer(judgement.JudgementData[Place]):
    """What the coder of a file says of a markable; relations, attributes and values have the names of the file."""

    category: str = ""  # its key in the scheme; empty where the file names none: then it follows from the links
    pointers: tuple[Place, ...] = ()  # its antecedents; several say that it is ambiguous
    readings: Readings = ()  # all readings, where some antecedents are meant together; else empty: each is a reading

    def with_links(self, category: str, pointers: tuple[Place, ...], indices: tuple[str, ...]) -> "Answer":
        """Return the answer with another category and other links; each pointer is an alternative."""
        return replace(self, category=category, pointers=pointers, indices=indices, readings=())

    def with_readings(self, readings: Readings) -> "Answer":
        """Return the answer with other antecedents, some of which may be meant together."""
        return replace(self, **links_of(readings))

    @property
    def all_readings(self) -> Readings:
        """The readings of the antecedents, also where each antecedent is one."""
        return self.readings or tuple((target,) for target in self.pointers)

    @property
    def alternatives(self) -> tuple[Place, ...]:
        return tuple(reading[0] for reading in self.readings if len(reading) == 1) if self.readings else self.pointers

    def targets(self) -> Iterator[Place]:
        """Yield all that it points at, as often as it is named."""
        yield from self.pointers
        for _, readings in self.relations:
            yield from targets_of(readings)


class ReadingLinks(TypedDict):
    """The fields of an answer that hold its antecedents."""

    pointers: tuple[Place, ...]
    readings: Readings


def links_of(readings: Readings) -> ReadingLinks:
    """Return the antecedents of readings as an answer holds them."""
    plural = any(len(reading) > 1 for reading in readings)
    return {"pointers": tuple(dict.fromkeys(targets_of(readings))), "readings": readings if plural else ()}


def group_readings[Target](rows: Iterable[tuple[Hashable, Target]]) -> judgement.Readings[Target]:
    """Return the readings of targets, each with what its reading has in common; equal ones are one."""
    readings: dict[Hashable, list[Target]] = {}
    for key, target in rows:
        readings.setdefault(key, []).append(target)
    return tuple({frozenset(reading): tuple(reading) for reading in readings.values()}.values())


def number_targets(readings: Readings) -> Iterator[tuple[int, Place]]:
    """Yield targets, each with the number of its reading, from 1; all with 0 where each target is a reading."""
    plural = any(len(reading) > 1 for reading in readings)
    for number, reading in enumerate(readings, start=1):
        for target in reading:
            yield number if plural else 0, target


@dataclass(slots=True, unsafe_hash=True)
class Mark:
    """A markable in a file."""

    parts: Parts  # `[start, end)` pairs in code points of the content, in text order, not touching each other
    level: str = ""  # its level's key; empty for the level that the project codes
    label: str = ""  # a short name that the file gives it
    head: Parts = ()  # the parts of the least words that stand for it (MIN)
    answer: Answer | None = None  # None where the file leaves it uncoded
    line: int | None = None  # where it starts in the file, from 1

    @property
    def place(self) -> Place:
        return Place(self.level, self.parts)

    def with_answer(self, answer: Answer | None) -> "Mark":
        """Return the mark with another answer, many times faster than dataclasses.replace."""
        return Mark(self.parts, self.level, self.label, self.head, answer, self.line)


@dataclass(frozen=True, slots=True)
class Document:
    """One text with what stands in it, as one coder sees it."""

    name: str
    file: str  # the one whose folder or name tells the coder
    content: str
    marks: Sequence[Mark]  # in text order
    segments: Sequence[Stretch] = ()
    links: Links = Links.NONE
    title: str = ""
    language: str = ""
    direction: str = ""
    findings: Sequence[Finding] = ()
    scheme: SchemeSpec | None = None  # where the file says what coders are asked; all documents of an export have it
    without_text: bool = False  # the file does not hold the text, only what is said of it; content is empty
    coder: str = ""  # where the file itself names them
    # Where words and, in a text without sentences and turns, sentences begin or end for formats that are written word
    # by word, besides where marks and segments do; the same for all coders of a text.
    cuts: tuple[int, ...] = ()
    breaks: tuple[int, ...] = ()
    is_uncoded: bool = False  # the file says that nobody has coded it, whoever has coded the others


# A document weighs as much as a few markables, and so many of its characters as one.
WITHOUT_MARKABLES, CHARACTERS = 5, 200


def weigh(document: Document) -> int:
    """Return how much there is to write of a document, in markables."""
    return WITHOUT_MARKABLES + len(document.marks) + len(document.content) // CHARACTERS


def text_order(mark: Mark) -> tuple[int, int, str, Parts]:
    """Return the key by which marks are sorted: earlier starts first; of two that start together the longer."""
    return mark.parts[0][0], -mark.parts[-1][1], mark.level, mark.parts


def decode(data: bytes, file: str) -> str:
    """Return the text of a UTF-8 file, line ends made one. Raises FormatError at a byte that is not UTF-8, or a NUL."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.object is without the byte order mark, and error.start counts from there.
        before = _normalize_line_ends(error.object[: error.start].decode())
        byte = error.object[error.start]
        message = f"this is not UTF-8: byte 0x{byte:02X} cannot stand here{suggest_encoding(error.object, error.start)}"
        raise FormatError(message, file, *_position_after(before)) from None
    text = _normalize_line_ends(text)
    before, nul, _ = text.partition("\0")
    if nul:
        way = suggest_encoding(data, 0) if guess_utf_16(data) else ""
        raise FormatError(f"a NUL character is not allowed in a text{way}", file, *_position_after(before))
    return text


def decode_lines(lines: Iterable[bytes], file: str) -> Iterator[str]:
    """Yield the lines of a file without their ends, as `decode` has them, from its lines with their line feeds."""
    number = 1
    for place, data in enumerate(lines):
        if place and data.startswith(codecs.BOM_UTF8):
            data = codecs.BOM_UTF8 + data  # only the file's first is none of its characters
        try:
            text = decode(data, file)
        except FormatError as error:
            raise FormatError(error.message, file, number - 1 + (error.line or 1), error.column) from None
        for line in text.removesuffix("\n").split("\n"):
            yield line
            number += 1


def recode(data: bytes, file: str, encoding: str) -> bytes:
    """Return the bytes of a file in that encoding as UTF-8. Raise FormatError if they are not in it."""
    try:
        return data.decode(encoding).encode()
    except (UnicodeError, ValueError) as error:
        raise FormatError(f"this is not in the encoding {encoding}: {error}", file) from None


def _normalize_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _position_after(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def implied_category(answer: Answer, scheme: SchemeSpec) -> str:
    """Return the category that follows from what the answer links; empty where none does."""
    if answer.indices:
        return next((category.key for category in scheme.categories if category.takes_index), "")
    if answer.pointers:
        level = answer.pointers[0].level or scheme.main_level
        return next((category.key for category in scheme.categories if category.points_to == level), "")
    plain = [category.key for category in scheme.categories if not category.takes_index and not category.points_to]
    # What points to nothing may be new; what is in no entity is not.
    names = ("none",) if any(category.takes_index for category in scheme.categories) else ("new", "none")
    return next((key for key in names if key in plain), plain[0] if len(plain) == 1 else "")
