"""What is decided of the demo's gold on top of a draft, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any
from uuid import uuid4

from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.decisions import DecideItems, Decision
from annotations.coding.log.payloads import Reason, Source
from annotations.coding.operations import Change
from annotations.coding.status import submit_coding
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation, Round, User


def draft_round(round_: Round, adjudicator: User) -> list[Coding]:
    """Draft the gold of a round of what most coders say, and return it in the order of the texts."""
    request = DraftRequest(Method.MOST, round_name=round_.name, adjudicator=adjudicator.get_username())
    draft_gold(round_.project, request)
    gold = Coding.objects.filter(round=round_, kind=Coding.Kind.GOLD).order_by("text__position")
    return list(gold.select_related("text__project", "coder", "round"))


def adjudicate(gold: Coding, decisions: Sequence[tuple[Decision, Mapping[str, Any]]], day: date) -> None:
    """Decide categories and chains of a draft, each with what is said of it, and submit the gold, as if on that day.

    What is said has the coders whose answer was taken; without `coders` the answer is the draft's, or the adjudicator's
    where it has an `answer` of its own.
    """
    draft = gold.operations.get(kind=Operation.Kind.DRAFT)
    last_operations = Operation.objects.filter(uuid__in=draft.payload["codings"], coding__text=gold.text)
    named = {name: str(uuid) for name, uuid in last_operations.values_list("coding__coder__username", "uuid")}
    draw = Random(f"{gold.text.slug} gold")  # noqa: S311 - nothing is secret
    begun = moment = timezone.make_aware(datetime.combine(day, time(draw.randint(9, 15), draw.randrange(60))))
    changes = []
    for decision, said in decisions:
        moment += timedelta(seconds=draw.lognormvariate(3, 0.6))
        coders = said.get("coders", ())
        source = Source.CODER if coders else Source.OWN if "answer" in said else Source.DRAFT
        decide = DecideItems(
            ((decision.markable, CATEGORY),),
            source,
            tuple(named[name] for name in coders),
            Reason(said["reason"]),
            said.get("section", ""),
            said["note"],
        )
        step = uuid4()
        if source is not Source.DRAFT:
            changes.append(Change(uuid4(), Operation.Kind.JUDGE, decision.payload(), moment, step))
        changes.append(Change(uuid4(), Operation.Kind.DECIDE, decide.payload(), moment, step))
    operations.apply(gold, gold.coder, gold.version, changes)
    submit_coding(gold, gold.coder)
    submitted = Value(moment + timedelta(minutes=1), output_field=DateTimeField())
    gold.operations.update(applied_at=Coalesce(F("made_at"), submitted))
    gold.operations.filter(pk=draft.pk).update(applied_at=begun)
