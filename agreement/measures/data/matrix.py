"""The canonical matrix from a CSV file: a row a unit, a column a coder."""

import csv
import re
from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path

from ..values import Readings, Value, map_members

GUARDED = re.compile(r"'+[=+\-@\t\r]")
MEMBER = re.compile(r"(?:\\.|[^\\|])+", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
MEMBERS = re.compile(rf"(?:(?:{MEMBER.pattern})(?:\|(?:{MEMBER.pattern}))*)?", re.DOTALL)
# Members are not empty: `||` stands between the readings of an ambiguous unit.
SET = re.compile(rf"\{{{MEMBERS.pattern}(?:\|\|{MEMBERS.pattern})*\}}", re.DOTALL)

type ValueTable = tuple[list[Hashable], list[Hashable], list[list[Value | None]], list[Hashable]]


def read_matrix(path: str | Path, *, raw: bool = False, members: str = "units") -> ValueTable:
    """Return units, coders, rows of values and documents of units, as `ReliabilityData.from_values` takes them."""
    rows = _read_rows(path, raw)
    _, header = next(rows, (1, []))
    if len(header) < 2 or not all(header):
        raise ValueError(f"{path}: the columns are the document, the unit, and one for each coder, by name")
    units: list[Hashable] = []
    values: list[list[Value | None]] = []
    documents: list[Hashable] = []
    known: dict[tuple[str, str], Value | None] = {}
    for line, (document, unit, *cells) in rows:
        if not document or not unit:
            raise ValueError(f"{path}: line {line}: there is no {'unit' if document else 'document'}")
        for coder, cell in zip(header[2:], cells, strict=True):
            if (document, cell) not in known:
                value = _parse_cell(cell, f"{path}: line {line}, coder {coder!r}")
                known[document, cell] = value if members == "labels" else map_members(value, partial(_name, document))
        units.append((document, unit))
        documents.append(document)
        values.append([known[document, cell] for cell in cells])
    return units, list(header[2:]), values, documents


def _name(document: str, member: Hashable) -> Hashable:
    """Return a member as units are named."""
    return document, member


def _parse_cell(cell: str, where: str) -> Value | None:
    """Return the value of a cell: a label, a set of members, or None."""
    if not cell.startswith("{"):
        return cell.removeprefix("\\") or None
    if SET.fullmatch(cell) is None:
        raise ValueError(f"{where}: this is not a set: {cell[:50]!r}")
    readings: list[frozenset[str]] = []
    end = 0
    while end < len(cell) - 1:
        found = MEMBERS.match(cell, end + 1 if not readings else end + 2, len(cell) - 1)
        assert found is not None  # it matches nothing, too
        readings.append(frozenset(ESCAPED.sub(r"\1", member) for member in MEMBER.findall(found[0])))
        end = found.end()
    if len(set(readings)) < len(readings):
        raise ValueError(f"{where}: a reading comes twice: {cell[:50]!r}")
    return Readings(readings) if len(readings) > 1 else readings[0]


def _read_rows(path: str | Path, raw: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows by the line in which each begins, all as wide as the first; empty rows are skipped."""
    with open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
        reader = csv.reader(file, delimiter="\t" if str(path).endswith(".tsv") else ",", strict=True)
        line, width = 1, None
        try:
            for cells in reader:
                width = len(cells) if width is None else width
                if any(cells):
                    if len(cells) != width:
                        raise ValueError(f"{path}: line {line}: {len(cells)} cells where the header has {width}")
                    yield line, cells if raw else [_remove_guard(cell) for cell in cells]
                line = reader.line_num + 1
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: line {line}: {error}") from error


def _remove_guard(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell
