"""The people of the demo, the times of their decisions, and texts with their gold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from random import Random
from typing import Any
from uuid import uuid4

from django.contrib.auth.hashers import get_hasher, make_password
from django.db.models import DateTimeField, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.coding import operations
from annotations.coding.decisions import Decision, parse_operation
from annotations.coding.markables.corrections import map_links
from annotations.coding.operations import Change
from annotations.coding.readings import alternatives
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.formats.model.document import Document, Links
from annotations.models import Coding, Operation, Project, Text, User
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions

PASSWORD = "coindex-demo"  # noqa: S105 - printed on purpose, for a developer's own machine
MANAGER = "manager"
# Coders without codings, so that a newcomer can sign in as one of them.
BEGINNERS = ("alice", "bob")


def person(name: str) -> User:
    """Return the account with this name, created if missing."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.password = _hash_password(get_hasher().algorithm)
        user.save(update_fields=["password"])
    return user


@cache
def _hash_password(algorithm: str) -> str:
    """Return the hash of the password for the algorithm of the settings; cached, as it takes a tenth of a second."""
    return make_password(PASSWORD, hasher=algorithm)


def times_of_work(seed: str, day: date, pace: float) -> Iterator[datetime]:
    """Yield the time at which a person begins work on that day, then the time of each decision."""
    draw = Random(seed)  # noqa: S311 - nothing is secret
    moment = timezone.make_aware(datetime.combine(day, time(draw.randint(9, 15), draw.randrange(60))))
    while True:
        yield moment
        moment += timedelta(seconds=draw.lognormvariate(pace, 0.6))


def apply_changes(coding: Coding, changes: Sequence[Change], end: datetime, *, submit: bool = True) -> None:
    """Apply the changes and submit the coding, dated a minute after `end`, the time of the last change."""
    operations.apply(coding, coding.coder, coding.version, changes)
    if submit:
        submit_coding(coding, coding.coder)
    submitted = Value(end + timedelta(minutes=1), output_field=DateTimeField())
    coding.operations.update(applied_at=Coalesce("made_at", submitted))


def code(coding: Coding, decisions: Sequence[Decision], day: date, *, submit: bool = True) -> None:
    """Make the decisions one by one and submit them, with the times that a person would need on that day."""
    again = f" {coding.occasion}" if coding.occasion > 1 else ""
    # about ten seconds for each decision, mostly five to twenty
    times = times_of_work(f"{coding.text.slug} {coding.coder.username}{again}", day, 2.3)
    moment, changes = next(times), []
    for decision, moment in zip(decisions, times, strict=False):  # times do not end
        changes.append(Change(uuid4(), Operation.Kind.JUDGE, decision.payload(), moment))
    apply_changes(coding, changes, moment, submit=submit)


def decision_of(project: Project, keys: Mapping[str, str], label: str, answer: str | dict[str, Any]) -> Decision:
    """Return the decision for a payload with labels as keys, or for a short form: indices, or category and targets."""
    if isinstance(answer, dict):
        decision = parse_operation("judge", {"markable": keys[label], **answer})
        assert isinstance(decision, Decision)
        return map_links(decision, keys.__getitem__)
    if project.answers == Project.Answers.INDICES:
        indices = tuple(answer.split())
        return Decision(keys[label], category="refers" if indices else "none", indices=indices)
    category, *targets = answer.split()
    return Decision(keys[label], category=category, pointers=alternatives(keys[target] for target in targets))


def gold_answers(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each label with its answer: `[the cat](f=cat)` is the phrase f, which points at the last phrase of cat."""
    last: dict[tuple[str, ...], str] = {}
    for mark in document.marks:
        entity = mark.answer.indices if mark.answer else ()
        yield mark.label, "none" if not entity else f"old {last[entity]}" if entity in last else "new"
        last[entity] = mark.label


def import_text(
    project: Project, source: Mapping[str, Any], round_name: str = ""
) -> tuple[Text, dict[str, str], dict[str, str]]:
    """Import a text without its answers; return it with the keys of its phrases and its gold, both by label."""
    document = plain.parse(f"#title: {source['title']}\n{source['marked']}", f"{source['slug']}.txt")
    without_answers = replace(document, marks=[mark.with_answer(None) for mark in document.marks], links=Links.NONE)
    import_documents(project, [SourceDocument(without_answers, None)], ImportOptions(round_name=round_name))
    text = Text.objects.select_related("project").get(project=project, slug=source["slug"])
    return text, dict(text.markables.values_list("label", "key")), dict(gold_answers(document))
