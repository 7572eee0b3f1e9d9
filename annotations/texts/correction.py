"""Correct the words of a text that is coded.

Markables, heads, segments and the words of summaries move with the text. The log of each of its codings gets an
operation of kind `correct` (decision 0028). No judgement changes.
"""

import logging
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

from annotations.coding import operations
from annotations.coding.markables.corrections import MAX_EDITS, correction_payload
from annotations.coding.markables.tokenization import WORD_LEVEL
from annotations.core.database.bulk import MAX_KEYS, insert
from annotations.core.database.locks import sqlite_write_lock
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Judgement, Markable, Question, Segment, Text, User
from annotations.projects.locks import lock_project
from annotations.texts.correction_plan import CorrectionPlan, plan_correction
from annotations.texts.questions import move_key

logger = logging.getLogger(__name__)

BATCH = 500
FAR = 1_000_000_000  # beyond the end of any text: a temporary place for segments, while others take their offsets
MARKABLE_FIELDS = ("text", "level", "key", "label", "parts", "head", "start", "end", "predefined")


def correct_text(text: Text, content: str, user: User, tag: str) -> CorrectionPlan:
    """Replace the content of the text, and map all offsets, in one transaction. `tag`: of the confirmed plan."""
    # Raise ValidationError if the plan has changed, or for obstacles.
    with sqlite_write_lock(), transaction.atomic():
        project = lock_project(text.project_id)
        # Writers of rows that refer to the text may continue; the lock of the codings waits for them.
        locked = Text.objects.select_for_update(of=("self",), no_key=True).filter(pk=text.pk).first()
        if locked is None:
            raise ValidationError("The text was deleted meanwhile.")
        text = locked
        # A coder's concurrent request is either written before and mapped here, or waits and is rejected as stale.
        codings = list(Coding.objects.select_for_update(of=("self",)).filter(text=text).order_by("pk"))
        plan = plan_correction(text, content)
        if plan.obstacles:
            raise ValidationError([f"{row.noun} “{row.words}”: {row.reason}" for row in plan.obstacles[:MAX_EDITS]])
        if plan.tag != tag:
            raise ValidationError("This has changed since you saw it. Look at it again.")
        Text.objects.filter(pk=text.pk).update(content=plan.content)
        _write_markables(plan, text)
        _write_segments(plan)
        # Questions follow their markables; a question whose markable is gone is about the text.
        questions = list(Question.objects.filter(text=text).exclude(key=""))
        for question in questions:
            question.key = move_key(question.key, plan.edits)
        Question.objects.bulk_update(questions, ["key"], batch_size=BATCH)
        Judgement.objects.bulk_update(plan.judgements, ["head"], batch_size=BATCH)
        operations.log_correction(codings, user, correction_payload(plan.edits), project.scheme_version)
        done = f"{len(plan.edits)} places, {plan.moved} markables moved"
        logger.info("%s corrected %s of %s: %s", user.pk, text.slug, text.project_id, done)
        return plan


def _write_markables(plan: CorrectionPlan, text: Text) -> None:
    for batch in batched(plan.lost, MAX_KEYS):
        Markable.objects.filter(pk__in=batch).delete()
    # Keys are unique, and may be exchanged: first each gets a temporary key that no text can have.
    for batch in batched((markable.pk for markable in plan.markables), MAX_KEYS):
        Markable.objects.filter(pk__in=batch).update(key=Concat(Value("~"), Cast("pk", CharField())))
    Markable.objects.bulk_create(
        plan.markables,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["key", "label", "parts", "head", "start", "end"],
    )
    insert(
        Markable,
        MARKABLE_FIELDS,
        (
            (text.pk, plan.word_level, markable_key(WORD_LEVEL, [span]), "", [list(span)], [], *span, True)
            for span in plan.new_words
        ),
    )


def _write_segments(plan: CorrectionPlan) -> None:
    for batch in batched((segment.pk for segment in plan.segments), MAX_KEYS):
        Segment.objects.filter(pk__in=batch).update(start=F("start") + FAR, end=F("end") + FAR)
    Segment.objects.bulk_create(
        plan.segments, update_conflicts=True, unique_fields=["id"], update_fields=["start", "end", "label"]
    )
