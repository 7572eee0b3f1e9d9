"""Documents: the output of readers and the input of writers."""

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
    """The level and parts of a markable, which identify it in its document."""

    level: str
    parts: Parts


type Readings = judgement.Readings[Place]


class Links(StrEnum):
    """The way in which the answers of a document express identity."""

    NONE = "none"  # not at all: categories alone, or no answers
    INDICES = "indices"  # by equal names of entities
    POINTERS = "pointers"  # by the antecedents of each answer


# Stretches and marks are never changed; like judgements, they are not frozen, for speed.
@dataclass(slots=True, unsafe_hash=True)
class Stretch:
    """A stretch `[start, end)` of the content that is shown as a unit: a turn, sentence, paragraph or header."""

    kind: str
    start: int
    end: int
    label: str = ""
    speaker: str = ""


@dataclass(slots=True, unsafe_hash=True, kw_only=True)
class Answer(judgement.JudgementData[Place]):
    """The answer of a coder for a markable; relations, attributes and values have the names used in the file."""

    category: str = ""  # its key in the scheme; empty if the file names none: then the links imply it
    pointers: tuple[Place, ...] = ()  # its antecedents; several make it ambiguous
    readings: Readings = ()  # all readings if some antecedents are meant together; else empty: each antecedent is one

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
        """The readings of the antecedents, also if each antecedent is a reading of its own."""
        return self.readings or tuple((target,) for target in self.pointers)

    @property
    def alternatives(self) -> tuple[Place, ...]:
        """The antecedents that are meant alone."""
        return tuple(reading[0] for reading in self.readings if len(reading) == 1) if self.readings else self.pointers

    def targets(self) -> Iterator[Place]:
        """Yield the targets of all pointers and relations, with repetitions."""
        yield from self.pointers
        for _, readings in self.relations:
            yield from targets_of(readings)


class ReadingLinks(TypedDict):
    """The fields of an answer that hold its antecedents."""

    pointers: tuple[Place, ...]
    readings: Readings


def links_of(readings: Readings) -> ReadingLinks:
    """Return the fields of an answer that hold the antecedents of the readings."""
    plural = any(len(reading) > 1 for reading in readings)
    return {"pointers": tuple(dict.fromkeys(targets_of(readings))), "readings": readings if plural else ()}


@dataclass(slots=True, unsafe_hash=True)
class Mark:
    """A markable in a file."""

    parts: Parts  # `[start, end)` pairs in code points of the content, in text order, not touching each other
    level: str = ""  # its level's key; empty for the level that the project codes
    label: str = ""  # a short name that the file gives it
    head: Parts = ()  # the parts of its least words (MIN)
    answer: Answer | None = None  # None if the file leaves it uncoded
    line: int | None = None  # its first line in the file, from 1

    @property
    def place(self) -> Place:
        return Place(self.level, self.parts)

    def with_answer(self, answer: Answer | None) -> "Mark":
        """Return the mark with another answer, many times faster than dataclasses.replace."""
        return Mark(self.parts, self.level, self.label, self.head, answer, self.line)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its markables and segments, as one coder annotates it."""

    name: str
    file: str  # the file whose folder or name tells the coder
    content: str
    marks: Sequence[Mark]  # in text order
    segments: Sequence[Stretch] = ()
    links: Links = Links.NONE
    title: str = ""
    language: str = ""
    direction: str = ""
    findings: Sequence[Finding] = ()
    scheme: SchemeSpec | None = None  # if the file defines one; all documents of an export have it
    without_text: bool = False  # the file holds annotations without the text; content is empty
    coder: str = ""  # if the file itself names the coder
    # For formats that are written word by word: edges of words (cuts) and, in a text without sentences and turns, of
    # sentences (breaks), in addition to the edges of marks and segments. They are the same for all coders of a text.
    cuts: tuple[int, ...] = ()
    breaks: tuple[int, ...] = ()
    is_uncoded: bool = False  # the file says that nobody has coded this document


# Weights in markables: of a document without markables, and the number of characters that weigh as one.
WITHOUT_MARKABLES, CHARACTERS = 5, 200


def weigh(document: Document) -> int:
    """Return the estimated work of writing a document, in markables."""
    return WITHOUT_MARKABLES + len(document.marks) + len(document.content) // CHARACTERS


def text_order(mark: Mark) -> tuple[int, int, str, Parts]:
    """Return the sort key of a mark: earlier starts first, then longer marks."""
    return mark.parts[0][0], -mark.parts[-1][1], mark.level, mark.parts
