"""What an archive says of a project, held against what a project can be. Nothing is written here.

What no project can hold is refused with its file and line. What a project can come to hold although nobody could enter
it so, because the site's staff changed its scheme or its members later, comes back as it was and is a finding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from django.core.exceptions import ValidationError
from django.db import models

from annotations.archiving.judging import check_judgements
from annotations.archiving.tables import TABLES, Archived, is_spans, kept
from annotations.decisions import FIELDS, Refused, read
from annotations.formats import Finding
from annotations.formats.project import Kind, Table
from annotations.marking import BadMark, check_parts, key_of
from annotations.models import Coding, Operation, Project, Segment, Text

type Tables = Mapping[str, Table]

# What the codings of a text can be, by its role.
KINDS_OF: Mapping[str, tuple[str, ...]] = {
    Text.Role.SOURCE: (Coding.Kind.TEXT,),
    Text.Role.MODELS: (Coding.Kind.PYRAMID, Coding.Kind.AGREED),
    Text.Role.PEER: (Coding.Kind.PEER, Coding.Kind.PEER_AGREED),
}


def check(tables: Tables) -> list[Finding]:
    """Raise FormatError on what no project can hold; what is odd is given back."""
    for archived in TABLES:
        table = tables[archived.name]
        _check_values(archived, table)
        _check_json(archived, table)
        _check_unique(archived, table)
    if len(tables["project"]) != 1:
        raise tables["project"].error(0, f"an archive is of one project, this one of {len(tables['project'])}")
    _check_segments(tables)
    _check_roles(tables)
    _check_kinds(tables)
    _check_summaries(tables)
    findings = list(_check_markables(tables))
    findings += check_judgements(tables)
    _check_operations(tables)
    findings += _coders_without_role(tables)
    return findings


def people(tables: Tables) -> dict[str, tuple[Table, int]]:
    """Everybody whom the archive names, with the first row that does."""
    found: dict[str, tuple[Table, int]] = {}
    for table in tables.values():
        for field in table.shape.fields:
            if field.kind is Kind.PERSON:
                for row, name in enumerate(table[field.name]):
                    if name not in found:
                        found[name] = (table, row)
    return found


def _check_values(archived: Archived, table: Table) -> None:
    """Each different value is checked once, by the field of the model: its length, its range, its choices."""
    for name, field in kept(archived).items():
        if isinstance(field, models.CharField | models.TextField | models.IntegerField):
            for value in dict.fromkeys(value for value in table[name] if value is not None):
                try:
                    field.clean(value, None)
                except ValidationError as error:
                    raise table.error(list(table[name]).index(value), f"{name}: {' '.join(error.messages)}") from None


def _check_json(archived: Archived, table: Table) -> None:
    for name, allowed in archived.json.items():
        for row, value in enumerate(table[name]):
            if not allowed(value):
                raise table.error(row, f"{name} is not of the shape that it has in a project")


def _check_unique(archived: Archived, table: Table) -> None:
    """Raise FormatError where two rows are equal in what makes a row of the table."""
    names = kept(archived)
    together = [[name] for name, field in names.items() if field.unique]
    together += [
        [name for name in constraint.fields if name in names]
        for constraint in archived.model._meta.constraints
        # Those with a condition are left to the database.
        if isinstance(constraint, models.UniqueConstraint) and constraint.condition is None
    ]
    for fields in together:
        first: dict[tuple[object, ...], int] = {}
        for row, values in enumerate(zip(*(table[name] for name in fields), strict=True)):
            if first.setdefault(values, row) != row:
                raise table.error(row, f"line {first[values] + 1} has the same {' and '.join(fields)}")


def _check_segments(tables: Tables) -> None:
    segments, lengths = tables["segments"], _lengths(tables)
    for row, (text, start, end) in enumerate(zip(segments["text"], segments["start"], segments["end"], strict=True)):
        if not 0 <= start < end <= lengths[text - 1]:
            raise segments.error(
                row, f"{start}-{end} is no stretch of its text, which has {lengths[text - 1]} characters"
            )


def _check_roles(tables: Tables) -> None:
    """Docsets are of projects of pyramids, with one text of model summaries each; other texts are not there."""
    texts, docsets = tables["texts"], tables["docsets"]
    if tables["project"]["answers"][0] != Project.Answers.SCUS:
        if len(docsets):
            raise docsets.error(0, "only a project whose answers are scus has docsets")
        for row, role in enumerate(texts["role"]):
            if role != Text.Role.SOURCE:
                raise texts.error(row, f"role is {role}; only a project whose answers are scus has such texts")
    first: dict[int, int] = {}
    for row, (role, docset) in enumerate(zip(texts["role"], texts["docset"], strict=True)):
        if (role == Text.Role.SOURCE) != (docset is None):
            raise texts.error(row, f"a text whose role is {role} has {'no' if docset is None else 'a'} docset")
        if role == Text.Role.MODELS and first.setdefault(docset, row) != row:
            raise texts.error(row, f"line {first[docset] + 1} holds the model summaries of its docset already")
    for row in range(len(docsets)):
        if row + 1 not in first:
            raise docsets.error(row, "it has no text whose role is models")


def _check_kinds(tables: Tables) -> None:
    """What a coding is depends on the role of its text."""
    codings, roles = tables["codings"], tables["texts"]["role"]
    agreed: dict[int, int] = {}
    for row, (text, kind) in enumerate(zip(codings["text"], codings["kind"], strict=True)):
        role = roles[text - 1]
        if kind not in KINDS_OF[role]:
            raise codings.error(row, f"kind is {kind}, which no coding of a text is whose role is {role}")
        if kind == Coding.Kind.AGREED and agreed.setdefault(text, row) != row:
            raise codings.error(row, f"line {agreed[text] + 1} is the agreed pyramid of this text already")


def _check_summaries(tables: Tables) -> None:
    """Model summaries are there and stand one after the other; other texts have none."""
    segments, texts = tables["segments"], tables["texts"]
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    names = ("text", "kind", "start", "end")
    for row, (text, kind, start, end) in enumerate(zip(*(segments[name] for name in names), strict=True)):
        if kind == Segment.Kind.SUMMARY:
            role = texts["role"][text - 1]
            if role != Text.Role.MODELS:
                raise segments.error(row, f"a text whose role is {role} has no summaries")
            found[text].append((start, end, row))
    for row, role in enumerate(texts["role"]):
        if role == Text.Role.MODELS and not found[row + 1]:
            raise texts.error(row, "its role is models, and no segment is a summary")
    for stretches in found.values():
        for (_, end, one), (start, _, other) in pairwise(sorted(stretches)):
            if start < end:
                raise segments.error(other, f"it shares characters with the summary of line {one + 1}")


def _lengths(tables: Tables) -> list[int]:
    return [len(content) for content in tables["texts"]["content"]]


def _check_markables(tables: Tables) -> Iterator[Finding]:
    """Parts and key say the same and lie in the text; so does the head, though it may be of other words."""
    markables, lengths, levels = tables["markables"], _lengths(tables), tables["levels"]["key"]
    names = ("text", "level", "key", "parts", "head", "start", "end")
    for row, (text, level, key, parts, head, start, end) in enumerate(
        zip(*(markables[name] for name in names), strict=True)
    ):
        length = lengths[text - 1]
        if not parts or parts[0][0] < 0:
            raise markables.error(row, "parts has no part, or one that begins before the text")
        try:
            check_parts(parts, length)
        except BadMark as error:
            raise markables.error(row, str(error)) from None
        if (start, end) != (parts[0][0], parts[-1][1]):
            raise markables.error(row, "start and end are not those of its parts")
        if any(not 0 <= one < other <= length for one, other in head):
            raise markables.error(row, "head is not made of words of the text")
        if key != key_of(levels[level - 1], parts):
            if key.partition(":")[2] != key_of("", parts)[1:]:
                raise markables.error(row, f"its key should be {key_of(levels[level - 1], parts)}")
            yield Finding("other-level", f"{key} is of level {levels[level - 1]}", markables.shape.file, row + 1)


def _check_operations(tables: Tables) -> None:
    """The log of each coding counts from 1 to its version, and says what operations can say."""
    operations, codings = tables["operations"], tables["codings"]
    logs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row, (coding, sequence) in enumerate(zip(operations["coding"], operations["sequence"], strict=True)):
        logs[coding].append((sequence, row))
    for row, version in enumerate(codings["version"]):
        log = sorted(logs[row + 1])
        for number, (sequence, place) in enumerate(log, start=1):
            if sequence != number:
                raise operations.error(place, f"sequence is {sequence}; the log of its coding comes to {number} here")
        if version != len(log):
            raise codings.error(row, f"version is {version}; its log has {len(log)} operations")
    for row, (kind, payload) in enumerate(zip(operations["kind"], operations["payload"], strict=True)):
        try:
            _check_payload(kind, payload)
        except Refused as refused:
            raise operations.error(row, f"payload: {refused}") from None


def _check_payload(kind: str, payload: Mapping[str, object]) -> None:
    """Raise Refused on a payload of another shape than the operation has."""
    if kind == Operation.Kind.IMPORT:
        judgements, scus = payload.get("judgements"), payload.get("scus", [])
        if not {"judgements"} <= payload.keys() <= {"judgements", "scus"} or not isinstance(judgements, list):
            raise Refused("bad_payload", "an import says judgements, and SCUs where it is of a pyramid.")
        if not isinstance(scus, list) or not all(isinstance(one, dict) for one in scus):
            raise Refused("bad_payload", "its SCUs are no list.")
        for description in scus:
            read("describe", description)
        for judgement in judgements:
            if not _is_judgement(judgement):
                raise Refused("bad_payload", "one of its judgements is none.")
    elif kind in (Operation.Kind.SUBMIT, Operation.Kind.REOPEN):
        if payload:
            raise Refused("bad_payload", f"{kind} says nothing.")
    else:
        read(kind, payload)


def _is_judgement(said: object) -> bool:
    """Whether it is a decision's payload; files may name more antecedents than an operation of a coder's may."""
    if not isinstance(said, dict) or said.keys() != set(FIELDS):
        return False
    names = (said["pointers"], said["indices"])
    try:
        read("judge", said | {"pointers": [], "indices": [], "head": []})
    except Refused:
        return False
    return is_spans(said["head"]) and all(
        isinstance(of, list) and all(isinstance(name, str) for name in of) for of in names
    )


def _coders_without_role(tables: Tables) -> Iterable[Finding]:
    codings, members = tables["codings"], set(tables["members"]["user"])
    for row, coder in enumerate(codings["coder"]):
        if coder not in members:
            members.add(coder)
            yield Finding("no-member", f"{coder} codes and is no member", codings.shape.file, row + 1)
