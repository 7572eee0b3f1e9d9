"""Rows of a project -> its archive, table after table. Equal projects give equal bytes, in whatever database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from annotations.archiving.tables import TABLES, Archived, shape_of
from annotations.formats.project import Kind, Shape, Table, write
from annotations.importing.report import number
from annotations.models import Project
from annotations.moment import one_moment


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive holds: how many rows of each table."""

    rows: Mapping[str, int]

    def __str__(self) -> str:
        return ", ".join(
            number(self.rows[f"{noun}s"], noun) for noun in ("text", "markable", "coding", "judgement", "operation")
        )


def archive_project(project: Project, out: IO[bytes]) -> Archive:
    """Write all that the project is to `out`. A query a table, all of one moment; call it outside transactions."""
    with one_moment():
        return Archive(write(_tables(project), out))


def _tables(project: Project) -> Iterator[Table]:
    """The tables with the numbers of lines in the place of keys. Those of rows that others refer to are kept."""
    shapes = [shape_of(archived) for archived in TABLES]
    meant = {field.to for shape in shapes for field in shape.fields}
    lines: dict[str, dict[int, int]] = {}
    for archived, shape in zip(TABLES, shapes, strict=True):
        rows = _rows(project, archived, shape, lines)
        if shape.name in meant:
            lines[shape.name] = {row[0]: line for line, row in enumerate(rows, start=1)}
        columns = list(zip(*rows, strict=True))[1:] if rows else [()] * len(shape.fields)
        yield Table(shape, dict(zip((field.name for field in shape.fields), columns, strict=True)))


def _rows(
    project: Project, archived: Archived, shape: Shape, lines: Mapping[str, Mapping[int, int]]
) -> list[Sequence[Any]]:
    """The rows in the order of the archive, each with its key first."""
    named = [f"{field.name}__username" if field.kind is Kind.PERSON else field.name for field in shape.fields]
    found = archived.model._base_manager.filter(**{archived.way: project.pk}).order_by("pk")
    references = [
        (place, lines[field.to]) for place, field in enumerate(shape.fields, start=1) if field.kind is Kind.ROW
    ]
    rows: list[Sequence[Any]] = []
    for values in found.values_list("pk", *named).iterator():
        row = list(values)
        for place, line_of in references:
            if row[place] is not None:
                row[place] = line_of[row[place]]
        rows.append(row)
    # Sorted here: databases differ in how they order names. What is equal stays in the order of its keys.
    rows.sort(key=_order(archived, shape))
    return rows


def _order(archived: Archived, shape: Shape) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    place = {field.name: number for number, field in enumerate(shape.fields, start=1)}
    by = [(place[name.lstrip("-")], name.startswith("-")) for name in archived.order]
    return lambda row: tuple(-row[number] if descending else row[number] for number, descending in by)
