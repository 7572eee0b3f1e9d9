"""The scheme in the tables of an archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotations.formats import Finding
from annotations.formats.model.scheme import (
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
)
from annotations.formats.project import Table
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
    leftovers = find_leftovers(spec)
    for problem in check_scheme(spec):
        table = tables[TABLE_OF_KIND[problem.kind]]
        row = list(table["key"]).index(problem.question)
        if problem not in leftovers:
            raise table.error(row, str(problem))
        yield Finding("scheme", str(problem), table.shape.file, row + 1)


def scheme_of(tables: Tables) -> SchemeSpec:
    """Return the scheme, in the order of the archive, which is that in which it is shown."""
    levels, categories = tables["levels"], tables["categories"]
    level_keys, relation_keys = levels["key"], tables["relations"]["key"]
    names = ("key", "label", "takes_index", "takes_optional", "singleton", "level", "help", "colour", "retired")
    return SchemeSpec(
        tuple(LevelSpec(*row) for row in _rows(levels, ("key", "label", "coded", "coders_mark"))),
        tuple(
            CategorySpec(
                key,
                label,
                takes_index=takes_index,
                takes_optional=takes_optional,
                singleton=singleton,
                level=_key(level_keys, level),
                help=text,
                colour=colour,
                retired=retired,
            )
            for key, label, takes_index, takes_optional, singleton, level, text, colour, retired in _rows(
                categories, names
            )
        ),
        tuple(_relations(tables, level_keys)),
        tuple(_attributes(tables, level_keys, relation_keys)),
    )


def _relations(tables: Tables, levels: Sequence[str]) -> Iterator[RelationSpec]:
    sources = _keys_by_line(tables["relation_sources"], "relation", levels)
    targets = _keys_by_line(tables["relation_targets"], "relation", levels)
    names = ("key", "label", "help", "identity", "max_targets", "joint", "later", "asked_if", "retired")
    for line, (key, label, text, identity, max_targets, joint, later, asked_if, retired) in enumerate(
        _rows(tables["relations"], names), start=1
    ):
        yield RelationSpec(
            key,
            label,
            help=text,
            from_levels=tuple(sources.get(line, ())),
            to_levels=tuple(targets.get(line, ())),
            identity=identity,
            max_targets=max_targets,
            joint=joint,
            later=later,
            asked_if=Condition.from_state(asked_if) if asked_if else None,
            retired=retired,
        )


def _attributes(tables: Tables, levels: Sequence[str], relations: Sequence[str]) -> Iterator[AttributeSpec]:
    on_levels = _keys_by_line(tables["attribute_levels"], "attribute", levels)
    values: dict[int, list[ValueSpec]] = {}
    for attribute, *value in _rows(
        tables["attribute_values"], ("attribute", "key", "label", "help", "colour", "retired")
    ):
        values.setdefault(attribute, []).append(ValueSpec(*value))
    keys = tables["attributes"]["key"]
    names = ("key", "label", "help", "of", "relation", "kind", "required", "asked_if", "primary_of", "retired")
    for line, (key, label, text, of, relation, kind, required, asked_if, primary_of, retired) in enumerate(
        _rows(tables["attributes"], names), start=1
    ):
        yield AttributeSpec(
            key,
            label,
            help=text,
            of=Subject(of),
            relation=_key(relations, relation),
            levels=tuple(on_levels.get(line, ())),
            kind=AnswerKind(kind),
            required=required,
            asked_if=Condition.from_state(asked_if) if asked_if else None,
            primary_of=_key(keys, primary_of),
            values=tuple(values.get(line, ())),
            retired=retired,
        )


def _rows(table: Table, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name] for name in names), strict=True)


def _key(keys: Sequence[str], line: int | None) -> str:
    return "" if line is None else keys[line - 1]


def _keys_by_line(table: Table, name: str, levels: Sequence[str]) -> dict[int, list[str]]:
    """Return the keys of the levels that the rows of a table name, by what they belong to."""
    keys: dict[int, list[str]] = {}
    for line, level in _rows(table, (name, "level")):
        keys.setdefault(line, []).append(levels[level - 1])
    return keys
