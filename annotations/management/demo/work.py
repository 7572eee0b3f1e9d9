"""What the coders of the demo decide, and when; and its texts with their gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any
from uuid import uuid4

from django.db.models import DateTimeField, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.coding import operations
from annotations.coding.decisions import Decision, parse_operation
from annotations.coding.markables.corrections import map_links
from annotations.coding.operations import Change
from annotations.coding.readings import alternatives
from annotations.coding.status import submit_coding
from annotations.formats.model.document import Document, Links
from annotations.models import Coding, Operation, Project


def code(coding: Coding, decisions: Sequence[Decision], day: date, *, submit: bool = True) -> None:
    """Make the decisions one after the other and submit them, as if on that day: the log has the times of a person."""
    again = f" {coding.occasion}" if coding.occasion > 1 else ""
    draw = Random(f"{coding.text.slug} {coding.coder.username}{again}")  # noqa: S311 - nothing is secret
    moment = timezone.make_aware(datetime.combine(day, time(draw.randint(9, 15), draw.randrange(60))))
    changes = []
    for decision in decisions:
        moment += timedelta(seconds=draw.lognormvariate(2.3, 0.6))  # ten of them, mostly five to twenty
        changes.append(Change(uuid4(), Operation.Kind.JUDGE, decision.payload(), moment))
    operations.apply(coding, coding.coder, coding.version, changes)
    if submit:
        submit_coding(coding, coding.coder)
    submitted = Value(moment + timedelta(minutes=1), output_field=DateTimeField())
    coding.operations.update(applied_at=Coalesce("made_at", submitted))


def decision_of(project: Project, keys: Mapping[str, str], label: str, answer: str | dict[str, Any]) -> Decision:
    """Return the decision for an answer in the notation of the demo files.

    It is a payload with labels for keys; or in short indices, or a category with antecedents.
    """
    if isinstance(answer, dict):
        decision = parse_operation("judge", {"markable": keys[label], **answer})
        assert isinstance(decision, Decision)
        return map_links(decision, keys.__getitem__)
    if project.answers == Project.Answers.INDICES:
        indices = tuple(answer.split())
        return Decision(keys[label], category="refers" if indices else "none", indices=indices)
    category, *targets = answer.split()
    return Decision(keys[label], category=category, pointers=alternatives(keys[target] for target in targets))


def without_answers(document: Document) -> Document:
    """Return the text with its phrases alone."""
    return replace(document, marks=[mark.with_answer(None) for mark in document.marks], links=Links.NONE)


def gold_answers(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each label with its answer in the notation of the demo: each mention points at the one before.

    `[the cat](f=cat)` is the phrase f, which stands for the cat.
    """
    last: dict[tuple[str, ...], str] = {}
    for mark in document.marks:
        entity = mark.answer.indices if mark.answer else ()
        yield mark.label, "none" if not entity else f"old {last[entity]}" if entity in last else "new"
        last[entity] = mark.label
