"""One table of a page as a file."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.tables import TABLE_FORMATS

RETRY_AFTER = 5


class StillComputing(Exception):
    """A worker has not finished the table."""

    def __init__(self) -> None:
        super().__init__("Still computing; try again soon.")


@dataclass(frozen=True, slots=True)
class TableFile:
    """The content of a table in some format, its type, and the headers it is sent with."""

    content: str
    content_type: str
    headers: dict[str, str]


def write_table(request: AnalysisRequest, sections: PageSections, format_name: str, key: str) -> TableFile:
    """Return the table with that key, written in one of TABLE_FORMATS. Raises StillComputing or InvalidParameter."""
    tables = {table.key: table for table in sections.tables}
    if sections.waiting and key not in tables:
        raise StillComputing
    if request.error:
        raise request.error
    table_format = TABLE_FORMATS.get(format_name)
    if table_format is None:
        raise InvalidParameter("as", f"{format_name!r} is not one of {', '.join(TABLE_FORMATS)}.")
    if key not in tables:
        names = ", ".join(tables) or "none on this page"
        raise InvalidParameter("table", f"unknown table; available: {names}.")
    headers = {}
    if table_format.suffix in ("csv", "json"):
        name = f"{request.project.slug}-{key}.{table_format.suffix}"
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return TableFile(table_format.write(tables[key]), table_format.content_type, headers)
