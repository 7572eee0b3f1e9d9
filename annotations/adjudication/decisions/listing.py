"""The decisions on gold and agreed pyramids, by item: source, reason, and later changes of coders' answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError

from annotations.adjudication.decisions.answers import read_gold_answers
from annotations.adjudication.decisions.changes import WorkChanges, bases_of_drafts, read_changes
from annotations.adjudication.decisions.log import GoldLog, read_logs
from annotations.adjudication.proposal import Item, item_order
from annotations.coding.decisions import DecideItems
from annotations.coding.log.payloads import Reason, Source
from annotations.core.text import is_storable
from annotations.formats.model.keys import split_key
from annotations.formats.syntax.table import write_table
from annotations.models import Coding, Operation, Project, Text
from annotations.models.coding import DECIDED_KINDS
from annotations.projects.letters import letters_of_coders, names_of_coders, sees_names
from annotations.projects.rounds import find_round
from annotations.schemes.project_scheme import question_labels
from annotations.texts.keywords import Keyword, keyword_in_context

REASONS = {
    Reason.AMBIGUOUS: "Ambiguous text",
    Reason.GUIDELINE: "Guideline gap",
    Reason.SLIP: "Slip",
    Reason.SCHEME: "Scheme",
    Reason.NONE: "No reason given",
}
SOURCES = {Source.DRAFT: "Draft", Source.CODER: "Coder", Source.OWN: "Own answer"}
# The columns of a table of decisions, and the formats of the table.
COLUMNS = (
    *("text", "round", "markable", "words", "question", "source", "coders", "reason", "section", "note"),
    *("decided_by", "decided_at", "changed", "answer"),
)
CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
# In addresses, the value for decisions without a reason.
NO_REASON = "none"


@dataclass(frozen=True, slots=True)
class ItemDecision:
    """The decision on an item of gold with its reason; `changed` if coders have changed their answers since."""

    # codings: with the source “coder”, the last operations of the codings whose answer was taken.

    gold: Coding
    item: Item
    source: Source
    codings: tuple[UUID, ...]
    reason: Reason
    section: str
    note: str
    user: str
    made_at: datetime
    changed: bool


def gold_decisions(gold: Sequence[Coding]) -> dict[int, tuple[ItemDecision, ...]]:
    """Return the decisions on gold codings, by primary key, in text order. At most four queries, for any number."""
    logs = read_logs([coding.pk for coding in gold], details=True)
    changes = read_changes(gold, logs)
    return {coding.pk: tuple(_decisions_of(coding, logs[coding.pk], changes[coding.pk])) for coding in gold}


def _decisions_of(gold: Coding, log: GoldLog, changes: WorkChanges) -> Iterator[ItemDecision]:
    decided: dict[int, DecideItems] = {}
    for item, decision in sorted(log.decisions().items(), key=lambda pair: item_order(pair[0])):
        entry = decision.entry
        decide = DecideItems((), Source.OWN)
        if entry.kind == Operation.Kind.DECIDE:
            decide = decided.setdefault(entry.sequence, entry.decide())
        assert entry.user is not None
        yield ItemDecision(
            gold,
            item,
            decide.source,
            tuple(map(UUID, decide.codings)),
            decide.reason,
            decide.section,
            decide.note,
            entry.user,
            entry.applied_at,
            changes.affect(item, decision.draft),
        )


@dataclass(frozen=True, slots=True)
class DecisionFilters:
    """The filters of a list of decisions; empty: no filter. `changed`: based on work that has changed."""

    reason: str = ""
    section: str = ""
    source: str = ""
    text: str = ""
    changed: bool = False

    @classmethod
    def from_query(cls, project: Project, query: Mapping[str, str]) -> DecisionFilters:
        """Return the filters of an address. Raise ValidationError by parameter."""
        reasons = [*filter(None, Reason), NO_REASON]
        reason, source, changed = (query.get(name, "") for name in ("reason", "source", "changed"))
        if reason and reason not in reasons:
            raise ValidationError({"reason": f"Choose of {', '.join(reasons)}."})
        if source and source not in list(Source):
            raise ValidationError({"source": f"Choose of {', '.join(Source)}."})
        if changed not in ("", "true", "false"):
            raise ValidationError({"changed": "Choose true or false."})
        text = query.get("text", "")
        if text and not (is_storable(text) and Text.objects.filter(project=project, slug=text).exists()):
            raise ValidationError({"text": f"There is no text {text!r} in this project."})
        return cls(reason, query.get("section", ""), source, text, changed == "true")

    def as_query(self) -> dict[str, str]:
        """Return the filters as parameters of an address, without empty ones."""
        query = asdict(self) | {"changed": "true" if self.changed else ""}
        return {name: value for name, value in query.items() if value}

    def admits(self, decision: ItemDecision) -> bool:
        return (
            self.reason in ("", decision.reason or NO_REASON)
            and self.section in ("", decision.section)
            and self.source in ("", decision.source)
            and self.text in ("", decision.gold.text.slug)
            and (decision.changed or not self.changed)
        )


def list_decisions(project: Project, round_name: str = "") -> list[ItemDecision]:
    """Return the decisions of a project or of a round, in the order of rounds and texts. Raise ValidationError."""
    gold = Coding.objects.filter(text__project=project, kind__in=DECIDED_KINDS)
    if round_name:
        try:
            gold = gold.filter(round=find_round(project, round_name))
        except ValidationError as error:
            raise ValidationError({"round": error.messages}) from None
    rows = gold.select_related("text", "round").defer("text__content")
    codings = list(rows.order_by("round__position", "round_id", "text__position", "text__slug"))
    decisions = gold_decisions(codings)
    return [decision for coding in codings for decision in decisions[coding.pk]]


def count_decisions(decisions: Sequence[ItemDecision]) -> dict[str, list[tuple[str, str, int]]]:
    """Return the values of each filter, with their labels and their numbers of decisions."""
    reasons, sources = Counter(row.reason for row in decisions), Counter(row.source for row in decisions)
    sections = Counter(row.section for row in decisions if row.section)
    return {
        "reason": [(reason or NO_REASON, label, reasons[reason]) for reason, label in REASONS.items()],
        "source": [(source, label, sources[source]) for source, label in SOURCES.items()],
        "section": [(key, key, sections[key]) for key in sorted(sections, key=lambda key: (-sections[key], key))],
        "changed": [("true", "Work changed since", sum(row.changed for row in decisions))],
    }


@dataclass(frozen=True, slots=True)
class DescribedDecision:
    """A decision in words, with the names or letters of the coders; `by` is set for readers who see names."""

    decision: ItemDecision
    keyword: Keyword
    question: str
    answer: str
    coders: tuple[str, ...]
    by: str | None

    @property
    def source(self) -> str:
        return SOURCES[self.decision.source]

    @property
    def reason(self) -> str:
        """The reason in words; empty if none was given."""
        return REASONS[self.decision.reason] if self.decision.reason else ""

    def record(self) -> dict[str, Any]:
        """Return the fields of a decision for the API, files and the command."""
        decision = self.decision
        return {
            "text": decision.gold.text.slug,
            "round": decision.gold.round.name,
            "markable": decision.item.markable,
            "words": self.keyword.words,
            "question": decision.item.question,
            "answer": self.answer,
            "source": str(decision.source),
            "coders": list(self.coders),
            "reason": str(decision.reason),
            "section": decision.section,
            "note": decision.note,
            "decided_by": self.by,
            "decided_at": decision.made_at.isoformat(),
            "changed": decision.changed,
        }


def describe_decisions(
    project: Project, decisions: Sequence[ItemDecision], *, with_names: bool | None = None
) -> list[DescribedDecision]:
    """Return the decisions in words. with_names: None means if the reader may see names."""
    shown = sees_names(project) if with_names is None else with_names
    texts = {decision.gold.text_id for decision in decisions}
    contents = dict(Text.objects.filter(pk__in=texts).values_list("pk", "content"))
    called = _name_sources(project, decisions, with_names=shown)
    labels = question_labels(project)
    answers = read_gold_answers(project, {(row.gold.pk, row.gold.text_id) for row in decisions}, contents)
    described = []
    for decision in decisions:
        text, split = decision.gold.text_id, split_key(decision.item.markable)
        keyword = keyword_in_context(contents[text], split.parts) if split else Keyword("", decision.item.markable, "")
        answer = answers[decision.gold.pk].describe(decision.item)
        coders = tuple(sorted(called[text, uuid] for uuid in decision.codings if (text, uuid) in called))
        by = decision.user if shown else None
        described.append(DescribedDecision(decision, keyword, labels(decision.item.question), answer, coders, by))
    return described


def _name_sources(
    project: Project, decisions: Sequence[ItemDecision], *, with_names: bool
) -> dict[tuple[int, UUID], str]:
    """Return the names or letters of coders, by text and the operation that stands for the coding."""
    uuids = {uuid for decision in decisions for uuid in decision.codings}
    if not uuids:
        return {}
    texts = {decision.gold.text_id for decision in decisions}
    rows = bases_of_drafts(uuids, texts).order_by().values_list("coding__text", "uuid", "coding__coder__username")
    called = {} if with_names else letters_of_coders(project, names_of_coders(project))
    return {(text, uuid): called.get(name, name) for text, uuid, name in rows}


def write_decisions(decisions: Sequence[DescribedDecision], format_key: str) -> bytes:
    """Return the decisions as a CSV file, or as a list in JSON."""
    records = [decision.record() for decision in decisions]
    if format_key == "json":
        return f"{json.dumps(records, ensure_ascii=False, indent=1)}\n".encode()
    for record in records:
        record["coders"] = ", ".join(record["coders"])
        record["decided_by"] = record["decided_by"] or ""
        record["changed"] = "yes" if record["changed"] else "no"
    return write_table([COLUMNS, *([record[name] for name in COLUMNS] for record in records)], raw=False)
