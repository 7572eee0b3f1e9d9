"""The scheme in the tables of an archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotations.formats import Finding
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.project import Table
from annotations.projects.scheme_rows import SchemeRows
from annotations.schemes.consistency import check_scheme, find_leftovers

type Tables = Mapping[str, Table]

TABLE_OF_KIND = {
    "level": "levels",
    "category": "categories",
    "relation": "relations",
    "attribute": "attributes",
}


def check_archived_scheme(tables: Tables) -> Iterator[Finding]:
    """Yield findings on what changes of the scheme left. Raise FormatError on what no scheme can be, at its row."""
    spec = scheme_of(tables)
    leftovers = list(find_leftovers(spec))
    for problem in check_scheme(spec):
        table = tables[TABLE_OF_KIND[problem.kind]]
        row = list(table["key"]).index(problem.question)
        if problem not in leftovers:
            raise table.error(row, str(problem))
        yield Finding("scheme", str(problem), table.shape.file, row + 1)


def scheme_of(tables: Tables) -> SchemeSpec:
    """Return the scheme, in the order of the archive, which is that in which it is shown."""
    return SchemeRows(
        **{name: _rows(tables[name]) for name in ("levels", "categories", "relations", "attributes")},
        values=_rows(tables["attribute_values"]),
        relation_sources=_links(tables["relation_sources"], "relation"),
        relation_targets=_links(tables["relation_targets"], "relation"),
        attribute_levels=_links(tables["attribute_levels"], "attribute"),
    ).spec()


def _rows(table: Table) -> list[dict[str, Any]]:
    """Return the rows by column; the `id` of each is its line, by which others name it."""
    names = [field.name for field in table.shape.fields]
    columns = zip(*(table[name] for name in names), strict=True)
    return [dict(zip(names, values, strict=True)) | {"id": line} for line, values in enumerate(columns, start=1)]


def _links(table: Table, name: str) -> Iterator[tuple[int, int]]:
    return zip(table[name], table["level"], strict=True)
