"""Tables that a page shows and a person takes along: CSV and JSON with every digit, LaTeX and Markdown to paste."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from operator import attrgetter
from typing import Any, ClassVar, Literal, Protocol, Self

from django.core.paginator import Page, Paginator

from agreement.measures.results import LATEX, latex_row

type CellValue = str | int | float | None
type Cell = CellValue | Linked | Composed
Kind = Literal["text", "count", "date", "figure", "percent", "seconds", "probability"]
Place = Literal["both", "page", "file"]

# Of a coefficient where people read it; files, the API and <data> elements have every digit.
DECIMALS = 3
# What a page shows of a long table, fewer rows of a wide one; of columns that mean the same, such as one a coder, the
# first. Files and the API have all.
MAX_ROWS = 100
MAX_CELLS = 3000
MAX_ALIKE = 30
# A spreadsheet would compute a cell that begins so.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
MARKDOWN = str.maketrans(
    {**{sign: f"\\{sign}" for sign in "|\\*_`[]~"}, "&": "&amp;", "<": "&lt;", "\n": " ", "\r": " "}
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str  # in files
    label: str  # what people read
    kind: Kind = "text"
    place: Place = "both"
    labels: Mapping[str, str] = field(default_factory=dict)  # what values are called by people; files keep them
    explanation: str = ""  # the key of what the info button says, if it is not the name
    cell: str | Callable[[Any], Cell] = ""

    def shown(self, value: CellValue) -> CellValue:
        return self.labels.get(value, value) if isinstance(value, str) else value

    def reader(self, row: Any) -> Callable[[Any], Cell]:
        """Return what reads rows such as this: `cell`, or the attribute with the name, or with `n_` before it."""
        if callable(self.cell):
            return self.cell
        return attrgetter(self.cell or (self.name if hasattr(row, self.name) else f"n_{self.name}"))

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    @property
    def explanation_key(self) -> str:
        return self.explanation or self.name


# The ends of an interval of 95%.
ENDS = (Column("low", "from", "figure"), Column("high", "to", "figure"))


def columns_of(kind: Kind, **columns: str | tuple[str, str]) -> list[Column]:
    """Return columns of one kind by their names: the label of each, or that and the key of its explanation."""
    given = {name: (label, "") if isinstance(label, str) else label for name, label in columns.items()}
    return [Column(name, label, kind, explanation=key) for name, (label, key) in given.items()]


class HasEnds(Protocol):
    """A figure with its interval."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def figure_columns(column: Column, of: str = "", ends: str = "") -> list[Column]:
    """Return the columns of a figure, which the attribute `of` of the row has, and of its ends; `ends` begins names."""
    place = f"{of}." if of else ""
    low, high = (
        replace(end, name=f"{ends}{end.name}", explanation=end.name if ends else "", cell=f"{place}{end.name}")
        for end in ENDS
    )
    return [replace(column, cell=f"{place}value"), low, high]


def with_ends(one: HasEnds) -> tuple[float | None, float | None, float | None]:
    """Return the cells of a figure and of the ends of its interval."""
    return one.value, one.low, one.high


@dataclass(frozen=True, slots=True)
class Linked:
    """A cell that leads somewhere. `current`: it is what the page shows now."""

    template: ClassVar = ""

    value: CellValue
    address: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Composed:
    """A cell that the page shows by a template of its own, which is given `about`; in a file it is the value."""

    value: CellValue
    template: str
    about: Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first column names the row."""

    key: str  # its name in an address
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""  # what to mind
    page_rows: int = 0  # how many a page shows, where they are fewer than of other tables

    @classmethod
    def of(cls, key: str, caption: str, columns: Sequence[Column], rows: Iterable[Any], note: str = "") -> Self:
        """Return the table of some objects, a row each, with the cells that the columns say."""
        rows = list(rows)
        reads = [one.reader(rows[0]) for one in columns] if rows else []
        cells = [[read(row) for read in reads] for row in rows]
        return cls(key, caption, [replace(one, cell="") for one in columns], cells, note)

    @property
    def heads(self) -> list[tuple[Column, bool]]:
        """The page's columns, and whether the column is the first of those that mean the same, such as one a coder."""
        columns = [column for column in self.columns if column.place != "file"]
        first = {column.explanation_key: column for column in reversed(columns)}
        return [(column, first[column.explanation_key] is column) for column in columns]

    @property
    def file_columns(self) -> list[Column]:
        return [column for column in self.columns if column.place != "page"]

    @property
    def cells(self) -> list[list[tuple[Linked | Composed, Column]]]:
        """The cells as the page's template takes them, with their columns."""

        def show(cell: Cell, column: Column) -> Linked | Composed:
            if isinstance(cell, Composed):
                return cell
            link = cell if isinstance(cell, Linked) else Linked(cell, "")
            return Linked(column.shown(link.value), link.address, link.current)

        rows = (zip(row, self.columns, strict=True) for row in self.rows)
        return [[(show(cell, column), column) for cell, column in row if column.place != "file"] for row in rows]

    def on_page(self, number: str | None) -> tuple[Self, Page[Sequence[Cell]]]:
        """Return what a page of the site shows of the table, by the number of its page, and which rows these are."""
        alike = Counter[str]()
        chosen = []
        for place, column in enumerate(self.columns):
            alike[column.explanation_key] += 1
            if alike[column.explanation_key] <= MAX_ALIKE:
                chosen.append(place)
        most = min(self.page_rows or MAX_ROWS, MAX_ROWS)
        size = most if len(self.rows) <= most else min(most, max(MAX_CELLS // len(chosen), 1))
        shown = Paginator(self.rows, size).get_page(number)
        rows = [[row[place] for place in chosen] for row in shown]
        return replace(self, rows=rows, columns=[self.columns[place] for place in chosen]), shown

    @property
    def names(self) -> list[str]:
        """The names of the columns of a file, each once: a coder may be called as a column is."""
        names: dict[str, None] = {}
        for column in self.file_columns:
            candidates = (column.name, *(f"{column.name}_{number}" for number in range(2, len(self.columns) + 2)))
            names[next(name for name in candidates if name not in names)] = None
        return list(names)

    def plain(self) -> list[list[CellValue]]:
        """Return the cells of a file, without their links."""
        return [
            [cell_value(cell) for cell, column in zip(row, self.columns, strict=True) if column.place != "page"]
            for row in self.rows
        ]


def cell_value(cell: Cell) -> CellValue:
    """Return the value of a cell."""
    return cell.value if isinstance(cell, Linked | Composed) else cell


def format_value(value: CellValue, kind: Kind) -> str:
    """Return a value as people read it: a coefficient has DECIMALS, and None is nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if kind == "figure":
        return f"{value:z.{DECIMALS}f}".replace("-", "\N{MINUS SIGN}")
    if kind == "probability":
        return f"< {10**-DECIMALS}" if value < 10**-DECIMALS else f"{value:.{DECIMALS}f}"
    if kind == "percent":
        hundredths = value * 100
        return f"{hundredths:.1f}%" if 0 < hundredths < 9.95 else f"{hundredths:.0f}%"
    if kind == "seconds":
        return f"{value:.1f} s" if value < 60 else f"{value / 60:.1f} min"
    return f"{value:,}".replace("-", "\N{MINUS SIGN}")


def list_tables(tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Return the tables as plain data: their columns and how many rows they have."""
    return [
        {
            "key": table.key,
            "caption": table.caption,
            "note": table.note,
            "columns": [
                {"name": name, "label": column.label}
                for name, column in zip(table.names, table.file_columns, strict=True)
            ],
            "rows": len(table.rows),
        }
        for table in tables
    ]


def as_csv(table: Table) -> str:
    """Return a header of the machine-readable names, then the rows with every digit."""
    file = StringIO()
    lines: list[list[CellValue]] = [[*table.names], *table.plain()]
    csv.writer(file, lineterminator="\r\n").writerows(
        [f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value for value in line]
        for line in lines
    )
    return file.getvalue()


def as_json(table: Table) -> str:
    """Return a list of objects, one a row, with the caption and note around it."""
    rows = [dict(zip(table.names, row, strict=True)) for row in table.plain()]
    return json.dumps({"caption": table.caption, "note": table.note, "rows": rows}, indent=1, ensure_ascii=False)


def as_latex(table: Table) -> str:
    """Return a table of the booktabs package, rounded as on the page."""
    alignment = "".join("r" if column.is_number else "l" for column in table.file_columns)
    head = latex_row([column.label for column in table.file_columns])
    body = "\n".join(f"  {latex_row(row)} \\\\" for row in _rounded_rows(table))
    return (
        "\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{alignment}}}\n  \\toprule\n  {head} \\\\\n  \\midrule\n{body}\n  \\bottomrule\n"
        f"\\end{{tabular}}\n\\caption{{{table.caption.translate(LATEX)}}}\n\\end{{table}}\n"
    )


def as_markdown(table: Table) -> str:
    """Return a table with pipes, rounded as on the page."""
    lines = [[column.label.translate(MARKDOWN) for column in table.file_columns]]
    lines.append(["---:" if column.is_number else "---" for column in table.file_columns])
    lines += [[cell.translate(MARKDOWN) for cell in row] for row in _rounded_rows(table)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@dataclass(frozen=True, slots=True)
class FileForm[T]:
    """A form in which a table or a report leaves as a file: how it is written, its type, its ending and its label."""

    write: Callable[[T], str | bytes]
    content_type: str
    suffix: str
    label: str = ""


TABLE_FORMATS = {
    "csv": FileForm(as_csv, "text/csv; charset=utf-8", "csv", "CSV"),
    "json": FileForm(as_json, "application/json", "json", "JSON"),
    "latex": FileForm(as_latex, "text/plain; charset=utf-8", "tex", "LaTeX"),
    "markdown": FileForm(as_markdown, "text/plain; charset=utf-8", "md", "Markdown"),
}


def _rounded_rows(table: Table) -> list[list[str]]:
    return [
        [format_value(column.shown(value), column.kind) for value, column in zip(row, table.file_columns, strict=True)]
        for row in table.plain()
    ]
