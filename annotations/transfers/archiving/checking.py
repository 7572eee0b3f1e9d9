"""Check the tables of an archive against the rules of a project. Nothing is written here.

Rows that no project can contain are refused with file and line. Rows that nobody could enter now, because staff changed
the scheme or the members later, are restored unchanged and reported as findings.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import inf
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from annotations.adjudication.states import check_draft
from annotations.coding.decisions import OperationRejected, check_descriptions, is_import_decision, parse_operation
from annotations.coding.log.merges import parse_merge
from annotations.coding.markables.corrections import parse_correction
from annotations.coding.markables.markables import InvalidMarkable, check_parts
from annotations.core.text import is_storable
from annotations.formats import Finding
from annotations.formats.model.keys import format_parts, markable_key, parse_key
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.project import Kind, Table
from annotations.models import Coding, Membership, Operation, Project, Segment, Text
from annotations.models.coding import DECIDED_KINDS
from annotations.models.people.rights import ROLES_SEEING_ALL_WORK
from annotations.planning.repeats import MAX_REPEATED
from annotations.planning.work.assignments import MAX_DAYS
from annotations.projects.scheme_rows import SchemeRows
from annotations.schemes.consistency import check_scheme, find_leftovers
from annotations.transfers.archiving.judging import check_judgements
from annotations.transfers.archiving.tables import TABLES, ArchivedTable, archived_fields

type Tables = Mapping[str, Table]

KINDS_BY_ROLE: Mapping[str, tuple[str, ...]] = {
    Text.Role.SOURCE: (Coding.Kind.TEXT, Coding.Kind.GOLD),
    Text.Role.MODELS: (Coding.Kind.PYRAMID, Coding.Kind.AGREED),
    Text.Role.PEER: (Coding.Kind.PEER, Coding.Kind.PEER_AGREED),
}
# Kinds only in the logs of gold and agreed pyramids; an agreed pyramid is never reassigned.
GOLD_KINDS = (Operation.Kind.DRAFT, Operation.Kind.DECIDE, Operation.Kind.ASSIGN)
TABLE_OF_KIND = {"level": "levels", "category": "categories", "relation": "relations", "attribute": "attributes"}

# The highest position; databases must also hold the next position, for a row that is added later.
MAX_POSITION = 10**9
# The lowest and highest number of fields whose models allow more than a project can use.
BOUNDS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("rounds", "position"): (0, MAX_POSITION),
    ("texts", "position"): (0, MAX_POSITION),
    ("codings", "place"): (0, MAX_POSITION),
    ("plans", "share"): (0, 1),
    ("repeat_plans", "share"): (0, 1),
    ("repeat_plans", "number"): (0, MAX_REPEATED),
    ("repeat_plans", "days"): (0, MAX_DAYS),
}


def check_tables(tables: Tables) -> list[Finding]:
    """Return findings on unusual rows. Raise FormatError on rows that no project can contain."""
    for archived in TABLES:
        table = tables[archived.name]
        _check_values(archived, table)
        for name, is_valid in archived.json.items():
            for row, value in table.rows(name):
                if not is_valid(value):
                    raise table.error(row, f"{name} is not of the shape that it has in a project")
        _check_unique(archived, table)
    if len(tables["project"]) != 1:
        raise tables["project"].error(0, f"an archive is of one project, this one of {len(tables['project'])}")
    scheme = _scheme_of(tables)
    findings = list(_check_scheme(tables, scheme))
    _check_segments(tables)
    _check_roles(tables)
    _check_models(tables)
    _check_rounds(tables)
    _check_guidelines(tables)
    _check_kinds(tables)
    _check_summaries(tables)
    findings += _check_markables(tables)
    _check_questions(tables)
    _check_operations(tables)
    _check_kinds_of_operations(tables)
    findings += check_judgements(tables, scheme)
    _check_scheme_versions(tables)
    findings += _coders_in_other_roles(tables)
    return findings


def usernames_in(tables: Tables) -> dict[str, tuple[Table, int]]:
    """Return all usernames in the archive, each with its first table and row."""
    first_rows: dict[str, tuple[Table, int]] = {}
    for table in tables.values():
        for field in table.shape.fields:
            if field.kind is Kind.PERSON:
                for row, name in table.rows(field.name):
                    if name is not None:
                        first_rows.setdefault(name, (table, row))
    return first_rows


def models_in(tables: Tables) -> set[str]:
    """Return the usernames of the archive's models."""
    return {tables["members"]["user"][line - 1] for line in tables["models"]["membership"]}


def _check_values(archived: ArchivedTable, table: Table) -> None:
    """Check each distinct value with the field of the model: its length, range and choices."""
    for name, field in archived_fields(archived).items():
        if isinstance(field, models.CharField | models.TextField | models.IntegerField | models.FloatField):
            low, high = BOUNDS.get((archived.name, name), (-inf, inf))
            for value in dict.fromkeys(value for value in table[name] if value is not None):
                try:
                    field.clean(value, None)
                except ValidationError as error:
                    raise table.error(list(table[name]).index(value), f"{name}: {' '.join(error.messages)}") from None
                if isinstance(value, int | float) and not low <= value <= high:
                    raise table.error(list(table[name]).index(value), f"{name} is {value}; it is from {low} to {high}")


def _check_unique(archived: ArchivedTable, table: Table) -> None:
    """Raise FormatError if two rows have equal values in fields that must be unique."""
    names = archived_fields(archived)
    unique_fields = [[name] for name, field in names.items() if field.unique]
    # The table between a relation and its levels has `unique_together` instead of a constraint object.
    unique_fields += [[name for name in together if name in names] for together in archived.model._meta.unique_together]
    unique_fields += [
        [name for name in constraint.fields if name in names]
        for constraint in archived.model._meta.constraints
        # Constraints with a condition are left to the database.
        if isinstance(constraint, models.UniqueConstraint) and constraint.condition is None
    ]
    for fields in filter(None, unique_fields):
        first: dict[tuple[object, ...], int] = {}
        for row, *values in table.rows(*fields):
            if first.setdefault(tuple(values), row) != row:
                raise table.error(row, f"line {first[tuple(values)] + 1} has the same {' and '.join(fields)}")


def _scheme_of(tables: Tables) -> SchemeSpec:
    """Return the scheme in the order of the archive, which is the display order."""

    def rows(table: Table) -> list[dict[str, Any]]:
        """Return the rows by column; the `id` of each row is its line, to which other tables refer."""
        names = [field.name for field in table.shape.fields]
        return [dict(zip(names, values, strict=True)) | {"id": row + 1} for row, *values in table.rows(*names)]

    def links(name: str, question: str) -> Iterator[tuple[int, int]]:
        return zip(tables[name][question], tables[name]["level"], strict=True)

    return SchemeRows(
        **{name: rows(tables[name]) for name in TABLE_OF_KIND.values()},
        values=rows(tables["attribute_values"]),
        relation_sources=links("relation_sources", "relation"),
        relation_targets=links("relation_targets", "relation"),
        attribute_levels=links("attribute_levels", "attribute"),
    ).spec()


def _check_scheme(tables: Tables, scheme: SchemeSpec) -> Iterator[Finding]:
    """Yield findings on leftovers of scheme changes. Raise FormatError at the row of any other problem."""
    leftovers = list(find_leftovers(scheme))
    for problem in check_scheme(scheme):
        table = tables[TABLE_OF_KIND[problem.kind]]
        row = list(table["key"]).index(problem.question)
        if problem not in leftovers:
            raise table.error(row, str(problem))
        yield Finding("scheme", str(problem), table.shape.file, row + 1)


def _check_segments(tables: Tables) -> None:
    segments, lengths = tables["segments"], _lengths(tables)
    for row, text, start, end in segments.rows("text", "start", "end"):
        if not 0 <= start < end <= lengths[text - 1]:
            raise segments.error(
                row, f"{start}-{end} is no stretch of its text, which has {lengths[text - 1]} characters"
            )


def _check_roles(tables: Tables) -> None:
    """Check that only pyramid projects have docsets, and that each docset has one text of model summaries."""
    texts, docsets = tables["texts"], tables["docsets"]
    if tables["project"]["answers"][0] != Project.Answers.SCUS:
        if len(docsets):
            raise docsets.error(0, "only a project whose answers are scus has docsets")
        for row, role in texts.rows("role"):
            if role != Text.Role.SOURCE:
                raise texts.error(row, f"role is {role}; only a project whose answers are scus has such texts")
    first: dict[int, int] = {}
    for row, role, docset in texts.rows("role", "docset"):
        if (role == Text.Role.SOURCE) != (docset is None):
            raise texts.error(row, f"a text whose role is {role} has {'no' if docset is None else 'a'} docset")
        if role == Text.Role.MODELS and first.setdefault(docset, row) != row:
            raise texts.error(row, f"line {first[docset] + 1} holds the model summaries of its docset already")
    for row in range(len(docsets)):
        if row + 1 not in first:
            raise docsets.error(row, "it has no text whose role is models")


def _check_models(tables: Tables) -> None:
    """Check that models have no role but coder, and that exactly their codings are marked as `by_model`."""
    members, codings, models = tables["members"], tables["codings"], models_in(tables)
    for row, user, role in members.rows("user", "role"):
        if user in models and role != Membership.Role.CODER:
            raise members.error(row, f"{user} is a model, and its role is {role}; it can only be coder")
    for row, coder, kind, by_model in codings.rows("coder", "kind", "by_model"):
        if by_model != (coder in models):
            raise codings.error(row, f"by_model is {by_model}, but {coder} is {'a' if coder in models else 'no'} model")
        if by_model and kind in DECIDED_KINDS:
            raise codings.error(row, f"{coder} is a model, and decides no {kind}")


def _check_rounds(tables: Tables) -> None:
    """Check that texts are in the rounds of their codings, and that rounds name existing versions."""
    rounds, codings = tables["rounds"], tables["codings"]
    known = {(round_, text) for _, round_, text in tables["round_texts"].rows("round", "text")}
    for row, round_, text, kind, occasion in codings.rows("round", "text", "kind", "occasion"):
        # gold remains when its text is removed from a round
        if (round_, text) not in known and kind != Coding.Kind.GOLD:
            raise codings.error(row, f"its text is not in the round of line {round_}")
        if occasion < 1 or (occasion > 1 and kind != Coding.Kind.TEXT):
            raise codings.error(row, f"occasion is {occasion}, which no coding of kind {kind} has")
    _refuse_circles(rounds)
    [scheme], guidelines = tables["project"]["scheme_version"], len(tables["guidelines_versions"])
    for row, starts, ends, of_scheme, of_guidelines in rounds.rows(
        "starts_on", "ends_on", "scheme_version", "guidelines_version"
    ):
        if starts and ends and ends < starts:
            raise rounds.error(row, "it ends before it starts")
        if of_scheme is not None and not 1 <= of_scheme <= scheme:
            raise rounds.error(row, f"scheme_version is {of_scheme}; the scheme has {scheme}")
        if of_guidelines is not None and (of_scheme is None or not 1 <= of_guidelines <= guidelines):
            raise rounds.error(row, f"guidelines_version is {of_guidelines}; guidelines_versions has {guidelines} rows")


def _refuse_circles(rounds: Table) -> None:
    """Raise FormatError at a round that requires itself, directly or through other rounds."""
    passable: set[int] = set()
    for first in range(len(rounds)):
        chain: set[int] = set()
        row: int | None = first
        while row is not None and row not in passable:
            if row in chain:
                raise rounds.error(row, "required_round is this round, or one that requires it")
            chain.add(row)
            line = rounds["required_round"][row]
            row = None if line is None else line - 1
        passable |= chain


def _check_guidelines(tables: Tables) -> None:
    """Check that versions of the guidelines count from 1, and that readings name existing versions."""
    versions, readings = tables["guidelines_versions"], tables["guidelines_readings"]
    for row, number in versions.rows("number"):
        if not 1 <= number <= len(versions):
            raise versions.error(row, f"number is {number}; there are {len(versions)} rows")
    for row, number in readings.rows("number"):
        if number > len(versions):
            raise readings.error(row, f"number is {number}; guidelines_versions has {len(versions)} rows")


def _check_kinds(tables: Tables) -> None:
    codings, roles = tables["codings"], tables["texts"]["role"]
    agreed: dict[int, int] = {}
    gold: dict[tuple[int, int], int] = {}
    for row, text, round_, kind, coder in codings.rows("text", "round", "kind", "coder"):
        role = roles[text - 1]
        if coder is None and kind != Coding.Kind.GOLD:
            raise codings.error(row, f"only gold has no coder, and this is of kind {kind}")
        if kind not in KINDS_BY_ROLE[role]:
            raise codings.error(row, f"kind is {kind}, which no coding of a text is whose role is {role}")
        if kind == Coding.Kind.AGREED and agreed.setdefault(text, row) != row:
            raise codings.error(row, f"line {agreed[text] + 1} is the agreed pyramid of this text already")
        if kind == Coding.Kind.GOLD and gold.setdefault((text, round_), row) != row:
            raise codings.error(row, f"line {gold[text, round_] + 1} is the gold of this text in this round already")


def _check_summaries(tables: Tables) -> None:
    """Check that only texts of model summaries have summaries, at least one each, without overlap."""
    segments, texts = tables["segments"], tables["texts"]
    summaries_by_text: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row, text, kind, start, end in segments.rows("text", "kind", "start", "end"):
        if kind == Segment.Kind.SUMMARY:
            role = texts["role"][text - 1]
            if role != Text.Role.MODELS:
                raise segments.error(row, f"a text whose role is {role} has no summaries")
            summaries_by_text[text].append((start, end, row))
    for row, role in texts.rows("role"):
        if role == Text.Role.MODELS and not summaries_by_text[row + 1]:
            raise texts.error(row, "its role is models, and no segment is a summary")
    for spans in summaries_by_text.values():
        for (_, end, row), (start, _, next_row) in pairwise(sorted(spans)):
            if start < end:
                raise segments.error(next_row, f"it shares characters with the summary of line {row + 1}")


def _lengths(tables: Tables) -> list[int]:
    return [len(content) for content in tables["texts"]["content"]]


def _check_markables(tables: Tables) -> Iterator[Finding]:
    """Check the parts and keys of markables; yield a finding if a key names a level other than its markable's."""
    markables, lengths, levels = tables["markables"], _lengths(tables), tables["levels"]["key"]
    for row, text, level, key, parts, head, start, end in markables.rows(
        "text", "level", "key", "parts", "head", "start", "end"
    ):
        length = lengths[text - 1]
        if not parts or parts[0][0] < 0:
            raise markables.error(row, "parts has no part, or one that begins before the text")
        try:
            check_parts(parts, length)
        except InvalidMarkable as error:
            raise markables.error(row, str(error)) from None
        if (start, end) != (parts[0][0], parts[-1][1]):
            raise markables.error(row, "start and end are not those of its parts")
        if any(not 0 <= head_start < head_end <= length for head_start, head_end in head):
            raise markables.error(row, "head is not made of words of the text")
        if key != markable_key(levels[level - 1], parts):
            if key.partition(":")[2] != format_parts(parts):
                raise markables.error(row, f"its key should be {markable_key(levels[level - 1], parts)}")
            yield Finding("other-level", f"{key} is of level {levels[level - 1]}", markables.shape.file, row + 1)


def _check_questions(tables: Tables) -> None:
    """Check that the keys of questions lie within their texts."""
    questions, lengths = tables["questions"], _lengths(tables)
    for row, text, key in questions.rows("text", "key"):
        place = parse_key(key)
        if key and (place is None or place.parts[-1][1] > lengths[text - 1]):
            raise questions.error(row, f"its text has no place for a markable {key[:50]!r}")


def _check_operations(tables: Tables) -> None:
    """Check that the log of each coding counts from 1 to its version."""
    operations, codings = tables["operations"], tables["codings"]
    logs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row, coding, sequence in operations.rows("coding", "sequence"):
        logs[coding].append((sequence, row))
    for row, version, corrections in codings.rows("version", "corrections"):
        log = sorted(logs[row + 1])
        for number, (sequence, operation_row) in enumerate(log, start=1):
            if sequence != number:
                raise operations.error(
                    operation_row, f"sequence is {sequence}; the log of its coding comes to {number} here"
                )
        logged = sum(operations["kind"][operation_row] in Operation.UNBEGUN_KINDS for _, operation_row in log)
        if logged != corrections:
            raise codings.error(row, f"corrections is {corrections}; its log has {logged}")
        if version != len(log):
            raise codings.error(row, f"version is {version}; its log has {len(log)} operations")


def _check_kinds_of_operations(tables: Tables) -> None:
    """Check the payloads of operations, and that their kinds are allowed in the log of their coding."""
    operations, kinds = tables["operations"], tables["codings"]["kind"]
    for row, kind, coding, user, payload in operations.rows("kind", "coding", "user", "payload"):
        of_kind = (Coding.Kind.GOLD,) if kind == Operation.Kind.ASSIGN else DECIDED_KINDS
        if kind in GOLD_KINDS and kinds[coding - 1] not in of_kind:
            raise operations.error(row, f"only gold is drafted and decided, or handed on, and this is of kind {kind}")
        if user is None and kind != Operation.Kind.DRAFT:
            raise operations.error(row, f"only drafts are by nobody, and this is of kind {kind}")
        try:
            if kind in CHECKS_OF_PAYLOADS:
                CHECKS_OF_PAYLOADS[kind](payload)
            else:
                parse_operation(kind, payload)
        except OperationRejected as rejection:
            raise operations.error(row, f"payload: {rejection}") from None


def _check_import(payload: Mapping[str, object]) -> None:
    judgements = payload.get("judgements")
    if not {"judgements"} <= payload.keys() <= {"judgements", "scus"} or not isinstance(judgements, list):
        raise OperationRejected("bad_payload", "an import says judgements, and SCUs where it is of a pyramid.")
    check_descriptions(payload.get("scus", []))
    if not all(map(is_import_decision, judgements)):
        raise OperationRejected("bad_payload", "one of its judgements is none.")


def _check_submission(payload: Mapping[str, object]) -> None:
    if payload:
        raise OperationRejected("bad_payload", "submit says nothing.")


def _check_reopening(payload: Mapping[str, object]) -> None:
    if not payload.keys() <= {"reason"} or not all(map(is_storable, payload.values())):
        raise OperationRejected("bad_payload", "reopen says nothing, or a reason.")


def _check_assignment(payload: Mapping[str, Any]) -> None:
    if payload.keys() != {"to"} or not (payload["to"] is None or is_storable(payload["to"])):
        raise OperationRejected("bad_payload", "it says to whom gold was handed on, or null for nobody.")


# Checks that raise OperationRejected on a malformed payload, by kind; coders make the operations of other kinds.
CHECKS_OF_PAYLOADS: Mapping[str, Callable[[Any], object]] = {
    Operation.Kind.IMPORT: _check_import,
    Operation.Kind.DRAFT: check_draft,
    Operation.Kind.CORRECT: parse_correction,
    Operation.Kind.MERGE: parse_merge,
    Operation.Kind.SUBMIT: _check_submission,
    Operation.Kind.REOPEN: _check_reopening,
    Operation.Kind.ASSIGN: _check_assignment,
}


def _check_scheme_versions(tables: Tables) -> None:
    """Check that scheme versions count from 1 to the current version, and that no row names a later version."""
    versions, [latest] = tables["scheme_versions"], tables["project"]["scheme_version"]
    n_versions = latest if latest > 1 else 0
    # The lengths are compared first, so that no list of a huge size is made.
    if len(versions) != n_versions or sorted(versions["number"]) != list(range(1, n_versions + 1)):
        raise tables["project"].error(0, f"scheme_version is {latest}; scheme_versions has {len(versions)} rows")
    for name in ("judgements", "operations"):
        for row, number in tables[name].rows("scheme_version"):
            if not 1 <= number <= latest:
                raise tables[name].error(row, f"scheme_version is {number}; the scheme has {latest}")


def _coders_in_other_roles(tables: Tables) -> Iterator[Finding]:
    """Yield a finding on each coder who is no member, or whose role sees the work of others."""
    codings = tables["codings"]
    role_of = {user: role for _, user, role in tables["members"].rows("user", "role")}
    told: set[str] = set()
    for row, coder, kind in codings.rows("coder", "kind"):
        if coder is None or coder in told:
            continue
        role = role_of.get(coder)
        if role is None:
            told.add(coder)
            yield Finding("no-member", f"{coder} codes and is no member", codings.shape.file, row + 1)
        elif role in ROLES_SEEING_ALL_WORK and kind not in (*DECIDED_KINDS, Coding.Kind.PEER_AGREED):
            told.add(coder)
            message = f"{coder} has coded texts and is {Membership.Role(role).label} here, who sees what others code"
            yield Finding("other-role", message, codings.shape.file, row + 1)
