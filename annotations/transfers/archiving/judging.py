"""Check the judgements of an archive against the rules of its scheme, and against the logs of their codings."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from annotations.coding.decisions import ROW_FIELDS, Decision, OperationRejected
from annotations.coding.judgements import decisions_of_rows
from annotations.coding.log.payloads import MAX_NOTE_LENGTH
from annotations.coding.log.replay import replay_mismatches
from annotations.coding.rules import Rules, check_head
from annotations.formats import Finding
from annotations.formats.model.scheme import LISTED_KINDS, AnswerKind, SchemeSpec
from annotations.formats.project import Table
from annotations.models import Level, Markable, Operation
from annotations.schemes.constraints import MAX_NUMBER, MAX_TEXT_LENGTH, constraints_of

type Tables = Mapping[str, Table]

# Each move, deletion or correction in a replay goes through the judgements; this bounds the total.
MAX_REPLAYED = 20_000_000
COSTLY_KINDS = (Operation.Kind.UNMARK, Operation.Kind.MOVE, Operation.Kind.CORRECT, Operation.Kind.MERGE)
# The field of an answer to an attribute, by the kind of the attribute.
ANSWER_FIELD = {kind: "a value" if kind in LISTED_KINDS else f"a {kind}" for kind in AnswerKind}


def check_judgements(tables: Tables, scheme: SchemeSpec) -> Iterator[Finding]:
    """Yield findings on judgements that the scheme no longer allows, and on codings that differ from their logs.

    Raise FormatError on a judgement that is invalid in any scheme. The operations must be checked already.
    """
    _check_texts(tables)
    _check_answers(tables)
    judgements, codings = tables["judgements"], tables["codings"]
    answers, constraints = tables["project"]["answers"][0], constraints_of(scheme)
    markables = _markables(tables)
    predefined_by_text: dict[int, dict[str, Markable]] = defaultdict(dict)
    for row, text, is_predefined in tables["markables"].rows("text", "predefined"):
        if is_predefined:
            predefined_by_text[text][markables[row].key] = markables[row]
    rows_by_coding: dict[int, list[int]] = defaultdict(list)
    for row, coding in judgements.rows("coding"):
        rows_by_coding[coding].append(row)
    decisions = _decisions(tables)
    logs = _Logs(tables)
    for coding, text in enumerate(codings["text"], start=1):
        rows = rows_by_coding[coding]
        own = [markables[judgements["markable"][row] - 1] for row in rows]
        # The coder sees the predefined markables of the text and the markables of this coding.
        visible = {**predefined_by_text[text], **{markable.key: markable for markable in own}}
        rules = Rules(answers, constraints, visible)
        for row in rows:
            try:
                _check_always(decisions[row], rules)
            except OperationRejected as rejection:
                raise judgements.error(row, str(rejection)) from None
            try:
                rules.check(decisions[row])
            except OperationRejected as rejection:
                yield Finding(rejection.code, str(rejection), judgements.shape.file, row + 1)
        yield from logs.compare(coding, predefined_by_text[text].keys(), [decisions[row] for row in rows])


class _Logs:
    def __init__(self, tables: Tables) -> None:
        self.codings, self.slugs = tables["codings"], tables["texts"]["slug"]
        self.logs: dict[int, list[tuple[int, str, Any]]] = defaultdict(list)
        for _, coding, *entry in tables["operations"].rows("coding", "sequence", "kind", "payload"):
            self.logs[coding].append((entry[0], entry[1], entry[2]))
        self.descriptions: dict[int, dict[str, tuple[str, str]]] = defaultdict(dict)
        for _, coding, key, label, comment in tables["scus"].rows("coding", "key", "label", "comment"):
            self.descriptions[coding][key] = (label, comment)
        self.left = MAX_REPLAYED

    def compare(self, coding: int, predefined: Collection[str], decisions: Sequence[Decision]) -> Iterator[Finding]:
        """Yield a finding on each difference between a coding and its log."""
        codings, row = self.codings, coding - 1
        whose = f"{codings['coder'][row] or 'nobody'}, {self.slugs[codings['text'][row] - 1]} ({codings['kind'][row]})"
        log = [(kind, payload) for _, kind, payload in sorted(self.logs.pop(coding, []), key=lambda entry: entry[0])]
        self.left -= len(log) * sum(kind in COSTLY_KINDS for kind, _ in log)
        if self.left < 0:
            message = f"{whose}: the log is too long to be compared here"
            yield Finding("log-not-replayed", message, codings.shape.file, coding)
            return
        described = self.descriptions.pop(coding, {})
        try:
            mismatches = list(replay_mismatches(log, predefined, codings["status"][row], decisions, described))
        except OperationRejected as rejection:
            mismatches = [str(rejection)]
        for mismatch in mismatches:
            yield Finding("not-by-log", f"not what its log says: {whose}: {mismatch}", codings.shape.file, coding)


def _check_always(decision: Decision, rules: Rules) -> None:
    """Raise OperationRejected on a decision that no scheme has ever allowed."""
    check_head(decision, rules.markable(decision.markable))
    if len(decision.note) > MAX_NOTE_LENGTH:
        raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
    for key in decision.targets():
        rules.markable(key)
        if key == decision.markable:
            raise OperationRejected("points_at_itself", f"{key!r} cannot be its own antecedent.")


def _check_texts(tables: Tables) -> None:
    """Raise FormatError if a judgement or a target is in another text than its coding."""
    judgements, pointers = tables["judgements"], tables["pointers"]
    text_of, text_coded = tables["markables"]["text"], tables["codings"]["text"]
    texts = [text_coded[coding - 1] for coding in judgements["coding"]]
    for row, markable in judgements.rows("markable"):
        if text_of[markable - 1] != texts[row]:
            raise judgements.error(row, "markable is of another text than the coding")
    for row, judgement, target in pointers.rows("judgement", "target"):
        if text_of[target - 1] != texts[judgement - 1]:
            raise pointers.error(row, "target is of another text than the judgement")


def _check_answers(tables: Tables) -> None:
    """Raise FormatError on an answer that its attribute can never have."""
    answers, attributes, values = tables["attribute_answers"], tables["attributes"], tables["attribute_values"]
    answered = set[tuple[int, int]]()
    for row, judgement, attribute, value, text, number in answers.rows(
        "judgement", "attribute", "value", "text", "number"
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
        if kind != AnswerKind.SEVERAL and (judgement, attribute) in answered:
            raise answers.error(row, f"{key} has another answer already")
        answered.add((judgement, attribute))


def _markables(tables: Tables) -> list[Markable]:
    levels = [Level(pk=row + 1, key=key, coded=coded) for row, key, coded in tables["levels"].rows("key", "coded")]
    return [
        Markable(level=levels[level - 1], key=key, parts=parts, start=start, end=end)
        for _, level, key, parts, start, end in tables["markables"].rows("level", "key", "parts", "start", "end")
    ]


def _decisions(tables: Tables) -> list[Decision]:
    """Return the decisions of the judgements, in their order. Pointers are sorted by target."""

    def by_line(table: str, field: str = "key") -> list[Any]:
        """Return the values of a field by line from 1; line 0 stands for no line and has None."""
        return [None, *tables[table][field]]

    markables, categories, relations = by_line("markables"), by_line("categories"), by_line("relations")
    attributes, values, kinds = by_line("attributes"), by_line("attribute_values"), by_line("attributes", "kind")
    is_identity = by_line("relations", "identity")
    pointers = sorted(tables["pointers"].rows("judgement", "target", "reading", "relation"), key=lambda row: row[2])
    answers = tables["attribute_answers"].rows("judgement", "attribute", "value", "text", "number")
    return list(
        decisions_of_rows(
            (
                (row + 1, markables[markable], categories[category or 0], *own)
                for row, markable, category, *own in tables["judgements"].rows("markable", "category", *ROW_FIELDS)
            ),
            (
                (judgement, markables[target], reading, is_identity[relation], relations[relation])
                for _, judgement, target, reading, relation in pointers
            ),
            (row[1:] for row in tables["indices"].rows("judgement", "entity")),
            (
                (judgement, attributes[attribute], kinds[attribute], values[value or 0], text, number)
                for _, judgement, attribute, value, text, number in answers
            ),
        )
    )
