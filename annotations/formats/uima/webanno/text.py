"""The text of a file, the rows of its tokens, and the escapes of WebAnno TSV 3."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.model.document import Stretch
from annotations.formats.model.findings import FormatError
from annotations.formats.syntax.units import Units

TEXT_ESCAPE = re.compile(r"\\([\\tnfrb\x01-\x07\x0e-\x1f])")
TEXT_SPECIAL = re.compile(r"[\\\t\n\f\r\x08\x01-\x07\x0e-\x1f]")
VALUE_ESCAPE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
VALUE_SPECIAL = re.compile(r"->|[\\\[\]|_;\t\n*]")
LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
ESCAPES = {character: letter for letter, character in LETTERS.items()}
# A cell without an annotation, and an annotation without a value.
NONE, NO_VALUE = "_", "*"
# Numbers of bounded length: longer numbers do not match.
UNIT = r"(?P<unit>(?P<token>[0-9]{1,9}-[0-9]{1,9})(?:\.[0-9]{1,9})?)"
ROW = re.compile(rf"{UNIT}$")
JAVA_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})$")


def fill_gap(gap: int, inner: bool) -> str:
    """Return the filling of a gap in the text of a file. inner: between sentences, it begins with a line end."""
    return "\n" + " " * (gap - 1) if inner and gap else " " * gap


def escape_text(text: str) -> str:
    return TEXT_SPECIAL.sub(lambda match: "\\" + ESCAPES.get(match.group(), match.group()), text)


def unescape_value(value: str) -> str:
    """Return a value without escapes; empty if there is none."""
    if value == NO_VALUE or "\\" not in value:
        return "" if value == NO_VALUE else value
    return VALUE_ESCAPE.sub(lambda match: {"t": "\t", "n": "\n"}.get(match[1], match[1]), value)


def escape_value(value: str) -> str:
    """Return a value with escapes and line ends normalised: no reader accepts a carriage return."""
    value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return VALUE_SPECIAL.sub(lambda match: "\\" + {"\t": "t", "\n": "n"}.get(match.group(), match.group()), value)


@dataclass(frozen=True, slots=True)
class Row:
    """A token or a part of it. token: its number in the file, from 1. begin, end: UTF-16 units, later code points."""

    line: int
    unit: str
    token: int
    begin: int
    end: int
    form: str
    cells: tuple[str, ...]


@dataclass(slots=True)
class Text:
    """A text that is built line by line."""

    file: str
    columns: int
    java: bool  # escapes are Java's
    in_points: bool = False  # offsets count code points
    pieces: list[str] = field(default_factory=list)
    length: int = 0  # length of the text so far, in the units of the offsets
    size: int = 0  # characters of the file so far
    gaps: int = 0  # characters of gaps so far
    text: list[str] = field(default_factory=list)  # lines of the sentence whose tokens come next
    is_open: bool = False  # whether a sentence has begun
    rows: list[Row] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    units: set[str] = field(default_factory=set)
    tokens: int = 0
    token: tuple[str, int, int] = ("", 0, 0)  # the last token, with begin and end

    def read(self, lines: Sequence[str]) -> tuple[str, list[Row], list[Stretch]]:
        """Return the content, the rows with their offsets in code points, and the sentences."""
        text_line = 0
        for number, line in enumerate([*lines, ""], start=1):
            self.size += len(line)
            if line.startswith("#Text="):
                if self.is_open:
                    raise self._error(number, "a sentence begins before a blank line has ended the last")
                text_line = text_line if self.text else number
                self.text.append(self._unescaped(number, line.removeprefix("#Text=")))
            elif line.startswith("#"):
                continue  # the header, the name of a sentence, or metadata of the document
            elif not line.strip():
                if self.text:
                    raise self._error(text_line, "no token follows this text of a sentence")
                self.is_open = False
            elif self.text or self.is_open:
                self._row(number, line)
            else:
                raise self._error(number, "a token is outside a sentence ('#Text=' comes first)")
        if not self.rows:
            raise self._error(1, "there is no sentence in this file")
        content = "".join(self.pieces)
        units = Units("" if self.in_points else content)
        rows = [self._placed(row, content, units) for row in self.rows]
        sentences = [
            Stretch("sentence", rows[first].begin, max(row.end for row in rows[first:end] if "." not in row.unit))
            for first, end in zip(self.firsts, [*self.firsts[1:], len(rows)], strict=True)
        ]
        return content, rows, sentences

    def _error(self, number: int, message: str) -> FormatError:
        return FormatError(message, self.file, number)

    def _unescaped(self, number: int, text: str) -> str:
        if "\\" not in text:
            return text
        if not self.java:
            return TEXT_ESCAPE.sub(lambda match: LETTERS.get(match[1], match[1]), text)
        units = JAVA_ESCAPE.sub(
            lambda match: chr(int(match[1], 16)) if match[1] else LETTERS.get(match[2], match[2]), text
        )
        try:
            text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise self._error(number, "an escape \\u… is half a character") from None
        if "\0" in text:
            raise self._error(number, "a NUL character is not allowed in a text")
        return text

    def _begin_sentence(self, number: int, begin: int) -> None:
        """Add the text of the sentence at the offset of its first token."""
        gap = begin - self.length
        if gap < 0:
            raise self._error(number, f"the sentence begins at {begin}, but the one before it ends at {self.length}")
        self.gaps += gap
        # Gaps may not make the text longer than the file.
        if self.gaps > self.size:
            raise self._error(number, f"the sentence begins {gap} characters after the one before it")
        text = "\n".join(self.text)
        self.pieces += (fill_gap(gap, inner=bool(self.pieces)), text)
        self.length = begin + (len(text) if self.in_points else len(text.encode("utf-16-le")) // 2)
        self.text, self.is_open = [], True
        self.firsts.append(len(self.rows))

    def _row(self, number: int, line: str) -> None:
        cells = line.split("\t")
        offsets = OFFSETS.match(cells[1]) if len(cells) > 1 else None
        if offsets is None:
            raise self._error(number, "the second column is not where a token begins and ends, as in 0-4")
        begin, end = int(offsets[1]), int(offsets[2])
        if self.text:
            self._begin_sentence(number, begin)
        row = ROW.match(cells[0])
        if row is None:
            raise self._error(number, "the first column is not the number of a token, as in 1-2 or 1-2.1")
        self._order(number, row["unit"], row["token"], begin, end)
        if len(cells) == self.columns + 4 and not cells[-1]:
            cells.pop()  # a line may end with a tab
        if len(cells) != self.columns + 3:
            message = f"the header declares {self.columns} columns of annotations, this line has {len(cells) - 3}"
            raise self._error(number, message)
        if "" in cells[3:]:
            raise self._error(number, "a column is empty ('_' says that nothing stands there)")
        self.rows.append(Row(number, row["unit"], self.tokens, begin, end, cells[2], tuple(cells[3:])))

    def _order(self, number: int, unit: str, token: str, begin: int, end: int) -> None:
        if unit in self.units:
            raise self._error(number, f"the token {unit} appears twice")
        self.units.add(unit)
        name, first, last = self.token  # white space after a token may be a part of it
        if unit != token:
            if token != name or not first <= begin <= end:
                raise self._error(number, f"{unit} is no part of the token before it")
        elif not last <= begin < end:
            raise self._error(number, f"the token {unit} is empty or begins before the last has ended")
        else:
            self.token = (unit, begin, end)
            self.tokens += 1

    def _placed(self, row: Row, content: str, units: Units) -> Row:
        begin, end = (row.begin, row.end) if self.in_points else (units.point(row.begin), units.point(row.end))
        words = None if begin is None or end is None else content[begin:end]
        if begin is None or end is None or words not in (row.form, self._unescaped(row.line, row.form)):
            message = f"the words of the token {row.unit} do not stand at {row.begin}-{row.end} of the text"
            raise self._error(row.line, f"{message} (offsets count UTF-16 units)")
        return replace(row, begin=begin, end=end)
