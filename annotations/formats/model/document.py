"""What a reader makes of files and a writer makes files of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, TypedDict

from annotations.formats.model import judgement
from annotations.formats.model.findings import Finding
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.scheme import SchemeSpec

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
        return Answer(
            category=category,
            pointers=pointers,
            indices=indices,
            note=self.note,
            name=self.name,
            unsure=self.unsure,
            optional=self.optional,
            relations=self.relations,
            attributes=self.attributes,
        )

    def with_readings(self, readings: Readings) -> "Answer":
        """Return the answer with other antecedents, some of which may be meant together."""
        return replace(self, **links_of(readings))

    @property
    def all_readings(self) -> Readings:
        """The readings of the antecedents, also where each antecedent is one."""
        return self.readings or tuple((target,) for target in self.pointers)

    @property
    def alternatives(self) -> tuple[Place, ...]:
        """The antecedents that are meant alone."""
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
