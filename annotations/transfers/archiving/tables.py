"""The tables and fields of a project's archive, and the writing of the archive.

Other apps add their tables when they are ready (`add_tables`), or state why they are left out (`leave_out`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from django.db import models as db

from annotations import models
from annotations.coding.log.payloads import is_span
from annotations.core.database.queries import read_snapshot
from annotations.core.processes.heartbeat import beat
from annotations.core.text import pluralize
from annotations.formats.model.scheme_json import SchemeShapeError, scheme_from_json
from annotations.formats.project import OLDEST_VERSION, Field, Kind, Shape, Table, write
from annotations.models import Project
from annotations.schemes.constraints import is_condition

type Predicate = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class ArchivedTable:
    """A table of the archive.

    `project_lookup` leads from a row to its project. `order` names the fields that sort the rows, with "-" for
    descending; equal rows stay in the order of creation. `json` has a check for each JSON field. `since` has the first
    archive version of each field that is newer than the table. `counted` fields are left out and computed after a
    restore.
    """

    name: str
    model: type[db.Model]
    project_lookup: str
    order: tuple[str, ...]
    json: Mapping[str, Predicate] = field(default_factory=dict)  # a check for each JSON field
    since: Mapping[str, int] = field(default_factory=dict)  # for fields newer than the table
    table_since: int = OLDEST_VERSION
    counted: tuple[str, ...] = ()  # fields that are left out and computed after a restore


def is_spans(value: object) -> bool:
    """Return whether the value has the shape [[start, end], ...]."""
    return isinstance(value, list) and all(map(is_span, value))


def is_scheme(value: object) -> bool:
    """Return whether the value is a scheme as JSON."""
    try:
        scheme_from_json(value)
    except SchemeShapeError:
        return False
    return True


def is_merges(value: object) -> bool:
    """Return whether the value has the shape [[question, value, value], ...]."""
    return isinstance(value, list) and all(
        isinstance(merge, list) and len(merge) == 3 and all(isinstance(name, str) for name in merge) for merge in value
    )


def is_text_mapping(value: object) -> bool:
    """Return whether the value has the shape {text: text, ...}."""
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


# Each table comes after the tables that it refers to.
TABLES: list[ArchivedTable] = [
    ArchivedTable("project", models.Project, "pk", ("slug",), counted=("scheme_stamp",)),
    ArchivedTable("levels", models.Level, "project", ("position", "key")),
    ArchivedTable("categories", models.Category, "project", ("position", "key")),
    ArchivedTable("relations", models.Relation, "project", ("position", "key"), {"asked_if": is_condition}),
    ArchivedTable("relation_sources", models.Relation.from_levels.through, "relation__project", ("relation", "level")),
    ArchivedTable("relation_targets", models.Relation.to_levels.through, "relation__project", ("relation", "level")),
    ArchivedTable("attributes", models.Attribute, "project", ("position", "key"), {"asked_if": is_condition}),
    ArchivedTable("attribute_levels", models.Attribute.levels.through, "attribute__project", ("attribute", "level")),
    ArchivedTable("attribute_values", models.AttributeValue, "attribute__project", ("attribute", "position", "key")),
    ArchivedTable(
        "scheme_versions", models.SchemeVersion, "project", ("number",), {"scheme": is_scheme, "merges": is_merges}
    ),
    ArchivedTable("members", models.Membership, "project", ("user",)),
    ArchivedTable("models", models.ModelCoder, "membership__project", ("membership",), table_since=15),
    ArchivedTable("guidelines_versions", models.GuidelinesVersion, "project", ("number",)),
    ArchivedTable("guidelines_readings", models.GuidelinesReading, "project", ("user",)),
    ArchivedTable("docsets", models.Docset, "project", ("slug",)),
    ArchivedTable("rounds", models.Round, "project", ("position", "name")),
    ArchivedTable("training_decisions", models.TrainingDecision, "round__project", ("round", "decided_at")),
    ArchivedTable("texts", models.Text, "project", ("slug",)),
    ArchivedTable("round_texts", models.RoundText, "round__project", ("round", "text")),
    ArchivedTable("plans", models.Plan, "round__project", ("round",)),
    ArchivedTable("plan_coders", models.PlanCoder, "plan__round__project", ("plan", "coder")),
    ArchivedTable("plan_texts", models.PlanText, "plan__round__project", ("plan", "text")),
    ArchivedTable("repeat_plans", models.RepeatPlan, "round__project", ("round",)),
    ArchivedTable(
        "repeat_plan_coders", models.RepeatPlan.coders.through, "repeatplan__round__project", ("repeatplan", "user")
    ),
    ArchivedTable("segments", models.Segment, "text__project", ("text", "start", "-end", "kind")),
    ArchivedTable("questions", models.Question, "text__project", ("text", "created_at", "uuid")),
    # Replies may be equal in text and time, so the order of creation decides.
    ArchivedTable("replies", models.Reply, "question__text__project", ("question", "created_at")),
    ArchivedTable(
        "markables",
        models.Markable,
        "text__project",
        ("text", "start", "-end", "key"),
        {"parts": is_spans, "head": is_spans},
    ),
    ArchivedTable(
        "codings",
        models.Coding,
        "text__project",
        ("text", "coder", "kind", "round", "occasion"),
        since={"by_model": 15},
        counted=("active_time", "last_active"),
    ),
    ArchivedTable("judgements", models.Judgement, "coding__text__project", ("coding", "markable"), {"head": is_spans}),
    # Rows stay in the order in which the coder named the targets.
    ArchivedTable("pointers", models.Pointer, "judgement__coding__text__project", ("judgement",)),
    ArchivedTable("attribute_answers", models.AttributeAnswer, "judgement__coding__text__project", ("judgement",)),
    ArchivedTable("indices", models.Index, "judgement__coding__text__project", ("judgement",)),
    ArchivedTable("scus", models.SCU, "coding__text__project", ("coding", "key")),
    ArchivedTable(
        "operations",
        models.Operation,
        "coding__text__project",
        ("coding", "sequence"),
        {"payload": lambda value: isinstance(value, dict)},
    ),
]

LEFT_OUT: dict[str, str] = {
    "annotations.AccountOrigin": "whose password a manager here may reset: no file may say so",
    "annotations.ImportNames": "how files of others are called: nothing that is said of the texts",
    "annotations.Invitation": "a link into this project here: it would let nobody into another",
    "annotations.Transfer": "an import or export under way, or its file: nothing that is said of the texts",
}


def add_tables(*tables: ArchivedTable) -> None:
    """Add tables of another app to every archive."""
    TABLES.extend(tables)


def leave_out(model: type[db.Model], reason: str) -> None:
    """State why archives do not contain the table."""
    LEFT_OUT[model._meta.label] = reason


KINDS: tuple[tuple[type[db.Field[Any, Any]], Kind], ...] = (
    (db.JSONField, Kind.JSON),
    (db.BooleanField, Kind.FLAG),
    (db.IntegerField, Kind.WHOLE),
    (db.FloatField, Kind.NUMBER),
    (db.DateTimeField, Kind.TIME),
    (db.DateField, Kind.DAY),
    (db.UUIDField, Kind.UUID),
    (db.CharField, Kind.TEXT),
    (db.TextField, Kind.TEXT),
)


def archived_fields(archived: ArchivedTable) -> dict[str, db.Field[Any, Any]]:
    """Return the archived fields by name: all but the primary key, the project and the counted fields."""
    return {
        model_field.name: model_field
        for model_field in archived.model._meta.concrete_fields
        if not model_field.primary_key
        and model_field.related_model is not models.Project
        and model_field.name not in archived.counted
    }


def shape_of(archived: ArchivedTable) -> Shape:
    """Return the shape of the table in files. Raise TypeError on a field of an unknown kind."""
    fields = (_field(model_field) for model_field in archived_fields(archived).values())
    return Shape(
        archived.name,
        tuple(replace(field, since=archived.since.get(field.name, archived.table_since)) for field in fields),
        archived.table_since,
    )


def _field(model_field: db.Field[Any, Any]) -> Field:
    if isinstance(model_field, db.ForeignKey):
        if model_field.related_model is models.User:
            return Field(model_field.name, Kind.PERSON, model_field.null)
        [to] = [archived.name for archived in TABLES if archived.model is model_field.related_model]
        return Field(model_field.name, Kind.ROW, model_field.null, to)
    for field_class, kind in KINDS:
        if isinstance(model_field, field_class):
            return Field(model_field.name, kind, model_field.null)
    raise TypeError(f"{model_field} is of a kind that the archive of a project does not know")


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
    """Yield the tables, with line numbers in place of primary keys."""
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
    for row in rows if references else ():
        for position, line_numbers in references:
            if row[position] is not None:
                row[position] = line_numbers[row[position]]


def _order(archived: ArchivedTable, shape: Shape) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    positions = {field.name: number for number, field in enumerate(shape.fields, start=1)}
    sort_keys = [(positions[name.lstrip("-")], name.startswith("-")) for name in archived.order]
    # Empty values come last; gold that nobody has opened has no coder.
    return lambda row: tuple((row[i] is None, -row[i] if descending else row[i]) for i, descending in sort_keys)
