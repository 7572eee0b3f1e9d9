"""What a page shows: tables and charts, also as JSON, and what of them is still being computed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from rest_framework.exceptions import APIException

from agreement.models import Computation
from agreement.reports.request.parameters import InvalidParameter, check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.results.figures.charts import Chart
from agreement.results.tables import TABLE_FORMATS, Column, Linked, Table

RETRY_AFTER = 5


@dataclass(frozen=True, slots=True)
class PageSections:
    """Tables and charts, as of a part of a page or of all of it. `context` is what its template needs besides.

    `waiting` is the computation of further tables and charts, where a worker has not finished it. `as_of` is set where
    those that it computed before are shown: answers have changed since.
    """

    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    waiting: Computation | None = None
    as_of: datetime | None = None
    context: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return tables and charts as plain data, from which `from_json` makes the same."""
        return {"tables": [asdict(table) for table in self.tables], "charts": [asdict(chart) for chart in self.charts]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the tables and charts that `as_json` wrote."""
        tables = []
        for table in data["tables"]:
            columns = [Column(**column) for column in table["columns"]]
            rows = [[Linked(**cell) if isinstance(cell, dict) else cell for cell in row] for row in table["rows"]]
            tables.append(Table(**table | {"columns": columns, "rows": rows}))
        return cls(tables, [Chart(**chart) for chart in data["charts"]])

    def extended(self, tables: Sequence[Table] = (), charts: Sequence[Chart] = (), **context: Any) -> Self:
        """Return the same with more tables and charts after these, and more for the template."""
        return replace(
            self, tables=[*self.tables, *tables], charts=[*self.charts, *charts], context={**self.context, **context}
        )

    def with_sections(self, more: Self) -> Self:
        """Return the same with the tables and charts of other sections, whichever of them a worker has not finished."""
        waiting, as_of = self.waiting or more.waiting, self.as_of or more.as_of
        return replace(self.extended(more.tables, more.charts, **more.context), waiting=waiting, as_of=as_of)


def paginate[T](request: AnalysisRequest, rows: Sequence[T], size: int) -> tuple[Page[T], list[T]]:
    """Return the page of the rows that is asked for, and the rows of the table: all of them, if the whole is."""
    page = Paginator(rows, size).get_page(request.page)
    return page, list(rows if request.page is None else page)


class StillComputing(APIException):
    """A worker has not finished what was asked for; `waiting` is its computation, where a page has nothing else."""

    status_code, default_code, wait = 503, "still_computing", RETRY_AFTER
    default_detail = "Still computing; try again soon."

    def __init__(self, waiting: Computation | None = None) -> None:
        super().__init__()
        self.waiting = waiting


def write_table(request: AnalysisRequest, sections: PageSections, format_name: str, key: str) -> HttpResponse:
    """Return the table with that key as a file, in one of TABLE_FORMATS. Raises StillComputing or InvalidParameter."""
    tables = {table.key: table for table in sections.tables}
    if sections.waiting and key not in tables:
        raise StillComputing
    if request.error:
        raise request.error
    check_choice("as", format_name, TABLE_FORMATS)
    table_format = TABLE_FORMATS[format_name]
    if key not in tables:
        names = ", ".join(tables) or "none on this page"
        raise InvalidParameter("table", f"unknown table; available: {names}.")
    headers = {}
    if table_format.suffix in ("csv", "json"):
        name = f"{request.project.slug}-{key}.{table_format.suffix}"
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return HttpResponse(table_format.write(tables[key]), content_type=table_format.content_type, headers=headers)
