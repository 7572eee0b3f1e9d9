"""The text of a file, and the rows of its tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.formats.model.document import FormatError, Stretch
from annotations.formats.syntax.units import Units
from annotations.formats.uima.webanno.signs import LETTERS, fill_gap, unescape_text

# Numbers of bounded length: what is longer does not match.
UNIT = r"(?P<unit>(?P<token>[0-9]{1,9}-[0-9]{1,9})(?:\.[0-9]{1,9})?)"
ROW = re.compile(rf"{UNIT}$")
JAVA_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})$")


@dataclass(frozen=True, slots=True)
class Row:
    """A token or a part of one. token: its number in the file, from 1; begin, end: UTF-16 units, then code points."""

    line: int
    unit: str
    token: int
    begin: int
    end: int
    form: str
    cells: tuple[str, ...]


@dataclass(slots=True)
class Text:
    """A text while its lines come in."""

    file: str
    columns: int
    java: bool
    in_points: bool = False
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    size: int = 0
    gaps: int = 0
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    open: bool = False
    rows: list[Row] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    units: set[str] = field(default_factory=set)
    tokens: int = 0
    token: tuple[str, int, int] = ("", 0, 0)

    def read(self, lines: Sequence[str]) -> tuple[str, list[Row], list[Stretch]]:
        """Return the content, the rows with their offsets in code points, and the sentences."""
        for number, line in enumerate(lines, start=1):
            self._add(number, line)
        return self._build()

    def _add(self, number: int, line: str) -> None:
        self.size += len(line)
        if line.startswith("#"):
            self._comment(number, line)
        elif not line.strip():
            self._end_sentence()
        elif self.text:
            self._begin_sentence(number, line)
        elif self.open:
            self._row(number, line)
        else:
            raise FormatError("a token is outside a sentence ('#Text=' comes first)", self.file, number)

    def _comment(self, number: int, line: str) -> None:
        if not line.startswith("#Text="):
            return  # the header, the name of a sentence, what is said of the document
        if self.open:
            raise FormatError("a sentence begins before a blank line has ended the last", self.file, number)
        if not self.text:
            self.text_line = number
        self.text.append(self._unescaped(number, line.removeprefix("#Text=")))

    def _unescaped(self, number: int, text: str) -> str:
        if "\\" not in text:
            return text
        if not self.java:
            return unescape_text(text)
        units = JAVA_ESCAPE.sub(
            lambda match: chr(int(match[1], 16)) if match[1] else LETTERS.get(match[2], match[2]), text
        )
        try:
            text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise FormatError("an escape \\u… is half a character", self.file, number) from None
        if "\0" in text:
            raise FormatError("a NUL character is not allowed in a text", self.file, number)
        return text

    def _end_sentence(self) -> None:
        if self.text:
            raise FormatError("no token follows this text of a sentence", self.file, self.text_line)
        self.open = False

    def _begin_sentence(self, number: int, line: str) -> None:
        """Put the text of the sentence where its first token begins."""
        begin, _ = self._offsets(number, line.split("\t"))
        gap = begin - self.length
        if gap < 0:
            message = f"the sentence begins at {begin}, but the one before it ends at {self.length}"
            raise FormatError(message, self.file, number)
        self.gaps += gap
        # No file makes more text out of nothing than it is long.
        if self.gaps > self.size:
            raise FormatError(f"the sentence begins {gap} characters after the one before it", self.file, number)
        text = "\n".join(self.text)
        self.pieces += (fill_gap(gap, inner=bool(self.pieces)), text)
        self.length = begin + (len(text) if self.in_points else len(text.encode("utf-16-le")) // 2)
        self.text, self.open = [], True
        self.firsts.append(len(self.rows))
        self._row(number, line)

    def _offsets(self, number: int, cells: Sequence[str]) -> tuple[int, int]:
        offsets = OFFSETS.match(cells[1]) if len(cells) > 1 else None
        if offsets is None:
            raise FormatError("the second column is not where a token begins and ends, as in 0-4", self.file, number)
        return int(offsets[1]), int(offsets[2])

    def _row(self, number: int, line: str) -> None:
        cells = line.split("\t")
        begin, end = self._offsets(number, cells)
        row = ROW.match(cells[0])
        if row is None:
            raise FormatError("the first column is not the number of a token, as in 1-2 or 1-2.1", self.file, number)
        self._order(number, row["unit"], row["token"], begin, end)
        if len(cells) == self.columns + 4 and not cells[-1]:
            cells.pop()  # a line may end with a tab
        if len(cells) != self.columns + 3:
            message = f"the header declares {self.columns} columns of annotations, this line has {len(cells) - 3}"
            raise FormatError(message, self.file, number)
        if "" in cells[3:]:
            raise FormatError("a column is empty ('_' says that nothing stands there)", self.file, number)
        self.rows.append(Row(number, row["unit"], self.tokens, begin, end, cells[2], tuple(cells[3:])))

    def _order(self, number: int, unit: str, token: str, begin: int, end: int) -> None:
        if unit in self.units:
            raise FormatError(f"the token {unit} appears twice", self.file, number)
        self.units.add(unit)
        name, first, last = self.token  # white space after a token may be a part of it
        if unit != token:
            if token != name or not first <= begin <= end:
                raise FormatError(f"{unit} is no part of the token before it", self.file, number)
        elif not last <= begin < end:
            raise FormatError(f"the token {unit} is empty or begins before the last has ended", self.file, number)
        else:
            self.token = (unit, begin, end)
            self.tokens += 1

    def _build(self) -> tuple[str, list[Row], list[Stretch]]:
        self._end_sentence()
        if not self.rows:
            raise FormatError("there is no sentence in this file", self.file, 1)
        content = "".join(self.pieces)
        units = Units("" if self.in_points else content)
        rows = [self._placed(row, content, units) for row in self.rows]
        sentences = [
            Stretch("sentence", rows[first].begin, max(row.end for row in rows[first:end] if "." not in row.unit))
            for first, end in zip(self.firsts, [*self.firsts[1:], len(rows)], strict=True)
        ]
        return content, rows, sentences

    def _placed(self, row: Row, content: str, units: Units) -> Row:
        begin, end = (row.begin, row.end) if self.in_points else (units.point(row.begin), units.point(row.end))
        words = None if begin is None or end is None else content[begin:end]
        if begin is None or end is None or words not in (row.form, self._unescaped(row.line, row.form)):
            message = f"the words of the token {row.unit} do not stand at {row.begin}-{row.end} of the text"
            raise FormatError(f"{message} (offsets count UTF-16 units)", self.file, row.line)
        return Row(row.line, row.unit, row.token, begin, end, row.form, row.cells)
