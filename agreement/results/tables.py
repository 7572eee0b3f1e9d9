"""Tables of pages and their downloads: CSV and JSON with every digit, LaTeX and Markdown rounded as on pages."""

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

# Decimals of a coefficient on pages; files, the API and <data> elements have every digit.
DECIMALS = 3
# Limits of a table on a page: rows, cells, and columns with one meaning, such as one for each coder. Files and the API
# have all.
MAX_ROWS = 100
MAX_CELLS = 3000
MAX_ALIKE = 30
# A spreadsheet would compute a cell with one of these prefixes.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
MARKDOWN = str.maketrans(
    {**{sign: f"\\{sign}" for sign in "|\\*_`[]~"}, "&": "&amp;", "<": "&lt;", "\n": " ", "\r": " "}
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str  # in files
    label: str  # on pages
    kind: Kind = "text"
    place: Place = "both"
    labels: Mapping[str, str] = field(default_factory=dict)  # display names of values; files keep the values
    explanation: str = ""  # key of the info button's text; by default `name`
    cell: str | Callable[[Any], Cell] = ""

    def shown(self, value: CellValue) -> CellValue:
        return self.labels.get(value, value) if isinstance(value, str) else value

    def reader(self, row: Any) -> Callable[[Any], Cell]:
        """Return the reader of cells for rows like this: `cell`, or the attribute `name` or `n_name`."""
        if callable(self.cell):
            return self.cell
        return attrgetter(self.cell or (self.name if hasattr(row, self.name) else f"n_{self.name}"))

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    @property
    def explanation_key(self) -> str:
        return self.explanation or self.name


# The ends of a 95% interval.
ENDS = (Column("low", "from", "figure"), Column("high", "to", "figure"))


def columns_of(kind: Kind, **columns: str | tuple[str, str]) -> list[Column]:
    """Return columns of one kind by name: each has a label, or a label and the key of its explanation."""
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
    """Return columns for the figure in a row's attribute `of`, and for its ends, whose names begin with `ends`."""
    place = f"{of}." if of else ""
    low, high = (
        replace(end, name=f"{ends}{end.name}", explanation=end.name if ends else "", cell=f"{place}{end.name}")
        for end in ENDS
    )
    return [replace(column, cell=f"{place}value"), low, high]


def with_ends(figure: HasEnds) -> tuple[float | None, float | None, float | None]:
    """Return the cells of a figure and of the ends of its interval."""
    return figure.value, figure.low, figure.high


@dataclass(frozen=True, slots=True)
class Linked:
    """A cell with a link. `current` marks the link to what the page shows."""

    template: ClassVar = ""

    value: CellValue
    address: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Composed:
    """A cell that the page renders by its own template with the variable `about`; files have the value."""

    value: CellValue
    template: str
    about: Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table, whose first column names the row."""

    key: str  # its name in URLs
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""  # text below the table
    page_rows: int = 0  # rows on a page, if fewer than MAX_ROWS

    @classmethod
    def of(cls, key: str, caption: str, columns: Sequence[Column], rows: Iterable[Any], note: str = "") -> Self:
        """Return a table with a row for each object, whose cells the columns read."""
        rows = list(rows)
        reads = [column.reader(rows[0]) for column in columns] if rows else []
        cells = [[read(row) for read in reads] for row in rows]
        return cls(key, caption, [replace(column, cell="") for column in columns], cells, note)

    @property
    def heads(self) -> list[tuple[Column, bool]]:
        """The page's columns; true marks the first of the columns with one meaning, such as one for each coder."""
        columns = [column for column in self.columns if column.place != "file"]
        first = {column.explanation_key: column for column in reversed(columns)}
        return [(column, first[column.explanation_key] is column) for column in columns]

    @property
    def file_columns(self) -> list[Column]:
        return [column for column in self.columns if column.place != "page"]

    @property
    def cells(self) -> list[list[tuple[Linked | Composed, Column]]]:
        """The cells for the page's template, with their columns."""

        def show(cell: Cell, column: Column) -> Linked | Composed:
            if isinstance(cell, Composed):
                return cell
            link = cell if isinstance(cell, Linked) else Linked(cell, "")
            return Linked(column.shown(link.value), link.address, link.current)

        rows = (zip(row, self.columns, strict=True) for row in self.rows)
        return [[(show(cell, column), column) for cell, column in row if column.place != "file"] for row in rows]

    def on_page(self, number: str | None) -> tuple[Self, Page[Sequence[Cell]]]:
        """Return the table with the rows and columns of the numbered page, and the paginator's page."""
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
        """The unique names of columns in files: a coder may be named like a column."""
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
    """Return a value formatted for reading: a coefficient has DECIMALS, and None is empty."""
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
    """Return the tables as plain data, with their columns and numbers of rows."""
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
    """Return the table as CSV: a header of machine-readable names, then the rows with every digit."""
    file = StringIO()
    lines: list[list[CellValue]] = [[*table.names], *table.plain()]
    csv.writer(file, lineterminator="\r\n").writerows(
        [f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value for value in line]
        for line in lines
    )
    return file.getvalue()


def as_json(table: Table) -> str:
    """Return the table as JSON: caption, note, and an object for each row."""
    rows = [dict(zip(table.names, row, strict=True)) for row in table.plain()]
    return json.dumps({"caption": table.caption, "note": table.note, "rows": rows}, indent=1, ensure_ascii=False)


def as_latex(table: Table) -> str:
    """Return the table as LaTeX for the booktabs package, rounded as on the page."""
    alignment = "".join("r" if column.is_number else "l" for column in table.file_columns)
    head = latex_row([column.label for column in table.file_columns])
    body = "\n".join(f"  {latex_row(row)} \\\\" for row in _rounded_rows(table))
    return (
        "\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{alignment}}}\n  \\toprule\n  {head} \\\\\n  \\midrule\n{body}\n  \\bottomrule\n"
        f"\\end{{tabular}}\n\\caption{{{table.caption.translate(LATEX)}}}\n\\end{{table}}\n"
    )


def as_markdown(table: Table) -> str:
    """Return the table as Markdown, rounded as on the page."""
    lines = [[column.label.translate(MARKDOWN) for column in table.file_columns]]
    lines.append(["---:" if column.is_number else "---" for column in table.file_columns])
    lines += [[cell.translate(MARKDOWN) for cell in row] for row in _rounded_rows(table)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@dataclass(frozen=True, slots=True)
class FileForm[T]:
    """A file format of tables or reports: its writer, content type, suffix and label."""

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
