"""The canonical matrix from a CSV file: a row a unit, a column a coder."""

import re
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ..values import Label, Readings, Value, map_members
from .tables import CsvFile

GUARDED = re.compile(r"'+[=+\-@\t\r]")
MEMBER = re.compile(r"(?:\\.|[^\\|])+", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
MEMBERS = re.compile(rf"(?:(?:{MEMBER.pattern})(?:\|(?:{MEMBER.pattern}))*)?", re.DOTALL)
# Members are not empty: `||` stands between the readings of an ambiguous unit.
SET = re.compile(rf"\{{{MEMBERS.pattern}(?:\|\|{MEMBERS.pattern})*\}}", re.DOTALL)

DOCUMENT_COLUMNS = ("text", "document")
# Columns of a table with one judgement a row, which no coder is called by.
LONG_COLUMNS = ("document", "unit", "item", "coder", "annotator", "rater", "label", "chain")

type ValueTable = tuple[
    list[Hashable], list[Hashable], list[list[Value | None]], Sequence[Hashable], Mapping[Label, str]
]


def read_matrix(
    path: str | Path, document: str | None, unit: str | None, *, raw: bool = False, members: str = "units"
) -> ValueTable:
    """Return units, coders, rows of values, documents of units, and where each label in text stands first."""
    names = (document,) if document else DOCUMENT_COLUMNS
    file = CsvFile(path, (*names, unit or "unit"))
    header = file.header if raw else list(map(_remove_guard, file.header))
    of_document, of_unit = _find_columns(header, document, unit)
    n_names = 1 if of_document is None else 2
    coders = header[n_names:]
    units: list[Hashable] = []
    values: list[list[Value | None]] = []
    documents: list[Hashable] = []
    known: dict[tuple[Hashable, str], Value | None] = {}
    places: dict[Label, str] = {}
    for line, row in file.rows():
        cells = row if raw else list(map(_remove_guard, row))
        text = None if of_document is None else cells[of_document]
        if text and not cells[of_unit] and set(cells[n_names:]) <= {"", "{}"}:
            continue  # it names the coders who marked nothing in the text
        if text == "" or not cells[of_unit]:
            raise ValueError(f"line {line}: there is no {'document' if text == '' else 'unit'}")
        for coder, cell in zip(coders, cells[n_names:], strict=True):
            if (text, cell) not in known:
                where = f"line {line}, coder {coder!r}"
                value = _parse_cell(cell, where)
                if isinstance(value, str):
                    places.setdefault(value, where)
                is_named = members == "units" and text is not None
                known[text, cell] = map_members(value, partial(_name, text)) if is_named else value
        units.append(cells[of_unit] if text is None else (text, cells[of_unit]))
        documents.append(text)
        values.append([known[text, cell] for cell in cells[n_names:]])
    return units, list(coders), values, documents, places


def _find_columns(header: list[str], document: str | None, unit: str | None) -> tuple[int | None, int]:
    """Return the places of the columns of documents, None where there is none, and of units: the first columns."""
    first = [name.strip().lower() for name in header[:2]]
    if not all(header):
        raise ValueError("a column has no name")
    places = {}
    for noun, name, defaults in (("document", document, DOCUMENT_COLUMNS), ("unit", unit, ("unit",))):
        if name is not None and name in header[:2]:
            places[noun] = header.index(name)
        elif name is None:
            places.update((noun, place) for place, column in enumerate(first) if column in defaults)
        if noun not in places and (name is not None or noun == "unit"):
            raise ValueError(
                f"the first columns of a matrix are document and unit, or the unit alone, and none of {header[:2]} is"
                f" called {name or noun!r}: name it by {noun}=... (--{noun})"
            )
    if "document" not in places and places["unit"] > 0:
        raise ValueError(f"the column {header[0]!r} stands before the unit: name it by document=... (--document)")
    for name in header[1:] if len(places) == 1 else ():
        if name.strip().lower() in ("text", *LONG_COLUMNS):
            raise ValueError(f"the column {name!r} is behind the first two, where each column is a coder")
    return places.get("document"), places["unit"]


def _name(document: Hashable, member: Hashable) -> Hashable:
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


def _remove_guard(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell
