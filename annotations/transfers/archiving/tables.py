"""The tables of a project that its archive holds, and what it keeps of each: every field, as the model has it.

Other apps add theirs when they are ready (`add_tables`), or say why they are left out (`leave_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from annotations.formats.project import Field, Kind, Shape
from annotations.models import (
    SCU,
    Category,
    Coding,
    Docset,
    Index,
    Judgement,
    Level,
    Markable,
    Membership,
    Operation,
    Pointer,
    Project,
    Segment,
    Text,
    User,
)

type Predicate = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Archived:
    """A table of the archive.

    way: the lookup that leads from a row to its project. order: by what its rows are ordered, "-" for descending; rows
    that are equal in that stay in the order in which they were made. json: of each JSON field what may stand in it.
    """

    name: str
    model: type[models.Model]
    way: str
    order: tuple[str, ...]
    json: Mapping[str, Predicate] = field(default_factory=dict)


def is_spans(value: object) -> bool:
    """[[start, end], ...]"""
    return isinstance(value, list) and all(
        isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span) for span in value
    )


def is_object(value: object) -> bool:
    return isinstance(value, dict)


def is_words(value: object) -> bool:
    """{text: text, ...}"""
    return isinstance(value, dict) and all(isinstance(word, str) for word in value.values())


# A table comes after those that it refers to.
TABLES: list[Archived] = [
    Archived("project", Project, "pk", ("slug",)),
    Archived("levels", Level, "project", ("position", "key")),
    Archived("categories", Category, "project", ("position", "key")),
    Archived("members", Membership, "project", ("user",)),
    Archived("docsets", Docset, "project", ("slug",)),
    Archived("texts", Text, "project", ("slug",)),
    Archived("segments", Segment, "text__project", ("text", "start", "-end", "kind")),
    Archived(
        "markables",
        Markable,
        "text__project",
        ("text", "start", "-end", "key"),
        {"parts": is_spans, "head": is_spans},
    ),
    Archived("codings", Coding, "text__project", ("text", "coder", "kind")),
    Archived("judgements", Judgement, "coding__text__project", ("coding", "markable"), {"head": is_spans}),
    # The order in which the coder named them is kept.
    Archived("pointers", Pointer, "judgement__coding__text__project", ("judgement",)),
    Archived("indices", Index, "judgement__coding__text__project", ("judgement",)),
    Archived("scus", SCU, "coding__text__project", ("coding", "key")),
    Archived("operations", Operation, "coding__text__project", ("coding", "sequence"), {"payload": is_object}),
]

# Tables of a project that no archive holds, and why.
LEFT_OUT: dict[str, str] = {
    "annotations.Invitation": "a link into this project here: it would let nobody into another",
    "annotations.Transfer": "an import or export under way, or its file: nothing that is said of the texts",
}


def add_tables(*tables: Archived) -> None:
    """Put tables of another app into every archive."""
    TABLES.extend(tables)


def leave_out(model: type[models.Model], why: str) -> None:
    """Say why an archive does not hold the table."""
    LEFT_OUT[model._meta.label] = why


KINDS: tuple[tuple[type[models.Field[Any, Any]], Kind], ...] = (
    (models.JSONField, Kind.JSON),
    (models.BooleanField, Kind.FLAG),
    (models.IntegerField, Kind.WHOLE),
    (models.DateTimeField, Kind.TIME),
    (models.UUIDField, Kind.UUID),
    (models.CharField, Kind.TEXT),
    (models.TextField, Kind.TEXT),
)


def kept(archived: Archived) -> dict[str, models.Field[Any, Any]]:
    """The fields that the archive keeps: all but the row's own key and that of the project, which is only one."""
    return {
        one.name: one
        for one in archived.model._meta.concrete_fields
        if not one.primary_key and one.related_model is not Project
    }


def shape_of(archived: Archived) -> Shape:
    """The table as files hold it. Raises TypeError on a field of a kind that the archive does not know."""
    return Shape(archived.name, tuple(_field(one) for one in kept(archived).values()))


def _field(one: models.Field[Any, Any]) -> Field:
    if isinstance(one, models.ForeignKey):
        if one.related_model is User:
            return Field(one.name, Kind.PERSON, one.null)
        [to] = [archived.name for archived in TABLES if archived.model is one.related_model]
        return Field(one.name, Kind.ROW, one.null, to)
    for known, kind in KINDS:
        if isinstance(one, known):
            return Field(one.name, kind, one.null)
    raise TypeError(f"{one} is of a kind that the archive of a project does not know")
