"""What a reader makes of a file."""

from collections.abc import Sequence
from dataclasses import dataclass

# Longer names are refused: those of entities, of markables and turns, of speakers.
LONGEST_INDEX = 200
LONGEST_LABEL = 50
LONGEST_SPEAKER = 100

Parts = tuple[tuple[int, int], ...]


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
class Stretch:
    """A stretch `[start, end)` of the content that is shown as such: a turn, a sentence."""

    kind: str
    start: int
    end: int
    label: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A markable in a file.

    parts: `[start, end)` pairs in code points of the content, in text order, not touching each other.
    level: its level's key; empty for the level that the project codes.
    label: a short name that the file gives it; may be empty.
    indices: the entities it belongs to; None where the file leaves it uncoded.
    line: where it starts in the file, from 1.
    """

    parts: Parts
    level: str = ""
    label: str = ""
    indices: tuple[str, ...] | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a file with what stands in it."""

    name: str
    file: str
    content: str
    marks: Sequence[Mark]
    segments: Sequence[Stretch] = ()
    title: str = ""
    language: str = ""
    direction: str = ""


def decode(data: bytes, file: str) -> str:
    """The text of a UTF-8 file, with or without a byte order mark, line ends made one.

    Raises FormatError naming the line and column of the first byte that is not UTF-8, or of a NUL.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.object is without the byte order mark, and error.start counts from there.
        before = _one_line_end(error.object[: error.start].decode())
        byte = error.object[error.start]
        message = f"this is not UTF-8: byte 0x{byte:02X} cannot stand here"
        raise FormatError(message, file, *_after(before)) from None
    text = _one_line_end(text)
    before, nul, _ = text.partition("\0")
    if nul:
        raise FormatError("a NUL character cannot stand in a text", file, *_after(before))
    return text


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _after(text: str) -> tuple[int, int]:
    """The line and column of what follows the text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")
