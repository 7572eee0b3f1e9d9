"""Write the rows of a project to its archive. Equal projects give equal bytes, whatever the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from annotations.core.database.snapshots import read_snapshot
from annotations.core.processes.heartbeat import beat
from annotations.core.text import pluralize
from annotations.formats.project import Kind, Shape, Table, write
from annotations.models import Project
from annotations.transfers.archiving.tables import TABLES, ArchivedTable, shape_of


@dataclass(frozen=True, slots=True)
class Archive:
    """The contents of an archive: the number of rows of each table."""

    rows: Mapping[str, int]

    def __str__(self) -> str:
        return ", ".join(
            pluralize(self.rows[f"{noun}s"], noun) for noun in ("text", "markable", "coding", "judgement", "operation")
        )


def archive_project(project: Project, out: IO[bytes]) -> Archive:
    """Write the archive of the project to `out`. One query a table, one snapshot; call it outside transactions."""
    with read_snapshot():
        return Archive(write(_tables(project), out))


def _tables(project: Project) -> Iterator[Table]:
    """Yield the tables, with line numbers in place of primary keys, which only referenced tables need to remember."""
    shapes = [shape_of(archived) for archived in TABLES]
    referenced = {field.to for shape in shapes for field in shape.fields}
    lines: dict[str, dict[int, int]] = {}
    for archived, shape in zip(TABLES, shapes, strict=True):
        beat()  # within the snapshot no progress can be recorded
        columns = [f"{field.name}__username" if field.kind is Kind.PERSON else field.name for field in shape.fields]
        queryset = archived.model._base_manager.filter(**{archived.project_lookup: project.pk}).order_by("pk")
        rows = [list(values) for values in queryset.values_list("pk", *columns).iterator()]
        references = [(position, field.to) for position, field in enumerate(shape.fields, start=1) if field.to]
        _replace_keys(rows, [(position, lines[to]) for position, to in references if to != shape.name])
        # Sorted in Python, as databases sort names differently. Equal rows stay in the order of their primary keys.
        rows.sort(key=_order(archived, shape))
        if shape.name in referenced:
            lines[shape.name] = {row[0]: line for line, row in enumerate(rows, start=1)}
            _replace_keys(rows, [(position, lines[to]) for position, to in references if to == shape.name])
        names = [field.name for field in shape.fields]
        yield Table(shape, {name: [row[number] for row in rows] for number, name in enumerate(names, start=1)})


def _replace_keys(rows: list[list[Any]], references: Sequence[tuple[int, Mapping[int, int]]]) -> None:
    """Put line numbers in the place of primary keys."""
    for row in rows if references else ():
        for position, line_numbers in references:
            if row[position] is not None:
                row[position] = line_numbers[row[position]]


def _order(archived: ArchivedTable, shape: Shape) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    positions = {field.name: number for number, field in enumerate(shape.fields, start=1)}
    sort_keys = [(positions[name.lstrip("-")], name.startswith("-")) for name in archived.order]
    # What is empty comes last: gold that nobody has opened has no coder.
    return lambda row: tuple(
        (row[number] is None, -row[number] if descending else row[number]) for number, descending in sort_keys
    )
