"""Check the judgements of an archive against the rules of its scheme, and against the logs of their codings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from annotations.coding.decisions import ROW_FIELDS, Decision, OperationRejected, fields_of_row
from annotations.coding.log.payloads import MAX_NOTE_LENGTH
from annotations.coding.log.replay import replay_mismatches
from annotations.coding.readings import Readings, without_doubles
from annotations.coding.rules import Rules, check_head
from annotations.formats import Finding
from annotations.formats.model.scheme import LISTED_KINDS, AnswerKind, AnswerValue
from annotations.formats.project import Table
from annotations.models import Level, Markable, Operation
from annotations.schemes.constraints import MAX_NUMBER, MAX_TEXT_LENGTH, constraints_of
from annotations.transfers.archiving.scheme import scheme_of

type Tables = Mapping[str, Table]


# The replay of moves, deletions and corrections goes through the judgements each time: so many are gone through.
MAX_REPLAYED = 20_000_000
COSTLY_KINDS = (Operation.Kind.UNMARK, Operation.Kind.MOVE, Operation.Kind.CORRECT, Operation.Kind.MERGE)


def check_judgements(tables: Tables) -> Iterator[Finding]:
    """Yield findings on what the scheme no longer allows, and on codings that are not what their logs say.

    Raise FormatError on what no judgement can contain. The operations must be checked already.
    """
    _check_texts(tables)
    judgements, codings = tables["judgements"], tables["codings"]
    answers = tables["project"]["answers"][0]
    markables = list(_markables(tables))
    categories = tables["categories"]["key"]
    constraints = constraints_of(scheme_of(tables))
    predefined_by_text: dict[int, dict[str, Markable]] = defaultdict(dict)
    for markable, text, is_predefined in zip(
        markables, tables["markables"]["text"], tables["markables"]["predefined"], strict=True
    ):
        if is_predefined:
            predefined_by_text[text][markable.key] = markable
    rows_by_coding: dict[int, list[int]] = defaultdict(list)
    for row, coding in enumerate(judgements["coding"]):
        rows_by_coding[coding].append(row)
    pointers, relations = _readings(tables, markables)
    attributes = _answers(tables)
    indices = _values_by_judgement(tables["indices"], "entity")
    values = list(zip(*(judgements[name] for name in JUDGEMENT_FIELDS), strict=True))
    logs = _Logs(tables)
    for coding in range(1, len(codings) + 1):
        rows = rows_by_coding.get(coding, [])
        decisions = []
        own = [markables[judgements["markable"][row] - 1] for row in rows]
        # The markables that the coder sees: those predefined in the text and those marked by this coder.
        visible = {**predefined_by_text[codings["text"][coding - 1]], **{markable.key: markable for markable in own}}
        rules = Rules(answers, constraints, visible)
        for row, markable in zip(rows, own, strict=True):
            category, *own_columns = values[row]
            decision = Decision(
                markable.key,
                category=categories[category - 1] if category is not None else None,
                pointers=pointers.get(row + 1, ()),
                indices=tuple(indices.get(row + 1, ())),
                **fields_of_row(own_columns),
                relations=relations.get(row + 1, ()),
                attributes=attributes.get(row + 1, ()),
            )
            decisions.append(decision)
            try:
                _check_always(decision, rules)
            except OperationRejected as rejection:
                raise judgements.error(row, str(rejection)) from None
            try:
                rules.check(decision)
            except OperationRejected as rejection:
                yield Finding(rejection.code, str(rejection), judgements.shape.file, row + 1)
        yield from logs.compare(coding, predefined_by_text[codings["text"][coding - 1]].keys(), decisions)


class _Logs:
    """The logs of the codings of an archive, to replay."""

    def __init__(self, tables: Tables) -> None:
        self.codings, self.slugs = tables["codings"], tables["texts"]["slug"]
        operations, scus = tables["operations"], tables["scus"]
        self.logs: dict[int, list[tuple[int, str, Any]]] = defaultdict(list)
        for coding, *entry in zip(
            *(operations[name] for name in ("coding", "sequence", "kind", "payload")), strict=True
        ):
            self.logs[coding].append((entry[0], entry[1], entry[2]))
        self.descriptions: dict[int, dict[str, tuple[str, str]]] = defaultdict(dict)
        for coding, key, *said in zip(*(scus[name] for name in ("coding", "key", "label", "comment")), strict=True):
            self.descriptions[coding][key] = (said[0], said[1])
        self.left = MAX_REPLAYED

    def compare(self, coding: int, predefined: Collection[str], decisions: Sequence[Decision]) -> Iterator[Finding]:
        """Yield a finding on each difference between a coding and its log."""
        codings, row = self.codings, coding - 1
        file, line = codings.shape.file, coding
        whose = f"{codings['coder'][row] or 'nobody'}, {self.slugs[codings['text'][row] - 1]} ({codings['kind'][row]})"
        log = [(kind, payload) for _, kind, payload in sorted(self.logs.pop(coding, []), key=lambda entry: entry[0])]
        self.left -= len(log) * sum(kind in COSTLY_KINDS for kind, _ in log)
        if self.left < 0:
            yield Finding("log-not-replayed", f"{whose}: the log is too long to be compared here", file, line)
            return
        described = self.descriptions.pop(coding, {})
        try:
            for mismatch in replay_mismatches(log, predefined, codings["status"][row], decisions, described):
                yield Finding("not-by-log", f"not what its log says: {whose}: {mismatch}", file, line)
        except OperationRejected as rejection:
            yield Finding("not-by-log", f"not what its log says: {whose}: {rejection}", file, line)


JUDGEMENT_FIELDS = ("category", *ROW_FIELDS)


def _check_always(decision: Decision, rules: Rules) -> None:
    """Raise OperationRejected on what no scheme has ever allowed."""
    check_head(decision, rules.markable(decision.markable))
    if len(decision.note) > MAX_NOTE_LENGTH:
        raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
    for key in decision.targets():
        rules.markable(key)
        if key == decision.markable:
            raise OperationRejected("points_at_itself", f"{key!r} cannot be its own antecedent.")


def _check_texts(tables: Tables) -> None:
    """Raise FormatError if a judgement or its antecedent is of another text than its coding."""
    judgements, pointers = tables["judgements"], tables["pointers"]
    text_of, text_coded = tables["markables"]["text"], tables["codings"]["text"]
    texts = []
    for row, (coding, markable) in enumerate(zip(judgements["coding"], judgements["markable"], strict=True)):
        texts.append(text_coded[coding - 1])
        if text_of[markable - 1] != texts[-1]:
            raise judgements.error(row, "markable is of another text than the coding")
    for row, (judgement, target) in enumerate(zip(pointers["judgement"], pointers["target"], strict=True)):
        if text_of[target - 1] != texts[judgement - 1]:
            raise pointers.error(row, "target is of another text than the judgement")


def _values_by_judgement(table: Table, field: str) -> dict[int, list[Any]]:
    """Return the values of a field of the table, by judgement."""
    values: dict[int, list[Any]] = defaultdict(list)
    for judgement, value in zip(table["judgement"], table[field], strict=True):
        values[judgement].append(value)
    return values


def _levels(tables: Tables) -> list[Level]:
    levels = tables["levels"]
    return [
        Level(pk=number, key=key, coded=coded)
        for number, (key, coded) in enumerate(zip(levels["key"], levels["coded"], strict=True), start=1)
    ]


def _markables(tables: Tables) -> Iterator[Markable]:
    markables, levels = tables["markables"], _levels(tables)
    for level, key, parts, start, end in zip(
        *(markables[name] for name in ("level", "key", "parts", "start", "end")), strict=True
    ):
        yield Markable(level=levels[level - 1], key=key, parts=parts, start=start, end=end)


# The field of an answer to an attribute, by the kind of the attribute.
ANSWER_FIELD = {kind: "a value" if kind in LISTED_KINDS else f"a {kind}" for kind in AnswerKind}

type RelationReadings = tuple[tuple[str, Readings], ...]


def _readings(tables: Tables, markables: Sequence[Markable]) -> tuple[dict[int, Readings], dict[int, RelationReadings]]:
    """Return the readings of identity by judgement, and those of the other relations."""
    pointers, keys, is_identity = tables["pointers"], tables["relations"]["key"], tables["relations"]["identity"]
    targets: dict[int, dict[int, dict[int, list[str]]]] = {}
    for judgement, relation, reading, target in zip(
        *(pointers[name] for name in ("judgement", "relation", "reading", "target")), strict=True
    ):
        readings = targets.setdefault(judgement, {}).setdefault(relation, {})
        readings.setdefault(reading, []).append(markables[target - 1].key)
    identity: dict[int, Readings] = {}
    others: dict[int, RelationReadings] = {}
    for judgement, relations in targets.items():
        for relation, numbered in relations.items():
            # Deletions can make two readings one.
            found = without_doubles(tuple(reading) for reading in numbered.values())
            if is_identity[relation - 1]:
                identity[judgement] = (*identity.get(judgement, ()), *found)
            else:
                others[judgement] = (*others.get(judgement, ()), (keys[relation - 1], found))
    return identity, others


def _answers(tables: Tables) -> dict[int, tuple[tuple[str, AnswerValue], ...]]:
    """Return the answers to attributes by judgement. Raise FormatError on what no attribute can have."""
    answers, attributes, values = tables["attribute_answers"], tables["attributes"], tables["attribute_values"]
    found: dict[int, dict[str, AnswerValue]] = {}
    names = ("judgement", "attribute", "value", "text", "number")
    for row, (judgement, attribute, value, text, number) in enumerate(
        zip(*(answers[name] for name in names), strict=True)
    ):
        key, kind = attributes["key"][attribute - 1], attributes["kind"][attribute - 1]
        if value is not None and values["attribute"][value - 1] != attribute:
            raise answers.error(row, f"value is line {value} of attribute_values, which is none of {key}")
        if number is not None and abs(number) > MAX_NUMBER:
            raise answers.error(row, f"number is greater than {MAX_NUMBER}")
        if len(text) > MAX_TEXT_LENGTH:
            raise answers.error(row, f"text has more than {MAX_TEXT_LENGTH} characters")
        if (value is None) == (kind in LISTED_KINDS) or (number is None) == (kind == AnswerKind.NUMBER):
            raise answers.error(row, f"an answer to {key} is {ANSWER_FIELD[kind]}")
        of_judgement = found.setdefault(judgement, {})
        one = values["key"][value - 1] if value is not None else text if number is None else number
        before = of_judgement.get(key)
        if kind == AnswerKind.SEVERAL:
            of_judgement[key] = (*before, one) if isinstance(before, tuple) else (one,)
        elif before is not None:
            raise answers.error(row, f"{key} has another answer already")
        else:
            of_judgement[key] = one
    return {judgement: tuple(sorted(of_judgement.items())) for judgement, of_judgement in found.items()}
